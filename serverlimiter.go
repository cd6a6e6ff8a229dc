package amble

import (
	"cmp"
	"context"
	"hash/maphash"
	"net/netip"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/amblecrawl/amble/internal/urlkey"
)

// LimitBy says what counts as one server for a ServerLimiter.
type LimitBy uint8

const (
	ByOrigin  LimitBy = iota // scheme, host and port
	ByDomain                 // the registrable domain by the public suffix list: www.example.com and shop.example.com are one
	ByAddress                // the address that answered; the origin until one is known
)

// ServerLimiter is the default Limiter: a pace between starts and a number of requests at a time for each server, with
// Crawl-delay raised into the pace, and Backoff when a server refuses. Its zero value is ready to use. It is safe for
// concurrent use and must not be copied or changed after first use. It starts no goroutine of its own.
type ServerLimiter struct {
	// Pace is the least time between the starts of two requests to a server, the files of rendered pages left out.
	// Default 1 second; negative: none.
	Pace time.Duration

	// Concurrency is how many pages may be under way at a server (S16). Default 2; negative: no limit.
	Concurrency int

	// LinkConcurrency is the same for link checks (S16). Default 1; negative: no limit.
	LinkConcurrency int

	// ResourcePace and ResourceConcurrency are the same for the files that rendered pages load. Default none, and 6.
	ResourcePace        time.Duration
	ResourceConcurrency int

	// MaxCrawlDelay is the most that a Crawl-delay of robots.txt may raise the pace to (C9). More is clamped, and said in
	// ServerState. Default 10 seconds; negative: no limit.
	MaxCrawlDelay time.Duration

	// Backoff holds the rules for 429 and 503.
	Backoff Backoff

	// By says what counts as one server. Default ByOrigin.
	By LimitBy

	// MaxServers is how many servers are remembered. Beyond it, servers that nothing is known against are forgotten
	// first. Default 100,000.
	MaxServers int

	once    sync.Once
	config  limiterConfig
	seed    maphash.Seed
	shards  [limiterShards]limiterShard
	aliases sync.Map // Origin -> address key, for ByAddress
	aliased boundedCount
}

const limiterShards = 64

// limiterConfig is the configuration with its defaults, fixed at first use.
type limiterConfig struct {
	pace, resourcePace, maxDelay time.Duration
	concurrency                  [classCount]int
	backoff                      Backoff
	perShard                     int
	shared                       bool // a server's Crawl-delay may come from several robots.txt: the longest holds
}

// class groups the kinds of requests that share a concurrency limit.
type class uint8

const (
	classPage class = iota
	classLink
	classResource
	classCount
)

func classOf(k Kind) class {
	switch k {
	case KindLink:
		return classLink
	case KindResource:
		return classResource
	}
	return classPage
}

type limiterShard struct {
	sync.Mutex
	servers map[string]*server
}

type waiter struct {
	class class
	cost  int
	ready chan time.Time // gets the start time; buffered
}

type boundedCount struct{ n atomic.Int64 }

// take counts one more, unless max is reached.
func (c *boundedCount) take(max int) bool {
	if c.n.Add(1) <= int64(max) {
		return true
	}
	c.n.Add(-1)
	return false
}

func (l *ServerLimiter) init() {
	l.once.Do(func() {
		l.seed = maphash.MakeSeed()
		c := &l.config
		c.backoff = l.Backoff.withDefaults()
		c.pace = defaulted(l.Pace, time.Second)
		c.resourcePace = max(l.ResourcePace, 0)
		c.maxDelay = defaulted(l.MaxCrawlDelay, 10*time.Second)
		c.concurrency = [classCount]int{defaulted(l.Concurrency, 2), defaulted(l.LinkConcurrency, 1), defaulted(l.ResourceConcurrency, 6)}
		c.shared = l.By != ByOrigin
		c.perShard = max(defaulted(l.MaxServers, 100_000)/limiterShards, 1)
		for i := range l.shards {
			l.shards[i].servers = make(map[string]*server)
		}
	})
}

// defaulted returns d for zero.
func defaulted[T cmp.Ordered](v, d T) T {
	var zero T
	if v == zero {
		return d
	}
	return v
}

// Validate reports settings that cannot work; the error matches ErrConfig.
func (l *ServerLimiter) Validate() error { return l.Backoff.validate() }

// Acquire waits for the server's turn. See Limiter.
func (l *ServerLimiter) Acquire(ctx context.Context, ask Ask) (func(Feedback) Advice, error) {
	l.init()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	key := l.key(ask.Origin)
	sh := l.shard(key)
	cost := max(ask.Cost, 1)
	sh.Lock()
	s := l.server(sh, key)
	s.crawlDelay(ask.CrawlDelay, &l.config)
	if k, now := classOf(ask.Kind), time.Now(); len(s.waiters) == 0 && !s.full(k, &l.config) && !now.Before(s.earliest(k)) {
		s.start(k, cost, now, &l.config)
		sh.Unlock()
		return l.release(ask, sh, s, now), nil
	}
	w := &waiter{class: classOf(ask.Kind), cost: cost, ready: make(chan time.Time, 1)}
	s.waiters = append(s.waiters, w)
	l.pump(sh, s)
	sh.Unlock()

	select {
	case start := <-w.ready:
		return l.release(ask, sh, s, start), nil
	case <-ctx.Done():
	}
	sh.Lock()
	defer sh.Unlock()
	if i := slices.Index(s.waiters, w); i >= 0 {
		s.waiters = slices.Delete(s.waiters, i, i+1)
	} else {
		s.inFlight[w.class]-- // granted at the same moment: the slot goes back unused
	}
	l.pump(sh, s)
	return nil, ctx.Err()
}

func (l *ServerLimiter) release(ask Ask, sh *limiterShard, s *server, start time.Time) func(Feedback) Advice {
	released := false
	return func(f Feedback) (advice Advice) {
		sh.Lock()
		defer sh.Unlock()
		if released {
			return advice
		}
		released = true
		s.inFlight[classOf(ask.Kind)]--
		if !f.Unsent {
			advice = s.hear(f, start, ask.Attempt, &l.config)
		}
		l.pump(sh, s)
		if l.By == ByAddress && f.Addr.IsValid() {
			l.alias(ask.Origin, f.Addr)
		}
		return advice
	}
}

// pump lets start every waiter that may, in order, and sets the timer for the next. The shard is locked.
func (l *ServerLimiter) pump(sh *limiterShard, s *server) {
	if len(s.waiters) == 0 {
		s.stopTimer()
		return
	}
	now := time.Now()
	var wake time.Time
	var full [classCount]bool
	kept := s.waiters[:0]
	for _, w := range s.waiters {
		at := s.earliest(w.class)
		switch {
		case full[w.class] || s.full(w.class, &l.config):
			full[w.class] = true // its release pumps again
			kept = append(kept, w)
		case now.Before(at):
			if wake.IsZero() || at.Before(wake) {
				wake = at
			}
			kept = append(kept, w)
		default:
			s.start(w.class, w.cost, now, &l.config)
			w.ready <- now
		}
	}
	clear(s.waiters[len(kept):])
	s.waiters = kept
	s.stopTimer()
	if !wake.IsZero() {
		s.timer = time.AfterFunc(wake.Sub(now), func() {
			sh.Lock()
			defer sh.Unlock()
			l.pump(sh, s)
		})
	}
}

// Next implements Forecaster.
func (l *ServerLimiter) Next(ask Ask) (at time.Time, full bool) {
	l.init()
	key := l.key(ask.Origin)
	sh := l.shard(key)
	sh.Lock()
	defer sh.Unlock()
	s := sh.servers[key]
	if s == nil {
		return time.Time{}, false
	}
	s.crawlDelay(ask.CrawlDelay, &l.config)
	return s.earliest(classOf(ask.Kind)), s.full(classOf(ask.Kind), &l.config)
}

func (l *ServerLimiter) key(o Origin) string {
	switch l.By {
	case ByDomain:
		if domain, ok := urlkey.Registrable(hostOf(o)); ok {
			return domain
		}
	case ByAddress:
		if key, ok := l.aliases.Load(o); ok {
			return key.(string)
		}
	}
	return string(o)
}

func (l *ServerLimiter) alias(o Origin, addr netip.Addr) {
	if _, known := l.aliases.Load(o); known || l.aliased.take(l.config.perShard*limiterShards) {
		l.aliases.Store(o, addr.Unmap().String())
	}
}

func (l *ServerLimiter) shard(key string) *limiterShard {
	return &l.shards[maphash.String(l.seed, key)%limiterShards]
}

// server finds or makes the state of a server. The shard is locked.
func (l *ServerLimiter) server(sh *limiterShard, key string) *server {
	if s := sh.servers[key]; s != nil {
		return s
	}
	if len(sh.servers) >= l.config.perShard {
		sh.evict()
	}
	s := &server{}
	sh.servers[key] = s
	return s
}

// evict forgets one server that nothing waits for: of a few, the one whose time is up first. Servers in use stay, so
// the number may exceed the bound by the number of workers.
func (sh *limiterShard) evict() {
	now := time.Now()
	victim, best := "", time.Time{}
	seen := 0
	for key, s := range sh.servers {
		if len(s.waiters) > 0 || s.inFlight != [classCount]uint16{} {
			continue
		}
		until := s.next
		if s.paused.After(until) {
			until = s.paused
		}
		if s.slowed {
			until = until.Add(time.Hour) // what refused us is remembered longest
		}
		if victim == "" || until.Before(best) {
			victim, best = key, until
		}
		if seen++; seen >= 16 && best.Before(now) || seen >= 64 {
			break
		}
	}
	delete(sh.servers, victim)
}
