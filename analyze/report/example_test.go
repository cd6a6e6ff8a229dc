package report_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"

	"github.com/amblecrawl/amble"
	"github.com/amblecrawl/amble/analyze"
	"github.com/amblecrawl/amble/analyze/report"
)

// A crawl is reported to people and to machines at once.
func Example() {
	site := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/" {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, `<!doctype html><html><title>Shop</title><h1>Shop</h1></html>`)
	})
	crawler := &amble.Crawler{
		Agent:   amble.Agent{Name: "ExampleAudit", InfoURL: "https://example.com/crawler"},
		Fetcher: amble.HandlerFetcher(site), // in process, so no pace is needed
		Limiter: &amble.ServerLimiter{Pace: -1},
	}
	crawler.Analyzers = []amble.Analyzer{analyze.Metadata(crawler.Agent)}
	options := report.Options{Agent: crawler.Agent, Rules: report.RulesOf(crawler.Analyzers...)}

	people := report.NewCollector(options)
	machines := report.NewJSONL(io.Discard, options)
	summary, err := report.Each(context.Background(), crawler, []string{"https://shop.test/"}, people, machines)
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := people.WriteHTML(io.Discard, "es"); err != nil {
		fmt.Println(err)
	}
	e := people.Estimate()
	fmt.Printf("%.0f points, %d of %d pages\n", e.Score, e.Analysed, e.Known)
	fmt.Println(report.NewCourtesy(summary, crawler.Agent).Servers[0].Total, "requests")
	// Output:
	// 96 points, 1 of 1 pages
	// 2 requests
}

func ExampleSample() {
	urls := []string{"https://shop.test/", "https://shop.test/help", "https://shop.test/item/1", "https://shop.test/item/2",
		"https://shop.test/item/3", "https://shop.test/item/4"}
	for _, s := range report.Sample(urls, report.Sampling{Size: 4, Random: 0.25, Seed: 1}) {
		fmt.Println(s.Why, s.Kind)
	}
	// Output:
	// home shop.test/
	// kind shop.test/item/*
	// kind shop.test/help
	// random shop.test/item/*
}

func ExampleCompare() {
	finding := func(page string) report.FindingRecord {
		return report.FindingRecord{Rule: "title-missing", Page: page, Result: "failed", Severity: "serious", Fingerprint: page}
	}
	run := func(outcome string, findings ...report.FindingRecord) *report.Run {
		return &report.Run{Header: report.Header{Rules: []report.RuleRecord{{ID: "title-missing"}}}, Findings: findings,
			Pages: map[string]report.PageRecord{"/a": {Outcome: "analysed"}, "/b": {Outcome: outcome}}}
	}
	d := report.Compare(run("analysed", finding("/a"), finding("/b")), run("blocked"))
	_ = d.WriteText(os.Stdout, "en")
	// Output:
	// New: 0
	// Fixed: 1
	//   - [serious] title-missing: /a
	// Still there: 0
	// Not comparable, since the page or rule was not examined in both runs: 1
	//   ? title-missing /b (not analysed: blocked)
}

func ExampleEstimator() {
	var e report.Estimator
	for i := range 40 {
		e.Add(amble.OutcomeAnalysed, float64(80+i%5))
	}
	for range 60 {
		e.Add(amble.OutcomeOverBudget, 0)
	}
	fmt.Printf("%.0f\n", e.Estimate().Score)
	var few report.Estimator
	few.Add(amble.OutcomeAnalysed, 80)
	few.Unseen(500)
	fmt.Println(few.Estimate().Valid)
	// Output:
	// 82
	// false
}
