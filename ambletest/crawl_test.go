package ambletest_test

import (
	"net/http"
	"strings"
	"testing"
	"testing/fstest"
	"testing/synctest"
	"time"

	"github.com/amblecrawl/amble"
	"github.com/amblecrawl/amble/ambletest"
)

func TestCrawlOfAScriptedSite(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		site := ambletest.NewSite().
			Robots("User-agent: *\nDisallow: /private/\n").
			Page("/", ambletest.Links("/a", "/old", "/private/", "/gone")).
			Page("/a", ambletest.Links("/")).
			Redirect("/old", "/a").
			Status("/gone", http.StatusGone).
			Refuse("/a", 1, http.StatusTooManyRequests, "7")
		r := ambletest.Crawl(t, site, "/", "/a", "/old", "/private/", "/gone")
		r.WantOutcomes(map[string]amble.Outcome{
			"/": amble.OutcomeAnalysed, "/a": amble.OutcomeAnalysed, "/old": amble.OutcomeRedirected,
			"/private/": amble.OutcomeDisallowed, "/gone": amble.OutcomeHTTPError,
		})
		if p := r.Page("/a"); p.Attempts != 2 {
			t.Errorf("/a was asked for %d times, want 2", p.Attempts)
		}
		var refused, served time.Time
		for _, a := range r.Requests {
			switch {
			case a.Path == "/a" && a.Status == http.StatusTooManyRequests:
				refused = a.At
			case a.Path == "/a" && a.Status == http.StatusOK:
				served = a.At
			}
		}
		if wait := served.Sub(refused); wait < 7*time.Second {
			t.Errorf("/a was asked for again after %v", wait)
		}
		if first := r.Requests[0]; first.URL() != "https://site.test/robots.txt" || !strings.Contains(first.UserAgent(), "AmbleTest") {
			t.Errorf("first request: %v", first)
		}
		if len(site.Log()) != len(r.Requests) {
			t.Errorf("the site logged %d requests, the crawl %d", len(site.Log()), len(r.Requests))
		}
	})
}

func TestCrawlOfFilesBySitemap(t *testing.T) {
	site, err := ambletest.NewSiteFS(fstest.MapFS{
		"index.html":   {Data: []byte("<!doctype html><title>Home</title>")},
		"b/index.html": {Data: []byte("<!doctype html><title>B</title>")},
	})
	if err != nil {
		t.Fatal(err)
	}
	site.Sitemap("/sitemap.xml", "https://site.test/", "https://site.test/b/")
	c := ambletest.Crawler(t, site)
	c.Discover, c.Workers = amble.DiscoverOnlySitemaps, 1
	r := ambletest.Run(t, c, "/")
	r.WantOutcomes(map[string]amble.Outcome{"/": amble.OutcomeAnalysed, "/b/": amble.OutcomeAnalysed})
	r.WantRequests("/sitemap.xml", "/", "/b/")
}

func TestTwoRunsOfOneCrawlerLogApart(t *testing.T) {
	site := ambletest.NewSite().Page("/", "").Page("/x?q=1", "").Page("/y", "")
	c := ambletest.Crawler(t, site)
	c.Workers = 1
	ambletest.Run(t, c, "/").WantRequests("/")
	ambletest.Run(t, c, "/x?q=1", "/y?any").WantRequests("/x?q=1", "/y?any")
}
