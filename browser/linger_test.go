package browser

import (
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"
)

// TestPagesDoNotReachTheNext: what a page asks for while the next document takes its place is not sent, and nothing of it is
// in the next page's snapshot, whether the tab goes straight there or by way of an empty page (S8).
func TestPagesDoNotReachTheNext(t *testing.T) {
	for name, pause := range map[string]time.Duration{"at once": 0, "later": 3 * lingerFor} {
		t.Run(name, func(t *testing.T) {
			var mu sync.Mutex
			seen := map[string]int{}
			site := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				mu.Lock()
				seen[r.URL.Path]++
				mu.Unlock()
				switch r.URL.Path {
				case "/a":
					html(w, `<!doctype html><title>a</title><h1>a</h1><script>
						for (const when of ['pagehide', 'visibilitychange', 'unload']) addEventListener(when, () => {
							console.log('left a');
							new Image().src = '/left-' + when + '.png';
							fetch('/left-' + when, {keepalive: true});
							document.body.append(Object.assign(document.createElement('iframe'), {src: '/left-frame'}));
							throw new Error('left a');
						});</script>`)
				case "/b":
					html(w, `<!doctype html><title>b</title><link rel=stylesheet href=/b.css><script src=/b.js></script><img src=/b.png><iframe src=/frame></iframe>
						<script>console.log('here is b'); new Worker('/w.js')</script>`)
				case "/b.css":
					w.Header().Set("Content-Type", "text/css")
				case "/b.js", "/w.js":
					w.Header().Set("Content-Type", "text/javascript")
					if r.URL.Path == "/w.js" {
						w.Write([]byte(`fetch('/from-worker')`))
					}
				case "/frame":
					html(w, `<img src=/in-frame.png>`)
				}
			}))
			r := newRenderer(t, func(r *Renderer) { r.Tabs = 1 })
			if _, err := fetchPage(t, r, site.URL+"/a"); err != nil {
				t.Fatal(err)
			}
			time.Sleep(pause)
			resp, err := fetchPage(t, r, site.URL+"/b")
			if err != nil {
				t.Fatal(err)
			}
			mu.Lock()
			defer mu.Unlock()
			for _, path := range []string{"/b.css", "/b.js", "/b.png", "/frame", "/in-frame.png", "/w.js", "/from-worker"} {
				if seen[path] != 1 {
					t.Errorf("%s was asked for %d times", path, seen[path])
				}
			}
			for path := range seen {
				if strings.HasPrefix(path, "/left") {
					t.Errorf("%s was asked for", path)
				}
			}
			snap := resp.Snapshot
			if len(snap.Console) != 1 || snap.Console[0].Text != "here is b" {
				t.Errorf("console %+v", snap.Console)
			}
			for _, e := range snap.Requests {
				if strings.Contains(e.URL, "/left") {
					t.Errorf("request %+v", e)
				}
			}
			if !strings.Contains(snap.HTML, "<title>b</title>") || len(snap.Problems) > 0 {
				t.Errorf("problems %q of %s", snap.Problems, snap.HTML)
			}
		})
	}
}
