package ambletest

import (
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/amblecrawl/amble"
)

// Base is the address under which Crawl knows a handler.
const Base = "https://site.test/"

// agent is who crawls in tests.
var agent = amble.Agent{Name: "AmbleTest", InfoURL: "https://site.test/about-the-crawler"}

// Crawler returns a Crawler whose every request goes to the handler, whatever its host. It has the polite defaults but
// for the pace between requests, which a handler in process does not need; waits that the handler asks for with 429 and
// Retry-After are kept, and take no time inside testing/synctest. Fields may be changed before the crawl.
func Crawler(t testing.TB, h http.Handler) *amble.Crawler {
	t.Helper()
	f := &handlerFetcher{}
	f.Fetcher = amble.HandlerFetcher(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { f.log.serve(w, r, h) }))
	return &amble.Crawler{Agent: agent, Fetcher: f, Limiter: &amble.ServerLimiter{Pace: -1}}
}

// Crawl crawls the handler from the seeds, with Crawler's configuration, to the end. Seeds may be paths; they are
// resolved against Base. A crawl that fails, or a URL that ends twice or without an outcome, fails the test.
func Crawl(t testing.TB, h http.Handler, seeds ...string) *Result {
	t.Helper()
	return Run(t, Crawler(t, h), seeds...)
}

// Run is Crawl with a Crawler of your own. Result.Requests is kept when its Fetcher is the one that Crawler made.
func Run(t testing.TB, c *amble.Crawler, seeds ...string) *Result {
	t.Helper()
	seeds = slices.Clone(seeds)
	for i, seed := range seeds {
		seeds[i] = resolve(seed)
	}
	f, logged := c.Fetcher.(*handlerFetcher)
	before := 0
	if logged {
		before = f.log.len()
	}
	r := &Result{t: t, pages: make(map[string]*amble.Page)}
	var err error
	r.Summary, err = c.Each(t.Context(), func(p *amble.Page) bool {
		switch {
		case r.pages[p.URL] != nil:
			t.Errorf("%s ended twice: %v, then %v", p.URL, r.pages[p.URL].Outcome, p.Outcome)
		case p.Outcome == amble.OutcomeNone:
			t.Errorf("%s has no outcome", p.URL)
		}
		r.pages[p.URL] = p
		r.Pages = append(r.Pages, p)
		return true
	}, seeds...)
	if err != nil {
		t.Fatalf("the crawl failed: %v", err)
	}
	if logged {
		r.Requests = f.log.since(before)
	}
	return r
}

// resolve makes a URL of a path.
func resolve(ref string) string {
	if !strings.HasPrefix(ref, "/") {
		return ref
	}
	return strings.TrimSuffix(Base, "/") + ref
}

// Result is what a crawl in a test came to. In its methods a path stands for a URL below Base. They report what differs
// with t.Errorf.
type Result struct {
	Pages    []*amble.Page // in the order in which they ended
	Summary  *amble.Summary
	Requests []Access // what reached the handler, in order

	t     testing.TB
	pages map[string]*amble.Page
}

// Page returns the page of a URL. One that the crawl never saw ends the test.
func (r *Result) Page(ref string) *amble.Page {
	r.t.Helper()
	p := r.pages[resolve(ref)]
	if p == nil {
		r.t.Fatalf("%s was not seen; the crawl saw %s", ref, strings.Join(slices.Sorted(maps.Keys(r.pages)), " "))
	}
	return p
}

// WantOutcome checks how one URL ended.
func (r *Result) WantOutcome(ref string, want amble.Outcome) {
	r.t.Helper()
	if p := r.Page(ref); p.Outcome != want {
		r.t.Errorf("%s: %v (%s), want %v", ref, p.Outcome, p.Reason, want)
	}
}

// WantOutcomes checks how every URL ended: none may be missing and none too many.
func (r *Result) WantOutcomes(want map[string]amble.Outcome) {
	r.t.Helper()
	expected := make(map[string]bool)
	for ref, outcome := range want {
		expected[resolve(ref)] = true
		if r.pages[resolve(ref)] == nil {
			r.t.Errorf("%s was not seen, want %v", ref, outcome)
			continue
		}
		r.WantOutcome(ref, outcome)
	}
	for _, p := range r.Pages {
		if !expected[p.URL] {
			r.t.Errorf("%s was seen (%v), and is not expected", p.URL, p.Outcome)
		}
	}
}

// WantRequests checks which paths were asked for, in this order; robots.txt is left out.
func (r *Result) WantRequests(want ...string) {
	r.t.Helper()
	if got := paths(r.Requests); !slices.Equal(got, want) {
		r.t.Errorf("asked for %v, want %v", got, want)
	}
}

// WantFindings checks which rules a page failed, in any order.
func (r *Result) WantFindings(ref string, rules ...string) {
	r.t.Helper()
	var got []string
	for _, f := range r.Page(ref).Findings {
		if f.Result == amble.Failed {
			got = append(got, f.Rule)
		}
	}
	slices.Sort(got)
	want := slices.Sorted(slices.Values(rules))
	if !slices.Equal(got, want) {
		r.t.Errorf("%s: failed rules %v, want %v", ref, got, want)
	}
}

// handlerFetcher is HandlerFetcher with an access log.
type handlerFetcher struct {
	amble.Fetcher
	log accessLog
}
