package browser

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/amblecrawl/amble"
)

// recordingGate lets everything pass and answers "not now" by a plan.
type recordingGate struct {
	mu     sync.Mutex
	passed []string
	heard  []int
	open   int
	advise func(path string, f amble.Feedback) amble.Advice
	delay  time.Duration
	refuse string // a path that does not pass
}

func (g *recordingGate) Pass(ctx context.Context, u *url.URL, kind amble.Kind) (func(amble.Feedback) amble.Advice, error) {
	if g.delay > 0 {
		select {
		case <-time.After(g.delay):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	if g.refuse != "" && u.Path == g.refuse {
		return nil, &amble.Error{Op: "robots", Kind: amble.ErrDisallowed}
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.passed = append(g.passed, kind.String()+" "+u.Path)
	g.open++
	return func(f amble.Feedback) amble.Advice {
		g.mu.Lock()
		defer g.mu.Unlock()
		g.open--
		g.heard = append(g.heard, f.Status)
		if g.advise == nil {
			return amble.Advice{}
		}
		return g.advise(u.Path, f)
	}, nil
}

func fetchWith(t *testing.T, r *Renderer, raw string, gate amble.Gate) *amble.Response {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 60*time.Second)
	defer cancel()
	u, _ := url.Parse(raw)
	resp, err := r.Fetch(ctx, &amble.Request{URL: u, MaxBytes: -1, Gate: gate})
	if err != nil {
		t.Fatal(err)
	}
	return resp
}

// TestGateOfFiles: each file of a page passes the gate once, and the gate hears how it was answered; the page itself has
// passed it already. When a file is put off, the page is loaded once more if the rules say so (S17); when they say that the
// page must stop, its remaining files are not asked for (S18, S19).
func TestGateOfFiles(t *testing.T) {
	var mu sync.Mutex
	hits := map[string]int{}
	server := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		hits[r.URL.Path]++
		n := hits[r.URL.Path]
		mu.Unlock()
		switch r.URL.Path {
		case "/page":
			html(w, `<!doctype html><link rel=stylesheet href=/busy.css><img src=/a.png><h1>x</h1>`)
		case "/stop":
			html(w, `<!doctype html><script src=/always-busy.js></script>%s<h1>x</h1>`, strings.Repeat(`<script>document.write('<img src=/late.png?' + Math.random() + '>')</script>`, 5))
		case "/busy.css":
			w.Header().Set("Content-Type", "text/css")
			if n == 1 {
				w.WriteHeader(http.StatusTooManyRequests)
				return
			}
			fmt.Fprint(w, "h1{color:rgb(1,2,3)}")
		case "/always-busy.js":
			w.WriteHeader(http.StatusTooManyRequests)
		}
	}))
	r := newRenderer(t, nil)
	gate := &recordingGate{advise: func(path string, f amble.Feedback) amble.Advice {
		return amble.Advice{Retry: amble.Throttled(f.Status, f.Header)}
	}}
	resp := fetchWith(t, r, server.URL+"/page", gate)
	// Which other files were under way when the page was put off is a matter of timing.
	passed := slices.DeleteFunc(slices.Clone(gate.passed), func(s string) bool { return s == "resource /a.png" })
	if want := []string{"resource /busy.css", "page /page", "resource /busy.css"}; !slices.Equal(passed, want) {
		t.Errorf("passed %v, want %v", gate.passed, want)
	}
	if gate.open != 0 || !slices.Contains(gate.heard, 429) {
		t.Errorf("%d requests were never reported; heard %v", gate.open, gate.heard)
	}
	if !styled(resp, "h1", "color", "rgb(1, 2, 3)") {
		t.Error("the style sheet that was asked for twice has no effect")
	}

	gate = &recordingGate{advise: func(path string, f amble.Feedback) amble.Advice {
		if amble.Throttled(f.Status, f.Header) {
			return amble.Advice{StopPage: true, Reason: "S18"}
		}
		return amble.Advice{}
	}}
	resp = fetchWith(t, r, server.URL+"/stop", gate)
	mu.Lock()
	defer mu.Unlock()
	if hits["/always-busy.js"] != 1 || hits["/late.png"] != 0 {
		t.Errorf("asked for after the end: %v", hits)
	}
	if !slices.ContainsFunc(resp.Snapshot.Problems, func(p string) bool { return strings.Contains(p, "S18") }) {
		t.Errorf("the reason is not told: %v", resp.Snapshot.Problems)
	}
}

// TestGateOfForeignFiles: the gate hears how files of other sites were answered, also what the page itself is not shown
// (a picture that is text), and each hop of a redirect.
func TestGateOfForeignFiles(t *testing.T) {
	other := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/hop":
			http.Redirect(w, r, "/there", http.StatusFound)
		case "/busy":
			w.Header().Set("Retry-After", "7")
			w.Header().Set("X-Content-Type-Options", "nosniff")
			html(w, "not a picture")
		case "/there":
			w.WriteHeader(http.StatusGone)
		}
	}))
	server := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		html(w, `<!doctype html><h1>x</h1><img src="%[1]s/hop"><script>fetch('%[1]s/busy').catch(() => 0)</script><img src="%[1]s/busy?2">`, other.URL) // another port is another origin
	}))
	heard := map[string]int{}
	gate := &recordingGate{advise: func(path string, f amble.Feedback) amble.Advice {
		if path == "/busy" && f.Header.Get("Retry-After") != "7" {
			t.Errorf("%s: %d %v %v", path, f.Status, f.Header, f.Err)
		}
		heard[fmt.Sprint(path, " ", f.Status)]++
		return amble.Advice{}
	}}
	fetchWith(t, newRenderer(t, nil), server.URL+"/", gate)
	gate.mu.Lock()
	defer gate.mu.Unlock()
	if heard["/hop 302"] != 1 || heard["/there 410"] != 1 || heard["/busy 200"] != 2 || gate.open != 0 {
		t.Errorf("heard %v, %d open", heard, gate.open)
	}
}

// TestGateOfCachedFiles: what the browser has kept is no request to the server, as the gate is told.
func TestGateOfCachedFiles(t *testing.T) {
	server := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "max-age=3600")
		if r.URL.Path == "/once" {
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprint(w, "{}")
			return
		}
		html(w, `<!doctype html><h1>x</h1><script>fetch('/once').then(r => r.json())</script>`)
	}))
	var sent, unsent int
	gate := &recordingGate{advise: func(path string, f amble.Feedback) amble.Advice {
		switch {
		case path != "/once":
		case f.Unsent:
			unsent++
		default:
			sent++
		}
		return amble.Advice{}
	}}
	r := newRenderer(t, nil)
	fetchWith(t, r, server.URL+"/1", gate)
	fetchWith(t, r, server.URL+"/2", gate)
	gate.mu.Lock()
	defer gate.mu.Unlock()
	if sent != 1 || unsent != 1 || gate.open != 0 {
		t.Errorf("%d sent, %d from the cache, %d open", sent, unsent, gate.open)
	}
}

// TestWaitForPace: time at the gate counts neither against the page's limits nor as its coming to rest.
func TestWaitForPace(t *testing.T) {
	server := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/" {
			html(w, `<!doctype html><h1>x</h1><script src=/a.js></script><script src=/b.js></script>`)
			return
		}
		w.Header().Set("Content-Type", "text/javascript")
		fmt.Fprint(w, "document.body.append('more ')")
	}))
	r := newRenderer(t, func(r *Renderer) { r.Limits.Settle = 2 * time.Second })
	resp := fetchWith(t, r, server.URL+"/", &recordingGate{delay: 3 * time.Second})
	if resp.Snapshot.Settled.Reason != SettledQuiet || strings.Count(resp.Snapshot.HTML, "more ") != 2 {
		t.Errorf("%+v %s", resp.Snapshot.Settled, resp.Snapshot.HTML)
	}
}

// styled reports whether the first element with a name has a computed value.
func styled(resp *amble.Response, name, property, value string) bool {
	i := slices.Index(resp.Snapshot.StyleNames, property)
	for _, n := range resp.Snapshot.Nodes {
		if n.Name == name && n.Rendered {
			return i >= 0 && n.Styles[i] == value
		}
	}
	return false
}
