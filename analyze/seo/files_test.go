package seo_test

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/amblecrawl/amble"
	"github.com/amblecrawl/amble/ambletest"
	"github.com/amblecrawl/amble/analyze/links"
	"github.com/amblecrawl/amble/analyze/seo"
)

func rulesOf(findings []amble.Finding, prefixes ...string) []string {
	var out []string
	for _, f := range findings {
		for _, p := range prefixes {
			if strings.HasPrefix(f.Rule, p) {
				out = append(out, f.Rule+" "+f.Result.String())
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

const urlset = `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">`

// TestSiteFiles judges robots.txt and sitemaps by what a whole site has or has not.
func TestSiteFiles(t *testing.T) {
	home := "<loc>https://site.test/</loc>"
	for _, test := range []struct {
		name, robots, sitemap string
		robotsStatus          int
		sitemapStatus         int
		want                  []string
	}{
		{name: "all is well", robots: "User-agent: *\nAllow: /\nSitemap: https://site.test/map/s.xml\n", sitemap: urlset + "<url>" + home + "</url></urlset>"},
		{name: "no robots.txt and no sitemap are no faults", robotsStatus: 404, sitemapStatus: 404},
		{name: "no sitemap line", robots: "User-agent: *\nDisallow:\n", sitemapStatus: 404, want: []string{"robots-no-sitemap failed"}},
		{name: "a page instead of robots.txt", robots: "<!DOCTYPE html><html><body>Welcome</body></html>", sitemapStatus: 404, want: []string{"robots-not-text failed"}},
		{name: "robots.txt fails", robotsStatus: 503, want: []string{"robots-unreachable failed"}},
		{name: "the named sitemap is gone", robots: "Sitemap: https://site.test/map/s.xml\n", sitemapStatus: 404, want: []string{"sitemap-unreachable failed"}},
		{name: "the named sitemap fails for now", robots: "Sitemap: https://site.test/map/s.xml\n", sitemapStatus: 502, want: []string{"sitemap-unreachable cantTell"}},
		{name: "not well-formed", robots: "Sitemap: https://site.test/map/s.xml\n", sitemap: urlset + "<url><loc>https://site.test/?a&b</loc></url></urlset>", want: []string{"sitemap-invalid failed"}},
		{name: "a directory that a sitemap covers by itself", robots: "User-agent: *\nDisallow:\n", sitemap: "", sitemapStatus: 404, want: []string{"robots-no-sitemap failed"}},
		{name: "too many entries", robots: "Sitemap: https://site.test/map/s.xml\n", sitemap: tooMany(50_001), want: []string{"sitemap-too-big failed"}},
		{name: "robots.txt is too large", robots: "Sitemap: https://site.test/map/s.xml\n" + strings.Repeat("# a comment of some length\n", 20_000), sitemap: urlset + "<url>" + home + "</url></urlset>", want: []string{"robots-too-big failed"}},
		{name: "robots.txt is large", robots: "Sitemap: https://site.test/map/s.xml\n" + strings.Repeat("# a comment of some length\n", 18_000), sitemap: urlset + "<url>" + home + "</url></urlset>"},
		{name: "one time for all", robots: "Sitemap: https://site.test/map/s.xml\n", sitemap: dated(10, 0), want: []string{"sitemap-lastmod-equal failed"}},
		{name: "one time for a few", robots: "Sitemap: https://site.test/map/s.xml\n", sitemap: dated(9, 0)},
		{name: "one of its own", robots: "Sitemap: https://site.test/map/s.xml\n", sitemap: dated(10, 1)},
		{name: "as many entries as may be", robots: "Sitemap: https://site.test/map/s.xml\n", sitemap: tooMany(50_000)},
	} {
		t.Run(test.name, func(t *testing.T) {
			site := ambletest.NewSite().Page("/", `<!DOCTYPE html><html lang="en"><title>Home</title><link rel="canonical" href="https://site.test/"><p>Home`)
			for path, file := range map[string]struct {
				status int
				body   string
			}{"/robots.txt": {test.robotsStatus, test.robots}, "/map/s.xml": {test.sitemapStatus, test.sitemap}} {
				site.Handle(path, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
					w.Header().Set("Content-Type", "text/plain")
					if file.status > 0 {
						w.WriteHeader(file.status)
					}
					fmt.Fprint(w, file.body)
				}))
			}
			c := ambletest.Crawler(t, site)
			c.Discover = amble.DiscoverLinks | amble.DiscoverSitemaps
			c.Budget.Pages = 1
			c.Analyzers = []amble.Analyzer{seo.New(c.Agent)}
			r := ambletest.Run(t, c, "/")
			if got := rulesOf(r.Summary.SiteFindings, "robots-", "sitemap-"); !slices.Equal(got, test.want) {
				t.Errorf("got %v, want %v", got, test.want)
			}
		})
	}
}

// dated makes a sitemap whose entries have the same lastmod, but for some.
func dated(n, others int) string {
	var b strings.Builder
	b.WriteString(urlset + "<url><loc>https://site.test/</loc><lastmod>2025-01-01T00:00:00Z</lastmod></url>")
	for i := range n - 1 {
		fmt.Fprintf(&b, "<url><loc>https://site.test/%d</loc><lastmod>2025-01-0%dT00:00:00Z</lastmod></url>", i, 1+max(0, others-i))
	}
	return b.String() + "</urlset>"
}

// TestMissingPageFound: with Probe a server is asked once for a page that cannot exist, and for nothing without.
func TestMissingPageFound(t *testing.T) {
	for _, test := range []struct {
		name   string
		probe  bool
		status int
		want   []string
	}{
		{"every address is a page", true, 200, []string{"missing-page-found failed"}},
		{"every address leads home", true, 302, []string{"missing-page-found failed"}},
		{"an error", true, 404, nil},
		{"a refusal", true, 403, nil},
		{"nobody asks", false, 200, nil},
	} {
		asked := 0
		handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			switch {
			case r.URL.Path == "/robots.txt" || r.URL.Path == "/sitemap.xml":
				http.NotFound(w, r)
				return
			case r.URL.Path != "/":
				asked++
				w.Header().Set("Location", "/")
				w.WriteHeader(test.status)
			}
			fmt.Fprint(w, "<!DOCTYPE html><title>Home</title><p>Home")
		})
		c := ambletest.Crawler(t, handler)
		c.Links = &amble.LinkCheck{}
		judge := seo.New(c.Agent)
		judge.Probe = test.probe
		c.Analyzers = []amble.Analyzer{judge, &links.Analyzer{}}
		r := ambletest.Run(t, c, "/")
		if got := rulesOf(r.Summary.SiteFindings, "missing-", "link-"); !slices.Equal(got, test.want) || test.probe != (asked == 1) {
			t.Errorf("%s: got %v, want %v, asked %d times", test.name, got, test.want, asked)
		}
		if r.Summary.Links.Targets != 0 {
			t.Errorf("%s: what no page names counts as %d targets", test.name, r.Summary.Links.Targets)
		}
	}
}

func tooMany(n int) string {
	var b strings.Builder
	b.WriteString(urlset + "<url><loc>https://site.test/</loc></url>")
	for i := range n - 1 {
		fmt.Fprintf(&b, "<url><loc>https://site.test/%d</loc></url>", i)
	}
	return b.String() + "</urlset>"
}

// TestOutsidePath: a sitemap that an index names, not robots.txt, covers its own directory only.
func TestOutsidePath(t *testing.T) {
	s := seo.New(amble.Agent{Name: "AmbleTest"})
	s.SeeSitemap(amble.SitemapReport{URL: "https://site.test/a/s.xml", Type: "urlset", Faults: []amble.SitemapFault{{Line: 3, Kind: "outside-path", Detail: "https://site.test/b/"}}})
	if got := finish(t, s); len(got) != 1 || got[0].Rule != "sitemap-outside-path" || got[0].Line != 3 {
		t.Errorf("got %+v", got)
	}
}

func finish(t *testing.T, s *seo.Analyzer) (out []amble.Finding) {
	t.Helper()
	if err := s.Finish(t.Context(), func(f amble.Finding) { out = append(out, f) }); err != nil {
		t.Fatal(err)
	}
	return out
}

// TestNoResponseIsNoDefect: a page that could not be loaded is listed for a person, never as failed (S20).
func TestNoResponseIsNoDefect(t *testing.T) {
	site := ambletest.NewSite().Page("/", ambletest.Links("/silent", "/challenge", "/busy")).
		Handle("/challenge", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Cf-Mitigated", "challenge")
			w.WriteHeader(http.StatusForbidden)
		})).
		Refuse("/busy", -1, http.StatusServiceUnavailable, "600").
		Handle("/silent", http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }))
	c := ambletest.Crawler(t, site)
	c.Analyzers = []amble.Analyzer{seo.New(c.Agent)}
	r := ambletest.Run(t, c, "/")
	for _, f := range r.Summary.SiteFindings {
		if f.Target != "https://site.test/" && f.Target != "https://site.test/robots.txt" && f.Result == amble.Failed {
			t.Errorf("a page that was not analysed failed: %+v", f)
		}
	}
	if got := rulesOf(r.Summary.SiteFindings, "no-response", "status-"); !slices.Equal(got, []string{"no-response cantTell"}) {
		t.Errorf("got %v", got)
	}
	if r.Summary.Findings["no-response"] != 0 {
		t.Error("what a person must judge counts as a failure")
	}
}

func TestTooManyLinks(t *testing.T) {
	for n, want := range map[int]bool{1000: false, 1001: true} {
		var b strings.Builder
		b.WriteString("<!DOCTYPE html><title>T</title>")
		for i := range n {
			fmt.Fprintf(&b, `<a href="https://other.test/%d">Other page %d</a>`, i, i)
		}
		c := ambletest.Crawler(t, ambletest.NewSite().Page("/", b.String()))
		c.Analyzers = []amble.Analyzer{seo.New(c.Agent)}
		r := ambletest.Run(t, c, "/")
		if got := r.Summary.Findings["link-too-many"] > 0; got != want {
			t.Errorf("%d links: %v", n, got)
		}
	}
}

// TestAnUnfinishedCrawlCannotTellWhatIsAbsent: with a budget that ends early nobody knows which links were not seen.
func TestAnUnfinishedCrawlCannotTellWhatIsAbsent(t *testing.T) {
	pages := readSite(t, "testdata/site.txt")
	handler, _ := seededSite(pages, "User-agent: *\nSitemap: https://site.test/sitemap.xml\n", "")
	c := ambletest.Crawler(t, handler)
	c.Discover = amble.DiscoverLinks | amble.DiscoverSitemaps
	c.Budget.Pages = 40
	c.Analyzers = []amble.Analyzer{seo.New(c.Agent)}
	r := ambletest.Run(t, c, "/")
	for _, f := range r.Summary.SiteFindings {
		switch f.Rule {
		case "page-orphan", "canonical-unlinked", "hreflang-unlinked", "only-nofollow-links":
			if f.Result != amble.CantTell {
				t.Errorf("%s on %s: %v", f.Rule, f.Target, f.Result)
			}
		}
	}
}

// TestProbeNeedsLinkChecks: with Probe and without Crawler.Links nothing would be asked, so no crawl starts.
func TestProbeNeedsLinkChecks(t *testing.T) {
	c := ambletest.Crawler(t, http.NotFoundHandler())
	judge := seo.New(c.Agent)
	judge.Probe = true
	c.Analyzers = []amble.Analyzer{judge}
	if _, err := c.Run(t.Context(), "https://site.test/"); !errors.Is(err, amble.ErrConfig) {
		t.Errorf("%v", err)
	}
}
