package amble_test

import (
	"context"
	"fmt"

	"github.com/amblecrawl/amble"
)

// Plan asks for robots.txt, and for no page.
func ExampleCrawler_Plan() {
	crawler := &amble.Crawler{
		Agent:   amble.Agent{Name: "ExampleAudit", InfoURL: "https://example.com/crawler"},
		Scope:   amble.Scope{Prefixes: []string{"https://site.example/"}},
		Fetcher: amble.HandlerFetcher(smallSite()),
		Limiter: &amble.ServerLimiter{Pace: -1},
	}
	seeds := []string{"https://site.example/", "https://site.example/private/diary", "https://other.example/"}
	for d, err := range crawler.Plan(context.Background(), seeds...) {
		if err != nil {
			fmt.Println("the plan failed:", err)
			return
		}
		fmt.Println(d.Fetch, d.URL, d.Reason)
	}
	// Unordered output:
	// true https://site.example/ no rule of robots.txt matches (user-agent: *)
	// false https://site.example/private/diary robots.txt line 2: Disallow: /private/ (user-agent: *)
	// false https://other.example/ not covered by the scope (https://site.example/)
}
