//go:build unix

package amble_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/amblecrawl/amble"
)

// killSite has 200 pages with links, redirects among them, and some links to nothing.
const killSitePages = 200

func killSite(fetched func(url string)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n, err := strconv.Atoi(strings.TrimPrefix(r.URL.Path, "/"))
		if err != nil || n >= killSitePages {
			if r.URL.Path != "/robots.txt" {
				fetched(r.URL.Path)
			}
			http.NotFound(w, r)
			return
		}
		fetched(r.URL.Path)
		if n%17 == 5 {
			http.Redirect(w, r, fmt.Sprintf("/%d", n+1), http.StatusMovedPermanently)
			return
		}
		rng := rand.New(rand.NewPCG(uint64(n), 2))
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprintf(w, `<!doctype html><title>%d</title><a href="/%d">next</a>`, n, (n+1)%killSitePages)
		for range rng.IntN(8) {
			fmt.Fprintf(w, `<a href="/%d">x</a>`, rng.IntN(killSitePages+10))
		}
	})
}

// killSiteCrawl crawls the site with a FileStore, or goes on with a crawl that was killed.
func killSiteCrawl(dir string, fetched func(url string)) error {
	store, err := amble.OpenFileStore(dir, nil)
	if err != nil {
		return err
	}
	defer store.Close()
	c := amble.Crawler{
		Agent:   amble.Agent{Name: "AmbleTest", InfoURL: "https://amble.test/bot"},
		Fetcher: amble.HandlerFetcher(killSite(fetched)),
		Limiter: &amble.ServerLimiter{Pace: -1, Concurrency: -1},
		Store:   store,
		Workers: killWorkers,
		Quota:   amble.Quota{Between: time.Hour},
	}
	_, err = c.Run(context.Background(), "https://site.test/0")
	if errors.Is(err, amble.ErrTooSoon) {
		return nil // killed after the run had ended
	}
	return err
}

// TestCrawlChild is the process that TestCrawlSurvivesSIGKILL kills.
func TestCrawlChild(t *testing.T) {
	dir := os.Getenv(killDir)
	if dir == "" {
		t.Skip("only a child of TestCrawlSurvivesSIGKILL")
	}
	err := killSiteCrawl(dir, func(url string) { os.Stdout.WriteString("fetch " + url + "\n") })
	fmt.Println("end", err)
	os.Exit(0)
}

// TestCrawlSurvivesSIGKILL kills whole crawls as TestStoreSurvivesSIGKILL kills the store alone.
func TestCrawlSurvivesSIGKILL(t *testing.T) {
	read := func(dir string) map[string]amble.Record {
		store, err := amble.OpenFileStore(dir, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer store.Close()
		all := map[string]amble.Record{}
		for r, err := range store.Records(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			r.At, r.Seen = time.Time{}, time.Time{}
			all[r.URL] = r
		}
		return all
	}
	calm, fetches := t.TempDir(), make(chan string, 10*killSitePages)
	if err := killSiteCrawl(calm, func(url string) { fetches <- url }); err != nil {
		t.Fatal(err)
	}
	want := read(calm)
	if n := len(fetches); n < killSitePages || len(want) < n {
		t.Fatalf("an undisturbed crawl has %d fetches, %d records", n, len(want))
	}
	killTest{child: "TestCrawlChild", inFlight: killWorkers, fetches: len(fetches), records: read}.run(t, want)
}
