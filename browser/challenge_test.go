package browser

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/amblecrawl/amble"
	"github.com/amblecrawl/amble/internal/cases"
)

// TestChallengesCases: what stands in a page's way is told the same by the HTTP crawl and in the browser, and in the browser
// nothing of a blocked page runs or is loaded (S10, S11).
func TestChallengesCases(t *testing.T) {
	needBrowser(t)
	var set struct {
		Cases []struct {
			ID        string
			URL       string
			Requested string `json:"requested_url"`
			Status    int
			Headers   map[string]string
			Body      string
			Expect    struct{ Blocked bool }
		}
	}
	cases.JSON(t, "challenge/cases.json", &set)
	path := func(raw string) string {
		u, err := url.Parse(raw)
		if err != nil {
			t.Fatal(err)
		}
		if u.Path == "" {
			u.Path = "/"
		}
		return u.RequestURI()
	}
	var mu sync.Mutex
	files := map[string][]string{} // that pages asked for, by case
	ids, seeds := map[string]string{}, []string{}
	for _, c := range set.Cases {
		final, first := path(c.URL), path(c.URL)
		if c.Requested != "" {
			first = path(c.Requested)
		}
		server := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			switch r.URL.RequestURI() {
			case final:
				for name, value := range c.Headers {
					if !strings.EqualFold(name, "content-length") && !strings.EqualFold(name, "content-encoding") {
						w.Header().Set(name, value)
					}
				}
				w.WriteHeader(c.Status)
				fmt.Fprint(w, c.Body)
			case first:
				http.Redirect(w, r, final, http.StatusFound)
			case "/robots.txt", "/favicon.ico":
				http.NotFound(w, r)
			default:
				mu.Lock()
				files[c.ID] = append(files[c.ID], r.Method+" "+r.URL.RequestURI())
				mu.Unlock()
				http.NotFound(w, r)
			}
		}))
		ids[strings.TrimPrefix(server.URL, "http://")] = c.ID
		seeds = append(seeds, server.URL+first)
	}
	crawl := func(r *Renderer) map[string]string {
		c := &amble.Crawler{Agent: testAgent, Fetcher: &amble.HTTPFetcher{Addresses: amble.LoopbackOnly()}, Discover: amble.DiscoverNothing, GiveUpAfter: amble.Unlimited,
			Limiter: &amble.ServerLimiter{Pace: -1, Backoff: amble.Backoff{Floor: time.Millisecond, Default: time.Millisecond, Ceiling: time.Millisecond, SlowPace: time.Millisecond}}}
		if r != nil {
			c.Renderer, c.Analyzers = r, []amble.Analyzer{rendered{}}
		}
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
		defer cancel()
		said := map[string]string{}
		if _, err := c.Each(ctx, func(p *amble.Page) bool {
			text := fmt.Sprintf("%s %v %d", p.ParsedURL().RequestURI(), p.Outcome, p.Status)
			if p.Block != nil {
				text += " " + p.Block.Vendor + " " + p.Block.Kind
			}
			mu.Lock()
			defer mu.Unlock()
			id := ids[p.ParsedURL().Host]
			if p.Outcome != amble.OutcomeRedirected {
				said[id] = text
			}
			return true
		}, seeds...); err != nil {
			t.Fatal(err)
		}
		return said
	}
	plain := crawl(nil)
	clear(files)
	inBrowser := crawl(newRenderer(t, func(r *Renderer) { r.Tabs = 4; r.Capture = Capture{NoTree: true}; r.Limits.Settle = 3 * time.Second }))
	same := cases.NewTally("challenge/same-in-browser")
	for _, c := range set.Cases {
		ok := plain[c.ID] != "" && plain[c.ID] == inBrowser[c.ID] && (!c.Expect.Blocked || len(files[c.ID]) == 0)
		same.Add(c.ID, ok)
		if !ok {
			t.Logf("%s: HTTP says %q, the browser %q; it asked for %v", c.ID, plain[c.ID], inBrowser[c.ID], files[c.ID])
		}
	}
	same.Close(t, nil)
}
