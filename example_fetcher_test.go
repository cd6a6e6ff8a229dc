package amble_test

import (
	"context"
	"fmt"
	"sync/atomic"

	"github.com/amblecrawl/amble"
)

// counted is a decorator: it looks at every exchange, and neither retries nor waits, since the Limiter does.
func counted(next amble.Fetcher, sent *atomic.Int64) amble.Fetcher {
	return amble.FetcherFunc(func(ctx context.Context, req *amble.Request) (*amble.Response, error) {
		sent.Add(1)
		return next.Fetch(ctx, req)
	})
}

// Every request of a crawl goes through its Fetcher, robots.txt included, so that a decorator sees them all.
func ExampleFetcher() {
	var sent atomic.Int64
	crawler := &amble.Crawler{
		Agent:   amble.Agent{Name: "ExampleAudit", InfoURL: "https://example.com/crawler"},
		Fetcher: counted(amble.HandlerFetcher(smallSite()), &sent),
		Limiter: &amble.ServerLimiter{Pace: -1},
	}
	if _, err := crawler.Run(context.Background(), "https://site.example/"); err != nil {
		fmt.Println(err)
	}
	fmt.Println(sent.Load(), "requests")
	// Output: 2 requests
}
