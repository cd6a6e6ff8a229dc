package seo_test

import (
	"fmt"
	"net/http"
	"net/url"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/amblecrawl/amble"
	"github.com/amblecrawl/amble/ambletest"
	"github.com/amblecrawl/amble/analyze/seo"
)

// show gives a page to the Analyzer as a crawl would.
func show(b testing.TB, a *seo.Analyzer, i int, body string, header http.Header) {
	address := fmt.Sprintf("https://site.test/section-%d/page-%d", i%100, i)
	u, err := url.Parse(address)
	if err != nil {
		b.Fatal(err)
	}
	p := &amble.Page{URL: address, Status: 200, Source: amble.SourceLink,
		Response: &amble.Response{Status: 200, Header: header, Body: []byte(body)}}
	p.Meta = amble.ParseMeta(p.Response.Body, u, header, nil, time.Time{})
	if err := a.Analyze(b.Context(), p, func(amble.Finding) {}); err != nil {
		b.Fatal(err)
	}
	p.Outcome = amble.OutcomeAnalysed
	a.See(p)
}

func benchPage(i, pages int) string {
	var links strings.Builder
	for k := range 60 {
		n := (i*7 + k*k*31) % pages
		fmt.Fprintf(&links, `<a href="/section-%d/page-%d">The page number %d</a> `, n%100, n, n)
	}
	return fmt.Sprintf(`<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>Page number %d of a large site</title>
<meta name="description" content="What page number %d of a large site has to say about its subject, in a sentence.">
<link rel="canonical" href="https://site.test/section-%d/page-%d"></head><body><h1>Page %d</h1><p>%s</p>%s</body></html>`,
		i, i, i%100, i, i, strings.Join(vocabulary(fmt.Sprint(i), 120), " "), links.String())
}

// BenchmarkSite judges a site of pages with 60 links in one pass; B/page is what is kept of each until the end.
// AMBLE_BENCH_PAGES=100000 makes it a large one.
func BenchmarkSite(b *testing.B) {
	pages := 2000
	if n := os.Getenv("AMBLE_BENCH_PAGES"); n != "" {
		fmt.Sscan(n, &pages)
	}
	header := http.Header{"Content-Type": {"text/html"}}
	for b.Loop() {
		a := seo.New(amble.Agent{Name: "AmbleTest"})
		before := heap()
		for i := range pages {
			show(b, a, i, benchPage(i, pages), header)
		}
		kept := heap() - before
		start := time.Now()
		found := 0
		if err := a.Finish(b.Context(), func(amble.Finding) { found++ }); err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(kept)/float64(pages), "B/page")
		b.ReportMetric(float64(time.Since(start).Microseconds())/float64(pages), "finish-µs/page")
		b.ReportMetric(float64(found), "findings")
		runtime.KeepAlive(a)
	}
}

func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// TestGnuplotDoc crawls a clean real site, written by a generator that nobody tuned for search: there is much that could be
// better and nothing that is wrong.
func TestGnuplotDoc(t *testing.T) {
	const root = "/usr/share/doc/gnuplot/htmldocs"
	if _, err := os.Stat(root + "/index.html"); err != nil {
		t.Skip("gnuplot-doc is not installed")
	}
	c := ambletest.Crawler(t, http.FileServer(http.Dir(root)))
	c.Budget.Pages = amble.Unlimited
	c.Analyzers = []amble.Analyzer{seo.New(c.Agent)}
	certainty := make(map[string]amble.Certainty)
	for _, r := range c.Analyzers[0].Rules() {
		certainty[r.ID] = r.Certainty
	}
	r := ambletest.Run(t, c, "/")
	count, example := make(map[string]int), make(map[string]amble.Finding)
	add := func(f amble.Finding) {
		key := certainty[f.Rule].String() + " " + f.Rule + " " + f.Result.String()
		if count[key] == 0 {
			example[key] = f
		}
		count[key]++
	}
	for _, p := range r.Pages {
		for _, f := range p.Findings {
			add(f)
		}
	}
	for _, f := range r.Summary.SiteFindings {
		add(f)
	}
	for key, n := range count {
		if strings.HasPrefix(key, "issue ") && strings.HasSuffix(key, " failed") {
			t.Errorf("called an issue: %s, %d times, such as %+v", key, n, example[key])
		}
		t.Logf("%5d %s: %s %s %q line %d: %s %v", n, key, example[key].URL, example[key].Target, example[key].Snippet, example[key].Line, example[key].Message, example[key].Evidence)
	}
}
