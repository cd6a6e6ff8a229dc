package ambletest

import (
	"fmt"
	"runtime"
	"sync"
	"testing"
)

// witness takes the place of a test's t and keeps what a check says.
type witness struct {
	testing.TB
	mu    sync.Mutex
	fails []string
}

func (w *witness) Errorf(format string, args ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.fails = append(w.fails, fmt.Sprintf(format, args...))
}

func (w *witness) Error(args ...any) { w.Errorf("%s", fmt.Sprint(args...)) }

func (w *witness) Fatalf(format string, args ...any) {
	w.Errorf(format, args...)
	runtime.Goexit()
}

func (w *witness) Fatal(args ...any) { w.Fatalf("%s", fmt.Sprint(args...)) }

// wantFails runs a check on a part that breaks its promise: it must say so.
func wantFails(t *testing.T, check func(testing.TB)) {
	t.Helper()
	w := &witness{TB: t}
	done := make(chan bool)
	go func() {
		defer close(done)
		check(w)
	}()
	<-done
	if len(w.fails) == 0 {
		t.Error("a part that breaks this promise passed")
	}
	t.Log(w.fails)
}

// wantBroken checks that each promise has a broken part for it, and that its check finds that out.
func wantBroken[T any](t *testing.T, promises []promise[T], broken map[string]T) {
	t.Helper()
	for _, p := range promises {
		subject, ok := broken[p.name]
		if !ok {
			t.Errorf("no part breaks the promise %q", p.name)
			continue
		}
		delete(broken, p.name)
		t.Run(p.name, func(t *testing.T) {
			wantFails(t, func(w testing.TB) { p.check(w, subject) })
		})
	}
	for name := range broken {
		t.Errorf("there is no promise %q", name)
	}
}
