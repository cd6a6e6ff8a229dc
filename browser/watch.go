package browser

import (
	"context"
	"errors"
	"net/url"

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

// takeBack tells the gate that a request which had passed was not sent after all.
func (l *load) takeBack(id network.RequestID) {
	l.mu.Lock()
	var last *pass
	if hops := l.passes[id]; len(hops) > 0 {
		last = hops[len(hops)-1]
		l.passes[id] = hops[:len(hops)-1]
	}
	l.mu.Unlock()
	if last != nil {
		last.done(amble.Feedback{Unsent: true})
	}
}
