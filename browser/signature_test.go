package browser

import (
	"context"
	"crypto/ed25519"
	"net/http"
	"net/url"
	"sync"
	"testing"
	"time"

	"github.com/amblecrawl/amble"
	"github.com/amblecrawl/amble/internal/httpsig"
)

// rendered makes a crawl load its pages in the browser.
type rendered struct{}

func (rendered) Rules() []amble.Rule { return []amble.Rule{{ID: "seen", Needs: amble.NeedRendered}} }

func (rendered) Analyze(context.Context, *amble.Page, func(amble.Finding)) error { return nil }

// With Crawler.Signer each request of a page in Chrome is signed for its own URL: the document, its redirect, its files,
// and what its scripts fetch.
func TestChromeRequestsAreSigned(t *testing.T) {
	key := ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize))
	var mu sync.Mutex
	seen := map[string]int{}
	server := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		u, err := url.Parse("http://" + r.Host + r.URL.RequestURI())
		if err == nil {
			_, err = httpsig.Verify(&httpsig.Message{Method: r.Method, URL: u, Header: r.Header}, httpsig.Check{
				Keys: []ed25519.PublicKey{key.Public().(ed25519.PublicKey)}, Tag: httpsig.Tag, Now: time.Now(),
				Cover: []httpsig.Component{{Name: "@method"}, {Name: "@authority"}, {Name: "@target-uri"}, {Name: "signature-agent", Key: "sig1"}}})
		}
		if err != nil {
			t.Errorf("%s %s: %v", r.Method, r.URL, err)
		}
		mu.Lock()
		seen[r.URL.Path]++
		mu.Unlock()
		switch r.URL.Path {
		case "/hop":
			http.Redirect(w, r, "/page", http.StatusFound)
		case "/page":
			html(w, `<!doctype html><title>t</title><link rel="stylesheet" href="/a.css?x=1"><img src="/a.png" alt=""><script>fetch("/data")</script>`)
		case "/a.css":
			w.Header().Set("Content-Type", "text/css")
		}
	}))
	c := &amble.Crawler{Agent: testAgent, Renderer: newRenderer(t, nil), Fetcher: &amble.HTTPFetcher{Addresses: amble.LoopbackOnly()},
		Limiter: &amble.ServerLimiter{Pace: -1}, Analyzers: []amble.Analyzer{rendered{}}, Discover: amble.DiscoverNothing,
		Signer: &amble.BotSigner{Agent: "https://bot.example", Keys: []amble.SigningKey{{Private: key}}}}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if _, err := c.Run(ctx, server.URL+"/hop"); err != nil {
		t.Fatal(err)
	}
	mu.Lock()
	defer mu.Unlock()
	for _, path := range []string{"/robots.txt", "/hop", "/page", "/a.css", "/a.png", "/data"} {
		if seen[path] == 0 {
			t.Errorf("%s was not asked for: %v", path, seen)
		}
	}
}
