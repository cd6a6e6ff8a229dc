package amble

import (
	"fmt"
	"time"
)

// server is the state of one server, guarded by its shard.
type server struct {
	next         time.Time     // no paced request may start before
	nextResource time.Time     // the same for files of pages
	paused       time.Time     // nothing may start before: the end of the last wait
	pace         time.Duration // the pace now; at least the configured one
	delay        time.Duration // Crawl-delay after the clamp
	asked        time.Duration // Crawl-delay as asked for
	latency      time.Duration // moving average of the time to the first byte
	inFlight     [classCount]uint16
	strikes      uint8 // refusals of requests sent after a wait
	slowed       bool  // backing off: one page at a time
	proved       bool  // an answer that was no refusal came to a request sent after the last wait
	good         uint16
	refusals     uint32
	longest      time.Duration
	waiters      []*waiter
	timer        *time.Timer
}

func (s *server) stopTimer() {
	if s.timer != nil {
		s.timer.Stop()
		s.timer = nil
	}
}

func (s *server) start(k class, cost int, now time.Time, c *limiterConfig) {
	s.inFlight[k]++
	if k == classResource {
		gap := c.resourcePace
		if s.slowed {
			gap = max(gap, s.slowPace(c))
		}
		s.nextResource = now.Add(gap * time.Duration(cost))
		return
	}
	s.next = now.Add(s.gap(c) * time.Duration(cost))
}

// gap is the time between two starts now.
func (s *server) gap(c *limiterConfig) time.Duration {
	gap := max(c.pace, s.pace, s.delay, 0)
	if c.pace > 0 {
		gap = max(gap, min(s.latency, c.backoff.Ceiling)) // a server that is slow to answer is asked less often
	}
	return gap
}

// slowPace spaces the files of pages while a server is backing off: a part of the pace, since a page has many.
func (s *server) slowPace(c *limiterConfig) time.Duration { return max(s.pace, c.backoff.SlowPace) / 4 }

func (s *server) earliest(k class) time.Time {
	at := s.next
	if k == classResource {
		at = s.nextResource
	}
	if s.paused.After(at) {
		at = s.paused
	}
	return at
}

func (s *server) full(k class, c *limiterConfig) bool {
	limit := c.concurrency[k]
	if s.slowed {
		limit = 1
	}
	return limit > 0 && int(s.inFlight[k]) >= limit
}

func (s *server) crawlDelay(asked time.Duration, c *limiterConfig) {
	if asked <= 0 || asked == s.asked || c.shared && asked < s.asked {
		return
	}
	before := max(c.pace, s.pace, s.delay, 0)
	s.asked, s.delay = asked, asked
	if c.maxDelay > 0 {
		s.delay = min(asked, c.maxDelay)
	}
	if !s.next.IsZero() { // the request before (robots.txt itself) did not know of the delay yet
		s.next = s.next.Add(max(s.delay-before, 0))
	}
}

// hear takes in how a request went that started at start.
func (s *server) hear(f Feedback, start time.Time, attempt int, c *limiterConfig) Advice {
	now := time.Now()
	b := &c.backoff
	if f.Latency > 0 {
		s.latency += (f.Latency - s.latency) / 4
	}
	if !Throttled(f.Status, f.Header) {
		s.earnBack(f, start, c)
		return Advice{}
	}
	s.good = 0
	s.refusals++
	after := !s.paused.IsZero() && !start.Before(s.paused) // sent after a wait, so it counts against the server (S18)
	switch {
	case !after:
	case s.slowed && !s.proved:
		s.strikes = min(s.strikes+1, 200)
	default:
		s.strikes = 0 // it let us in between: a new refusal, not the old one going on
	}
	s.proved = s.proved && !after
	wait, over := b.wait(f.Header, now, int(s.strikes))
	wait = b.jittered(wait)
	if until := now.Add(wait); until.After(s.paused) {
		s.paused = until
	}
	if after || !s.slowed { // answers to requests under way when the first refusal came do not slow it further
		s.pace = min(max(time.Duration(float64(max(s.pace, c.pace, s.delay))*b.Slower), b.SlowPace), b.Ceiling)
	}
	s.slowed = true
	s.longest = max(s.longest, wait)
	a := Advice{Wait: time.Until(s.paused)}
	switch {
	case over:
		a.StopPage = true
		a.Reason = fmt.Sprintf("the server asks for more than %v: no retry", b.Ceiling)
	case b.Lengthen >= 0 && int(s.strikes) > b.Lengthen:
		a.StopPage = true
		a.Reason = fmt.Sprintf("still refused after the wait was lengthened %d times", b.Lengthen)
	case max(attempt, 1) > b.Retries:
		a.Reason = fmt.Sprintf("status %d after %d attempts", f.Status, max(attempt, 1))
	default:
		a.Retry = true
		a.Reason = fmt.Sprintf("status %d: waiting %v", f.Status, wait.Round(time.Millisecond))
	}
	return a
}

// earnBack wins speed back slowly. An answer to a request sent before the wait proves nothing, an error even less.
func (s *server) earnBack(f Feedback, start time.Time, c *limiterConfig) {
	if f.Err != nil || f.Status == 0 || f.Status >= 500 {
		s.good = 0
		return
	}
	if !s.slowed || start.Before(s.paused) {
		return
	}
	s.strikes, s.proved = 0, true
	s.good++
	if int(s.good) < c.backoff.EarnBack {
		return
	}
	s.good = 0
	s.pace = s.pace * 3 / 4
	if s.pace <= max(c.pace, s.delay) || s.pace < c.backoff.SlowPace/4 {
		s.pace, s.slowed = 0, false
	}
}
