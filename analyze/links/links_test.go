package links_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"testing"
	"testing/synctest"

	"github.com/amblecrawl/amble"
	"github.com/amblecrawl/amble/analyze/links"
	"github.com/amblecrawl/amble/analyze/text"
)

func TestTextsAreCompleteInEachLanguage(t *testing.T) {
	a := &links.Analyzer{}
	for _, rule := range a.Rules() {
		for _, lang := range text.Languages() {
			en, _ := a.Text(rule.ID, "en")
			got, ok := a.Text(rule.ID, lang)
			if !ok || got.Title == "" || got.Why == "" || got.Fix == "" || lang != "en" && got == en {
				t.Errorf("%s in %s: %+v", rule.ID, lang, got)
			}
		}
		if rule.Title == "" || rule.Explanation == "" || rule.Fix == "" || rule.Needs != amble.NeedLinks {
			t.Errorf("%+v", rule)
		}
	}
	if es := (&links.Analyzer{Language: "es"}).Rules()[0]; es.Title != "Los enlaces y archivos llevan a algo que existe" {
		t.Errorf("%+v", es)
	}
}

// world answers for every server.
var world = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
	page := func(body string) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, "<!doctype html><title>t</title>", body)
	}
	switch r.Host + r.URL.Path {
	case "site.test/":
		page(`<a href="/two">two</a> <a href="/gone">gone</a> <a href="https://other.test/gone">gone</a> <img src="/missing.png">
			<a href="/old">old</a> <a href="/for-now">for now</a> <a href="https://other.test/moved">moved</a> <a href="https://other.test/for-now">for now</a>
			<a href="https://other.test/wall">wall</a> <a href="/two#none">none</a> <a href="/two#there">there</a> <a href="/app#made">made</a>
			<a href="http://[bad">bad</a> <a href="mailto:nobody">mail</a> <a href="tel:call me">call</a> <a href="/private">private</a> <a href="https://other.test/fine">fine</a>`)
	case "site.test/two":
		page(`<p id="there">here</p><a href="/gone">gone</a><a href="/gone">gone</a>`)
	case "site.test/app":
		page(`<script src="/app.js"></script>`)
	case "site.test/robots.txt":
		fmt.Fprint(w, "User-agent: *\nDisallow: /private\n")
	case "site.test/old", "other.test/moved":
		http.Redirect(w, r, "/fine", http.StatusMovedPermanently)
	case "site.test/for-now", "other.test/for-now":
		http.Redirect(w, r, "/fine", http.StatusFound)
	case "site.test/fine", "other.test/fine", "site.test/app.js":
		io.WriteString(w, "fine")
	case "other.test/wall":
		w.WriteHeader(http.StatusForbidden)
	default:
		http.NotFound(w, r)
	}
})

func TestIssue5OneFindingForEachTarget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &amble.Crawler{Agent: amble.Agent{Name: "AmbleTest", InfoURL: "https://amble.test/bot"}, Fetcher: amble.HandlerFetcher(world),
			Links: &amble.LinkCheck{}, Analyzers: []amble.Analyzer{&links.Analyzer{}}}
		sum, err := c.Run(t.Context(), "https://site.test/")
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]amble.Finding{}
		for _, f := range sum.SiteFindings {
			key := f.Rule + " " + f.Target
			if _, twice := got[key]; twice {
				t.Errorf("%s comes twice", key)
			}
			got[key] = f
		}
		want := map[string]string{
			"link-broken https://site.test/gone":              "failed serious",
			"link-broken https://site.test/missing.png":       "failed serious",
			"link-broken https://other.test/gone":             "failed warning",
			"link-broken-fragment https://site.test/two#none": "failed notice",
			"link-broken-fragment https://site.test/app#made": "cantTell notice",
			"link-redirected https://site.test/old":           "failed notice",
			"link-redirected https://site.test/for-now":       "failed notice",
			"link-redirected https://other.test/moved":        "failed notice",
			"link-unverifiable https://other.test/wall":       "cantTell info",
			"link-invalid http://[bad":                        "failed serious",
			"link-mailto mailto:nobody":                       "failed notice",
			"link-tel tel:call me":                            "failed notice",
		}
		for key, w := range want {
			if f, ok := got[key]; !ok || fmt.Sprint(f.Result, " ", f.Severity) != w || f.URL == "" || f.Message == "" || f.Fingerprint == "" {
				t.Errorf("%s: %+v, want %s", key, f, w)
			}
			delete(got, key)
		}
		for key, f := range got {
			t.Errorf("unexpected %s: %+v", key, f)
		}
	})
}

func TestEvidenceTellsWhoNamesATarget(t *testing.T) {
	l := &amble.LinkResult{URL: "https://a.test/", Final: "https://b.test/", Verdict: amble.LinkRedirected, Status: 200, Pages: 3, References: 5,
		Chain: []amble.Hop{{URL: "https://a.test/", Status: 301}}, Referrers: []string{"https://site.test/1", "https://site.test/2"}}
	var found []amble.Finding
	for _, first := range []string{"https://site.test/1", "https://site.test/9"} {
		l.Referrers[0] = first
		if err := (&links.Analyzer{}).AnalyzeLink(context.Background(), l, func(f amble.Finding) { found = append(found, f) }); err != nil {
			t.Fatal(err)
		}
	}
	e := found[0].Evidence
	if e["chain"] != "301 https://a.test/ > https://b.test/" || e["pages"] != "3" || e["references"] != "5" || e["referrers"] != "https://site.test/1\nhttps://site.test/2" {
		t.Errorf("%v", e)
	}
	if found[0].Fingerprint != found[1].Fingerprint {
		t.Error("the fingerprint depends on which page came first")
	}
}

func TestAnalyzerNeedsLinks(t *testing.T) {
	c := &amble.Crawler{Agent: amble.Agent{Name: "AmbleTest", InfoURL: "https://amble.test/bot"}, Analyzers: []amble.Analyzer{&links.Analyzer{}}}
	if _, err := c.Run(t.Context(), "https://site.test/"); err == nil {
		t.Error("without Crawler.Links its rules cannot be judged, and nobody says so")
	}
}

func ExampleAnalyzer() {
	c := &amble.Crawler{
		Agent:     amble.Agent{Name: "ExampleAudit", InfoURL: "https://example.com/crawler"},
		Fetcher:   amble.HandlerFetcher(world), // without it: the network
		Limiter:   &amble.ServerLimiter{Pace: -1},
		Links:     &amble.LinkCheck{SkipExternal: true},
		Analyzers: []amble.Analyzer{&links.Analyzer{}},
	}
	sum, err := c.Run(context.Background(), "https://site.test/")
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, f := range sum.SiteFindings {
		if f.Rule == links.Broken {
			fmt.Println(f.Target, "is named by", f.Evidence["pages"], "pages:", f.Message)
		}
	}
	// Unordered output:
	// https://site.test/gone is named by 2 pages: Broken: status 404 Not Found.
	// https://site.test/missing.png is named by 1 pages: Broken: status 404 Not Found.
}
