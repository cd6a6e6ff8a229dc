// Package tech judges the technical quality of pages and servers: security headers and cookies, mixed content,
// certificates, compression and caching, HTML as the parser sees it, and, where a browser loaded the page, its files,
// speed and what scripts changed.
//
//	c.Analyzers = []amble.Analyzer{seo.New(agent), tech.New()}
//
// What holds for a whole server (its certificate, a missing header) is reported once, in Summary.SiteFindings, with the
// server as Finding.Target; what one page can show is among its Findings. Nothing is fetched for it. Rules about rendered
// pages judge Response.Snapshot where there is one and say nothing where there is none.
//
// Statements of a site about the use of its content (Content-Usage, Content-Signal, TDM reservation) and its security.txt
// are reported as passed: they are facts, not faults.
package tech

import (
	"context"
	_ "embed"

	"github.com/amblecrawl/amble"
	"github.com/amblecrawl/amble/analyze/internal/audit"
	"github.com/amblecrawl/amble/analyze/text"
)

//go:embed texts.json
var textsJSON []byte

var texts = audit.Texts(textsJSON)

// Texts returns the texts of all rules. The catalog is shared: do not change it.
func Texts() text.Catalog { return texts() }

// Analyzer judges pages, and at the end their servers. It belongs to one crawl; Finish empties it. It is safe for
// concurrent use.
type Analyzer struct {
	// Probe asks each server, once and as the crawl's link checks do, for its http or https twin, its name with or without
	// www, its security.txt and its tdmrep.json. Crawler.Links must be set. It must not be changed during a crawl.
	Probe bool

	servers servers
}

// New returns an Analyzer.
func New() *Analyzer { return &Analyzer{} }

// Rules implements amble.Analyzer.
func (a *Analyzer) Rules() []amble.Rule { return audit.Rules(rules, texts()) }

// Text implements text.Source.
func (a *Analyzer) Text(rule, lang string) (text.Text, bool) { return texts().Text(rule, lang) }

// Analyze implements amble.Analyzer.
func (a *Analyzer) Analyze(ctx context.Context, p *amble.Page, report func(amble.Finding)) error {
	if p.Meta == nil || p.Response == nil || p.Status >= 400 {
		return nil
	}
	c := newPass(a, p, report)
	a.servers.see(c.At.Origin())
	for _, check := range []func(*pass){security, cookies, certificate, transport, encoding, document, markup, statements, rendered} {
		if err := ctx.Err(); err != nil {
			return err
		}
		check(c)
	}
	return nil
}

// See implements amble.PageWatcher: it looks for a security.txt among what the crawl met.
func (a *Analyzer) See(p *amble.Page) {
	if u := p.ParsedURL(); u != nil && u.Path == "/.well-known/security.txt" && p.Status == 200 {
		a.servers.add("security-txt", p.URL, p.URL, amble.Passed, "The site has a security.txt.")
	}
}

// SeeRobots implements amble.RobotsWatcher: it reports what robots.txt says about the use of content.
func (a *Analyzer) SeeRobots(o amble.Origin, file *amble.RobotsFile, _ amble.RobotsState) {
	if file == nil {
		return
	}
	for _, line := range file.Signals() {
		a.servers.add("content-usage", string(o)+" robots.txt "+line.Value, string(o)+"/robots.txt", amble.Passed,
			"robots.txt says about the use of its content: "+line.Value, "line", line.Key+": "+line.Value)
	}
}

// Finish implements amble.SiteAnalyzer. Afterwards the Analyzer is as new.
func (a *Analyzer) Finish(_ context.Context, report func(amble.Finding)) error {
	a.servers.finish(report)
	return nil
}
