package report

import (
	"bytes"
	"strings"
	"testing"
)

func runOf(rules []RuleRecord, pages map[string]string, findings ...FindingRecord) *Run {
	r := &Run{Header: Header{Rules: rules}, Pages: map[string]PageRecord{}, Findings: findings, Summary: &SummaryRecord{}}
	for u, outcome := range pages {
		r.Pages[u] = PageRecord{URL: u, Outcome: outcome}
	}
	return r
}

func found(rule, page, place string) FindingRecord {
	return FindingRecord{Rule: rule, Page: page, Selector: place, Result: "failed", Severity: "serious", Fingerprint: rule + page + place, Snippet: place}
}

// TestDiff proves what counts as new, fixed and still there, and that pages that were not analysed in one of the runs
// never count as fixed or new (S20).
func TestDiff(t *testing.T) {
	rules := []RuleRecord{{ID: "r"}, {ID: "e", Needs: []string{"errors"}}, {ID: "s", Needs: []string{"site"}}}
	page := func(outcome string) map[string]string { return map[string]string{"a": outcome, "b": "analysed"} }
	f := found("r", "a", "x")
	site := FindingRecord{Rule: "s", Page: "b", Result: "failed", Fingerprint: "sb", Site: true, Evidence: map[string]string{"other": "a"}}
	moved := f
	moved.Fingerprint, moved.Selector = "elsewhere", "y"
	passed := f
	passed.Result = "passed"
	cant := f
	cant.Result = "cantTell"
	list := func(f ...FindingRecord) []FindingRecord { return f }
	for _, c := range []struct {
		name           string
		before, after  *Run
		new, fix, keep int
		unknown        int
	}{
		{"still there", runOf(rules, page("analysed"), f), runOf(rules, page("analysed"), f), 0, 0, 1, 0},
		{"fixed", runOf(rules, page("analysed"), f), runOf(rules, page("analysed")), 0, 1, 0, 0},
		{"new", runOf(rules, page("analysed")), runOf(rules, page("analysed"), f), 1, 0, 0, 0},
		{"moved within its page", runOf(rules, page("analysed"), f), runOf(rules, page("analysed"), moved), 0, 0, 1, 0},
		{"one more of the same", runOf(rules, page("analysed"), f), runOf(rules, page("analysed"), f, moved), 1, 0, 1, 0},
		{"passed is no finding", runOf(rules, page("analysed"), passed), runOf(rules, page("analysed"), cant), 0, 0, 0, 0},
		{"refused later", runOf(rules, page("analysed"), f), runOf(rules, page("blocked")), 0, 0, 0, 1},
		{"refused before", runOf(rules, page("throttled")), runOf(rules, page("analysed"), f), 0, 0, 0, 1},
		{"gone later", runOf(rules, page("analysed"), f), runOf(rules, page("http-error")), 0, 0, 0, 1},
		{"not met later", runOf(rules, page("analysed"), f), runOf(rules, map[string]string{"b": "analysed"}), 0, 0, 0, 1},
		{"partial later", runOf(rules, page("analysed"), f), runOf(rules, page("too-large")), 0, 0, 0, 1},
		{"unchanged later", runOf(rules, page("analysed"), f), runOf(rules, page("unchanged")), 0, 0, 1, 0},
		{"unchanged before", runOf(rules, page("unchanged")), runOf(rules, page("analysed"), f), 0, 0, 0, 1},
		{"rule not run before", runOf(rules[1:], page("analysed")), runOf(rules, page("analysed"), f), 0, 0, 0, 1},
		{"rule not run later", runOf(rules, page("analysed"), f), runOf(rules[1:], page("analysed")), 0, 0, 0, 1},
		{"an error is mended", runOf(rules, page("http-error"), found("e", "a", "")), runOf(rules, page("analysed")), 0, 1, 0, 0},
		{"an error is new", runOf(rules, page("analysed")), runOf(rules, page("http-error"), found("e", "a", "")), 1, 0, 0, 0},
		{"site: the other page was not seen", runOf(rules, page("analysed"), site), runOf(rules, page("blocked")), 0, 0, 0, 1},
		{"site: fixed", runOf(rules, page("analysed"), site), runOf(rules, page("analysed")), 0, 1, 0, 0},
	} {
		d := Compare(c.before, c.after)
		if len(d.New) != c.new || len(d.Fixed) != c.fix || len(d.Still) != c.keep || len(d.Unknown) != c.unknown {
			t.Errorf("%s: new %d, fixed %d, still %d, unknown %d", c.name, len(d.New), len(d.Fixed), len(d.Still), len(d.Unknown))
		}
	}
	gone, came, still := Match(list(f, found("r", "b", "z")), list(f, found("r", "c", "z")))
	if len(gone) != 1 || len(came) != 1 || len(still) != 1 {
		t.Errorf("Match: %d gone, %d came, %d still", len(gone), len(came), len(still))
	}
	linkRules := []RuleRecord{{ID: "l", Needs: []string{"links"}}}
	link := FindingRecord{Rule: "l", Page: "a", Target: "t", Result: "failed", Fingerprint: "lt", Site: true, Evidence: map[string]string{"referrers": "a\nb"}}
	checked := func(verdict string) *Run {
		r := runOf(linkRules, page("analysed"))
		r.Summary.Links = &LinksRecord{}
		if verdict != "" {
			r.Links = map[string]LinkRecord{"t": {Verdict: verdict}}
		}
		return r
	}
	withLink := checked("broken")
	withLink.Findings = list(link)
	for verdict, want := range map[string]int{"": 1, "unverifiable": 0, "not-checked": 0} {
		if d := Compare(withLink, checked(verdict)); len(d.Fixed) != want || len(d.Unknown) != 1-want {
			t.Errorf("a broken link that is then %q: %d fixed, %d unknown", verdict, len(d.Fixed), len(d.Unknown))
		}
	}
	if d := Compare(withLink, runOf(linkRules, page("analysed"))); len(d.Fixed) != 0 {
		t.Error("a run that checked no links mends them")
	}
	cutOff := runOf(rules, page("analysed"))
	cutOff.Summary = nil
	if d := Compare(runOf(rules, page("analysed"), site), cutOff); len(d.Fixed) != 0 || len(d.Unknown) != 1 {
		t.Error("a finding over the site is fixed by a run that was cut off")
	}
}

func TestDiffText(t *testing.T) {
	rules := []RuleRecord{{ID: "r"}}
	d := Compare(runOf(rules, map[string]string{"a": "analysed", "b": "analysed"}, found("r", "a", "x")),
		runOf(rules, map[string]string{"a": "analysed", "b": "analysed"}, found("r", "b", "y")))
	for _, lang := range Languages() {
		var out, js bytes.Buffer
		if err := d.WriteText(&out, lang); err != nil {
			t.Fatal(err)
		}
		if err := d.WriteJSON(&js); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(out.String(), "+ [serious] r: b y") || !strings.Contains(out.String(), "- [serious] r: a x") ||
			!strings.HasPrefix(out.String(), words(lang).say("diff.new")) || !strings.Contains(js.String(), `"fixed"`) {
			t.Errorf("%s:\n%s", lang, out.String())
		}
	}
}
