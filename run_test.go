package amble

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// stingy is a Store that leases one item at a time, as the contract allows.
type stingy struct{ Store }

func (s stingy) Lease(ctx context.Context, n int) ([]Item, error) {
	return s.Store.Lease(ctx, min(n, 1))
}

func TestAShortLeaseIsNotTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		got, _ := crawl(t, &Crawler{Fetcher: endless(100), Store: stingy{NewMemoryStore()}, Limiter: fast()}, "https://site.test/0")
		for _, p := range got {
			if p.Outcome != OutcomeAnalysed {
				t.Errorf("%s: %v", p.URL, p.Outcome)
			}
		}
		if len(got) != 100 {
			t.Errorf("%d pages", len(got))
		}
	})
}

func TestResumedRunKeepsTheScopeOfItsSeedsAndTheirTwins(t *testing.T) {
	s := &site{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == "/robots.txt":
			http.NotFound(w, r)
		case r.Host == "site.test":
			http.Redirect(w, r, "https://www.site.test"+r.URL.Path, http.StatusMovedPermanently)
		default:
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprint(w, links("/a", "/b", "/c"))
		}
	})}
	for _, seeds := range [][]string{nil, {"https://site.test/"}} {
		dir := t.TempDir()
		ended := map[string]Outcome{}
		for i := range 2 {
			store, err := OpenFileStore(dir, nil)
			if err != nil {
				t.Fatal(err)
			}
			c := &Crawler{Agent: testAgent, Fetcher: s, Limiter: fast(), Store: store, Workers: 1}
			start := []string{"https://site.test/"}
			if i == 1 {
				start = seeds
			}
			for p, err := range c.Pages(t.Context(), start...) {
				if err != nil {
					t.Fatal(err)
				}
				ended[p.URL] = p.Outcome
				if i == 0 && p.URL == "https://www.site.test/" {
					break
				}
			}
			if err := store.Close(); err != nil {
				t.Fatal(err)
			}
		}
		for _, path := range []string{"a", "b", "c"} {
			if o := ended["https://www.site.test/"+path]; o != OutcomeAnalysed {
				t.Errorf("seeds %v: /%s is %v", seeds, path, o)
			}
		}
	}
}

// failing is a Store that fails at the n-th call of a method.
type failing struct {
	Store
	commit, lease atomic.Int64
}

var errDisk = errors.New("disk gone")

func (f *failing) Commit(ctx context.Context, s Step) ([]bool, error) {
	if f.commit.Add(-1) == 0 {
		return nil, errDisk
	}
	return f.Store.Commit(ctx, s)
}

func (f *failing) Lease(ctx context.Context, n int) ([]Item, error) {
	if f.lease.Add(-1) == 0 {
		return nil, errDisk
	}
	return f.Store.Lease(ctx, n)
}

func TestAStoreThatFailsAtAnyCallEndsTheCrawlWithItsError(t *testing.T) {
	for n := range 14 {
		for _, lease := range []bool{false, true} {
			for _, budget := range []Budget{{}, {Time: 2 * time.Second}} {
				synctest.Test(t, func(t *testing.T) {
					store := &failing{Store: NewMemoryStore()}
					if lease {
						store.lease.Store(int64(n + 1))
					} else {
						store.commit.Store(int64(n + 1))
					}
					c := &Crawler{Agent: testAgent, Fetcher: endless(40), Store: store, Budget: budget}
					seen := map[string]bool{}
					_, err := c.Each(t.Context(), func(p *Page) bool {
						if seen[p.URL] {
							t.Errorf("%s came twice", p.URL)
						}
						seen[p.URL] = true
						if p.Outcome == OutcomeCancelled && p.Err == nil {
							t.Errorf("%s: cancelled without a reason", p.URL)
						}
						return true
					}, "https://site.test/0")
					reached := lease && store.lease.Load() <= 0 || !lease && store.commit.Load() <= 0
					if reached != errors.Is(err, ErrStore) || reached && !errors.Is(err, errDisk) {
						t.Errorf("call %d, lease %v, %v: reached %v, err %v", n+1, lease, budget.Time, reached, err)
					}
				})
			}
		}
	}
}

func TestCancelWhileWhatIsOverTheTimeEndsLosesNoURL(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		c := &Crawler{Agent: testAgent, Fetcher: endless(200), Budget: Budget{Time: 15 * time.Second}}
		seen, over := map[string]bool{}, 0
		sum, err := c.Each(ctx, func(p *Page) bool {
			if seen[p.URL] {
				t.Errorf("%s came twice", p.URL)
			}
			seen[p.URL] = true
			if p.Outcome == OutcomeOverBudget {
				if over++; over == 5 {
					cancel()
				}
			}
			return true
		}, "https://site.test/0")
		if !errors.Is(err, context.Canceled) {
			t.Errorf("err %v", err)
		}
		if len(seen) < 100 || sum.URLs() != len(seen) {
			t.Errorf("%d seen, summary %d", len(seen), sum.URLs())
		}
	})
}

func TestEndedSaysThatTheCallerLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &Crawler{Agent: testAgent, Fetcher: endless(40)}
		sum, err := c.Each(t.Context(), func(*Page) bool { return false }, "https://site.test/0")
		if err != nil || sum.Ended == "done" {
			t.Errorf("%q, %v", sum.Ended, err)
		}
	})
}

func TestEverySeedHasAnOutcomeAlsoWithSitemapsOnly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		got, _ := crawl(t, &Crawler{Fetcher: pages(nil), Discover: DiscoverOnlySitemaps}, "mailto:a@b.c", "http://[/", "http://[/", "https://site.test/")
		want(t, got, map[string]Outcome{"mailto:a@b.c": OutcomeBadURL, "http://[/": OutcomeBadURL})
	})
}

func TestSeedsThatAreNoURLsEndTheCrawl(t *testing.T) {
	for _, d := range []Discovery{0, DiscoverSitemaps, DiscoverLinks | DiscoverSitemaps, DiscoverNothing} {
		synctest.Test(t, func(t *testing.T) {
			got, _ := crawl(t, &Crawler{Fetcher: pages(nil), Discover: d}, "", "::", "ftp://x.test/", strings.Repeat("x", 20_000))
			for u, p := range got {
				if p.Outcome != OutcomeBadURL || !errors.Is(p.Err, ErrBadURL) {
					t.Errorf("%.20s: %v, %v", u, p.Outcome, p.Err)
				}
			}
			if len(got) != 4 {
				t.Errorf("%d pages", len(got))
			}
		})
	}
}

// Bytes are those of all bodies: sitemaps and refused answers count too.
func TestBudgetBytesCountsSitemapsAndRefusals(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		big := strings.Repeat("<!-- filler of a sitemap -->", 4000)
		set := `<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>https://site.test/a</loc></url>` + big + `</urlset>`
		s := pages(map[string]string{"/robots.txt": "Sitemap: /1.xml\nSitemap: /2.xml\nSitemap: /3.xml\n", "/1.xml": set, "/2.xml": set, "/3.xml": set, "/a": links()})
		_, sum := crawl(t, &Crawler{Fetcher: s, Discover: DiscoverOnlySitemaps, Budget: Budget{Bytes: 200_000}}, "https://site.test/")
		if sum.Requests[KindSitemap] != 2 {
			t.Errorf("%d sitemaps were asked for", sum.Requests[KindSitemap])
		}
		if sum.Bytes < 200_000 {
			t.Errorf("%d bytes counted", sum.Bytes)
		}
	})
}

// What was never whole is asked for anew, whatever validators came with it.
func TestAPageThatWasNeverWholeIsNotAskedForConditionally(t *testing.T) {
	store, err := OpenFileStore(t.TempDir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	big := links("/a") + strings.Repeat("x", 4000)
	conditional := 0
	s := &site{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/robots.txt" {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Etag", `"1"`)
		w.Header().Set("Content-Type", "text/html")
		if r.Header.Get("If-None-Match") != "" {
			conditional++
			w.WriteHeader(http.StatusNotModified)
			return
		}
		fmt.Fprint(w, big)
	})}
	for i, limit := range []int64{1000, 10_000} {
		c := &Crawler{Fetcher: s, Limiter: fast(), Store: store, Budget: Budget{PageBytes: limit}, Discover: DiscoverNothing}
		got, _ := crawl(t, c, "https://site.test/")
		p := got["https://site.test/"]
		if want := []Outcome{OutcomeTooLarge, OutcomeAnalysed}[i]; p.Outcome != want || conditional > 0 {
			t.Errorf("run %d: %v, %d conditional requests", i, p.Outcome, conditional)
		}
		if i == 1 && p.Change != ChangeUnknown {
			t.Errorf("change %v from a page that was not whole", p.Change)
		}
	}
}

func TestTwoRunsAtOnceOnOneStoreAreRefused(t *testing.T) {
	file, err := OpenFileStore(t.TempDir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for name, store := range map[string]Store{"memory": NewMemoryStore(), "file": file} {
		c := &Crawler{Agent: testAgent, Fetcher: endless(10), Limiter: fast(), Store: store}
		for p, err := range c.Pages(t.Context(), "https://site.test/0") {
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if p.URL == "https://site.test/0" {
				if _, err := c.Run(t.Context(), "https://other.test/0"); !errors.Is(err, ErrStore) {
					t.Errorf("%s: the second run: %v", name, err)
				}
			}
			if p.Outcome != OutcomeAnalysed {
				t.Errorf("%s: %s: %v", name, p.URL, p.Outcome)
			}
		}
	}
}

func TestSummaryCountsAllThatWaits(t *testing.T) {
	store, err := OpenFileStore(t.TempDir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	n := 0
	c := &Crawler{Agent: testAgent, Fetcher: endless(50_000), Limiter: fast(), Store: store, Budget: Budget{Pages: Unlimited}}
	sum, _ := c.Each(ctx, func(*Page) bool {
		if n++; n == 400 {
			cancel()
		}
		return true
	}, "https://site.test/0")
	if sum.Waiting != store.Waiting() || sum.Waiting < 2000 {
		t.Errorf("the summary says %d wait, the store %d", sum.Waiting, store.Waiting())
	}
}

// What a run could not get round to is not forgotten by it.
func TestAnEarlierRunsRecordsOutliveATimeBudget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := openStore(t, t.TempDir(), FileStoreOptions{})
		s := endless(60)
		for i, limit := range []time.Duration{0, 20 * time.Second, 0} {
			got, sum := crawl(t, &Crawler{Fetcher: s, Store: store, Budget: Budget{Time: limit}}, "https://site.test/0")
			if len(got) != 60 && i != 1 {
				t.Fatalf("run %d: %v", i, sum.Outcomes)
			}
			if i == 2 && sum.Changes[ChangeNone] != 60 {
				t.Errorf("changes %v", sum.Changes)
			}
			time.Sleep(time.Hour)
		}
	})
}
