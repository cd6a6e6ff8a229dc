package amble

import (
	"container/heap"
	"context"
	"sync"
	"time"
)

// task is one piece of work for a worker: a page to visit, or a sitemap to read.
type task struct {
	item    Item
	attempt int    // requests sent so far
	judged  bool   // it was looked at for traps, which counts, so once only
	sitemap bool   // item.URL is a sitemap
	nested  int    // indexes above this sitemap
	named   Origin // the server whose robots.txt, or whose index, led to this sitemap
}

// scheduler hands tasks to workers, each server's in order, the server first whose turn comes first. It holds a bounded
// window of what the Store leases, counts what is under way, and so knows the moment when nothing is left (no idle
// timer guesses it). Waiting servers cost an entry in a heap; one timer serves all.
type scheduler struct {
	forecast Forecaster // nil: every server is taken to be ready
	lease    func(ctx context.Context, n int, skip func(Origin) bool) ([]Item, error)
	window   int
	kind     Kind // of the requests, for the forecast

	mu      sync.Mutex
	cond    *sync.Cond
	servers map[Origin]*serverQueue
	ready   serverHeap
	timer   *time.Timer
	queued  int  // tasks in the queues
	active  int  // tasks handed out and not ended
	leasing bool // one worker is asking the Store
	dry     bool // the Store had nothing at the last lease, and nothing was pushed since
	stopped bool
	err     error
}

// serverWindow is how many tasks of one server are leased, so that the window has room for others.
const serverWindow = 128

// serverQueue is one server's tasks in the window.
type serverQueue struct {
	origin  Origin
	tasks   []task
	active  int
	at      time.Time
	index   int  // in the heap; -1: not there
	holding bool // a task was handed out and has not started yet: no other may queue up behind it in the Limiter
}

func newScheduler(forecast Forecaster, window int, lease func(context.Context, int, func(Origin) bool) ([]Item, error)) *scheduler {
	s := &scheduler{forecast: forecast, window: window, lease: lease, servers: make(map[Origin]*serverQueue)}
	s.cond = sync.NewCond(&s.mu)
	return s
}

// next waits for a task. ok is false when the crawl is over, was stopped, or failed. Somebody must call wake when the
// context ends.
func (s *scheduler) next(ctx context.Context) (t task, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for {
		if s.stopped || s.err != nil || ctx.Err() != nil {
			return task{}, false
		}
		if !s.dry && !s.leasing && s.queued < s.window/2 {
			s.fill(ctx)
			continue
		}
		if t, ok := s.pop(); ok {
			return t, true
		}
		if s.queued == 0 && s.active == 0 && s.dry && !s.leasing {
			s.stopped = true
			s.cond.Broadcast()
			return task{}, false
		}
		s.cond.Wait()
	}
}

// fill leases from the Store. It is called with the lock held, and gives it up meanwhile.
func (s *scheduler) fill(ctx context.Context) {
	s.leasing, s.dry = true, true // a push meanwhile takes dry back
	n := s.window - s.queued
	held := make(map[Origin]int, len(s.servers))
	for o, q := range s.servers {
		held[o] = len(q.tasks)
	}
	s.mu.Unlock()
	items, err := s.lease(ctx, n, func(o Origin) bool {
		held[o]++
		return held[o] > serverWindow
	})
	s.mu.Lock()
	s.leasing = false
	if err != nil && ctx.Err() == nil {
		s.err = &Error{Op: "lease", Kind: ErrStore, Err: err}
	}
	for _, item := range items {
		s.add(task{item: item}, false)
	}
	if len(items) > 0 {
		s.dry = false // a short answer does not mean that nothing waits: a Store may hand out less than it was asked for
	}
	s.cond.Broadcast()
}

// add puts a task into its server's queue. The lock is held.
func (s *scheduler) add(t task, front bool) {
	q := s.servers[t.item.Origin]
	if q == nil {
		q = &serverQueue{origin: t.item.Origin, index: -1}
		s.servers[t.item.Origin] = q
	}
	if front {
		q.tasks = append([]task{t}, q.tasks...)
	} else {
		q.tasks = append(q.tasks, t)
	}
	s.queued++
	s.offer(q)
}

// offer puts a server into the heap when it has a task that could start. The lock is held.
func (s *scheduler) offer(q *serverQueue) {
	if len(q.tasks) == 0 || q.holding || q.index >= 0 {
		return
	}
	var full bool
	q.at = time.Time{}
	if s.forecast != nil {
		q.at, full = s.forecast.Next(Ask{Origin: q.origin, Kind: s.kind})
	}
	if full {
		if q.active > 0 {
			return // the end of one of its tasks offers it again
		}
		q.at = time.Now().Add(100 * time.Millisecond) // somebody else's requests fill it: look again soon
	}
	heap.Push(&s.ready, q)
	s.cond.Signal()
}

// pop takes the first task of the server whose turn it is, or sets the timer for it. The lock is held.
func (s *scheduler) pop() (task, bool) {
	for len(s.ready) > 0 {
		q := s.ready[0]
		if wait := time.Until(q.at); wait > 0 {
			s.wakeIn(wait)
			return task{}, false
		}
		heap.Pop(&s.ready)
		if s.forecast != nil && !q.at.IsZero() { // the server may have asked for more meanwhile
			if at, full := s.forecast.Next(Ask{Origin: q.origin, Kind: s.kind}); full || time.Until(at) > 0 {
				s.offer(q)
				continue
			}
		}
		t := q.tasks[0]
		q.tasks[0] = task{}
		q.tasks = q.tasks[1:]
		if len(q.tasks) == serverWindow/2 {
			s.dry = false // the Store may have more of this server, left out so far
		}
		q.active++
		q.holding = true
		s.queued--
		s.active++
		return t, true
	}
	return task{}, false
}

// wake lets every waiting worker look again.
func (s *scheduler) wake() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.cond.Broadcast()
}

func (s *scheduler) wakeIn(d time.Duration) {
	if s.timer == nil {
		s.timer = time.AfterFunc(d, s.wake)
		return
	}
	s.timer.Reset(d)
}

// started says that a task's request has left: the server's next one may be looked at.
func (s *scheduler) started(o Origin) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if q := s.servers[o]; q != nil && q.holding {
		q.holding = false
		s.offer(q)
	}
}

// done says that a task ended. pushed says that the Store got new items.
func (s *scheduler) done(t task, pushed bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.end(t)
	if pushed {
		s.dry = false
	}
	s.cond.Broadcast()
}

// retry puts a task back as the first of its server.
func (s *scheduler) retry(t task) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.end(t)
	s.add(t, true)
	s.cond.Broadcast()
}

// push adds a task that does not come from the Store.
func (s *scheduler) push(t task) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.add(t, false)
	s.cond.Broadcast()
}

func (s *scheduler) end(t task) {
	s.active--
	q := s.servers[t.item.Origin]
	q.active--
	q.holding = false
	if len(q.tasks) == 0 && q.active == 0 {
		delete(s.servers, q.origin)
		return
	}
	s.offer(q)
}

// stop ends the scheduler: every next returns false. It returns the tasks that were not handed out.
func (s *scheduler) stop() []task {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stopped = true
	if s.timer != nil {
		s.timer.Stop()
	}
	var rest []task
	for _, q := range s.servers {
		rest = append(rest, q.tasks...)
		q.tasks = nil
	}
	s.queued = 0
	s.cond.Broadcast()
	return rest
}

// serverHeap orders servers by the time of their turn.
type serverHeap []*serverQueue

func (h serverHeap) Len() int           { return len(h) }
func (h serverHeap) Less(i, j int) bool { return h[i].at.Before(h[j].at) }
func (h serverHeap) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].index, h[j].index = i, j
}
func (h *serverHeap) Push(x any) {
	q := x.(*serverQueue)
	q.index = len(*h)
	*h = append(*h, q)
}
func (h *serverHeap) Pop() any {
	old := *h
	q := old[len(old)-1]
	old[len(old)-1] = nil
	*h = old[:len(old)-1]
	q.index = -1
	return q
}
