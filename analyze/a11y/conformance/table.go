package conformance

import (
	"slices"

	"github.com/amblecrawl/amble/analyze/a11y"
)

// Status is what is known about a criterion or a check after a run. None of them means that it is met.
type Status uint8

const (
	// NotJudged: no rule looks at it, or none of those that do could run. People must judge all of it.
	NotJudged Status = iota
	// NothingFound: rules looked at a part of it and found no failure. People must judge the rest.
	NothingFound
	// Review: something was found that people must judge.
	Review
	// Concerned: a success criterion of the check is failed, but maybe by what another check is about. People must see.
	Concerned
	// Failed: a rule found a failure.
	Failed
	statusCount
)

var statusNames = [statusCount]string{"not-judged", "nothing-found", "review", "concerned", "failed"}

// String returns the status's stable name.
func (s Status) String() string {
	if s < statusCount {
		return statusNames[s]
	}
	return "unknown"
}

// MarshalText writes the name.
func (s Status) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// Coverage says how much of a criterion the rules can judge at all.
type Coverage uint8

const (
	ByPeople Coverage = iota // no rule looks at it
	InPart                   // rules find some of its failures
	Mostly                   // rules judge nearly all that it asks for
	coverageCount
)

var coverageNames = [coverageCount]string{"people", "part", "mostly"}

// String returns the coverage's stable name.
func (c Coverage) String() string {
	if c < coverageCount {
		return coverageNames[c]
	}
	return "unknown"
}

// MarshalText writes the name.
func (c Coverage) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// mostly are the criteria of which rules judge nearly all: text's contrast (not that of text in pictures), and whether the
// page says its language, a known one, and its text's.
var mostly = []string{"1.4.3", "1.4.6", "3.1.1"}

// CoverageOf tells how much of a criterion can be judged by the rules, whatever was run.
func CoverageOf(c a11y.Criterion) Coverage {
	switch {
	case slices.Contains(mostly, c.Number):
		return Mostly
	case len(c.Coverage()) > 0:
		return InPart
	}
	return ByPeople
}

// Row is what is known about one success criterion.
type Row struct {
	Criterion a11y.Criterion
	Coverage  Coverage
	Status    Status

	FailedPages, ReviewPages int      // at most: pages on which one rule said so
	Failed, Review           int      // elements
	Failing                  []string // rules that failed, by id
	NotRun                   []string // rules that look at it and could not be run, such as those that need a browser
	Examples                 []string // addresses of some pages that fail
}

// Table is what is known about a site.
type Table struct {
	Pages, Rendered int   // pages judged, and those of them as a browser showed them
	Rows            []Row // one for each criterion of WCAG 2.0 to 2.2, in order

	rules map[string]tally
}

// Table sums up what was gathered so far.
func (c *Collector) Table() *Table {
	c.mu.Lock()
	defer c.mu.Unlock()
	t := &Table{Pages: c.pages, Rendered: c.rendered, rules: map[string]tally{}}
	for id, r := range c.rules {
		copied := *r
		copied.examples = slices.Clone(r.examples)
		t.rules[id] = copied
	}
	for _, criterion := range a11y.Criteria() {
		row := Row{Criterion: criterion, Coverage: CoverageOf(criterion)}
		for _, rule := range criterion.Coverage() {
			row.add(rule.ID, t.rules[rule.ID])
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

func (r *Row) add(rule string, t tally) {
	if t.run == 0 {
		r.NotRun = append(r.NotRun, rule)
		return
	}
	r.Status = max(r.Status, t.status())
	r.FailedPages, r.ReviewPages = max(r.FailedPages, t.failedPages), max(r.ReviewPages, t.reviewPages)
	r.Failed += t.failed
	r.Review += t.review
	if t.failedPages == 0 {
		return
	}
	r.Failing = append(r.Failing, rule)
	for _, u := range t.examples {
		if len(r.Examples) < maxExamples && !slices.Contains(r.Examples, u) {
			r.Examples = append(r.Examples, u)
		}
	}
}

func (t tally) status() Status {
	switch {
	case t.run == 0:
		return NotJudged
	case t.failedPages > 0:
		return Failed
	case t.reviewPages > 0:
		return Review
	}
	return NothingFound
}

// Row returns the row of a criterion, by its number.
func (t *Table) Row(number string) (Row, bool) {
	for _, r := range t.Rows {
		if r.Criterion.Number == number {
			return r, true
		}
	}
	return Row{}, false
}
