package a11y

import (
	"context"
	"fmt"
	"slices"

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
	// not tell. Package conformance makes tables by standard of them. It is called from several goroutines at once. With
	// Compare it gets another report of each page at the end, of the rules that compare.
	OnReport func(*Report)
	// Interaction says that the browser tries pages out: Renderer.Keyboard, Renderer.Zoom and Capture.Listeners are on. The
	// rules that nothing else can decide (text that sticks out at 400 %, shortcuts of one character) run only then.
	Interaction bool
	// Compare judges at the end of a crawl also what takes several pages: blocks that all of them repeat, links and frames of
	// one name that lead to different pages. The HTML of up to 1,000 pages and 64 MiB is kept until then; pages beyond are
	// left out. Nothing is asked for. It is meant for one crawl at a time.
	Compare bool

	kept kept
}

var (
	_ amble.Analyzer     = (*Analyzer)(nil)
	_ amble.SiteAnalyzer = (*Analyzer)(nil)
)

// Rules returns the rules that the analyzer runs.
func (a *Analyzer) Rules() []amble.Rule {
	needs := amble.NeedTree
	if a.Rendered {
		needs |= amble.NeedRendered
	}
	out := make([]amble.Rule, 0, len(rules))
	for i := range rules {
		r := &rules[i]
		if !a.runs(r) {
			continue
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

// runs tells whether a rule is wanted and can be tested here: a rule that is listed counts as run.
func (a *Analyzer) runs(r *Rule) bool {
	return wanted(r, a.Only) && (!r.Rendered || a.Rendered) && (!r.Linked || a.Compare) && (!r.Listens && !r.Zoomed || a.Interaction)
}

// names returns the rules to run at the end of the crawl, which compare its pages, and those to run page by page.
func (a *Analyzer) names() (compare, alone []string) {
	for i := range rules {
		r := &rules[i]
		switch {
		case !a.runs(r):
		case r.compares && a.Compare:
			compare = append(compare, r.ID)
		default:
			alone = append(alone, r.ID)
		}
	}
	return compare, alone
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
	_, alone := a.names()
	opts := &Options{Rules: alone, AssumeVisible: a.AssumeVisible, ContentType: p.Response.Header.Get("Content-Type")}
	var rep *Report
	var err error
	switch {
	case len(alone) == 0: // all that is wanted compares pages
		rep = &Report{}
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
	a.send(rep, report)
	if a.Compare && !p.Partial() && len(p.Response.Body) > 0 && p.Status < 400 {
		a.kept.add(p)
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
