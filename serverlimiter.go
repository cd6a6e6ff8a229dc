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
	epoch   time.Time
	seed    maphash.Seed
	tables  [limiterTables]serverTable
	wakes   serverWakes
	aliases sync.Map // Origin -> address key, for ByAddress
	aliased boundedCount
}

// limiterTables is the number of parts of the servers, each with a lock.
const limiterTables = 64

// instant is a time in nanoseconds since a moment before the limiter's first use: a third of a time.Time, and cheaper to
// get. Zero stands for never.
type instant int64

func (i instant) add(d time.Duration) instant { return i + instant(d) }

// slowedMemory is how much longer a server is remembered that has refused requests.
const slowedMemory = time.Hour

// limiterConfig is the configuration with its defaults, fixed at first use.
type limiterConfig struct {
	pace, resourcePace, maxDelay time.Duration
	concurrency                  [classCount]int
	backoff                      Backoff
	perTable                     int
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
		l.epoch = time.Now().Add(-1)
		l.seed = maphash.MakeSeed()
		c := &l.config
		c.backoff = l.Backoff.withDefaults()
		c.pace = defaulted(l.Pace, time.Second)
		c.resourcePace = max(l.ResourcePace, 0)
		c.maxDelay = defaulted(l.MaxCrawlDelay, 10*time.Second)
		c.concurrency = [classCount]int{defaulted(l.Concurrency, 2), defaulted(l.LinkConcurrency, 1), defaulted(l.ResourceConcurrency, 6)}
		c.shared = l.By != ByOrigin
		c.perTable = max(defaulted(l.MaxServers, 100_000)/limiterTables, 1)
	})
}

func (l *ServerLimiter) now() instant { return instant(time.Since(l.epoch)) }

// time is an instant for those outside: the zero time for never.
func (l *ServerLimiter) time(at instant) time.Time {
	if at == 0 {
		return time.Time{}
	}
	return l.epoch.Add(time.Duration(at))
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
	t, hash := l.table(key)
	k, cost := classOf(ask.Kind), max(ask.Cost, 1)
	now := l.now()
	t.Lock()
	s := l.server(t, key, hash, now)
	s.crawlDelay(ask.CrawlDelay, &l.config)
	if s.queue == nil && !s.full(k, &l.config) && now >= s.earliest(k) {
		s.start(k, cost, now, &l.config)
		t.Unlock()
		return l.release(ask, t, key, hash, now), nil
	}
	if s.queue == nil {
		s.queue = &waiting{table: t, key: key, hash: hash}
	}
	w := &waiter{class: k, cost: int32(cost), ready: make(chan struct{})}
	s.queue.waiters = append(s.queue.waiters, w)
	l.pump(s)
	t.Unlock()

	select {
	case <-w.ready:
		return l.release(ask, t, key, hash, w.start), nil
	case <-ctx.Done():
	}
	t.Lock()
	defer t.Unlock()
	s = t.get(key, hash) // it is in use, so it is there, but may have moved
	if w.start == 0 {
		s.queue.waiters = slices.DeleteFunc(s.queue.waiters, func(other *waiter) bool { return other == w })
	} else {
		s.inFlight[w.class]-- // granted at the same moment: the slot goes back unused
	}
	l.pump(s)
	return nil, ctx.Err()
}

// release returns what the request calls when it is over. It keeps only what it needs: it is made for every request.
func (l *ServerLimiter) release(ask Ask, t *serverTable, key string, hash uint64, start instant) func(Feedback) Advice {
	k, attempt, origin := classOf(ask.Kind), ask.Attempt, ask.Origin
	released := false
	return func(f Feedback) (advice Advice) {
		t.Lock()
		defer t.Unlock()
		if released {
			return advice
		}
		released = true
		s := t.get(key, hash)
		s.inFlight[k]--
		if !f.Unsent {
			advice = s.hear(&f, start, attempt, l)
		}
		if s.queue != nil {
			l.pump(s)
		}
		if l.By == ByAddress && f.Addr.IsValid() {
			l.alias(origin, f.Addr)
		}
		return advice
	}
}

// waiting are the calls that wait for a server, in their order.
type waiting struct {
	table   *serverTable
	key     string
	hash    uint64
	waiters []*waiter
	at      instant // when the next may start; 0: a release decides. Guarded by serverWakes, as is index.
	index   int32
}

type waiter struct {
	class class
	cost  int32
	start instant       // 0: not yet
	ready chan struct{} // closed at the start
}

// pump lets start every waiter that may, in order, and notes when the next one may. The server's table is locked.
func (l *ServerLimiter) pump(s *server) {
	q := s.queue
	if q == nil {
		return
	}
	now := l.now()
	var wake instant
	var full [classCount]bool
	kept := q.waiters[:0]
	for _, w := range q.waiters {
		at := s.earliest(w.class)
		switch {
		case full[w.class] || s.full(w.class, &l.config):
			full[w.class] = true // its release pumps again
			kept = append(kept, w)
		case now < at:
			if wake == 0 || at < wake {
				wake = at
			}
			kept = append(kept, w)
		default:
			s.start(w.class, int(w.cost), now, &l.config)
			w.start = now
			close(w.ready)
		}
	}
	clear(q.waiters[len(kept):])
	q.waiters = kept
	if len(kept) == 0 {
		s.queue = nil
	}
	l.wakes.set(l, q, wake)
}

// Next implements Forecaster.
func (l *ServerLimiter) Next(ask Ask) (at time.Time, full bool) {
	l.init()
	key := l.key(ask.Origin)
	t, hash := l.table(key)
	t.Lock()
	defer t.Unlock()
	s := t.get(key, hash)
	if s == nil {
		return time.Time{}, false
	}
	s.crawlDelay(ask.CrawlDelay, &l.config)
	k := classOf(ask.Kind)
	return l.time(s.earliest(k)), s.full(k, &l.config)
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
	if _, known := l.aliases.Load(o); known || l.aliased.take(l.config.perTable*limiterTables) {
		l.aliases.Store(o, addr.Unmap().String())
	}
}

// table returns the part that a server is in, and the hash of its key.
func (l *ServerLimiter) table(key string) (*serverTable, uint64) {
	hash := maphash.String(l.seed, key)
	return &l.tables[hash%limiterTables], hash
}

// server finds or makes the state of a server. The table is locked.
func (l *ServerLimiter) server(t *serverTable, key string, hash uint64, now instant) *server {
	if s := t.get(key, hash); s != nil {
		return s
	}
	if t.n >= l.config.perTable {
		t.evict(now)
	}
	return t.add(key, hash)
}
