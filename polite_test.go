package amble

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// robotsStatus is a site of one page whose robots.txt answers with a status.
func robotsStatus(status int) *site {
	return &site{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/robots.txt" {
			w.WriteHeader(status)
			fmt.Fprint(w, "User-agent: *\nDisallow: /\n") // must not be read as rules
			return
		}
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, links())
	})}
}

func TestS14RobotsStatusDecides(t *testing.T) {
	for status, outcome := range map[int]Outcome{
		400: OutcomeAnalysed, 401: OutcomeAnalysed, 403: OutcomeAnalysed, 404: OutcomeAnalysed, 410: OutcomeAnalysed, 451: OutcomeAnalysed,
		429: OutcomeDisallowed, 500: OutcomeDisallowed, 502: OutcomeDisallowed, 503: OutcomeDisallowed, 599: OutcomeDisallowed,
		200: OutcomeDisallowed,
	} {
		synctest.Test(t, func(t *testing.T) {
			s := robotsStatus(status)
			got, sum := crawl(t, &Crawler{Fetcher: s}, "https://site.test/")
			p := got["https://site.test/"]
			if p.Outcome != outcome {
				t.Errorf("robots.txt %d: %v (%s)", status, p.Outcome, p.Reason)
			}
			if outcome == OutcomeDisallowed && len(s.paths()) > 0 {
				t.Errorf("robots.txt %d: %v was asked for", status, s.paths())
			}
			if status >= 429 && status != 451 {
				if !errors.Is(p.Err, ErrRobotsUnreachable) || p.Robots.State != RobotsUnreachable || sum.Servers[0].Robots != RobotsUnreachable {
					t.Errorf("robots.txt %d: unreachable is not told: %v %+v", status, p.Err, sum.Servers)
				}
			}
		})
	}
}

func TestS14NoAnswerForRobotsMeansNothingIsFetched(t *testing.T) {
	for name, fetcher := range map[string]Fetcher{
		"refused": FetcherFunc(func(context.Context, *Request) (*Response, error) { return nil, errors.New("connection refused") }),
		"timeout": FetcherFunc(func(ctx context.Context, _ *Request) (*Response, error) { <-ctx.Done(); return nil, context.Cause(ctx) }),
		"broken": FetcherFunc(func(_ context.Context, req *Request) (*Response, error) {
			return &Response{URL: req.URL, Status: 200, Body: []byte("User-agent: *\nAllow"), Cut: CutBroken}, nil
		}),
	} {
		synctest.Test(t, func(t *testing.T) {
			got, _ := crawl(t, &Crawler{Fetcher: fetcher}, "https://site.test/")
			if p := got["https://site.test/"]; p.Outcome != OutcomeDisallowed || !errors.Is(p.Err, ErrRobotsUnreachable) {
				t.Errorf("%s: %v, %v", name, p.Outcome, p.Err)
			}
		})
	}
}

func TestRobotsUnreachableIsTriedAgainAndNeverKeptAsSuccess(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		broken := true
		s := &site{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if broken && r.URL.Path == "/robots.txt" {
				w.WriteHeader(503)
				return
			}
			w.Header().Set("Content-Type", "text/html")
		})}
		c := &Crawler{Fetcher: s, Robots: &RFC9309{Tokens: []string{"AmbleTest"}}}
		got, _ := crawl(t, c, "https://site.test/")
		want(t, got, map[string]Outcome{"https://site.test/": OutcomeDisallowed})
		broken = false
		time.Sleep(time.Minute)
		got, _ = crawl(t, c, "https://site.test/")
		want(t, got, map[string]Outcome{"https://site.test/": OutcomeDisallowed})
		time.Sleep(5 * time.Minute)
		got, _ = crawl(t, c, "https://site.test/")
		want(t, got, map[string]Outcome{"https://site.test/": OutcomeAnalysed})
	})
}

func TestS3TwoTokensEachMustAllow(t *testing.T) {
	both := "User-agent: SiteNormaBot\nDisallow: /a\n\nUser-agent: SiteNorma\nDisallow: /b\n\nUser-agent: *\nDisallow: /\n"
	one := "User-agent: SiteNormaBot\nDisallow: /a\n\nUser-agent: *\nDisallow: /\n"
	none := "User-agent: *\nDisallow: /c\n"
	for robots, allowed := range map[string]string{both: "/c /d", one: "/b /c /d", none: "/a /b /d"} {
		synctest.Test(t, func(t *testing.T) {
			s := pages(map[string]string{"/robots.txt": robots, "/a": links(), "/b": links(), "/c": links(), "/d": links()})
			agent := Agent{Name: "SiteNorma", InfoURL: "https://amble.test/", Tokens: []string{"SiteNormaBot", "SiteNorma"}}
			crawl(t, &Crawler{Agent: agent, Fetcher: s}, "https://s.test/a", "https://s.test/b", "https://s.test/c", "https://s.test/d")
			if got := strings.Join(s.paths(), " "); got != allowed {
				t.Errorf("%q: fetched %s, want %s", robots, got, allowed)
			}
		})
	}
}

func TestS15RobotsIsAskedAgainOnEveryRedirectHop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := pages(map[string]string{"/robots.txt": "User-agent: *\nDisallow: /carrito/\n", "/": "->/carrito/", "/carrito/": links()})
		got, _ := crawl(t, &Crawler{Fetcher: s}, "https://site.test/")
		want(t, got, map[string]Outcome{"https://site.test/": OutcomeRedirected, "https://site.test/carrito/": OutcomeDisallowed})
		if p := got["https://site.test/carrito/"]; len(p.Chain) != 1 || p.Chain[0].Status != 302 {
			t.Errorf("chain: %v", p.Chain)
		}
	})
}

func TestRedirectLeavingTheScopeIsNotFollowed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := pages(map[string]string{"/": links("/out"), "/out": "->https://evil.test/"})
		got, _ := crawl(t, &Crawler{Fetcher: s}, "https://site.test/")
		want(t, got, map[string]Outcome{"https://site.test/": OutcomeAnalysed, "https://site.test/out": OutcomeRedirected,
			"https://evil.test/": OutcomeOutOfScope})
	})
}

func TestSeedsTwinJoinsTheImplicitScope(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &site{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			switch {
			case r.URL.Path == "/robots.txt":
				http.NotFound(w, r)
			case r.URL.Scheme == "http" || r.Host == "site.test":
				http.Redirect(w, r, "https://www.site.test"+r.URL.Path, http.StatusMovedPermanently)
			default:
				w.Header().Set("Content-Type", "text/html")
				fmt.Fprint(w, links("/a", "https://shop.site.test/"))
			}
		})}
		got, _ := crawl(t, &Crawler{Fetcher: s}, "http://site.test/")
		want(t, got, map[string]Outcome{"http://site.test/": OutcomeRedirected, "https://www.site.test/": OutcomeAnalysed,
			"https://www.site.test/a": OutcomeAnalysed, "https://shop.site.test/": OutcomeOutOfScope})
	})
}

// throttling is a site that answers 429 to the first n requests of each page.
func throttling(n int, retryAfter string, hrefs ...string) *site {
	asked := map[string]int{}
	return &site{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/robots.txt" {
			http.NotFound(w, r)
			return
		}
		if asked[r.URL.Path]++; asked[r.URL.Path] <= n && r.URL.Path != "/" {
			w.Header().Set("Retry-After", retryAfter)
			w.WriteHeader(http.StatusTooManyRequests)
			return
		}
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, links(hrefs...))
	})}
}

func TestS17ThePageIsLoadedOnceMoreAfterTheWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := throttling(1, "7", "/a")
		got, _ := crawl(t, &Crawler{Fetcher: s}, "https://site.test/")
		if p := got["https://site.test/a"]; p.Outcome != OutcomeAnalysed || p.Attempts != 2 {
			t.Errorf("%v after %d attempts", p.Outcome, p.Attempts)
		}
		last, before := s.hits[len(s.hits)-1], s.hits[len(s.hits)-2]
		near(t, "the wait", last.at.Sub(before.at), 7*time.Second)
	})
}

func TestS17OnceMoreAndNoOftener(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := throttling(99, "4", "/a")
		got, _ := crawl(t, &Crawler{Fetcher: s}, "https://site.test/")
		p := got["https://site.test/a"]
		if p.Outcome != OutcomeThrottled || p.Attempts != 2 || !errors.Is(p.Err, ErrThrottled) {
			t.Errorf("%v after %d attempts: %v", p.Outcome, p.Attempts, p.Err)
		}
	})
}

func TestS19MoreThanThirtySecondsMeansNoRetryAndTheCrawlGoesOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := throttling(0, "", "/a", "/b")
		refuse := s.Handler
		s.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/a" {
				w.Header().Set("Retry-After", "3600")
				w.WriteHeader(http.StatusServiceUnavailable)
				return
			}
			refuse.ServeHTTP(w, r)
		})
		got, _ := crawl(t, &Crawler{Fetcher: s}, "https://site.test/")
		if p := got["https://site.test/a"]; p.Outcome != OutcomeThrottled || p.Attempts != 1 {
			t.Errorf("/a: %v after %d attempts (%s)", p.Outcome, p.Attempts, p.Reason)
		}
		if p := got["https://site.test/b"]; p.Outcome != OutcomeAnalysed {
			t.Errorf("/b: %v", p.Outcome)
		}
	})
}

// nosy reports a finding on every page it is shown.
type nosy struct{}

func (nosy) Rules() []Rule { return []Rule{{ID: "seen", Severity: Warning}} }
func (nosy) Analyze(_ context.Context, _ *Page, report func(Finding)) error {
	report(Finding{Rule: "seen"})
	return nil
}

func TestS20WhatWasNotLoadedHasNoFindings(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := throttling(99, "4", "/a", "/private", "https://other.test/")
		plain := s.Handler
		s.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/robots.txt" {
				fmt.Fprint(w, "User-agent: *\nDisallow: /private\n")
				return
			}
			plain.ServeHTTP(w, r)
		})
		got, sum := crawl(t, &Crawler{Fetcher: s, Analyzers: []Analyzer{nosy{}}}, "https://site.test/")
		for _, p := range got {
			if analysed := p.Outcome == OutcomeAnalysed; analysed != (len(p.Findings) == 1) {
				t.Errorf("%s is %v with %d findings", p.URL, p.Outcome, len(p.Findings))
			}
		}
		if sum.Findings["seen"] != 1 {
			t.Errorf("findings: %v", sum.Findings)
		}
	})
}

func TestS21ThreePagesInARowEndTheSite(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := throttling(99, "4", "/a", "/b", "/c", "/d", "/e")
		got, sum := crawl(t, &Crawler{Fetcher: s, Workers: 1}, "https://site.test/")
		want(t, got, map[string]Outcome{
			"https://site.test/": OutcomeAnalysed, "https://site.test/a": OutcomeThrottled, "https://site.test/b": OutcomeThrottled,
			"https://site.test/c": OutcomeThrottled, "https://site.test/d": OutcomeGivenUp, "https://site.test/e": OutcomeGivenUp})
		if !sum.Servers[0].GivenUp || !errors.Is(got["https://site.test/e"].Err, ErrSiteGivenUp) {
			t.Errorf("not told: %+v", sum.Servers[0])
		}
		for _, path := range s.paths() {
			if path == "/d" || path == "/e" {
				t.Errorf("%s was asked for", path)
			}
		}
	})
}

func TestS21ALoadedPageInBetweenStartsTheCountAnew(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &site{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			switch r.URL.Path {
			case "/a", "/b", "/d", "/e":
				w.WriteHeader(500)
			default:
				w.Header().Set("Content-Type", "text/html")
				fmt.Fprint(w, links("/a", "/b", "/c", "/d", "/e", "/f"))
			}
		})}
		got, _ := crawl(t, &Crawler{Fetcher: s, Workers: 1}, "https://site.test/")
		if p := got["https://site.test/f"]; p.Outcome != OutcomeAnalysed {
			t.Errorf("/f: %v", p.Outcome)
		}
	})
}

func TestS11AChallengeIsBlockedAndTheCrawlGoesOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &site{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			if r.URL.Path == "/a" {
				w.Header().Set("Cf-Mitigated", "challenge")
				w.WriteHeader(http.StatusForbidden)
			}
			fmt.Fprint(w, links("/a", "/b"))
		})}
		got, _ := crawl(t, &Crawler{Fetcher: s, Analyzers: []Analyzer{nosy{}}}, "https://site.test/")
		want(t, got, map[string]Outcome{"https://site.test/": OutcomeAnalysed, "https://site.test/a": OutcomeBlocked, "https://site.test/b": OutcomeAnalysed})
		if p := got["https://site.test/a"]; p.Block == nil || p.Block.Vendor != "cloudflare" || len(p.Findings) > 0 || !errors.Is(p.Err, ErrChallenge) {
			t.Errorf("%+v, %v", p.Block, p.Err)
		}
	})
}

func TestS13RobotsIsReadBeforeTheSiteIsScanned(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := pages(map[string]string{"/robots.txt": "User-agent: *\nDisallow: /b\n", "/a": links("/b"), "/b": links()})
		crawl(t, &Crawler{Fetcher: s}, "https://one.test/a", "https://two.test/a")
		read := map[string]bool{}
		for _, h := range s.hits {
			host, path, _ := strings.Cut(strings.TrimPrefix(h.url, "https://"), "/")
			if path == "robots.txt" {
				read[host] = true
			} else if !read[host] {
				t.Errorf("%s was asked for before that server's robots.txt", h.url)
			}
		}
		if len(read) != 2 || len(s.paths()) != 2 {
			t.Errorf("robots.txt of %v, pages %v", read, s.paths())
		}
	})
}

// heard collects events.
type heard struct {
	mu     sync.Mutex
	events []Event
}

func (h *heard) Observe(_ context.Context, e Event) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.events = append(h.events, e)
}

func TestTheObserverHearsOfEveryKind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var h heard
		crawl(t, &Crawler{Fetcher: throttling(99, "4", "/a", "/b", "/c", "/d"), Workers: 1, Observer: &h}, "https://site.test/")
		seen := map[EventKind]int{}
		for _, e := range h.events {
			seen[e.Kind]++
			if e.Kind == EventRobots && (e.Reason != "none" || e.URL != "https://site.test/robots.txt") {
				t.Errorf("robots: %+v", e)
			}
		}
		if seen[EventRobots] != 1 || seen[EventGivenUp] != 1 || seen[EventPage] != 5 || seen[EventRequest] != seen[EventResponse] ||
			seen[EventThrottle] != 5 { // the third page gets no second try: the wait was lengthened twice by then
			t.Errorf("%v", seen)
		}
	})
}
