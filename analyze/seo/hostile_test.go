package seo_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/amblecrawl/amble"
	"github.com/amblecrawl/amble/analyze/seo"
)

// FuzzAnalyze: whatever the bytes, a page is judged without a panic, the site's end included, and the number of findings
// is bounded.
func FuzzAnalyze(f *testing.F) {
	for _, s := range []string{
		"", "<", "<!doctype html><title>x</title>", strings.Repeat("<h1><div>", 300) + "x",
		strings.Repeat("<picture>", 400), strings.Repeat(`<a href="/x" aria-labelledby="x y"></a>`, 300) + `<p id="x">X</p>`,
		`<link rel=alternate hreflang=en href="//[">` + `<link rel=canonical href="http://a b/">`,
		`<script type="application/ld+json">` + strings.Repeat("[", 5000), "\xff\xfe<\x00a\x00",
		`<meta name=robots content="none, all, unavailable_after: , max-snippet:99999999999999">`,
		strings.Repeat(`<img src=x>`, 3000),
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		a := seo.New(amble.Agent{Name: "AmbleTest"})
		u := &url.URL{Scheme: "https", Host: "site.test", Path: "/a"}
		h := http.Header{"Content-Type": {"text/html"}}
		p := &amble.Page{URL: u.String(), Status: 200, Response: &amble.Response{Status: 200, Header: h, Body: body}}
		p.Meta = amble.ParseMeta(body, u, h, nil, time.Time{})
		n := 0
		count := func(amble.Finding) { n++ }
		if err := a.Analyze(t.Context(), p, count); err != nil {
			t.Fatal(err)
		}
		if n > 1100 {
			t.Errorf("%d findings on one page", n)
		}
		p.Outcome = amble.OutcomeAnalysed
		a.See(p)
		if err := a.Finish(t.Context(), count); err != nil {
			t.Fatal(err)
		}
	})
}
