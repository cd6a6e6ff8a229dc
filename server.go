package amble

import (
	"fmt"
	"time"
)

// server is the state of one server, guarded by the lock of its table. There are many of them, so it is 64 bytes: one
// line of the processor's cache.
type server struct {
	key      string
	next     instant       // no paced request may start before
	asked    time.Duration // Crawl-delay as asked for
	queue    *waiting      // nil: nobody waits
	rest     *serverRest   // nil: as if zero
	hash     uint32        // of the key, the upper half
	latency  micros        // moving average of the time to the first byte
	inFlight [classCount]uint16
	slowed   bool // backing off: one page at a time
	used     bool // the slot in the table is not free
}

// micros is a time of up to an hour in millionths of a second.
type micros uint32

func (m micros) duration() time.Duration { return time.Duration(m) * time.Microsecond }

// nearer is a quarter of the way from the average to a new value.
func (m micros) nearer(d time.Duration) micros {
	return m + micros((min(d, time.Hour)/time.Microsecond-time.Duration(m))/4)
}

// serverRest is what most servers never need.
type serverRest struct {
	nextResource instant       // no file of a page may start before
	paused       instant       // nothing may start before: the end of the last wait
	pace         time.Duration // the pace now, beside the configured one
	longest      time.Duration // wait after a refusal
	refusals     uint32
	good         uint16 // answers in a row that were no refusals
	strikes      uint8  // refusals of requests sent after a wait
	proved       bool   // an answer that was no refusal came to a request sent after the last wait
}

var noRest serverRest

// past is the rest, to be read only.
func (s *server) past() *serverRest {
	if s.rest == nil {
		return &noRest
	}
	return s.rest
}

// change is the rest, to be written.
func (s *server) change() *serverRest {
	if s.rest == nil {
		s.rest = &serverRest{}
	}
	return s.rest
}

func (s *server) start(k class, cost int, now instant, c *limiterConfig) {
	s.inFlight[k]++
	if k == classResource {
		gap := c.resourcePace
		if s.slowed {
			gap = max(gap, s.slowPace(c))
		}
		if gap == 0 && s.rest == nil {
			return
		}
		s.change().nextResource = now.add(gap * time.Duration(cost))
		return
	}
	s.next = now.add(s.gap(c) * time.Duration(cost))
}

// delay is the Crawl-delay after the clamp.
func (s *server) delay(c *limiterConfig) time.Duration {
	if c.maxDelay > 0 {
		return min(s.asked, c.maxDelay)
	}
	return s.asked
}

// gap is the time between two starts now.
func (s *server) gap(c *limiterConfig) time.Duration {
	gap := max(c.pace, s.past().pace, s.delay(c), 0)
	if c.pace > 0 {
		gap = max(gap, min(s.latency.duration(), c.backoff.Ceiling)) // a server that is slow to answer is asked less often
	}
	return gap
}

// slowPace spaces the files of pages while a server is backing off: a part of the pace, since a page has many.
func (s *server) slowPace(c *limiterConfig) time.Duration {
	return max(s.past().pace, c.backoff.SlowPace) / 4
}

func (s *server) earliest(k class) instant {
	r := s.past()
	if k == classResource {
		return max(r.nextResource, r.paused)
	}
	return max(s.next, r.paused)
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
	before := max(c.pace, s.past().pace, s.delay(c), 0)
	s.asked = asked
	if s.next != 0 { // the request before (robots.txt itself) did not know of the delay yet
		s.next = s.next.add(max(s.delay(c)-before, 0))
	}
}

// hear takes in how a request went that started at start.
func (s *server) hear(f *Feedback, start instant, attempt int, l *ServerLimiter) Advice {
	c, b := &l.config, &l.config.backoff
	if f.Latency > 0 {
		s.latency = s.latency.nearer(f.Latency)
	}
	if !Throttled(f.Status, f.Header) {
		s.earnBack(f, start, c)
		return Advice{}
	}
	r := s.change()
	r.good = 0
	r.refusals++
	after := r.paused != 0 && start >= r.paused // sent after a wait, so it counts against the server (S18)
	switch {
	case !after:
	case s.slowed && !r.proved:
		r.strikes = min(r.strikes+1, 200)
	default:
		r.strikes = 0 // it let us in between: a new refusal, not the old one going on
	}
	r.proved = r.proved && !after
	wait, over := b.wait(f.Header, time.Now(), int(r.strikes))
	wait = b.jittered(wait)
	now := l.now()
	r.paused = max(r.paused, now.add(wait))
	if after || !s.slowed { // answers to requests under way when the first refusal came do not slow it further
		r.pace = min(max(time.Duration(float64(max(r.pace, c.pace, s.delay(c)))*b.Slower), b.SlowPace), b.Ceiling)
	}
	s.slowed = true
	r.longest = max(r.longest, wait)
	a := Advice{Wait: time.Duration(r.paused - now)}
	switch {
	case over:
		a.StopPage = true
		a.Reason = fmt.Sprintf("the server asks for more than %v: no retry", b.Ceiling)
	case b.Lengthen >= 0 && int(r.strikes) > b.Lengthen:
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
func (s *server) earnBack(f *Feedback, start instant, c *limiterConfig) {
	r := s.rest
	if r == nil {
		return
	}
	if f.Err != nil || f.Status == 0 || f.Status >= 500 {
		r.good = 0
		return
	}
	if !s.slowed || start < r.paused {
		return
	}
	r.strikes, r.proved = 0, true
	r.good++
	if int(r.good) < c.backoff.EarnBack {
		return
	}
	r.good = 0
	r.pace = r.pace * 3 / 4
	if r.pace <= max(c.pace, s.delay(c)) || r.pace < c.backoff.SlowPace/4 {
		r.pace, s.slowed = 0, false
	}
}
