package browser

import (
	"context"
	"errors"
	"net/url"
	"time"

	"github.com/chromedp/cdproto/fetch"
	"github.com/chromedp/cdproto/network"

	"github.com/amblecrawl/amble"
)

// watched is a host that the page asks something of: it may be switched off meanwhile.
type watched struct {
	ctx   context.Context
	leave func()
}

// watch begins to watch the server of a URL, once for each page. When it is switched off, what is under way there is
// broken off at once.
func (l *load) watch(u *url.URL) {
	w, ok := l.req.Gate.(amble.GateWatcher)
	if !ok {
		return
	}
	server := hostPort(u)
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, ok := l.servers[server]; ok || l.ctx.Err() != nil {
		return
	}
	ctx, leave := w.Watch(l.ctx, u)
	if ctx == l.ctx {
		l.servers[server] = watched{ctx, leave}
		return
	}
	stop := context.AfterFunc(ctx, func() {
		if err := context.Cause(ctx); errors.Is(err, amble.ErrSwitchedOff) {
			l.cutOff(u, err)
		}
	})
	l.servers[server] = watched{ctx, func() { stop(); leave() }}
}

// switchedOff returns why nothing more may be asked of the server of a URL, or nil.
func (l *load) switchedOff(u *url.URL) error {
	l.mu.Lock()
	w, ok := l.servers[hostPort(u)]
	l.mu.Unlock()
	if !ok {
		return nil
	}
	if err := context.Cause(w.ctx); errors.Is(err, amble.ErrSwitchedOff) {
		return err
	}
	return nil
}

// cutOff breaks off all that is under way at the server of a URL.
func (l *load) cutOff(u *url.URL, why error) {
	if l.tab.site.proxy != nil {
		l.tab.site.proxy.Forbid(hostPort(u))
	}
	l.problem("files of %s broken off: %s", u.Host, gateReason(why))
	l.kick()
}

// heard is an answer of which it is not known yet whether the server gave it, or the browser's cache.
type heard struct {
	pass     *pass
	feedback amble.Feedback
	at       time.Time
}

// hear tells the gate of an answer once its source is known, which an event says that follows.
func (l *load) hear(id network.RequestID, p *pass, f amble.Feedback) {
	l.mu.Lock()
	before, again := l.heard[id]
	known := id == "" || l.ctx.Err() != nil
	if !known {
		l.heard[id] = heard{p, f, time.Now()}
	}
	l.mu.Unlock()
	if again {
		before.pass.done(before.feedback)
	}
	if known {
		p.done(f)
	}
}

// source says where an answer came from. One from the cache was no request.
func (l *load) source(id network.RequestID, cached bool) {
	l.mu.Lock()
	h, ok := l.heard[id]
	delete(l.heard, id)
	l.mu.Unlock()
	if ok {
		h.feedback.Unsent = cached
		h.pass.done(h.feedback)
	}
}

// flushHeard tells the gate of answers whose event does not come.
func (l *load) flushHeard(age time.Duration) {
	l.mu.Lock()
	var late []heard
	for id, h := range l.heard {
		if time.Since(h.at) >= age {
			late = append(late, h)
			delete(l.heard, id)
		}
	}
	l.mu.Unlock()
	for _, h := range late {
		h.pass.done(h.feedback)
	}
}

// takeBack tells the gate that a request which had passed was not sent after all.
func (l *load) takeBack(id fetch.RequestID) {
	l.mu.Lock()
	p := l.passes[id]
	delete(l.passes, id)
	l.mu.Unlock()
	if p != nil {
		p.done(amble.Feedback{Unsent: true})
	}
}
