package amble

import (
	"errors"
	"fmt"
	"net/http"
	"testing"
	"testing/synctest"
	"time"
)

func TestC7PagesOfADayOverThreeRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		s := endless(5000)
		run := func() int {
			before := len(s.paths())
			store := openStore(t, dir, FileStoreOptions{})
			c := &Crawler{Fetcher: s, Store: store, Quota: Quota{PagesPerDay: 200}, Budget: Budget{Pages: 90}, Limiter: fast()}
			got, _ := crawl(t, c, "https://www.site.test/0")
			for _, p := range got {
				if p.Outcome == OutcomeOverBudget && !errors.Is(p.Err, ErrBudget) {
					t.Errorf("%v", p.Err)
				}
			}
			if err := store.Close(); err != nil {
				t.Fatal(err)
			}
			return len(s.paths()) - before
		}
		if a, b, c := run(), run(), run(); a != 90 || b != 90 || c != 20 {
			t.Errorf("three runs of a day fetched %d, %d and %d pages, want 90, 90 and 20", a, b, c)
		}
		time.Sleep(24 * time.Hour)
		if n := run(); n != 90 {
			t.Errorf("the next day: %d pages", n)
		}
	})
}

func TestC10ARunThatIsTooEarlyIsRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := pages(map[string]string{"/": links()})
		store := openStore(t, t.TempDir(), FileStoreOptions{})
		c := &Crawler{Agent: testAgent, Fetcher: s, Store: store, Quota: Quota{Between: 20 * time.Hour}}
		crawl(t, c, "https://site.test/")
		n := len(s.hits)
		time.Sleep(time.Hour)
		_, err := c.Run(t.Context(), "https://site.test/")
		var early *TooSoonError
		if !errors.Is(err, ErrTooSoon) || !errors.As(err, &early) || early.Site != "site.test" || time.Until(early.Due).Round(time.Minute) != 19*time.Hour {
			t.Errorf("err %v", err)
		}
		if len(s.hits) != n {
			t.Errorf("something was asked for")
		}
		time.Sleep(19 * time.Hour)
		if _, err := c.Run(t.Context(), "https://site.test/"); err != nil {
			t.Errorf("a day later: %v", err)
		}
	})
}

// versioned is a site whose pages have validators and can be changed.
func versioned(etags map[string]string) *site {
	return &site{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		tag, ok := etags[r.URL.Path]
		switch {
		case !ok:
			http.NotFound(w, r)
		case r.Header.Get("If-None-Match") == `"`+tag+`"`:
			w.WriteHeader(http.StatusNotModified)
		default:
			w.Header().Set("Etag", `"`+tag+`"`)
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprintf(w, "<title>t</title><p>%s %s</p>", r.URL.Path, tag)
			if r.URL.Path == "/" {
				for path := range etags {
					fmt.Fprintf(w, `<a href="%s">%s</a>`, path, "x")
				}
				fmt.Fprint(w, `<a href="/gone">x</a>`)
			}
		}
	})}
}

func TestRecrawlIsConditionalAndTellsWhatChanged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		etags := map[string]string{"/": "1", "/same": "1", "/changed": "1", "/gone": "1", "/lost": "1"}
		s := versioned(etags)
		store := openStore(t, t.TempDir(), FileStoreOptions{})
		c := &Crawler{Agent: testAgent, Fetcher: s, Store: store, Limiter: fast()}
		got, sum := crawl(t, c, "https://site.test/")
		if sum.Changes[ChangeNew] != len(etags) || got["https://site.test/same"].Change != ChangeNew {
			t.Errorf("first run: %v", sum.Changes)
		}
		time.Sleep(24 * time.Hour)
		etags["/changed"], etags["/new"] = "2", "1"
		delete(etags, "/gone")
		delete(etags, "/lost")
		etags["/"] = "2" // it links to /new now, to /gone still, to /lost no more
		got, sum = crawl(t, c, "https://site.test/")
		for path, change := range map[string]Change{"/same": ChangeNone, "/changed": ChangeContent, "/new": ChangeNew, "/gone": ChangeGone} {
			if p := got["https://site.test"+path]; p == nil || p.Change != change {
				t.Errorf("%s: %+v, want %v", path, p, change)
			}
		}
		if p := got["https://site.test/same"]; p.Outcome != OutcomeUnchanged || p.Status != http.StatusNotModified {
			t.Errorf("/same: %v %d", p.Outcome, p.Status)
		}
		if sum.Vanished != 1 || len(sum.VanishedURLs) != 1 || sum.VanishedURLs[0] != "https://site.test/lost" {
			t.Errorf("vanished: %d %v", sum.Vanished, sum.VanishedURLs)
		}
		time.Sleep(24 * time.Hour)
		got, sum = crawl(t, c, "https://site.test/") // all unchanged: the links are still known
		if got["https://site.test/"].Outcome != OutcomeUnchanged || sum.Outcomes[OutcomeUnchanged] != 4 {
			t.Errorf("third run: %v", sum.Outcomes)
		}
	})
}

func TestARefusalDoesNotForgetWhatWasKnown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		etags := map[string]string{"/": "1"}
		s := versioned(etags)
		plain := s.Handler
		store := openStore(t, t.TempDir(), FileStoreOptions{})
		c := &Crawler{Agent: testAgent, Fetcher: s, Store: store, Limiter: fast()}
		crawl(t, c, "https://site.test/")
		time.Sleep(time.Hour)
		s.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusTooManyRequests) })
		got, _ := crawl(t, c, "https://site.test/")
		if p := got["https://site.test/"]; p.Change != ChangeUnknown || p.Outcome == OutcomeAnalysed {
			t.Errorf("%v %v", p.Outcome, p.Change)
		}
		time.Sleep(time.Hour)
		s.Handler = plain
		got, _ = crawl(t, c, "https://site.test/")
		if p := got["https://site.test/"]; p.Outcome != OutcomeUnchanged || p.Change != ChangeNone {
			t.Errorf("after the refusal: %v %v", p.Outcome, p.Change)
		}
	})
}

func TestLastmodIsBelievedOnlyWhereItProvedRight(t *testing.T) {
	for _, honest := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			version := 0
			s := &site{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				switch r.URL.Path {
				case "/robots.txt":
					http.NotFound(w, r)
				case "/sitemap.xml":
					w.Header().Set("Content-Type", "application/xml")
					fmt.Fprint(w, `<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">`)
					for i := range 30 {
						fmt.Fprintf(w, "<url><loc>https://site.test/p%d</loc><lastmod>1999-01-01</lastmod></url>", i)
					}
					fmt.Fprint(w, "</urlset>")
				default:
					w.Header().Set("Content-Type", "text/html")
					fmt.Fprintf(w, "<title>t</title><p>%s", r.URL.Path)
					if !honest {
						fmt.Fprint(w, " version ", version)
					}
				}
			})}
			store := openStore(t, t.TempDir(), FileStoreOptions{})
			c := &Crawler{Agent: testAgent, Fetcher: s, Store: store, Limiter: fast(), Discover: DiscoverOnlySitemaps}
			asked := 0
			for range 3 {
				before := len(s.paths())
				crawl(t, c, "https://site.test/")
				asked = len(s.paths()) - before - 1
				version++
				time.Sleep(24 * time.Hour)
			}
			if want := map[bool]int{true: 3, false: 30}[honest]; asked != want {
				t.Errorf("honest %v: the third run asked for %d pages, want %d", honest, asked, want)
			}
		})
	}
}
