package ambletest

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"runtime"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/amblecrawl/amble"
)

// TestLimiter checks that a Limiter keeps the promises of [amble.Limiter]. newLimiter makes one whose pace for pages is
// the given time between starts, and that remembers at most 1,000 servers where that can be set. It is called once for
// each promise, in a bubble of testing/synctest: waits take no time.
func TestLimiter(t *testing.T, newLimiter func(pace time.Duration) amble.Limiter) {
	for _, p := range limiterPromises {
		t.Run(p.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { p.check(t, newLimiter) })
		})
	}
}

type limiterSubject func(pace time.Duration) amble.Limiter

var limiterPromises = []promise[limiterSubject]{
	{"starts are paced, however many ask at once", checkPace},
	{"all kinds of requests to a server share its pace", checkPaceOfKinds},
	{"a Crawl-delay raises the pace", checkCrawlDelay},
	{"an ended context ends the wait, and takes no turn", checkLimiterContext},
	{"all waiters of a server feel a back-off at once", checkBackoff},
	{"the advice to retry ends", checkRetriesEnd},
	{"errors speed nothing up", checkErrors},
	{"no goroutine outlives Acquire", checkLimiterGoroutines},
	{"memory is bounded, whatever the number of servers", checkLimiterMemory},
	{"a forecast is no later than what happens, and nothing starts before it", checkForecast},
}

const (
	paced  = 2 * time.Second
	server = amble.Origin("https://site.test")
)

// turn waits for a turn and returns when it came.
func turn(t testing.TB, l amble.Limiter, ask amble.Ask) (time.Time, func(amble.Feedback) amble.Advice) {
	t.Helper()
	if ask.Origin == "" {
		ask.Origin = server
	}
	ctx, cancel := context.WithTimeout(t.Context(), 24*time.Hour)
	defer cancel()
	release, err := l.Acquire(ctx, ask)
	if err != nil || release == nil {
		t.Fatalf("Acquire: release is nil: %t, error %v", release == nil, err)
	}
	return time.Now(), release
}

var good = amble.Feedback{Status: http.StatusOK, Latency: 10 * time.Millisecond}

// gaps sorts starts and returns the times between them.
func gaps(starts []time.Time) []time.Duration {
	slices.SortFunc(starts, time.Time.Compare)
	var out []time.Duration
	for i := 1; i < len(starts); i++ {
		out = append(out, starts[i].Sub(starts[i-1]))
	}
	return out
}

func wantPaced(t testing.TB, starts []time.Time, pace time.Duration) {
	t.Helper()
	for _, gap := range gaps(starts) {
		if gap < pace {
			t.Errorf("two requests started %v apart, the pace is %v", gap, pace)
			return
		}
	}
}

func checkPace(t testing.TB, limiter limiterSubject) {
	for _, took := range []time.Duration{0, 100 * time.Millisecond, 3 * paced} {
		l := limiter(paced)
		var mu sync.Mutex
		var starts []time.Time
		var wg sync.WaitGroup
		for range 12 {
			wg.Go(func() {
				at, release := turn(t, l, amble.Ask{})
				mu.Lock()
				starts = append(starts, at)
				mu.Unlock()
				time.Sleep(took)
				release(amble.Feedback{Status: http.StatusOK, Latency: took})
			})
		}
		wg.Wait()
		wantPaced(t, starts, paced)
	}
}

func checkPaceOfKinds(t testing.TB, limiter limiterSubject) {
	l := limiter(paced)
	var starts []time.Time
	for _, kind := range []amble.Kind{amble.KindRobots, amble.KindSitemap, amble.KindPage, amble.KindOwnership, amble.KindPage} {
		at, release := turn(t, l, amble.Ask{Kind: kind})
		starts = append(starts, at)
		release(good)
	}
	wantPaced(t, starts, paced)
}

func checkCrawlDelay(t testing.TB, limiter limiterSubject) {
	l := limiter(paced)
	var starts []time.Time
	for range 4 {
		at, release := turn(t, l, amble.Ask{CrawlDelay: 2 * paced})
		starts = append(starts, at)
		release(good)
	}
	wantPaced(t, starts, 2*paced)
}

func checkLimiterContext(t testing.TB, limiter limiterSubject) {
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	l := limiter(time.Minute)
	if _, err := l.Acquire(ended, amble.Ask{Origin: server}); !errors.Is(err, context.Canceled) {
		t.Errorf("Acquire with an ended context: error %v, want context.Canceled", err)
	}
	start, release := turn(t, l, amble.Ask{})
	release(good)
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			before := time.Now()
			release, err := l.Acquire(ctx, amble.Ask{Origin: server})
			if release != nil {
				release(good)
			}
			if !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("Acquire whose context ends after a second: error %v, want context.DeadlineExceeded", err)
			}
			if late := time.Since(before) - time.Second; late > time.Second {
				t.Errorf("Acquire returned %v after its context had ended", late)
			}
		})
	}
	wg.Wait()
	at, release := turn(t, l, amble.Ask{})
	release(good)
	if wait := at.Sub(start); wait > 2*time.Minute {
		t.Errorf("after 20 waits that were given up the next turn came after %v: they took turns", wait)
	}
}

func checkBackoff(t testing.TB, limiter limiterSubject) {
	l := limiter(paced)
	_, release := turn(t, l, amble.Ask{})
	var mu sync.Mutex
	var starts []time.Time
	var wg sync.WaitGroup
	for range 5 {
		wg.Go(func() {
			at, release := turn(t, l, amble.Ask{})
			mu.Lock()
			starts = append(starts, at)
			mu.Unlock()
			release(good)
		})
	}
	synctest.Wait()
	refusedAt := time.Now()
	advice := release(amble.Feedback{Status: http.StatusTooManyRequests, Header: http.Header{"Retry-After": {"20"}}})
	wg.Wait()
	if advice.Wait < 20*time.Second {
		t.Errorf("a 429 with Retry-After: 20 leads to a wait of %v", advice.Wait)
	}
	for _, at := range starts {
		if since := at.Sub(refusedAt); since < 20*time.Second {
			t.Errorf("a request that had been waiting started %v after the server asked for 20s", since)
		}
	}
}

func checkRetriesEnd(t testing.TB, limiter limiterSubject) {
	l := limiter(paced)
	for attempt := 1; attempt <= 20; attempt++ {
		_, release := turn(t, l, amble.Ask{Attempt: attempt})
		if !release(amble.Feedback{Status: http.StatusTooManyRequests, Header: http.Header{"Retry-After": {"5"}}}).Retry {
			return
		}
	}
	t.Error("after 20 refusals of one page the advice is still to retry")
}

func checkErrors(t testing.TB, limiter limiterSubject) {
	l := limiter(paced)
	_, release := turn(t, l, amble.Ask{})
	release(amble.Feedback{Status: http.StatusTooManyRequests})
	var starts []time.Time
	for i := range 60 {
		at, release := turn(t, l, amble.Ask{})
		starts = append(starts, at)
		if i%2 == 0 {
			release(amble.Feedback{Err: amble.ErrUnreachable})
		} else {
			release(amble.Feedback{Status: http.StatusInternalServerError})
		}
	}
	g := gaps(starts)
	if first, last := g[0], g[len(g)-1]; last < first {
		t.Errorf("after 60 errors two requests start %v apart, before them %v", last, first)
	}
}

func checkLimiterGoroutines(t testing.TB, limiter limiterSubject) {
	l := limiter(time.Hour)
	_, release := turn(t, l, amble.Ask{})
	release(good)
	before := runtime.NumGoroutine()
	for range 50 {
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		_, _ = l.Acquire(ctx, amble.Ask{Origin: server})
		cancel()
	}
	synctest.Wait()
	if n := runtime.NumGoroutine() - before; n > 10 {
		t.Errorf("%d goroutines are left of 50 waits that were given up", n)
	}
}

func checkLimiterMemory(t testing.TB, limiter limiterSubject) {
	l := limiter(paced)
	visit := func(from, to int) uint64 {
		for i := from; i < to; i++ {
			_, release := turn(t, l, amble.Ask{Origin: amble.Origin(fmt.Sprintf("https://host-%d.test", i))})
			release(good)
		}
		runtime.GC()
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := visit(0, 10_000)
	after := visit(10_000, 40_000)
	if after > before+1<<20 {
		t.Errorf("30,000 more servers took %d KiB", (after-before)>>10)
	}
	runtime.KeepAlive(l)
}

func checkForecast(t testing.TB, limiter limiterSubject) {
	l := limiter(paced)
	f, ok := l.(amble.Forecaster)
	if !ok {
		return
	}
	for range 5 {
		at, _ := f.Next(amble.Ask{Origin: server})
		asked := time.Now()
		start, release := turn(t, l, amble.Ask{})
		release(good)
		if start.Before(at) {
			t.Errorf("a request started %v before the time forecast for it", at.Sub(start))
		}
		if !at.After(asked) && start.Sub(asked) > time.Second {
			t.Errorf("a request that was forecast for at once started after %v", start.Sub(asked))
		}
	}
}
