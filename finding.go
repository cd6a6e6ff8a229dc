package amble

import (
	"context"
	"fmt"
	"strings"
)

// Analyzer looks at pages and reports what it finds. The crawl calls Analyze for every page that its rules can judge,
// from several goroutines at once, one call per page.
//
// Implementers must
//   - return the same Rules at every call, with ids that never change their meaning;
//   - be safe for concurrent use, or say so and be used with one worker;
//   - return soon after the context ends;
//   - report a page's trouble as findings, and return an error only when they could not do their work: the crawl goes on,
//     and the error is logged and told in Summary.AnalyzerErrors. So is a panic, and a finding of an undeclared rule.
//
// Implementers must not
//   - keep the Page, its Response's body or its Tree after Analyze has returned;
//   - send requests: what they need is named in Rule.Needs;
//   - report anything about pages that were not analysed. A refusal is never a defect of the site (S20).
type Analyzer interface {
	Rules() []Rule
	Analyze(ctx context.Context, p *Page, report func(Finding)) error
}

// SiteAnalyzer is an Analyzer that can judge only when the whole crawl is known (duplicates, return links). Finish is
// called once, after the last Analyze. It must keep its memory small: a compact record per page.
type SiteAnalyzer interface {
	Analyzer
	Finish(ctx context.Context, report func(Finding)) error
}

// LinkAnalyzer is an Analyzer that judges what links lead to. AnalyzeLink is called once for each result of the crawl's
// LinkCheck, one call at a time, after the last Analyze and before Finish. It must not keep the result.
type LinkAnalyzer interface {
	Analyzer
	AnalyzeLink(ctx context.Context, l *LinkResult, report func(Finding)) error
}

// Needs says what a rule must have to judge a page. The crawl prepares only what some rule needs.
type Needs uint16

const (
	NeedMeta      Needs = 1 << iota // Page.Meta
	NeedTree                        // Page.Tree
	NeedRendered                    // Response.Snapshot: the page is loaded by Crawler.Renderer
	NeedWhole                       // the whole body: partial pages are left out
	NeedErrors                      // pages answered with 4xx or 5xx are shown as well
	NeedSite                        // judged in Finish
	NeedResources                   // Page.Meta.Resources
	NeedIDs                         // Page.Meta.IDs
	NeedLinks                       // judged in AnalyzeLink or Probed: Crawler.Links must be set
	NeedOutline                     // Page.Outline
)

// Severity says how much a failure matters.
type Severity uint8

const (
	Info Severity = iota
	Notice
	Warning
	Serious
	Critical
	severityCount
)

var severityNames = [severityCount]string{"info", "notice", "warning", "serious", "critical"}

// String returns the severity's stable name.
func (s Severity) String() string {
	if s < severityCount {
		return severityNames[s]
	}
	return "unknown"
}

// MarshalText writes the name.
func (s Severity) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads a name that String wrote; the error matches ErrConfig.
func (s *Severity) UnmarshalText(text []byte) error {
	for i, name := range severityNames {
		if name == string(text) {
			*s = Severity(i)
			return nil
		}
	}
	return &Error{Op: "severity", Kind: ErrConfig, Reason: fmt.Sprintf("%q is none of %s", text, strings.Join(severityNames[:], ", "))}
}

// Rule describes one check as data.
type Rule struct {
	ID          string // stable, such as "title-missing"
	Title       string // one line, what is checked
	Explanation string // why it matters
	Fix         string // how to mend it
	HelpURL     string
	References  []string // standards: "RFC 9309 section 2.2.1", "WCAG 2.2 1.1.1", "ACT 23a2a8"
	Severity    Severity
	Certainty   Certainty
	Needs       Needs
}

// Certainty says how sure a rule's failure is to be a fault.
type Certainty uint8

const (
	Issue       Certainty = iota // wrong by a standard
	Doubt                        // likely wrong
	Opportunity                  // could be better
	certaintyCount
)

var certaintyNames = [certaintyCount]string{"issue", "warning", "opportunity"}

// String returns the certainty's stable name.
func (c Certainty) String() string {
	if c < certaintyCount {
		return certaintyNames[c]
	}
	return "unknown"
}

// MarshalText writes the name.
func (c Certainty) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// Result is the outcome of a rule on something, in the five words of EARL and of ACT.
type Result uint8

const (
	Failed       Result = iota // the rule is broken
	Passed                     // it applies and holds
	CantTell                   // it applies; a person must judge, Message says why
	Inapplicable               // nothing on the page is subject to it
	Untested                   // it was not run
	resultCount
)

var resultNames = [resultCount]string{"failed", "passed", "cantTell", "inapplicable", "untested"}

// String returns EARL's word.
func (r Result) String() string {
	if r < resultCount {
		return resultNames[r]
	}
	return "unknown"
}

// MarshalText writes EARL's word.
func (r Result) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

// Finding is one result of one rule.
type Finding struct {
	Rule     string // Rule.ID
	Result   Result // zero: Failed
	Severity Severity
	URL      string // the page; filled by the crawl when empty
	Target   string // what is judged when it is not the page: a link's URL, an image's
	Selector string // CSS selector of the element, or empty
	Line     int    // line of the source, from 1; 0 when unknown
	Snippet  string // a short piece of the source, personal data masked
	Message  string // for a person
	Evidence map[string]string
	// Fingerprint is stable between runs, so that two can be compared; filled by the crawl when empty.
	Fingerprint string
}
