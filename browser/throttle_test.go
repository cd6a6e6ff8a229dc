package browser

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/amblecrawl/amble"
	"github.com/amblecrawl/amble/internal/realsite"
)

// throttled is a site behind nginx whose pages have many files, of which nginx refuses those that come too fast.
type throttled struct {
	name  string
	limit string // nginx: so many files, in the form of limit_req_zone
	burst int
	after int // Retry-After, in seconds
	code  int
	next  bool // the page links to another
	check func(t *testing.T, x *throttledRun)
}

// throttledRun is what a crawl of such a site left behind.
type throttledRun struct {
	log   []realsite.Request // without robots.txt
	pages map[string]*amble.Page
	sum   *amble.Summary
}

const throttledFiles = 16

// TestThrottledFiles: nginx itself (limit_req) refuses files of a page, and its log shows what the rules say: the wait, the
// slower pace afterwards, and the end of that page's requests when nothing helps (S17, S18, S19). The limits are the
// product's own.
func TestThrottledFiles(t *testing.T) {
	needBrowser(t)
	t.Parallel() // it mostly waits
	tests := []throttled{
		{"S17 429", "150r/m", 3, 4, 429, false, checkSlowedDown},
		{"S17 503", "150r/m", 3, 4, 503, false, checkSlowedDown},
		{"S18", "1r/m", 1, 3, 429, false, checkLengthened},
		{"S19", "1r/m", 1, 60, 429, true, checkNotLoadedAgain},
	}
	r := newRenderer(t, func(r *Renderer) { r.Tabs = len(tests) })
	runs := make([]throttledRun, len(tests))
	servers := make([]*realsite.Nginx, len(tests))
	for i, test := range tests {
		dir := realsite.Folder(t)
		page := "<!doctype html><title>t</title><h1>x</h1>"
		if test.next {
			page += "<a href=/next.html>next</a>"
		}
		for n := range throttledFiles {
			name := fmt.Sprintf("f%02d.svg", n)
			page += fmt.Sprintf(`<img src="/%s" alt="">`, name)
			write(t, dir, name, `<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>`)
		}
		write(t, dir, "index.html", page)
		write(t, dir, "next.html", "<!doctype html><title>t</title><h1>next</h1>")
		servers[i] = realsite.Start(t, realsite.Options{Root: dir,
			HTTP: "limit_req_zone $binary_remote_addr zone=z:1m rate=" + test.limit + ";",
			Server: fmt.Sprintf(`limit_req_status %[1]d; error_page %[1]d /refused;
				location = /refused { internal; add_header Retry-After %[2]d always; return %[1]d "not now"; }
				location ~ \.svg$ { limit_req zone=z burst=%[3]d nodelay; expires 1h; }`, test.code, test.after, test.burst)})
	}
	var wg sync.WaitGroup
	for i := range tests {
		wg.Go(func() { // together, for they mostly wait
			x := &runs[i]
			x.pages = map[string]*amble.Page{}
			c := &amble.Crawler{Agent: testAgent, Renderer: r, Fetcher: &amble.HTTPFetcher{Addresses: amble.LoopbackOnly()},
				Limiter: &amble.ServerLimiter{}, Analyzers: []amble.Analyzer{rendered{}}}
			ctx, cancel := context.WithTimeout(t.Context(), 4*time.Minute)
			defer cancel()
			var err error
			x.sum, err = c.Each(ctx, func(p *amble.Page) bool { x.pages[p.ParsedURL().Path] = p; return true }, servers[i].Base+"/index.html")
			if err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	for i, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			x := &runs[i]
			for _, line := range servers[i].Requests(t) {
				if line.Path != "/robots.txt" {
					x.log = append(x.log, line)
				}
				if line.Method != "GET" {
					t.Errorf("sent: %s %s", line.Method, line.Path)
				}
			}
			defer func() {
				if t.Failed() || testing.Verbose() {
					t.Log(x)
				}
			}()
			for path, p := range x.pages {
				if p.Outcome != amble.OutcomeAnalysed {
					t.Errorf("%s: %v, %v", path, p.Outcome, p.Err)
				}
			}
			test.check(t, x)
		})
	}
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func refused(line realsite.Request) bool { return line.Status == 429 || line.Status == 503 }

// String is the log with times from its first line.
func (x *throttledRun) String() string {
	var b strings.Builder
	for _, line := range x.log {
		fmt.Fprintf(&b, "\n%7.3f s  %d %s", line.Time.Sub(x.log[0].Time).Seconds(), line.Status, line.Path)
	}
	return b.String()
}

// loads cuts the log where the page is asked for: one part for each time that it is loaded, and one for the next page.
func (x *throttledRun) loads() (loads [][]realsite.Request, next []realsite.Request) {
	for _, line := range x.log {
		switch {
		case line.Path == "/next.html":
			next = append(next, line)
		case line.Path == "/index.html" || len(loads) == 0:
			loads = append(loads, []realsite.Request{line})
		default:
			loads[len(loads)-1] = append(loads[len(loads)-1], line)
		}
	}
	return loads, next
}

// firstRefusal checks a first load: once nginx refuses, only what was under way comes still. It returns the time of the
// last refusal.
func firstRefusal(t *testing.T, load []realsite.Request) (last time.Time) {
	after := -1
	for _, line := range load {
		switch {
		case refused(line):
			last, after = line.Time, after+1
		case after >= 0:
			after++
		}
	}
	if last.IsZero() {
		t.Fatal("nginx refused nothing")
	}
	if after > 5 { // six at a time (S16)
		t.Errorf("%d requests came after the first refusal", after)
	}
	return last
}

// checkSlowedDown: the page is loaded once more after the wait that the server asked for, its files come slower, none of
// them is refused again, and all are there in the end (S17).
func checkSlowedDown(t *testing.T, x *throttledRun) {
	loads, _ := x.loads()
	if len(loads) != 2 {
		t.Fatalf("the page was loaded %d times, want twice", len(loads))
	}
	last := firstRefusal(t, loads[0])
	again := loads[1]
	if wait := again[0].Time.Sub(last); wait < 3900*time.Millisecond || wait > 30*time.Second {
		t.Errorf("loaded once more %v after a refusal that asked for 4 s", wait)
	}
	files := again[1:]
	if len(files) < 5 {
		t.Fatalf("only %d files were asked for the second time", len(files))
	}
	// The pace of pages is doubled to 2 s, that of files a quarter of it. A line of the log may come late.
	took := files[len(files)-1].Time.Sub(files[0].Time)
	if pace := took / time.Duration(len(files)-1); pace < 400*time.Millisecond {
		t.Errorf("%d files in %v: one in %v, want one in 500 ms", len(files), took, pace)
	}
	got := map[string]int{}
	for _, line := range x.log {
		if line.Status == 200 {
			got[line.Path]++
		}
	}
	for _, line := range again {
		if refused(line) {
			t.Errorf("%s was refused again", line.Path)
		}
	}
	for n := range throttledFiles {
		if name := fmt.Sprintf("/f%02d.svg", n); got[name] != 1 {
			t.Errorf("%s came %d times", name, got[name])
		}
	}
}

// checkLengthened: files that are refused after the wait lengthen it a couple of times, then the page's remaining files are
// left alone (S18).
func checkLengthened(t *testing.T, x *throttledRun) {
	loads, _ := x.loads()
	if len(loads) != 2 {
		t.Fatalf("the page was loaded %d times, want twice", len(loads))
	}
	last := firstRefusal(t, loads[0])
	if wait := loads[1][0].Time.Sub(last); wait < 2900*time.Millisecond {
		t.Errorf("loaded once more %v after a refusal that asked for 3 s", wait)
	}
	files := loads[1][1:]
	if len(files) != maxRefusals+1 {
		t.Fatalf("%d files were asked for in vain, want %d", len(files), maxRefusals+1)
	}
	for i, least := range []time.Duration{6, 12} {
		gap := files[i+1].Time.Sub(files[i].Time)
		if !refused(files[i]) || gap < least*time.Second-100*time.Millisecond {
			t.Errorf("%s came %v after refusal %d, want at least %d s", files[i+1].Path, gap, i+1, least)
		}
	}
	if p := x.pages["/index.html"]; !strings.Contains(fmt.Sprint(p.Response.Snapshot.Problems), "remaining files not asked for") {
		t.Errorf("the page does not say what it lacks: %v", p.Response.Snapshot.Problems)
	}
}

// checkNotLoadedAgain: where the server asks for more than 30 seconds, the page is not loaded again and its remaining files
// are left alone; after half a minute the crawl goes on (S19).
func checkNotLoadedAgain(t *testing.T, x *throttledRun) {
	loads, next := x.loads()
	if len(loads) != 1 || len(next) != 1 {
		t.Fatalf("the page was loaded %d times, the next one %d times; want once", len(loads), len(next))
	}
	last := firstRefusal(t, loads[0])
	if wait := next[0].Time.Sub(last); wait < 29*time.Second {
		t.Errorf("the next page came %v after the refusal", wait)
	}
	if len(loads[0]) == throttledFiles+1 {
		t.Error("all files were asked for")
	}
}
