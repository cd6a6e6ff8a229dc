package amble

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/amblecrawl/amble/internal/trap"
	"github.com/amblecrawl/amble/internal/urlkey"
)

// run is one crawl under way.
//
// Workers take tasks from the scheduler, visit, and hand each finished page to the caller's loop. Only when the loop has
// come back for the next page is the page committed as done, together with its links: a process that dies repeats the
// pages that were under way, and loses none.
type run struct {
	c         *Crawler
	budget    Budget
	scope     *scope
	gate      *gate
	store     Store
	history   Historian // nil: the Store remembers nothing
	sched     *scheduler
	ledger    *ledger
	traps     *trap.Detector
	log       *slog.Logger
	analysis  *analysis
	quotas    *quotas
	links     *linkTable // nil: links are not checked
	lastmod   lastmodTrust
	dry       bool // Plan: decide, but fetch no page
	started   time.Time
	fetching  context.Context // ends with the caller's context or the time budget
	cancel    context.CancelFunc
	left      chan struct{} // closed when the caller has left its loop
	out       chan delivery
	ownsStore bool
	leaveNet  func() // closes what the run's own Fetcher keeps open; nil when the Fetcher is the caller's
	endUse    func() // ends the run's use of the caller's Store; nil when the Store does not ask for it
	resumed   bool
	origins   []Origin // of the seeds

	lists sync.Pool // of *[]Item

	pages, urls, bytes atomic.Int64
	sitemapEntries     atomic.Int64
	dropped            atomic.Int64 // links not even noted, since Budget.URLs was reached

	mu       sync.Mutex
	summary  *Summary
	failure  error
	broken   bool            // the caller broke out of its loop
	twins    []Origin        // of the seeds, found so far
	sitemaps map[string]bool // sitemap files asked for

	robotsShown map[Origin]bool // servers whose robots.txt the Analyzers have seen
}

// delivery is a page on its way to the caller; ack is closed when the caller is done with it.
type delivery struct {
	page *Page
	ack  chan struct{}
}

// schedulerWindow is how many waiting URLs are held in memory besides the Store.
const schedulerWindow = 1024

func newRun(ctx context.Context, c *Crawler, seeds []string, dry bool) (_ *run, err error) {
	if err := c.validate(); err != nil {
		return nil, err
	}
	r := &run{c: c, dry: dry, budget: c.Budget.withDefaults(), ledger: newLedger(), started: time.Now(),
		left: make(chan struct{}), out: make(chan delivery), log: quiet(c.Logger), sitemaps: make(map[string]bool),
		robotsShown: make(map[Origin]bool)}
	keys := make([]urlkey.URL, 0, len(seeds))
	for _, seed := range seeds {
		if u, err := urlkey.Parse(seed); err == nil && u.Kind() == urlkey.KindHTTP {
			keys = append(keys, u)
		}
	}
	defer func() {
		if err != nil {
			r.release()
		}
	}()
	if r.scope, err = c.Scope.compile(keys); err != nil {
		return nil, err
	}
	for _, key := range keys {
		if o := Origin(key.Origin()); !slices.Contains(r.origins, o) {
			r.origins = append(r.origins, o)
		}
	}
	r.traps = c.Traps.detector()
	if !dry {
		r.links = newLinkTable(c.Links)
	}
	r.analysis = newAnalysis(c.Analyzers, r.log)
	r.gate, r.leaveNet = c.newGate(r.scope, r.ledger, r.budget.PageTime)
	r.gate.bytes = &r.bytes
	if r.store = c.Store; r.store == nil || dry {
		r.store, r.ownsStore = NewMemoryStore(), true
	}
	if s, ok := r.store.(singleUse); ok {
		if err := s.beginUse(); err != nil {
			return nil, err
		}
		r.endUse = s.endUse
	}
	if r.history, _ = r.store.(Historian); r.history != nil {
		if r.resumed, err = r.history.StartRun(ctx); err != nil {
			return nil, &Error{Op: "store", Kind: ErrStore, Err: err}
		}
	}
	r.quotas = newQuotas(c.Quota, r.history)
	if !r.resumed {
		if len(seeds) == 0 {
			err = &Error{Op: "crawl", Kind: ErrConfig, Reason: "no seeds; name at least one URL to start from"}
		} else {
			err = r.quotas.begin(ctx, keys)
		}
		if err != nil {
			if r.history != nil { // or the next attempt would go on with this run, however early
				err = errors.Join(err, r.history.EndRun(ctx))
			}
			return nil, err
		}
	}
	if err := r.rememberServers(ctx); err != nil {
		return nil, err
	}
	r.sched = newScheduler(r.gate.forecast, schedulerWindow, r.lease)
	r.summary = &Summary{Started: r.started, Outcomes: make(map[Outcome]int), Statuses: make(map[int]int),
		Requests: make(map[Kind]int), Changes: make(map[Change]int), Findings: make(map[string]int)}
	return r, r.seed(ctx, seeds)
}

// seed pushes the seeds, and the sitemaps of their servers.
func (r *run) seed(ctx context.Context, seeds []string) error {
	items := make([]Item, 0, len(seeds))
	for _, seed := range seeds {
		item := Item{URL: canonical(seed), Source: SourceSeed}
		if u, err := urlkey.Parse(seed); err == nil && u.Kind() == urlkey.KindHTTP {
			item.Origin = Origin(u.Origin())
		}
		items = append(items, item)
	}
	if r.c.Discover&DiscoverOnlySitemaps != 0 { // the seeds only name servers, but those that do not are told
		items = slices.DeleteFunc(items, func(item Item) bool { return item.Origin != "" })
	}
	if len(items) > 0 {
		fresh, err := r.store.Commit(ctx, Step{Push: items})
		if err != nil {
			return &Error{Op: "store", Kind: ErrStore, Err: err}
		}
		r.count(fresh)
	}
	if r.c.Discover&(DiscoverSitemaps|DiscoverOnlySitemaps) == 0 {
		return nil
	}
	for _, origin := range r.origins {
		r.sched.push(task{sitemap: true, item: Item{Origin: origin}}) // without a URL: find them first
	}
	return nil
}

// canonical returns the URL's identity, or the text as it is when it is no URL: then it ends as such.
func canonical(raw string) string {
	if u, err := urlkey.Parse(raw); err == nil {
		return u.String()
	}
	return raw
}

// originOfKey cuts the origin out of a canonical URL; empty when it is none that can be visited. It runs for every link.
func originOfKey(key string) Origin {
	scheme, rest, ok := strings.Cut(key, "://")
	if !ok || scheme != "http" && scheme != "https" {
		return ""
	}
	end := strings.IndexAny(rest, "/?#")
	if end < 0 || strings.IndexByte(rest[:end], '@') >= 0 { // not canonical, or with credentials
		if u, err := urlkey.Parse(key); err == nil && u.Kind() == urlkey.KindHTTP {
			return Origin(u.Origin())
		}
		return ""
	}
	return Origin(key[:len(scheme)+len("://")+end])
}

// lease asks the Store for items, without those of servers that skip names where the Store can tell them apart.
func (r *run) lease(ctx context.Context, n int, skip func(Origin) bool) ([]Item, error) {
	if s, ok := r.store.(ServerLeaser); ok {
		return s.LeaseExcept(ctx, n, skip)
	}
	return r.store.Lease(ctx, n)
}

// start lets the workers go. When all have ended, out is closed.
func (r *run) start(ctx context.Context) {
	if r.budget.Time > 0 {
		r.fetching, r.cancel = context.WithDeadlineCause(ctx, r.started.Add(r.budget.Time),
			&Error{Op: "budget", Kind: ErrBudget, Reason: fmt.Sprintf("the run's %v are over", r.budget.Time)})
	} else {
		r.fetching, r.cancel = context.WithCancel(ctx)
	}
	unhook := context.AfterFunc(r.fetching, r.sched.wake)
	var workers errgroup.Group
	for range defaulted(r.c.Workers, 8) {
		workers.Go(func() error {
			err := r.work()
			if err != nil {
				r.cancel()
			}
			return err
		})
	}
	go func() {
		defer close(r.out)
		if err := workers.Wait(); err != nil {
			r.fail(err)
		}
		unhook()
		r.finish(ctx)
	}()
}

// fail ends the crawl with its own error.
func (r *run) fail(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.failure == nil {
		r.failure = err
	}
	r.cancel()
}

func (r *run) addFindings(f Finding) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if f.Result == Failed {
		r.summary.Findings[f.Rule]++
	}
	r.summary.SiteFindings = append(r.summary.SiteFindings, f)
}

// pageOut takes one page out of the run: it sums up, yields, and tells the worker that the caller is done.
func (r *run) pageOut(ctx context.Context, d delivery, yield func(*Page) bool) bool {
	p := d.page
	r.mu.Lock()
	r.summary.Outcomes[p.Outcome]++
	if p.Change != ChangeUnknown {
		r.summary.Changes[p.Change]++
	}
	if p.Status > 0 {
		r.summary.Statuses[p.Status]++
	}
	for _, f := range p.Findings {
		if f.Result == Failed {
			r.summary.Findings[f.Rule]++
		}
	}
	r.mu.Unlock()
	r.gate.observe(ctx, Event{Kind: EventPage, Time: time.Now(), URL: p.URL, Status: p.Status, Page: p, Reason: p.Reason, Err: p.Err})
	ok := yield(p)
	close(d.ack)
	return ok
}

// each runs the crawl and yields its pages. It returns the crawl's own error.
func (r *run) each(ctx context.Context, yield func(*Page) bool) error {
	r.start(ctx)
	leave := sync.OnceFunc(func() { close(r.left); r.cancel() })
	defer func() {
		leave()
		for range r.out { // until every worker has ended
		}
		r.release()
	}()
	for d := range r.out {
		if !r.pageOut(ctx, d, yield) {
			r.broken = true
			return nil
		}
	}
	if r.failure != nil {
		return r.failure
	}
	if r.sched.err != nil {
		return r.sched.err
	}
	if err := context.Cause(ctx); err != nil {
		return err
	}
	return nil
}

// release gives back what the run holds of others.
func (r *run) release() {
	if r.leaveNet != nil {
		r.leaveNet()
	}
	if r.endUse != nil {
		r.endUse()
	}
	if r.ownsStore {
		_ = r.store.Close()
	}
}

func (r *run) parse(raw string) (urlkey.URL, *url.URL, error) {
	key, err := urlkey.Parse(raw)
	if err != nil || key.Kind() != urlkey.KindHTTP {
		if with := withScheme(raw); with != "" {
			return key, nil, &Error{Op: "url", URL: raw, Kind: ErrBadURL, Reason: "the scheme is missing: write " + with}
		}
		return key, nil, &Error{Op: "url", URL: raw, Kind: ErrBadURL, Err: err, Reason: "only http and https URLs are visited"}
	}
	return key, key.URL(), nil
}

// withScheme returns the URL that a text such as "example.com/a" stands for, or nothing when it is no such text.
func withScheme(raw string) string {
	if strings.Contains(raw, "://") {
		return ""
	}
	u, err := urlkey.Parse("https://" + raw)
	if err != nil || u.Kind() != urlkey.KindHTTP {
		return ""
	}
	if at := u.URL(); at.User != nil || !strings.Contains(at.Hostname(), ".") && at.Hostname() != "localhost" {
		return ""
	}
	return u.String()
}
