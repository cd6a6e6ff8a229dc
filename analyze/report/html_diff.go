package report

import (
	"cmp"
	"slices"

	"github.com/amblecrawl/amble"
)

// since is what changed since an earlier run.
type since struct {
	diff *Diff
	when string
}

// Since puts what changed since an earlier run into the HTML report: new, fixed, still there. after is the run that the
// Collector saw, read back with ReadRun; see Compare. It is to be called before WriteHTML.
func (c *Collector) Since(before, after *Run) {
	c.since = &since{diff: Compare(before, after)}
	if before.Summary != nil && !before.Summary.Started.IsZero() {
		c.since.when = stamp(before.Summary.Started)
	}
}

// diffView is the section about an earlier run.
type diffView struct {
	When                     string
	New, Fixed, Still, Other int
	Rules                    []diffRow
	Lists                    []diffList
}

type diffRow struct {
	Anchor, Title, TextLang, Class, Mark, Name string
	New, Fixed, Still                          int
}

// diffList is what is new, or what is fixed.
type diffList struct {
	Title string
	Count int
	List  []diffPlace
	More  int
	Open  bool
}

type diffPlace struct {
	place
	Title, TextLang, Target string
}

func (c *Collector) diffView(v *view, t *wording) {
	if c.since == nil {
		return
	}
	d := c.since.diff
	s := &diffView{When: c.since.when, New: len(d.New), Fixed: len(d.Fixed), Still: len(d.Still), Other: len(d.Unknown)}
	rows := make(map[string]*diffRow)
	var order []*FindingRecord
	count := func(list []FindingRecord, of func(*diffRow) *int) {
		for i := range list {
			row := rows[list[i].Rule]
			if row == nil {
				row = c.diffRow(&list[i], t)
				rows[list[i].Rule] = row
				order = append(order, &list[i])
			}
			*of(row)++
		}
	}
	count(d.New, func(r *diffRow) *int { return &r.New })
	count(d.Fixed, func(r *diffRow) *int { return &r.Fixed })
	count(d.Still, func(r *diffRow) *int { return &r.Still })
	slices.SortFunc(order, bySeverity)
	for _, f := range order {
		s.Rules = append(s.Rules, *rows[f.Rule])
	}
	s.Lists = append(s.Lists, c.diffList("diff.new", d.New, t), c.diffList("diff.fixed", d.Fixed, t))
	s.Lists = slices.DeleteFunc(s.Lists, func(l diffList) bool { return l.Count == 0 })
	v.Diff = s
}

func bySeverity(a, b *FindingRecord) int {
	return cmp.Or(cmp.Compare(severityOf(b.Severity), severityOf(a.Severity)), cmp.Compare(a.Rule, b.Rule))
}

func (c *Collector) ruleOf(id, severity string) *amble.Rule {
	if r := c.known[id]; r != nil {
		return r
	}
	return &amble.Rule{ID: id, Severity: severityOf(severity)}
}

func (c *Collector) diffRow(f *FindingRecord, t *wording) *diffRow {
	text, in := c.o.text(c.ruleOf(f.Rule, f.Severity), t.lang)
	s := severityOf(f.Severity)
	row := &diffRow{Title: text.Title, TextLang: other(in, t.lang), Class: s.String(), Mark: marks[s], Name: t.say("severity." + s.String())}
	if tl := c.rules[f.Rule]; tl != nil { // the rule has a place in this report
		row.Anchor = anchor(f.Rule)
	}
	return row
}

// diffPerRule is how many new or fixed findings of one rule are listed.
const diffPerRule = 10

func (c *Collector) diffList(key string, list []FindingRecord, t *wording) diffList {
	out := diffList{Title: t.say(key), Count: len(list), Open: len(list) <= 10}
	sorted := make([]*FindingRecord, 0, len(list))
	for i := range list {
		sorted = append(sorted, &list[i])
	}
	slices.SortStableFunc(sorted, bySeverity)
	listed := make(map[string]int)
	for _, f := range sorted {
		if listed[f.Rule]++; listed[f.Rule] > diffPerRule || len(out.List) >= 5*c.o.Limits.Places {
			out.More++
			continue
		}
		text, in := c.o.text(c.ruleOf(f.Rule, f.Severity), t.lang)
		p := diffPlace{Title: text.Title, TextLang: other(in, t.lang), place: place{Rule: f.Rule, Page: cut(f.Page, 2000),
			Selector: cut(f.Selector, 300), Snippet: cut(f.Snippet, 300), Message: cut(f.Message, 600), Line: f.Line}}
		if f.Target != f.Page {
			p.Target = cut(f.Target, 2000)
		}
		out.List = append(out.List, p)
	}
	return out
}
