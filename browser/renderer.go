package browser

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"time"

	"github.com/amblecrawl/amble"
)

// Renderer is a Fetcher that loads pages in Chrome. Agent is required; all other fields are optional and must not be
// changed after the first Fetch. It is safe for concurrent use and must not be copied. Close it when done: until then it
// holds a browser process.
type Renderer struct {
	// Agent says who we are (S1): its name is added to the browser's true user agent. Agent.Language is the page's
	// language list. As Crawler.Renderer its name, version and InfoURL must be those of Crawler.Agent.
	Agent amble.Agent

	// Path is the browser to start; empty: Find chooses one. Endpoint is a running browser to use instead, by its ws:// or
	// http:// address. How such a browser was started is not known; what cannot be guaranteed for that is said in
	// Status.Unguarded and in the Problems of each Snapshot.
	Path     string
	Endpoint string

	// NoSandbox starts Chrome without its sandbox. For root on Linux, for whom Chrome has none, it is implied and said in
	// Status.
	NoSandbox bool

	// TrustCertificates are certificates, of servers or of authorities in the chain that a server sends, whose key Chrome
	// trusts besides those of the system: for staging sites and tests. Any other bad certificate stays an error. It cannot
	// be told to a browser that runs already (Endpoint).
	TrustCertificates []*x509.Certificate

	// TempDir is where profile folders are made. Empty: the system's.
	TempDir string

	// Addresses is the address guard for what pages load. Zero: public addresses on ports 80 and 443.
	Addresses amble.AddressPolicy

	// Mobile shows pages as on an Android phone: user agent, client hints, viewport, touch and pixel ratio agree (S1).
	Mobile bool

	// Viewport is the window. Zero: 1366 by 768, or 412 by 915 at 2.625 when Mobile.
	Viewport amble.Viewport

	// FreshPages gives every page a context of its own: no cookies, storage or cache of the pages before. Costs more on
	// both sides: each page loads all its files again.
	FreshPages bool

	// Tabs is how many pages may be loaded at once. 0: 2.
	Tabs int

	Limits     Limits           // how long and how much; zero: the defaults
	Capture    Capture          // what goes into the Snapshot
	Banners    BannerPolicy     // what is done about cookie banners; zero: nothing is touched
	Screenshot ScreenshotPolicy // zero: none
	Scripts    []Script         // programs that look at each page after all that; nil: none
	Keyboard   KeyboardPolicy   // whether Tab is pressed; zero: nothing is pressed
	Zoom       bool             // show each page again as at 200 % and 400 % (Snapshot.Zoomed)

	// RenderErrors renders also pages answered with 4xx or 5xx. Off, such an answer comes back with its body alone.
	RenderErrors bool

	// Headers, when set, returns headers to add to a request, such as a signature. It is asked for every request that a
	// page makes and must be quick. An error fails the request.
	Headers func(method string, u *url.URL, kind amble.Kind) (http.Header, error)

	// RecyclePages and RecycleBytes say after how many pages, or at what memory of all the browser's processes, it is
	// replaced by a new one. 0: 500 pages, 1.5 GB. amble.Unlimited: never.
	RecyclePages int
	RecycleBytes int64

	// Logger hears of starts, crashes and what is unusual. Nil: silent.
	Logger *slog.Logger

	mu       sync.Mutex
	slots    chan struct{}
	chrome   *chrome              // the one that new pages go to
	live     map[*chrome]struct{} // all that run: those being replaced too
	starting *starting            // a start under way, which all who need it wait for
	starts   sync.WaitGroup
	closed   chan struct{} // closed by Close; made at the first use
	total    counters

	off switches // tests switch controls off one by one
}

// switches names controls that a test switches off, to show that the test would notice.
type switches struct {
	noIntercept, looseProxy, noProxy, allowMethods, allowWebRTC, allowWorkers, allowPopups, allowSpeculation bool

	afterBanner func(*load) // called when the banner was dealt with, before the page is captured
}

// Limits bound a page. Zero fields mean the defaults.
type Limits struct {
	Page     time.Duration // the whole load, waits for the pace not counted in. 0: 25 seconds.
	Settle   time.Duration // the longest wait for a page to come to rest. 0: 15 seconds.
	Quiet    time.Duration // how long the network must rest. 0: 500 milliseconds.
	Requests int           // of one page. 0: 1,000.
	Bytes    int64         // over the wire, of all files of one page. 0: 64 MiB.
	Document int64         // of the document, decoded, when the Request sets no limit. 0: 10 MiB.
	Nodes    int           // elements of a page whose tree is captured. 0: 100,000.
}

func (l Limits) withDefaults() Limits {
	return Limits{
		Page: or(l.Page, 25*time.Second), Settle: or(l.Settle, 15*time.Second), Quiet: or(l.Quiet, 500*time.Millisecond),
		Requests: or(l.Requests, 1000), Bytes: or(l.Bytes, 64<<20), Document: or(l.Document, 10<<20), Nodes: or(l.Nodes, 100_000),
	}
}

func or[T comparable](v, def T) T {
	var zero T
	if v == zero {
		return def
	}
	return v
}

// The errors of this package besides ErrNoBrowser. They are the Err of an *amble.Error.
var (
	// ErrCrashed: the page's process crashed, twice.
	ErrCrashed = errors.New("the page crashed the browser's tab")

	// ErrBrowserLost: the browser ended while the page was loading, twice.
	ErrBrowserLost = errors.New("the browser ended")

	// ErrHung: the page's script never let go, not even when it was terminated.
	ErrHung = errors.New("the page hangs")

	// ErrClosed: the Renderer was used after Close.
	ErrClosed = errors.New("the renderer is closed")
)

// Status tells what browser is in use and what it did.
type Status struct {
	Path    string // empty for a remote one
	Version string // "Chrome/156.0.8078.114"
	PID     int    // 0 when none runs or it is remote
	Sandbox bool   // Chrome's own sandbox is on
	Guarded bool   // every connection goes through our proxy
	Shell   bool   // the headless shell

	// Unguarded says what cannot be guaranteed with a browser that was not started here. Empty with our own.
	Unguarded []string

	Pages    int   // loaded since the first Fetch
	Starts   int   // browsers started
	Lost     int   // browsers that ended by themselves
	Crashes  int   // tabs that crashed
	Requests int64 // that pages made and that were let out
	Refused  int64 // that pages made and that were not
	Dropped  int64 // connections that no page had asked for
	Received int64 // bytes, over the wire
	Sent     int64
}

// counters are the part of Status that outlives a browser.
type counters struct {
	pages, starts, lost, crashes                int
	requests, refused, dropped, received, sent_ int64
}

// Start finds and starts the browser, which Fetch would do otherwise, so that a crawl can end before it begins when there
// is none: the error matches ErrNoBrowser and says what to do.
func (r *Renderer) Start(ctx context.Context) (Status, error) {
	c, err := r.ensure(ctx)
	if err != nil {
		return Status{}, err
	}
	defer c.drop()
	return r.Status(), nil
}

// Status tells what browser is in use. It may be called at any time.
func (r *Renderer) Status() Status {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := Status{
		Pages: r.total.pages, Starts: r.total.starts, Lost: r.total.lost, Crashes: r.total.crashes,
		Requests: r.total.requests, Refused: r.total.refused, Dropped: r.total.dropped, Received: r.total.received, Sent: r.total.sent_,
	}
	for c := range r.live {
		if c != r.chrome {
			c.fill(&s)
		}
	}
	if c := r.chrome; c != nil { // last: it is the one in use
		c.fill(&s)
	} else {
		s.PID = 0
	}
	return s
}

// CheckURL reports whether the address guard lets a URL be asked for. The error matches amble.ErrForbiddenAddr.
func (r *Renderer) CheckURL(u *url.URL) error { return r.Addresses.CheckURL(u) }

// CrawlAgent returns Agent, as amble.AgentFetcher has it: a crawl whose Agent is another does not start.
func (r *Renderer) CrawlAgent() amble.Agent { return r.Agent }

// Close ends the browser and waits until its processes, folders and goroutines are gone. Loads under way fail, and so does
// a start under way. It may be called more than once.
func (r *Renderer) Close() error {
	r.mu.Lock()
	closed := r.closing()
	if !r.isClosed() {
		close(closed)
	}
	r.chrome = nil
	live := slices.Collect(maps.Keys(r.live))
	r.mu.Unlock()
	r.starts.Wait()
	errs := make([]error, len(live))
	var wg sync.WaitGroup
	for i, c := range live {
		wg.Go(func() { errs[i] = r.retire(c) })
	}
	wg.Wait()
	return errors.Join(errs...)
}

// closing is the channel that Close closes. The lock is held.
func (r *Renderer) closing() chan struct{} {
	if r.closed == nil {
		r.closed = make(chan struct{})
	}
	return r.closed
}

// isClosed reports whether Close was called. The lock is held.
func (r *Renderer) isClosed() bool {
	select {
	case <-r.closing():
		return true
	default:
		return false
	}
}

// retire ends a browser and keeps its counts. Later calls for the same one wait for the first.
func (r *Renderer) retire(c *chrome) error {
	err := c.stop()
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, ok := r.live[c]; !ok {
		return err
	}
	delete(r.live, c)
	s := Status{}
	c.fill(&s)
	r.total.requests += s.Requests
	r.total.refused += s.Refused
	r.total.dropped += s.Dropped
	r.total.received += s.Received
	r.total.sent_ += s.Sent
	return err
}

// starting is the start of a browser.
type starting struct {
	done chan struct{} // closed when it has succeeded or failed
	err  error
}

var errRendererClosed = &amble.Error{Op: "render", Kind: amble.ErrClosed, Err: ErrClosed}

// ensure returns the running browser, held for the caller, or starts one. Browsers that are lost or due for recycling are
// replaced; loads under way on one that is due keep it until they are done. The Renderer is not locked while a browser
// starts or ends: both take time.
func (r *Renderer) ensure(ctx context.Context) (*chrome, error) {
	if err := r.Agent.Validate(); err != nil {
		return nil, err
	}
	if err := checkScripts(r.Scripts); err != nil {
		return nil, err
	}
	for {
		r.mu.Lock()
		if r.isClosed() {
			r.mu.Unlock()
			return nil, errRendererClosed
		}
		c := r.chrome
		if c != nil {
			c.hold() // so that nobody ends it while its memory is asked for
		}
		s := r.starting
		if c == nil && s == nil {
			s = &starting{done: make(chan struct{})}
			r.starting = s
			r.starts.Go(func() { r.start(s) })
		}
		r.mu.Unlock()
		if c != nil {
			if !c.isLost() && !c.due() {
				return c, nil
			}
			r.mu.Lock()
			if r.chrome == c {
				r.chrome = nil
			}
			r.mu.Unlock()
			c.replace()
			c.drop()
			continue
		}
		select {
		case <-s.done:
			if s.err != nil {
				return nil, s.err
			}
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// start starts a browser for all who wait. Close ends it.
func (r *Renderer) start(s *starting) {
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	r.mu.Lock()
	closed := r.closing()
	r.mu.Unlock()
	go func() {
		select {
		case <-closed:
			cancel(errRendererClosed)
		case <-ctx.Done():
		}
	}()
	c, err := startChrome(ctx, r)
	r.mu.Lock()
	late := err == nil && r.isClosed()
	switch {
	case late:
		s.err = errRendererClosed
	case err != nil:
		s.err = err
		if r.isClosed() {
			s.err = errRendererClosed
		}
	default:
		r.total.starts++
		if r.live == nil {
			r.live = map[*chrome]struct{}{}
		}
		r.live[c] = struct{}{}
		r.chrome = c
	}
	r.starting = nil
	r.mu.Unlock()
	close(s.done)
	if late {
		c.stop()
	}
}

func (r *Renderer) tabs() int { return or(r.Tabs, 2) }

// acquire waits for one of the Tabs.
func (r *Renderer) acquire(ctx context.Context) (release func(), err error) {
	r.mu.Lock()
	if r.slots == nil {
		r.slots = make(chan struct{}, r.tabs())
	}
	slots := r.slots
	r.mu.Unlock()
	select {
	case slots <- struct{}{}:
		return func() { <-slots }, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// Fetch loads a page, as amble.Fetcher has it: one answer, redirects not followed. On success the Response has a Snapshot;
// it has none when the answer is not a page (a redirect, an error status, another media type) or stands in a page's way
// (a challenge, S11), which is decided on the first answer, before any of its script runs.
//
// A page whose tab crashes, during which the browser ends, or whose files the server puts off ("not now", S17), is loaded
// once more, after passing the Gate again.
func (r *Renderer) Fetch(ctx context.Context, req *amble.Request) (*amble.Response, error) {
	if req.URL == nil || req.URL.Scheme != "http" && req.URL.Scheme != "https" || req.URL.Host == "" {
		return nil, &amble.Error{Op: "render", Kind: amble.ErrBadURL, Reason: "a page's URL is absolute, http or https"}
	}
	if req.Method != "" && req.Method != http.MethodGet {
		return nil, &amble.Error{Op: "render", URL: req.URL.Redacted(), Kind: amble.ErrConfig, Reason: "a browser loads pages with GET, not " + req.Method}
	}
	if err := r.CheckURL(req.URL); err != nil {
		return nil, err
	}
	release, err := r.acquire(ctx)
	if err != nil {
		return nil, failure(req, amble.ErrUnreachable, "waiting for a tab", err)
	}
	defer release()
	resp, err := r.fetchOnce(ctx, req, false)
	if err == nil || ctx.Err() != nil || !errors.Is(err, ErrCrashed) && !errors.Is(err, ErrBrowserLost) && !errors.Is(err, errPutOff) {
		return resp, err
	}
	r.log(slog.LevelInfo, "loading a page once more", "url", req.URL.Redacted(), "because", err)
	if req.Gate == nil {
		return r.fetchOnce(ctx, req, true)
	}
	done, gateErr := req.Gate.Pass(ctx, req.URL, req.Kind)
	if gateErr != nil {
		return nil, failure(req, nil, "loading it once more", gateErr)
	}
	resp, err = r.fetchOnce(ctx, req, true)
	done(feedbackOf(resp, err))
	return resp, err
}

func (r *Renderer) fetchOnce(ctx context.Context, req *amble.Request, second bool) (*amble.Response, error) {
	c, err := r.ensure(ctx)
	if err != nil {
		return nil, err
	}
	defer c.drop()
	r.note(func(t *counters) { t.pages++ })
	resp, err := c.render(ctx, req, second)
	if err == nil {
		return resp, nil
	}
	if ctx.Err() == nil {
		switch {
		case c.isLost():
			err = fmt.Errorf("%w: %w", ErrBrowserLost, err)
			c.lostOnce.Do(func() { r.note(func(t *counters) { t.lost++ }) }) // of several pages at once
		case errors.Is(err, ErrCrashed):
			r.note(func(t *counters) { t.crashes++ })
		}
	}
	var known *amble.Error
	if !errors.As(err, &known) {
		err = failure(req, amble.ErrUnreachable, "", err)
	}
	return nil, err
}

func (r *Renderer) note(f func(*counters)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	f(&r.total)
}

func (r *Renderer) log(level slog.Level, msg string, args ...any) {
	if r.Logger != nil {
		r.Logger.Log(context.Background(), level, msg, args...)
	}
}

func failure(req *amble.Request, kind error, reason string, err error) error {
	return &amble.Error{Op: "render", URL: req.URL.Redacted(), Kind: kind, Reason: reason, Err: err}
}

func feedbackOf(resp *amble.Response, err error) amble.Feedback {
	if resp == nil {
		return amble.Feedback{Err: err}
	}
	return amble.Feedback{Status: resp.Status, Header: resp.Header, Latency: resp.Timing.FirstByte, Addr: resp.Addr.Addr()}
}
