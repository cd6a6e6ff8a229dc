package egress

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
)

func start(t *testing.T) *Proxy {
	t.Helper()
	p, err := Start((&net.Dialer{}).DialContext)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	return p
}

func through(t *testing.T, p *Proxy, h2 bool) *http.Client {
	transport := &http.Transport{Proxy: http.ProxyURL(&url.URL{Scheme: "http", Host: p.Addr()}), TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, ForceAttemptHTTP2: h2, DisableCompression: true}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}
}

// TestOnlyWhatWasLetIn: a server that was not let in is not connected to, by plain HTTP or by a tunnel; of one that was,
// only reading requests pass, and tunnels that are HTTPS.
func TestOnlyWhatWasLetIn(t *testing.T) {
	var seen []string
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seen = append(seen, r.Method+" "+r.URL.Path)
		fmt.Fprint(w, strings.Repeat("x", 1000))
	})
	plain, secure := httptest.NewServer(handler), httptest.NewUnstartedServer(handler)
	secure.EnableHTTP2 = true
	secure.StartTLS()
	defer plain.Close()
	defer secure.Close()
	p := start(t)
	client := through(t, p, true)
	for _, u := range []string{plain.URL, secure.URL} {
		if resp, err := client.Get(u); err == nil {
			t.Errorf("%s was reached: %s", u, resp.Status)
		}
	}
	p.Allow(plain.Listener.Addr().String())
	p.Allow(secure.Listener.Addr().String())
	for _, u := range []string{plain.URL + "/a", secure.URL + "/b"} {
		resp, err := client.Get(u)
		if err != nil {
			t.Fatal(err)
		}
		if body, err := io.ReadAll(resp.Body); len(body) != 1000 || err != nil {
			t.Errorf("%s: %d bytes, %v", u, len(body), err)
		}
		resp.Body.Close()
	}
	for _, change := range []func(*http.Request){
		func(r *http.Request) { r.Method = http.MethodPost },
		func(r *http.Request) { r.Header.Set("Sec-Purpose", "prefetch") },
		func(r *http.Request) { r.Header.Set("Connection", "upgrade"); r.Header.Set("Upgrade", "websocket") },
	} {
		req, _ := http.NewRequest(http.MethodGet, plain.URL+"/no", nil)
		change(req)
		if resp, err := client.Do(req); err == nil {
			t.Errorf("%s %v passed: %s", req.Method, req.Header, resp.Status)
		}
	}
	// A tunnel that offers no HTTP/2 is a WebSocket's.
	if resp, err := through(t, p, false).Get(secure.URL + "/socket"); err == nil {
		t.Errorf("a tunnel for HTTP/1.1 passed: %s", resp.Status)
	}
	if got := strings.Join(seen, ", "); got != "GET /a, GET /b" {
		t.Errorf("the servers saw %s", got)
	}
	s := p.Stats()
	if s.Requests != 1 || s.Tunnels != 1 || s.Refused < 6 || s.Received < 2000 {
		t.Errorf("%+v", s)
	}
}

// TestPlainTunnel: the handshake of a WebSocket over plain TCP is refused before anything is connected to.
func TestPlainTunnel(t *testing.T) {
	p := start(t)
	p.Allow("127.0.0.1:9")
	conn, err := net.Dial("tcp", p.Addr())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprint(conn, "CONNECT 127.0.0.1:9 HTTP/1.1\r\nHost: 127.0.0.1:9\r\n\r\n")
	r := bufio.NewReader(conn)
	if resp, err := http.ReadResponse(r, &http.Request{Method: http.MethodConnect}); err != nil || resp.StatusCode != 200 {
		t.Fatal(resp, err)
	}
	fmt.Fprint(conn, "GET /socket HTTP/1.1\r\nUpgrade: websocket\r\n\r\n")
	if _, err := r.ReadByte(); err == nil {
		t.Error("an answer came")
	}
	if s := p.Stats(); s.Connections != 0 || s.Refused != 1 {
		t.Errorf("%+v", s)
	}
}

// TestTrouble: why a server could not be reached is known by its address; the browser gets no answer that could pass for
// the site's.
func TestTrouble(t *testing.T) {
	guard := errors.New("forbidden address")
	p, err := Start(func(context.Context, string, string) (net.Conn, error) { return nil, guard })
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	p.Allow("example.com:80")
	if resp, err := through(t, p, true).Get("http://example.com/"); err == nil {
		t.Errorf("answered: %s", resp.Status)
	}
	if err := p.Trouble("example.com:80"); !errors.Is(err, guard) {
		t.Error(err)
	}
}

func FuzzReadHello(f *testing.F) {
	f.Add([]byte{22, 3, 1, 0, 5, 1, 0, 0, 1, 0})
	f.Add([]byte("GET / HTTP/1.1\r\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		raw, _, err := readHello(strings.NewReader(string(data)))
		if err == nil && !strings.HasPrefix(string(data), string(raw)) {
			t.Error("what was read is not what came")
		}
	})
}
