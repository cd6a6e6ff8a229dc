package egress

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"strings"
	"time"
)

// silent is the log of the proxy's server: what goes wrong there shows in the result of the page.
var silent = log.New(io.Discard, "", 0)

// helloTimeout is how long a new tunnel may take to send its first bytes. Browsers open connections ahead of need and
// keep them silent, without harm.
const helloTimeout = time.Minute

// tunnel connects a CONNECT to its server, once its first bytes have shown what it is.
func (p *Proxy) tunnel(w http.ResponseWriter, r *http.Request) {
	address := strings.ToLower(r.Host)
	if !p.lets(address) {
		p.refuse(address)
		http.Error(w, "not asked for", http.StatusForbidden)
		return
	}
	client, buffered, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return
	}
	p.mu.Lock()
	if p.closed {
		p.mu.Unlock()
		client.Close()
		return
	}
	p.open[client] = true
	p.wg.Add(1) // the server does not wait for hijacked connections
	p.mu.Unlock()
	defer p.wg.Done()
	defer func() {
		client.Close()
		p.mu.Lock()
		delete(p.open, client)
		p.mu.Unlock()
	}()
	if _, err := client.Write([]byte("HTTP/1.1 200 Connection established\r\n\r\n")); err != nil {
		return
	}
	client.SetDeadline(time.Now().Add(helloTimeout))
	in := io.MultiReader(io.LimitReader(buffered, int64(buffered.Reader.Buffered())), client)
	first, alpn, err := readHello(in)
	if err != nil && !errors.Is(err, errNotTLS) {
		return
	}
	if !p.Loose && (err != nil || !alpnHas(alpn, "h2")) {
		// Plain bytes are the handshake of ws:, and Chrome offers only HTTP/1.1 for wss:.
		p.refuse("websocket " + address)
		return
	}
	client.SetDeadline(time.Time{})
	server, err := p.connect(r.Context(), "tcp", address)
	if err != nil {
		return
	}
	defer server.Close()
	p.tunnels.Add(1)
	if _, err := server.Write(first); err != nil {
		return
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		io.Copy(server, in)
		server.(*counted).CloseWrite()
	}()
	io.Copy(client, server)
	if half, ok := client.(*net.TCPConn); ok {
		half.CloseWrite()
	}
	// The server has said all it had to; nothing that the browser still sends would be answered.
	client.Close()
	<-done
}

var errNotTLS = errors.New("not a TLS handshake")

// readHello reads the record of a TLS ClientHello (RFC 8446 section 4.1.2) and returns it as read, with the protocols of
// its ALPN extension (RFC 7301).
func readHello(r io.Reader) (raw []byte, alpn []string, err error) {
	raw = make([]byte, 5, 2048)
	if _, err := io.ReadFull(r, raw[:1]); err != nil {
		return nil, nil, err
	}
	if raw[0] != 22 {
		return raw[:1], nil, errNotTLS
	}
	if _, err := io.ReadFull(r, raw[1:5]); err != nil {
		return nil, nil, err
	}
	var hello []byte
	for {
		n := int(binary.BigEndian.Uint16(raw[len(raw)-2:]))
		if n == 0 || n > 1<<14+256 || len(raw) > 1<<17 {
			return raw, nil, errNotTLS
		}
		record := make([]byte, n)
		if _, err := io.ReadFull(r, record); err != nil {
			return nil, nil, err
		}
		raw, hello = append(raw, record...), append(hello, record...)
		if len(hello) >= 4 {
			want := int(hello[1])<<16 | int(hello[2])<<8 | int(hello[3])
			if hello[0] != 1 || want > 1<<17 {
				return raw, nil, errNotTLS
			}
			if len(hello) >= 4+want {
				return raw, parseALPN(hello[4 : 4+want]), nil
			}
		}
		head := make([]byte, 5)
		if _, err := io.ReadFull(r, head); err != nil {
			return nil, nil, err
		}
		if head[0] != 22 {
			return append(raw, head...), nil, errNotTLS
		}
		raw = append(raw, head...)
	}
}

// parseALPN returns the protocol names in the body of a ClientHello, nil when there are none or it is malformed.
func parseALPN(b []byte) []string {
	skip := func(n int) bool {
		if n < 0 || len(b) < n {
			b = nil
			return false
		}
		b = b[n:]
		return true
	}
	vector := func(size int) []byte {
		if len(b) < size {
			b = nil
			return nil
		}
		n := 0
		for _, c := range b[:size] {
			n = n<<8 | int(c)
		}
		b = b[size:]
		if len(b) < n {
			b = nil
			return nil
		}
		v := b[:n]
		b = b[n:]
		return v
	}
	if !skip(2 + 32) { // version, random
		return nil
	}
	vector(1) // session id
	vector(2) // cipher suites
	vector(1) // compression methods
	b = vector(2)
	for len(b) >= 4 {
		kind := binary.BigEndian.Uint16(b)
		b = b[2:]
		data := vector(2)
		if kind != 16 {
			continue
		}
		b = data
		b = vector(2)
		var names []string
		for len(b) > 0 {
			name := vector(1)
			if len(name) > 0 {
				names = append(names, string(bytes.Clone(name)))
			}
		}
		return names
	}
	return nil
}

func alpnHas(names []string, want string) bool {
	for _, name := range names {
		if name == want {
			return true
		}
	}
	return false
}
