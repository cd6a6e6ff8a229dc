package amble

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

var testAgent = Agent{Name: "AmbleTest", InfoURL: "https://amble.test/bot"}

// site is a server in process: a handler that records when it was asked for what.
type site struct {
	http.Handler
	mu   sync.Mutex
	hits []hit
}

type hit struct {
	at     time.Time
	method string
	url    string
	agent  string
}

func (s *site) Fetch(ctx context.Context, req *Request) (*Response, error) {
	r := httptest.NewRequestWithContext(ctx, http.MethodGet, req.URL.String(), nil)
	maps.Copy(r.Header, req.Header)
	s.mu.Lock()
	s.hits = append(s.hits, hit{time.Now(), r.Method, req.URL.String(), r.UserAgent()})
	s.mu.Unlock()
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	if err := ctx.Err(); err != nil {
		return nil, context.Cause(ctx)
	}
	resp := &Response{URL: req.URL, Status: w.Code, Header: w.Header(), Proto: "HTTP/1.1", Sent: time.Now()}
	if req.Accept != nil && !req.Accept(w.Code, w.Header()) {
		resp.Cut = CutUnwanted
		return resp, nil
	}
	resp.Body = w.Body.Bytes()
	if req.MaxBytes >= 0 && int64(len(resp.Body)) > req.MaxBytes {
		resp.Body, resp.Cut = resp.Body[:req.MaxBytes], CutLimit
	}
	return resp, nil
}

// paths returns the paths asked for, in order, robots.txt left out.
func (s *site) paths() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []string
	for _, h := range s.hits {
		u, _ := url.Parse(h.url)
		if u.Path != "/robots.txt" {
			out = append(out, u.RequestURI())
		}
	}
	return out
}

// pages serves a map of path to HTML body; "/robots.txt" is served as text.
func pages(m map[string]string) *site {
	return &site{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, ok := m[r.URL.RequestURI()]
		switch {
		case !ok:
			http.NotFound(w, r)
		case strings.HasPrefix(body, "->"):
			http.Redirect(w, r, body[2:], http.StatusFound)
		case strings.HasSuffix(r.URL.Path, ".xml"):
			w.Header().Set("Content-Type", "application/xml")
			fmt.Fprint(w, body)
		case r.URL.Path == "/robots.txt":
			fmt.Fprint(w, body)
		default:
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			fmt.Fprint(w, body)
		}
	})}
}

func links(hrefs ...string) string {
	var b strings.Builder
	b.WriteString("<!doctype html><title>t</title>")
	for _, href := range hrefs {
		fmt.Fprintf(&b, `<a href="%s">x</a> `, href)
	}
	return b.String()
}

// crawl runs to the end and returns each page by its URL. A URL that comes twice fails the test.
func crawl(t *testing.T, c *Crawler, seeds ...string) (map[string]*Page, *Summary) {
	t.Helper()
	if c.Agent.Name == "" {
		c.Agent = testAgent
	}
	got := make(map[string]*Page)
	sum, err := c.Each(t.Context(), func(p *Page) bool {
		if got[p.URL] != nil {
			t.Errorf("%s came twice: %v, %v", p.URL, got[p.URL].Outcome, p.Outcome)
		}
		if p.Outcome == OutcomeNone {
			t.Errorf("%s has no outcome", p.URL)
		}
		got[p.URL] = p
		return true
	}, seeds...)
	if err != nil {
		t.Fatalf("crawl: %v", err)
	}
	return got, sum
}

func want(t *testing.T, got map[string]*Page, outcomes map[string]Outcome) {
	t.Helper()
	for u, o := range outcomes {
		p := got[u]
		if p == nil {
			t.Errorf("%s: no page, want %v", u, o)
		} else if p.Outcome != o {
			t.Errorf("%s: %v (%s, %v), want %v", u, p.Outcome, p.Reason, p.Err, o)
		}
	}
	if len(got) != len(outcomes) {
		t.Errorf("pages %v, want %v", slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(outcomes)))
	}
}

func TestEveryURLEndsInOneOutcome(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := pages(map[string]string{
			"/robots.txt": "User-agent: *\nDisallow: /private/\n",
			"/":           links("/a", "/b#x", "/b", "/private/x", "https://other.test/", "/gone", "/moved", "/loop", "mailto:a@b.c", "http://[bad"),
			"/a":          links("/"),
			"/b":          links("/c?q=1"),
			"/c?q=1":      links(),
			"/moved":      "->/a",
			"/loop":       "->/loop",
		})
		got, sum := crawl(t, &Crawler{Fetcher: s}, "https://site.test/")
		want(t, got, map[string]Outcome{
			"https://site.test/":          OutcomeAnalysed,
			"https://site.test/a":         OutcomeAnalysed,
			"https://site.test/b":         OutcomeAnalysed,
			"https://site.test/c?q=1":     OutcomeAnalysed,
			"https://site.test/private/x": OutcomeDisallowed,
			"https://other.test/":         OutcomeOutOfScope,
			"https://site.test/gone":      OutcomeHTTPError,
			"https://site.test/moved":     OutcomeRedirected,
			"https://site.test/loop":      OutcomeRedirected,
		})
		if p := got["https://site.test/private/x"]; p != nil && (p.Robots == nil || p.Robots.Line != 2 || !errors.Is(p.Err, ErrDisallowed)) {
			t.Errorf("the verdict names no line: %+v, %v", p.Robots, p.Err)
		}
		if p := got["https://site.test/loop"]; p != nil && !errors.Is(p.Err, ErrRedirect) {
			t.Errorf("loop: %v", p.Err)
		}
		if sum.URLs() != len(got) || sum.Ended != "done" {
			t.Errorf("summary: %+v", sum)
		}
		if first := s.hits[0]; !strings.HasSuffix(first.url, "/robots.txt") {
			t.Errorf("the first request was %s, not robots.txt", first.url)
		}
		for _, h := range s.hits {
			if h.agent != testAgent.Plain() {
				t.Errorf("%s was asked for as %q", h.url, h.agent)
			}
		}
	})
}
