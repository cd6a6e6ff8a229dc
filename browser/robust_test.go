package browser

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/amblecrawl/amble"
)

// hostile is a site of pages that do their worst.
func hostile(t testing.TB) string {
	mux := http.NewServeMux()
	mux.HandleFunc("/good", func(w http.ResponseWriter, r *http.Request) { html(w, "<!doctype html><title>t</title><h1>Good</h1>") })
	page := func(path, body string) {
		mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) { html(w, "%s", "<!doctype html><title>t</title>"+body) })
	}
	page("/loop", `<h1>before</h1><script>for(;;){}</script><p>after</p>`)
	page("/late-loop", `<h1>before</h1><script>onload = () => setTimeout(() => { for(;;){} }, 50)</script>`)
	page("/dialogs", `<h1>x</h1><script>for(;;) alert(1)</script><p>after</p>`)
	page("/few-dialogs", `<h1>x</h1><script>alert(1); confirm(2); prompt(3); print()</script><p>after</p>`)
	page("/leave", `<h1>x</h1><script>onbeforeunload = e => { e.preventDefault(); return "no" }</script>`)
	page("/popups", `<h1>x</h1><script>for (let i = 0; i < 5; i++) open("/good?" + i)</script>`)
	page("/hanging-file", `<h1>x</h1><link rel=stylesheet href=/hang><img src=/hang>`)
	page("/mutating", `<h1>x</h1><script>setInterval(() => document.body.append("x"), 20)</script>`)
	page("/polling", `<h1>x</h1><script>setInterval(() => fetch("/good?" + Math.random()), 100)</script>`)
	page("/million", `<h1>x</h1><script>let s = "<b>x</b>".repeat(1000); for (let i = 0; i < 1000; i++) document.body.insertAdjacentHTML("beforeend", s)</script>`)
	page("/console", `<h1>x</h1><script>for (let i = 0; i < 20000; i++) console.log("x".repeat(100), i)</script>`)
	page("/deep", strings.Repeat("<div>", 5000)+"x")
	page("/permissions", `<h1>x</h1><script>navigator.geolocation.getCurrentPosition(()=>{}); Notification.requestPermission(); navigator.mediaDevices?.getUserMedia({audio:true}).catch(()=>{})</script>`)
	page("/frames", `<h1>x</h1>`+strings.Repeat(`<iframe src=/good></iframe>`, 30))
	mux.HandleFunc("/hang", func(w http.ResponseWriter, r *http.Request) {
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	})
	mux.HandleFunc("/hang-head", func(w http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	mux.HandleFunc("/drip", func(w http.ResponseWriter, r *http.Request) {
		for r.Context().Err() == nil {
			html(w, "<p>x")
			w.(http.Flusher).Flush()
			time.Sleep(20 * time.Millisecond)
		}
	})
	return serve(t, mux).URL
}

// TestHostilePages: whatever a page does, it ends within its budget with a typed outcome, and the page after it is
// unharmed.
func TestHostilePages(t *testing.T) {
	t.Parallel() // it mostly waits
	base := hostile(t)
	r := newRenderer(t, func(r *Renderer) {
		r.Limits.Settle, r.Limits.Page, r.Limits.Nodes = 4*time.Second, 6*time.Second, 50_000
	})
	for _, test := range []struct {
		path   string
		reason string // how it settles; "error" when there is no page
		want   string // a problem that is told
	}{
		{"/loop", SettledHang, "never ends"},
		{"/dialogs", SettledDialog, "dialog"},
		{"/few-dialogs", SettledQuiet, "dialog"},
		{"/leave", SettledQuiet, ""},
		{"/popups", SettledQuiet, "pop-up"},
		{"/hanging-file", SettledCap, ""},
		{"/mutating", SettledQuiet, ""},
		{"/polling", SettledCap, ""},
		{"/million", "", "over the limit"},
		{"/console", "", ""},
		{"/deep", SettledQuiet, ""},
		{"/permissions", SettledQuiet, ""},
		{"/frames", SettledQuiet, ""},
		{"/hang-head", "error", ""},
		{"/drip", "error", ""},
	} {
		t.Run(strings.TrimPrefix(test.path, "/"), func(t *testing.T) {
			start := time.Now()
			resp, err := fetchPage(t, r, base+test.path)
			took := time.Since(start)
			switch {
			case test.reason == "error":
				if !errors.Is(err, amble.ErrUnreachable) {
					t.Errorf("got %v", err)
				}
			case errors.Is(err, ErrHung) && test.path == "/million":
				// Where the machine is too slow to lay it out within the budget.
			case err != nil:
				t.Error(err)
			case test.reason != "" && resp.Snapshot.Settled.Reason != test.reason:
				t.Errorf("settled by %+v, want %s; problems %v", resp.Snapshot.Settled, test.reason, resp.Snapshot.Problems)
			case !strings.Contains(strings.Join(resp.Snapshot.Problems, "\n"), test.want):
				t.Errorf("problems %v, want %q", resp.Snapshot.Problems, test.want)
			}
			t.Logf("%v", took.Round(time.Millisecond))
			good, err := fetchPage(t, r, base+"/good")
			if err != nil || good.Snapshot.Settled.Reason != SettledQuiet || !strings.Contains(good.Snapshot.HTML, "Good") {
				t.Fatalf("the page after it: %v", err)
			}
		})
	}
}

// TestCrashes: a crash of the tab and a killed browser are told apart; the page is loaded once more, and the next page is
// unharmed.
func TestCrashes(t *testing.T) {
	base := hostile(t)
	r := newRenderer(t, func(r *Renderer) { r.Limits.Settle = 3 * time.Second })
	if _, err := fetchPage(t, r, base+"/good"); err != nil {
		t.Fatal(err)
	}
	t.Run("tab", func(t *testing.T) {
		done := whileLoading(t, r, base+"/polling", func(l *load) { post(l.tab.main, pageCrash, empty) })
		if err := <-done; err != nil {
			t.Error("a page whose tab crashed once was not loaded again: ", err)
		}
		if n := r.Status().Crashes; n != 1 {
			t.Errorf("%d crashes told", n)
		}
	})
	t.Run("browser", func(t *testing.T) {
		done := whileLoading(t, r, base+"/polling", func(l *load) { l.chrome.process.cmd.Process.Signal(syscall.SIGKILL) })
		if err := <-done; err != nil {
			t.Error("a page whose browser was killed once was not loaded again: ", err)
		}
		if s := r.Status(); s.Lost != 1 || s.Starts != 2 {
			t.Errorf("%+v", s)
		}
	})
	t.Run("cancel", func(t *testing.T) {
		ctx, cancel := context.WithCancel(context.Background())
		time.AfterFunc(time.Second, cancel)
		_, err := r.Fetch(ctx, &amble.Request{URL: mustURL(base + "/hanging-file"), MaxBytes: -1})
		if !errors.Is(err, context.Canceled) || errors.Is(err, ErrBrowserLost) {
			t.Error(err)
		}
	})
	if _, err := fetchPage(t, r, base+"/good"); err != nil {
		t.Error("the page after it: ", err)
	}
}

// whileLoading starts a load and calls f once the page is in the tab. The channel gives the load's error.
func whileLoading(t *testing.T, r *Renderer, raw string, f func(*load)) <-chan error {
	t.Helper()
	done := make(chan error, 1)
	go func() {
		_, err := fetchPage(t, r, raw)
		done <- err
	}()
	deadline := time.Now().Add(10 * time.Second)
	for time.Now().Before(deadline) {
		r.mu.Lock()
		c := r.chrome
		r.mu.Unlock()
		if c != nil {
			c.mu.Lock()
			var found *load
			for _, l := range c.frames {
				found = l
			}
			c.mu.Unlock()
			if found != nil {
				found.mu.Lock()
				rendering := found.phase == phaseRendering
				found.mu.Unlock()
				if rendering {
					f(found)
					return done
				}
			}
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Error("the page never came")
	return done
}

// TestNothingIsLeft: after Close there is no process, folder or goroutine of ours, whatever happened before.
func TestNothingIsLeft(t *testing.T) {
	needBrowser(t)
	base := hostile(t)
	ignore := goleak.IgnoreCurrent()
	dir := t.TempDir()
	r := &Renderer{Agent: testAgent, Addresses: amble.LoopbackOnly(), TempDir: dir, RecyclePages: 3, FreshPages: true, Limits: Limits{Settle: 3 * time.Second}}
	var pids []int
	for _, path := range []string{"/good", "/popups", "/frames", "/few-dialogs", "/good"} {
		if _, err := fetchPage(t, r, base+path); err != nil {
			t.Error(path, err)
		}
		pids = append(pids, r.Status().PID)
	}
	if s := r.Status(); s.Starts < 2 {
		t.Errorf("never recycled: %+v", s)
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
	for _, pid := range pids {
		if syscall.Kill(pid, 0) == nil {
			t.Errorf("process %d is left", pid)
		}
	}
	nothingLeft(t, dir)
	if _, err := r.Fetch(context.Background(), &amble.Request{URL: mustURL(base), MaxBytes: -1}); !errors.Is(err, ErrClosed) {
		t.Error(err)
	}
	http.DefaultClient.CloseIdleConnections()
	goleak.VerifyNone(t, ignore)
}

// nothingLeft fails the test when a browser with its profile below a folder runs still, or when its profile is there.
func nothingLeft(t *testing.T, dir string) {
	t.Helper()
	for _, pid := range browserProcesses(dir) {
		cmdline, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
		t.Errorf("process %d is left: %.200q", pid, cmdline)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*", "*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// browserProcesses are those with a folder on their command line. Elsewhere than on Linux they are not known.
func browserProcesses(dir string) (pids []int) {
	if runtime.GOOS != "linux" {
		return nil
	}
	entries, _ := os.ReadDir("/proc")
	for _, entry := range entries {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil || pid == os.Getpid() {
			continue
		}
		if cmdline, err := os.ReadFile("/proc/" + entry.Name() + "/cmdline"); err == nil && strings.Contains(string(cmdline), dir) {
			pids = append(pids, pid)
		}
	}
	return pids
}

// TestSweep: a profile folder whose owner died is removed at the next start, one in use is not.
func TestSweep(t *testing.T) {
	parent := t.TempDir()
	alive, err := newProfile(parent)
	if err != nil {
		t.Fatal(err)
	}
	dead, err := newProfile(parent)
	if err != nil {
		t.Fatal(err)
	}
	dead.lock.Close() // as the system does when a process ends
	next, err := newProfile(parent)
	if err != nil {
		t.Fatal(err)
	}
	exists := func(p *profile) bool { _, err := os.Stat(p.dir); return err == nil }
	if !exists(alive) || exists(dead) || !exists(next) {
		t.Errorf("alive %v, dead %v, next %v", exists(alive), exists(dead), exists(next))
	}
	if err := errors.Join(alive.remove(), next.remove()); err != nil || exists(alive) || exists(next) {
		t.Error(err)
	}
}

// TestFindOrder: the variables come first, the headless shell before the full browsers, the newest of a cache; and an error
// says what was tried and what to do.
func TestFindOrder(t *testing.T) {
	look := func(env map[string]string, there ...string) lookup {
		return lookup{goos: "linux", env: func(k string) string { return env[k] },
			run: func(name string) (string, error) {
				for _, f := range there {
					if f == name {
						return f, nil
					}
				}
				return "", fmt.Errorf("%s: %w", name, os.ErrNotExist)
			},
			glob: func(pattern string) (out []string, err error) {
				for _, f := range there {
					if ok, _ := filepath.Match(pattern, f); ok {
						out = append(out, f)
					}
				}
				return out, nil
			}}
	}
	home := map[string]string{"HOME": "/home/u"}
	for _, test := range []struct {
		l    lookup
		want string
	}{
		{look(map[string]string{"CHROME_BIN": "/x/chrome"}, "/x/chrome", "chromium"), "/x/chrome"},
		{look(map[string]string{"CHROME_BIN": "/x/chrome", "AMBLE_CHROME": "/y/chrome"}, "/x/chrome", "/y/chrome"), "/y/chrome"},
		{look(home, "google-chrome", "chromium", "chromium-headless-shell"), "chromium-headless-shell"},
		{look(home, "/home/u/.cache/ms-playwright/chromium-999/chrome-linux/chrome", "/home/u/.cache/ms-playwright/chromium-1200/chrome-linux/chrome"), "/home/u/.cache/ms-playwright/chromium-1200/chrome-linux/chrome"},
		{look(home, "/home/u/.cache/puppeteer/chrome/linux-150.0.1/chrome-linux64/chrome"), "/home/u/.cache/puppeteer/chrome/linux-150.0.1/chrome-linux64/chrome"},
	} {
		if got, err := find(test.l); got != test.want || err != nil {
			t.Errorf("got %q, %v; want %q", got, err, test.want)
		}
	}
	_, err := find(look(map[string]string{"CHROME_PATH": "/nowhere"}))
	if !errors.Is(err, ErrNoBrowser) {
		t.Fatal(err)
	}
	for _, part := range []string{"$CHROME_PATH=/nowhere: file does not exist", "chromium-headless-shell", "apt install", "Renderer.Path"} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("the error does not say %q:\n%v", part, err)
		}
	}
}
