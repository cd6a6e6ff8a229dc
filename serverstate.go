package amble

import (
	"cmp"
	"fmt"
	"slices"
	"time"
)

// ServerState is what a ServerLimiter knows of one server, for a person who asks why it is waiting.
type ServerState struct {
	Server     string        // an origin, a domain or an address, as By has it
	Pace       time.Duration // between starts, now
	CrawlDelay time.Duration // as robots.txt asks
	Clamped    bool          // the Crawl-delay is over MaxCrawlDelay
	Latency    time.Duration // moving average of the time to the first byte
	Until      time.Time     // nothing starts before; zero or past: at once
	InFlight   int
	Waiting    int
	Slowed     bool // backing off: one at a time
	Strikes    int  // refusals of requests sent after a wait
	Refusals   int  // all of them
	Longest    time.Duration
}

// String says it in one line.
func (s ServerState) String() string {
	text := fmt.Sprintf("%s: one start every %v, %d under way, %d waiting", s.Server, s.Pace, s.InFlight, s.Waiting)
	if s.Clamped {
		text += fmt.Sprintf(", Crawl-delay %v clamped", s.CrawlDelay)
	}
	if s.Slowed {
		text += fmt.Sprintf(", refused %d times, nothing before %s", s.Refusals, s.Until.Format(time.TimeOnly))
	}
	return text
}

// Servers returns the state of every server known, sorted by name. It copies under the locks of parts of them in turn.
func (l *ServerLimiter) Servers() []ServerState {
	l.init()
	var out []ServerState
	for i := range l.tables {
		t := &l.tables[i]
		t.Lock()
		for i := range t.slots {
			if s := &t.slots[i]; s.used {
				out = append(out, s.state(l))
			}
		}
		t.Unlock()
	}
	slices.SortFunc(out, func(a, b ServerState) int { return cmp.Compare(a.Server, b.Server) })
	return out
}

// Server returns the state of one server, and whether anything is known of it.
func (l *ServerLimiter) Server(o Origin) (ServerState, bool) {
	l.init()
	key := l.key(o)
	t, hash := l.table(key)
	t.Lock()
	defer t.Unlock()
	s := t.get(key, hash)
	if s == nil {
		return ServerState{}, false
	}
	return s.state(l), true
}

func (s *server) state(l *ServerLimiter) ServerState {
	c := &l.config
	inFlight := 0
	for _, n := range s.inFlight {
		inFlight += int(n)
	}
	waiters := 0
	if s.queue != nil {
		waiters = len(s.queue.waiters)
	}
	r := s.past()
	return ServerState{
		Server: s.key, Pace: s.gap(c), CrawlDelay: s.asked, Clamped: s.asked > s.delay(c), Latency: s.latency.duration(),
		Until: l.time(s.earliest(classPage)), InFlight: inFlight, Waiting: waiters, Slowed: s.slowed,
		Strikes: int(r.strikes), Refusals: int(r.refusals), Longest: r.longest,
	}
}
