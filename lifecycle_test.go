package amble

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// fast lets tests about other things than pace go on without waiting.
func fast() *ServerLimiter { return &ServerLimiter{Pace: -1, Concurrency: -1} }

// endless is a site of n pages /0 to /n-1, each linking to ten others.
func endless(n int) *site {
	return &site{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		i, err := strconv.Atoi(strings.TrimPrefix(r.URL.Path, "/"))
		if err != nil {
			http.NotFound(w, r)
			return
		}
		var hrefs []string
		for k := range 10 {
			if next := i*10 + k + 1; next < n {
				hrefs = append(hrefs, "/"+strconv.Itoa(next))
			}
		}
		hrefs = append(hrefs, "/0", "/"+strconv.Itoa((i*7)%n))
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, links(hrefs...))
	})}
}

func TestTwentyThousandPagesWithFewGoroutines(t *testing.T) {
	const n = 20_000
	most := 0
	got := make(map[string]Outcome, n)
	c := &Crawler{Agent: testAgent, Fetcher: endless(n), Limiter: fast(), Budget: Budget{Pages: Unlimited}, Workers: 8}
	_, err := c.Each(t.Context(), func(p *Page) bool {
		if _, twice := got[p.URL]; twice {
			t.Errorf("%s came twice", p.URL)
		}
		got[p.URL] = p.Outcome
		if len(got)%500 == 0 {
			most = max(most, crawlGoroutines())
		}
		return true
	}, "https://site.test/0")
	if err != nil {
		t.Fatal(err)
	}
	for u, o := range got {
		if o != OutcomeAnalysed {
			t.Fatalf("%s: %v", u, o)
		}
	}
	if len(got) != n {
		t.Errorf("%d pages, want %d", len(got), n)
	}
	if limit := 8 + 4; most > limit || most == 0 {
		t.Errorf("%d goroutines at most, want no more than %d", most, limit)
	}
}

// crawlGoroutines counts the goroutines that run this package's code, the caller's among them.
func crawlGoroutines() int {
	stacks := make([]byte, 4<<20)
	stacks = stacks[:runtime.Stack(stacks, true)]
	n := 0
	for stack := range strings.SplitSeq(string(stacks), "\n\n") {
		if strings.Contains(stack, "amblecrawl/amble.(*run)") {
			n++
		}
	}
	return n
}

func TestCancelReturnsAtOnceAndEveryURLHasAnOutcome(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		c := &Crawler{Agent: testAgent, Fetcher: endless(20_000), Budget: Budget{Pages: Unlimited, Time: Unlimited}} // one page a second
		outcomes := map[Outcome]int{}
		seen := map[string]bool{}
		var cancelled time.Time
		sum, err := c.Each(ctx, func(p *Page) bool {
			outcomes[p.Outcome]++
			if seen[p.URL] {
				t.Errorf("%s came twice", p.URL)
			}
			seen[p.URL] = true
			if outcomes[OutcomeAnalysed] == 500 && cancelled.IsZero() {
				cancelled = time.Now()
				cancel()
			}
			return true
		}, "https://site.test/0")
		if !errors.Is(err, context.Canceled) {
			t.Errorf("err %v", err)
		}
		if d := time.Since(cancelled); d > 0 { // virtual time: nothing waited
			t.Errorf("returned %v after the cancel", d)
		}
		if outcomes[OutcomeCancelled] < 4000 || sum.URLs() != len(seen) {
			t.Errorf("outcomes %v, summary %v", outcomes, sum.Outcomes)
		}
	})
}

func TestCancelInTheMiddleOfAWaitAndOfAFetch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hang := &site{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/hang" {
				<-r.Context().Done()
			}
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprint(w, links("/hang", "/b", "/c", "/d"))
		})}
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		start := time.Now()
		c := &Crawler{Agent: testAgent, Fetcher: hang, Limiter: &ServerLimiter{Pace: time.Hour, MaxCrawlDelay: -1}}
		for p, err := range c.Pages(ctx, "https://site.test/hang") {
			if err != nil && !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("err %v", err)
			}
			if p != nil && p.Outcome != OutcomeCancelled {
				t.Errorf("%s: %v", p.URL, p.Outcome)
			}
		}
		if d := time.Since(start); d != 10*time.Second {
			t.Errorf("returned after %v", d)
		}
	})
}

func TestBreakingOutOfTheLoopEndsEverything(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // the bubble fails when a goroutine is left
		s := endless(1000)
		c := &Crawler{Agent: testAgent, Fetcher: s, Limiter: fast()}
		n := 0
		for range c.Pages(t.Context(), "https://site.test/0") {
			if n++; n == 10 {
				break
			}
		}
		if len(s.paths()) > 10+2*8 {
			t.Errorf("%d pages were fetched for 10 that were taken", len(s.paths()))
		}
	})
}

func TestBackPressureHoldsTheFetchersBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := endless(1000)
		c := &Crawler{Agent: testAgent, Fetcher: s, Limiter: fast()}
		n := 0
		for range c.Pages(t.Context(), "https://site.test/0") {
			time.Sleep(time.Minute) // a slow reader
			synctest.Wait()
			if n++; n == 20 {
				break
			}
			if got := len(s.paths()); got > n+8 {
				t.Fatalf("%d pages fetched, %d taken", got, n)
			}
		}
	})
}

func TestBudgetsEndWithAReason(t *testing.T) {
	for name, test := range map[string]struct {
		budget Budget
		max    int
	}{
		"pages": {Budget{Pages: 7}, 7},
		"depth": {Budget{Depth: 1}, 13},
		"bytes": {Budget{Bytes: 1000}, 20},
		"time":  {Budget{Time: 10 * time.Second}, 11},
		"urls":  {Budget{URLs: 25}, 25},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := endless(200)
			got, sum := crawl(t, &Crawler{Fetcher: s, Budget: test.budget}, "https://site.test/0")
			if n := len(s.paths()); n > test.max || n == 0 {
				t.Errorf("%s: %d pages fetched, want at most %d", name, n, test.max)
			}
			for _, p := range got {
				if p.Outcome == OutcomeOverBudget && (!errors.Is(p.Err, ErrBudget) || p.Reason == "") {
					t.Errorf("%s: %s: %v %q", name, p.URL, p.Err, p.Reason)
				}
			}
			if name == "urls" {
				if len(got) != 25 || sum.Dropped == 0 {
					t.Errorf("urls: %d known, %d dropped", len(got), sum.Dropped)
				}
			} else if sum.Ended == "done" {
				t.Errorf("%s: ended %q", name, sum.Ended)
			}
		})
	}
}

func TestC5PageIsCutAtItsLimitAndMarked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		big := "<title>big</title>" + strings.Repeat("x", 3<<20)
		got, _ := crawl(t, &Crawler{Fetcher: pages(map[string]string{"/": big}), Budget: Budget{PageBytes: 1 << 20}, KeepBodies: true}, "https://site.test/")
		p := got["https://site.test/"]
		if p.Outcome != OutcomeTooLarge || len(p.Response.Body) != 1<<20 || !p.Partial() {
			t.Errorf("%v, %d bytes, partial %v", p.Outcome, len(p.Response.Body), p.Partial())
		}
	})
}

func TestRequestsThatTakeTooLongAreUnreachable(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &site{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/" {
				<-r.Context().Done()
			}
		})}
		start := time.Now()
		got, _ := crawl(t, &Crawler{Fetcher: s, Budget: Budget{PageTime: 15 * time.Second}}, "https://site.test/")
		want(t, got, map[string]Outcome{"https://site.test/": OutcomeUnreachable})
		if d := time.Since(start); d > 17*time.Second {
			t.Errorf("took %v", d)
		}
	})
}

func TestSitemapsC3(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		set := func(paths ...string) string {
			var b strings.Builder
			b.WriteString(`<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">`)
			for _, p := range paths {
				fmt.Fprintf(&b, "<url><loc>https://site.test%s</loc></url>", p)
			}
			return b.String() + "</urlset>"
		}
		s := pages(map[string]string{
			"/robots.txt": "Sitemap: https://site.test/index.xml\n",
			"/index.xml": `<?xml version="1.0"?><sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">` +
				`<sitemap><loc>https://site.test/1.xml</loc></sitemap><sitemap><loc>https://site.test/2.xml</loc></sitemap>` +
				`<sitemap><loc>https://site.test/3.xml</loc></sitemap></sitemapindex>`,
			"/1.xml": set("/a", "/b"), "/2.xml": set("/c"), "/3.xml": set("/d"),
			"/a": links("/not-listed"), "/b": links(), "/c": links(), "/d": links(),
		})
		c := &Crawler{Fetcher: s, Discover: DiscoverOnlySitemaps, Budget: Budget{Sitemaps: 3}}
		got, sum := crawl(t, c, "https://site.test/")
		want(t, got, map[string]Outcome{"https://site.test/a": OutcomeAnalysed,
			"https://site.test/b": OutcomeAnalysed, "https://site.test/c": OutcomeAnalysed})
		if len(sum.Sitemaps) != 3 || sum.Requests[KindSitemap] != 3 {
			t.Errorf("%+v", sum.Sitemaps)
		}
		for i, h := range s.hits[1:] {
			if d := h.at.Sub(s.hits[i].at); d < time.Second {
				t.Errorf("%s came %v after the request before (C8)", h.url, d)
			}
		}
	})
}

func TestWithoutASitemapLineTheUsualPlaceIsTried(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := pages(map[string]string{"/": links()})
		_, sum := crawl(t, &Crawler{Fetcher: s, Discover: DiscoverSitemaps}, "https://site.test/")
		if len(sum.Sitemaps) != 1 || sum.Sitemaps[0].URL != "https://site.test/sitemap.xml" || sum.Sitemaps[0].Err == nil {
			t.Errorf("%+v", sum.Sitemaps)
		}
	})
}

func TestPlanFetchesNoPage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := pages(map[string]string{"/robots.txt": "User-agent: *\nDisallow: /no\n"})
		c := &Crawler{Agent: testAgent, Fetcher: s}
		got := map[string]Decision{}
		for d, err := range c.Plan(t.Context(), "https://site.test/yes", "https://site.test/no", "ftp://x.test/") {
			if err != nil {
				t.Fatal(err)
			}
			got[d.URL] = d
		}
		if d := got["https://site.test/yes"]; !d.Fetch {
			t.Errorf("%+v", d)
		}
		if d := got["https://site.test/no"]; d.Fetch || d.Outcome != OutcomeDisallowed || d.Robots.Line != 2 {
			t.Errorf("%+v", d)
		}
		if d := got["ftp://x.test/"]; d.Fetch || d.Outcome != OutcomeBadURL {
			t.Errorf("%+v", d)
		}
		if len(s.paths()) > 0 {
			t.Errorf("fetched %v", s.paths())
		}
	})
}

func TestConfigurationIsCheckedBeforeAnythingIsSent(t *testing.T) {
	ok := Crawler{Agent: testAgent, Fetcher: pages(nil)}
	for name, change := range map[string]func(*Crawler){
		"no agent":      func(c *Crawler) { c.Agent = Agent{} },
		"no info":       func(c *Crawler) { c.Agent.InfoURL = "" },
		"public suffix": func(c *Crawler) { c.Scope.Domains = []string{"co.uk"} },
		"bad pattern":   func(c *Crawler) { c.Scope.Exclude = []string{"private"} },
		"nil analyzer":  func(c *Crawler) { c.Analyzers = []Analyzer{nil} },
		"twice a rule":  func(c *Crawler) { c.Analyzers = []Analyzer{nosy{}, nosy{}} },
		"workers":       func(c *Crawler) { c.Workers = -1 },
		"backoff":       func(c *Crawler) { c.Limiter = &ServerLimiter{Backoff: Backoff{Floor: time.Hour}} },
		"no tokens":     func(c *Crawler) { c.Robots = &RFC9309{} },
	} {
		c := ok
		change(&c)
		_, err := c.Run(t.Context(), "https://site.test/")
		if !errors.Is(err, ErrConfig) && !errors.Is(err, ErrNoIdentity) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := ok.Run(t.Context()); !errors.Is(err, ErrConfig) {
		t.Errorf("no seeds: %v", err)
	}
}

type panicky struct{ nosy }

func (panicky) Analyze(context.Context, *Page, func(Finding)) error { panic("oops") }

func TestAnAnalyzersPanicEndsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		got, _ := crawl(t, &Crawler{Fetcher: pages(map[string]string{"/": links("/a"), "/a": links()}), Analyzers: []Analyzer{panicky{}}}, "https://site.test/")
		want(t, got, map[string]Outcome{"https://site.test/": OutcomeAnalysed, "https://site.test/a": OutcomeAnalysed})
	})
}

func TestManyServersWaitTogetherNotInTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &site{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/robots.txt" {
				fmt.Fprint(w, "User-agent: *\nCrawl-delay: 10\n")
				return
			}
			w.Header().Set("Content-Type", "text/html")
		})}
		var seeds []string
		for i := range 100 {
			for k := range 3 {
				seeds = append(seeds, fmt.Sprintf("https://s%d.test/%d", i, k))
			}
		}
		start := time.Now()
		crawl(t, &Crawler{Fetcher: s, Workers: 4}, seeds...)
		if d := time.Since(start); d > 35*time.Second {
			t.Errorf("100 servers with a delay of 10 s took %v: they waited for each other", d)
		}
	})
}

func TestOneRobotsFetchForConcurrentFirstHits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := 0
		via := FetcherFunc(func(ctx context.Context, req *Request) (*Response, error) {
			n++
			time.Sleep(time.Second)
			return &Response{URL: req.URL, Status: 404, Header: http.Header{}}, nil
		})
		policy := &RFC9309{Tokens: []string{"x"}}
		var group sync.WaitGroup
		for range 20 {
			group.Go(func() {
				p := Page{URL: "https://site.test/x"}
				if v, err := policy.Check(t.Context(), p.ParsedURL(), via); err != nil || !v.Allowed {
					t.Errorf("%+v, %v", v, err)
				}
			})
		}
		group.Wait()
		if n != 1 {
			t.Errorf("robots.txt was fetched %d times", n)
		}
	})
}
