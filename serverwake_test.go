package amble

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// TestOneTimerWakesAllServers: calls wait for many servers at once, each starts at its server's time, and neither a timer
// nor a goroutine belongs to any of them.
func TestOneTimerWakesAllServers(t *testing.T) {
	const servers, each = 500, 3
	synctest.Test(t, func(t *testing.T) {
		l := &ServerLimiter{}
		start := time.Now()
		var wg sync.WaitGroup
		var mu sync.Mutex
		starts := map[int][]time.Duration{}
		for i := range servers {
			ask := Ask{Origin: Origin(fmt.Sprintf("https://s%d.test", i)), CrawlDelay: time.Duration(1+i%7) * time.Second}
			for range each {
				wg.Go(func() {
					release, err := l.Acquire(t.Context(), ask)
					if err != nil {
						t.Error(err)
						return
					}
					mu.Lock()
					starts[i] = append(starts[i], time.Since(start))
					mu.Unlock()
					release(fine)
				})
			}
		}
		synctest.Wait()
		l.wakes.mu.Lock()
		if len(l.wakes.heap) != servers || l.wakes.at == 0 {
			t.Errorf("%d servers wait for the timer, want %d", len(l.wakes.heap), servers)
		}
		l.wakes.mu.Unlock()
		wg.Wait()
		for i := range servers {
			delay := time.Duration(1+i%7) * time.Second
			for k, at := range starts[i] {
				if want := time.Duration(k) * delay; at < want || at > want+10*time.Millisecond {
					t.Errorf("server %d: start %d after %v, want %v", i, k, at, want)
				}
			}
		}
		if len(l.wakes.heap) != 0 || l.wakes.at != 0 {
			t.Errorf("%d servers still in the heap, the timer set to %d", len(l.wakes.heap), l.wakes.at)
		}
	})
}

// TestWaitersThatGiveUpLeaveNothing: cancelled calls leave the heap, and a server that they waited for can be forgotten.
func TestWaitersThatGiveUpLeaveNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &ServerLimiter{Pace: time.Hour, MaxServers: 1}
		ctx, cancel := context.WithCancel(t.Context())
		var wg sync.WaitGroup
		for i := range 300 {
			ask := Ask{Origin: Origin(fmt.Sprintf("https://s%d.test", i))}
			release, err := l.Acquire(t.Context(), ask)
			if err != nil {
				t.Fatal(err)
			}
			release(fine)
			wg.Go(func() {
				if _, err := l.Acquire(ctx, ask); err == nil {
					t.Error("no error")
				}
			})
			synctest.Wait()
		}
		cancel()
		wg.Wait()
		if len(l.wakes.heap) != 0 || l.wakes.at != 0 {
			t.Errorf("%d servers still in the heap, the timer set to %d", len(l.wakes.heap), l.wakes.at)
		}
		for i := range 300 { // now that nobody waits, the bound holds again
			release, err := l.Acquire(t.Context(), Ask{Origin: Origin(fmt.Sprintf("https://t%d.test", i))})
			if err != nil {
				t.Fatal(err)
			}
			release(fine)
		}
		for _, s := range l.Servers() {
			if s.Waiting != 0 || s.InFlight != 0 {
				t.Errorf("left: %v", s)
			}
		}
	})
}

// TestServerTableAgreesWithAMap adds, finds and forgets at random, with few hashes, so that they collide.
func TestServerTableAgreesWithAMap(t *testing.T) {
	table, want := &serverTable{}, map[string]bool{}
	hash := func(key string) uint64 { return uint64(key[0])<<32 | uint64(len(key)) }
	for step := range 3_000 {
		key := fmt.Sprintf("%c%d", 'a'+step*7%13, step*31%17)
		got := table.get(key, hash(key))
		if (got != nil) != want[key] || got != nil && got.key != key {
			t.Fatalf("step %d: %q: %v, want %t", step, key, got, want[key])
		}
		if got == nil {
			table.add(key, hash(key))
			want[key] = true
		}
		if step%5 == 0 && table.n > 0 {
			before := table.n
			table.evict(1)
			if table.n != before-1 {
				t.Fatal("nothing was forgotten")
			}
			gone := 0
			for key := range want {
				if table.get(key, hash(key)) == nil {
					delete(want, key)
					gone++
				}
			}
			if gone != 1 {
				t.Fatalf("step %d: %d were forgotten", step, gone)
			}
		}
	}
}

// BenchmarkLimiterWaiting lets 100,000 servers wait: each has a call that waits and is then given up. It reports what a
// server takes while it waits, without the goroutine of the call, which is the caller's.
func BenchmarkLimiterWaiting(b *testing.B) {
	const n = 100_000
	for b.Loop() {
		l := &ServerLimiter{Pace: time.Hour, MaxServers: 2 * n}
		ctx, cancel := context.WithCancel(b.Context())
		var ended sync.WaitGroup
		var stacks runtime.MemStats
		before := liveHeap()
		for i := range n {
			ask := Ask{Origin: Origin(fmt.Sprintf("https://s%d.example", i))}
			release, _ := l.Acquire(ctx, ask)
			release(fine)
			ended.Go(func() { _, _ = l.Acquire(ctx, ask) })
		}
		for l.waitingServers() < n {
			time.Sleep(time.Millisecond)
		}
		heap := liveHeap() - before
		runtime.ReadMemStats(&stacks)
		b.ReportMetric(heap/n, "heap-B/server")
		b.ReportMetric(float64(stacks.StackInuse)/n, "callers'-stack-B/server")
		cancel()
		ended.Wait()
	}
}

func (l *ServerLimiter) waitingServers() int {
	l.wakes.mu.Lock()
	defer l.wakes.mu.Unlock()
	return len(l.wakes.heap)
}
