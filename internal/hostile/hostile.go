// Package hostile serves what a crawler must survive: servers that drip, flood, lie, break the protocol or never end.
// It is for tests only, listens on loopback only, and each behaviour ends by itself: when the client goes, after
// MaxBytes, after MaxTime, or with the test.
//
// A test starts a behaviour and asks for Bad, then for Next; or it lets a whole crawler loose on Home, which links to
// both. Whatever the behaviour, the client must end within its own limits, hold little memory, leave no goroutine
// behind, say by type what happened, and still get Next.
package hostile

import (
	"bufio"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"
)

// What one connection may send and how long it may last, whatever the client does.
const (
	MaxBytes = 128 << 20
	MaxTime  = 30 * time.Second
)

// Behaviour is one way to misbehave.
type Behaviour struct {
	Name string // as reports and subtests show it
	What string // one sentence

	// Path is what misbehaves, with all below it: usually /bad, or /robots.txt, /sitemap.xml. Everything else on the
	// server is well-behaved.
	Path string
	// Site says that the whole server cannot be used because of it. Server.Next lies on another server then.
	Site bool
	// Harmless says that a right client gets a whole, usable answer of Path.
	Harmless bool
	// TLS says that the server speaks https, with a certificate of Server.Roots.
	TLS bool

	serve func(c *conn, r *http.Request) // writes a whole answer; the connection is closed behind it
	page  func(r *http.Request) string   // in place of serve: an HTML page, well sent
	conn  func(c *conn)                  // in place of both: takes the connection as it comes

	prepare func() // what takes long and is done before the client waits
}

// Server is a running behaviour.
type Server struct {
	Home  string // a page with links to Bad, where that is a page, and to Next
	Bad   string // what misbehaves
	Next  string // a page in order
	Roots *x509.CertPool

	behaviour Behaviour
	listener  net.Listener
	cert      *tls.Certificate
	mu        sync.Mutex
	closed    bool
	conns     map[net.Conn]bool
	asked     map[string]int
	running   sync.WaitGroup
	done      chan struct{}
}

// Title is the title of Home and Next.
const Title = "A page in order"

// All returns every behaviour, in groups of a kind.
func All() []Behaviour {
	var all []Behaviour
	for _, group := range [][]Behaviour{slow, heads, framings, codings, redirects, secure, sites, traps, pages} {
		all = append(all, group...)
	}
	return all
}

// Start serves b until the test ends. Two servers of one behaviour do not know of each other.
func (b Behaviour) Start(t testing.TB) *Server {
	t.Helper()
	s := start(t, b)
	if b.Site {
		s.Next = start(t, Behaviour{Name: "in order", Path: "/bad"}).Next
	}
	return s
}

func start(t testing.TB, b Behaviour) *Server {
	t.Helper()
	if b.prepare != nil {
		b.prepare()
	}
	if b.page != nil {
		b.page(getRequest(b.Path))
	}
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &Server{behaviour: b, listener: l, conns: make(map[net.Conn]bool), asked: make(map[string]int),
		done: make(chan struct{})}
	scheme := "http://"
	if b.TLS {
		scheme = "https://"
		s.cert, s.Roots = certificate(t)
	}
	origin := scheme + l.Addr().String()
	s.Home, s.Next, s.Bad = origin+"/", origin+"/next", origin+b.Path
	s.running.Add(1)
	go s.accept()
	t.Cleanup(s.close)
	return s
}

func (s *Server) accept() {
	defer s.running.Done()
	for {
		c, err := s.listener.Accept()
		if err != nil {
			return
		}
		s.mu.Lock()
		if s.closed || len(s.conns) >= 256 {
			s.mu.Unlock()
			c.Close()
			continue
		}
		s.conns[c] = true
		s.running.Add(1)
		s.mu.Unlock()
		go func() {
			defer s.running.Done()
			c.SetDeadline(time.Now().Add(MaxTime))
			s.handle(c)
			c.Close()
			s.mu.Lock()
			delete(s.conns, c)
			s.mu.Unlock()
		}()
	}
}

func (s *Server) close() {
	s.mu.Lock()
	s.closed = true
	close(s.done)
	for c := range s.conns {
		c.Close()
	}
	s.mu.Unlock()
	s.listener.Close()
	s.running.Wait()
}

// Asked returns how often each path, with its query, was asked for so far.
func (s *Server) Asked() map[string]int {
	s.mu.Lock()
	defer s.mu.Unlock()
	asked := make(map[string]int, len(s.asked))
	for path, n := range s.asked {
		asked[path] = n
	}
	return asked
}

func (s *Server) handle(raw net.Conn) {
	c := &conn{Conn: raw, server: s, left: MaxBytes}
	b := s.behaviour
	if b.conn != nil {
		b.conn(c)
		return
	}
	if b.TLS {
		c.Conn = tls.Server(raw, &tls.Config{Certificates: []tls.Certificate{*s.cert}})
	}
	s.plainHTTP1(c)
}

// plainHTTP1 answers requests on c until one misbehaves or the client goes.
func (s *Server) plainHTTP1(c *conn) {
	b := s.behaviour
	in := bufio.NewReader(c.Conn)
	for {
		r, err := http.ReadRequest(in)
		if err != nil {
			return
		}
		s.note(r.URL.RequestURI())
		if hit(r.URL.Path, b.Path) && b.serve != nil {
			b.serve(c, r)
			return
		}
		status, contentType, body := s.plain(r)
		if !c.send("HTTP/1.1 %s\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n%s", status, contentType, len(body), body) {
			return
		}
	}
}

func (s *Server) note(uri string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.asked) < 100_000 {
		s.asked[uri]++
	}
}

func hit(path, bad string) bool {
	return path == bad || strings.HasPrefix(path, bad+"/")
}

// plain is the well-behaved part of every server.
func (s *Server) plain(r *http.Request) (status, contentType, body string) {
	const html = "text/html; charset=utf-8"
	b := s.behaviour
	switch path := r.URL.Path; {
	case hit(path, b.Path) && b.page != nil:
		return "200 OK", html, b.page(r)
	case path == "/" && b.Path == "/bad":
		return "200 OK", html, page(`<a href="/bad">bad</a> <a href="/next">next</a>`)
	case path == "/":
		return "200 OK", html, page(`<a href="/next">next</a>`)
	case path == "/next":
		return "200 OK", html, page("next")
	case path == "/robots.txt" && b.Path == "/sitemap.xml":
		return "200 OK", "text/plain", "Sitemap: " + s.Bad + "\n"
	}
	return "404 Not Found", html, page("not found")
}

// getRequest makes a request for a path, as plain takes it.
func getRequest(path string) *http.Request {
	u, err := url.ParseRequestURI(path)
	if err != nil {
		u = &url.URL{Path: "/"}
	}
	return &http.Request{Method: http.MethodGet, URL: u}
}

func page(body string) string {
	return "<!doctype html><html lang=en><title>" + Title + "</title><body>" + body + "</body></html>"
}

// conn is a connection that sends no more than it may.
type conn struct {
	net.Conn
	server *Server
	left   int
}

var errEnough = errors.New("hostile: enough sent")

// Write is bounded by MaxBytes.
func (c *conn) Write(p []byte) (int, error) {
	if c.left < len(p) {
		return 0, errEnough
	}
	c.left -= len(p)
	return c.Conn.Write(p)
}

// send writes a formatted text; false when the client is gone or enough was sent.
func (c *conn) send(format string, args ...any) bool {
	_, err := fmt.Fprintf(c, format, args...)
	return err == nil
}

// flood writes text again and again until the client goes or times were written; times 0 is no end.
func (c *conn) flood(text string, times int) bool {
	per := 1
	if times == 0 {
		for len(text)*per < 32<<10 {
			per++
		}
	}
	piece := []byte(strings.Repeat(text, per))
	for i := 0; times == 0 || i < times; i++ {
		if _, err := c.Write(piece); err != nil {
			return false
		}
	}
	return true
}

// drip writes text a byte at a time, again and again, far slower than anyone wants.
func (c *conn) drip(text string) {
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for i := 0; ; i++ {
		if _, err := c.Write([]byte{text[i%len(text)]}); err != nil {
			return
		}
		select {
		case <-tick.C:
		case <-c.server.done:
			return
		}
	}
}

// hang says nothing more until the client goes. What the client sends is dropped.
func (c *conn) hang() { io.Copy(io.Discard, c.Conn) }

// ok starts an answer with status 200 that ends with the connection.
func (c *conn) ok(headers ...string) bool {
	return c.send("HTTP/1.1 200 OK\r\nConnection: close\r\n%s\r\n", lines(headers))
}

func lines(headers []string) string {
	var b strings.Builder
	typed := false
	for _, h := range headers {
		typed = typed || strings.HasPrefix(h, "Content-Type:")
		b.WriteString(h + "\r\n")
	}
	if !typed {
		b.WriteString("Content-Type: text/html\r\n")
	}
	return b.String()
}
