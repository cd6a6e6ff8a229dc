package amble

import (
	"net/http"
	"slices"
	"sync"
	"time"
)

// ledger counts what a crawl asked of whom. Its figures become the Summary.
type ledger struct {
	mu      sync.Mutex
	order   []*account
	servers map[Origin]*account
}

// account is the ledger's page for one server.
type account struct {
	mu      sync.Mutex
	report  ServerReport
	second  int64 // the second that count counts
	count   int
	failed  int // pages in a row that could not be loaded (S21)
	givenUp bool
}

// maxRobotsTimes bounds the times of robots.txt requests that are kept for one server.
const maxRobotsTimes = 24

func newLedger() *ledger { return &ledger{servers: make(map[Origin]*account)} }

// account finds or opens the account of a server.
func (l *ledger) account(o Origin) *account {
	l.mu.Lock()
	defer l.mu.Unlock()
	a := l.servers[o]
	if a == nil {
		a = &account{report: ServerReport{Origin: o, Requests: make(map[Kind]int, 2)}}
		l.servers[o] = a
		l.order = append(l.order, a)
	}
	return a
}

// look returns the account of a server, or nil when nothing was ever asked of it.
func (l *ledger) look(o Origin) *account {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.servers[o]
}

func (a *account) sent(kind Kind, now time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	r := &a.report
	r.Requests[kind]++
	if r.First.IsZero() {
		r.First = now
	}
	r.Last = now
	if kind == KindRobots && len(r.RobotsFetched) < maxRobotsTimes {
		r.RobotsFetched = append(r.RobotsFetched, now)
	}
	if second := now.Unix(); second != a.second {
		a.second, a.count = second, 0
	}
	a.count++
	if a.count > r.Busiest {
		r.Busiest, r.BusiestAt = a.count, now.Truncate(time.Second)
	}
}

// unsent takes a request back that passed the gate and was not sent: forbidden in the end, or answered from a cache.
func (a *account) unsent(kind Kind) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.report.Requests[kind]--
}

// received counts bytes of a body that came for a page of perhaps another server.
func (a *account) received(bytes int64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.report.Bytes += bytes
}

func (a *account) heard(f Feedback, advice Advice, bytes int64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.report.Bytes += bytes
	switch f.Status {
	case http.StatusTooManyRequests:
		a.report.TooMany++
	case http.StatusServiceUnavailable:
		a.report.Outages++
	}
	if Throttled(f.Status, f.Header) {
		a.report.Throttled++
		a.report.Waited = max(a.report.Waited, advice.Wait)
	}
}

// robots notes what robots.txt said, and reports whether its state is news.
func (a *account) robots(v *Verdict) (news bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	news = a.report.Robots != v.State
	a.report.Robots, a.report.CrawlDelay = v.State, v.Delay
	return news
}

// loaded counts whether a page could be loaded, and reports whether the site is now given up for the first time.
func (a *account) loaded(ok bool, limit int) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if ok {
		a.failed = 0
		return false
	}
	a.failed++
	if limit < 0 || a.givenUp || a.failed < limit {
		return false
	}
	a.givenUp, a.report.GivenUp = true, true
	return true
}

func (a *account) isGivenUp() bool {
	if a == nil {
		return false
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.givenUp
}

// reports returns a copy of all accounts in order of first request.
func (l *ledger) reports() []ServerReport {
	l.mu.Lock()
	defer l.mu.Unlock()
	out := make([]ServerReport, 0, len(l.order))
	for _, a := range l.order {
		a.mu.Lock()
		r := a.report
		r.Requests = make(map[Kind]int, len(a.report.Requests))
		for kind, n := range a.report.Requests {
			r.Requests[kind] = n
		}
		r.RobotsFetched = slices.Clone(r.RobotsFetched)
		a.mu.Unlock()
		out = append(out, r)
	}
	return out
}
