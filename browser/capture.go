package browser

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/domsnapshot"
	"github.com/chromedp/cdproto/performance"

	"github.com/amblecrawl/amble"
)

// Capture says what goes into a Snapshot. The zero Capture takes everything but the accessibility tree, which is dear.
type Capture struct {
	// Styles are the computed CSS properties that Node.Styles holds. Nil: DefaultStyles.
	Styles []string

	// Accessibility takes Chrome's accessibility tree too (Snapshot.AX).
	Accessibility bool

	// Listeners takes the list of who waits for events (Snapshot.Listeners).
	Listeners bool

	NoTree    bool // leave out Snapshot.Nodes and Frames, and what stands on them: style sheets, listeners, keyboard
	NoHTML    bool // leave out Snapshot.HTML
	NoConsole bool // leave out console messages and exceptions
	NoIssues  bool // leave out what the browser reports by itself
	NoMetrics bool // leave out metrics
}

// DefaultStyles are the computed properties that visibility, contrast, size and order of a page are judged by.
var DefaultStyles = []string{
	"display", "visibility", "opacity", "position", "overflow-x", "overflow-y", "clip", "clip-path", "z-index", "color", "background-color",
	"background-image", "font-size", "font-weight", "font-family", "line-height", "letter-spacing", "word-spacing", "text-align",
	"text-decoration-line", "text-indent", "text-shadow", "text-transform", "white-space", "cursor", "pointer-events", "content", "float", "order", "direction",
	"writing-mode", "list-style-type", "user-select", "outline-style", "filter", "mix-blend-mode", "content-visibility", "transform",
}

// captureTimeout bounds each part of a capture, captureGrace is what each has at least; a part that fails leaves a problem, not an error.
const (
	captureTimeout = 20 * time.Second
	captureGrace   = 3 * time.Second // also of a page whose time is over
)

// countLongTasks counts the tasks that took longer than 50 ms (W3C Long Tasks), from the beginning of a document on: nobody
// else keeps them.
const countLongTasks = `globalThis.ambleTasks = {LongTasks: 0, LongTime: 0};
try {
	new PerformanceObserver(list => {
		for (const e of list.getEntries()) { ambleTasks.LongTasks++; ambleTasks.LongTime += Math.max(0, e.duration - 50); }
	}).observe({type: 'longtask'});
} catch {}`

func (l *load) capture(settled amble.Settled) (*amble.Snapshot, error) {
	r := l.chrome.r
	snap := &amble.Snapshot{Viewport: l.chrome.id.viewport, Browser: l.chrome.id.product, Settled: settled}
	for _, text := range l.chrome.unguarded() {
		l.problem("%s", text)
	}
	var facts struct {
		URL       string
		Nodes     int
		FirstByte float64
		Ready     float64
		Load      float64
		Origin    float64
		LongTasks int
		LongTime  float64
	}
	const script = `(() => {
		const n = performance.getEntriesByType('navigation')[0] || {};
		return {URL: location.href, Nodes: document.getElementsByTagName('*').length, FirstByte: n.responseStart || 0,
			Ready: n.domContentLoadedEventEnd || 0, Load: n.loadEventEnd || 0, Origin: performance.timeOrigin, ...globalThis.ambleTasks};
	})()`
	ask := func() error {
		ctx, cancel := context.WithTimeout(l.ctx, l.signOfLife())
		defer cancel()
		return l.evaluate(ctx, script, &facts)
	}
	if err := ask(); err != nil {
		if dead := l.lastWords(); dead != nil {
			return nil, dead
		}
		// The script that hangs may have been ended just now: once more.
		l.letGo()
		if err := ask(); err != nil {
			return nil, errors.Join(ErrHung, err)
		}
		snap.Settled.Reason = SettledHang
	}
	snap.URL = or(facts.URL, l.req.URL.String())
	l.banners(snap, r.Banners)
	if r.off.afterBanner != nil {
		r.off.afterBanner(l)
	}
	if facts.Nodes > l.limits.Nodes {
		l.problem("%d elements are over the limit of %d: no tree was taken", facts.Nodes, l.limits.Nodes)
	} else {
		if !r.Capture.NoTree {
			l.try("the tree", func(ctx context.Context) error { return l.captureTree(ctx, snap) })
		}
		if !r.Capture.NoHTML {
			l.try("the HTML", func(ctx context.Context) error { return l.evaluate(ctx, serialise, &snap.HTML) })
		}
	}
	if !r.Capture.NoMetrics {
		l.try("the metrics", func(ctx context.Context) error { return l.captureMetrics(ctx, &snap.Metrics) })
		snap.Metrics.FirstByte, snap.Metrics.DOMReady, snap.Metrics.Load = millis(facts.FirstByte), millis(facts.Ready), millis(facts.Load)
		snap.Metrics.LongTasks, snap.Metrics.LongTaskTime = facts.LongTasks, millis(facts.LongTime)
	}
	snap.Metrics.Nodes = facts.Nodes
	l.screenshot(snap, r.Screenshot)
	if l.tree != nil {
		l.try("the style sheets", func(ctx context.Context) error { return l.captureSheets(ctx, snap) })
		if r.Capture.Listeners {
			l.try("the listeners", func(ctx context.Context) error { return l.captureListeners(ctx, snap) })
		}
	}
	l.scripts(snap)
	if l.tree != nil {
		if r.Zoom {
			l.try("the zoomed page", func(ctx context.Context) error { return l.zoom(ctx, snap) })
		}
		l.keyboard(snap, r.Keyboard) // last: it changes the page
	}
	if err := l.lastWords(); err != nil {
		return nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if !r.Capture.NoMetrics {
		snap.Metrics.CLS, snap.Metrics.LCPURL = l.metrics.CLS, l.metrics.LCPURL
		if l.lcpAt > 0 && facts.Origin > 0 {
			snap.Metrics.LCP = max(0, seconds(l.lcpAt-facts.Origin/1000))
		}
	}
	snap.Requests, snap.Console, snap.Issues = l.exchanges(), l.console, l.issues
	snap.Problems = l.problems
	if l.navigate > 0 {
		snap.Problems = append(snap.Problems, fmt.Sprintf("%d navigations after a click refused", l.navigate))
	}
	for _, f := range l.order {
		if f.kind == "Document" && f.details != nil && l.answer.TLS == nil {
			l.answer.TLS = &amble.TLSInfo{Version: f.details.Protocol, CipherSuite: f.details.Cipher, Protocol: f.Proto}
		}
	}
	if len(l.order) > 0 && l.order[0].Proto != "" {
		l.answer.Proto = protocol(l.order[0].Proto)
		if l.order[0].Encoded > 0 {
			l.answer.EncodedBytes = l.order[0].Encoded
		}
	}
	return snap, nil
}

// serialise is the document as it stands, doctype included.
const serialise = `(() => {
	const d = document.doctype;
	const head = d ? '<!DOCTYPE ' + d.name + (d.publicId ? ' PUBLIC "' + d.publicId + '"' : '') + (d.systemId ? (d.publicId ? '' : ' SYSTEM') + ' "' + d.systemId + '"' : '') + '>\n' : '';
	return head + (document.documentElement ? document.documentElement.outerHTML : '');
})()`

func protocol(p string) string {
	switch p {
	case "h2":
		return "HTTP/2.0"
	case "http/1.0":
		return "HTTP/1.0"
	}
	return "HTTP/1.1"
}

func millis(ms float64) time.Duration {
	if ms < 0 || math.IsNaN(ms) {
		return 0
	}
	return time.Duration(ms * float64(time.Millisecond))
}

// part runs one step of the capture within its time.
func (l *load) part(f func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(l.ctx, min(captureTimeout, max(l.remaining(), captureGrace)))
	defer cancel()
	return f(ctx)
}

// try is part for what a page can be judged without.
func (l *load) try(what string, f func(context.Context) error) {
	if err := l.part(f); err != nil && l.ctx.Err() == nil {
		l.problem("%s could not be taken: %v", what, err)
	}
}

// lastWords is why the load cannot go on, or nil.
func (l *load) lastWords() error {
	if err := l.dead(); err != nil {
		return err
	}
	if l.chrome.isLost() {
		return l.chrome.conn.lostError()
	}
	if l.ctx.Err() != nil {
		return context.Cause(l.ctx)
	}
	return nil
}

func (l *load) captureMetrics(ctx context.Context, m *amble.Metrics) error {
	result, err := cdp.Call(ctx, l.tab.main, performance.GetMetrics, cdp.Empty{})
	if err != nil {
		return err
	}
	for _, metric := range result.Metrics {
		switch metric.Name {
		case "ScriptDuration":
			m.ScriptTime = seconds(metric.Value)
		case "JSHeapUsedSize":
			m.HeapBytes = int64(metric.Value)
		}
	}
	return nil
}

// captureTree takes the trees of all frames: one call for those in the tab's process, one for each other process.
func (l *load) captureTree(ctx context.Context, snap *amble.Snapshot) error {
	styles := l.chrome.r.Capture.Styles
	if styles == nil {
		styles = DefaultStyles
	}
	params := domsnapshot.CaptureSnapshotParams{
		ComputedStyles: styles, IncludePaintOrder: new(true), IncludeDOMRects: new(true),
		IncludeBlendedBackgroundColors: new(true), IncludeTextColorOpacities: new(true),
	}
	top, err := cdp.Call(ctx, l.tab.main, domsnapshot.CaptureSnapshot, params)
	if err != nil {
		return err
	}
	snap.StyleNames = styles
	b := newTreeBuilder(snap)
	b.add(top, -1, "")
	l.tree = b
	for _, child := range l.tab.frames() {
		owner := -1
		if at, err := cdp.Call(ctx, l.tab.main, dom.GetFrameOwner, dom.GetFrameOwnerParams{FrameID: child.frame}); err == nil {
			owner = b.node(0, at.BackendNodeID)
		}
		tree, err := cdp.Call(ctx, child.s, domsnapshot.CaptureSnapshot, params)
		b.addRemote(string(child.frame), owner, tree, err)
	}
	if l.chrome.r.Capture.Accessibility {
		if err := l.captureAccessibility(ctx, b); err != nil {
			l.problem("the accessibility tree could not be taken: %v", err)
		}
	}
	return nil
}
