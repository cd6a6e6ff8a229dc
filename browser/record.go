package browser

import (
	"github.com/chromedp/cdproto/cdp"
	"strings"
	"time"

	"github.com/chromedp/cdproto/audits"
	"github.com/chromedp/cdproto/cdp/jsonv2"
	cdplog "github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/performancetimeline"
	"github.com/chromedp/cdproto/runtime"

	"github.com/amblecrawl/amble"
)

// flight is one request of the page, from its start to its end.
type flight struct {
	amble.Exchange
	id      network.RequestID
	kind    network.ResourceType
	frame   cdp.FrameID
	started float64 // the browser's clock, in seconds
	at      time.Time
	ended   bool
	problem string
	counts  bool // a page is not at rest while it is under way
	details *network.SecurityDetails
	timing  *network.ResourceTiming
	head    int64 // bytes of the answer's head, over the wire
}

// maxFlights bounds what is remembered of a page's requests.
const maxFlights = 5000

func (l *load) willSend(e network.EventRequestWillBeSent) {
	if strings.HasPrefix(e.Request.URL, "data:") {
		return
	}
	if r := e.RedirectResponse; r != nil && !e.RedirectHasExtraInfo { // the server was not heard: from the cache
		l.resourceAnswer(e.RequestID, int(r.Status), r.Headers, r.FromDiskCache)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.phase < phaseRendering && !(e.Type == network.ResourceTypeDocument && e.FrameID == l.frame) {
		l.stranger(e.RequestID)
		return // of the page before
	}
	if l.stale() && e.RequestID != l.document.network {
		l.stranger(e.RequestID)
		return
	}
	now := time.Now()
	if old := l.flights[e.RequestID]; old != nil {
		if e.RedirectResponse == nil {
			return
		}
		old.answered(e.RedirectResponse)
		old.end(float64(e.Timestamp))
	}
	if len(l.order) >= maxFlights {
		return
	}
	f := &flight{id: e.RequestID, kind: e.Type, frame: e.FrameID, started: float64(e.Timestamp), at: now, counts: counts(e.Type)}
	f.URL, f.Type = e.Request.URL, strings.ToLower(string(e.Type))
	f.Blocking = e.RenderBlockingBehavior == network.RenderBlockingBehaviorBlocking || e.RenderBlockingBehavior == network.RenderBlockingBehaviorInBodyParserBlocking
	if len(l.order) > 0 {
		f.Start = seconds(float64(e.Timestamp) - l.order[0].started)
	}
	if why, ok := l.askedWhy["refused "+f.URL]; ok {
		f.problem, f.ended = "refused: "+why, true
	}
	l.flights[e.RequestID] = f
	l.order = append(l.order, f)
	l.busy = now
}

// counts reports whether a page waits for requests of a type. Connections that stay open and messages that nobody answers
// never come to rest.
func counts(t network.ResourceType) bool {
	switch t {
	case network.ResourceTypeWebSocket, network.ResourceTypeEventSource, network.ResourceTypePing, network.ResourceTypeMedia,
		network.ResourceTypeCSPViolationReport, network.ResourceTypePreflight:
		return false
	}
	return true
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

func (f *flight) answered(r *network.Response) {
	f.Status, f.MediaType, f.Proto = int(r.Status), r.MimeType, r.Protocol
	f.CacheControl, f.Expires = header(r.Headers, "Cache-Control"), header(r.Headers, "Expires")
	f.FromCache = f.FromCache || r.FromDiskCache
	f.details, f.timing = r.SecurityDetails, r.Timing
	f.head = int64(r.EncodedDataLength)
}

// header gives a header's value, whatever its case; empty when it is not there.
func header(h network.Headers, name string) string {
	for key, value := range h {
		if s, ok := value.(string); ok && strings.EqualFold(key, name) {
			return s
		}
	}
	return ""
}

func (f *flight) end(at float64) {
	f.ended = true
	f.Took = seconds(at - f.started)
}

func (l *load) received(e network.EventResponseReceived) {
	if !e.HasExtraInfo { // the server was not heard: from the cache
		l.resourceAnswer(e.RequestID, int(e.Response.Status), e.Response.Headers, e.Response.FromDiskCache)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if f := l.flights[e.RequestID]; f != nil {
		f.kind = e.Type
		f.counts = counts(e.Type)
		f.answered(e.Response)
	}
}

func (l *load) data(e network.EventDataReceived) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if f := l.flights[e.RequestID]; f != nil {
		f.Decoded += e.DataLength
	}
}

func (l *load) cached(id network.RequestID) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if f := l.flights[id]; f != nil {
		f.FromCache = true
	}
}

func (l *load) finished(e network.EventLoadingFinished) {
	l.mu.Lock()
	if f := l.flights[e.RequestID]; f != nil {
		f.end(float64(e.Timestamp))
		f.Encoded = int64(e.EncodedDataLength)
		if f.Decoded > 0 && f.Encoded > 0 && f.Encoded <= f.head {
			f.FromCache = true // asked for, and not changed: only a head came
		}
		l.busy = time.Now()
	}
	l.mu.Unlock()
	l.kick()
}

func (l *load) failed(e network.EventLoadingFailed) {
	l.resourceFailed(e)
	l.mu.Lock()
	if f := l.flights[e.RequestID]; f != nil {
		f.end(float64(e.Timestamp))
		switch {
		case f.problem != "":
		case e.BlockedReason != "" && e.BlockedReason != network.BlockedReasonInspector:
			f.problem = "blocked: " + string(e.BlockedReason)
		case e.CorsErrorStatus != nil:
			f.problem = "CORS: " + string(e.CorsErrorStatus.CorsError)
		default:
			f.problem = e.ErrorText
		}
		l.busy = time.Now()
	}
	l.mu.Unlock()
	l.kick()
}

func (l *load) webSocket(url string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.order) < maxFlights {
		f := &flight{at: time.Now(), ended: true, problem: "refused: WebSocket"}
		f.URL, f.Type = url, "websocket"
		if len(l.order) > 0 {
			f.Start = time.Since(l.order[0].at)
		}
		l.order = append(l.order, f)
	}
}

// underway returns how many requests a page that counts is still waiting for, and their URLs. Requests that have taken
// long already are not waited for. The lock is held.
func (l *load) underway(now time.Time) (urls []string) {
	for _, f := range l.order {
		if !f.ended && f.counts && now.Sub(f.at) < patience+l.waitedNow() {
			urls = append(urls, f.URL)
		}
	}
	return urls
}

// patience is how long one request may keep a page from being at rest.
const patience = 5 * time.Second

// exchanges returns the page's requests as plain data. The lock is held.
func (l *load) exchanges() []amble.Exchange {
	out := make([]amble.Exchange, 0, len(l.order))
	for _, f := range l.order {
		e := f.Exchange
		e.Problem = f.problem
		if e.Problem == "" {
			if why, ok := l.askedWhy["refused "+e.URL]; ok {
				e.Problem = "refused: " + why
			}
		}
		if !f.ended && e.Problem == "" {
			e.Problem = "still loading"
		}
		out = append(out, e)
	}
	return out
}

const (
	maxConsole     = 500
	maxConsoleText = 2000
	maxIssues      = 200
)

func (l *load) consoleCall(e runtime.EventConsoleAPICalled) {
	if l.isStale() {
		return
	}
	m := amble.ConsoleMessage{Level: string(e.Type)}
	var parts []string
	for _, arg := range e.Args {
		parts = append(parts, argText(arg))
	}
	m.Text = clip(strings.Join(parts, " "), maxConsoleText)
	m.URL, m.Line = place(e.StackTrace)
	l.say(m)
}

func argText(o *runtime.RemoteObject) string {
	if len(o.Value) > 0 {
		var s string
		if jsonv2.Unmarshal(o.Value, &s) == nil {
			return s
		}
		return string(o.Value)
	}
	if o.UnserializableValue != "" {
		return string(o.UnserializableValue)
	}
	return o.Description
}

func place(t *runtime.StackTrace) (url string, line int) {
	if t == nil || len(t.CallFrames) == 0 {
		return "", 0
	}
	return t.CallFrames[0].URL, int(t.CallFrames[0].LineNumber) + 1
}

func (l *load) exception(e runtime.EventExceptionThrown) {
	if l.isStale() {
		return
	}
	d := e.ExceptionDetails
	m := amble.ConsoleMessage{Level: "exception", Text: d.Text, URL: d.URL, Line: int(d.LineNumber) + 1}
	if d.Exception != nil && d.Exception.Description != "" {
		m.Text = d.Exception.Description
	} else if d.Exception != nil {
		m.Text += " " + argText(d.Exception)
	}
	m.Text = clip(m.Text, maxConsoleText)
	l.say(m)
}

func (l *load) logEntry(e *cdplog.Entry) {
	l.say(amble.ConsoleMessage{Level: string(e.Level), Text: clip(e.Text, maxConsoleText), URL: e.URL, Line: int(e.LineNumber)})
}

func (l *load) say(m amble.ConsoleMessage) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.phase == phaseRendering && len(l.console) < maxConsole {
		l.console = append(l.console, m)
	}
}

func clip(s string, n int) string {
	if len(s) > n {
		return strings.ToValidUTF8(s[:n], "") + "…"
	}
	return s
}

func (l *load) issue(i *audits.InspectorIssue) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.phase != phaseRendering || len(l.issues) >= maxIssues {
		return
	}
	detail, url := issueText(i)
	l.issues = append(l.issues, amble.BrowserIssue{Code: string(i.Code), Detail: detail, URL: url})
}

// issueText is the part of an issue that says what is wrong, as JSON, and the address it is about.
func issueText(i *audits.InspectorIssue) (detail, url string) {
	if i.Details == nil {
		return "", ""
	}
	raw, err := jsonv2.Marshal(i.Details)
	if err != nil {
		return "", ""
	}
	var outer map[string]map[string]any
	if jsonv2.Unmarshal(raw, &outer) == nil {
		for _, fields := range outer {
			for _, name := range []string{"insecureURL", "violatedURL", "url", "documentURL"} {
				if s, ok := fields[name].(string); ok && s != "" {
					url = s
					break
				}
			}
		}
	}
	return clip(string(raw), maxConsoleText), url
}

func (l *load) timeline(e *performancetimeline.TimelineEvent) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.phase != phaseRendering || e.FrameID != l.frame || l.stale() {
		return
	}
	if d := e.LcpDetails; d != nil {
		l.lcpAt = or(float64(d.RenderTime), float64(d.LoadTime))
		l.metrics.LCPURL = d.URL
	}
	if d := e.LayoutShiftDetails; d != nil && !d.HadRecentInput {
		l.metrics.CLS += d.Value
	}
}
