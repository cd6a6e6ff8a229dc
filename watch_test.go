package amble_test

import (
	"context"
	"slices"
	"sync"
	"testing"

	"github.com/amblecrawl/amble"
	"github.com/amblecrawl/amble/ambletest"
)

// watcher notes all that an Analyzer can be shown.
type watcher struct {
	mu                            sync.Mutex
	pages, entries, files, robots []string
}

func (w *watcher) note(list *[]string, s string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	*list = append(*list, s)
}

func (w *watcher) Rules() []amble.Rule { return []amble.Rule{{ID: "watched"}} }
func (w *watcher) Analyze(_ context.Context, p *amble.Page, _ func(amble.Finding)) error {
	if p.Outcome != amble.OutcomeNone {
		w.note(&w.pages, "analysed too late: "+p.URL)
	}
	return nil
}
func (w *watcher) See(p *amble.Page) { w.note(&w.pages, p.Outcome.String()+" "+p.ParsedURL().Path) }
func (w *watcher) SeeEntry(e amble.SitemapEntry) {
	w.note(&w.entries, e.URL+" "+e.File)
}
func (w *watcher) SeeSitemap(r amble.SitemapReport) {
	w.note(&w.files, r.URL)
	for _, f := range r.Faults {
		w.note(&w.files, f.Kind)
	}
}
func (w *watcher) SeeRobots(o amble.Origin, file *amble.RobotsFile, state amble.RobotsState) {
	w.note(&w.robots, string(o)+" "+state.String()+" "+file.Sitemaps()[0].Value)
}
func (w *watcher) Finish(_ context.Context, report func(amble.Finding)) error {
	report(amble.Finding{Rule: "watched", Result: amble.CantTell})
	return nil
}

// TestWatchersSeeWhatIsNotAnalysed: every URL with its outcome, every entry of a sitemap, each robots.txt once.
func TestWatchersSeeWhatIsNotAnalysed(t *testing.T) {
	site := ambletest.NewSite().
		Robots("User-agent: *\nDisallow: /private/\nSitemap: /map.xml\n").
		Sitemap("/map.xml", "https://site.test/a", "https://site.test/private/x", "https://elsewhere.test/").
		Page("/", ambletest.Links("/a", "/old", "/gone", "/private/x")).
		Page("/a", "<!doctype html><title>A</title>").
		Redirect("/old", "/a")
	w := &watcher{}
	c := ambletest.Crawler(t, site)
	c.Discover = amble.DiscoverLinks | amble.DiscoverSitemaps
	c.Analyzers = []amble.Analyzer{w}
	r := ambletest.Run(t, c, "/")
	check := func(what string, got []string, want ...string) {
		t.Helper()
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", what, got, want)
		}
	}
	check("pages", w.pages, "analysed /", "analysed /a", "disallowed /private/x", "http-error /gone", "redirected /old")
	check("entries", w.entries, "https://site.test/a https://site.test/map.xml", "https://site.test/private/x https://site.test/map.xml")
	check("files", w.files, "https://site.test/map.xml", "other-host")
	check("robots", w.robots, "https://site.test rules /map.xml")
	if n := r.Summary.Findings["watched"]; n != 0 || len(r.Summary.SiteFindings) != 1 {
		t.Errorf("a finding that is no failure counts as %d; %d findings", n, len(r.Summary.SiteFindings))
	}
}
