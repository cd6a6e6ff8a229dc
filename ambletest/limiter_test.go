package ambletest

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/amblecrawl/amble"
)

func TestServerLimiterKeepsTheContract(t *testing.T) {
	for name, by := range map[string]amble.LimitBy{"by origin": amble.ByOrigin, "by domain": amble.ByDomain, "by address": amble.ByAddress} {
		t.Run(name, func(t *testing.T) {
			TestLimiter(t, func(pace time.Duration) amble.Limiter {
				return &amble.ServerLimiter{Pace: pace, MaxCrawlDelay: time.Minute, MaxServers: 1000, By: by}
			})
		})
	}
}

type limiterFunc func(ctx context.Context, ask amble.Ask) (func(amble.Feedback) amble.Advice, error)

func (f limiterFunc) Acquire(ctx context.Context, ask amble.Ask) (func(amble.Feedback) amble.Advice, error) {
	return f(ctx, ask)
}

// alter breaks one promise of a sound limiter.
func alter(acquire func(l *amble.ServerLimiter, ctx context.Context, ask amble.Ask) (func(amble.Feedback) amble.Advice, error)) limiterSubject {
	return func(pace time.Duration) amble.Limiter {
		l := &amble.ServerLimiter{Pace: pace, MaxServers: 1000, MaxCrawlDelay: time.Minute}
		return limiterFunc(func(ctx context.Context, ask amble.Ask) (func(amble.Feedback) amble.Advice, error) {
			return acquire(l, ctx, ask)
		})
	}
}

// none never waits and never advises.
func none(context.Context, amble.Ask) (func(amble.Feedback) amble.Advice, error) {
	return func(amble.Feedback) amble.Advice { return amble.Advice{} }, nil
}

// early forecasts what does not hold.
type early struct{ *amble.ServerLimiter }

func (early) Next(amble.Ask) (time.Time, bool) { return time.Time{}, false }

func TestLimiterSuiteFindsBrokenPromises(t *testing.T) {
	broken := map[string]limiterSubject{
		"starts are paced, however many ask at once": alter(func(l *amble.ServerLimiter, ctx context.Context, ask amble.Ask) (func(amble.Feedback) amble.Advice, error) {
			return (&amble.ServerLimiter{}).Acquire(ctx, ask)
		}),
		"all kinds of requests to a server share its pace": alter(func(l *amble.ServerLimiter, ctx context.Context, ask amble.Ask) (func(amble.Feedback) amble.Advice, error) {
			if ask.Kind != amble.KindPage {
				return none(ctx, ask)
			}
			return l.Acquire(ctx, ask)
		}),
		"a Crawl-delay raises the pace": alter(func(l *amble.ServerLimiter, ctx context.Context, ask amble.Ask) (func(amble.Feedback) amble.Advice, error) {
			ask.CrawlDelay = 0
			return l.Acquire(ctx, ask)
		}),
		"an ended context ends the wait, and takes no turn": alter(func(l *amble.ServerLimiter, ctx context.Context, ask amble.Ask) (func(amble.Feedback) amble.Advice, error) {
			return l.Acquire(context.WithoutCancel(ctx), ask)
		}),
		"all waiters of a server feel a back-off at once": alter(func(l *amble.ServerLimiter, ctx context.Context, ask amble.Ask) (func(amble.Feedback) amble.Advice, error) {
			release, err := l.Acquire(ctx, ask)
			return func(f amble.Feedback) amble.Advice {
				release(good)
				return amble.Advice{Retry: true, Wait: 20 * time.Second}
			}, err
		}),
		"the advice to retry ends": alter(func(l *amble.ServerLimiter, ctx context.Context, ask amble.Ask) (func(amble.Feedback) amble.Advice, error) {
			release, err := l.Acquire(ctx, ask)
			return func(f amble.Feedback) amble.Advice { release(f); return amble.Advice{Retry: true} }, err
		}),
		"errors speed nothing up": alter(func(l *amble.ServerLimiter, ctx context.Context, ask amble.Ask) (func(amble.Feedback) amble.Advice, error) {
			release, err := l.Acquire(ctx, ask)
			return func(f amble.Feedback) amble.Advice {
				if f.Status != 429 {
					f = good // an error taken for an answer
				}
				return release(f)
			}, err
		}),
		"no goroutine outlives Acquire": func(pace time.Duration) amble.Limiter {
			l := &amble.ServerLimiter{Pace: pace}
			return limiterFunc(func(ctx context.Context, ask amble.Ask) (func(amble.Feedback) amble.Advice, error) {
				go time.Sleep(time.Hour)
				return l.Acquire(ctx, ask)
			})
		},
		"memory is bounded, whatever the number of servers": func(time.Duration) amble.Limiter {
			var mu sync.Mutex
			seen := make(map[amble.Origin]*[64]byte)
			return limiterFunc(func(ctx context.Context, ask amble.Ask) (func(amble.Feedback) amble.Advice, error) {
				mu.Lock()
				defer mu.Unlock()
				seen[ask.Origin] = new([64]byte)
				return none(ctx, ask)
			})
		},
		"a forecast is no later than what happens, and nothing starts before it": func(pace time.Duration) amble.Limiter {
			return early{&amble.ServerLimiter{Pace: pace}}
		},
	}
	for _, p := range limiterPromises {
		t.Run(p.name, func(t *testing.T) {
			subject := broken[p.name]
			if subject == nil {
				t.Fatal("no part breaks this promise")
			}
			synctest.Test(t, func(t *testing.T) {
				wantFails(t, func(w testing.TB) { p.check(w, subject) })
				time.Sleep(2 * time.Hour) // what was left running ends
			})
		})
	}
}
