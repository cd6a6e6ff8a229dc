package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"
)

// site is the made-up site: n pages of about 20 KB with 60 links each, every page reachable from /p/0. Some links
// are redirects to pages, some are dead, and /private/ is disallowed.
type site struct {
	n       int
	latency time.Duration
	pages   [][]byte
	zipped  [][]byte

	mu   sync.Mutex
	seen map[string]int
}

// counts is what /_counts tells.
type counts struct {
	Requests   int // all of them, /_counts left out
	Pages      int // different pages of the site
	Repeated   int // requests for something that was asked for before
	Disallowed int // requests that robots.txt forbids
}

func newSite(n int, latency time.Duration, zip bool) *site {
	s := &site{n: n, latency: latency, seen: make(map[string]int)}
	for i := range n {
		body := []byte(s.page(i))
		s.pages = append(s.pages, body)
		if zip {
			var b bytes.Buffer
			w := gzip.NewWriter(&b)
			_, _ = w.Write(body)
			_ = w.Close()
			s.zipped = append(s.zipped, b.Bytes())
		}
	}
	return s
}

func (s *site) page(i int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>Page %d of the test site</title>\n", i)
	fmt.Fprintf(&b, "<meta name=\"description\" content=\"The page number %d.\">\n<link rel=\"canonical\" href=\"/p/%d\">\n", i, i)
	b.WriteString("<script type=\"application/ld+json\">{\"@context\":\"https://schema.org\",\"@type\":\"WebPage\"}</script>\n</head><body><h1>A page</h1>\n")
	for k := range 60 {
		fmt.Fprintf(&b, "<div class=\"item\"><h2>Section %d</h2><p class=\"text\">Some text with <b>bold</b> and <i>italic</i> words in it, enough of them "+
			"to make a line, and a second sentence that says nothing new, as such sentences do. <a href=%q class=\"more\">read more of it</a></p></div>\n", k, s.link(i, k))
	}
	b.WriteString("</body></html>\n")
	return b.String()
}

// link is where the k-th link of page i leads: first its ten children, so that all are reached, then anywhere.
func (s *site) link(i, k int) string {
	if k < 10 {
		if child := i*10 + k + 1; child < s.n {
			return "/p/" + strconv.Itoa(child)
		}
	}
	target := (i*61 + k*k*7 + k) % s.n
	switch {
	case k == 58 && i%40 == 0:
		return "/moved/" + strconv.Itoa(target)
	case k == 59 && i%3 == 0:
		return "/gone/" + strconv.Itoa(i%100)
	case k == 57 && i%2 == 0:
		return "/private/" + strconv.Itoa(i%50)
	}
	return "/p/" + strconv.Itoa(target)
}

func (s *site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/_counts" {
		_ = json.NewEncoder(w).Encode(s.counts())
		return
	}
	s.mu.Lock()
	s.seen[r.URL.Path]++
	s.mu.Unlock()
	if s.latency > 0 {
		time.Sleep(s.latency)
	}
	kind, rest, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	i, err := strconv.Atoi(rest)
	switch {
	case r.URL.Path == "/": // for clients that stay below their start
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, `<title>start</title><a href="/p/0">the first page</a>`)
	case r.URL.Path == "/robots.txt":
		fmt.Fprint(w, "User-agent: *\nDisallow: /private/\n")
	case kind == "p" && err == nil && i >= 0 && i < s.n:
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		body := s.pages[i]
		if s.zipped != nil && strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
			w.Header().Set("Content-Encoding", "gzip")
			body = s.zipped[i]
		}
		w.Header().Set("Content-Length", strconv.Itoa(len(body)))
		_, _ = w.Write(body)
	case kind == "moved" && err == nil:
		http.Redirect(w, r, "/p/"+rest, http.StatusMovedPermanently)
	case kind == "private":
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, "<title>private</title>")
	default:
		http.NotFound(w, r)
	}
}

func (s *site) counts() counts {
	s.mu.Lock()
	defer s.mu.Unlock()
	var c counts
	for path, n := range s.seen {
		c.Requests += n
		switch {
		case strings.HasPrefix(path, "/p/"):
			c.Pages++
		case strings.HasPrefix(path, "/private/"):
			c.Disallowed += n
		}
		if n > 1 {
			c.Repeated += n - 1
		}
	}
	return c
}

// serve prints the site's address and serves until standard input ends.
func serve(args []string) error {
	fs := flag.NewFlagSet("serve", flag.ContinueOnError)
	n := fs.Int("pages", 5000, "pages of the site")
	latency := fs.Duration("latency", 0, "wait before each answer")
	zip := fs.Bool("gzip", false, "serve gzip to those who accept it")
	if err := fs.Parse(args); err != nil {
		return err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Println("http://" + l.Addr().String())
	server := &http.Server{Handler: newSite(*n, *latency, *zip)}
	go func() {
		_, _ = os.Stdin.Read(make([]byte, 1))
		_ = server.Close()
	}()
	if err := server.Serve(l); err != http.ErrServerClosed {
		return err
	}
	return nil
}
