package amble

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// notes is a Notebook in memory.
type notes struct {
	mu sync.Mutex
	m  map[string][]byte
}

func (n *notes) Note(_ context.Context, key string) ([]byte, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if v, ok := n.m[key]; ok {
		return v, nil
	}
	return nil, &Error{Op: "note", Kind: ErrNoRecord}
}

func (n *notes) PutNote(_ context.Context, key string, value []byte) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.m == nil {
		n.m = make(map[string][]byte)
	}
	n.m[key] = value
	return nil
}

func TestMonitorThreeDaysOfFiveHundredSites(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		running, most := 0, 0
		busy := map[string]bool{}
		starts := map[string][]time.Time{}
		m := &Monitor{AtOnce: 10, Notes: &notes{}}
		for i := range 500 {
			name := fmt.Sprintf("site%d.test", i)
			m.Jobs = append(m.Jobs, Job{Name: name, Every: 24 * time.Hour, Run: func(ctx context.Context) error {
				mu.Lock()
				running++
				most = max(most, running)
				if busy[name] {
					t.Errorf("%s runs twice at a time", name)
				}
				busy[name] = true
				starts[name] = append(starts[name], time.Now())
				mu.Unlock()
				select {
				case <-time.After(10 * time.Minute):
				case <-ctx.Done():
				}
				mu.Lock()
				running--
				busy[name] = false
				mu.Unlock()
				return nil
			}})
		}
		ctx, cancel := context.WithTimeout(t.Context(), 3*24*time.Hour)
		defer cancel()
		if err := m.Run(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("err %v", err)
		}
		if most > 10 {
			t.Errorf("%d jobs at once", most)
		}
		for name, at := range starts {
			for i := 1; i < len(at); i++ {
				if gap := at[i].Sub(at[i-1]); gap < 24*time.Hour || gap > 32*time.Hour {
					t.Errorf("%s: %v between two runs", name, gap)
				}
			}
			if len(at) < 2 || len(at) > 3 {
				t.Errorf("%s ran %d times in 3 days", name, len(at))
			}
		}
		if len(starts) != 500 {
			t.Errorf("%d sites ran", len(starts))
		}
	})
}

func TestMonitorRemembersOverARestart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		book := &notes{}
		runs := 0
		start := func(d time.Duration) {
			ctx, cancel := context.WithTimeout(t.Context(), d)
			defer cancel()
			m := &Monitor{Jitter: -1, Notes: book, Jobs: []Job{{Name: "a", Every: 24 * time.Hour, Run: func(context.Context) error { runs++; panic("oops") }}}}
			_ = m.Run(ctx)
		}
		start(time.Hour)
		start(time.Hour)
		if runs != 1 {
			t.Errorf("%d runs in two hours over a restart", runs)
		}
		start(23 * time.Hour)
		if runs != 2 {
			t.Errorf("%d runs in 25 hours", runs)
		}
	})
}

func TestMonitorRefusesBadJobs(t *testing.T) {
	run := func(context.Context) error { return nil }
	for _, jobs := range [][]Job{
		{{Name: "", Every: time.Hour, Run: run}},
		{{Name: "a", Every: time.Hour}},
		{{Name: "a", Every: time.Second, Run: run}},
		{{Name: "a", Every: time.Hour, Run: run}, {Name: "a", Every: time.Hour, Run: run}},
	} {
		if err := (&Monitor{Jobs: jobs}).Run(t.Context()); !errors.Is(err, ErrConfig) {
			t.Errorf("%v: %v", jobs, err)
		}
	}
}
