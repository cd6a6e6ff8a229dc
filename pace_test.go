package amble

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

func TestCrawlDelaysOfOneDomainNeitherAddUpNorForgetTheLonger(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &site{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/robots.txt" {
				fmt.Fprintf(w, "User-agent: *\nCrawl-delay: %s\n", map[string]string{"a.site.test": "5", "b.site.test": "2"}[r.Host])
				return
			}
			w.Header().Set("Content-Type", "text/html")
			if r.URL.Path == "/" {
				fmt.Fprint(w, links("/1", "/2", "/3", "/4", "/5"))
			}
		})}
		start := time.Now()
		crawl(t, &Crawler{Fetcher: s, Limiter: &ServerLimiter{By: ByDomain}}, "https://a.site.test/", "https://b.site.test/")
		if took := time.Since(start); took > 14*5*time.Second {
			t.Errorf("took %v for 14 requests, one in 5s", took)
		}
		for i, h := range s.hits {
			if i > 2 && h.at.Sub(s.hits[i-1].at) < 5*time.Second {
				t.Errorf("%s came %v after the request before", h.url, h.at.Sub(s.hits[i-1].at))
			}
		}
	})
}

func TestADefaultWaitOverTheCeilingIsNotTheServersWish(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := throttling(1, "", "/a")
		l := &ServerLimiter{Backoff: Backoff{Floor: time.Second, Ceiling: 2 * time.Second}}
		got, _ := crawl(t, &Crawler{Fetcher: s, Limiter: l}, "https://site.test/")
		if p := got["https://site.test/a"]; p.Outcome != OutcomeAnalysed {
			t.Errorf("%v: %s", p.Outcome, p.Reason)
		}
	})
}

// A slow server's queue must not keep the worker from others.
func TestASlowServerDoesNotStarveOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &site{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			switch {
			case r.URL.Path == "/robots.txt":
				w.Header().Set("Content-Type", "text/plain")
				if r.Host == "slow.test" {
					fmt.Fprint(w, "User-agent: *\nCrawl-delay: 10\n")
				}
			case r.Host == "slow.test" && r.URL.Path == "/":
				var hrefs []string
				for i := range 5000 {
					hrefs = append(hrefs, fmt.Sprint("/p", i))
				}
				fmt.Fprint(w, links(hrefs...))
			case r.Host == "quick.test": // a chain
				var n int
				fmt.Sscanf(r.URL.Path, "/%d", &n)
				fmt.Fprint(w, links(fmt.Sprintf("/%d", n+1)))
			}
		})}
		c := &Crawler{Agent: testAgent, Fetcher: s, Budget: Budget{Pages: Unlimited, Time: 10 * time.Minute}}
		_, err := c.Run(t.Context(), "https://slow.test/", "https://quick.test/0")
		if err != nil {
			t.Fatal(err)
		}
		quick := 0
		for _, h := range s.hits {
			if strings.HasPrefix(h.url, "https://quick") {
				quick++
			}
		}
		if quick < 500 {
			t.Errorf("the quick server was asked %d times in ten minutes", quick)
		}
	})
}

func TestS21PagesInFlightAndConcurrentFailures(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &site{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			switch r.URL.Path {
			case "/robots.txt":
				http.NotFound(w, r)
			case "/":
				w.Header().Set("Content-Type", "text/html")
				fmt.Fprint(w, links("/1", "/2", "/3", "/4", "/5", "/6", "/7", "/8", "/9", "/10", "/11", "/12"))
			default:
				time.Sleep(time.Second)
				w.WriteHeader(500)
			}
		})}
		got, sum := crawl(t, &Crawler{Fetcher: s, Limiter: &ServerLimiter{Pace: -1, Concurrency: 4}}, "https://site.test/")
		n := 0
		for _, p := range got {
			if p.Outcome == OutcomeHTTPError {
				n++
			}
		}
		if n < 3 || n > 3+4-1+4 || !sum.Servers[0].GivenUp {
			t.Errorf("%d pages failed before the site was given up: %v", n, sum.Outcomes)
		}
	})
}

func TestThrottledAttemptsAreAccountedForWhateverTheHeaderSays(t *testing.T) {
	for header, atLeast := range map[string]time.Duration{
		"":                                 5 * time.Second,
		"0":                                3 * time.Second,
		"-1":                               5 * time.Second,
		"7.5":                              5 * time.Second,
		"soon":                             5 * time.Second,
		"Sat, 01 Jan 2000 00:00:12 GMT":    10 * time.Second, // the bubble's clock starts at midnight
		"Saturday, 01-Jan-00 00:00:12 GMT": 10 * time.Second,
		"Sat Jan  1 00:00:12 2000":         10 * time.Second,
		"Fri, 31 Dec 1999 00:00:12 GMT":    3 * time.Second,
		"30":                               30 * time.Second,
	} {
		synctest.Test(t, func(t *testing.T) {
			s := throttling(1, header, "/a")
			got, sum := crawl(t, &Crawler{Fetcher: s}, "https://site.test/")
			p := got["https://site.test/a"]
			if p.Outcome != OutcomeAnalysed || p.Attempts != 2 || sum.Servers[0].Throttled != 1 || sum.Requests[KindPage] != 3 {
				t.Errorf("%q: %v after %d, %+v", header, p.Outcome, p.Attempts, sum.Servers[0])
			}
			gap := s.hits[len(s.hits)-1].at.Sub(s.hits[len(s.hits)-2].at)
			if gap < atLeast || gap > atLeast*12/10 {
				t.Errorf("%q: waited %v", header, gap)
			}
		})
	}
}

func TestA503WithoutRetryAfterIsAnErrorAndNoRefusal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &site{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/robots.txt" {
				http.NotFound(w, r)
				return
			}
			w.WriteHeader(503)
		})}
		got, sum := crawl(t, &Crawler{Fetcher: s}, "https://site.test/")
		if p := got["https://site.test/"]; p.Outcome != OutcomeHTTPError || p.Attempts != 1 || sum.Servers[0].Throttled != 0 {
			t.Errorf("%v, %d attempts", p.Outcome, p.Attempts)
		}
	})
}

func TestTwoCrawlsShareLimiterAndRobots(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := endless(30)
		c := &Crawler{Agent: testAgent, Fetcher: s, Limiter: &ServerLimiter{}, Robots: &RFC9309{Tokens: []string{"AmbleTest"}}}
		var both sync.WaitGroup
		for range 2 {
			both.Go(func() {
				if sum, err := c.Run(t.Context(), "https://site.test/0"); err != nil || sum.Outcomes[OutcomeAnalysed] != 30 {
					t.Errorf("%v, %v", sum.Outcomes, err)
				}
			})
		}
		both.Wait()
		robots := 0
		for i, h := range s.hits {
			if strings.HasSuffix(h.url, "/robots.txt") {
				robots++
			}
			if i > 0 && h.at.Sub(s.hits[i-1].at) < time.Second {
				t.Errorf("%s came %v after the request before", h.url, h.at.Sub(s.hits[i-1].at))
			}
		}
		if robots != 1 {
			t.Errorf("robots.txt was asked for %d times", robots)
		}
	})
}
