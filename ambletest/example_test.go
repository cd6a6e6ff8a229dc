package ambletest_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/amblecrawl/amble"
	"github.com/amblecrawl/amble/ambletest"
)

// A test of a site of one's own, with a wait that takes no time.
func ExampleCrawl() {
	_ = func(t *testing.T) { // func TestMySite(t *testing.T)
		synctest.Test(t, func(t *testing.T) {
			site := ambletest.NewSite().
				Page("/", ambletest.Links("/a", "/old")).
				Page("/a", "<!doctype html><title>A</title>").
				Redirect("/old", "/a").
				Refuse("/a", 1, 429, "7")
			r := ambletest.Crawl(t, site, "/")
			r.WantOutcome("/old", amble.OutcomeRedirected)
			r.WantOutcome("/a", amble.OutcomeAnalysed)
		})
	}
}

// A test that an own Limiter keeps the contract.
func ExampleTestLimiter() {
	_ = func(t *testing.T) {
		ambletest.TestLimiter(t, func(pace time.Duration) amble.Limiter { return &amble.ServerLimiter{Pace: pace, MaxServers: 1000} })
	}
}
