package ambletest

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/amblecrawl/amble"
)

// internet is many hosts in process.
type internet struct {
	mu    sync.Mutex
	sites map[string]http.Handler
}

func (n *internet) serve(h http.Handler) (string, func()) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.sites == nil {
		n.sites = make(map[string]http.Handler)
	}
	host := fmt.Sprintf("site-%d.test", len(n.sites))
	n.sites[host] = h
	return "http://" + host, func() {}
}

func (n *internet) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	n.mu.Lock()
	h := n.sites[r.Host]
	n.mu.Unlock()
	if h == nil {
		h = http.NotFoundHandler()
	}
	h.ServeHTTP(w, r)
}

func TestAmbleIsPolite(t *testing.T) {
	for name, discover := range map[string]amble.Discovery{"by links": amble.DiscoverLinks, "by sitemap": amble.DiscoverOnlySitemaps,
		"by both": amble.DiscoverLinks | amble.DiscoverSitemaps} {
		t.Run(name, func(t *testing.T) {
			var net internet
			var judged []Judgement
			synctest.Test(t, func(t *testing.T) {
				judged = Judge(t.Context(), Claims{Pace: time.Second, Time: time.Hour, Serve: net.serve}, func(ctx context.Context, site string) error {
					c := &amble.Crawler{Agent: agent, Fetcher: amble.HandlerFetcher(&net), Discover: discover}
					_, err := c.Run(ctx, site)
					return err
				})
			})
			for _, j := range judged {
				if j.Result != amble.Passed {
					t.Errorf("%s: %v: %s\n%v", j.Rule, j.Result, j.Detail, j.Log)
				}
			}
		})
	}
}

func TestAmbleIsPoliteOverSockets(t *testing.T) {
	f := &amble.HTTPFetcher{Addresses: amble.LoopbackOnly()}
	defer f.CloseIdleConnections()
	// The claim leaves room for the way: opening the first connection may take as long as a short pace.
	Politeness(t, Claims{Pace: 20 * time.Millisecond, AtOnce: len(trials)}, func(ctx context.Context, site string) error {
		c := &amble.Crawler{Agent: agent, Fetcher: f, Limiter: &amble.ServerLimiter{Pace: 100 * time.Millisecond, Concurrency: 1}}
		_, err := c.Run(ctx, site)
		return err
	})
}

// rude is a crawler without manners: it follows all it finds, as soon as it finds it.
func rude(next http.RoundTripper) func(ctx context.Context, site string) error {
	href := regexp.MustCompile(`(?:href|action)="([^"]*)"`)
	return func(ctx context.Context, site string) error {
		client := http.Client{Transport: next, CheckRedirect: func(_ *http.Request, via []*http.Request) error {
			if len(via) > 20 {
				return http.ErrUseLastResponse
			}
			return nil
		}}
		base, _ := url.Parse(site)
		queue := []string{site}
		for n := 0; len(queue) > 0 && n < 30; n++ {
			u := queue[0]
			queue = queue[1:]
			method := http.MethodGet
			if strings.HasSuffix(u, "/order") {
				method = http.MethodPost
			}
			time.Sleep(300 * time.Millisecond) // hardly a pause
			ctx, cancel := context.WithTimeout(ctx, time.Second)
			req, _ := http.NewRequestWithContext(ctx, method, u, nil)
			resp, err := client.Do(req)
			if err != nil {
				cancel()
				continue
			}
			body, _ := io.ReadAll(resp.Body)
			resp.Body.Close()
			cancel()
			if resp.StatusCode == http.StatusTooManyRequests {
				queue = append(queue, u)
			}
			for _, m := range href.FindAllStringSubmatch(string(body), -1) {
				if next, err := base.Parse(m[1]); err == nil && n < 3 {
					queue = append(queue, next.String())
				}
			}
		}
		return nil
	}
}

func TestPolitenessFindsOutARudeCrawler(t *testing.T) {
	var net internet
	transport := roundTripFunc(func(r *http.Request) (*http.Response, error) {
		if r.Method == http.MethodPost { // a Fetcher sends no such thing
			r = r.Clone(r.Context())
			r.Header.Set("X-Method", r.Method)
			r.Method = http.MethodGet
		}
		return amble.FetcherTransport(amble.HandlerFetcher(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if m := r.Header.Get("X-Method"); m != "" {
				r.Method = m
			}
			net.ServeHTTP(w, r)
		}))).RoundTrip(r)
	})
	var judged []Judgement
	synctest.Test(t, func(t *testing.T) {
		judged = Judge(t.Context(), Claims{Pace: time.Second, Time: time.Hour, Serve: net.serve}, rude(transport))
	})
	for _, j := range judged {
		if j.Result != amble.Failed {
			t.Errorf("%s: %v: %s", j.Rule, j.Result, j.Detail)
		}
	}
}

type roundTripFunc func(*http.Request) (*http.Response, error)

func (f roundTripFunc) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestACrawlerThatDoesNothingIsUntested(t *testing.T) {
	for _, j := range Judge(t.Context(), Claims{}, func(context.Context, string) error { return nil }) {
		if j.Result != amble.Untested {
			t.Errorf("%s: %v", j.Rule, j.Result)
		}
	}
}

func TestTheProductTokenOfAUserAgent(t *testing.T) {
	for ua, want := range map[string]string{
		"Mozilla/5.0 (compatible; ExampleBot/1.0; +https://example.com/bot)": "ExampleBot",
		"Wget/1.21.3": "Wget",
		"Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Safari/537.36 ExampleAudit/1.0 (+https://example.com/)": "ExampleAudit",
		"": "",
	} {
		if got := tokenOf(ua); got != want {
			t.Errorf("%q: %q, want %q", ua, got, want)
		}
	}
}
