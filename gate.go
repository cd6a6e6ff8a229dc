package amble

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"sync/atomic"
	"time"
)

// gate is the crawl's one way out. Every request passes scope, robots.txt, address guard and limiter here, in this
// order, and nowhere else.
type gate struct {
	agent     Agent
	scope     *scope
	robots    RobotsPolicy
	limiter   Limiter
	forecast  Forecaster // the limiter, when it can tell; or nil
	fetcher   Fetcher
	guard     URLGuard // nil when the Fetcher has none
	resources ResourcePolicy
	ledger    *ledger
	observer  Observer
	off       *Switch // nil: nothing is ever switched off
	signer    Signer  // nil: requests are not signed
	headers   [kindCount]http.Header
	bytes     *atomic.Int64 // counts the decoded bytes of all bodies; may be nil
	timeout   time.Duration // of one exchange, without the wait for its turn; none when not positive
	tooLate   string        // says so
}

// URLGuard may be implemented by a Fetcher that refuses some hosts, ports or addresses: the crawl asks it before a
// request is paced, so that what is refused takes no turn. The Fetcher must refuse it all the same.
type URLGuard interface {
	// CheckURL returns an error that matches ErrForbiddenAddr when the URL may not be asked for.
	CheckURL(u *url.URL) error
}

// ticket is a request that has passed the gate.
type ticket struct {
	verdict *Verdict
	done    func(Feedback, int64) Advice
}

// errNotYet says that the server's turn is still to come: the worker has better things to do than to wait.
var errNotYet = errors.New("not yet")

// pass brings one request through the four gates. started, when set, is called once the request may be sent; pass then
// returns errNotYet rather than wait for long, if the Limiter can tell. The verdict is set as soon as robots.txt was
// asked, also with an error.
func (g *gate) pass(ctx context.Context, u *url.URL, kind Kind, attempt int, started func()) (t ticket, err error) {
	origin := OriginOf(u)
	if err := g.scope.check(u, kind); err != nil {
		return t, err
	}
	account := g.ledger.account(origin)
	if kind != KindPage && account.isGivenUp() { // a page's own task says it with its outcome
		return t, &Error{Op: "limit", URL: u.String(), Kind: ErrSiteGivenUp}
	}
	delay := time.Duration(0)
	if g.asksRobots(kind) { // not of a site that was given up: others may share what the RobotsPolicy would make of that
		v, err := g.robots.Check(ctx, u, g.via())
		if err != nil {
			return t, err
		}
		t.verdict = &v
		if account.robots(&v) {
			g.observe(ctx, Event{Kind: EventRobots, Time: time.Now(), URL: v.Robots, For: KindRobots, Reason: v.State.String(), Err: v.Err})
		}
		if !v.Allowed {
			if own := forbiddenServer(origin, &v); own != nil {
				return t, own
			}
			return t, disallowed(u, &v)
		}
		delay = v.Delay
	}
	if g.guard != nil {
		if err := g.guard.CheckURL(u); err != nil {
			return t, err
		}
	}
	asked := time.Now()
	ask := Ask{Origin: origin, Kind: kind, CrawlDelay: delay, Attempt: attempt}
	if started != nil && g.forecast != nil {
		if at, full := g.forecast.Next(ask); full || at.Sub(asked) > shortWait {
			return t, errNotYet
		}
	}
	release, err := g.limiter.Acquire(ctx, ask)
	if err != nil {
		return t, err
	}
	now := time.Now()
	if started != nil {
		started()
	}
	account.sent(kind, now)
	if g.observer != nil { // or the URL would be written for nobody
		g.observe(ctx, Event{Kind: EventRequest, Time: now, URL: u.String(), For: kind, Wait: now.Sub(asked)})
	}
	t.done = func(f Feedback, bytes int64) Advice {
		advice := release(f)
		if f.Unsent {
			account.unsent(kind)
			return advice
		}
		account.heard(f, advice, bytes)
		if g.observer == nil {
			return advice
		}
		g.observe(ctx, Event{Kind: EventResponse, Time: time.Now(), URL: u.String(), For: kind, Status: f.Status,
			Bytes: bytes, Elapsed: time.Since(now), Err: f.Err})
		if advice.Wait > 0 {
			g.observe(ctx, Event{Kind: EventThrottle, Time: time.Now(), URL: u.String(), For: kind, Status: f.Status,
				Wait: advice.Wait, Reason: advice.Reason})
		}
		return advice
	}
	return t, nil
}

// shortWait is what a worker waits for a server's turn rather than look for other work.
const shortWait = 5 * time.Millisecond

// Pass implements Gate, for Fetchers that load whole pages.
func (g *gate) Pass(ctx context.Context, u *url.URL, kind Kind) (func(Feedback) Advice, error) {
	ctx, leave := g.off.watch(ctx, u.Hostname())
	defer leave()
	t, err := g.pass(ctx, u, kind, 1, nil)
	if err != nil {
		return nil, switchedOff(ctx, err)
	}
	return func(f Feedback) Advice { return t.done(f, 0) }, nil
}

// Watch implements GateWatcher.
func (g *gate) Watch(ctx context.Context, u *url.URL) (_ context.Context, leave func()) {
	return g.off.watch(ctx, u.Hostname())
}

// Sign implements GateSigner.
func (g *gate) Sign(method string, u *url.URL, h http.Header) error {
	if g.signer == nil {
		return nil
	}
	return g.signer.Sign(method, u, h)
}

// switchedOff returns the Switch's reason when that ended the context, else err.
func switchedOff(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); errors.Is(cause, ErrSwitchedOff) {
		return cause
	}
	return err
}

func (g *gate) asksRobots(kind Kind) bool {
	switch kind {
	case KindRobots:
		return false // the file itself is always allowed (RFC 9309 section 2.2.2)
	case KindResource:
		return !g.resources.IgnoreRobots
	}
	return true
}

// exchange is one request that went out, and what came of it.
type exchange struct {
	resp    *Response
	err     error
	verdict *Verdict
	advice  Advice
	sent    time.Time // zero: it never left
}

// send makes one exchange through the gate.
func (g *gate) send(ctx context.Context, f Fetcher, req *Request, attempt int, started func()) (x exchange) {
	ctx, leave := g.off.watch(ctx, req.URL.Hostname())
	defer leave()
	t, err := g.pass(ctx, req.URL, req.Kind, attempt, started)
	x.verdict = t.verdict
	if err != nil {
		x.err = switchedOff(ctx, err)
		return x
	}
	if req.Header == nil {
		req.Header = g.headers[req.Kind]
	}
	if g.signer != nil { // each hop and retry anew: a signature is for one URL and a minute
		req.Header = req.Header.Clone()
		if x.err = g.signer.Sign(req.Method, req.URL, req.Header); x.err != nil {
			t.done(Feedback{Err: x.err, Unsent: true}, 0)
			return x
		}
	}
	page := &pageGate{gate: g, kind: req.Kind, done: t.done}
	x.sent = time.Now()
	x.resp, x.err = g.fetch(ctx, f, req, page)
	if err := switchedOff(ctx, nil); err != nil {
		x.resp.Release()
		x.resp, x.err = nil, err
	}
	feedback := Feedback{Err: x.err}
	var bytes int64
	if r := x.resp; r != nil {
		feedback.Status, feedback.Header, feedback.Latency, feedback.Addr = r.Status, r.Header, r.Timing.FirstByte, r.Addr.Addr()
		bytes = int64(len(r.Body))
		if r.Snapshot != nil {
			g.countFiles(r.Snapshot)
		}
		if g.bytes != nil {
			g.bytes.Add(bytes)
		}
	} else if x.err == nil {
		x.err = &Error{Op: "fetch", URL: req.URL.String(), Kind: ErrProtocol, Reason: "the Fetcher returned neither answer nor error"}
	}
	feedback.Unsent = errors.Is(x.err, ErrForbiddenAddr)
	x.advice = page.end(feedback, bytes)
	var broken *FetchError
	if attempt <= 1 && errors.As(x.err, &broken) && broken.Stale {
		x.advice = Advice{Retry: true, Reason: "the server had closed the kept connection"}
	}
	return x
}

// countFiles adds the bodies of a rendered page's files to the counters, each to its server. Requests[0] is the document.
func (g *gate) countFiles(s *Snapshot) {
	for i, x := range s.Requests {
		u, err := url.Parse(x.URL)
		if i == 0 || x.FromCache || x.Decoded == 0 || err != nil || u.Host == "" {
			continue
		}
		if a := g.ledger.look(OriginOf(u)); a != nil {
			a.received(x.Decoded)
		}
		if g.bytes != nil {
			g.bytes.Add(x.Decoded)
		}
	}
}

// fetch makes the exchange within its time. A Fetcher of whole pages has that time without its waits at the gate; one that
// asks for nothing more needs no stopwatch.
func (g *gate) fetch(ctx context.Context, f Fetcher, req *Request, page *pageGate) (*Response, error) {
	req.Gate = page
	if g.timeout <= 0 {
		return f.Fetch(ctx, req)
	}
	late := &Error{Op: "fetch", URL: req.URL.String(), Kind: ErrUnreachable, Reason: g.tooLate,
		Err: context.DeadlineExceeded}
	if _, ok := f.(*HTTPFetcher); ok {
		ctx, cancel := context.WithTimeoutCause(ctx, g.timeout, late)
		defer cancel()
		return f.Fetch(ctx, req)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	page.clock = startStopwatch(g.timeout, func() { cancel(late) })
	defer page.clock.stop()
	return f.Fetch(ctx, req)
}

// sendPatiently is send, once more when the server says "not now" and the Limiter advises it, or when a kept connection
// was dead. robots.txt and sitemaps
// go this way; pages are put back into the queue instead, so that no worker waits for them.
func (g *gate) sendPatiently(ctx context.Context, req *Request, started func()) (*Response, error) {
	for attempt := 1; ; attempt++ {
		x := g.send(ctx, g.fetcher, req, attempt, started)
		if !x.advice.Retry || ctx.Err() != nil {
			return x.resp, x.err
		}
		x.resp.Release()
		started = nil
	}
}

// via is the way out that a RobotsPolicy gets.
func (g *gate) via() Fetcher { return robotsVia{g} }

type robotsVia struct{ g *gate }

func (v robotsVia) Fetch(ctx context.Context, req *Request) (*Response, error) {
	own := *req
	own.Kind = KindRobots
	return v.g.sendPatiently(ctx, &own, nil)
}

func (g *gate) observe(ctx context.Context, e Event) {
	if g.observer != nil {
		g.observer.Observe(ctx, e)
	}
}

// makeHeaders prepares what every request of a kind carries (S2).
func (g *gate) makeHeaders() {
	accept := map[Kind]string{
		KindPage:    "text/html,application/xhtml+xml;q=0.9,*/*;q=0.1",
		KindRobots:  "text/plain,*/*;q=0.1",
		KindSitemap: "application/xml,text/xml,text/plain;q=0.9,application/rss+xml;q=0.8,application/atom+xml;q=0.8,*/*;q=0.1",
	}
	for kind := range kindCount {
		h := http.Header{"User-Agent": {g.agent.Plain()}, "Accept": {"*/*"}}
		if v, ok := accept[kind]; ok {
			h.Set("Accept", v)
		}
		if g.agent.Contact != "" {
			h.Set("From", g.agent.Contact)
		}
		if g.agent.Language != "" {
			h.Set("Accept-Language", g.agent.Language)
		}
		g.headers[kind] = h
	}
}

// forbiddenServer returns the address guard's error when it refused robots.txt on the page's own server: then the page
// is forbidden, whatever robots.txt would say. A redirect of robots.txt to a forbidden place is another matter.
func forbiddenServer(o Origin, v *Verdict) error {
	var e *Error
	if v.State != RobotsRefused || !errors.Is(v.Err, ErrForbiddenAddr) || !errors.As(v.Err, &e) {
		return nil
	}
	if at, err := url.Parse(e.URL); err != nil || OriginOf(at) != o {
		return nil
	}
	return e.Err
}

func disallowed(u *url.URL, v *Verdict) error {
	e := &Error{Op: "robots", URL: u.String(), Kind: ErrDisallowed, Err: v.Err, Reason: v.Why()}
	if v.State == RobotsUnreachable || v.State == RobotsRefused {
		e.Err = &Error{Op: "robots.txt", Kind: ErrRobotsUnreachable, Err: v.Err}
	}
	return e
}
