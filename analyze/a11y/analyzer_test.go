package a11y

import (
	"context"
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

// TestCancel proves that a check ends with its context.
func TestCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := CheckHTML(ctx, bigPage(100), "http://site.test/", "", nil); err != context.Canceled {
		t.Errorf("a cancelled check returns %v", err)
	}
}
