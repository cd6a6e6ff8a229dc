package hostile

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// budget is what the client of these tests gives to a bad exchange, and patience what it gives to a good one.
const (
	budget   = 400 * time.Millisecond
	patience = 10 * time.Second
)

// client is a plain net/http client with every limit that it has.
func client(s *Server) *http.Client {
	return &http.Client{
		Transport: &http.Transport{
			TLSClientConfig:        &tls.Config{RootCAs: s.Roots},
			TLSHandshakeTimeout:    patience,
			ForceAttemptHTTP2:      true,
			HTTP2:                  &http.HTTP2Config{WriteByteTimeout: budget}, // who sends only and never reads
			MaxResponseHeaderBytes: 256 << 10,
			DialContext:            (&net.Dialer{Timeout: patience}).DialContext,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// get reads at most 4 MiB; a 101 is given up at once, since its body is the bare connection.
func get(ctx context.Context, c *http.Client, url string) (status int, body string, err error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return 0, "", err
	}
	answer, err := c.Do(r)
	if err != nil {
		return 0, "", err
	}
	defer answer.Body.Close()
	if answer.StatusCode == http.StatusSwitchingProtocols {
		return answer.StatusCode, "", errors.New("switched protocols")
	}
	b, err := io.ReadAll(io.LimitReader(answer.Body, 4<<20))
	return answer.StatusCode, string(b), err
}

// Each server misbehaves where it says, and nowhere else; a limited client survives it.
func TestBehaviours(t *testing.T) {
	names := make(map[string]bool)
	for _, b := range All() {
		if names[b.Name] || b.What == "" || !strings.HasPrefix(b.Path, "/") {
			t.Errorf("behaviour %q is not described once", b.Name)
		}
		names[b.Name] = true
		t.Run(b.Name, func(t *testing.T) {
			leak := goleak.IgnoreCurrent()
			t.Cleanup(func() { goleak.VerifyNone(t, leak) }) // runs after the server's own
			s := b.Start(t)
			c := client(s)
			defer c.CloseIdleConnections()
			ask := func(url string, limit time.Duration) (int, string, error) {
				ctx, cancel := context.WithTimeout(t.Context(), limit)
				defer cancel()
				return get(ctx, c, url)
			}
			status, body, err := ask(s.Bad, budget)
			t.Logf("status %d, %d bytes, error %v", status, len(body), err)
			if s.Asked()[b.Path] == 0 && !b.Site {
				t.Error("the bad path was not reached")
			}
			if b.TLS && b.Site && err == nil {
				t.Error("the site answers")
			}
			c.CloseIdleConnections() // a flooded HTTP/2 connection would serve the next request too, and badly
			for _, url := range []string{s.Home, s.Next} {
				if url == s.Home && b.TLS && b.Site {
					continue
				}
				status, body, err := ask(url, patience)
				for range 2 { // the first may still meet the bad connection
					if err != nil {
						c.CloseIdleConnections()
						status, body, err = ask(url, patience)
					}
				}
				if status != 200 || err != nil || !strings.Contains(body, Title) {
					t.Errorf("%s: status %d, %d bytes, %v", url, status, len(body), err)
				}
			}
		})
	}
}

// What a client can wait for without end takes no memory on the server's side either, and ends with the test.
func TestServersAreBounded(t *testing.T) {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	for _, b := range All() {
		if b.Name != "endless-body" && b.Name != "gzip-bomb" {
			continue
		}
		s := b.Start(t)
		c, err := net.Dial("tcp", strings.TrimPrefix(strings.TrimSuffix(s.Home, "/"), "http://"))
		if err != nil {
			t.Fatal(err)
		}
		io.WriteString(c, "GET /bad HTTP/1.1\r\nHost: x\r\n\r\n")
		n, _ := io.Copy(io.Discard, c)
		c.Close()
		if n > MaxBytes {
			t.Errorf("%s sent %d bytes", b.Name, n)
		}
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > 16<<20 {
		t.Errorf("%d MiB kept", grown>>20)
	}
}

// Why a 101 hangs a plain client: net/http hands the bare connection out as the body and lets go of it, so that
// neither the end of the context nor any time limit of the transport ends a Read. Only Close does. The test proves
// both halves; a Fetcher must therefore close, not read, the body of a 101.
func TestSwitchingProtocolsHangsAReader(t *testing.T) {
	var s *Server
	for _, b := range All() {
		if b.Name == "switching-protocols" {
			s = b.Start(t)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, s.Bad, nil)
	if err != nil {
		t.Fatal(err)
	}
	c := client(s)
	defer c.CloseIdleConnections()
	answer, err := c.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	read := make(chan error, 1)
	go func() {
		_, err := answer.Body.Read(make([]byte, 1))
		read <- err
	}()
	cancel()
	select {
	case err := <-read:
		t.Logf("the context ended the read: %v; the advice about 101 can go", err)
	case <-time.After(200 * time.Millisecond):
	}
	answer.Body.Close()
	<-read
}
