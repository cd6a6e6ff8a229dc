package browser

import (
	"net/url"
	"strings"
	"time"

	"github.com/chromedp/cdproto/fetch"
	"github.com/chromedp/cdproto/network"
)

// A page at rest is not left for an empty one when the next page of its site comes at once: that would cost a tenth of the
// CPU time. What it still does while the next document is on its way is none of the next page's doing, and nothing that it
// still asks for is sent.

// lingering is a page that stays in its tab until the next one takes its place, or its time is over.
type lingering struct {
	timer *time.Timer
	done  chan struct{} // closed when it was left
	err   error         // why it could not be; read after done
}

// lingerFor is how long a page may stay. It is short: its scripts run on.
const lingerFor = 200 * time.Millisecond

// linger leaves the page in the tab for a moment.
func (t *tab) linger() {
	l := &lingering{done: make(chan struct{})}
	l.timer = time.AfterFunc(lingerFor, func() {
		defer close(l.done)
		l.err = t.reset()
	})
	t.lingers = l
}

// ready makes a tab that was used ready for the next page, and reports whether it is of any use.
func (t *tab) ready(next *url.URL) bool {
	l := t.lingers
	if l == nil {
		return true
	}
	if l.timer.Stop() {
		if plainURL(next) {
			return true
		}
		t.lingers = nil
		return t.reset() == nil
	}
	<-l.done
	t.lingers = nil
	return l.err == nil
}

// plainURL reports whether the browser writes a URL as we do, so that its request for it can be told from any other.
func plainURL(u *url.URL) bool {
	text := u.String()
	for i := range len(text) {
		c := text[i]
		if c <= ' ' || c >= 0x7f || strings.IndexByte("\"<>\\^`{|}'", c) >= 0 {
			return false
		}
	}
	return u.Port() != "80" && u.Port() != "443" && u.Host == strings.ToLower(u.Host) && !strings.Contains(u.Path, "/.")
}

// atRest reports whether the page came to rest without anything unusual.
func (l *load) atRest() bool {
	r := l.chrome.r
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.answer != nil && l.answer.Snapshot != nil && l.answer.Snapshot.Settled.Reason == SettledQuiet &&
		!l.clicked && !r.off.noIntercept && !r.Keyboard.Press && !r.Zoom && len(r.Scripts) == 0 &&
		l.redirect == "" && l.halted.IsZero() && l.dialogs == 0 && l.stop == "" && len(l.underway(time.Now())) == 0
}

// stale reports whether the page before is still in the tab. The lock is held.
func (l *load) stale() bool { return l.follows && !l.here }

func (l *load) isStale() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.stale()
}

// stranger remembers a request of the page before. The lock is held.
func (l *load) stranger(id network.RequestID) {
	if l.follows && len(l.strangers) < maxFlights {
		l.strangers[id] = true
	}
}

// isDoubtful reports whether a request may be of the page before. Such requests outlive their page (fetch with keepalive).
func (l *load) isDoubtful(e fetch.EventRequestPaused) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.follows && l.flights[e.NetworkID] == nil && strings.HasPrefix(e.Request.URL, "http")
}

// doubtful decides whose request it is that was heard of before the events that tell: sessions are not in step. The events
// of a script's requests and of pictures always come, except from a page that is being left.
func (l *load) doubtful(e fetch.EventRequestPaused) {
	const look, within = time.Millisecond, time.Second
	for end := time.Now().Add(within); ; {
		l.mu.Lock()
		before := l.document.heard.IsZero() || l.strangers[e.NetworkID]
		ours, here := l.flights[e.NetworkID] != nil, l.here
		l.mu.Unlock()
		if !before && here {
			switch e.ResourceType {
			case network.ResourceTypeFetch, network.ResourceTypeXHR, network.ResourceTypeImage:
			default:
				ours = true
			}
		}
		switch {
		case before:
			l.chrome.refuse(e, "of the page before")
			return
		case ours:
			l.resourceRequest(e)
			return
		case l.ctx.Err() != nil || time.Now().After(end):
			l.chrome.refuse(e, "nobody's")
			return
		}
		select {
		case <-time.After(look):
		case <-l.ctx.Done():
		}
	}
}
