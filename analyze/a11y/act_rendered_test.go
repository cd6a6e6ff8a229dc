package a11y

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/amblecrawl/amble"
	"github.com/amblecrawl/amble/browser"
	"github.com/amblecrawl/amble/internal/cases"
)

// serveACT serves the cases and their assets at the paths that they ask for; everything else is not found.
func serveACT(t *testing.T, m actManifest, dir string) *httptest.Server {
	t.Helper()
	byPath := map[string]string{}
	for _, c := range m.Cases {
		byPath[c.ServePath] = filepath.Join(dir, filepath.FromSlash(c.File))
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if f, ok := byPath[r.URL.Path]; ok {
			http.ServeFile(w, r, f)
			return
		}
		if rest, ok := strings.CutPrefix(r.URL.Path, "/WAI/content-assets/wcag-act-rules/test-assets/"); ok {
			http.ServeFile(w, r, filepath.Join(dir, "test-assets", filepath.FromSlash(rest)))
			return
		}
		http.NotFound(w, r)
	}))
	t.Cleanup(server.Close)
	return server
}

// TestACTRenderedCases runs all rules over W3C's cases as Chrome shows them. It takes minutes: -short leaves it out, and
// what the test's own deadline does not allow is logged as not run.
func TestACTRenderedCases(t *testing.T) {
	if testing.Short() {
		t.Skip("needs a browser and minutes")
	}
	if _, err := browser.Find(); err != nil {
		t.Skip(err)
	}
	m, dir := readACT(t)
	server := serveACT(t, m, dir)
	wide := newActRenderer(t, amble.Viewport{}, false)
	pictured := newActRenderer(t, amble.Viewport{}, true)                                 // for text on images
	narrow := newActRenderer(t, amble.Viewport{Width: 640, Height: 512, Scale: 1}, false) // what rule 59br37 asks for
	pressed := newActRenderer(t, amble.Viewport{}, false)                                 // for what only pressing Tab and listeners tell
	pressed.Keyboard.Press, pressed.Capture.Listeners = true, true
	deadline := time.Now().Add(20 * time.Minute)
	if d, ok := t.Deadline(); ok {
		deadline = d.Add(-3 * time.Minute) // the other tests need time too
	}

	type result struct {
		c   actCase
		rep *Report
		err error
	}
	todo := make(chan actCase)
	results := make(chan result)
	var workers sync.WaitGroup
	for range 3 {
		workers.Go(func() {
			for c := range todo {
				r := wide
				switch c.RuleID {
				case "59br37":
					r = narrow
				case "afw4f7", "09o5cg":
					r = pictured
				case "80af7b", "a1b64e", "ebe86a", "oj04fd", "7677a9", "c249d5", "ffbc54":
					r = pressed
				}
				rep, err := renderCase(r, server.URL, dir, c)
				results <- result{c, rep, err}
			}
		})
	}
	late := 0
	go func() {
		for _, c := range m.Cases {
			if c.NeedsMedia || len(ByACT(c.RuleID)) == 0 {
				continue
			}
			if time.Now().After(deadline) {
				late++
				continue
			}
			todo <- c
		}
		close(todo)
		workers.Wait()
		close(results)
	}()

	tally := cases.NewTally("act-rendered")
	bad, seen := map[string]int{}, map[string]bool{}
	for r := range results {
		if r.err != nil {
			t.Logf("%s was not rendered: %v", r.c.ID, r.err)
			continue
		}
		ok := judge(r.rep, r.c.RuleID, r.c.Expected)
		seen[r.c.RuleID] = true
		tally.Add(r.c.ID, ok)
		if ok {
			continue
		}
		bad[r.c.RuleID]++
		for _, rule := range ByACT(r.c.RuleID) {
			o := r.rep.Outcome(rule.ID)
			t.Logf("%s expected %s: %s says %s %s", r.c.ID, r.c.Expected, rule.ID, o.Result, o.Reason)
		}
	}
	t.Logf("rules consistent act-rendered: %d of %d; not: %v; cases not run for lack of time: %d", len(seen)-len(bad), len(seen), bad, late)
	tally.Close(t, disputedStatic)
}

func newActRenderer(t *testing.T, view amble.Viewport, picture bool) *browser.Renderer {
	t.Helper()
	r := &browser.Renderer{Agent: amble.Agent{Name: "AmbleTest", InfoURL: "https://example.com/crawler"}, Addresses: amble.LoopbackOnly(),
		TempDir: t.TempDir(), Viewport: view, Tabs: 3, Screenshot: browser.ScreenshotPolicy{Take: picture, Format: "png"},
		Limits: browser.Limits{Quiet: 100 * time.Millisecond, Settle: 5 * time.Second}, Capture: browser.Capture{Styles: StyleNames(), NoMetrics: true, NoHTML: true}}
	t.Cleanup(func() {
		if err := r.Close(); err != nil {
			t.Log(err)
		}
	})
	return r
}

func renderCase(r *browser.Renderer, host, dir string, c actCase) (*Report, error) {
	u, err := url.Parse(host + c.ServePath)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	resp, err := r.Fetch(ctx, &amble.Request{URL: u, MaxBytes: -1})
	if err != nil {
		return nil, err
	}
	asset := func(u string) (string, bool) {
		rest, ok := strings.CutPrefix(u, host)
		if !ok {
			return "", false
		}
		data, err := os.ReadFile(assetPath(dir, rest))
		return string(data), err == nil
	}
	opts := &Options{ContentType: resp.Header.Get("Content-Type"), Linked: asset}
	if resp.Snapshot == nil { // not HTML: judged as it stands
		return CheckHTML(ctx, slices.Clone(resp.Body), u.String(), opts.ContentType, opts)
	}
	return CheckSnapshot(ctx, resp.Snapshot, opts)
}
