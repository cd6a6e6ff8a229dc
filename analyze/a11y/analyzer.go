package a11y

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/amblecrawl/amble"
)

// Analyzer reports accessibility findings for the pages of a crawl. The zero value runs all rules on the HTML of pages,
// in English. It is safe for concurrent use.
type Analyzer struct {
	// Rendered asks for pages as a browser shows them: Crawler.Renderer must be set. Pages without a snapshot are
	// judged by their HTML.
	Rendered bool
	// Only names the rules to run, by id or ACT id. Empty: all.
	Only []string
	// Language of the texts: "en", "es", "fr", "de", "pt". "": English.
	Language string
	// AssumeVisible reports as failures what an unread style sheet could still hide. See Options.
	AssumeVisible bool
	// FailuresOnly leaves out what a person, or a browser, must judge (results cantTell). Nothing then tells a page that
	// was found good from one that could not be judged.
	FailuresOnly bool
	// OnReport, when set, gets the report of each page: what every rule said, also what it found good, which findings do
	// not tell. Package conformance makes tables by standard of them. It is called from several goroutines at once.
	OnReport func(*Report)
}

var _ amble.Analyzer = (*Analyzer)(nil)

// Rules returns the rules that the analyzer runs.
func (a *Analyzer) Rules() []amble.Rule {
	needs := amble.NeedTree
	if a.Rendered {
		needs |= amble.NeedRendered
	}
	out := make([]amble.Rule, 0, len(rules))
	for i := range rules {
		r := &rules[i]
		if !wanted(r, a.Only) || r.Rendered && !a.Rendered || r.Linked {
			continue // also what could never be tested here: a rule that is listed counts as run
		}
		t := r.Text(a.Language)
		ar := amble.Rule{ID: "a11y-" + r.ID, Title: t.Title, Explanation: t.Why, Fix: t.Fix, Severity: r.Severity, Needs: needs, HelpURL: r.HelpURL()}
		for _, c := range r.SC {
			ar.References = append(ar.References, "WCAG 2.2 "+c)
		}
		for _, id := range r.ACT {
			ar.References = append(ar.References, "ACT "+id)
		}
		if r.BestPractice {
			ar.Certainty = amble.Doubt
		}
		out = append(out, ar)
	}
	return out
}

// HelpURL is W3C's page about the rule or its first criterion; "" when there is none.
func (r *Rule) HelpURL() string {
	if len(r.ACT) > 0 {
		return "https://www.w3.org/WAI/standards-guidelines/act/rules/" + r.ACT[0] + "/"
	}
	return ""
}

// Analyze judges one page.
func (a *Analyzer) Analyze(ctx context.Context, p *amble.Page, report func(amble.Finding)) error {
	if p.Response == nil {
		return nil
	}
	opts := &Options{Rules: a.Only, AssumeVisible: a.AssumeVisible, ContentType: p.Response.Header.Get("Content-Type")}
	var rep *Report
	var err error
	switch {
	case p.Response.Snapshot != nil:
		rep, err = CheckSnapshot(ctx, p.Response.Snapshot, opts)
	case a.Rendered && p.Response.Snapshot == nil && p.Outcome != amble.OutcomeAnalysed:
		return nil
	default:
		doc, partial := p.Tree()
		if doc == nil {
			return nil
		}
		if rep, err = CheckNode(ctx, doc, p.URL, "text/html", opts); err == nil && partial {
			rep.partial()
		}
	}
	if err != nil {
		return fmt.Errorf("a11y: %s: %w", p.URL, err)
	}
	if a.OnReport != nil {
		a.OnReport(rep)
	}
	for _, f := range rep.Findings {
		if f.Result == amble.CantTell && a.FailuresOnly {
			continue
		}
		f.Rule = "a11y-" + strings.TrimPrefix(f.Rule, "a11y-")
		report(f)
	}
	return nil
}

// wholePage are the rules that a page cut short cannot fail: what they miss may stand in the rest.
var wholePage = []string{"page-title", "html-lang", "landmark-main", "bypass", "page-has-heading"}

// partial takes back what only the whole page can prove.
func (r *Report) partial() {
	r.Findings = slices.DeleteFunc(r.Findings, func(f amble.Finding) bool { return slices.Contains(wholePage, f.Rule) })
	for i, o := range r.Outcomes {
		if slices.Contains(wholePage, o.Rule) && o.Result == amble.Failed {
			r.Outcomes[i] = Outcome{Rule: o.Rule, Result: amble.Untested, Reason: "the page was cut short, and what is missing may stand in the rest"}
		}
	}
}
