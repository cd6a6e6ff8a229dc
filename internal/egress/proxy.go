// Package egress is the one way out of a browser: a forward proxy on a loopback port of its own, for one crawl's context.
// What a browser sends over TCP goes through it, whatever part of the browser sends it, so it is the place where
// addresses are judged after DNS, connections and bytes are counted, and everything that no page asked for ends.
//
// Only servers that were let in by Allow are connected to. Of plain HTTP the proxy sees the whole request and passes GET,
// HEAD and OPTIONS that are no speculation; of a tunnel (CONNECT) it sees server and port, and from its first bytes
// whether it is HTTPS or a WebSocket. WebSockets are refused: a crawler holds no live connection open.
package egress

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Dial opens a connection to a server; it is where the address guard sits.
type Dial func(ctx context.Context, network, address string) (net.Conn, error)

// Stats are a proxy's counters since its start.
type Stats struct {
	Connections int64 // opened to servers
	Requests    int64 // plain HTTP requests forwarded
	Tunnels     int64 // CONNECTs that were connected
	Sent        int64 // bytes to servers
	Received    int64 // bytes from servers
	Refused     int64 // connections and requests that nobody had asked for
}

// Proxy is a running proxy. Its methods may be called concurrently.
type Proxy struct {
	// Loose lets everything out that the Dial lets out. For tests that show what the proxy is there for.
	Loose bool

	dial      Dial
	ctx       context.Context // ends with the proxy
	cancel    context.CancelFunc
	listener  net.Listener
	server    *http.Server
	transport *http.Transport
	wg        sync.WaitGroup

	conns, requests, tunnels, sent, received, refused atomic.Int64

	mu      sync.Mutex
	allowed map[string]bool
	trouble map[string]error
	addrs   map[string]netip.Addr
	denied  map[string]int
	open    map[net.Conn]bool
	closed  bool
}

// maxNames bounds what is remembered by name, in case a page asks for endless hosts.
const maxNames = 10_000

// Start opens a proxy on a free port of 127.0.0.1.
func Start(dial Dial) (*Proxy, error) {
	listener, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	p := &Proxy{
		dial: dial, listener: listener,
		allowed: map[string]bool{}, trouble: map[string]error{}, addrs: map[string]netip.Addr{}, denied: map[string]int{}, open: map[net.Conn]bool{},
	}
	p.ctx, p.cancel = context.WithCancel(context.Background())
	p.transport = &http.Transport{
		DialContext:            p.connect,
		DisableCompression:     true, // bytes pass as they are
		MaxIdleConnsPerHost:    6,    // as many as a browser opens
		MaxConnsPerHost:        6,
		IdleConnTimeout:        30 * time.Second,
		MaxResponseHeaderBytes: 256 << 10,
	}
	p.server = &http.Server{Handler: http.HandlerFunc(p.serve), ReadHeaderTimeout: time.Minute, MaxHeaderBytes: 256 << 10, ErrorLog: nil}
	p.server.ErrorLog = silent
	p.wg.Go(func() { p.server.Serve(listener) })
	return p, nil
}

// Addr is the proxy's own address, "127.0.0.1:port".
func (p *Proxy) Addr() string { return p.listener.Addr().String() }

// Allow lets connections to a server out from now on. The address is "host:port".
func (p *Proxy) Allow(address string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.allowed) < maxNames {
		p.allowed[strings.ToLower(address)] = true
	}
}

// Forbid takes an Allow back, and breaks off all connections to the server.
func (p *Proxy) Forbid(address string) {
	address = strings.ToLower(address)
	p.mu.Lock()
	delete(p.allowed, address)
	var open []net.Conn
	for c := range p.open {
		if server, ok := c.(*counted); ok && server.address == address {
			open = append(open, c)
		}
	}
	p.mu.Unlock()
	for _, c := range open {
		c.Close()
	}
}

// Trouble returns why the last connection to a server could not be made, or nil.
func (p *Proxy) Trouble(address string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.trouble[strings.ToLower(address)]
}

// Remote returns the address that a server was last reached at; invalid when it never was.
func (p *Proxy) Remote(address string) netip.Addr {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.addrs[strings.ToLower(address)]
}

// Denied returns how often each server was refused that nobody had asked for.
func (p *Proxy) Denied() map[string]int {
	p.mu.Lock()
	defer p.mu.Unlock()
	out := make(map[string]int, len(p.denied))
	for k, v := range p.denied {
		out[k] = v
	}
	return out
}

// Stats returns the counters.
func (p *Proxy) Stats() Stats {
	return Stats{Connections: p.conns.Load(), Requests: p.requests.Load(), Tunnels: p.tunnels.Load(), Sent: p.sent.Load(), Received: p.received.Load(), Refused: p.refused.Load()}
}

// Received is the number of bytes that came from servers.
func (p *Proxy) Received() int64 { return p.received.Load() }

// Close ends the proxy with all its connections and waits for its goroutines.
func (p *Proxy) Close() error {
	p.cancel()
	err := p.server.Close()
	p.mu.Lock()
	p.closed = true
	open := make([]net.Conn, 0, len(p.open))
	for c := range p.open {
		open = append(open, c)
	}
	p.mu.Unlock()
	for _, c := range open {
		c.Close()
	}
	p.wg.Wait()
	p.transport.CloseIdleConnections()
	return err
}

func (p *Proxy) refuse(address string) {
	p.refused.Add(1)
	p.mu.Lock()
	defer p.mu.Unlock()
	if _, ok := p.denied[address]; ok || len(p.denied) < maxNames {
		p.denied[address]++
	}
}

func (p *Proxy) lets(address string) bool {
	if p.Loose {
		return true
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.allowed[address]
}

// connectTimeout bounds look-up and connect.
const connectTimeout = 15 * time.Second

// connect opens a counted connection to a server.
func (p *Proxy) connect(ctx context.Context, network, address string) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, connectTimeout)
	defer cancel()
	defer context.AfterFunc(p.ctx, cancel)()
	conn, err := p.dial(ctx, network, address)
	p.mu.Lock()
	defer p.mu.Unlock()
	if err == nil && p.closed {
		conn.Close()
		err = net.ErrClosed
	}
	key := strings.ToLower(address)
	if len(p.trouble) < maxNames {
		p.trouble[key] = err
	}
	if err != nil {
		return nil, err
	}
	if ap, err := netip.ParseAddrPort(conn.RemoteAddr().String()); err == nil && len(p.addrs) < maxNames {
		p.addrs[key] = ap.Addr()
	}
	p.conns.Add(1)
	if !p.Loose && !p.allowed[key] { // forbidden meanwhile
		conn.Close()
		return nil, net.ErrClosed
	}
	c := &counted{Conn: conn, proxy: p, address: key}
	p.open[c] = true
	return c, nil
}

// counted is a connection to a server whose bytes are counted.
type counted struct {
	net.Conn
	proxy   *Proxy
	address string
}

func (c *counted) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	c.proxy.received.Add(int64(n))
	return n, err
}

func (c *counted) Write(b []byte) (int, error) {
	n, err := c.Conn.Write(b)
	c.proxy.sent.Add(int64(n))
	return n, err
}

func (c *counted) Close() error {
	c.proxy.mu.Lock()
	delete(c.proxy.open, c)
	c.proxy.mu.Unlock()
	return c.Conn.Close()
}

func (c *counted) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
}

func (p *Proxy) serve(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodConnect {
		p.tunnel(w, r)
		return
	}
	p.forward(w, r)
}

// errDropped makes net/http close the browser's connection without an answer: an answer of ours would pass for the
// site's.
var errDropped = http.ErrAbortHandler

// forward passes a plain HTTP request on.
func (p *Proxy) forward(w http.ResponseWriter, r *http.Request) {
	address := withPort(r.URL.Host, "80")
	speculation := r.Header.Get("Sec-Purpose") != "" || r.Header.Get("Purpose") == "prefetch"
	switch {
	case r.URL.Scheme != "http" || r.URL.Host == "":
		p.refuse(address)
		panic(errDropped)
	case !p.lets(address):
		p.refuse(address)
		panic(errDropped)
	case !p.Loose && (r.Method != http.MethodGet && r.Method != http.MethodHead && r.Method != http.MethodOptions || speculation || r.Header.Get("Upgrade") != ""):
		p.refuse(address)
		panic(errDropped)
	}
	out := r.Clone(r.Context())
	out.RequestURI = ""
	hopByHop(out.Header)
	if out.Header.Get("User-Agent") == "" {
		out.Header["User-Agent"] = nil // net/http would put its own
	}
	if r.ContentLength == 0 {
		out.Body = nil
	}
	resp, err := p.transport.RoundTrip(out)
	if err != nil {
		p.note(address, err)
		panic(errDropped)
	}
	defer resp.Body.Close()
	p.requests.Add(1)
	hopByHop(resp.Header)
	header := w.Header()
	for name, values := range resp.Header {
		header[name] = values
	}
	if _, ok := header["Date"]; !ok {
		header["Date"] = nil // net/http would put its own
	}
	w.WriteHeader(resp.StatusCode)
	if err := copyFlush(w, resp.Body); err != nil {
		panic(errDropped) // the browser must see that the body broke off
	}
}

// note keeps why a request failed after its connection was made.
func (p *Proxy) note(address string, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.trouble[address] == nil && len(p.trouble) < maxNames && !errors.Is(err, context.Canceled) {
		p.trouble[address] = err
	}
}

func copyFlush(w http.ResponseWriter, body io.Reader) error {
	flush := http.NewResponseController(w)
	buf := make([]byte, 32<<10)
	for {
		n, err := body.Read(buf)
		if n > 0 {
			if _, err := w.Write(buf[:n]); err != nil {
				return err
			}
			flush.Flush()
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// hopByHop removes what concerns one connection only (RFC 9110 section 7.6.1).
func hopByHop(h http.Header) {
	for _, field := range h["Connection"] {
		for name := range strings.SplitSeq(field, ",") {
			h.Del(strings.TrimSpace(name))
		}
	}
	for _, name := range []string{"Connection", "Keep-Alive", "Proxy-Authenticate", "Proxy-Authorization", "Proxy-Connection", "Te", "Trailer", "Transfer-Encoding", "Upgrade"} {
		h.Del(name)
	}
}

func withPort(host, port string) string {
	host = strings.ToLower(host)
	if _, _, err := net.SplitHostPort(host); err == nil {
		return host
	}
	return net.JoinHostPort(strings.Trim(host, "[]"), port)
}
