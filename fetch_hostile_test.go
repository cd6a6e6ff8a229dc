package amble

import (
	"bufio"
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/url"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"
	"go.uber.org/goleak"
)

// rawServer answers each connection on loopback with serve, which gets the requests of the connection one by one.
// It returns the base URL.
func rawServer(t *testing.T, serve func(c net.Conn, next func() *http.Request)) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	ctx, cancel := context.WithCancel(context.Background())
	wg.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			wg.Go(func() {
				defer c.Close()
				defer context.AfterFunc(ctx, func() { c.Close() })()
				br := bufio.NewReader(c)
				serve(c, func() *http.Request {
					r, err := http.ReadRequest(br)
					if err != nil {
						return nil
					}
					return r
				})
			})
		}
	})
	t.Cleanup(func() { cancel(); l.Close(); wg.Wait() })
	return "http://" + l.Addr().String() + "/"
}

// says serves one answer, as it stands, for each connection's first request, and then holds the connection open.
func says(answer string) func(net.Conn, func() *http.Request) {
	return func(c net.Conn, next func() *http.Request) {
		if next() != nil {
			io.WriteString(c, answer)
			next()
		}
	}
}

// closes is says, but for the connection, which is closed.
func closes(answer string) func(net.Conn, func() *http.Request) {
	return func(c net.Conn, next func() *http.Request) {
		if next() != nil {
			io.WriteString(c, answer)
		}
	}
}

func newTestFetcher(t *testing.T) *HTTPFetcher {
	f := &HTTPFetcher{Addresses: LoopbackOnly()}
	t.Cleanup(f.CloseIdleConnections)
	return f
}

func get(t *testing.T, raw string) *Request {
	t.Helper()
	u, err := url.Parse(raw)
	if err != nil {
		t.Fatal(err)
	}
	return &Request{URL: u, MaxBytes: 1 << 20, Header: http.Header{"User-Agent": {"ExampleAudit/1.0"}}}
}

func troubleOf(err error) Trouble {
	if f, ok := errors.AsType[*FetchError](err); ok {
		return f.Trouble
	}
	return ""
}

const ok200 = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"

func TestHostileAnswers(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	body100k := strings.Repeat("x", 100_000)
	for _, c := range []struct {
		name    string
		serve   func(net.Conn, func() *http.Request)
		kind    error
		trouble Trouble
		cut     Cut
		body    string // prefix of the body; "" with no error: an empty body
	}{
		{name: "101 to a plain GET", serve: says("HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n"), kind: ErrProtocol, trouble: TroubleProtocol},
		{name: "101 without upgrade", serve: says("HTTP/1.1 101 Switching Protocols\r\n\r\n"), kind: ErrProtocol, trouble: TroubleProtocol},
		{name: "status 000", serve: says("HTTP/1.1 000 Nothing\r\nContent-Length: 0\r\n\r\n"), kind: ErrProtocol, trouble: TroubleProtocol},
		{name: "status 099", serve: says("HTTP/1.1 099 Nothing\r\nContent-Length: 0\r\n\r\n"), kind: ErrProtocol, trouble: TroubleProtocol},
		{name: "status 600", serve: says("HTTP/1.1 600 Odd\r\nContent-Length: 0\r\n\r\n"), kind: ErrProtocol, trouble: TroubleProtocol},
		{name: "status 999", serve: says("HTTP/1.1 999 Odd\r\nContent-Length: 0\r\n\r\n"), kind: ErrProtocol, trouble: TroubleProtocol},
		{name: "status of five digits", serve: says("HTTP/1.1 20000 OK\r\n\r\n"), kind: ErrProtocol, trouble: TroubleProtocol},
		{name: "not HTTP", serve: says("SSH-2.0-OpenSSH_9.9\r\n"), kind: ErrProtocol, trouble: TroubleProtocol},
		{name: "junk header line", serve: says("HTTP/1.1 200 OK\r\njunk\r\n\r\n"), kind: ErrProtocol, trouble: TroubleProtocol},
		{name: "two lengths", serve: says(ok200 + "Content-Length: 1\r\nContent-Length: 2\r\n\r\nab"), kind: ErrProtocol, trouble: TroubleProtocol},
		{name: "negative length", serve: says(ok200 + "Content-Length: -1\r\n\r\nab"), kind: ErrProtocol, trouble: TroubleProtocol},
		{name: "flood of interim answers", serve: flood("HTTP/1.1 103 Early Hints\r\nLink: </style.css>; rel=preload\r\n\r\n"), kind: ErrProtocol, trouble: TroubleHeaderTooBig},
		{name: "flood of headers", serve: flood("X-Header: value\r\n", ok200), kind: ErrProtocol, trouble: TroubleHeaderTooBig},
		{name: "endless header line", serve: flood("xxxxxxxxxxxxxxxx", ok200+"X: "), kind: ErrProtocol, trouble: TroubleHeaderTooBig},
		{name: "flood of cookies", serve: flood("Set-Cookie: a=b\r\n", ok200), kind: ErrProtocol, trouble: TroubleHeaderTooBig},
		{name: "closed before an answer", serve: closes(""), kind: ErrUnreachable, trouble: TroubleReset},
		{name: "closed in the head", serve: closes("HTTP/1.1 200 OK\r\nServer: x\r\n"), kind: ErrUnreachable, trouble: TroubleReset},
		{name: "reset before an answer", serve: resets(""), kind: ErrUnreachable, trouble: TroubleReset},

		{name: "short Content-Length", serve: closes(ok200 + "Content-Length: 100\r\n\r\n0123456789"), cut: CutBroken, body: "0123456789"},
		{name: "reset in the body", serve: resets(ok200 + "Content-Length: 1000000\r\n\r\n0123456789"), cut: CutBroken, body: "0123456789"},
		{name: "chunks without an end", serve: closes(ok200 + "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n"), cut: CutBroken, body: "hello"},
		{name: "broken chunk", serve: closes(ok200 + "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\nzz\r\nxx"), cut: CutBroken, body: "hello"},
		{name: "flood of chunk extensions", serve: flood("xxxxxxxxxxxxxxxx", ok200+"Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n5;"), cut: CutBroken, body: "hello"},
		{name: "flood of trailers", serve: flood("T: v\r\n", ok200+"Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n"), cut: CutBroken, body: "hello"},
		{name: "endless body", serve: flood(body100k, ok200+"\r\n"), cut: CutLimit, body: "xxxx"},
		{name: "endless announced body", serve: flood(body100k, ok200+"Content-Length: 9000000000000000000\r\n\r\n"), cut: CutLimit, body: "xxxx"},
		{name: "204 with a body", serve: says("HTTP/1.1 204 No Content\r\nContent-Length: 4\r\n\r\nbody")},
		{name: "304 with a body", serve: says("HTTP/1.1 304 Not Modified\r\nContent-Length: 4\r\n\r\nbody")},
		{name: "length and chunked: chunked wins", serve: says(ok200 + "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"), body: "hello"},
		{name: "interim answers, then a page", serve: says("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"), body: "hi"},
		{name: "until the connection ends", serve: closes("HTTP/1.0 200 OK\r\n\r\nold"), body: "old"},

		{name: "gzip garbage", serve: encoded("gzip", []byte("no gzip at all")), cut: CutEncoding},
		{name: "gzip cut short", serve: encoded("gzip", gz(body100k)[:60]), cut: CutEncoding, body: "xxx"},
		{name: "gzip with a wrong checksum", serve: encoded("gzip", damage(gz("hello"))), cut: CutEncoding, body: "hello"},
		{name: "gzip broken off on the wire", serve: closes(ok200 + "Content-Encoding: gzip\r\nContent-Length: 9999\r\n\r\n" + string(gz(body100k)[:60])), cut: CutBroken, body: "xxx"},
		{name: "gzip and then garbage", serve: encoded("gzip", append(gz("hello"), "garbage"...)), body: "hello"},
		{name: "gzip in two members", serve: encoded("gzip", append(gz("hel"), gz("lo")...)), body: "hello"},
		{name: "gzip of no bytes", serve: encoded("gzip", nil)},
		{name: "gzip by its old name", serve: encoded("x-gzip", gz("hello")), body: "hello"},
		{name: "deflate", serve: encoded("deflate", zl("hello")), body: "hello"},
		{name: "deflate without wrapper", serve: encoded("deflate", fl("hello")), body: "hello"},
		{name: "brotli", serve: encoded("br", br("hello")), body: "hello"},
		{name: "brotli cut short", serve: encoded("br", br(body100k)[:8]), cut: CutEncoding},
		{name: "zstd", serve: encoded("zstd", zs("hello")), body: "hello"},
		{name: "zstd garbage", serve: encoded("zstd", []byte("no zstd at all")), cut: CutEncoding},
		{name: "gzip in brotli", serve: encoded("gzip, br", br(string(gz("hello")))), body: "hello"},
		{name: "too many layers", serve: encoded("gzip, gzip, gzip", gz(string(gz(string(gz("hello")))))), cut: CutEncoding},
		{name: "unknown coding", serve: encoded("compress", []byte("hello")), cut: CutEncoding},
		{name: "gzip bomb", serve: encoded("gzip", gz(strings.Repeat("\x00", 16<<20))), cut: CutLimit, body: "\x00"},
		{name: "brotli bomb", serve: encoded("br", br(strings.Repeat("\x00", 16<<20))), cut: CutLimit, body: "\x00"},
		{name: "zstd bomb", serve: encoded("zstd", zs(strings.Repeat("\x00", 16<<20))), cut: CutLimit, body: "\x00"},
		{name: "gzip bomb in gzip", serve: encoded("gzip, gzip", gz(string(gz(strings.Repeat("\x00", 16<<20))))), cut: CutLimit, body: "\x00"},
		{name: "gzip of endless nothing", serve: flood(string(gz("")), ok200+"Content-Encoding: gzip\r\n\r\n"), cut: CutLimit},
		{name: "zstd with a window over 8 MiB", serve: encoded("zstd", []byte{0x28, 0xb5, 0x2f, 0xfd, 0x00, 0xa8, 0x01, 0x00, 0x00}), cut: CutEncoding},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := &HTTPFetcher{Addresses: LoopbackOnly()}
			defer f.CloseIdleConnections()
			var before, after runtime.MemStats
			base := rawServer(t, c.serve)
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second) // a rescue, no measure
			defer cancel()
			runtime.GC()
			runtime.ReadMemStats(&before)
			r, err := f.Fetch(ctx, get(t, base))
			runtime.ReadMemStats(&after)
			if ctx.Err() != nil {
				t.Fatalf("the exchange hung: %v", err)
			}
			if grown := int64(after.HeapSys) - int64(before.HeapSys); grown > 64<<20 {
				t.Errorf("the heap grew by %d MiB", grown>>20)
			}
			if c.kind != nil {
				if !errors.Is(err, c.kind) || troubleOf(err) != c.trouble {
					t.Fatalf("error %v (%s), want %v (%s)", err, troubleOf(err), c.kind, c.trouble)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			defer r.Release()
			if r.Cut != c.cut || (r.CutErr != nil) != (c.cut == CutBroken || c.cut == CutEncoding) {
				t.Errorf("cut %d (%v), want %d", r.Cut, r.CutErr, c.cut)
			}
			if !bytes.HasPrefix(r.Body, []byte(c.body)) || c.body == "" && len(r.Body) > 0 || len(r.Body) > 1<<20 {
				t.Errorf("%d bytes of body: %.40q, want %q", len(r.Body), r.Body, c.body)
			}
		})
	}
}

// flood sends start and then piece over and over until the client hangs up.
func flood(piece string, start ...string) func(net.Conn, func() *http.Request) {
	block := []byte(strings.Repeat(piece, 1+4096/len(piece)))
	return func(c net.Conn, next func() *http.Request) {
		if next() == nil {
			return
		}
		if len(start) == 0 {
			start = []string{""}
		}
		io.WriteString(c, strings.Join(start, ""))
		for sent := 0; sent < 256<<20; sent += len(block) {
			if _, err := c.Write(block); err != nil {
				return
			}
		}
	}
}

func resets(answer string) func(net.Conn, func() *http.Request) {
	return func(c net.Conn, next func() *http.Request) {
		if next() != nil {
			io.WriteString(c, answer)
			time.Sleep(10 * time.Millisecond) // so that the bytes are read before the reset overtakes them
			c.(*net.TCPConn).SetLinger(0)
		}
	}
}

func encoded(coding string, body []byte) func(net.Conn, func() *http.Request) {
	return says(fmt.Sprintf("%sContent-Encoding: %s\r\nContent-Length: %d\r\n\r\n%s", ok200, coding, len(body), body))
}

func pack(s string, open func(io.Writer) io.WriteCloser) []byte {
	var b bytes.Buffer
	w := open(&b)
	io.WriteString(w, s)
	w.Close()
	return b.Bytes()
}

func gz(s string) []byte {
	return pack(s, func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) })
}
func zl(s string) []byte {
	return pack(s, func(w io.Writer) io.WriteCloser { return zlib.NewWriter(w) })
}
func br(s string) []byte {
	return pack(s, func(w io.Writer) io.WriteCloser { return brotli.NewWriterLevel(w, 4) })
}
func fl(s string) []byte {
	return pack(s, func(w io.Writer) io.WriteCloser { f, _ := flate.NewWriter(w, 6); return f })
}
func zs(s string) []byte {
	return pack(s, func(w io.Writer) io.WriteCloser {
		z, _ := zstd.NewWriter(w, zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(1<<20))
		return z
	})
}

func damage(gzip []byte) []byte {
	gzip[len(gzip)-8] ^= 0xff
	return gzip
}

func TestUnaskedAnswersAreNeitherLoggedNorUsed(t *testing.T) {
	var logged bytes.Buffer
	var mu sync.Mutex
	defer log.SetOutput(log.Writer())
	log.SetOutput(writerFunc(func(p []byte) (int, error) { mu.Lock(); defer mu.Unlock(); return logged.Write(p) }))
	var conns atomic.Int32
	base := rawServer(t, func(c net.Conn, next func() *http.Request) {
		conns.Add(1)
		for next() != nil {
			io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ntrueHTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nfalse")
		}
	})
	f := newTestFetcher(t)
	for range 5 {
		r, err := f.Fetch(t.Context(), get(t, base))
		if err != nil {
			t.Fatal(err)
		}
		if string(r.Body) != "true" || r.Cut != CutNone {
			t.Fatalf("body %q, cut %d", r.Body, r.Cut)
		}
		r.Release()
	}
	f.CloseIdleConnections()
	mu.Lock()
	defer mu.Unlock()
	if logged.Len() > 0 {
		t.Errorf("printed: %s", logged.String())
	}
	if conns.Load() != 5 {
		t.Errorf("%d connections for 5 requests: one that spoke out of turn was used again", conns.Load())
	}
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

// net/http sends a GET again by itself when a kept connection ends before the answer. Here that would be a request that
// the limiter does not know of.
func TestNoRequestIsRepeated(t *testing.T) {
	var requests atomic.Int32
	base := rawServer(t, func(c net.Conn, next func() *http.Request) {
		for n := 0; next() != nil; n++ {
			requests.Add(1)
			if n > 0 {
				return
			}
			io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi")
		}
	})
	f := newTestFetcher(t)
	for i := range 6 {
		_, err := f.Fetch(t.Context(), get(t, base))
		if i%2 == 0 {
			if err != nil {
				t.Fatal(err)
			}
			continue
		}
		e, ok := errors.AsType[*FetchError](err)
		if !ok || e.Trouble != TroubleReset || !e.Stale {
			t.Fatalf("fetch %d: %v", i, err)
		}
	}
	if n := requests.Load(); n != 6 {
		t.Errorf("the server saw %d requests for 6 fetches", n)
	}
}

func TestHeadersAreCleaned(t *testing.T) {
	base := rawServer(t, says("HTTP/1.1 302 Found\r\nLocation: /caf\xe9?q=\xff\r\nX-Latin: caf\xe9\r\nX-UTF8: caf\u00e9\r\nX-C1: a\u0085b\r\nX-Tab: a\tb\r\nContent-Length: 0\r\n\r\n"))
	r, err := newTestFetcher(t).Fetch(t.Context(), get(t, base))
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"Location": "/caf%E9?q=%FF", "X-Latin": "caf\u00e9", "X-Utf8": "caf\u00e9",
		"X-C1": "a\ufffdb", "X-Tab": "a\tb",
	} {
		if got := r.Header.Get(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}
