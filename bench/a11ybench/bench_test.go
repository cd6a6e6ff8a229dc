package a11ybench

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/amblecrawl/amble/browser/axe"
)

// TestTable: a case that must fail counts when a rule about it failed; a false positive counts against the rule's being
// consistent; what an engine has no rule for counts as not found, but not as missed.
func TestTable(t *testing.T) {
	engine, err := axe.New(fstest.MapFS{"axe.js": {Data: []byte(`/*! axe v4.14.1 */ data: { rules: { 'image-alt': { description: 'd', help: 'h' } } },
		rules: [ { id: 'image-alt', impact: 'critical', tags: [ 'wcag2a', 'wcag111' ], actIds: [ '23a2a8' ], all: [] } ]`)}}, "axe.js")
	if err != nil {
		t.Fatal(err)
	}
	b := &caseBench{axe: engine, seen: map[string]*seen{
		"23a2a8/1": {testCase: testCase{ID: "23a2a8/1", RuleID: "23a2a8", Expected: "failed"}, failed: map[string]bool{"amble": true, "axe-core": true}},
		"23a2a8/2": {testCase: testCase{ID: "23a2a8/2", RuleID: "23a2a8", Expected: "passed"}, failed: map[string]bool{"axe-core": true}},
		"09o5cg/1": {testCase: testCase{ID: "09o5cg/1", RuleID: "09o5cg", Expected: "failed"}, failed: map[string]bool{"Alfa": true}},
		"09o5cg/2": {testCase: testCase{ID: "09o5cg/2", RuleID: "09o5cg", Expected: "failed"}, left: true},
	}}
	var out strings.Builder
	b.table(&out, 2)
	for _, want := range []string{
		"| amble | 1 of 2 | 1 of 2 | 0 of 1 | 2 of 2 | 1 |", "| axe-core | 1 of 2 | 1 of 1 | 1 of 1 | 1 of 2 | 0 |", "| Alfa | 1 of 2 | 1 of 2 | 0 of 1 | 2 of 2 | 1 |",
		"only others find 09o5cg/1: Alfa", "Left out: 09o5cg/2", "amble: missed in rules that it has: 09o5cg/1", "axe-core: missed in rules that it has: none",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
}

// TestHugePage: the page has about as many nodes as asked for.
func TestHugePage(t *testing.T) {
	page := []byte("<html><head><title>t</title></head><body class=x><p>a</p><p>b</p></body></html>")
	_, n := hugePage(page, 3000)
	if n < 1500 || n > 4500 || n != countNodes(mustHuge(page)) {
		t.Errorf("%d nodes", n)
	}
}

func mustHuge(page []byte) []byte {
	out, _ := hugePage(page, 3000)
	return out
}
