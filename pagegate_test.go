package amble

import (
	"context"
	"net/http"
	"net/url"
	"testing"
	"testing/synctest"
	"time"
)

// pageFetcherFunc is a Fetcher made of a function.
type pageFetcherFunc func(ctx context.Context, req *Request) (*Response, error)

func (f pageFetcherFunc) Fetch(ctx context.Context, req *Request) (*Response, error) {
	return f(ctx, req)
}

// A Fetcher of whole pages whose file is refused loads the page once more after the wait: its second request takes the
// place of the first, though a server that is backing off gets one page at a time, and the time of the exchange stands still
// while it waits (S17).
func TestPageIsLoadedOnceMore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		limiter := &ServerLimiter{Backoff: Backoff{Jitter: -1}}
		var again time.Duration
		renderer := pageFetcherFunc(func(ctx context.Context, req *Request) (*Response, error) {
			page, _ := url.Parse("https://example.com/page")
			file := page.JoinPath("../file.css")
			start := time.Now()
			done, err := req.Gate.Pass(ctx, file, KindResource)
			if err != nil {
				return nil, err
			}
			advice := done(Feedback{Status: http.StatusTooManyRequests, Header: http.Header{"Retry-After": {"25"}}})
			if !advice.Retry {
				t.Errorf("the advice is %+v", advice)
			}
			if done, err = req.Gate.Pass(ctx, req.URL, req.Kind); err != nil {
				return nil, err
			}
			again = time.Since(start)
			time.Sleep(20 * time.Second) // of the 30 that a page has
			if done(Feedback{Status: http.StatusTooManyRequests}).Retry {
				t.Error("the page may be loaded for a third time")
			}
			return &Response{URL: req.URL, Status: http.StatusOK, Proto: "HTTP/1.1", Header: http.Header{"Content-Type": {"text/html"}}, Body: []byte("<title>t</title>")}, ctx.Err()
		})
		c := &Crawler{Agent: Agent{Name: "AmbleTest", InfoURL: "https://amble.test/bot"}, Limiter: limiter, Discover: DiscoverNothing,
			Fetcher: pageFetcherFunc(func(ctx context.Context, req *Request) (*Response, error) {
				if req.Kind == KindPage {
					return renderer(ctx, req)
				}
				return &Response{URL: req.URL, Status: http.StatusNotFound, Proto: "HTTP/1.1", Header: http.Header{}}, nil
			})}
		sum, err := c.Run(t.Context(), "https://example.com/page")
		if err != nil || sum.Outcomes[OutcomeAnalysed] != 1 {
			t.Fatalf("%v: %v", sum.Outcomes, err)
		}
		if again < 25*time.Second || again > 27*time.Second {
			t.Errorf("loaded once more after %v", again)
		}
		if n := sum.Requests[KindPage]; n != 2 {
			t.Errorf("%d requests for the page are told", n)
		}
		for _, s := range limiter.Servers() {
			if s.InFlight != 0 {
				t.Errorf("a turn was never given back: %v", s)
			}
		}
	})
}
