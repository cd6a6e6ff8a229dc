package browser

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"runtime/pprof"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/amblecrawl/amble"
)

// TestClose: whatever the browser is doing, Close comes back, every load under way ends, and nothing is left. The moment is
// another one in each round; AMBLE_CLOSE_ROUNDS asks for more of them.
func TestClose(t *testing.T) {
	needBrowser(t)
	base := hostile(t)
	rounds, _ := strconv.Atoi(os.Getenv("AMBLE_CLOSE_ROUNDS"))
	rounds = max(rounds, 1)
	pid := func(r *Renderer) int { return r.Status().PID }
	for _, test := range []struct {
		name  string
		set   func(*Renderer)
		first bool                        // load a page beforehand
		paths []string                    // loaded at once
		after time.Duration               // from the start of the loads, longer with each round
		harm  func(*testing.T, *Renderer) // right before Close
	}{
		{name: "unused"},
		{name: "starting", paths: []string{"/good", "/good"}, after: 20 * time.Millisecond},
		{name: "loading", first: true, paths: []string{"/good", "/polling", "/hang-head", "/hanging-file", "/popups", "/frames"}, after: 50 * time.Millisecond},
		{name: "recycling", set: func(r *Renderer) { r.RecyclePages = 1 }, first: true, paths: []string{"/good", "/good", "/good", "/polling"}, after: 300 * time.Millisecond},
		{name: "looping", first: true, paths: []string{"/loop", "/dialogs"}, after: 300 * time.Millisecond},
		{name: "dead", first: true, paths: []string{"/polling", "/good"}, after: 100 * time.Millisecond, harm: func(t *testing.T, r *Renderer) {
			if p := pid(r); p > 0 {
				syscall.Kill(p, syscall.SIGKILL)
			}
		}},
		{name: "frozen", first: true, paths: []string{"/polling", "/good"}, after: 100 * time.Millisecond, harm: func(t *testing.T, r *Renderer) {
			if p := pid(r); p > 0 {
				syscall.Kill(p, syscall.SIGSTOP)
			}
		}},
	} {
		for round := range rounds {
			t.Run(fmt.Sprintf("%s/%d", test.name, round), func(t *testing.T) {
				ignore := goleak.IgnoreCurrent()
				dir := t.TempDir()
				r := &Renderer{Agent: testAgent, Addresses: amble.LoopbackOnly(), TempDir: dir, Tabs: 6, FreshPages: round%2 == 1}
				if test.set != nil {
					test.set(r)
				}
				if test.first {
					if _, err := fetchPage(t, r, base+"/good"); err != nil {
						t.Fatal(err)
					}
				}
				var loads, closes sync.WaitGroup
				for _, path := range test.paths {
					loads.Go(func() {
						_, err := r.Fetch(context.Background(), &amble.Request{URL: mustURL(base + path), MaxBytes: -1})
						if err != nil && !errors.Is(err, amble.ErrUnreachable) && !errors.Is(err, amble.ErrClosed) {
							t.Errorf("%s: %v", path, err)
						}
					})
				}
				time.Sleep(test.after * time.Duration(1+round))
				if test.harm != nil {
					test.harm(t, r)
				}
				for range 3 {
					closes.Go(func() {
						if err := r.Close(); err != nil {
							t.Error(err)
						}
					})
				}
				done := make(chan struct{})
				go func() {
					closes.Wait()
					loads.Wait()
					close(done)
				}()
				start := time.Now()
				select {
				case <-done:
				case <-time.After(2 * time.Minute):
					var stacks strings.Builder
					pprof.Lookup("goroutine").WriteTo(&stacks, 1)
					t.Fatalf("Close hangs:\n%s", stacks.String())
				}
				t.Logf("%v", time.Since(start).Round(time.Millisecond))
				if _, err := r.Fetch(context.Background(), &amble.Request{URL: mustURL(base), MaxBytes: -1}); !errors.Is(err, ErrClosed) {
					t.Error(err)
				}
				nothingLeft(t, dir)
				http.DefaultClient.CloseIdleConnections()
				goleak.VerifyNone(t, ignore)
			})
		}
	}
}

// TestFrozenBrowser: a browser that does not answer any more is ended, and its pages are loaded in a new one.
func TestFrozenBrowser(t *testing.T) {
	t.Parallel() // it mostly waits
	base := hostile(t)
	r := newRenderer(t, func(r *Renderer) { r.Limits.Settle, r.Limits.Page = 3*time.Second, 5*time.Second })
	done := whileLoading(t, r, base+"/polling", func(l *load) { l.chrome.process.cmd.Process.Signal(syscall.SIGSTOP) })
	<-done // the page may be lost
	if _, err := fetchPage(t, r, base+"/good"); err != nil {
		t.Error("the page after it: ", err)
	}
	if s := r.Status(); s.Starts != 2 {
		t.Errorf("%+v", s)
	}
}
