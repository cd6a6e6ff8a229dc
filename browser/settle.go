package browser

import (
	"context"
	"fmt"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"

	"github.com/amblecrawl/amble"
)

// The reasons that end the wait for a page, in Snapshot.Settled.
const (
	SettledQuiet  = "settled"      // loaded, the network and the document at rest
	SettledCap    = "cap"          // the longest wait was over
	SettledHang   = "js-hang"      // a script that never let go was ended
	SettledDialog = "dialog-storm" // a script that opened dialogs without end was ended
	SettledBytes  = "bytes"        // the files of the page reached the limit
)

const (
	readyBound = 5 * time.Second // how long after DOMContentLoaded the load event is waited for
	haltBound  = time.Second
	domQuiet   = 300 * time.Millisecond
	domCap     = 1500 * time.Millisecond
	tick       = 100 * time.Millisecond
	pingAfter  = time.Second
	pingWithin = 5 * time.Second // how long a page may give no sign of life
	maxHangs   = 3
)

// settle waits until the page has come to rest: loaded (or parsed, some time ago), no request that counts under way for
// Limits.Quiet, no change of the document for a moment. What is never at rest ends at Limits.Settle. Time in which requests
// wait for the crawl's pace does not count.
func (l *load) settle() (amble.Settled, error) {
	ticker := time.NewTicker(tick)
	defer ticker.Stop()
	var ping chan error
	var pinged time.Time
	reason := ""
	for {
		if err := l.dead(); err != nil {
			return amble.Settled{}, err
		}
		now := time.Now()
		l.mu.Lock()
		elapsed := now.Sub(l.document.heard) - l.waitedNow()
		parsed := !l.loaded.IsZero() || !l.domReady.IsZero() && now.Sub(l.domReady)-l.waitedNow() > readyBound ||
			!l.halted.IsZero() && now.Sub(l.halted) > haltBound
		quiet := l.waiting == 0 && len(l.underway(now)) == 0 && now.Sub(l.busy) >= l.limits.Quiet-domQuiet
		waiting := l.waiting > 0
		gone := l.redirect != "" || l.putOff
		storm := l.dialogs > maxDialogs
		hung := l.hangs > 0
		l.mu.Unlock()
		switch {
		case gone:
			return amble.Settled{Reason: "redirect", After: elapsed}, nil
		case l.overBytes():
			reason = SettledBytes
			post(l.tab.main, page.StopLoading, cdp.Empty{})
		case elapsed > l.limits.Settle:
			if ping != nil && now.Sub(pinged) > time.Second && !waiting && !l.letGo() {
				return amble.Settled{}, ErrHung
			}
			hung = hung || ping != nil && now.Sub(pinged) > time.Second && !waiting
			reason = SettledCap
		case parsed && quiet && l.domAtRest():
			reason = SettledQuiet
		}
		if reason != "" {
			if storm {
				reason = SettledDialog
			} else if hung {
				reason = SettledHang
			}
			return l.settled(reason, elapsed), nil
		}
		// A page that makes no progress may hang in a script: ask it for a sign of life.
		if ping == nil && !waiting && elapsed > pingAfter && now.Sub(pinged) > time.Second {
			ping, pinged = l.ping(), now
		}
		select {
		case <-ticker.C:
			if ping != nil && !waiting && time.Since(pinged) > l.signOfLife() {
				if !l.letGo() {
					return amble.Settled{}, ErrHung
				}
				ping = nil
			}
		case <-ping:
			ping = nil
		case <-l.wake:
		case <-l.ctx.Done():
			if err := l.dead(); err != nil {
				return amble.Settled{}, err
			}
			return amble.Settled{}, context.Cause(l.ctx)
		case <-l.chrome.conn.lost:
			return amble.Settled{}, l.chrome.conn.lostError()
		}
	}
}

func (l *load) settled(reason string, after time.Duration) amble.Settled {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := amble.Settled{Reason: reason, After: after}
	for _, f := range l.order {
		if !f.ended && len(s.InFlight) < 100 {
			s.InFlight = append(s.InFlight, f.URL)
		}
	}
	return s
}

// overBytes stops a page whose files are too much.
func (l *load) overBytes() bool {
	proxy := l.tab.site.proxy
	if proxy == nil || proxy.Received()-l.bytes <= l.limits.Bytes {
		return false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.stop == "" {
		l.stop = fmt.Sprintf("over the limit of %d bytes of a page", l.limits.Bytes)
		l.addProblem(l.stop)
		l.noMore()
	}
	return true
}

// ping asks the page's main thread for a sign of life.
func (l *load) ping() chan error {
	answer := make(chan error, 1)
	go func() {
		_, err := cdp.Call(l.ctx, l.tab.main, runtime.Evaluate, runtime.EvaluateParams{Expression: "0"})
		answer <- err
	}()
	return answer
}

// signOfLife is how long a page's main thread may be silent.
func (l *load) signOfLife() time.Duration { return min(pingWithin, l.limits.Settle/2) }

// letGo ends a script that does not let go. It reports false when that does not help any more.
func (l *load) letGo() bool {
	l.mu.Lock()
	l.hangs++
	n := l.hangs
	l.addProblem("a script that never ends was terminated")
	l.mu.Unlock()
	l.terminate()
	return n <= maxHangs
}

func (l *load) terminate() { post(l.tab.main, runtime.TerminateExecution, cdp.Empty{}) }

// domAtRest waits until the document has not changed for a moment, within bounds. It runs in a world of its own, which the
// page's scripts do not see.
func (l *load) domAtRest() bool {
	const script = `new Promise(done => {
		let timer = setTimeout(finish, %d);
		const cap = setTimeout(finish, %d);
		const watch = new MutationObserver(() => { clearTimeout(timer); timer = setTimeout(finish, %[1]d); });
		function finish() { watch.disconnect(); clearTimeout(timer); clearTimeout(cap); done(true); }
		watch.observe(document, {subtree: true, childList: true, attributes: true, characterData: true});
	})`
	ctx, cancel := context.WithTimeout(l.ctx, l.signOfLife()+domCap)
	defer cancel()
	var ok bool
	err := l.evaluate(ctx, fmt.Sprintf(script, domQuiet.Milliseconds(), domCap.Milliseconds()), &ok)
	if err != nil && ctx.Err() != nil && l.ctx.Err() == nil {
		return !l.letGo()
	}
	if err != nil {
		return true // a document that cannot be watched
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	// Requests may have begun meanwhile.
	return l.waiting == 0 && len(l.underway(time.Now())) == 0
}

// ownWorld is the isolated world that our own scripts run in: the page's scripts do not see it.
const ownWorld = "amble"

// evaluate runs a script in an isolated world of the main frame and reads its JSON value. Promises are awaited.
func (l *load) evaluate(ctx context.Context, script string, value any) error {
	world, err := cdp.Call(ctx, l.tab.main, page.CreateIsolatedWorld, page.CreateIsolatedWorldParams{FrameID: l.frame, WorldName: ownWorld})
	if err != nil {
		return err
	}
	return evaluateIn(ctx, l.tab.main, world.ExecutionContextID, script, value)
}

func evaluateIn(ctx context.Context, s *session, world runtime.ExecutionContextID, script string, value any) error {
	result, err := cdp.Call(ctx, s, runtime.Evaluate, runtime.EvaluateParams{
		Expression: script, ContextID: world, ReturnByValue: new(true), AwaitPromise: new(true), Silent: new(true),
	})
	if err != nil {
		return err
	}
	if d := result.ExceptionDetails; d != nil {
		text := d.Text
		if d.Exception != nil {
			text += " " + d.Exception.Description
		}
		return fmt.Errorf("script: %s", text)
	}
	if value == nil || len(result.Result.Value) == 0 {
		return nil
	}
	return jsonv2.Unmarshal(result.Result.Value, value)
}
