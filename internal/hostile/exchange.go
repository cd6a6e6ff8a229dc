package hostile

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"
)

// slow servers take a request and keep the client waiting.
var slow = []Behaviour{
	{Name: "header-drip", What: "the head of the answer comes a byte at a time, for ever", Path: "/bad",
		serve: func(c *conn, r *http.Request) {
			if c.send("HTTP/1.1 200 OK\r\n") {
				c.drip("X-Drip: drop\r\n")
			}
		}},
	{Name: "header-hang", What: "no answer comes", Path: "/bad",
		serve: func(c *conn, r *http.Request) { c.hang() }},
	{Name: "body-drip", What: "the body comes a byte at a time, for ever", Path: "/bad",
		serve: func(c *conn, r *http.Request) {
			if c.ok() {
				c.drip("<p>drop</p>")
			}
		}},
	{Name: "body-hang", What: "a head comes, and no body", Path: "/bad",
		serve: func(c *conn, r *http.Request) {
			if c.ok("Content-Length: 100") {
				c.hang()
			}
		}},
	{Name: "body-stall", What: "half of the body comes, and then nothing", Path: "/bad",
		serve: func(c *conn, r *http.Request) {
			if c.ok("Content-Length: 2000") && c.flood("<p>half</p>", 90) {
				c.hang()
			}
		}},
	{Name: "endless-body", What: "the body has no end", Path: "/bad",
		serve: func(c *conn, r *http.Request) { _ = c.ok() && c.flood("<p>more and more</p>\n", 0) }},
	{Name: "endless-chunks", What: "the chunked body has no end", Path: "/bad",
		serve: func(c *conn, r *http.Request) {
			_ = c.ok("Transfer-Encoding: chunked") && c.flood("10\r\n<p>more</p>     \r\n", 0)
		}},
}

// heads are broken or endless heads of answers.
var heads = []Behaviour{
	{Name: "header-flood", What: "64 MB of header lines", Path: "/bad",
		serve: func(c *conn, r *http.Request) {
			_ = c.send("HTTP/1.1 200 OK\r\n") && c.flood("X-Flood: "+strings.Repeat("x", 1013)+"\r\n", 64<<10) && c.send("\r\nend")
		}},
	{Name: "header-line-64MB", What: "one header line of 64 MB", Path: "/bad",
		serve: func(c *conn, r *http.Request) {
			_ = c.send("HTTP/1.1 200 OK\r\nX-Long: ") && c.flood(strings.Repeat("x", 1<<16), 1<<10) && c.send("\r\n\r\nend")
		}},
	{Name: "status-line-endless", What: "a status line without end", Path: "/bad",
		serve: func(c *conn, r *http.Request) { _ = c.send("HTTP/1.1 200 ") && c.flood("OK", 0) }},
	{Name: "set-cookie-flood", What: "100,000 Set-Cookie lines", Path: "/bad", prepare: func() { cookies() },
		serve: func(c *conn, r *http.Request) {
			c.send("HTTP/1.1 200 OK\r\n%sConnection: close\r\nContent-Length: 3\r\n\r\nend", cookies())
		}},
	{Name: "1xx-flood", What: "interim answers without end", Path: "/bad",
		serve: func(c *conn, r *http.Request) {
			c.flood("HTTP/1.1 103 Early Hints\r\nLink: </x.css>; rel=preload\r\n\r\n", 0)
		}},
	{Name: "100-flood", What: "100 Continue without end, to a request that did not ask", Path: "/bad",
		serve: func(c *conn, r *http.Request) { c.flood("HTTP/1.1 100 Continue\r\n\r\n", 0) }},
	{Name: "switching-protocols", What: "101 to a plain GET: the body of such an answer is the bare connection, which a context does not end", Path: "/bad",
		serve: func(c *conn, r *http.Request) {
			if c.send("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n") {
				c.hang()
			}
		}},
	{Name: "status-000", What: "status 000", Path: "/bad", serve: whole("HTTP/1.1 000 None\r\nContent-Length: 3\r\n\r\nend")},
	{Name: "status-999", What: "status 999, which some firewalls send", Path: "/bad", serve: whole("HTTP/1.1 999 No\r\nContent-Length: 3\r\n\r\nend")},
	{Name: "status-5-digits", What: "status 20000", Path: "/bad", serve: whole("HTTP/1.1 20000 OK\r\nContent-Length: 3\r\n\r\nend")},
	{Name: "junk-header-line", What: "a header line without a colon", Path: "/bad", serve: whole("HTTP/1.1 200 OK\r\nthis is no header\r\nContent-Length: 3\r\n\r\nend")},
	{Name: "junk-answer", What: "bytes that are no HTTP", Path: "/bad", serve: whole("\x00\x01\x02 220 mail.example ESMTP\r\n")},
	{Name: "no-answer", What: "the connection closes without a byte", Path: "/bad", serve: whole("")},
	{Name: "non-utf8-header", What: "header values that are not UTF-8", Path: "/bad", Harmless: true,
		serve: whole("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nX-Name: caf\xe9 \x80\xff\r\nContent-Length: 11\r\n\r\n<p>fine</p>")},
}

// framings disagree with themselves about where the answer ends.
var framings = []Behaviour{
	{Name: "short-body", What: "fewer bytes than Content-Length says", Path: "/bad", serve: whole("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 1000\r\n\r\n<p>half")},
	{Name: "long-body", What: "more bytes than Content-Length says", Path: "/bad", Harmless: true,
		serve: whole("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 11\r\n\r\n<p>fine</p><p>too much</p>")},
	{Name: "reset", What: "the connection is reset within the body", Path: "/bad",
		serve: func(c *conn, r *http.Request) {
			c.send("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 1000\r\n\r\n<p>half")
			if tcp, ok := c.Conn.(*net.TCPConn); ok {
				tcp.SetLinger(0)
			}
		}},
	{Name: "204-body", What: "204 with a body", Path: "/bad", Harmless: true, serve: whole("HTTP/1.1 204 No Content\r\nContent-Length: 11\r\n\r\n<p>body</p>")},
	{Name: "unsolicited-answer", What: "a second answer that nobody asked for", Path: "/bad", Harmless: true,
		serve: whole("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 11\r\n\r\n<p>fine</p>HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 12\r\n\r\n<p>wrong</p>")},
	{Name: "two-lengths", What: "two Content-Length lines that differ", Path: "/bad", serve: whole("HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 7\r\n\r\nend end")},
	{Name: "negative-length", What: "Content-Length: -1", Path: "/bad", serve: whole("HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\nend")},
	{Name: "huge-length", What: "Content-Length of 2^63", Path: "/bad", serve: whole("HTTP/1.1 200 OK\r\nContent-Length: 9223372036854775808\r\n\r\nend")},
	{Name: "length-and-chunked", What: "Content-Length together with Transfer-Encoding, of which the latter counts (RFC 9112 section 6.3)", Path: "/bad", Harmless: true,
		serve: whole("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nend\r\n0\r\n\r\n")},
	{Name: "chunk-size-huge", What: "a chunk of 2^64 bytes", Path: "/bad", serve: whole("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n10000000000000000\r\nend")},
	{Name: "chunk-extension-flood", What: "a chunk extension without end", Path: "/bad",
		serve: func(c *conn, r *http.Request) {
			_ = c.ok("Transfer-Encoding: chunked") && c.send("3;") && c.flood("a=b;", 0)
		}},
	{Name: "small-chunks", What: "chunks of one byte, each with a long extension", Path: "/bad",
		serve: func(c *conn, r *http.Request) {
			_ = c.ok("Transfer-Encoding: chunked") && c.flood("1;"+strings.Repeat("x", 1000)+"\r\na\r\n", 0)
		}},
	{Name: "trailer-flood", What: "trailers without end", Path: "/bad",
		serve: func(c *conn, r *http.Request) {
			_ = c.ok("Transfer-Encoding: chunked", "Trailer: X-T") && c.send("3\r\nend\r\n0\r\n") && c.flood("X-T: "+strings.Repeat("t", 1000)+"\r\n", 0)
		}},
}

// bombSize is what the bombs unpack to.
const bombSize = 64 << 20

// codings are content codings that grow, break or nest.
var codings = []Behaviour{
	bomb("gzip-bomb", "/bad", "gzip", htmlHead, gzipWriter),
	bomb("br-bomb", "/bad", "br", htmlHead, func(w io.Writer) io.WriteCloser { return brotli.NewWriterLevel(w, 2) }),
	bomb("zstd-bomb", "/bad", "zstd", htmlHead, func(w io.Writer) io.WriteCloser {
		z, _ := zstd.NewWriter(w, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedFastest))
		return z
	}),
	bomb("gzip-in-gzip", "/bad", "gzip, gzip", htmlHead, func(w io.Writer) io.WriteCloser {
		outer := gzip.NewWriter(w)
		return nested{gzipWriter(outer), outer}
	}),
	{Name: "zstd-window", What: "zstd that asks for a window of 2 GiB", Path: "/bad",
		serve: whole("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: zstd\r\nConnection: close\r\n\r\n\x28\xb5\x2f\xfd\x00\xa8\x1d\x00\x00<p>fine</p>")},
	{Name: "codings-chain", What: "a Content-Encoding that names gzip a thousand times", Path: "/bad",
		serve: whole("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: " + strings.Repeat("gzip, ", 999) + "gzip\r\nContent-Length: 3\r\n\r\nend")},
	{Name: "gzip-garbage", What: "Content-Encoding: gzip and a body that is none", Path: "/bad",
		serve: whole("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: gzip\r\nContent-Length: 15\r\n\r\n<p>no gzip</p> ")},
	{Name: "gzip-truncated", What: "gzip that ends in the middle", Path: "/bad", prepare: func() { halfGzip() },
		serve: func(c *conn, r *http.Request) {
			half := halfGzip()
			c.send("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: gzip\r\nContent-Length: %d\r\n\r\n%s", len(half), half)
		}},
}

// What takes long to make is made once, before a client waits for it.
var (
	cookies = sync.OnceValue(func() string {
		var b strings.Builder
		for i := range 100_000 {
			fmt.Fprintf(&b, "Set-Cookie: c%d=v; Path=/\r\n", i)
		}
		return b.String()
	})
	halfGzip = sync.OnceValue(func() []byte {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		for i := range 20_000 {
			fmt.Fprintf(z, "<p>%d</p>", i*i)
		}
		z.Close()
		return b.Bytes()[:b.Len()/2]
	})
)

func gzipWriter(w io.Writer) io.WriteCloser {
	z, _ := gzip.NewWriterLevel(w, gzip.BestSpeed)
	return z
}

// nested closes the inner writer before the outer one.
type nested struct {
	io.WriteCloser
	outer io.Closer
}

func (n nested) Close() error {
	n.WriteCloser.Close()
	return n.outer.Close()
}

const htmlHead = "<!doctype html><title>" + Title + "</title><p>"

// bomb sends head and bombSize blanks in a coding, packed once in a process.
func bomb(name, path, coding, head string, pack func(io.Writer) io.WriteCloser) Behaviour {
	packed := sync.OnceValue(func() []byte {
		var b bytes.Buffer
		w := pack(&b)
		io.WriteString(w, head)
		blanks := bytes.Repeat([]byte{' '}, 1<<20)
		for range bombSize >> 20 {
			w.Write(blanks)
		}
		w.Close()
		return b.Bytes()
	})
	contentType := "text/html"
	if head != htmlHead {
		contentType = "application/xml"
	}
	return Behaviour{Name: name, What: "64 MiB of blanks, packed: Content-Encoding: " + coding, Path: path,
		prepare: func() { packed() },
		serve: func(c *conn, r *http.Request) {
			if c.ok("Content-Type: "+contentType, "Content-Encoding: "+coding) {
				c.Write(packed())
			}
		}}
}

// whole sends an answer as it stands and closes the connection.
func whole(answer string) func(*conn, *http.Request) {
	return func(c *conn, r *http.Request) { c.send("%s", answer) }
}

// redirects lead nowhere, or where nobody should go.
var redirects = []Behaviour{
	{Name: "redirect-self", What: "a redirect to itself", Path: "/bad", serve: redirect(func(s *Server, r *http.Request) string { return "/bad" })},
	{Name: "redirect-loop", What: "three redirects in a circle", Path: "/bad",
		serve: redirect(func(s *Server, r *http.Request) string {
			return map[string]string{"/bad": "/bad/a", "/bad/a": "/bad/b"}[r.URL.Path]
		})},
	{Name: "redirect-endless", What: "redirects to ever new addresses", Path: "/bad",
		serve: redirect(func(s *Server, r *http.Request) string { return r.URL.Path + "/n" })},
	{Name: "redirect-hang", What: "a redirect whose body never comes", Path: "/bad",
		serve: func(c *conn, r *http.Request) {
			if c.send("HTTP/1.1 302 Found\r\nLocation: /next\r\nContent-Length: 100\r\n\r\n") {
				c.hang()
			}
		}},
	{Name: "redirect-endless-body", What: "a redirect with a body without end", Path: "/bad",
		serve: func(c *conn, r *http.Request) {
			_ = c.send("HTTP/1.1 302 Found\r\nLocation: /next\r\nConnection: close\r\n\r\n") && c.flood("more ", 0)
		}},
	{Name: "redirect-nowhere", What: "a redirect without Location", Path: "/bad", serve: whole("HTTP/1.1 302 Found\r\nContent-Length: 0\r\n\r\n")},
	{Name: "redirect-non-utf8", What: "a Location that is not UTF-8", Path: "/bad", serve: whole("HTTP/1.1 302 Found\r\nLocation: /caf\xe9\x80\r\nContent-Length: 0\r\n\r\n")},
	{Name: "redirect-long", What: "a Location of 100 kB", Path: "/bad",
		serve: redirect(func(s *Server, r *http.Request) string { return "/bad?" + strings.Repeat("x", 100_000) })},
	{Name: "redirect-cross-scheme", What: "a redirect to file:, and others to schemes that are no web", Path: "/bad",
		serve: redirect(func(s *Server, r *http.Request) string { return "file:///etc/passwd" })},
	{Name: "redirect-to-private", What: "a redirect to the address of a cloud's metadata", Path: "/bad",
		serve: redirect(func(s *Server, r *http.Request) string { return "http://169.254.169.254/latest/meta-data/" })},
	{Name: "redirect-to-port", What: "a redirect to a mail server's port", Path: "/bad",
		serve: redirect(func(s *Server, r *http.Request) string { return "http://127.0.0.1:25/" })},
}

func redirect(to func(s *Server, r *http.Request) string) func(*conn, *http.Request) {
	return func(c *conn, r *http.Request) {
		location := to(c.server, r)
		if location == "" {
			location = "/bad"
		}
		c.send("HTTP/1.1 302 Found\r\nLocation: %s\r\nContent-Length: 0\r\nConnection: close\r\n\r\n", location)
	}
}
