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

// Servers returns the state of every server known, sorted by name. It copies under each shard's lock in turn.
func (l *ServerLimiter) Servers() []ServerState {
	l.init()
	var out []ServerState
	for i := range l.shards {
		sh := &l.shards[i]
		sh.Lock()
		for key, s := range sh.servers {
			out = append(out, s.state(key, &l.config))
		}
		sh.Unlock()
	}
	slices.SortFunc(out, func(a, b ServerState) int { return cmp.Compare(a.Server, b.Server) })
	return out
}

// Server returns the state of one server, and whether anything is known of it.
func (l *ServerLimiter) Server(o Origin) (ServerState, bool) {
	l.init()
	key := l.key(o)
	sh := l.shard(key)
	sh.Lock()
	defer sh.Unlock()
	s := sh.servers[key]
	if s == nil {
		return ServerState{}, false
	}
	return s.state(key, &l.config), true
}

func (s *server) state(key string, c *limiterConfig) ServerState {
	inFlight := 0
	for _, n := range s.inFlight {
		inFlight += int(n)
	}
	return ServerState{
		Server: key, Pace: s.gap(c), CrawlDelay: s.asked, Clamped: s.asked > s.delay, Latency: s.latency,
		Until: s.earliest(classPage), InFlight: inFlight, Waiting: len(s.waiters), Slowed: s.slowed,
		Strikes: int(s.strikes), Refusals: int(s.refusals), Longest: s.longest,
	}
}
