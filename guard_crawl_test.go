package amble

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"sync/atomic"
	"testing"
)

// freeLimiter lets everything pass at once.
type freeLimiter struct{}

func (freeLimiter) Acquire(context.Context, Ask) (func(Feedback) Advice, error) {
	return func(Feedback) Advice { return Advice{} }, nil
}

// Whatever leads a crawl to a forbidden address (a seed, a redirect, a sitemap that robots.txt names, a robots.txt that
// redirects), no connection is made to it.
func TestEveryWayOfACrawlPassesTheGuard(t *testing.T) {
	var touched atomic.Int32
	l, err := net.Listen("tcp", "127.0.0.2:0")
	if err != nil {
		t.Skip("no second loopback address: ", err)
	}
	inside := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	inside.Listener.Close()
	inside.Listener = l
	inside.Config.ConnState = func(_ net.Conn, s http.ConnState) {
		if s == http.StateNew {
			touched.Add(1)
		}
	}
	inside.Start()
	defer inside.Close()

	var asked atomic.Int32
	public := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		switch r.URL.Path {
		case "/robots.txt":
			fmt.Fprintf(w, "User-agent: *\nAllow: /\nSitemap: %s/sitemap.xml\nSitemap: http://%s/map.xml\n", inside.URL, r.Host)
		case "/map.xml":
			fmt.Fprintf(w, `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>http://%s/moved-away</loc></url></urlset>`, r.Host)
		case "/moved", "/moved-away":
			http.Redirect(w, r, inside.URL+"/secret", http.StatusFound)
		}
	}))
	defer public.Close()
	detour := httptest.NewServer(http.RedirectHandler(inside.URL+"/robots.txt", http.StatusFound))
	defer detour.Close()

	policy := LoopbackOnly()
	policy.DenyPrefixes = append(policy.DenyPrefixes, netip.MustParsePrefix("127.0.0.2/32"))
	f := &HTTPFetcher{Addresses: policy}
	defer f.CloseIdleConnections()
	c := &Crawler{Agent: testAgent, Fetcher: f, Limiter: freeLimiter{}, Discover: DiscoverSitemaps}
	outcomes := map[string]Outcome{}
	for p, err := range c.Pages(t.Context(), public.URL+"/moved", inside.URL+"/", detour.URL+"/") {
		if err != nil {
			t.Fatal(err)
		}
		outcomes[p.URL] = p.Outcome
	}
	if n := touched.Load(); n != 0 {
		t.Errorf("%d connections to the forbidden address", n)
	}
	if asked.Load() < 3 {
		t.Errorf("only %d requests to the public server: the crawl did not get far enough to prove anything", asked.Load())
	}
	if got := outcomes[public.URL+"/moved"]; got != OutcomeRedirected {
		t.Errorf("the page that redirects: %v", got)
	}
	for url, want := range map[string]Outcome{
		inside.URL + "/secret": OutcomeForbidden,
		inside.URL + "/":       OutcomeForbidden,
		detour.URL + "/":       OutcomeDisallowed, // its robots.txt leads there, not the page
	} {
		if got := outcomes[url]; got != want {
			t.Errorf("%s: %v, want %v", url, got, want)
		}
	}
}
