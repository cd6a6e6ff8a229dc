// Package earl writes the results of accessibility checks in W3C's Evaluation and Report Language, as JSON-LD of the form
// that W3C asks for in ACT implementation reports: one test subject per page, one assertion per rule.
//
// examples/actreport makes such a report of W3C's own test cases: go run ./examples/actreport -cases DIR -out earl.json
package earl

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/amblecrawl/amble/analyze/a11y"
)

// Context is the address of the JSON-LD context.
const Context = "https://www.w3.org/WAI/content-assets/wcag-act-rules/earl-context.json"

// Report is a report in EARL. The zero value with Subjects is fit for writing.
type Report struct {
	Context    string    `json:"@context"`
	AssertedBy *Asserter `json:"assertedBy,omitempty"` // who ran the checks
	Subjects   []Subject `json:"@graph"`
}

// Asserter names the tool that made the assertions.
type Asserter struct {
	Type    string  `json:"@type"` // "Assertor"
	Name    string  `json:"name"`
	Release Release `json:"release"`
}

// Release is the tool's version.
type Release struct {
	Type     string `json:"@type"` // "Version"
	Revision string `json:"revision"`
}

// Subject is one page.
type Subject struct {
	Type       string      `json:"@type"`  // "TestSubject"
	Source     string      `json:"source"` // the page's address
	Assertions []Assertion `json:"assertions"`
}

// Assertion is what one rule says about the page.
type Assertion struct {
	Type   string    `json:"@type"` // "Assertion"
	Result Result    `json:"result"`
	Test   Criterion `json:"test"`
}

// Result holds one of EARL's five outcomes, such as "earl:failed".
type Result struct {
	Outcome     string `json:"outcome"`
	Description string `json:"description,omitempty"`
}

// Criterion names the rule and the success criteria that a failure breaks ("WCAG2:non-text-content").
type Criterion struct {
	Title    string   `json:"title"`
	IsPartOf []string `json:"isPartOf"`
}

// New makes a report of the reports on pages. tool and version name who asserts it; both may be empty.
func New(tool, version string, pages ...*a11y.Report) *Report {
	r := &Report{Context: Context, Subjects: []Subject{}}
	if tool != "" {
		r.AssertedBy = &Asserter{"Assertor", tool, Release{"Version", version}}
	}
	rules := map[string]a11y.Rule{}
	for _, rule := range a11y.Rules() {
		rules[rule.ID] = rule
	}
	for _, p := range pages {
		s := Subject{Type: "TestSubject", Source: p.URL, Assertions: []Assertion{}}
		for _, o := range p.Outcomes {
			c := Criterion{Title: o.Rule, IsPartOf: []string{}}
			for _, number := range rules[o.Rule].SC {
				if sc, ok := a11y.CriterionByNumber(number); ok {
					c.IsPartOf = append(c.IsPartOf, "WCAG2:"+sc.ID)
				}
			}
			s.Assertions = append(s.Assertions, Assertion{"Assertion", Result{"earl:" + o.Result.String(), o.Reason}, c})
		}
		r.Subjects = append(r.Subjects, s)
	}
	return r
}

// Write writes the report as indented JSON.
func (r *Report) Write(w io.Writer) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	if err := enc.Encode(r); err != nil {
		return fmt.Errorf("earl: writing the report: %w", err)
	}
	return nil
}
