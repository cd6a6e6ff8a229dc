package browser

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"

	"github.com/amblecrawl/amble"
)

// load is one page being loaded in a tab: from the request for its document to the captured snapshot.
type load struct {
	tab    *tab
	chrome *chrome
	req    *amble.Request
	limits Limits
	start  time.Time
	ctx    context.Context // ends with the load; all that waits on its behalf waits on it
	cancel context.CancelCauseFunc
	files  context.Context // ends when no more files of the page are asked for, with stop as the reason
	noMore context.CancelFunc

	answered chan struct{} // closed when the document's answer is decided
	wake     chan struct{} // something happened that may end the wait
	frame    cdp.FrameID   // the main frame

	mu          sync.Mutex
	phase       phase
	document    exchange        // of the document
	answer      *amble.Response // the document's own answer
	final       bool            // the answer is all there is: nothing is rendered
	err         error           // why there is none
	redirect    string          // where the page sends the browser by itself
	redirectWhy string
	askedWhy    map[string]string // reasons of navigations that the page asked for, by URL

	passes    map[network.RequestID][]*pass // requests under way that passed the gate: hops of one have one id
	servers   map[string]watched            // that the page asks something of
	requests  int                           // that the page made
	refusals  int
	second    bool   // the page is loaded once more
	throttled int    // files answered "not now"
	putOff    bool   // the page is to be loaded once more
	stop      string // why the page's remaining files are not asked for

	waiting      int // requests waiting at the gate
	waitingSince time.Time
	waited       time.Duration

	flights  map[network.RequestID]*flight
	order    []*flight
	busy     time.Time // when the last request that counts began or ended
	domReady time.Time
	loaded   time.Time
	halted   time.Time // a navigation was refused: the document that asked for it is parsed no further

	follows   bool                       // the page before is in the tab until this one's document comes
	here      bool                       // the document came
	strangers map[network.RequestID]bool // requests of the page before

	dialogs  int
	hangs    int
	crashed  bool
	spoiled  bool
	clicked  bool // we click on the page: navigations are ours to refuse
	navigate int  // navigations refused after a click

	console  []amble.ConsoleMessage
	issues   []amble.BrowserIssue
	problems []string
	metrics  amble.Metrics
	lcpAt    float64
	bytes    int64        // of the proxy at the start
	tree     *treeBuilder // of the snapshot; nil while there is none
}

type phase uint8

const (
	phaseAsked phase = iota
	phaseAnswering
	phaseRendering
)

// exchange is the document's request at the protocol.
type exchange struct {
	network network.RequestID
	sent    time.Time
	heard   time.Time
}

// pass is a request that passed the gate and was sent.
type pass struct {
	done func(amble.Feedback) amble.Advice
	sent time.Time
	url  string
}

// errPutOff ends a load whose files were answered "not now": the page is to be loaded once more (S17).
var errPutOff = errors.New("files of the page were put off by the server")

func newLoad(t *tab, req *amble.Request, second bool) *load {
	l := &load{
		tab: t, chrome: t.site.chrome, req: req, limits: t.site.chrome.r.Limits.withDefaults(), start: time.Now(), second: second,
		answered: make(chan struct{}), wake: make(chan struct{}, 1), frame: cdp.FrameID(t.target),
		askedWhy: map[string]string{}, passes: map[network.RequestID][]*pass{}, flights: map[network.RequestID]*flight{},
		servers: map[string]watched{}, strangers: map[network.RequestID]bool{},
	}
	l.follows = t.lingers != nil
	t.lingers = nil
	if t.site.proxy != nil {
		l.bytes = t.site.proxy.Received()
	}
	return l
}

// run loads the page.
func (l *load) run(ctx context.Context) (*amble.Response, error) {
	l.ctx, l.cancel = context.WithCancelCause(ctx)
	l.files, l.noMore = context.WithCancel(l.ctx)
	defer l.end()
	c := l.chrome
	c.addFrame(l.frame, l)
	l.tab.mu.Lock()
	l.tab.load = l
	l.tab.mu.Unlock()

	navigated := make(chan error, 1)
	go func() {
		result, err := cdp.Call(l.ctx, l.tab.main, page.Navigate, page.NavigateParams{URL: l.req.URL.String()})
		if err == nil && result.ErrorText != "" {
			err = errors.New(result.ErrorText)
		}
		navigated <- err
	}()
	if err := l.awaitDocument(navigated); err != nil {
		return nil, err
	}
	l.mu.Lock()
	answer, final := l.answer, l.final
	l.mu.Unlock()
	if final {
		return answer, nil
	}
	settled, err := l.settle()
	if err != nil {
		return nil, err
	}
	if resp := l.clientRedirect(); resp != nil {
		return resp, nil
	}
	l.mu.Lock()
	putOff := l.putOff
	l.mu.Unlock()
	if putOff {
		return nil, errPutOff
	}
	snapshot, err := l.capture(settled)
	if err != nil {
		return nil, err
	}
	if resp := l.clientRedirect(); resp != nil {
		return resp, nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	answer.Snapshot = snapshot
	answer.Timing.Total = time.Since(answer.Sent)
	return answer, nil
}

// awaitDocument waits until the document's answer is decided.
func (l *load) awaitDocument(navigated <-chan error) error {
	var refused error
	for {
		select {
		case <-l.answered:
			l.mu.Lock()
			err := l.err
			l.mu.Unlock()
			if f, ok := errors.AsType[*amble.FetchError](err); ok && f.Trouble == amble.TroubleNetwork && refused == nil && navigated != nil {
				select { // the navigation's own error says more
				case refused = <-navigated:
				case <-time.After(2 * time.Second):
				case <-l.ctx.Done():
				}
			}
			return explain(err, refused)
		case err := <-navigated:
			navigated = nil
			if l.chrome.r.off.noIntercept {
				l.mu.Lock()
				l.answer, l.phase = &amble.Response{URL: l.req.URL, Status: http.StatusOK, Proto: "HTTP/1.1", Header: http.Header{}, Sent: l.start}, phaseRendering
				l.mu.Unlock()
				return err
			}
			if err != nil {
				refused = err
				// The decision comes on another session and may be a moment later.
				time.AfterFunc(2*time.Second, l.kick)
			}
		case <-l.wake:
			if err := l.dead(); err != nil {
				return err
			}
			if refused != nil && time.Since(l.start) > 2*time.Second {
				select {
				case <-l.answered:
					continue
				default:
					return explain(failure(l.req, amble.ErrUnreachable, "", &amble.FetchError{Trouble: amble.TroubleNetwork, Err: refused}), refused)
				}
			}
		case <-l.ctx.Done():
			return context.Cause(l.ctx)
		case <-l.chrome.conn.lost:
			return l.chrome.conn.lostError()
		case <-time.After(l.remaining()):
			l.mu.Lock()
			l.spoiled = true
			l.mu.Unlock()
			return failure(l.req, amble.ErrUnreachable, fmt.Sprintf("no answer within %v", l.limits.Page), context.DeadlineExceeded)
		}
	}
}

// remaining is what is left of the page's time; waits for the pace do not count.
func (l *load) remaining() time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.limits.Page + l.waitedNow() - time.Since(l.start)
}

// waitedNow is how long the page stood still because its requests waited at the gate. The lock is held.
func (l *load) waitedNow() time.Duration {
	if l.waiting > 0 {
		return l.waited + time.Since(l.waitingSince)
	}
	return l.waited
}

// dead reports why the tab is of no use any more, or nil.
func (l *load) dead() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.crashed {
		return ErrCrashed
	}
	return nil
}

// crash notes that the page's process crashed. Calls to it are never answered, so the load is woken.
func (l *load) crash() {
	l.mu.Lock()
	l.crashed, l.spoiled = true, true
	l.mu.Unlock()
	l.cancel(ErrCrashed)
	l.kick()
}

// spoilt reports whether the tab must not be used again.
func (l *load) spoilt() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.spoiled || l.crashed || l.hangs > 0
}

func (l *load) kick() {
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

// end closes the books: requests that were sent and whose end was not seen are reported to the gate.
func (l *load) end() {
	l.cancel(errEnded)
	l.mu.Lock()
	passes, servers := l.passes, l.servers
	l.passes, l.servers = map[network.RequestID][]*pass{}, map[string]watched{}
	l.mu.Unlock()
	for _, w := range servers {
		w.leave()
	}
	for _, hops := range passes {
		for _, p := range hops {
			p.done(amble.Feedback{Err: errEnded})
		}
	}
}

var errEnded = errors.New("the page is done")

// problem notes something unusual, once.
func (l *load) problem(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.addProblem(text)
}

const maxProblems = 200

func (l *load) addProblem(text string) {
	for _, have := range l.problems {
		if have == text {
			return
		}
	}
	if len(l.problems) < maxProblems {
		l.problems = append(l.problems, text)
	}
}

// committed notes that the document, or an error page in its place, is in the tab.
func (l *load) committed(frame *cdp.Frame) {
	l.mu.Lock()
	l.busy = time.Now()
	l.here = l.here || network.RequestID(frame.LoaderID) == l.document.network
	l.mu.Unlock()
	l.kick()
}

// reached notes the time of a milestone.
func (l *load) reached(at *time.Time) {
	l.mu.Lock()
	if at.IsZero() && l.phase == phaseRendering && !l.stale() {
		*at = time.Now()
	}
	l.mu.Unlock()
	l.kick()
}

// maxDialogs is how many dialogs a page may open before its script is ended.
const maxDialogs = 20

func (l *load) dialog(kind string) {
	l.mu.Lock()
	l.dialogs++
	n := l.dialogs
	if n == 1 {
		l.addProblem("dialog dismissed: " + kind)
	}
	l.mu.Unlock()
	if n > maxDialogs {
		l.terminate()
	}
	l.kick()
}

// navigationAsked remembers why the page wants to go elsewhere.
func (l *load) navigationAsked(reason, target string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.askedWhy) < 100 {
		l.askedWhy[target] = reason
	}
}

// clientRedirect returns the hop that a page asked for by itself, or nil.
func (l *load) clientRedirect() *amble.Response {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.redirect == "" {
		return nil
	}
	resp := *l.answer
	resp.Header = l.answer.Header.Clone()
	resp.Header.Set("Location", l.redirect)
	resp.Header.Set(ClientRedirectHeader, l.redirectWhy)
	resp.Status, resp.Snapshot, resp.Body, resp.Cut = http.StatusFound, nil, nil, amble.CutUnwanted
	return &resp
}

// ClientRedirectHeader is set in the answer of a page that sent the browser elsewhere by itself: its status is given as
// 302, its Location is where to, and this header says how: "metaTagRefresh", "scriptInitiated", "httpHeaderRefresh".
const ClientRedirectHeader = "Amble-Client-Redirect"

func sameDocument(a, b string) bool {
	ua, err1 := url.Parse(a)
	ub, err2 := url.Parse(b)
	if err1 != nil || err2 != nil {
		return a == b
	}
	for _, u := range []*url.URL{ua, ub} {
		u.Fragment, u.RawFragment = "", ""
		if u.Path == "" {
			u.Path = "/"
		}
	}
	return ua.String() == ub.String()
}
