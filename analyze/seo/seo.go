// Package seo judges how well pages can be found: indexing, status and redirects, canonical addresses, titles and
// descriptions, headings, languages, structured data, links, images, sitemaps, robots.txt, duplicates and URLs.
//
//	c.Analyzers = []amble.Analyzer{seo.New(agent)}
//
// What one page can show is among its Findings; what only the whole crawl can show is in Summary.SiteFindings, once per
// thing judged (Finding.Target), with the first pages concerned in Finding.Evidence. Nothing is fetched for it: a target
// that the crawl did not visit is not judged, and a page that was not analysed is never a defect (S20). Where a rule
// needs a person, or a whole crawl when there was only a part, the result is cantTell.
//
// It holds all rules of analyze.Metadata that concern search, under the same ids: use one of the two.
package seo

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

// Analyzer judges pages and, at the end, the site. It belongs to one crawl: its memory, about 1 kB a page, is emptied by
// Finish. It is safe for concurrent use.
type Analyzer struct {
	// Probe asks each server once, as the crawl's link checks do, for a page that cannot exist: some answer with success,
	// and then no error can be told from a page. Crawler.Links must be set, or no crawl starts
	// (amble.ErrConfig). It must not be changed during a crawl.
	Probe bool

	tokens []string
	site   site
}

// New returns an Analyzer for a crawl by the agent: robots directives for its product tokens count beside those for all.
func New(agent amble.Agent) *Analyzer {
	a := &Analyzer{tokens: agent.ProductTokens()}
	a.site.reset()
	return a
}

// Rules implements amble.Analyzer.
func (a *Analyzer) Rules() []amble.Rule {
	out := audit.Rules(rules, texts())
	for i := range out {
		if a.Probe && out[i].ID == "missing-page-found" {
			out[i].Needs |= amble.NeedLinks
		}
	}
	return out
}

// Text implements text.Source.
func (a *Analyzer) Text(rule, lang string) (text.Text, bool) { return texts().Text(rule, lang) }

// Analyze implements amble.Analyzer.
func (a *Analyzer) Analyze(ctx context.Context, p *amble.Page, report func(amble.Finding)) error {
	if p.Meta == nil || p.Status >= 400 {
		return nil
	}
	c := newPass(a, p, report)
	for _, check := range pageChecks {
		if err := ctx.Err(); err != nil {
			return err
		}
		check(c)
	}
	a.site.add(c)
	return nil
}

// pageChecks judge one page.
var pageChecks = []func(*pass){
	robotsDirectives, refreshes, soft404,
	canonicals,
	titles, descriptions, headings, content,
	languages, hreflang,
	structuredData, social,
	links, linkTexts, images,
	addresses,
}

// See implements amble.PageWatcher.
func (a *Analyzer) See(p *amble.Page) { a.site.see(p) }

// SeeEntry implements amble.SitemapWatcher.
func (a *Analyzer) SeeEntry(e amble.SitemapEntry) { a.site.seeEntry(e) }

// SeeSitemap implements amble.SitemapWatcher.
func (a *Analyzer) SeeSitemap(r amble.SitemapReport) { a.site.seeSitemap(r) }

// SeeRobots implements amble.RobotsWatcher.
func (a *Analyzer) SeeRobots(o amble.Origin, file *amble.RobotsFile, state amble.RobotsState) {
	a.site.seeRobots(o, file, state)
}

// Finish implements amble.SiteAnalyzer. Afterwards the Analyzer is as new.
func (a *Analyzer) Finish(ctx context.Context, report func(amble.Finding)) error {
	return a.site.finish(ctx, report)
}

// Texts returns the texts of all rules. The catalog is shared: do not change it.
func Texts() text.Catalog { return texts() }
