package browser

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/chromedp/cdproto/audits"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/inspector"
	cdplog "github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/performance"
	"github.com/chromedp/cdproto/performancetimeline"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/target"
)

// tab is a page target in a site's context. It loads one page at a time and is reused for the next, unless the page
// crashed, hung or had to be ended by force.
type tab struct {
	site   *site
	target target.ID
	main   *session

	mu       sync.Mutex
	left     chan cdp.LoaderID               // documents that came into the tab
	lingers  *lingering                      // the page before, when it has not been left yet
	load     *load                           // the page being loaded, nil in between
	children map[target.SessionID]*childInfo // frames of other processes, and workers
}

type childInfo struct {
	s     *session
	kind  string // "iframe", "worker"
	frame cdp.FrameID
}

// callTimeout bounds a call that the browser answers at once when all is well.
const callTimeout = 15 * time.Second

// closeTimeout is how long a browser may take to close a tab before it is held to be frozen.
const closeTimeout = 10 * time.Second

func newTab(parent context.Context, s *site) (*tab, error) {
	ctx, cancel := context.WithTimeout(parent, callTimeout)
	defer cancel()
	c := s.chrome
	view := c.id.viewport
	made, err := cdp.Call(ctx, c.conn.browser, target.CreateTarget, target.CreateTargetParams{
		URL: "about:blank", BrowserContextID: s.context, Width: int64(view.Width), Height: int64(view.Height),
	})
	if err != nil {
		if errors.Is(ctx.Err(), context.DeadlineExceeded) && parent.Err() == nil {
			c.lose("opening a tab")
		}
		return nil, err
	}
	t := &tab{site: s, target: made.TargetID, children: map[target.SessionID]*childInfo{}, left: make(chan cdp.LoaderID, 64)}
	c.mu.Lock()
	c.tabs[cdp.FrameID(t.target)] = true
	c.mu.Unlock()
	attached, err := cdp.Call(ctx, c.conn.browser, target.AttachToTarget, target.AttachToTargetParams{TargetID: made.TargetID, Flatten: new(true)})
	if err != nil {
		t.discard()
		return nil, err
	}
	t.main = c.conn.open(attached.SessionID, t.listen)
	if err := t.prepare(ctx); err != nil {
		t.discard()
		return nil, err
	}
	return t, nil
}

// prepare turns on what a load listens to, and gives the tab its identity.
func (t *tab) prepare(ctx context.Context) error {
	c := t.site.chrome
	// Sent one after the other without waiting; the browser answers in order, so the last call stands for all.
	post(t.main, page.Enable, page.EnableParams{})
	post(t.main, network.Enable, network.EnableParams{MaxTotalBufferSize: new(int64(0)), MaxResourceBufferSize: new(int64(0))})
	post(t.main, network.SetBypassServiceWorker, network.SetBypassServiceWorkerParams{Bypass: true})
	post(t.main, inspector.Enable, cdp.Empty{})
	post(t.main, page.SetPrerenderingAllowed, page.SetPrerenderingAllowedParams{IsAllowed: false})
	post(t.main, target.SetAutoAttach, autoAttach)
	post(t.main, emulation.SetFocusEmulationEnabled, emulation.SetFocusEmulationEnabledParams{Enabled: true})
	capture := c.r.Capture
	if !capture.NoConsole {
		post(t.main, runtime.Enable, cdp.Empty{})
		post(t.main, cdplog.Enable, cdp.Empty{})
	}
	if !capture.NoIssues {
		post(t.main, audits.Enable, cdp.Empty{})
	}
	if !capture.NoMetrics {
		post(t.main, performance.Enable, performance.EnableParams{})
		post(t.main, performancetimeline.Enable, performancetimeline.EnableParams{EventTypes: []string{"largest-contentful-paint", "layout-shift"}})
		post(t.main, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: countLongTasks, WorldName: ownWorld})
	}
	c.register(t.main)
	return c.id.apply(ctx, t.main)
}

var autoAttach = target.SetAutoAttachParams{AutoAttach: true, WaitForDebuggerOnStart: true, Flatten: new(true)}

// listen sets the handlers of the tab's own session.
func (t *tab) listen(s *session) {
	t.listenShared(s)
	handle(s, page.DomContentEventFired, func(page.EventDomContentEventFired) { t.with(func(l *load) { l.reached(&l.domReady) }) })
	handle(s, page.LoadEventFired, func(page.EventLoadEventFired) { t.with(func(l *load) { l.reached(&l.loaded) }) })
	handle(s, page.FrameNavigated, func(e page.EventFrameNavigated) {
		if e.Frame.ParentID == "" {
			t.with(func(l *load) { l.committed(e.Frame) })
			select {
			case t.left <- e.Frame.LoaderID:
			default:
			}
		}
	})
	handle(s, page.FrameRequestedNavigation, func(e page.EventFrameRequestedNavigation) {
		if e.FrameID == cdp.FrameID(t.target) {
			t.with(func(l *load) { l.navigationAsked(string(e.Reason), e.URL) })
		}
	})
	handle(s, page.JavascriptDialogOpening, func(e page.EventJavascriptDialogOpening) {
		// A dialog stops the page until it is answered: never yes, except to the question whether to leave it.
		post(s, page.HandleJavaScriptDialog, page.HandleJavaScriptDialogParams{Accept: e.Type == page.DialogTypeBeforeunload})
		t.with(func(l *load) { l.dialog(string(e.Type)) })
	})
	handle(s, inspector.TargetCrashed, func(inspector.EventTargetCrashed) { t.with((*load).crash) })
	handle(s, performancetimeline.TimelineEventAdded, func(e performancetimeline.EventTimelineEventAdded) {
		t.with(func(l *load) { l.timeline(e.Event) })
	})
}

// listenShared sets the handlers that sessions of tabs, frames and workers have in common.
func (t *tab) listenShared(s *session) {
	handle(s, page.FrameAttached, func(e page.EventFrameAttached) {
		t.with(func(l *load) {
			if !l.isStale() {
				t.site.chrome.addFrame(e.FrameID, l)
			}
		})
	})
	handle(s, target.AttachedToTarget, t.attached)
	handle(s, target.DetachedFromTarget, func(e target.EventDetachedFromTarget) {
		t.mu.Lock()
		delete(t.children, e.SessionID)
		t.mu.Unlock()
		t.site.chrome.conn.drop(e.SessionID)
	})
	handle(s, network.RequestWillBeSent, func(e network.EventRequestWillBeSent) { t.with(func(l *load) { l.willSend(e) }) })
	handle(s, network.ResponseReceived, func(e network.EventResponseReceived) { t.with(func(l *load) { l.received(e) }) })
	handle(s, network.ResponseReceivedExtraInfo, func(e network.EventResponseReceivedExtraInfo) {
		t.with(func(l *load) { l.resourceAnswer(e.RequestID, int(e.StatusCode), e.Headers, false) })
	})
	handle(s, network.DataReceived, func(e network.EventDataReceived) { t.with(func(l *load) { l.data(e) }) })
	handle(s, network.RequestServedFromCache, func(e network.EventRequestServedFromCache) {
		t.with(func(l *load) { l.cached(e.RequestID) })
	})
	handle(s, network.LoadingFinished, func(e network.EventLoadingFinished) { t.with(func(l *load) { l.finished(e) }) })
	handle(s, network.LoadingFailed, func(e network.EventLoadingFailed) { t.with(func(l *load) { l.failed(e) }) })
	handle(s, network.WebSocketCreated, func(e network.EventWebSocketCreated) { t.with(func(l *load) { l.webSocket(e.URL) }) })
	handle(s, runtime.ConsoleAPICalled, func(e runtime.EventConsoleAPICalled) { t.with(func(l *load) { l.consoleCall(e) }) })
	handle(s, runtime.ExceptionThrown, func(e runtime.EventExceptionThrown) { t.with(func(l *load) { l.exception(e) }) })
	handle(s, cdplog.EntryAdded, func(e cdplog.EventEntryAdded) { t.with(func(l *load) { l.logEntry(e.Entry) }) })
	handle(s, audits.IssueAdded, func(e audits.EventIssueAdded) { t.with(func(l *load) { l.issue(e.Issue) }) })
}

// with calls f for the page being loaded.
func (t *tab) with(f func(*load)) {
	t.mu.Lock()
	l := t.load
	t.mu.Unlock()
	if l != nil {
		f(l)
	}
}

// attached takes in a frame of another process or a worker, which wait until they have their identity.
func (t *tab) attached(e target.EventAttachedToTarget) {
	c := t.site.chrome
	info := e.TargetInfo
	child := &childInfo{kind: info.Type, frame: cdp.FrameID(info.TargetID)}
	child.s = c.conn.open(e.SessionID, func(s *session) { t.listenShared(s) })
	t.mu.Lock()
	t.children[e.SessionID] = child
	t.mu.Unlock()
	s := child.s
	post(s, network.Enable, network.EnableParams{MaxTotalBufferSize: new(int64(0)), MaxResourceBufferSize: new(int64(0))})
	post(s, emulation.SetUserAgentOverride, c.id.override())
	if info.Type == "iframe" {
		t.with(func(l *load) { c.addFrame(child.frame, l) })
		post(s, page.Enable, page.EnableParams{})
		post(s, network.SetBypassServiceWorker, network.SetBypassServiceWorkerParams{Bypass: true})
		c.register(s)
		if !c.r.Capture.NoIssues {
			post(s, audits.Enable, cdp.Empty{})
		}
	}
	if !c.r.Capture.NoConsole {
		post(s, runtime.Enable, cdp.Empty{})
	}
	post(s, target.SetAutoAttach, autoAttach)
	post(s, runtime.RunIfWaitingForDebugger, cdp.Empty{})
}

// frames returns the sessions of frames that live in processes of their own, in the same order whenever it is asked.
func (t *tab) frames() []*childInfo {
	t.mu.Lock()
	defer t.mu.Unlock()
	var out []*childInfo
	for _, child := range t.children {
		if child.kind == "iframe" {
			out = append(out, child)
		}
	}
	slices.SortFunc(out, func(a, b *childInfo) int { return strings.Compare(string(a.frame), string(b.frame)) })
	return out
}

// finish gives the tab back after a page. A tab that may not be well is thrown away.
func (t *tab) finish(l *load, err error) {
	c := t.site.chrome
	t.mu.Lock()
	t.load = nil
	t.mu.Unlock()
	c.removeFrames(l)
	if c.isLost() {
		t.site.leave(nil)
		return
	}
	if t.site.private || l.spoilt() || err != nil && !errors.Is(err, errPutOff) {
		t.discard()
		t.site.leave(nil)
		return
	}
	if err == nil && l.atRest() && len(t.frames()) == 0 {
		t.linger()
	} else if t.reset() != nil {
		t.discard()
		t.site.leave(nil)
		return
	}
	t.site.leave(t)
}

// reset leaves the page, so that nothing of it runs on, and waits until it has been left: a navigation that is still under
// way would end the next one.
func (t *tab) reset() error {
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Second)
	defer cancel()
	for len(t.left) > 0 {
		<-t.left
	}
	result, err := cdp.Call(ctx, t.main, page.Navigate, page.NavigateParams{URL: "about:blank"})
	if err != nil {
		return err
	}
	if result.ErrorText != "" {
		return errors.New(result.ErrorText)
	}
	for {
		select {
		case id := <-t.left:
			if id == result.LoaderID {
				return nil
			}
		case <-t.main.done:
			return errDetached
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (t *tab) discard() {
	c := t.site.chrome
	ctx, cancel := context.WithTimeout(context.Background(), closeTimeout)
	defer cancel()
	if _, err := cdp.Call(ctx, c.conn.browser, target.CloseTarget, target.CloseTargetParams{TargetID: t.target}); err != nil && ctx.Err() != nil {
		c.lose("closing a tab") // its own process does that, whatever the page's does
	}
	if t.main != nil {
		c.conn.drop(t.main.id)
	}
	t.mu.Lock()
	children := t.children
	t.children = map[target.SessionID]*childInfo{}
	t.mu.Unlock()
	for id := range children {
		c.conn.drop(id)
	}
}
