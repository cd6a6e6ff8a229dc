package amble

import (
	"context"
	"net/url"
	"sync"
	"time"
)

// pageGate is the gate for what a Fetcher asks for on behalf of one page.
//
// When the Fetcher asks for the page itself once more, that request takes the place of the first: the first one's turn is
// given back before the wait for the next, since a server that is backing off gets one request at a time (S17). And the
// time of the exchange stands still while its requests wait for their turn.
type pageGate struct {
	*gate
	kind  Kind
	clock *stopwatch // nil: the exchange has no time limit

	mu     sync.Mutex
	done   func(Feedback, int64) Advice // of the request that stands for the page
	again  bool                         // that is not the first any more
	heard  bool                         // and its end was told
	advice Advice

	received func(bytes int64) // counts what came for it
}

// Pass implements Gate.
func (p *pageGate) Pass(ctx context.Context, u *url.URL, kind Kind) (func(Feedback) Advice, error) {
	p.clock.pause()
	defer p.clock.resume()
	if kind != p.kind || kind == KindResource {
		return p.gate.Pass(ctx, u, kind)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.again {
		p.again = true
		p.done(Feedback{}, 0)
	}
	ctx, leave := p.off.watch(ctx, u.Hostname())
	defer leave()
	t, err := p.pass(ctx, u, kind, 2, nil)
	p.received = func(int64) {}
	if err != nil {
		p.heard = true
		return nil, switchedOff(ctx, err)
	}
	p.done, p.heard = t.done, false
	origin := OriginOf(u)
	p.received = func(bytes int64) { p.ledger.account(origin).received(bytes) }
	return func(f Feedback) Advice { return p.end(f, 0) }, nil
}

// end tells how the request went that stands for the page, once.
func (p *pageGate) end(f Feedback, bytes int64) Advice {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.heard {
		p.heard = true
		p.advice = p.done(f, bytes)
	} else if bytes > 0 { // the Fetcher told it, who does not count them
		p.received(bytes)
	}
	return p.advice
}

// stopwatch calls a function when its time is up. It can be stopped and goes on where it stood. A nil one does nothing.
type stopwatch struct {
	mu      sync.Mutex
	timer   *time.Timer
	left    time.Duration
	since   time.Time
	waiting int
}

func startStopwatch(d time.Duration, f func()) *stopwatch {
	return &stopwatch{timer: time.AfterFunc(d, f), left: d, since: time.Now()}
}

func (s *stopwatch) pause() {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.waiting++; s.waiting == 1 && s.timer.Stop() {
		s.left -= time.Since(s.since)
	}
}

func (s *stopwatch) resume() {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.waiting--; s.waiting == 0 && s.left > 0 {
		s.since = time.Now()
		s.timer.Reset(s.left)
	}
}

func (s *stopwatch) stop() {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.timer.Stop()
	s.left = 0 // a wait that ends later does not start it again
}
