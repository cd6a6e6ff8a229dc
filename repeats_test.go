package amble_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/amblecrawl/amble"
)

// repeatSite is a site of n pages that leads into every way to ask for something twice: each page is linked by several
// spellings, by redirects and by chains of them that end at known pages, and disallowed areas and pages that are gone are
// linked everywhere. It counts what it was asked for, by path and query as the standard normalises them.
type repeatSite struct {
	n    int
	mu   sync.Mutex
	seen map[string]int
}

const repeatRobots = "User-agent: *\nDisallow: /private/\nDisallow: /*?session=\nDisallow: /p/*/print$\nDisallow: /hidden\nAllow: /private/help\n"

// disallowedPath reports whether repeatRobots forbids the path and query, written down apart from the product's parser.
func disallowedPath(target string) bool {
	path, query, _ := strings.Cut(target, "?")
	return strings.HasPrefix(path, "/private/") && !strings.HasPrefix(path, "/private/help") || strings.HasPrefix(query, "session=") ||
		strings.HasPrefix(path, "/p/") && strings.HasSuffix(target, "/print") || strings.HasPrefix(path, "/hidden")
}

func (s *repeatSite) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	target := r.URL.RequestURI()
	s.mu.Lock()
	s.seen[target]++
	s.mu.Unlock()
	kind, rest, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	i, err := strconv.Atoi(rest)
	switch {
	case r.URL.Path == "/robots.txt":
		fmt.Fprint(w, repeatRobots)
	case kind == "p" && err == nil && i < s.n:
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		s.page(w, i, r.Host)
	case kind == "moved" && err == nil: // to a page that most others link too, by a spelling of its own
		http.Redirect(w, r, []string{"/p/" + rest, "../p/" + rest + "#top", "//" + r.Host + "/./p/" + rest}[i%3], http.StatusMovedPermanently)
	case kind == "chain" && err == nil: // three hops, the last two shared by many chains
		to := "/chain/" + strconv.Itoa(i/10)
		if i < 10 {
			to = "/moved/" + rest
		}
		http.Redirect(w, r, to, http.StatusFound)
	case kind == "loop":
		http.Redirect(w, r, "/loop/"+strconv.Itoa((i+1)%3), http.StatusFound)
	case kind == "trapped": // leads to what is disallowed
		http.Redirect(w, r, "/private/"+rest, http.StatusFound)
	default:
		http.NotFound(w, r)
	}
}

func (s *repeatSite) page(w http.ResponseWriter, i int, host string) {
	var b strings.Builder
	fmt.Fprintf(&b, "<!doctype html><title>Page %d</title><h1>Page</h1>", i)
	link := func(format string, args ...any) { fmt.Fprintf(&b, "<a href=\""+format+"\">x</a>\n", args...) }
	for k := 1; k <= 3; k++ { // a tree that reaches all
		if child := 3*i + k; child < s.n {
			link("/p/%d", child)
		}
	}
	for k := range 8 {
		to := (i*61 + k*k*7 + k) % s.n
		link([]string{"/p/%d", "../p/%d", "/p/./%d", "/x/../p/%d", "%%2fp/%d", "/p/%d#part", "/%%70/%d", "/p/%d?"}[k], to)
	}
	to := (i * 37) % s.n
	link("http://%s:80/p/%d", strings.ToUpper(strings.Split(host, ":")[0]), to) // another server
	link("HTTP://%s/p/%d", host, to)
	link("/moved/%d", to%97)
	link("/chain/%d", to)
	link("/loop/%d", i%3)
	link("/trapped/%d", i%20)
	link("/gone/%d", i%50)
	link("/private/%d", i%50)
	link("/./private/%d", i%50)
	link("/%%70rivate/%d", i%50)
	link("/private/help")
	link("/p/%d?session=%d", to, i)
	link("/p/%d/print", to)
	link("/hidden%d", i%10)
	_, _ = w.Write([]byte(b.String()))
}

// TestNothingIsAskedForTwice crawls and lets the server count: no path is asked for twice, redirect targets included, and
// none that robots.txt disallows; and every page that can be reached is asked for. 20 crawls of 300 pages; with
// AMBLE_REPEATS=20000 (make bench-repeats) also 3 of that many.
func TestNothingIsAskedForTwice(t *testing.T) {
	crawls := []int{}
	for range 20 {
		crawls = append(crawls, 300)
	}
	if n, _ := strconv.Atoi(os.Getenv("AMBLE_REPEATS")); n > 0 {
		crawls = append(crawls, n, n, n)
	}
	for run, pages := range crawls {
		site := &repeatSite{n: pages, seen: map[string]int{}}
		server := httptest.NewServer(site)
		c := &amble.Crawler{
			Agent:   amble.Agent{Name: "AmbleTest", InfoURL: "https://amble.test/info"},
			Fetcher: &amble.HTTPFetcher{Addresses: amble.LoopbackOnly(), MaxIdlePerHost: 8},
			Limiter: &amble.ServerLimiter{Pace: -1, Concurrency: -1},
			Budget:  amble.Budget{Pages: amble.Unlimited, URLs: amble.Unlimited, Bytes: amble.Unlimited},
			Workers: 8,
		}
		sum, err := c.Run(context.Background(), server.URL+"/p/0")
		server.Close()
		if err != nil {
			t.Fatal(err)
		}
		requests, reached, repeated, disallowed := 0, 0, 0, 0
		for target, n := range site.seen {
			requests += n
			if n > 1 {
				repeated += n - 1
				t.Errorf("%s was asked for %d times", target, n)
			}
			if u, err := url.ParseRequestURI(target); err != nil || disallowedPath(target) || disallowedPath(u.Path) {
				disallowed++
				t.Errorf("%s was asked for, which is disallowed", target)
			}
			if strings.HasPrefix(target, "/p/") && !strings.Contains(target, "?") {
				reached++
			}
		}
		for i := range pages {
			if site.seen["/p/"+strconv.Itoa(i)] == 0 {
				t.Errorf("/p/%d was not asked for", i)
			}
		}
		if pages > 300 || run == 0 {
			t.Logf("%d pages: %d requests, %d pages reached, %d repeated, %d disallowed; %v", pages, requests, reached, repeated, disallowed, sum.Outcomes)
		}
	}
}
