package seo_test

import (
	"context"
	"fmt"
	"net/http"

	"github.com/amblecrawl/amble"
	"github.com/amblecrawl/amble/analyze/seo"
)

// A small site, judged in process. Findings about the site as a whole come at the end, once for each target.
func ExampleNew() {
	pages := map[string]string{
		"/":    `<!doctype html><html lang="en"><title>The bakery of the old town</title><h1>Bread</h1><a href="/old">Cakes</a>`,
		"/new": `<!doctype html><html lang="en"><title>Cakes from the old town bakery</title><h1>Cakes</h1><a href="/">Bread</a>`,
	}
	site := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch body, ok := pages[r.URL.Path]; {
		case r.URL.Path == "/old":
			http.Redirect(w, r, "/new", http.StatusMovedPermanently)
		case ok:
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			fmt.Fprint(w, body)
		default:
			http.NotFound(w, r)
		}
	})
	agent := amble.Agent{Name: "ExampleAudit", InfoURL: "https://example.com/crawler"}
	judge := seo.New(agent)
	c := &amble.Crawler{Agent: agent, Fetcher: amble.HandlerFetcher(site), Limiter: &amble.ServerLimiter{Pace: -1}, Analyzers: []amble.Analyzer{judge}}
	sum, err := c.Run(context.Background(), "https://bakery.test/")
	if err != nil {
		fmt.Println(err)
	}
	for _, f := range sum.SiteFindings {
		fmt.Println(f.Rule, f.Target, "linked from", f.URL)
		t, _ := judge.Text(f.Rule, "es")
		fmt.Println(t.Fix)
	}
	// Output:
	// redirect-internal https://bakery.test/old linked from https://bakery.test/
	// Enlace a la dirección final.
}
