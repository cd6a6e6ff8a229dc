package amble

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
)

// curious is an Analyzer that asks for addresses that no page names.
type curious struct {
	ask   []string // paths
	heard []string
}

func (*curious) Rules() []Rule { return []Rule{{ID: "curious", Needs: NeedSite}} }

func (*curious) Analyze(context.Context, *Page, func(Finding)) error { return nil }

func (c *curious) Probes(o Origin) (list []string) {
	for _, path := range c.ask {
		list = append(list, string(o)+path)
	}
	return list
}

func (c *curious) Probed(l *LinkResult, report func(Finding)) {
	c.heard = append(c.heard, strings.TrimSpace(fmt.Sprint(strings.TrimPrefix(l.URL, "https://site.test"), " ", l.Verdict, " ", l.Problem)))
	report(Finding{Rule: "curious", Target: l.URL})
}

// TestProber: what no page names is asked for once and through the crawl's gates; only who asked hears of it.
func TestProber(t *testing.T) {
	var mu sync.Mutex
	asked := map[string]int{}
	site := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		asked[r.URL.Path]++
		mu.Unlock()
		w.Header().Set("Content-Type", "text/html")
		switch r.URL.Path {
		case "/robots.txt":
			fmt.Fprint(w, "User-agent: *\nDisallow: /private/\n")
		case "/", "/linked":
			fmt.Fprint(w, `<!doctype html><a href="/linked">a</a><img src="/file.png">`)
		default:
			http.NotFound(w, r)
		}
	})
	first, second := &curious{ask: []string{"/nothing", "/private/x", "/linked", "/file.png"}}, &other{curious{ask: []string{"/nothing"}}}
	c := &Crawler{Fetcher: HandlerFetcher(site), Limiter: fast(), Analyzers: []Analyzer{first, second}, Links: &LinkCheck{SkipInternal: true}}
	got, sum := checkLinks(t, c, "https://site.test/")
	slices.Sort(first.heard)
	if want := []string{"/file.png broken gone", "/linked ok", "/nothing broken gone", "/private/x not-checked disallowed"}; !slices.Equal(first.heard, want) {
		t.Errorf("heard %q, want %q", first.heard, want)
	}
	if want := []string{"/nothing broken gone"}; !slices.Equal(second.heard, want) {
		t.Errorf("the second heard %q, want %q", second.heard, want)
	}
	if got["https://site.test/nothing"] != nil || got["https://site.test/file.png"] == nil || sum.Links.Targets != len(got) {
		t.Errorf("results %v, %d targets", got, sum.Links.Targets)
	}
	if sum.Findings["curious"] != 4 || sum.Findings["other"] != 0 {
		t.Errorf("findings %v", sum.Findings)
	}
	for path, n := range asked {
		if n != 1 {
			t.Errorf("%s was asked for %d times", path, n)
		}
	}
	if asked["/private/x"] != 0 {
		t.Error("what robots.txt forbids was asked for")
	}
}

type other struct{ curious }

func (*other) Rules() []Rule { return []Rule{{ID: "other", Needs: NeedSite}} }

func (c *other) Probed(l *LinkResult, _ func(Finding)) { c.curious.Probed(l, func(Finding) {}) }

// TestProberOfASiteGivenUp: nothing more is asked of it (S21).
func TestProberOfASiteGivenUp(t *testing.T) {
	var mu sync.Mutex
	asked := 0
	site := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == "/nothing":
			mu.Lock()
			asked++
			mu.Unlock()
		case r.URL.Path == "/":
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprint(w, `<a href="/1">a</a><a href="/2">b</a><a href="/3">c</a><a href="/4">d</a>`)
		case r.URL.Path != "/robots.txt":
			panic(http.ErrAbortHandler)
		}
		http.NotFound(w, r)
	})
	a := &curious{ask: []string{"/nothing"}}
	c := &Crawler{Fetcher: HandlerFetcher(site), Limiter: fast(), Analyzers: []Analyzer{a}, Workers: 1}
	checkLinks(t, c, "https://site.test/")
	if asked != 0 || !slices.Equal(a.heard, []string{"/nothing not-checked given-up"}) {
		t.Errorf("asked %d times, heard %q", asked, a.heard)
	}
}
