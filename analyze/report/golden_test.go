package report

import (
	"bytes"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/amblecrawl/amble"
)

// fixture is a crawl written down by hand, so that the golden files change only when the reports do.
func fixture() (Options, []*amble.Page, []*amble.LinkResult, *amble.Summary) {
	start := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	at := func(s int) time.Time { return start.Add(time.Duration(s) * time.Second) }
	const base = "https://site.test/"
	o := Options{Agent: amble.Agent{Name: "AmbleTest", Version: "1.2", InfoURL: "https://site.test/bot", Contact: "crawl@site.test"},
		Rules: fixedRules{}.Rules()}
	answer := func(kind string) *amble.Response {
		return &amble.Response{Proto: "HTTP/2.0", Header: http.Header{"Content-Type": {kind}}, EncodedBytes: 420,
			Timing: amble.Timing{FirstByte: 30 * time.Millisecond, Total: 45 * time.Millisecond}}
	}
	find := func(rule string, s amble.Severity, f amble.Finding) amble.Finding {
		f.Rule, f.Severity, f.Fingerprint = rule, s, "fp-"+rule+f.Selector
		return f
	}
	pages := []*amble.Page{
		{URL: base, Outcome: amble.OutcomeAnalysed, Status: 200, Attempts: 1, Fetched: at(2), Response: answer("text/html"),
			Meta: &amble.Meta{Title: "Home", Description: "d", Lang: "en", H1: []string{"Home"}, Words: 9, Internal: 4, External: 1,
				Canonicals: []amble.Canonical{{URL: base, Head: true}}}},
		{URL: base + "shop", Outcome: amble.OutcomeAnalysed, Source: amble.SourceLink, Referrer: base, Depth: 1, Status: 200, Attempts: 1,
			Fetched: at(4), Response: answer("text/html; charset=utf-8"), Chain: []amble.Hop{{URL: base + "store", Status: 301}},
			Meta: &amble.Meta{Title: "=HYPERLINK(\"x\")", Robots: amble.Directives{Names: []string{"noindex"}, NoIndex: true}},
			Findings: []amble.Finding{
				find("image-text", amble.Critical, amble.Finding{URL: base + "shop", Selector: "main > img:nth-child(1)", Line: 7,
					Snippet: "<img src=\"a.png\">", Message: "The image has no text.", Evidence: map[string]string{"box": "1,2 3×4"}}),
				find("image-text", amble.Critical, amble.Finding{URL: base + "shop", Selector: "main > img:nth-child(2)", Message: "The image has no text."}),
				find("titles", amble.Warning, amble.Finding{URL: base + "shop", Message: "Two titles."}),
				find("reading-order", amble.Notice, amble.Finding{URL: base + "shop", Result: amble.CantTell, Message: "A person must judge."}),
			}},
		{URL: base + "store", Outcome: amble.OutcomeRedirected, Source: amble.SourceLink, Referrer: base, Depth: 1, Status: 301, Attempts: 1,
			Fetched: at(3), Redirect: base + "shop", Reason: "status 301 to " + base + "shop", Response: answer("text/html")},
		{URL: base + "private", Outcome: amble.OutcomeDisallowed, Source: amble.SourceSitemap, Referrer: base + "sitemap.xml",
			Reason: "robots.txt line 2: Disallow: /private (user-agent: *)"},
		{URL: base + "guarded", Outcome: amble.OutcomeBlocked, Source: amble.SourceLink, Referrer: base, Depth: 1, Status: 403, Attempts: 1,
			Fetched: at(6), Reason: "cloudflare challenge: cf-mitigated", Block: &amble.Block{Vendor: "cloudflare", Kind: "challenge"},
			Response: answer("text/html")},
	}
	links := []*amble.LinkResult{
		{URL: base + "gone", Verdict: amble.LinkBroken, Problem: amble.LinkGone, Status: 404, Kind: "link", Pages: 1, References: 2, Referrers: []string{base}},
		{URL: base + "shop", Verdict: amble.LinkOK},
	}
	s := &amble.Summary{Started: start, Took: 90 * time.Second, Ended: "done", Bytes: 1234,
		Outcomes: map[amble.Outcome]int{amble.OutcomeAnalysed: 2, amble.OutcomeRedirected: 1, amble.OutcomeDisallowed: 1, amble.OutcomeBlocked: 1},
		Statuses: map[int]int{200: 2, 301: 1, 403: 1}, Requests: map[amble.Kind]int{amble.KindPage: 4, amble.KindRobots: 1, amble.KindLink: 1},
		Findings: map[string]int{"image-text": 2, "titles": 1, "answers": 1},
		Links:    &amble.LinkSummary{Targets: 2, References: 5, Requests: 1, Verdicts: map[amble.LinkVerdict]int{amble.LinkBroken: 1, amble.LinkOK: 1}},
		SiteFindings: []amble.Finding{find("answers", amble.Serious, amble.Finding{URL: base, Target: base + "gone", Message: "It leads to 404.",
			Evidence: map[string]string{"references": "2", "referrers": base}})},
		Servers: []amble.ServerReport{{Origin: "https://site.test", Requests: map[amble.Kind]int{amble.KindPage: 4, amble.KindRobots: 1, amble.KindLink: 1},
			Bytes: 1300, Throttled: 2, TooMany: 1, Outages: 2, Waited: 7 * time.Second, Busiest: 1, BusiestAt: at(2), Robots: amble.RobotsRules,
			First: at(0), Last: at(80), RobotsFetched: []time.Time{at(0)}, CrawlDelay: 2 * time.Second}},
	}
	return o, pages, links, s
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v; write it with go test -update", err)
	}
	if got == string(want) {
		return
	}
	g, w := strings.Split(got, "\n"), strings.Split(string(want), "\n")
	for i := range g {
		if i >= len(w) || g[i] != w[i] {
			t.Fatalf("%s differs from line %d on:\ngot  %s\nwant %s", name, i+1, g[i], strings.Join(w[min(i, len(w)):min(i+1, len(w))], ""))
		}
	}
	t.Fatalf("%s: %d lines are missing", name, len(w)-len(g))
}

// TestGolden keeps what other programs read: the schema's lines, tables, SARIF, JUnit, the courtesy report.
func TestGolden(t *testing.T) {
	o, pages, links, sum := fixture()
	var lines, table, list, sarif, junit, text, js bytes.Buffer
	people, writer := NewCollector(o), NewJSONL(&lines, o)
	sinks := []Sink{people, writer, NewCSV(&table, o, "en"), NewPagesCSV(&list, o, "en"), NewSARIF(&sarif, o, "en")}
	for _, s := range sinks {
		for _, p := range pages {
			if err := s.Page(p); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, l := range links {
		writer.Link(l)
	}
	for _, s := range sinks {
		if err := s.End(sum); err != nil {
			t.Fatal(err)
		}
	}
	c := NewCourtesy(sum, o.Agent)
	if err := errors.Join(people.WriteJUnit(&junit, "en", amble.Serious), c.WriteText(&text, "en"), c.WriteJSON(&js)); err != nil {
		t.Fatal(err)
	}
	for name, got := range map[string]string{"demo.jsonl": lines.String(), "demo.csv": table.String(), "demo-pages.csv": list.String(),
		"demo.sarif": sarif.String(), "demo.junit.xml": junit.String(), "courtesy.txt": text.String(), "courtesy.json": js.String()} {
		golden(t, name, got)
	}
}
