package amble_test

import (
	"context"
	"fmt"
	"net/http"

	"github.com/amblecrawl/amble"
)

// smallSite is the site of the examples.
func smallSite() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/robots.txt", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, "User-agent: *\nDisallow: /private/\n")
	})
	mux.HandleFunc("/{$}", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `<!doctype html><title>Home</title><a href="/private/diary">diary</a> <a href="https://other.example/">friend</a>`)
	})
	return mux
}

// A crawl yields every URL it ever saw, with how it ended and why. This one takes place in process: the pace is for
// servers, and is left out.
func ExampleCrawler_Pages() {
	crawler := &amble.Crawler{
		Agent:   amble.Agent{Name: "ExampleAudit", InfoURL: "https://example.com/crawler"},
		Fetcher: amble.HandlerFetcher(smallSite()),
		Limiter: &amble.ServerLimiter{Pace: -1},
		Workers: 1,
	}
	for page, err := range crawler.Pages(context.Background(), "https://site.example/") {
		if err != nil {
			fmt.Println("the crawl failed:", err)
			return
		}
		if page.Outcome == amble.OutcomeAnalysed {
			fmt.Printf("%s %q\n", page.URL, page.Meta.Title)
		} else {
			fmt.Println(page.URL, page.Outcome, page.Reason)
		}
	}
	// Unordered output:
	// https://site.example/ "Home"
	// https://site.example/private/diary disallowed robots.txt line 2: Disallow: /private/ (user-agent: *)
	// https://other.example/ out-of-scope not covered by the scope (https://site.example)
}

// Run drains the crawl and sums up.
func ExampleCrawler_Run() {
	crawler := &amble.Crawler{
		Agent:   amble.Agent{Name: "ExampleAudit", InfoURL: "https://example.com/crawler"},
		Fetcher: amble.HandlerFetcher(smallSite()),
		Limiter: &amble.ServerLimiter{Pace: -1},
	}
	sum, err := crawler.Run(context.Background(), "https://site.example/")
	if err != nil {
		fmt.Println("the crawl failed:", err)
		return
	}
	fmt.Println(sum.URLs(), "URLs,", sum.Outcomes[amble.OutcomeAnalysed], "analysed,", sum.Requests[amble.KindPage], "page asked for")
	// Output: 3 URLs, 1 analysed, 1 page asked for
}
