package amble

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// Whichever page the caller leaves at, or cancels at, the next run brings the rest, and no page twice.
func TestLeavingAtAnyPageLosesNoneAndRepeatsNone(t *testing.T) {
	const n = 14
	for _, cancels := range []bool{false, true} {
		for stop := 1; stop <= n; stop++ {
			synctest.Test(t, func(t *testing.T) {
				store := openStore(t, t.TempDir(), FileStoreOptions{})
				ended := map[string]int{}
				for i := range 2 {
					ctx, cancel := context.WithCancel(t.Context())
					c := &Crawler{Agent: testAgent, Fetcher: endless(n), Limiter: fast(), Store: store}
					k := 0
					for p, err := range c.Pages(ctx, "https://site.test/0") {
						if err != nil {
							break
						}
						if p.Outcome == OutcomeAnalysed {
							ended[p.URL]++
						}
						if k++; i == 0 && k == stop {
							if !cancels {
								break
							}
							cancel()
						}
					}
					cancel()
				}
				for u, times := range ended {
					if times != 1 && len(ended) == n && stop < n {
						t.Errorf("cancels %v, stop at %d: %s came %d times", cancels, stop, u, times)
					}
				}
				if len(ended) != n {
					t.Errorf("cancels %v, stop at %d: %d pages of %d", cancels, stop, len(ended), n)
				}
			})
		}
	}
}

func TestAPanicOfTheCallersLoopEndsTheCrawlFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // the bubble fails when a goroutine is left
		defer func() {
			if v := recover(); v != "caller" {
				t.Errorf("recovered %v", v)
			}
		}()
		c := &Crawler{Agent: testAgent, Fetcher: endless(100), Limiter: fast()}
		_, _ = c.Each(t.Context(), func(*Page) bool { panic("caller") }, "https://site.test/0")
	})
}

// One robots.txt serves two crawls: when the one that fetches it is cancelled, the other fetches it itself.
func TestRobotsFetchOfACancelledCrawlDoesNotHarmAnother(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &RFC9309{Tokens: []string{"AmbleTest"}}
		slow := FetcherFunc(func(ctx context.Context, req *Request) (*Response, error) {
			select {
			case <-time.After(10 * time.Second):
				return &Response{URL: req.URL, Status: 404, Header: http.Header{}}, nil
			case <-ctx.Done():
				return nil, context.Cause(ctx)
			}
		})
		u, _ := url.Parse("https://site.test/x")
		first, cancel := context.WithTimeout(t.Context(), 3*time.Second)
		defer cancel()
		var both sync.WaitGroup
		both.Go(func() {
			if _, err := p.Check(first, u, slow); err == nil {
				t.Error("the cancelled one got a verdict")
			}
		})
		both.Go(func() {
			time.Sleep(time.Second)
			if v, err := p.Check(t.Context(), u, slow); err != nil || !v.Allowed || v.State != RobotsNone {
				t.Errorf("%+v, %v", v, err)
			}
		})
		both.Wait()
	})
}

func TestC9SummarySaysWhatWasClamped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := pages(map[string]string{"/robots.txt": "User-agent: *\nCrawl-delay: 60\n", "/": links()})
		_, sum := crawl(t, &Crawler{Fetcher: s}, "https://site.test/")
		if note := sum.Servers[0].Note; !strings.Contains(note, "1m0s") || !strings.Contains(note, "10s") {
			t.Errorf("note %q", note)
		}
	})
}

// unpaced hides what a Limiter forecasts: workers wait inside Acquire.
type unpaced struct{ Limiter }

func TestLimiterWithoutForecastServesManyServers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := endless(10)
		var seeds []string
		for i := range 12 {
			seeds = append(seeds, fmt.Sprintf("https://h%d.test/0", i))
		}
		start := time.Now()
		got, _ := crawl(t, &Crawler{Fetcher: s, Limiter: unpaced{&ServerLimiter{}}, Workers: 4}, seeds...)
		if len(got) != 120 || time.Since(start) > 2*time.Minute {
			t.Errorf("%d pages in %v", len(got), time.Since(start))
		}
	})
}
