package browser

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	cdpbrowser "github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/fetch"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/systeminfo"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/remote"

	"github.com/amblecrawl/amble"
)

// chrome is one running browser: its process, its connection and the contexts of the sites in it.
type chrome struct {
	r       *Renderer
	path    string
	sandbox bool
	guarded bool
	process *process // nil when remote
	conn    *conn
	id      identity
	shell   bool

	requests, refused atomic.Int64

	mu       sync.Mutex
	sites    map[string]*site
	frames   map[cdp.FrameID]*load      // whose request it is
	tabs     map[cdp.FrameID]bool       // main frames, with a page being loaded or not
	born     chan struct{}              // closed and replaced when a frame is added
	workers  map[cdp.FrameID]workerInfo // service and shared workers, by target
	users    int
	pages    int
	retiring bool
	past     proxyTotals // of proxies that are closed
	stopped  chan struct{}
	once     sync.Once
	lostOnce sync.Once
	stopErr  error
}

type workerInfo struct {
	kind, url string
	context   cdp.BrowserContextID
}

type proxyTotals struct{ dropped, received, sent int64 }

// startTimeout bounds the start of a browser on a busy machine.
const startTimeout = 30 * time.Second

// minimumMajor is the oldest Chrome whose protocol has what is used here.
const minimumMajor = 130

func startChrome(ctx context.Context, r *Renderer) (*chrome, error) {
	c := &chrome{
		r: r, sites: map[string]*site{}, frames: map[cdp.FrameID]*load{}, tabs: map[cdp.FrameID]bool{}, born: make(chan struct{}), workers: map[cdp.FrameID]workerInfo{},
		guarded: true, sandbox: true, stopped: make(chan struct{}),
	}
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	var transport chromedp.Transport
	var err error
	if r.Endpoint != "" {
		transport, err = c.dial(ctx, r.Endpoint)
	} else {
		transport, err = c.launch(ctx)
	}
	if err != nil {
		return nil, err
	}
	c.conn = newConn(transport)
	c.conn.start(c.listen)
	if err := c.prepare(ctx); err != nil {
		explained := err
		if c.process != nil && !errors.Is(err, context.Canceled) {
			explained = c.process.explain(c.path, err)
		}
		c.stop()
		return nil, explained
	}
	r.log(slog.LevelInfo, "browser started", "version", c.id.product, "path", c.path, "sandbox", c.sandbox, "guarded", c.guarded)
	if !c.sandbox {
		r.log(slog.LevelWarn, "Chrome runs without its sandbox; run as another user than root to have it")
	}
	return c, nil
}

func (c *chrome) launch(ctx context.Context) (chromedp.Transport, error) {
	path := c.r.Path
	if path == "" {
		var err error
		if path, err = Find(); err != nil {
			return nil, err
		}
	} else if found, err := executable(path); err != nil {
		return nil, &NoBrowserError{Tried: []string{"Renderer.Path " + path + ": " + plain(err).Error()}, Hint: "Set Path to a Chrome or Chromium program, or leave it empty to have one found."}
	} else {
		path = found
	}
	c.path, c.shell = path, strings.Contains(path, "shell")
	noSandbox := c.r.NoSandbox || needsNoSandbox()
	c.sandbox = !noSandbox
	process, transport, err := launch(ctx, path, c.r.TempDir, flagOptions{noSandbox: noSandbox, trusted: c.r.TrustCertificates, off: c.r.off})
	c.process = process
	return transport, err
}

// dial connects to a running browser. Only one on this machine can use our proxy.
func (c *chrome) dial(ctx context.Context, endpoint string) (chromedp.Transport, error) {
	if len(c.r.TrustCertificates) > 0 {
		return nil, &amble.Error{Op: "render", Kind: amble.ErrConfig, Reason: "TrustCertificates cannot be told to a browser that runs already: start it with --ignore-certificate-errors-spki-list, or leave Endpoint empty"}
	}
	u, err := url.Parse(endpoint)
	if err != nil {
		return nil, &NoBrowserError{Tried: []string{"Renderer.Endpoint: " + err.Error()}, Hint: "An endpoint looks like ws://127.0.0.1:9222/devtools/browser/… or http://127.0.0.1:9222."}
	}
	c.guarded = u.Hostname() == "localhost" || strings.HasPrefix(u.Hostname(), "127.") || u.Hostname() == "::1"
	ws := endpoint
	if u.Scheme == "http" || u.Scheme == "https" {
		if ws, err = debuggerURL(ctx, u); err != nil {
			return nil, &NoBrowserError{Tried: []string{"Renderer.Endpoint " + u.Redacted() + ": " + err.Error()}, Hint: "Start it with --remote-debugging-port, or give its ws:// address."}
		}
	}
	conn, err := remote.DialContext(ctx, ws)
	if err != nil {
		return nil, &NoBrowserError{Tried: []string{"Renderer.Endpoint " + u.Redacted() + ": " + err.Error()}, Hint: "Start it with --remote-debugging-port, or leave Endpoint empty to have one started here."}
	}
	return conn, nil
}

// unguarded says what cannot be guaranteed, since the browser was started by somebody else.
func (c *chrome) unguarded() (out []string) {
	if c.process != nil {
		return nil
	}
	if !c.guarded {
		out = append(out, "the browser runs elsewhere: its connections do not go through the address guard, their bytes are not counted, and WebSockets and speculative loads are not stopped")
	}
	return append(out, "the browser was not started here: WebRTC, speculative loads over https and its own calls depend on how it was")
}

// prepare sets up the browser's own session: what holds for all its tabs.
func (c *chrome) prepare(ctx context.Context) error {
	if c.process != nil {
		var cancel context.CancelCauseFunc
		ctx, cancel = context.WithCancelCause(ctx)
		defer cancel(nil)
		go func() {
			select {
			case <-c.process.done:
				cancel(fmt.Errorf("it ended at once: %v", c.process.err))
			case <-ctx.Done():
			}
		}()
	}
	version, err := cdp.Call(ctx, c.conn.browser, cdpbrowser.GetVersion, cdp.Empty{})
	if err != nil {
		return err
	}
	c.id = newIdentity(c.r, version.Product, version.UserAgent)
	if c.id.major > 0 && c.id.major < minimumMajor {
		return fmt.Errorf("%s is too old: version %d or later is needed", version.Product, minimumMajor)
	}
	c.shell = c.shell || strings.Contains(version.Product, "Headless")
	if !c.r.off.noIntercept {
		// Answers are held for documents only, where something is decided before they are shown. How files are answered is
		// heard from the network events, at half the cost: nothing is decided about what was sent already.
		all := []*fetch.RequestPattern{
			{URLPattern: "*", RequestStage: fetch.RequestStageRequest},
			{URLPattern: "*", ResourceType: network.ResourceTypeDocument, RequestStage: fetch.RequestStageResponse},
		}
		if _, err := cdp.Call(ctx, c.conn.browser, fetch.Enable, fetch.EnableParams{Patterns: all, HandleAuthRequests: new(true)}); err != nil {
			return err
		}
	}
	if _, err := cdp.Call(ctx, c.conn.browser, target.SetDiscoverTargets, target.SetDiscoverTargetsParams{Discover: true}); err != nil {
		return err
	}
	_, err = cdp.Call(ctx, c.conn.browser, cdpbrowser.SetDownloadBehavior, cdpbrowser.SetDownloadBehaviorParams{Behavior: cdpbrowser.SetDownloadBehaviorBehaviorDeny})
	return err
}

// listen sets the handlers of the browser's own session.
func (c *chrome) listen(s *session) {
	handle(s, fetch.RequestPaused, c.paused)
	handle(s, fetch.AuthRequired, func(e fetch.EventAuthRequired) {
		// A 401 is a result. We never log in anywhere (S10).
		post(s, fetch.ContinueWithAuth, fetch.ContinueWithAuthParams{RequestID: e.RequestID,
			AuthChallengeResponse: &fetch.AuthChallengeResponse{Response: fetch.AuthChallengeResponseResponseCancelAuth}})
	})
	handle(s, target.TargetCreated, c.targetCreated)
	handle(s, target.TargetDestroyed, func(e target.EventTargetDestroyed) {
		c.mu.Lock()
		delete(c.workers, cdp.FrameID(e.TargetID))
		delete(c.tabs, cdp.FrameID(e.TargetID))
		c.mu.Unlock()
	})
	handle(s, target.TargetCrashed, func(e target.EventTargetCrashed) {
		if l := c.loadOf(cdp.FrameID(e.TargetID)); l != nil && l.tab.target == e.TargetID {
			l.crash()
		}
	})
	handle(s, target.DetachedFromTarget, func(e target.EventDetachedFromTarget) { c.conn.drop(e.SessionID) })
}

// targetCreated closes pop-ups and remembers workers that belong to no frame.
func (c *chrome) targetCreated(e target.EventTargetCreated) {
	info := e.TargetInfo
	switch info.Type {
	case "page", "tab":
		if info.OpenerID == "" {
			return
		}
		if l := c.loadOf(cdp.FrameID(info.OpenerID)); l != nil {
			l.problem("pop-up closed")
		}
		if !c.r.off.allowPopups {
			post(c.conn.browser, target.CloseTarget, target.CloseTargetParams{TargetID: info.TargetID})
		}
	case "service_worker", "shared_worker":
		c.mu.Lock()
		if len(c.workers) < 1000 {
			c.workers[cdp.FrameID(info.TargetID)] = workerInfo{info.Type, info.URL, info.BrowserContextID}
		}
		c.mu.Unlock()
	}
}

// loadOf returns the load that a frame belongs to.
func (c *chrome) loadOf(frame cdp.FrameID) *load {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.frames[frame]
}

// addFrame says whose a frame is from now on.
func (c *chrome) addFrame(frame cdp.FrameID, l *load) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.frames[frame] = l
	close(c.born)
	c.born = make(chan struct{})
}

func (c *chrome) removeFrames(l *load) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for frame, owner := range c.frames {
		if owner == l {
			delete(c.frames, frame)
		}
	}
}

// awaitLoad is loadOf for a frame that may be about to be announced: its request and its birth come on two sessions.
func (c *chrome) awaitLoad(frame cdp.FrameID, within time.Duration) *load {
	timer := time.NewTimer(within)
	defer timer.Stop()
	for {
		c.mu.Lock()
		l, born := c.frames[frame], c.born
		c.mu.Unlock()
		if l != nil {
			return l
		}
		select {
		case <-born:
		case <-timer.C:
			return nil
		case <-c.conn.lost:
			return nil
		}
	}
}

func (c *chrome) isLost() bool {
	select {
	case <-c.conn.lost:
		return true
	default:
		return false
	}
}

// hold begins a use.
func (c *chrome) hold() {
	c.mu.Lock()
	c.users++
	c.mu.Unlock()
}

// drop ends a use. The last one of a browser that is being replaced ends it.
func (c *chrome) drop() {
	c.mu.Lock()
	c.users--
	last := c.retiring && c.users == 0
	c.mu.Unlock()
	if last {
		c.r.retire(c)
	}
}

// replace lets the browser end with its last use.
func (c *chrome) replace() {
	c.mu.Lock()
	c.retiring = true
	c.mu.Unlock()
}

// due reports whether the browser has served long enough. Memory is asked for every 20 pages.
func (c *chrome) due() bool {
	pages, limit := or(c.r.RecyclePages, 500), or(c.r.RecycleBytes, 1500<<20)
	c.mu.Lock()
	n := c.pages
	c.mu.Unlock()
	if pages > 0 && n >= pages {
		return true
	}
	return limit > 0 && n%20 == 19 && c.memory() > limit
}

// memory is the resident memory of all processes of the browser, 0 when unknown.
func (c *chrome) memory() int64 {
	if c.process == nil {
		return 0
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	info, err := cdp.Call(ctx, c.conn.browser, systeminfo.GetProcessInfo, cdp.Empty{})
	if err != nil {
		return 0
	}
	sum := int64(0)
	for _, p := range info.ProcessInfo {
		if n, ok := residentBytes(int(p.ID)); ok {
			sum += n
		}
	}
	return sum
}

// lose ends a browser that does not answer any more; who needs one gets another.
func (c *chrome) lose(why string) {
	if c.isLost() {
		return
	}
	c.r.log(slog.LevelWarn, "the browser is ended: it does not answer", "during", why)
	if c.process != nil {
		killGroup(c.process.cmd)
	}
	c.conn.transport.Close()
}

// stop ends everything that belongs to the browser. Later calls wait for the first.
func (c *chrome) stop() error {
	c.once.Do(func() {
		defer close(c.stopped)
		if c.process == nil && c.conn != nil {
			c.disposeAll() // a browser that is not ours goes on
		}
		c.conn.close()
		if c.process != nil {
			c.stopErr = c.process.stop()
		}
		c.mu.Lock()
		sites := c.sites
		c.sites = map[string]*site{}
		c.mu.Unlock()
		for _, s := range sites {
			s.closeProxy()
		}
	})
	<-c.stopped
	return c.stopErr
}

func (c *chrome) disposeAll() {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	c.mu.Lock()
	sites := make([]*site, 0, len(c.sites))
	for _, s := range c.sites {
		sites = append(sites, s)
	}
	c.mu.Unlock()
	for _, s := range sites {
		cdp.Call(ctx, c.conn.browser, target.DisposeBrowserContext, target.DisposeBrowserContextParams{BrowserContextID: s.context})
	}
}

// fill adds what the browser did to a Status.
func (c *chrome) fill(s *Status) {
	s.Path, s.Version, s.Sandbox, s.Guarded, s.Shell = c.path, c.id.product, c.sandbox, c.guarded, c.shell
	s.Unguarded = c.unguarded()
	if c.process != nil && c.process.cmd.Process != nil {
		s.PID = c.process.cmd.Process.Pid
	}
	s.Requests += c.requests.Load()
	s.Refused += c.refused.Load()
	c.mu.Lock()
	defer c.mu.Unlock()
	s.Dropped += c.past.dropped
	s.Received += c.past.received
	s.Sent += c.past.sent
	for _, site := range c.sites {
		if site.proxy != nil && !site.closed {
			stats := site.proxy.Stats()
			s.Dropped += stats.Refused
			s.Received += stats.Received
			s.Sent += stats.Sent
		}
	}
}

// render loads one page in a tab of its site.
func (c *chrome) render(ctx context.Context, req *amble.Request, second bool) (*amble.Response, error) {
	t, err := c.tab(ctx, req.URL)
	if err != nil {
		return nil, err
	}
	l := newLoad(t, req, second)
	resp, err := l.run(ctx)
	t.finish(l, err)
	return resp, err
}
