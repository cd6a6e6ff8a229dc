package amble_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"go.uber.org/goleak"

	"github.com/amblecrawl/amble"
	"github.com/amblecrawl/amble/internal/hostile"
)

// hostileBudget bounds the crawl of one hostile server.
var hostileBudget = amble.Budget{
	Pages: 40, URLs: 2000, Redirects: 5, Sitemaps: 6, SitemapEntries: 1000,
	Time: 40 * time.Second, PageTime: 5 * time.Second, PageBytes: 2 << 20, SitemapBytes: 8 << 20, Bytes: 64 << 20,
}

// hostileCrawler is the default crawler with short times, no pace, and nothing allowed but loopback.
func hostileCrawler(s *hostile.Server) (*amble.Crawler, *amble.HTTPFetcher) {
	const short = time.Second
	f := &amble.HTTPFetcher{
		Addresses: amble.LoopbackOnly(), RootCAs: s.Roots,
		TLSTimeout: short, HeaderTimeout: short, StallTimeout: short, TotalTimeout: 5 * time.Second,
	}
	return &amble.Crawler{
		Agent:       amble.Agent{Name: "AmbleTest", InfoURL: "https://amble.test/bot"},
		Budget:      hostileBudget,
		Discover:    amble.DiscoverLinks | amble.DiscoverSitemaps,
		Fetcher:     f,
		Limiter:     &amble.ServerLimiter{Pace: -1, Concurrency: 1}, // one after the other: bad, then next
		Analyzers:   []amble.Analyzer{treeReader{}},
		GiveUpAfter: amble.Unlimited,
	}, f
}

// ending is how a page ends, and the kind of its error where there must be one.
type ending struct {
	outcome amble.Outcome
	kind    error
}

// hostileOutcomes says how each misbehaving page ends.
var hostileOutcomes = func() map[string]ending {
	all := make(map[string]ending)
	is := func(e ending, names ...string) {
		for _, name := range names {
			all[name] = e
		}
	}
	is(ending{amble.OutcomeUnreachable, amble.ErrUnreachable},
		"header-drip", "header-hang", "no-answer", "h2-rapid-reset", "h2-ping-flood")
	is(ending{amble.OutcomeUnreachable, amble.ErrProtocol},
		"header-flood", "header-line-64MB", "status-line-endless", "set-cookie-flood", "1xx-flood", "100-flood",
		"switching-protocols", "status-000", "status-999", "status-5-digits", "junk-header-line", "junk-answer",
		"two-lengths", "negative-length", "huge-length", "h2-continuation")
	is(ending{amble.OutcomeTruncated, amble.ErrTruncated},
		"body-drip", "body-hang", "body-stall", "short-body", "reset", "chunk-size-huge", "chunk-extension-flood",
		"small-chunks", "trailer-flood", "zstd-window", "codings-chain", "gzip-garbage", "gzip-truncated",
		"h2-endless-data", "h2-goaway")
	is(ending{amble.OutcomeTooLarge, amble.ErrTooLarge},
		"endless-body", "endless-chunks", "gzip-bomb", "br-bomb", "zstd-bomb", "gzip-in-gzip", "one-line-5MB", "trap-wide")
	is(ending{amble.OutcomeRedirected, nil},
		"redirect-loop", "redirect-endless", "redirect-hang", "redirect-endless-body", "redirect-non-utf8",
		"redirect-cross-scheme", "redirect-to-private", "redirect-to-port")
	is(ending{amble.OutcomeRedirected, amble.ErrRedirect}, "redirect-self", "redirect-nowhere", "redirect-long")
	is(ending{amble.OutcomeDisallowed, amble.ErrRobotsUnreachable}, "tls-hang", "tls-drip", "tls-junk")
	is(ending{amble.OutcomeNotHTML, amble.ErrNotHTML}, "204-body")
	is(ending{amble.OutcomeAnalysed, nil},
		"non-utf8-header", "long-body", "unsolicited-answer", "length-and-chunked", "trap-calendar", "trap-session",
		"trap-path-repeat", "trap-facets", "deep-html", "body-attrs", "font-amplify", "attr-flood", "entity-flood",
		"table-misnest", "bad-utf8", "content-type-lie", "ld-json-deep")
	return all
}()

// treeReader asks for the tree of every page, so that what parsing costs is paid.
type treeReader struct{}

func (treeReader) Rules() []amble.Rule {
	return []amble.Rule{{ID: "tree", Title: "The page has a tree", Needs: amble.NeedTree | amble.NeedMeta}}
}

func (treeReader) Analyze(_ context.Context, p *amble.Page, _ func(amble.Finding)) error {
	p.Tree()
	return nil
}

// liveHeap watches the live heap, as each collection finds it, until stop, which returns the highest.
func liveHeap() (stop func() uint64) {
	old := debug.SetGCPercent(20)
	done := make(chan struct{})
	var peak uint64
	var watcher sync.WaitGroup
	watcher.Go(func() {
		sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
		tick := time.NewTicker(5 * time.Millisecond)
		defer tick.Stop()
		for {
			metrics.Read(sample)
			peak = max(peak, sample[0].Value.Uint64())
			select {
			case <-done:
				return
			case <-tick.C:
			}
		}
	})
	return func() uint64 {
		close(done)
		watcher.Wait()
		debug.SetGCPercent(old)
		return peak
	}
}

// Whatever a server does, the crawl ends within its budget, holds little memory, leaves no goroutine behind, ends every
// URL in one outcome, and still gets the pages in order.
func TestHostileServers(t *testing.T) {
	if testing.Short() {
		t.Skip("waits for real servers that never answer")
	}
	for _, b := range hostile.All() {
		t.Run(b.Name, func(t *testing.T) {
			before := goleak.IgnoreCurrent()
			t.Cleanup(func() { goleak.VerifyNone(t, before) }) // after the server's own
			s := b.Start(t)
			c, f := hostileCrawler(s)
			defer f.CloseIdleConnections()
			seeds := []string{s.Home}
			if b.Site {
				seeds = append(seeds, s.Next)
			}
			if b.Site && b.Path == "/bad" {
				seeds = append(seeds, s.Bad)
			}
			endless := strings.HasPrefix(b.Name, "trap-") && b.Name != "trap-wide"
			if endless {
				c.Budget.Pages = amble.Unlimited // the trap has to be seen
			}
			runtime.GC()
			var start runtime.MemStats
			runtime.ReadMemStats(&start)
			peak := liveHeap()
			ctx, cancel := context.WithTimeoutCause(t.Context(), hostileBudget.Time+time.Second, errors.New("the budget did not end the crawl"))
			defer cancel()
			got := make(map[string]*amble.Page)
			sum, err := c.Each(ctx, func(p *amble.Page) bool {
				if got[p.URL] != nil || p.Outcome == amble.OutcomeNone {
					t.Errorf("%s ended twice, or in nothing: %v", p.URL, p.Outcome)
				}
				if p.Response != nil {
					for name, values := range p.Response.Header {
						if !utf8.ValidString(name + strings.Join(values, "")) {
							t.Errorf("%s: header %q is not UTF-8: %q", p.URL, name, values)
						}
					}
				}
				if !utf8.ValidString(p.URL + p.Reason + p.Redirect + fmt.Sprint(p.Err)) {
					t.Errorf("%q: what is reported is not UTF-8: %q, %q, %q", p.URL, p.Reason, p.Redirect, p.Err)
				}
				got[p.URL] = p
				return true
			}, seeds...)
			high := peak()
			if err != nil {
				t.Errorf("crawl: %v (%v)", err, context.Cause(ctx))
			}
			if grown := int64(high) - int64(start.HeapAlloc); grown > 64<<20 {
				t.Errorf("the heap grew by %d MiB", grown>>20)
			} else {
				t.Logf("heap +%d MiB", max(0, grown)>>20)
			}
			t.Logf("took %v, ended %s, %v", sum.Took, sum.Ended, sum.Outcomes)
			next := got[s.Next]
			// The million entries and the page in order compete for the budget: either may come first.
			full := b.Name == "sitemap-million" && next != nil && next.Outcome == amble.OutcomeOverBudget
			if next == nil || next.Outcome != amble.OutcomeAnalysed && !full {
				t.Errorf("the page in order: %+v", next)
			}
			if bad := got[s.Bad]; bad != nil {
				t.Logf("bad: %v: %.200s: %v", bad.Outcome, bad.Reason, bad.Err)
				want, ok := hostileOutcomes[b.Name]
				if !ok || bad.Outcome != want.outcome || want.kind != nil && !errors.Is(bad.Err, want.kind) {
					t.Errorf("the bad page ended as %v, %v; want %v, %v", bad.Outcome, bad.Err, want.outcome, want.kind)
				}
			} else if b.Path == "/bad" {
				t.Error("the bad page has no outcome")
			}
			if endless && sum.Ended == "done" || endless && !slices.ContainsFunc(slices.Collect(maps.Values(got)), func(p *amble.Page) bool {
				return errors.Is(p.Err, amble.ErrTrap)
			}) {
				t.Errorf("the trap was not seen: ended %s, %v", sum.Ended, sum.Outcomes)
			}
			if n := len(s.Asked()); !endless && n > hostileBudget.Pages+hostileBudget.Sitemaps+2 {
				t.Errorf("%d addresses were asked for", n)
			}
			for _, m := range sum.Sitemaps {
				t.Logf("sitemap %s: %s, %d entries, %.200q, %v", m.URL, m.Type, m.Entries, m.Problems, m.Err)
			}
		})
	}
}
