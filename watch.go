package amble

import "time"

// PageWatcher may be implemented by an Analyzer that must know of every URL and how it ended, not only of the pages it
// analyses: redirects, errors, refusals. See is called once per URL, whatever its outcome, after Analyze (if that was
// called at all) and before the page goes to the caller; from several goroutines at once. URLs that still wait when the
// crawl ends are not shown.
//
// Implementers must not change the Page or keep it, and must not take "not analysed" for a defect of the site (S20).
type PageWatcher interface {
	See(p *Page)
}

// SitemapWatcher may be implemented by an Analyzer that compares sitemaps with the crawl. SeeEntry is called for every
// entry that a sitemap file lists, also for URLs that are known already or out of scope; SeeSitemap once per file, after
// its entries. Both may be called from several goroutines at once.
type SitemapWatcher interface {
	SeeEntry(e SitemapEntry)
	SeeSitemap(r SitemapReport)
}

// SitemapEntry is one address that a sitemap lists.
type SitemapEntry struct {
	URL        string // by the URL standard, without fragment
	File       string // the sitemap that lists it
	Line       int    // where in that file, from 1
	LastMod    time.Time
	Alternates []Alternate // xhtml:link elements: the page in other languages
}

// SitemapFault is something that is wrong with a sitemap.
type SitemapFault struct {
	Line   int
	Kind   string // stable, such as "other-host" or "lastmod"
	Detail string
}

// RobotsWatcher may be implemented by an Analyzer that judges robots.txt files. SeeRobots is called once per server, with
// the file that decided about its first page; file is nil unless the state is RobotsRules. It needs a RobotsPolicy that
// gives out its files, as RFC9309 does.
type RobotsWatcher interface {
	SeeRobots(o Origin, file *RobotsFile, state RobotsState)
}

// see shows a page that has ended to the watchers.
func (a *analysis) see(p *Page) {
	for i := range a.members {
		m := &a.members[i]
		if w, ok := m.analyzer.(PageWatcher); ok {
			a.guard(m, func() error { w.See(p); return nil })
		}
	}
}

// eachSitemapWatcher calls f for the Analyzers that watch sitemaps.
func (a *analysis) eachSitemapWatcher(f func(SitemapWatcher)) {
	for i := range a.members {
		m := &a.members[i]
		if w, ok := m.analyzer.(SitemapWatcher); ok {
			a.guard(m, func() error { f(w); return nil })
		}
	}
}

// show shows a page that has ended to the watchers, and before the first page of a server its robots.txt.
func (r *run) show(p *Page) {
	if p.Robots != nil && r.analysis.robots {
		r.showRobots(p)
	}
	r.analysis.see(p)
}

// showRobots takes the file from the policy's cache: the page's own check has just put it there.
func (r *run) showRobots(p *Page) {
	origin := OriginOf(p.ParsedURL())
	r.mu.Lock()
	known := r.robotsShown[origin]
	r.robotsShown[origin] = true
	r.mu.Unlock()
	policy, ok := r.gate.robots.(*RFC9309)
	if known || !ok {
		return
	}
	file, state, err := policy.File(r.fetching, p.ParsedURL(), r.gate.via())
	if err != nil && state == 0 {
		return // the crawl ended
	}
	for i := range r.analysis.members {
		m := &r.analysis.members[i]
		if w, ok := m.analyzer.(RobotsWatcher); ok {
			r.analysis.guard(m, func() error { w.SeeRobots(origin, file, state); return nil })
		}
	}
}
