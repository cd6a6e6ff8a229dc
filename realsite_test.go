package amble_test

import (
	"bytes"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"github.com/amblecrawl/amble"
	"github.com/amblecrawl/amble/internal/realsite"
)

var tester = amble.Agent{Name: "AmbleTest", InfoURL: "https://amble.test/bot"}

// loopback is a crawler of a server on this machine that need not be spared.
func loopback() *amble.Crawler {
	return &amble.Crawler{
		Agent:   tester,
		Fetcher: &amble.HTTPFetcher{Addresses: amble.LoopbackOnly()},
		Limiter: &amble.ServerLimiter{Pace: -1, Concurrency: -1},
		Budget:  amble.Budget{Pages: amble.Unlimited, PageBytes: 20 << 20},
	}
}

// onDisk walks the files of a site by their links, without the crawler: what is there and linked.
func onDisk(t *testing.T, base string, site realsite.Site) (there, dead map[string]bool) {
	there, dead = map[string]bool{}, map[string]bool{}
	start, err := url.Parse(base + "/" + site.Start)
	if err != nil {
		t.Fatal(err)
	}
	queue := []*url.URL{start}
	seen := map[string]bool{start.String(): true}
	for len(queue) > 0 {
		u := queue[0]
		queue = queue[1:]
		file := filepath.FromSlash(u.Path)
		if strings.HasSuffix(u.Path, "/") {
			file += "index.html"
		}
		body, err := os.ReadFile(filepath.Join(site.Root, file))
		if err != nil {
			dead[u.String()] = true
			continue
		}
		if name := filepath.Ext(file); name != ".html" && name != ".htm" {
			continue
		}
		there[u.String()] = true
		page, tokens := u, html.NewTokenizer(bytes.NewReader(body))
		for tokens.Next() != html.ErrorToken {
			token := tokens.Token()
			if token.Type != html.StartTagToken && token.Type != html.SelfClosingTagToken || token.Data != "a" && token.Data != "area" {
				continue
			}
			for _, attr := range token.Attr {
				if attr.Key != "href" {
					continue
				}
				ref, err := url.Parse(strings.TrimSpace(strings.ReplaceAll(attr.Val, `\`, "/")))
				if err != nil {
					break
				}
				target := page.ResolveReference(ref)
				target.Fragment, target.RawFragment = "", ""
				if target.Host == start.Host && target.Scheme == "http" && !seen[target.String()] {
					seen[target.String()] = true
					queue = append(queue, target)
				}
				break
			}
		}
	}
	return there, dead
}

func TestRealSitesByLinks(t *testing.T) {
	for _, site := range realsite.Sites {
		t.Run(site.Package, func(t *testing.T) {
			site.Need(t)
			server := realsite.Start(t, realsite.Options{Root: site.Root})
			want, dead := onDisk(t, server.Base, site)
			got, missing := map[string]bool{}, map[string]bool{}
			sum, err := loopback().Each(t.Context(), func(p *amble.Page) bool {
				switch {
				case p.Outcome == amble.OutcomeAnalysed:
					got[p.URL] = true
				case p.Outcome == amble.OutcomeHTTPError && p.Status == http.StatusNotFound:
					missing[p.URL] = true
				case p.Outcome != amble.OutcomeNotHTML && p.Outcome != amble.OutcomeOutOfScope && p.Outcome != amble.OutcomeHTTPError:
					t.Errorf("%s: %v (%s, %v)", p.URL, p.Outcome, p.Reason, p.Err)
				}
				return true
			}, server.Base+"/"+site.Start)
			if err != nil {
				t.Fatal(err)
			}
			compare(t, "pages", got, want)
			compare(t, "dead links", missing, dead)
			asked := map[string]int{}
			for _, r := range server.Requests(t) {
				asked[r.Path]++
				if asked[r.Path] > 1 {
					t.Errorf("%s was asked for %d times", r.Path, asked[r.Path])
				}
			}
			t.Logf("%s: %d pages, %d dead links, %d requests in %v", site.Package, len(got), len(missing), len(asked), sum.Took.Round(time.Millisecond))
		})
	}
}

func compare(t *testing.T, what string, got, want map[string]bool) {
	t.Helper()
	for _, u := range slices.Sorted(maps.Keys(want)) {
		if !got[u] {
			t.Errorf("%s: missed %s", what, u)
		}
	}
	for _, u := range slices.Sorted(maps.Keys(got)) {
		if !want[u] {
			t.Errorf("%s: unexpected %s", what, u)
		}
	}
}

func TestRealSiteBySitemap(t *testing.T) {
	site := realsite.Sites[4] // postgresql-doc-15
	site.Need(t)
	names, err := filepath.Glob(filepath.Join(site.Root, "*.html"))
	if err != nil || len(names) == 0 {
		t.Fatal(err)
	}
	dir := realsite.Folder(t)
	server := realsite.Start(t, realsite.Options{Root: site.Root, Server: fmt.Sprintf(
		"location = /robots.txt { root %s; } location = /map.xml { root %s; }", dir, dir)})
	base := server.Base
	want := map[string]bool{}
	var b strings.Builder
	b.WriteString(`<?xml version="1.0" encoding="UTF-8"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">`)
	for _, name := range names {
		u := base + "/" + filepath.Base(name)
		want[u] = true
		fmt.Fprintf(&b, "<url><loc>%s</loc></url>\n", u)
	}
	b.WriteString("</urlset>")
	for name, body := range map[string]string{"robots.txt": "Sitemap: " + base + "/map.xml\n", "map.xml": b.String()} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(body), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	c := loopback()
	c.Discover = amble.DiscoverOnlySitemaps
	got := map[string]bool{}
	sum, err := c.Each(t.Context(), func(p *amble.Page) bool {
		if p.Outcome != amble.OutcomeAnalysed {
			t.Errorf("%s: %v %s", p.URL, p.Outcome, p.Reason)
		}
		got[p.URL] = true
		return true
	}, base+"/")
	if err != nil {
		t.Fatal(err)
	}
	compare(t, "pages", got, want)
	t.Logf("%d pages by sitemap in %v", len(got), sum.Took.Round(time.Millisecond))
	for _, sm := range sum.Sitemaps {
		t.Logf("%s: %d entries, %v %v", sm.URL, sm.Entries, sm.Problems, sm.Err)
	}
}

// TestS17RealServerThatLimits lets nginx's own limit_req refuse, and reads in its log what the crawler did.
func TestS17RealServerThatLimits(t *testing.T) {
	for _, status := range []int{http.StatusTooManyRequests, http.StatusServiceUnavailable} {
		t.Run(fmt.Sprint(status), func(t *testing.T) {
			t.Parallel()
			site := realsite.Sites[0]
			site.Need(t)
			server := realsite.Start(t, realsite.Options{Root: site.Root,
				HTTP: "limit_req_zone $binary_remote_addr zone=z:1m rate=60r/m;",
				Server: fmt.Sprintf(`limit_req_status %d; error_page %d /refused; location = /refused { internal; add_header Retry-After 4 always; return %d "not now"; }`,
					status, status, status),
				Location: "limit_req zone=z burst=3 nodelay;",
			})
			c := loopback()
			c.Limiter = &amble.ServerLimiter{Pace: 300 * time.Millisecond, Concurrency: 2}
			c.Budget.Pages = 8
			outcomes := map[amble.Outcome]int{}
			sum, err := c.Each(t.Context(), func(p *amble.Page) bool { outcomes[p.Outcome]++; return true }, server.Base+"/git.html")
			if err != nil {
				t.Fatal(err)
			}
			requests := server.Requests(t)
			refused := -1
			for i, r := range requests {
				if i > 0 {
					gap := r.Time.Sub(requests[i-1].Time)
					if i > 1 && gap < 200*time.Millisecond { // the log has the time of the answer; the first one waited for the connection
						t.Errorf("%s came %v after the request before", r.Path, gap)
					}
					if requests[i-1].Status == status && r.Status != status && gap < 3900*time.Millisecond {
						t.Errorf("%s came %v after a refusal that asked for 4 s", r.Path, gap)
					}
				}
				if r.Status == status {
					refused = i
				}
				if r.Agent != tester.Plain() {
					t.Errorf("user agent %q", r.Agent)
				}
			}
			if refused < 0 {
				t.Fatalf("nginx refused nothing: %v", requests)
			}
			for i := refused + 2; i < len(requests); i++ { // slower after the wait: the pace is at least a second
				if gap := requests[i].Time.Sub(requests[i-1].Time); gap < 900*time.Millisecond {
					t.Errorf("%s came %v after the request before, though the server had refused", requests[i].Path, gap)
				}
			}
			if outcomes[amble.OutcomeAnalysed] != 8 {
				t.Errorf("outcomes %v", outcomes)
			}
			t.Logf("%d requests, %d refused, longest wait %v, outcomes %v", len(requests), sum.Servers[0].Throttled, sum.Servers[0].Waited, outcomes)
		})
	}
}
