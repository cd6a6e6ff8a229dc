package browser

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/amblecrawl/amble"
)

// TestSwitchEndsFiles: when a site is switched off, its files that are being loaded for a page of another site end at once,
// over http and through a tunnel; the page itself goes on, and nothing more is asked of the site (C1).
func TestSwitchEndsFiles(t *testing.T) {
	for _, secure := range []bool{false, true} {
		t.Run(fmt.Sprintf("https=%v", secure), func(t *testing.T) {
			var off amble.Switch
			cut := make(chan struct{})
			late := make(chan string, 10)
			other := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				switch r.URL.Path {
				case "/robots.txt":
					http.NotFound(w, r)
					return
				case "/late.png":
					late <- r.URL.Path
					return
				}
				w.Header().Set("Content-Type", "text/css")
				fmt.Fprint(w, "h1{color:red}")
				w.(http.Flusher).Flush()
				if err := off.Off("localhost"); err != nil {
					t.Error(err)
				}
				<-r.Context().Done()
				close(cut)
			})
			ca := newAuthority(t)
			otherURL := serve(t, other).URL
			if secure {
				otherURL = ca.serve(t, other).URL
			}
			otherURL = strings.Replace(otherURL, "127.0.0.1", "localhost", 1)
			site := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				switch r.URL.Path {
				case "/":
					html(w, `<!doctype html><title>t</title><link rel=stylesheet href="%s/slow.css"><h1>x</h1><script src=/hold.js></script>`, otherURL)
				case "/hold.js": // the page is not loaded before the other site's file has ended
					select {
					case <-cut:
					case <-time.After(30 * time.Second):
						t.Error("the other site's file was not broken off")
					}
					fmt.Fprintf(w, "new Image().src = '%s/late.png'", otherURL)
				}
			}))
			r := newRenderer(t, func(r *Renderer) {
				r.TrustCertificates = ca.certs()
				r.Limits.Page, r.Limits.Settle = time.Minute, 45*time.Second
			})
			c := &amble.Crawler{Agent: testAgent, Renderer: r, Fetcher: &amble.HTTPFetcher{Addresses: amble.LoopbackOnly(), RootCAs: ca.roots()}, Limiter: &amble.ServerLimiter{Pace: -1},
				Analyzers: []amble.Analyzer{rendered{}}, Discover: amble.DiscoverNothing, Switch: &off}
			ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
			defer cancel()
			_, err := c.Each(ctx, func(p *amble.Page) bool {
				if p.Outcome != amble.OutcomeAnalysed {
					t.Errorf("the page of the site that is on: %v, %v", p.Outcome, p.Err)
				} else if problems := strings.Join(p.Response.Snapshot.Problems, "\n"); !strings.Contains(problems, "switched off") {
					t.Errorf("problems: %s", problems)
				}
				return true
			}, site.URL)
			if err != nil {
				t.Error(err)
			}
			select {
			case path := <-late:
				t.Errorf("%s was asked for", path)
			default:
			}
		})
	}
}
