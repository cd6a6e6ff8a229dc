package amble_test

import (
	"context"
	"fmt"

	"github.com/amblecrawl/amble"
)

// shortTitles finds pages whose title says little.
type shortTitles struct{}

func (shortTitles) Rules() []amble.Rule {
	return []amble.Rule{{
		ID: "title-short", Title: "The title says what the page is about", Severity: amble.Notice, Needs: amble.NeedMeta,
	}}
}

func (shortTitles) Analyze(_ context.Context, p *amble.Page, report func(amble.Finding)) error {
	if p.Meta != nil && len(p.Meta.Title) < 10 {
		report(amble.Finding{Rule: "title-short", Message: fmt.Sprintf("%q is short", p.Meta.Title)})
	}
	return nil
}

// An Analyzer describes its rules as data and reports findings; the crawl fills in the rest.
func ExampleAnalyzer() {
	crawler := &amble.Crawler{
		Agent:     amble.Agent{Name: "ExampleAudit", InfoURL: "https://example.com/crawler"},
		Fetcher:   amble.HandlerFetcher(smallSite()),
		Limiter:   &amble.ServerLimiter{Pace: -1},
		Analyzers: []amble.Analyzer{shortTitles{}},
	}
	for page, err := range crawler.Pages(context.Background(), "https://site.example/") {
		if err != nil {
			fmt.Println(err)
			return
		}
		for _, f := range page.Findings {
			fmt.Println(f.Severity, f.Rule, f.URL, f.Message)
		}
	}
	// Output: notice title-short https://site.example/ "Home" is short
}
