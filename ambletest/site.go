package ambletest

import (
	"fmt"
	"html"
	"io/fs"
	"net/http"
	"path"
	"strings"
	"sync"
)

// Site is a scripted website: an http.Handler with an answer for each path, and a log of every request. What has no
// answer is 404, robots.txt included. Its methods may be called concurrently, also while it is crawled.
type Site struct {
	mu      sync.Mutex
	answers map[string]http.Handler // by path with query
	refuse  map[string]*refusal     // the same; "*" is every path but /robots.txt
	log     accessLog
}

type refusal struct {
	left       int // negative: for ever
	status     int
	retryAfter string
}

// NewSite returns a site without pages. Its methods return it, so that a script reads as one expression:
//
//	site := ambletest.NewSite().
//		Robots("User-agent: *\nDisallow: /private/\n").
//		Page("/", ambletest.Links("/a", "/old", "/private/")).
//		Page("/a", "<!doctype html><title>A</title>").
//		Redirect("/old", "/a").
//		Refuse("/a", 1, http.StatusTooManyRequests, "7")
func NewSite() *Site {
	return &Site{answers: make(map[string]http.Handler), refuse: make(map[string]*refusal)}
}

// NewSiteFS returns a site of files: "a/index.html" is the page /a/ as well.
func NewSiteFS(fsys fs.FS) (*Site, error) {
	s := NewSite()
	return s, fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		body, err := fs.ReadFile(fsys, name)
		if err != nil {
			return err
		}
		s.Serve("/"+name, contentType(name), string(body))
		if dir, file := path.Split(name); file == "index.html" {
			s.Serve("/"+dir, contentType(name), string(body))
		}
		return nil
	})
}

func contentType(name string) string {
	switch path.Ext(name) {
	case ".html", ".htm":
		return "text/html; charset=utf-8"
	case ".xml":
		return "application/xml"
	case ".txt":
		return "text/plain; charset=utf-8"
	}
	return "application/octet-stream"
}

// Handle lets h answer for a target: a path, with its query if it has one. A target without a query answers for every
// query that has no answer of its own.
func (s *Site) Handle(target string, h http.Handler) *Site {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answers[target] = h
	return s
}

// Serve answers with a body of the given media type.
func (s *Site) Serve(target, contentType, body string) *Site {
	return s.Handle(target, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", contentType)
		fmt.Fprint(w, body)
	}))
}

// Page answers with an HTML page.
func (s *Site) Page(target, body string) *Site {
	return s.Serve(target, "text/html; charset=utf-8", body)
}

// Robots is the site's robots.txt.
func (s *Site) Robots(body string) *Site {
	return s.Serve("/robots.txt", "text/plain; charset=utf-8", body)
}

// Sitemap answers with a sitemap that lists the URLs.
func (s *Site) Sitemap(target string, urls ...string) *Site {
	var b strings.Builder
	b.WriteString(`<?xml version="1.0" encoding="UTF-8"?>` + "\n" + `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">` + "\n")
	for _, u := range urls {
		fmt.Fprintf(&b, "<url><loc>%s</loc></url>\n", html.EscapeString(u))
	}
	b.WriteString("</urlset>\n")
	return s.Serve(target, "application/xml", b.String())
}

// Status answers with a status and a page that names it.
func (s *Site) Status(target string, status int) *Site {
	return s.Handle(target, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.WriteHeader(status)
		fmt.Fprintf(w, "<!doctype html><title>%d %s</title>", status, http.StatusText(status))
	}))
}

// Redirect answers with 302 and the Location as it stands.
func (s *Site) Redirect(target, location string) *Site {
	return s.Handle(target, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Location", location)
		w.WriteHeader(http.StatusFound)
	}))
}

// Refuse lets the first n requests for the target be refused with the status, and with a Retry-After header unless that
// is empty; negative n: all of them. The target "*" is every path but /robots.txt.
func (s *Site) Refuse(target string, n, status int, retryAfter string) *Site {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refuse[target] = &refusal{left: n, status: status, retryAfter: retryAfter}
	return s
}

// ServeHTTP answers by the script.
func (s *Site) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.log.serve(w, r, s.answer(r)) }

// answer finds what answers a request: a refusal whose turn it is, or the script.
func (s *Site) answer(r *http.Request) http.Handler {
	s.mu.Lock()
	defer s.mu.Unlock()
	target := r.URL.RequestURI()
	for _, key := range []string{target, r.URL.Path, "*"} {
		if turn := s.refuse[key]; turn != nil && turn.left != 0 && (key != "*" || r.URL.Path != "/robots.txt") {
			turn.left--
			return refusing(turn.status, turn.retryAfter)
		}
	}
	for _, key := range []string{target, r.URL.Path} {
		if h := s.answers[key]; h != nil {
			return h
		}
	}
	return http.NotFoundHandler()
}

func refusing(status int, retryAfter string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if retryAfter != "" {
			w.Header().Set("Retry-After", retryAfter)
		}
		http.Error(w, http.StatusText(status), status)
	})
}

// Log returns a copy of the requests so far, in order of arrival.
func (s *Site) Log() []Access { return s.log.since(0) }

// Paths returns the paths asked for, in order of arrival; robots.txt is left out.
func (s *Site) Paths() []string { return paths(s.Log()) }

func paths(log []Access) []string {
	var out []string
	for _, a := range log {
		if a.Path != "/robots.txt" {
			out = append(out, a.Path)
		}
	}
	return out
}

// Links is a page with links to the hrefs.
func Links(hrefs ...string) string {
	var b strings.Builder
	b.WriteString("<!doctype html>\n<title>Links</title>\n")
	for i, href := range hrefs {
		fmt.Fprintf(&b, "<p><a href=\"%s\">Link %d</a></p>\n", html.EscapeString(href), i+1)
	}
	return b.String()
}
