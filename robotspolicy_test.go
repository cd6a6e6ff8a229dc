package amble

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// A path that begins with two slashes names no host (RFC 3986 section 4.2 speaks of references, not of paths).
func TestRobotsRulesHoldForPathsWithTwoSlashes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := pages(map[string]string{
			"/robots.txt": "User-agent: *\nDisallow: /*secret\nDisallow: //admin/\nDisallow: /open\n",
			"/":           links("/.//secret", "/.//admin/x", "/.//host/open"),
			"//host/open": links(),
		})
		got, _ := crawl(t, &Crawler{Fetcher: s}, "https://site.test/")
		want(t, got, map[string]Outcome{
			"https://site.test/":           OutcomeAnalysed,
			"https://site.test//secret":    OutcomeDisallowed,
			"https://site.test//admin/x":   OutcomeDisallowed,
			"https://site.test//host/open": OutcomeAnalysed,
		})
	})
}

func TestRobotsCacheIsBoundedByBytes(t *testing.T) {
	p := &RFC9309{Tokens: []string{"AmbleTest"}, MaxBytes: 1 << 20}
	body := "User-agent: *\n" + strings.Repeat("Disallow: /a/b/c/d\n", 4000)
	via := FetcherFunc(func(_ context.Context, req *Request) (*Response, error) {
		return &Response{URL: req.URL, Status: 200, Header: http.Header{}, Body: []byte(body)}, nil
	})
	for i := range 12 {
		u, _ := url.Parse(fmt.Sprintf("https://h%d.test/a/b/c/d", i))
		if v, err := p.Check(t.Context(), u, via); err != nil || v.Allowed {
			t.Fatalf("%v %v", v, err)
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.bytes > 1<<20 || len(p.files) == 0 || len(p.files) > 5 {
		t.Errorf("%d files, %d bytes", len(p.files), p.bytes)
	}
}

func TestRobotsThatExpireInTheMiddleOfARun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		s := endless(150)
		plain := s.Handler
		s.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path != "/robots.txt" {
				plain.ServeHTTP(w, r)
				return
			}
			w.Header().Set("Cache-Control", "max-age=1") // held at a minute
			if time.Since(start) > 50*time.Second {
				fmt.Fprint(w, "User-agent: *\nDisallow: /\n")
			}
		})
		got, sum := crawl(t, &Crawler{Fetcher: s}, "https://site.test/0")
		if n := sum.Outcomes[OutcomeAnalysed]; n < 55 || n > 61 || sum.Requests[KindRobots] < 2 {
			t.Errorf("%v, %v", sum.Outcomes, sum.Requests)
		}
		for _, p := range got {
			if p.Outcome != OutcomeAnalysed && p.Outcome != OutcomeDisallowed {
				t.Errorf("%s: %v", p.URL, p.Outcome)
			}
		}
	})
}
