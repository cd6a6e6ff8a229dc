package conformance

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/amblecrawl/amble"
	"github.com/amblecrawl/amble/analyze/a11y"
)

// check judges a page by its HTML.
func check(t testing.TB, page, url string) *a11y.Report {
	t.Helper()
	rep, err := a11y.CheckHTML(context.Background(), []byte(page), url, "text/html", nil)
	if err != nil {
		t.Fatal(err)
	}
	return rep
}

const (
	goodPage = `<!doctype html><html lang="en"><title>Cats</title><main><h1>Cats</h1><p>All about them, and why we like them so much.</p><img src="cat.png" alt="a cat"></main>`
	badPage  = `<!doctype html><html lang="en"><title>Dogs</title><main><h1>Dogs</h1><p>All about them, and why we like them so much.</p><img src="dog.png"></main>`
)

func collect(t testing.TB, bad, good int) *Table {
	var c Collector
	for i := range bad {
		c.Add(check(t, badPage, fmt.Sprintf("https://example.com/bad/%d", i)))
	}
	for i := range good {
		c.Add(check(t, goodPage, fmt.Sprintf("https://example.com/good/%d", i)))
	}
	return c.Table()
}

// TestTable: a criterion fails with the pages and rules that failed; one for which nothing was found is open, not met;
// one whose rules need a browser was not judged without it; one that no rule is about is for people.
func TestTable(t *testing.T) {
	table := collect(t, 7, 3)
	row := func(number string) Row {
		r, ok := table.Row(number)
		if !ok {
			t.Fatalf("no row %s", number)
		}
		return r
	}
	if r := row("1.1.1"); r.Status != Failed || r.FailedPages != 7 || r.Failed != 7 || !slices.Equal(r.Failing, []string{"image-name"}) || len(r.Examples) != maxExamples {
		t.Errorf("1.1.1: %+v", r)
	}
	if r := row("2.4.2"); r.Status != NothingFound || r.Coverage != InPart {
		t.Errorf("2.4.2: %+v", r)
	}
	if r := row("1.4.3"); r.Status != NotJudged || r.Coverage != Mostly || !slices.Equal(r.NotRun, []string{"contrast"}) {
		t.Errorf("1.4.3: %+v", r)
	}
	if r := row("1.2.2"); r.Status != NotJudged || r.Coverage != ByPeople {
		t.Errorf("1.2.2: %+v", r)
	}
	if table.Pages != 10 || table.Rendered != 0 || len(table.Rows) != len(a11y.Criteria()) {
		t.Errorf("%d pages, %d rendered, %d rows", table.Pages, table.Rendered, len(table.Rows))
	}
}

// TestCollectorConcurrently: pages of a crawl come from several goroutines.
func TestCollectorConcurrently(t *testing.T) {
	var c Collector
	rep := check(t, badPage, "https://example.com/")
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 50 {
				c.Add(rep)
				c.Table()
			}
		})
	}
	wg.Wait()
	if table := c.Table(); table.Pages != 400 {
		t.Errorf("%d pages", table.Pages)
	}
}

// TestStandards: the data is whole. Each catalogue has its checks once, in criteria and rules that exist; EN 301 549 has
// the clauses of its WCAG version, RGAA 4.1 its 106 criteria.
func TestStandards(t *testing.T) {
	var raw []struct{ Checks []Check }
	if err := json.Unmarshal(standardsJSON, &raw); err != nil {
		t.Fatal(err)
	}
	want := map[string]int{"en-301-549-v3.2.1": 50, "en-301-549-v4.1.1": 55, "rgaa-4.1": 106, "bitv-test": 60}
	for _, s := range Standards() {
		if len(s.Checks) != want[s.ID] {
			t.Errorf("%s has %d checks, want %d", s.ID, len(s.Checks), want[s.ID])
		}
		seen := map[string]bool{}
		for _, c := range s.Checks {
			if seen[c.Number] || len(c.Criteria) == 0 {
				t.Errorf("%s: check %s is there twice or rests on nothing", s.ID, c.Number)
			}
			seen[c.Number] = true
			for _, number := range c.Criteria {
				if criterion, ok := a11y.CriterionByNumber(number); !ok || criterion.Level == "AAA" {
					t.Errorf("%s %s rests on %s", s.ID, c.Number, number)
				}
			}
		}
		for rule, checks := range s.rules {
			if !slices.ContainsFunc(a11y.Rules(), func(r a11y.Rule) bool { return r.ID == rule }) {
				t.Errorf("%s names the rule %s, which does not exist", s.ID, rule)
			}
			for _, number := range checks {
				if !seen[number] {
					t.Errorf("%s: the rule %s decides %s, which does not exist", s.ID, rule, number)
				}
			}
		}
		delete(want, s.ID)
	}
	if len(want) > 0 {
		t.Errorf("missing: %v", want)
	}
}

// TestStandardRows: a failure fails the check that is about it and no other; where rules cannot tell the checks of a
// criterion apart, people must see.
func TestStandardRows(t *testing.T) {
	var c Collector
	c.Add(check(t, badPage, "https://example.com/"))
	c.Add(check(t, `<!doctype html><html lang="en"><title>Tabs</title><main><h1>T</h1><div role="tablist"><p>x</p></div><div><span role="option">y</span></div></main>`, "https://example.com/tabs"))
	table := c.Table()
	for id, want := range map[string]map[string]Status{
		"en-301-549-v3.2.1": {"9.1.1.1": Failed, "9.2.4.2": NothingFound, "9.1.2.2": NotJudged, "9.1.3.1": Failed},
		"rgaa-4.1":          {"1.1": Failed, "1.6": NotJudged, "8.5": NothingFound, "3.2": NotJudged, "7.1": Failed},
		"bitv-test":         {"9.1.1.1b": Failed, "9.1.1.1d": NotJudged, "9.1.3.1d": Concerned, "9.1.3.1a": Concerned, "9.2.4.2": NothingFound},
	} {
		s, ok := StandardByID(id)
		if !ok {
			t.Fatal(id)
		}
		got := map[string]CheckRow{}
		for _, r := range table.Standard(s) {
			got[r.Number] = r
		}
		for number, status := range want {
			if got[number].Status != status {
				t.Errorf("%s %s: %+v, want %s", id, number, got[number], status)
			}
		}
	}
}

// TestOpenACR: the draft has the form of OpenACR, a row for each criterion, and never says "supports", whatever was found.
func TestOpenACR(t *testing.T) {
	for _, test := range []struct {
		bad, good int
		want      string // of 1.1.1
	}{{0, 10, NotEvaluated}, {3, 7, PartiallySupports}, {8, 2, DoesNotSupport}, {0, 0, NotEvaluated}} {
		table := collect(t, test.bad, test.good)
		for _, lang := range a11y.Languages() {
			var out bytes.Buffer
			if err := table.WriteOpenACR(&out, ACR{Product: "Cats", Author: Contact{Email: "a@example.com"}, Language: lang}); err != nil {
				t.Fatal(err)
			}
			var f acrFile
			if err := json.Unmarshal(out.Bytes(), &f); err != nil {
				t.Fatal(err)
			}
			levels := map[string]string{}
			for _, chapter := range f.Chapters {
				for _, c := range chapter.Criteria {
					if len(c.Components) != 1 || c.Components[0].Name != "web" || c.Components[0].Adherence.Notes == "" {
						t.Errorf("%s: %+v", c.Num, c)
					}
					levels[c.Num] = c.Components[0].Adherence.Level
				}
			}
			if len(levels) != len(a11y.Criteria()) || len(f.Chapters) != 3 || levels["1.1.1"] != test.want {
				t.Errorf("%+v in %s: %d criteria, %d chapters, 1.1.1 is %s", test, lang, len(levels), len(f.Chapters), levels["1.1.1"])
			}
			for number, level := range levels {
				if !slices.Contains([]string{NotEvaluated, PartiallySupports, DoesNotSupport}, level) {
					t.Errorf("%s is said to be %q", number, level)
				}
			}
		}
	}
	var table Table
	if err := table.WriteOpenACR(io.Discard, ACR{Product: "Cats"}); !errors.Is(err, amble.ErrConfig) {
		t.Errorf("without an address: %v", err)
	}
}

// TestTexts: every text is written in all five languages, takes the same figures in each, and is used.
func TestTexts(t *testing.T) {
	var m map[string]map[string]string
	if err := json.Unmarshal(textsJSON, &m); err != nil {
		t.Fatal(err)
	}
	verbs := regexp.MustCompile(`%(?:\[\d+\])?[a-z]`)
	for key, said := range m {
		for _, lang := range a11y.Languages() {
			if said[lang] == "" {
				t.Errorf("%s is not written in %s", key, lang)
			}
			a, b := verbs.FindAllString(said["en"], -1), verbs.FindAllString(said[lang], -1)
			slices.Sort(a)
			slices.Sort(b)
			if !slices.Equal(a, b) {
				t.Errorf("%s in %s takes %v, in English %v", key, lang, b, a)
			}
		}
		if len(said) != len(a11y.Languages()) {
			t.Errorf("%s is written in %d languages", key, len(said))
		}
	}
	for s := range statusCount {
		if m["status."+s.String()] == nil {
			t.Errorf("no text for the status %s", s)
		}
	}
	for c := range coverageCount {
		if m["coverage."+c.String()] == nil || m["coverage.short."+c.String()] == nil {
			t.Errorf("no text for the coverage %s", c)
		}
	}
}

// TestMarkdown: a table has a row for each criterion or check, in the language asked for, and says that nothing found is
// nothing proved.
func TestMarkdown(t *testing.T) {
	table := collect(t, 1, 1)
	for _, lang := range a11y.Languages() {
		var out strings.Builder
		if err := table.WriteMarkdown(&out, lang); err != nil {
			t.Fatal(err)
		}
		if rows := strings.Count(out.String(), "\n|") - 2; rows != len(a11y.Criteria()) || !strings.Contains(out.String(), say(lang, "honest")) {
			t.Errorf("%s: %d rows", lang, rows)
		}
		for _, s := range Standards() {
			out.Reset()
			if err := table.WriteStandard(&out, s, lang); err != nil {
				t.Fatal(err)
			}
			if rows := strings.Count(out.String(), "\n|") - 2; rows != len(s.Checks) {
				t.Errorf("%s in %s: %d rows", s.ID, lang, rows)
			}
		}
	}
}
