package conformance_test

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"strings"

	"github.com/amblecrawl/amble"
	"github.com/amblecrawl/amble/analyze/a11y"
	"github.com/amblecrawl/amble/analyze/a11y/conformance"
)

var shop = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path != "/" {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	fmt.Fprint(w, `<!doctype html><html lang="en"><title>Shop</title><main><h1>Shop</h1><p>All that you need for the kitchen.</p>
		<img src="/cart.png"><label>Search <input name="q"></label></main>`)
})

// The tables of a crawl.
func ExampleCollector() {
	var c conformance.Collector
	crawler := &amble.Crawler{
		Agent:     amble.Agent{Name: "ExampleAudit", InfoURL: "https://example.com/crawler"},
		Fetcher:   amble.HandlerFetcher(shop),
		Analyzers: []amble.Analyzer{&a11y.Analyzer{OnReport: c.Add}},
	}
	if _, err := crawler.Run(context.Background(), "http://shop.test/"); err != nil {
		fmt.Println(err)
		return
	}
	table := c.Table()
	for _, number := range []string{"1.1.1", "2.4.2", "1.4.3", "1.2.2"} {
		r, _ := table.Row(number)
		fmt.Printf("%s %s: %s, judged %s, %v\n", number, r.Criterion.Name, r.Status, r.Coverage, r.Failing)
	}
	rgaa, _ := conformance.StandardByID("rgaa-4.1")
	for _, r := range table.Standard(rgaa) {
		if r.Status == conformance.Failed {
			fmt.Println("RGAA", r.Number, r.Failing)
		}
	}
	// Output:
	// 1.1.1 Non-text Content: failed, judged part, [image-name]
	// 2.4.2 Page Titled: nothing-found, judged part, []
	// 1.4.3 Contrast (Minimum): not-judged, judged mostly, []
	// 1.2.2 Captions (Prerecorded): not-judged, judged people, []
	// RGAA 1.1 [image-name]
}

// The clauses of EN 301 549, in German.
func ExampleTable_WriteStandard() {
	var c conformance.Collector
	rep, err := a11y.CheckHTML(context.Background(), []byte(`<!doctype html><html><title>Laden</title>`), "https://example.com/", "text/html", nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	c.Add(rep)
	var out strings.Builder
	en, _ := conformance.StandardByID("en-301-549-v3.2.1")
	if err := c.Table().WriteStandard(&out, en, "de"); err != nil {
		fmt.Println(err)
		return
	}
	for line := range strings.Lines(out.String()) {
		if strings.HasPrefix(line, "| 9.3.1") || strings.HasPrefix(line, "#") {
			fmt.Print(line)
		}
	}
	// Output:
	// # EN 301 549 V3.2.1
	// | 9.3.1.1 | 3.1.1 | verfehlt | größtenteils | Die Seite nennt ihre Sprache |
	// | 9.3.1.2 | 3.1.2 | kein Fehler gefunden | zum Teil |  |
}

// A draft that people complete.
func ExampleTable_WriteOpenACR() {
	var c conformance.Collector
	rep, err := a11y.CheckHTML(context.Background(), []byte(`<!doctype html><html><title>Shop</title>`), "https://example.com/", "text/html", nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	c.Add(rep)
	f, err := os.CreateTemp("", "acr-*.yaml")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.Remove(f.Name())
	defer f.Close()
	err = c.Table().WriteOpenACR(f, conformance.ACR{Product: "Shop", Author: conformance.Contact{Email: "access@example.com"}})
	r, _ := c.Table().Row("3.1.1")
	fmt.Println(err, r.Adherence(1))
	// Output: <nil> does-not-support
}
