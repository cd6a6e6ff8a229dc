package amble

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/cookiejar"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/net/publicsuffix"

	"github.com/amblecrawl/amble/internal/urlkey"
)

// linkPhase asks for what the crawl does not know when its last page has ended. The table's lock guards it.
type linkPhase struct {
	r     *run
	table *linkTable
	opt   *LinkCheck
	left  int // requests; negative: no bound
	sent  int
	again map[string]bool // asked for once more
	dead  map[Origin]int  // checks in a row without an answer
	sched *scheduler
	owned map[string]bool // claimed: answered, refused, or in the queue
}

const (
	maxLinkHops = 20 // as browsers have it (Fetch standard 4.4)
	// maxSilent checks in a row without an answer end the checks of a server.
	maxSilent = 3
	// linkRounds bounds how often failures are asked for: what a repeated question leads to may fail for the first time.
	linkRounds = 4
)

// checkLinks answers for every link of the crawl.
func (r *run) checkLinks(ctx context.Context) {
	if r.links == nil {
		return
	}
	c := &linkPhase{r: r, table: r.links, opt: r.links.opt, left: defaulted(r.links.opt.Requests, 10_000),
		again: make(map[string]bool), dead: make(map[Origin]int), owned: make(map[string]bool)}
	c.opt.load(ctx, r.history)
	c.probe()
	c.pass(c.unknown(), false)
	for range linkRounds {
		list, after := c.doubtful()
		if len(list) == 0 || !c.wait(time.Until(after)) {
			break
		}
		clear(c.dead)
		c.pass(list, true)
	}
	if r.hasLeft() {
		return
	}
	c.report(ctx)
	if ctx.Err() == nil {
		if err := c.opt.save(ctx, r.history); err != nil {
			r.fail(&Error{Op: "store", Kind: ErrStore, Err: err})
		}
	}
}

func (c *linkPhase) wait(d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return c.r.fetching.Err() == nil
	case <-c.r.fetching.Done():
		return false
	}
}

// silenced reports whether only sites that were given up name a target: then none of it is checked (S21).
func (c *linkPhase) silenced(t *linkTarget) bool {
	return len(t.from) > 0 && len(t.from) < maxFrom && !slices.ContainsFunc(t.from, func(o Origin) bool {
		return !c.r.ledger.look(o).isGivenUp()
	})
}

// unknown lists what has to be asked for.
func (c *linkPhase) unknown() (list []string) {
	c.table.mu.Lock()
	defer c.table.mu.Unlock()
	for _, t := range slices.Clone(c.table.order) {
		if !t.asked() || t.bad != "" || c.silenced(t) {
			continue
		}
		if u := c.want(t.url); u != "" {
			list = append(list, u)
		}
	}
	return list
}

// want follows what is known from a URL on, and returns the first URL that has to be asked for; empty when there is
// none. The lock is held.
func (c *linkPhase) want(u string) string {
	for range maxLinkHops {
		t := c.table.target(u)
		if t == nil {
			return ""
		}
		if !t.answer.known {
			if c.owned[u] {
				return ""
			}
			c.owned[u] = true
			if a, refused := c.refuse(t); refused {
				t.answer = a
			} else if a, visited := c.before(u); visited {
				t.answer = a
			} else if a, kept := c.opt.recall(u); kept {
				t.answer = a
			} else {
				return u
			}
		}
		if u = t.answer.next; u == "" {
			return ""
		}
	}
	return ""
}

// refuse says what is not asked for by the LinkCheck's own settings.
func (c *linkPhase) refuse(t *linkTarget) (linkAnswer, bool) {
	key, err := urlkey.Parse(t.url)
	switch {
	case err != nil || key.Kind() != urlkey.KindHTTP:
		return notChecked(LinkInvalid, "not a URL that can be asked for"), true
	case len(t.probers) > 0:
		return linkAnswer{}, false
	case t.count > 0 && !t.followed:
		return notChecked(LinkNofollow, "the pages that name it forbid robots to follow their links"), true
	case c.opt.SkipExternal && !c.r.scope.reachesURL(key):
		return notChecked(LinkExcluded, "targets on other servers are not checked"), true
	case c.opt.SkipInternal && c.r.scope.reachesURL(key):
		return notChecked(LinkExcluded, "targets on the site's own servers are not checked"), true
	}
	return linkAnswer{}, false
}

// before looks up what this run found before it was interrupted.
func (c *linkPhase) before(u string) (linkAnswer, bool) {
	if !c.r.resumed || c.r.history == nil {
		return linkAnswer{}, false
	}
	last, err := c.r.history.Last(c.r.fetching, u)
	if err != nil || last.At.IsZero() || !c.opt.fresh(linkMemo{At: last.At}, time.Now()) {
		return linkAnswer{}, false
	}
	a := answerOfPage(&Page{URL: u, Outcome: last.Outcome, Reason: last.Reason, Status: last.Status, Redirect: last.Redirect, Fetched: last.At})
	if a.next != "" {
		a.places = true // whether the Location had a fragment is not known any more
	}
	return a, a.known && a.source != "" && !a.doubtful
}

// pass asks for a list of URLs, each server's in order, with as many workers as the crawl has.
func (c *linkPhase) pass(list []string, again bool) {
	if len(list) == 0 || c.r.fetching.Err() != nil {
		return
	}
	rest := list
	lease := func(_ context.Context, n int, _ func(Origin) bool) ([]Item, error) { // one worker at a time leases
		n = min(n, len(rest))
		items := make([]Item, n)
		for i, u := range rest[:n] {
			items[i] = Item{URL: u, Origin: originOfKey(u)}
		}
		rest = rest[n:]
		return items, nil
	}
	c.sched = newScheduler(c.r.gate.forecast, schedulerWindow, lease)
	c.sched.kind = KindLink
	unhook := context.AfterFunc(c.r.fetching, c.sched.wake)
	defer unhook()
	defer c.sched.stop()
	var workers sync.WaitGroup
	for range defaulted(c.r.c.Workers, 8) {
		workers.Go(func() {
			for {
				t, ok := c.sched.next(c.r.fetching)
				if !ok {
					return
				}
				if c.ask(&t, again) {
					c.sched.retry(t)
				} else {
					c.sched.done(t, false)
				}
			}
		})
	}
	workers.Wait()
}

// ask sends one request. retry says that the task waits for another turn.
func (c *linkPhase) ask(t *task, again bool) (retry bool) {
	key, u, err := c.r.parse(t.item.URL)
	if err != nil {
		c.answer(t.item.URL, notChecked(LinkInvalid, reasonOf(err)))
		return false
	}
	origin := t.item.Origin
	if reason := c.mayAsk(origin); reason != "" {
		c.answer(t.item.URL, notChecked(LinkLimit, reason))
		return false
	}
	if again && c.loops(t.item.URL) {
		c.answer(t.item.URL, c.withCookies(key))
		return false
	}
	x := c.r.gate.send(c.r.fetching, c.r.gate.fetcher, &Request{URL: u, Kind: KindLink, MaxBytes: linkBody, Accept: acceptLink},
		t.attempt+1, func() { c.sched.started(origin) })
	if x.err == errNotYet {
		return true
	}
	if !x.sent.IsZero() {
		t.attempt++
		c.count()
		if x.advice.Retry && c.r.fetching.Err() == nil {
			x.resp.Release()
			return true
		}
	}
	a := c.read(x, key)
	a.doubtful = a.doubtful && !again
	c.hear(origin, x)
	c.answer(t.item.URL, a)
	return false
}

// read judges an exchange and gives its body back.
func (c *linkPhase) read(x exchange, key urlkey.URL) linkAnswer {
	defer x.resp.Release()
	if err := c.r.fetching.Err(); err != nil && x.err != nil {
		reason := "the crawl ended before"
		if cause := context.Cause(c.r.fetching); errors.Is(cause, ErrBudget) {
			reason = reasonOf(cause)
		}
		return notChecked(LinkLimit, reason)
	}
	return answerOfExchange(x, key)
}

// mayAsk says why a server is not asked any more, or returns nothing.
func (c *linkPhase) mayAsk(o Origin) string {
	c.table.mu.Lock()
	defer c.table.mu.Unlock()
	switch {
	case c.left >= 0 && c.sent >= c.left:
		return fmt.Sprintf("the %d requests for link checks are used up", c.left)
	case c.dead[o] >= maxSilent:
		return fmt.Sprintf("the server gave no answer to %d checks in a row", maxSilent)
	}
	return ""
}

func (c *linkPhase) count() {
	c.table.mu.Lock()
	defer c.table.mu.Unlock()
	c.sent++
}

// hear counts checks in a row that a server gave no answer to.
func (c *linkPhase) hear(o Origin, x exchange) {
	c.table.mu.Lock()
	defer c.table.mu.Unlock()
	switch {
	case x.resp != nil:
		c.dead[o] = 0
	case !x.sent.IsZero() && !errors.Is(x.err, ErrProtocol):
		c.dead[o]++
	}
}

// answer notes what is known of a URL, and queues what its redirect leads to.
func (c *linkPhase) answer(u string, a linkAnswer) {
	c.opt.keep(u, a)
	c.table.mu.Lock()
	defer c.table.mu.Unlock()
	t := c.table.targets[u]
	if t == nil {
		return
	}
	t.answer = a
	if a.next == "" {
		return
	}
	if next := c.want(a.next); next != "" {
		c.sched.push(task{item: Item{URL: next, Origin: originOfKey(next)}})
	}
}

// doubtful lists the failures that are to be asked for once more, and from when on.
func (c *linkPhase) doubtful() (list []string, after time.Time) {
	c.table.mu.Lock()
	defer c.table.mu.Unlock()
	for _, t := range c.table.order {
		if !t.asked() || t.bad != "" || c.silenced(t) {
			continue
		}
		last, chain, a := c.table.resolve(t)
		u := last.url
		if a.problem == LinkRedirects && len(chain) > 0 {
			u = t.url // from the beginning, with the cookies that are set on the way
		}
		if !a.doubtful || c.again[u] {
			continue
		}
		c.again[u] = true
		list = append(list, u)
		if at := a.at.Add(defaulted(c.opt.RetryAfter, 30*time.Second)); at.After(after) {
			after = at
		}
	}
	return list, after
}

// resolve follows a target's redirects as far as they are known. The lock is held.
func (l *linkTable) resolve(t *linkTarget) (last *linkTarget, chain []Hop, a linkAnswer) {
	for {
		a = t.answer
		switch {
		case !a.known:
			return t, chain, notChecked(LinkLimit, "the crawl ended before, or a limit was reached")
		case a.final != "":
			if end := l.targets[a.final]; end != nil {
				t = end
			}
			return t, append(chain, a.chain...), a
		case a.next == "":
			return t, chain, a
		}
		again := slices.ContainsFunc(chain, func(h Hop) bool { return h.URL == t.url })
		chain = append(chain, Hop{URL: t.url, Status: a.status})
		if reason := "a loop: " + t.url + " leads to itself"; again || len(chain) > maxLinkHops {
			if !again {
				reason = fmt.Sprintf("more than %d redirects", maxLinkHops)
			}
			return t, chain, linkAnswer{known: true, source: a.source, status: a.status, verdict: LinkBroken, problem: LinkRedirects,
				reason: reason, doubtful: true, at: a.at}
		}
		next := l.targets[a.next]
		if next == nil {
			return t, chain, notChecked(LinkLimit, "the crawl ended before, or a limit was reached")
		}
		t = next
	}
}

// loops reports whether a URL's redirects lead nowhere without cookies.
func (c *linkPhase) loops(u string) bool {
	c.table.mu.Lock()
	defer c.table.mu.Unlock()
	t := c.table.targets[u]
	if t == nil {
		return false
	}
	_, chain, a := c.table.resolve(t)
	return a.problem == LinkRedirects && len(chain) > 0
}

// withCookies follows a chain in one go and gives back the cookies that are set on the way, as a browser does: some
// sites send visitors round in a circle until they do. The cookies end with the chain.
func (c *linkPhase) withCookies(key urlkey.URL) linkAnswer {
	jar, err := cookiejar.New(&cookiejar.Options{PublicSuffixList: publicsuffix.List})
	if err != nil {
		return notChecked(LinkLimit, err.Error())
	}
	var chain []Hop
	seen := make(map[string]bool)
	for {
		u := key.URL()
		header := c.r.gate.headers[KindLink].Clone()
		var cookies []string
		for _, cookie := range jar.Cookies(u) {
			cookies = append(cookies, cookie.Name+"="+cookie.Value)
		}
		if len(cookies) > 0 {
			header.Set("Cookie", strings.Join(cookies, "; "))
		}
		state := key.String() + " " + header.Get("Cookie")
		if seen[state] || len(chain) > maxLinkHops {
			a := linkAnswer{known: true, source: "check", verdict: LinkBroken, problem: LinkRedirects, at: time.Now(), chain: chain,
				final: key.String(), reason: "a loop: " + key.String() + " leads to itself"}
			a.status = chain[len(chain)-1].Status
			if !seen[state] {
				a.reason = fmt.Sprintf("more than %d redirects", maxLinkHops)
			}
			return a
		}
		seen[state] = true
		if reason := c.mayAsk(Origin(key.Origin())); reason != "" {
			return notChecked(LinkLimit, reason)
		}
		x := c.r.gate.send(c.r.fetching, c.r.gate.fetcher, &Request{URL: u, Kind: KindLink, Header: header, MaxBytes: linkBody, Accept: acceptLink}, 1, nil)
		if !x.sent.IsZero() {
			c.count()
		}
		if x.resp != nil {
			jar.SetCookies(u, (&http.Response{Header: x.resp.Header}).Cookies())
		}
		a := c.read(x, key)
		a.doubtful = false
		if a.next == "" {
			a.chain, a.final = chain, key.String()
			return a
		}
		chain = append(chain, Hop{URL: key.String(), Status: a.status})
		if key, err = urlkey.Parse(a.next); err != nil {
			return notChecked(LinkInvalid, err.Error())
		}
	}
}
