package amble

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"testing/synctest"
	"time"
)

// request makes one request through a limiter and returns how long it waited and the advice.
func request(t *testing.T, l Limiter, ask Ask, f Feedback) (time.Duration, Advice) {
	t.Helper()
	start := time.Now()
	if ask.Origin == "" {
		ask.Origin = "https://a.test"
	}
	release, err := l.Acquire(t.Context(), ask)
	if err != nil {
		t.Fatal(err)
	}
	waited := time.Since(start)
	return waited, release(f)
}

func refusal(retryAfter string) Feedback {
	h := http.Header{}
	if retryAfter != "" {
		h.Set("Retry-After", retryAfter)
	}
	return Feedback{Status: http.StatusTooManyRequests, Header: h}
}

var fine = Feedback{Status: http.StatusOK}

func near(t *testing.T, what string, got, want time.Duration) {
	t.Helper()
	if got < want || got > want+want/5+time.Millisecond { // jitter only lengthens
		t.Errorf("%s: %v, want %v and at most a tenth more", what, got, want)
	}
}

func TestPaceCountsStartsOfEveryKind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &ServerLimiter{}
		request(t, l, Ask{Kind: KindRobots}, fine)
		for _, kind := range []Kind{KindSitemap, KindPage, KindLink} {
			waited, _ := request(t, l, Ask{Kind: kind}, fine)
			near(t, kind.String(), waited, time.Second)
		}
		waited, _ := request(t, l, Ask{Origin: "https://b.test"}, fine)
		near(t, "another server", waited, 0)
	})
}

func TestC9CrawlDelayIsRaisedIntoThePaceUpToACeiling(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &ServerLimiter{}
		request(t, l, Ask{Kind: KindRobots}, fine)
		waited, _ := request(t, l, Ask{CrawlDelay: 5 * time.Second}, fine)
		near(t, "the first page after robots.txt", waited, 5*time.Second)
		waited, _ = request(t, l, Ask{CrawlDelay: 5 * time.Second}, fine)
		near(t, "Crawl-delay: 5", waited, 5*time.Second)
		request(t, l, Ask{CrawlDelay: time.Hour}, fine)
		waited, _ = request(t, l, Ask{CrawlDelay: time.Hour}, fine)
		near(t, "Crawl-delay: 3600", waited, 10*time.Second)
		if s, _ := l.Server("https://a.test"); !s.Clamped || s.CrawlDelay != time.Hour {
			t.Errorf("the clamp is not told: %+v", s)
		}
	})
}

func TestS16AtMostTwoPagesAndOneLinkAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &ServerLimiter{Pace: -1}
		for kind, limit := range map[Kind]int{KindPage: 2, KindLink: 1, KindResource: 6} {
			var releases []func(Feedback) Advice
			for range limit {
				release, err := l.Acquire(t.Context(), Ask{Origin: "https://a.test", Kind: kind})
				if err != nil {
					t.Fatal(err)
				}
				releases = append(releases, release)
			}
			ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
			if _, err := l.Acquire(ctx, Ask{Origin: "https://a.test", Kind: kind}); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("%v: one more than %d was let in: %v", kind, limit, err)
			}
			cancel()
			for _, release := range releases {
				release(fine)
			}
		}
	})
}

func TestS17RetryAfterIsHeldBetween3And30Seconds(t *testing.T) {
	for _, test := range []struct {
		header string
		wait   time.Duration
		retry  bool
	}{
		{"", 5 * time.Second, true},
		{"soon", 5 * time.Second, true},
		{"0", 3 * time.Second, true},
		{"1", 3 * time.Second, true},
		{"12", 12 * time.Second, true},
		{"30", 30 * time.Second, true},
		{"31", 30 * time.Second, false}, // S19
		{"86400", 30 * time.Second, false},
	} {
		synctest.Test(t, func(t *testing.T) {
			l := &ServerLimiter{Pace: -1}
			_, advice := request(t, l, Ask{}, refusal(test.header))
			if advice.Retry != test.retry || advice.StopPage == test.retry {
				t.Errorf("Retry-After %q: %+v", test.header, advice)
			}
			waited, _ := request(t, l, Ask{Attempt: 2}, fine)
			near(t, "Retry-After "+test.header, waited, test.wait)
			waited, _ = request(t, l, Ask{}, fine)
			near(t, "slowed down after Retry-After "+test.header, waited, time.Second)
		})
	}
}

func TestS17Plain503IsNoRefusal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &ServerLimiter{Pace: -1}
		if _, advice := request(t, l, Ask{}, Feedback{Status: 503, Header: http.Header{}}); advice != (Advice{}) {
			t.Errorf("503 without Retry-After: %+v", advice)
		}
		if _, advice := request(t, l, Ask{}, Feedback{Status: 503, Header: refusal("4").Header}); !advice.Retry {
			t.Errorf("503 with Retry-After: %+v", advice)
		}
	})
}

func TestS17AllWaitersFeelTheRefusal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &ServerLimiter{Pace: time.Second, Concurrency: 8}
		release, err := l.Acquire(t.Context(), Ask{Origin: "https://a.test"})
		if err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		started := make(chan time.Duration, 3)
		for range 3 {
			go func() {
				release, err := l.Acquire(t.Context(), Ask{Origin: "https://a.test"})
				if err != nil {
					t.Error(err)
					return
				}
				started <- time.Since(start)
				release(fine)
			}()
		}
		synctest.Wait()
		release(refusal("10"))
		for range 3 {
			if at := <-started; at < 10*time.Second {
				t.Errorf("a waiter started after %v", at)
			}
		}
	})
}

func TestS18RefusalsAfterTheWaitLengthenItTwiceThenEndThePage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &ServerLimiter{Pace: -1, Backoff: Backoff{Retries: 100}}
		_, advice := request(t, l, Ask{Kind: KindResource}, refusal("4"))
		if !advice.Retry {
			t.Fatalf("first refusal: %+v", advice)
		}
		for i, want := range []time.Duration{4, 8, 16} {
			waited, advice := request(t, l, Ask{Kind: KindResource}, refusal("4"))
			near(t, "wait", waited, want*time.Second)
			if stop := i == 2; advice.StopPage != stop || advice.Retry == stop {
				t.Errorf("refusal %d after a wait: %+v", i+1, advice)
			}
		}
	})
}

func TestS18AnswersToRequestsSentBeforeTheWaitDoNotCount(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &ServerLimiter{Pace: -1, Concurrency: 8}
		var releases []func(Feedback) Advice
		for range 6 {
			release, err := l.Acquire(t.Context(), Ask{Origin: "https://a.test"})
			if err != nil {
				t.Fatal(err)
			}
			releases = append(releases, release)
		}
		for i, release := range releases {
			if advice := release(refusal("4")); !advice.Retry || advice.StopPage {
				t.Errorf("answer %d of those under way: %+v", i, advice)
			}
		}
		if s, _ := l.Server("https://a.test"); s.Strikes != 0 {
			t.Errorf("strikes: %d", s.Strikes)
		}
	})
}

func TestSpeedIsEarnedBackSlowlyAndNeverByErrors(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &ServerLimiter{}
		request(t, l, Ask{}, refusal("3"))
		pace := func() time.Duration { s, _ := l.Server("https://a.test"); return s.Pace }
		if pace() != 2*time.Second {
			t.Fatalf("the pace did not halve: one start every %v", pace())
		}
		for range 50 {
			request(t, l, Ask{}, Feedback{Err: errors.New("reset")})
			request(t, l, Ask{}, Feedback{Status: 500})
		}
		if pace() != 2*time.Second {
			t.Errorf("errors changed the pace to %v", pace())
		}
		for range 10 {
			request(t, l, Ask{}, fine)
		}
		if p := pace(); p >= 2*time.Second || p <= time.Second {
			t.Errorf("after ten good answers: %v", p)
		}
		for range 40 {
			request(t, l, Ask{}, fine)
		}
		if s, _ := l.Server("https://a.test"); s.Slowed || s.Pace != time.Second {
			t.Errorf("not earned back: %+v", s)
		}
	})
}

func TestSlowAnswersSlowUsDown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &ServerLimiter{}
		for range 20 {
			request(t, l, Ask{}, Feedback{Status: 200, Latency: 4 * time.Second})
		}
		if s, _ := l.Server("https://a.test"); s.Pace < 3*time.Second {
			t.Errorf("one start every %v at a server that takes 4 s", s.Pace)
		}
	})
}

func TestCancelledWaiterLeavesAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &ServerLimiter{Pace: time.Hour}
		request(t, l, Ask{}, fine)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		start := time.Now()
		if _, err := l.Acquire(ctx, Ask{Origin: "https://a.test"}); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("err %v", err)
		}
		if d := time.Since(start); d != time.Second {
			t.Errorf("left after %v", d)
		}
		if s, _ := l.Server("https://a.test"); s.Waiting != 0 || s.InFlight != 0 {
			t.Errorf("it still counts: %+v", s)
		}
	})
}

func TestLimiterMemoryIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &ServerLimiter{MaxServers: 640}
		for i := range 5000 {
			request(t, l, Ask{Origin: Origin("https://h" + string(rune('a'+i%26)) + time.Duration(i).String() + ".test")}, fine)
		}
		if n := len(l.Servers()); n > 640 {
			t.Errorf("%d servers are kept", n)
		}
	})
}

func TestByDomainAndByAddressShareOnePace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &ServerLimiter{By: ByDomain}
		request(t, l, Ask{Origin: "https://www.example.com"}, fine)
		waited, _ := request(t, l, Ask{Origin: "http://shop.example.com:8080"}, fine)
		near(t, "same domain", waited, time.Second)
	})
}
