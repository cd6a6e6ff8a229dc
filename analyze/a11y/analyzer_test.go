package a11y

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/amblecrawl/amble"
)

// TestAnalyzer proves that the analyzer fits the crawl: rules as data with stable ids, findings by those ids, nothing
// for pages without an answer, and what cannot be told told as such.
func TestAnalyzer(t *testing.T) {
	a := &Analyzer{Language: "de"}
	ids := map[string]bool{}
	for _, r := range a.Rules() {
		if ids[r.ID] || !strings.HasPrefix(r.ID, "a11y-") || r.Title == "" || r.Explanation == "" || r.Fix == "" {
			t.Errorf("rule %+v", r)
		}
		ids[r.ID] = true
		if r.Needs&amble.NeedTree == 0 || r.Needs&amble.NeedRendered != 0 {
			t.Errorf("rule %s needs %b", r.ID, r.Needs)
		}
	}
	for _, r := range (&Analyzer{Rendered: true}).Rules() {
		if r.Needs&amble.NeedRendered == 0 {
			t.Errorf("rule %s does not ask for a rendered page", r.ID)
		}
	}
	analyze := func(a *Analyzer, p *amble.Page) map[string]amble.Result {
		out := map[string]amble.Result{}
		if err := a.Analyze(context.Background(), p, func(f amble.Finding) {
			if !ids[f.Rule] {
				t.Errorf("finding of an unknown rule %q", f.Rule)
			}
			out[f.Rule] = f.Result
		}); err != nil {
			t.Fatal(err)
		}
		return out
	}
	if got := analyze(a, &amble.Page{URL: "http://site.test/"}); len(got) != 0 {
		t.Errorf("a page without an answer has findings: %v", got)
	}
	page := &amble.Page{URL: "http://site.test/", Outcome: amble.OutcomeAnalysed, Response: &amble.Response{Header: http.Header{}, Snapshot: &amble.Snapshot{URL: "http://site.test/", Nodes: []amble.Node{
		{Type: amble.NodeDocument, Parent: -1, Slot: -1, Document: -1},
		{Type: amble.NodeElement, Name: "html", Parent: 0, Slot: -1, Document: -1, Rendered: true},
		{Type: amble.NodeElement, Name: "body", Parent: 1, Slot: -1, Document: -1, Rendered: true},
		{Type: amble.NodeElement, Name: "img", Parent: 2, Slot: -1, Document: -1, Rendered: true},
		{Type: amble.NodeElement, Name: "iframe", Parent: 2, Slot: -1, Document: -1, Rendered: true, Attrs: []amble.Attr{{Name: "tabindex", Value: "-1"}, {Name: "src", Value: "/f"}}},
	}}}}
	got := analyze(a, page)
	if got["a11y-image-name"] != amble.Failed || got["a11y-frame-tabindex"] != amble.CantTell {
		t.Errorf("findings: %v", got)
	}
	if r, ok := got["a11y-html-lang"]; !ok || r != amble.Failed {
		t.Errorf("html-lang: %v", got)
	}
	got = analyze(&Analyzer{FailuresOnly: true}, page)
	if _, ok := got["a11y-frame-tabindex"]; ok || len(got) == 0 {
		t.Errorf("failures only: %v", got)
	}
}

// TestCompare proves that rules which compare pages judge those that the crawl read, at its end and without asking for any;
// that redirects lead on; and that nothing is kept without Compare.
func TestCompare(t *testing.T) {
	page := func(path, body string, from ...string) *amble.Page {
		p := &amble.Page{URL: "http://site.test" + path, Outcome: amble.OutcomeAnalysed, Status: 200,
			Response: &amble.Response{Header: http.Header{"Content-Type": {"text/html"}}, Body: []byte(document(body))}}
		for _, u := range from {
			p.Chain = append(p.Chain, amble.Hop{URL: "http://site.test" + u, Status: 301})
		}
		return p
	}
	nav := `<nav><p>Bread Cakes Hours</p></nav>`
	pages := []*amble.Page{
		page("/", nav+`<p>Our rye is sour.</p><a href="/old">More</a> <a href="/tea">More</a>`),
		page("/cakes", nav+`<main><p>Cakes come on Fridays, with cream or without.</p></main>`, "/old"),
		page("/tea", nav+`<main><p>We pour green and black leaves from two gardens.</p></main>`),
	}
	for _, compare := range []bool{false, true} {
		a := &Analyzer{Compare: compare}
		listed, early, late := map[string]bool{}, map[string]amble.Result{}, map[string]amble.Result{}
		for _, r := range a.Rules() {
			listed[r.ID] = true
		}
		for _, p := range pages {
			if err := a.Analyze(context.Background(), p, func(f amble.Finding) { early[f.Rule+" "+f.URL] = f.Result }); err != nil {
				t.Fatal(err)
			}
		}
		if err := a.Finish(context.Background(), func(f amble.Finding) { late[f.Rule+" "+f.URL] = f.Result }); err != nil {
			t.Fatal(err)
		}
		if listed["a11y-bypass-heading"] != compare || listed["a11y-reflow"] {
			t.Errorf("Compare %v: listed %v", compare, listed)
		}
		if !compare {
			if len(late) != 0 || early["a11y-bypass http://site.test/"] != amble.CantTell {
				t.Errorf("without Compare: %v, at the end %v", early, late)
			}
			continue
		}
		if late["a11y-bypass-heading http://site.test/"] != amble.Failed || late["a11y-bypass http://site.test/"] != amble.Failed || late["a11y-link-same-name http://site.test/"] != amble.Failed {
			t.Errorf("at the end: %v", late)
		}
		if _, ok := early["a11y-bypass http://site.test/"]; ok || len(a.kept.pages) != 0 {
			t.Errorf("page by page: %v, still kept: %d", early, len(a.kept.pages))
		}
	}
}

// TestCancel proves that a check ends with its context.
func TestCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := CheckHTML(ctx, bigPage(100), "http://site.test/", "", nil); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled check returns %v", err)
	}
}
