package conformance

import (
	"slices"
	"sync"

	"github.com/amblecrawl/amble"
	"github.com/amblecrawl/amble/analyze/a11y"
)

// Collector gathers the reports of a site's pages. It keeps counts and a few addresses, so that its size does not depend
// on that of the site. The zero value is ready; it is safe for concurrent use and must not be copied.
type Collector struct {
	mu       sync.Mutex
	pages    int
	rendered int
	rules    map[string]*tally
}

// tally is what one rule said about all pages.
type tally struct {
	run, failedPages, reviewPages, passedPages int
	failed, review                             int // elements
	examples                                   []string
	untested                                   string // the reason
}

// maxExamples is how many pages are named for a rule.
const maxExamples = 5

// Add takes in the report of one page. It fits a11y.Analyzer.OnReport.
func (c *Collector) Add(r *a11y.Report) {
	if r == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.rules == nil {
		c.rules = map[string]*tally{}
	}
	c.pages++
	if r.Rendered {
		c.rendered++
	}
	for _, o := range r.Outcomes {
		t := c.rules[o.Rule]
		if t == nil {
			t = &tally{}
			c.rules[o.Rule] = t
		}
		if o.Result == amble.Untested {
			t.untested = o.Reason
			continue
		}
		t.run++
		t.failed += o.Failed
		t.review += o.CantTell
		switch o.Result {
		case amble.Failed:
			t.failedPages++
			if len(t.examples) < maxExamples && !slices.Contains(t.examples, r.URL) {
				t.examples = append(t.examples, r.URL)
			}
		case amble.CantTell:
			t.reviewPages++
		case amble.Passed:
			t.passedPages++
		}
	}
}
