package a11y

import (
	"context"
	"strings"

	"github.com/amblecrawl/amble"
	"github.com/amblecrawl/amble/analyze/a11y/internal/dom"
)

// Rule is one accessibility check as data. Its texts, in five languages, come from Text.
type Rule struct {
	ID       string   // our own stable id, such as "image-name"
	ACT      []string // ids of the W3C ACT rules whose failures it reports; empty for checks of our own
	SC       []string // success criteria of WCAG 2.2 that a failure breaks, "1.1.1"; empty for good practice
	Severity amble.Severity
	// Rendered tells that only a page shown by a browser can be judged. On parsed HTML the outcome is untested.
	Rendered bool
	// Styles tells that the rule's answer depends on style sheets (what is hidden, what is coloured). While some of
	// them are unread, its failures are cantTell.
	Styles bool
	// Linked tells that the rule compares the page with others: without Options.Linked it is untested.
	Linked bool
	// Listens tells that the rule needs to know who waits for events: without Snapshot.Listeners it is untested.
	Listens bool
	// Zoomed tells that the rule needs the page at 400 %: without Snapshot.Zoomed it is untested.
	Zoomed bool
	// BestPractice marks checks that no success criterion demands.
	BestPractice bool

	compares bool // with other pages, as far as they are known
	run      func(*pass)
}

// Outcome is what a rule said about a page as a whole: the worst of its elements.
type Outcome struct {
	Rule                     string
	Result                   amble.Result
	Failed, Passed, CantTell int    // elements
	Reason                   string // of untested and cantTell
}

// Report is all that was found on one page.
type Report struct {
	URL string
	// Rendered tells whether the page was judged as a browser showed it, or from its HTML alone.
	Rendered bool
	Outcomes []Outcome // one per rule, in the order of Rules
	// Findings are the failures and what a person must judge, in page order per rule. A rule stops listing at
	// MaxFindings elements; Outcomes still counts them.
	Findings []amble.Finding
	// Untested names frames that could not be read, with the reason.
	Untested []string
}

// MaxFindings bounds the elements that one rule lists for one page.
const MaxFindings = 100

// Outcome returns what the rule said; untested when it was not run.
func (r *Report) Outcome(rule string) Outcome {
	for _, o := range r.Outcomes {
		if o.Rule == rule {
			return o
		}
	}
	return Outcome{Rule: rule, Result: amble.Untested, Reason: "the rule was not run"}
}

// pass is one rule's run over one page: the document and those of its frames.
type pass struct {
	rule *Rule
	page *page
	doc  *dom.Document // the document at hand
	out  Outcome
	list []amble.Finding
}

// page is what all rules share while one page is judged.
type page struct {
	ctx     context.Context
	top     *dom.Document
	docs    []*dom.Document
	options Options
	memo    map[string]any
	pixels  *pixels         // the page's picture; nil without one
	zoomed  []*dom.Document // the page in smaller windows
}

// each calls f for every element of the page, frames included, in tree order.
func (p *pass) each(f func(n *dom.Node)) {
	for _, d := range p.page.docs {
		p.doc = d
		for i, n := range d.Nodes {
			if i%256 == 0 && p.page.ctx.Err() != nil {
				break
			}
			if n.Kind == dom.ElementKind {
				f(n)
			}
		}
	}
	p.doc = p.page.top
}

func (p *pass) ok(*dom.Node) { p.out.Passed++ }

// verdict reports pass or failure.
func (p *pass) verdict(n *dom.Node, good bool, why string, evidence ...string) {
	if good {
		p.ok(n)
		return
	}
	p.fail(n, why, evidence...)
}

func (p *pass) fail(n *dom.Node, why string, evidence ...string) {
	if p.rule.Styles && n != nil && len(n.Doc.UnloadedStyles) > 0 && !p.page.options.AssumeVisible {
		p.cannot(n, why+" (unless the style sheet "+n.Doc.UnloadedStyles[0]+", which was not read, hides or changes it)", evidence...)
		return
	}
	if p.rule.Styles && n != nil && !n.Doc.Rendered && n.Doc.HasScripts && inScriptedHost(n) {
		p.cannot(n, why+" (unless the script that gives an element around it a shadow tree takes it away)", evidence...)
		return
	}
	p.lacks(n, why, evidence...)
}

// lacks reports a failure that no style sheet or script could undo by hiding something: what must be there is not.
func (p *pass) lacks(n *dom.Node, why string, evidence ...string) {
	p.out.Failed++
	p.add(n, amble.Failed, p.rule.Severity, why, evidence)
}

// inScriptedHost tells whether a script of the page seems to give n, or an element around it, a shadow tree: in the
// static form nobody knows whether n is still shown.
func inScriptedHost(n *dom.Node) bool {
	for _, s := range n.Doc.Scripts() {
		if !strings.Contains(s, "attachShadow") {
			continue
		}
		for e := n; e != nil; e = e.Parent {
			if id := e.A("id"); id != "" && strings.Contains(s, id) || e.Kind == dom.ElementKind && strings.Contains(e.Tag, "-") {
				return true
			}
		}
	}
	return false
}

// cannot reports that a person, or a browser, must judge, and why.
func (p *pass) cannot(n *dom.Node, why string, evidence ...string) {
	p.out.CantTell++
	if p.out.Reason == "" {
		p.out.Reason = why
	}
	p.add(n, amble.CantTell, amble.Notice, why, evidence)
}

func (p *pass) add(n *dom.Node, result amble.Result, sev amble.Severity, why string, evidence []string) {
	if len(p.list) >= MaxFindings {
		return
	}
	f := amble.Finding{Rule: p.rule.ID, Result: result, Severity: sev, URL: p.page.top.URL, Message: why}
	if n != nil {
		f.Selector, f.Snippet = selector(n), snippet(n)
		if fx := n.Facts; fx != nil && fx.HasBox {
			evidence = append(evidence, "box", boxText(fx.Box))
		}
	}
	for i := 0; i+1 < len(evidence); i += 2 {
		if f.Evidence == nil {
			f.Evidence = map[string]string{}
		}
		f.Evidence[evidence[i]] = evidence[i+1]
	}
	p.list = append(p.list, f)
}

// finish settles the outcome for the page.
func (p *pass) finish() {
	p.out.Rule = p.rule.ID
	switch {
	case p.out.Failed > 0:
		p.out.Result, p.out.Reason = amble.Failed, ""
	case p.out.CantTell > 0:
		p.out.Result = amble.CantTell
	case p.out.Passed > 0:
		p.out.Result = amble.Passed
	default:
		p.out.Result = amble.Inapplicable
	}
}
