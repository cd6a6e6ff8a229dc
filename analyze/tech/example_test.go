package tech_test

import (
	"context"
	"fmt"
	"net/http"

	"github.com/amblecrawl/amble"
	"github.com/amblecrawl/amble/analyze/tech"
)

func ExampleNew() {
	site := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Header().Set("Strict-Transport-Security", "includeSubDomains")
		fmt.Fprint(w, `<!doctype html><title>Bread</title><p id="a">Bread<p id="a">Cakes`)
	})
	c := &amble.Crawler{Agent: amble.Agent{Name: "ExampleAudit", InfoURL: "https://example.com/crawler"},
		Fetcher: amble.HandlerFetcher(site), Limiter: &amble.ServerLimiter{Pace: -1}, Analyzers: []amble.Analyzer{tech.New()}}
	sum, err := c.Each(context.Background(), func(p *amble.Page) bool {
		for _, f := range p.Findings {
			if f.Rule == "duplicate-id" {
				fmt.Println(f.Message)
			}
		}
		return true
	}, "https://bakery.test/")
	if err != nil {
		fmt.Println(err)
	}
	for _, f := range sum.SiteFindings {
		if f.Rule == "hsts-invalid" {
			fmt.Println(f.Message)
		}
	}
	// Output:
	// The id a is given 2 times.
	// Strict-Transport-Security is ignored: it has no max-age.
}
