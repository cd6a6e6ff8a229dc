package browser

import (
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/chromedp/cdproto/fetch"
	"github.com/chromedp/cdproto/network"

	"github.com/amblecrawl/amble"
)

// paused decides about a request or an answer that the browser holds for us. Every one is answered, or the page would
// stand still. It runs on the browser session's own goroutine, so what has to wait goes elsewhere.
func (c *chrome) paused(e fetch.EventRequestPaused) {
	if l := c.loadOf(e.FrameID); l != nil {
		l.paused(e)
		return
	}
	c.mu.Lock()
	worker, known := c.workers[e.FrameID]
	between := c.tabs[e.FrameID]
	c.mu.Unlock()
	if between {
		c.refuse(e, "of a page that is done") // no waiting: the tab's next page must not be taken for its own
		return
	}
	if known && !c.r.off.allowWorkers {
		// A worker that outlives pages makes requests for none of them.
		c.refuse(e, worker.kind)
		return
	}
	go func() {
		l := c.awaitLoad(e.FrameID, 500*time.Millisecond)
		switch {
		case l != nil:
			l.paused(e)
		case c.r.off.allowWorkers && known || c.r.off.allowPopups:
			c.proceed(nil, e)
		default:
			c.refuse(e, "no page asked for it")
		}
	}()
}

func (c *chrome) refuse(e fetch.EventRequestPaused, why string) {
	c.refused.Add(1)
	post(c.conn.browser, fetch.FailRequest, fetch.FailRequestParams{RequestID: e.RequestID, ErrorReason: network.ErrorReasonBlockedByClient})
}

func isAnswer(e fetch.EventRequestPaused) bool {
	return e.ResponseStatusCode != 0 || e.ResponseErrorReason != ""
}

// proceed lets a request out. l may be nil.
func (c *chrome) proceed(l *load, e fetch.EventRequestPaused) {
	params := fetch.ContinueRequestParams{RequestID: e.RequestID}
	if isAnswer(e) {
		post(c.conn.browser, fetch.ContinueRequest, params)
		return
	}
	if u, err := url.Parse(e.Request.URL); err == nil && l != nil {
		if l.tab.site.proxy != nil {
			l.tab.site.proxy.Allow(hostPort(u))
		}
		if err := l.switchedOff(u); err != nil { // since it passed the gate
			l.cutOff(u, err)
			l.takeBack(e.NetworkID)
			l.fail(e, gateReason(err))
			return
		}
		extra, err := l.extraHeaders(e, u)
		if err != nil {
			l.fail(e, "headers: "+err.Error())
			return
		}
		params.Headers = extra
	}
	c.requests.Add(1)
	post(c.conn.browser, fetch.ContinueRequest, params)
}

// hostPort is the server of a URL as a proxy's CONNECT names it.
func hostPort(u *url.URL) string {
	port := u.Port()
	if port == "" {
		port = "80"
		if u.Scheme == "https" || u.Scheme == "wss" {
			port = "443"
		}
	}
	return net.JoinHostPort(strings.ToLower(u.Hostname()), port)
}

// browserOwn are the headers of a Request that the browser makes itself.
var browserOwn = map[string]bool{
	"User-Agent": true, "Accept": true, "Accept-Encoding": true, "Accept-Language": true, "Connection": true, "Host": true, "Cookie": true,
}

// extraHeaders returns all headers of a request with ours added, or nil when there is nothing to add.
func (l *load) extraHeaders(e fetch.EventRequestPaused, u *url.URL) ([]*fetch.HeaderEntry, error) {
	add := http.Header{}
	kind := amble.KindResource
	if l.isDocument(e) {
		kind = l.req.Kind
		for name, values := range l.req.Header {
			if !browserOwn[http.CanonicalHeaderKey(name)] {
				add[name] = values
			}
		}
	} else if from := l.req.Header.Get("From"); from != "" {
		add.Set("From", from)
	}
	if l.chrome.r.Headers != nil {
		more, err := l.chrome.r.Headers(e.Request.Method, u, kind)
		if err != nil {
			return nil, err
		}
		for name, values := range more {
			add[name] = values
		}
	}
	if s, ok := l.req.Gate.(amble.GateSigner); ok { // anew for each: a signature is for one URL and method
		if err := s.Sign(e.Request.Method, u, add); err != nil {
			return nil, err
		}
	}
	if len(add) == 0 {
		return nil, nil
	}
	var out []*fetch.HeaderEntry
	for name, value := range e.Request.Headers {
		if text, ok := value.(string); ok && add.Get(name) == "" {
			out = append(out, &fetch.HeaderEntry{Name: name, Value: text})
		}
	}
	for name, values := range add {
		for _, value := range values {
			out = append(out, &fetch.HeaderEntry{Name: name, Value: value})
		}
	}
	return out, nil
}

// isDocument reports whether a paused request is a navigation of the main frame.
func (l *load) isDocument(e fetch.EventRequestPaused) bool {
	return e.ResourceType == network.ResourceTypeDocument && e.FrameID == l.frame
}

// paused decides about a request or an answer of this page.
func (l *load) paused(e fetch.EventRequestPaused) {
	switch {
	case isAnswer(e) && l.isDocument(e) && l.isFirst(e):
		go l.documentAnswer(e)
	case isAnswer(e): // of a frame
		l.chrome.proceed(l, e)
	case l.isDocument(e):
		l.documentRequest(e)
	case l.isDoubtful(e):
		go l.doubtful(e)
	default:
		l.resourceRequest(e)
	}
}

// fail refuses a request of the page, and notes why.
func (l *load) fail(e fetch.EventRequestPaused, why string) {
	l.mu.Lock()
	l.refusals++
	if f := l.flights[e.NetworkID]; f != nil && e.NetworkID != "" {
		f.problem, f.ended = "refused: "+why, true
	} else if len(l.askedWhy) < 5000 {
		l.askedWhy["refused "+e.Request.URL] = why
	}
	l.mu.Unlock()
	l.chrome.refuse(e, why)
}

// resourceRequest decides about a file of the page. The gates are those of the crawl, in its order; before them stands
// what no crawler sends.
func (l *load) resourceRequest(e fetch.EventRequestPaused) {
	u, err := url.Parse(e.Request.URL)
	if err != nil {
		l.fail(e, "not a URL")
		return
	}
	switch u.Scheme {
	case "http", "https":
	case "data", "blob", "about":
		post(l.chrome.conn.browser, fetch.ContinueRequest, fetch.ContinueRequestParams{RequestID: e.RequestID})
		return
	default:
		l.fail(e, "scheme "+u.Scheme)
		return
	}
	if why := l.refusal(e); why != "" {
		l.fail(e, why)
		return
	}
	if err := l.chrome.r.CheckURL(u); err != nil {
		l.fail(e, err.Error())
		return
	}
	if l.req.Gate == nil {
		l.chrome.proceed(l, e)
		return
	}
	go l.passGate(e, u)
}

// refusal names what rules a request out before any gate is asked.
func (l *load) refusal(e fetch.EventRequestPaused) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.requests++
	switch {
	case l.stop != "":
		return l.stop
	case l.requests > l.limits.Requests:
		if l.requests == l.limits.Requests+1 {
			l.addProblem("the page asks for more files than the limit")
		}
		return "over the limit of requests of a page"
	case l.chrome.r.off.allowMethods:
		return ""
	}
	switch e.Request.Method {
	case http.MethodGet, http.MethodHead, http.MethodOptions:
	default:
		return "method " + e.Request.Method // a crawler sends nothing (S10, S12)
	}
	switch e.ResourceType {
	case network.ResourceTypePing, network.ResourceTypeCSPViolationReport, network.ResourceTypeFedCM, network.ResourceTypePrefetch:
		return string(e.ResourceType)
	}
	if !l.chrome.r.off.allowWorkers && l.isSharedWorker(e) {
		return "shared worker"
	}
	return ""
}

// isSharedWorker reports whether the request is for the script of a worker that outlives the page.
func (l *load) isSharedWorker(e fetch.EventRequestPaused) bool {
	if e.ResourceType != network.ResourceTypeOther && e.ResourceType != network.ResourceTypeScript {
		return false
	}
	l.chrome.mu.Lock()
	defer l.chrome.mu.Unlock()
	for _, w := range l.chrome.workers {
		if w.url == e.Request.URL && w.context == l.tab.site.context {
			return true
		}
	}
	return false
}

// passGate waits at the crawl's gate for a file of the page.
func (l *load) passGate(e fetch.EventRequestPaused, u *url.URL) {
	l.watch(u)
	l.tab.main.reach(l.ctx) // answers that came before this request may have ended the page's requests
	l.wait(1)
	done, err := l.req.Gate.Pass(l.files, u, amble.KindResource)
	l.wait(-1)
	l.mu.Lock()
	stop := l.stop
	if err != nil {
		l.mu.Unlock()
		l.fail(e, or(stop, gateReason(err)))
		return
	}
	if l.ctx.Err() != nil {
		stop = "the page is done"
	}
	if stop == "" {
		l.passes[e.NetworkID] = append(l.passes[e.NetworkID], &pass{done: done, sent: time.Now(), url: e.Request.URL})
	}
	l.mu.Unlock()
	if stop != "" {
		done(amble.Feedback{Unsent: true})
		l.fail(e, stop)
		return
	}
	l.chrome.proceed(l, e)
}

func (l *load) wait(n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	if l.waiting == 0 && n > 0 {
		l.waitingSince = now
	}
	l.waiting += n
	if l.waiting == 0 {
		l.waited += now.Sub(l.waitingSince)
	}
	l.busy = now
}

// gateReason shortens the gate's error for the list of requests: kind and reason, without the URL.
func gateReason(err error) string {
	var e *amble.Error
	if !asError(err, &e) || e.Kind == nil {
		return err.Error()
	}
	if e.Reason != "" {
		return e.Kind.Error() + ": " + e.Reason
	}
	return e.Kind.Error()
}

// maxRefusals is how often files of a page that is loaded for the second time may be answered "not now", each time with a
// longer wait, before its remaining files are left alone (S18: a couple of times).
const maxRefusals = 2

// take returns the oldest pass of a request that has heard nothing yet, or nil.
func (l *load) take(id network.RequestID) *pass {
	l.mu.Lock()
	defer l.mu.Unlock()
	hops := l.passes[id]
	if len(hops) == 0 || id == "" {
		return nil
	}
	if len(hops) == 1 {
		delete(l.passes, id)
	} else {
		l.passes[id] = hops[1:]
	}
	return hops[0]
}

// resourceFailed tells the gate that a file was not answered.
func (l *load) resourceFailed(e network.EventLoadingFailed) {
	p := l.take(e.RequestID)
	switch {
	case p == nil:
	case e.Canceled:
		p.done(amble.Feedback{Err: errEnded})
	default:
		p.done(amble.Feedback{Err: netError(e.ErrorText)})
	}
}

// resourceAnswer tells the gate how a file was answered. When the server puts a file off, the page is loaded once more, if
// the crawl's rules say so; its files then wait at the gate as long as the server asked (S17). After that the page's
// remaining files are left alone (S18, S19). An answer from the browser's cache was no request.
func (l *load) resourceAnswer(id network.RequestID, status int, header network.Headers, cached bool) {
	p := l.take(id)
	if p == nil {
		return
	}
	h := make(http.Header, len(header))
	for name, value := range header {
		if text, ok := value.(string); ok {
			for line := range strings.SplitSeq(text, "\n") {
				h.Add(name, line)
			}
		}
	}
	advice := p.done(amble.Feedback{Status: status, Header: h, Latency: time.Since(p.sent), Addr: l.remote(p.url), Unsent: cached})
	if !amble.Throttled(status, h) {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.throttled++
	switch {
	case l.stop != "":
	case advice.StopPage, !advice.Retry, l.second && l.throttled > maxRefusals:
		l.stop = "the server asked for less: " + or(advice.Reason, strconv.Itoa(status))
		l.addProblem("remaining files not asked for: " + l.stop)
		l.noMore()
	case !l.second:
		l.stop, l.putOff = "the page is loaded once more", true
		l.kick()
	}
}

func headerOf(entries []*fetch.HeaderEntry) http.Header {
	h := make(http.Header, len(entries))
	for _, entry := range entries {
		h.Add(entry.Name, entry.Value)
	}
	return h
}

// navigations

// isFirst reports whether an answer is that of the document's own request.
func (l *load) isFirst(fetch.EventRequestPaused) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.phase == phaseAsked && l.answer == nil && !l.document.sent.IsZero() && l.document.heard.IsZero()
}

// documentRequest lets the document's own request out, which has passed the gate already. Any later navigation is the
// page's own doing: it is not followed, but goes back to the crawl as a hop.
func (l *load) documentRequest(e fetch.EventRequestPaused) {
	l.mu.Lock()
	if l.document.sent.IsZero() && e.Request.Method == http.MethodGet && (!l.follows || sameDocument(e.Request.URL, l.req.URL.String())) {
		l.document = exchange{network: e.NetworkID, sent: time.Now()}
		l.mu.Unlock()
		l.chrome.proceed(l, e)
		return
	}
	if l.follows && l.document.sent.IsZero() { // of the page before
		l.mu.Unlock()
		l.chrome.refuse(e, "of the page before")
		return
	}
	target := e.Request.URL + e.Request.URLFragment
	why := l.askedWhy[target]
	if why == "" {
		why = l.askedWhy[e.Request.URL]
	}
	l.halted = time.Now()
	switch {
	case l.clicked:
		l.navigate++
	case e.NetworkID == "": // a click on a[download] in full Chromium: the page stays
		l.addProblem("download refused")
	case e.Request.Method != http.MethodGet || strings.HasPrefix(why, "formSubmission"):
		l.addProblem("form submission refused")
	case l.answer != nil && sameDocument(e.Request.URL, l.answer.URL.String()):
		l.addProblem("reload refused")
	case l.redirect == "" && l.phase == phaseRendering:
		l.redirect, l.redirectWhy = target, or(why, "scriptInitiated")
	}
	l.mu.Unlock()
	l.chrome.refused.Add(1)
	post(l.chrome.conn.browser, fetch.FailRequest, fetch.FailRequestParams{RequestID: e.RequestID, ErrorReason: network.ErrorReasonAborted})
	l.kick()
}
