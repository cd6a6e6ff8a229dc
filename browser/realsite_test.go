package browser

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/amblecrawl/amble"
	"github.com/amblecrawl/amble/internal/realsite"
)

// realPage is what both ways of reading a page found.
type realPage struct {
	links  []string // of the bytes that were sent, as the HTTP crawl found them, in order
	dom    []string // of the document in the browser, from the tree
	again  []string // of the document as the browser serialised it
	script bool     // scripts of the page may have added some
}

// TestRealSites: in pages of real documentation, the links of the document in the browser are those that the HTTP crawl
// finds in the bytes, where no script adds any. AMBLE_REAL_PAGES is the number of pages (make browser-soak: 300).
func TestRealSites(t *testing.T) {
	needBrowser(t)
	want, _ := strconv.Atoi(os.Getenv("AMBLE_REAL_PAGES"))
	want = or(want, 36)
	var mu sync.Mutex
	total, scripted, same, links := 0, 0, 0, 0
	r := newRenderer(t, func(r *Renderer) { r.Tabs = 3; r.Capture = Capture{NoIssues: true, NoConsole: true, NoMetrics: true} })
	for i, site := range realsite.Sites {
		left := len(realsite.Sites) - i
		each := (want - total + left - 1) / left // a small site leaves more to the others
		t.Run(site.Package, func(t *testing.T) {
			site.Need(t)
			server := realsite.Start(t, realsite.Options{Root: site.Root})
			pages := map[string]*realPage{}
			var order []string
			crawl := func(c *amble.Crawler, seeds []string, visit func(*amble.Page) bool) {
				c.Agent, c.Fetcher = testAgent, &amble.HTTPFetcher{Addresses: amble.LoopbackOnly()}
				c.Limiter = &amble.ServerLimiter{Pace: -1, Concurrency: -1}
				c.KeepBodies, c.Budget.Pages, c.Budget.PageBytes = true, amble.Unlimited, 20<<20
				ctx, cancel := context.WithTimeout(t.Context(), 20*time.Minute)
				defer cancel()
				if _, err := c.Each(ctx, func(p *amble.Page) bool {
					if p.Outcome == amble.OutcomeAnalysed {
						mu.Lock()
						defer mu.Unlock()
						return visit(p)
					}
					return true
				}, seeds...); err != nil {
					t.Fatal(err)
				}
			}
			crawl(&amble.Crawler{}, []string{server.Base + "/" + site.Start}, func(p *amble.Page) bool {
				if len(order) == each {
					return false
				}
				pages[p.URL] = &realPage{links: hrefs(p.Meta), script: bytes.Contains(bytes.ToLower(p.Response.Body), []byte("<script"))}
				order = append(order, p.URL)
				return true
			})
			seen := 0
			crawl(&amble.Crawler{Renderer: r, Analyzers: []amble.Analyzer{rendered{}}, Discover: amble.DiscoverNothing, Workers: 3}, order, func(p *amble.Page) bool {
				seen++
				page := pages[p.URL]
				page.dom = hrefsOfTree(p.Response.Snapshot)
				page.again = hrefs(amble.MetaOptions{}.Parse([]byte(p.Response.Snapshot.HTML), p.ParsedURL(), http.Header{"Content-Type": {"text/html; charset=utf-8"}}))
				if got := hrefs(p.Meta); !slices.Equal(got, page.links) {
					t.Errorf("%s: the bytes that the browser got have other links: %s", p.URL, difference(page.links, got))
				}
				return true
			})
			if seen != len(order) || seen == 0 {
				t.Fatalf("%d of %d pages were rendered", seen, len(order))
			}
			for _, u := range order {
				page := pages[u]
				total++
				links += len(page.dom)
				equal := slices.Equal(page.links, page.dom) && slices.Equal(page.links, page.again)
				switch {
				case equal:
					same++
				case page.script:
					scripted++
					t.Logf("%s: its scripts changed its links: %s", u, difference(page.links, page.dom))
				default:
					t.Errorf("%s: %s; serialised: %s", u, difference(page.links, page.dom), difference(page.links, page.again))
				}
			}
		})
	}
	t.Logf("%d pages with %d links: the same in %d, changed by scripts in %d", total, links, same, scripted)
	if total < want && !t.Failed() && os.Getenv("CI") != "" {
		t.Errorf("only %d pages of %d", total, want)
	}
}

// hrefs are the links of a page, as written.
func hrefs(m *amble.Meta) (out []string) {
	for _, l := range m.Links {
		out = append(out, l.Href)
	}
	return out
}

// hrefsOfTree are those of a snapshot's tree.
func hrefsOfTree(s *amble.Snapshot) (out []string) {
	for _, n := range s.Nodes {
		if href, ok := n.Attr("href"); ok && n.Frame == 0 && n.Shadow == "" && (n.Name == "a" || n.Name == "area") {
			out = append(out, href)
		}
	}
	return out
}

// difference says where two lists part.
func difference(a, b []string) string {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return fmt.Sprintf("link %d is %q and %q", i, a[i], b[i])
		}
	}
	return fmt.Sprintf("%d and %d links", len(a), len(b))
}
