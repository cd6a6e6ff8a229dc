package amble

import (
	"context"
	"fmt"
	"time"
)

// newGate makes the crawl's way out of the Crawler's parts and their defaults. leave, when not nil, closes what the
// gate's own Fetcher keeps open.
func (c *Crawler) newGate(s *scope, l *ledger, timeout time.Duration) (g *gate, leave func()) {
	s.sameSite, s.off = c.Resources.SameSite, c.Switch
	g = &gate{agent: c.Agent, scope: s, robots: c.Robots, limiter: c.Limiter, fetcher: c.Fetcher, resources: c.Resources,
		ledger: l, observer: c.Observer, off: c.Switch, signer: c.Signer, timeout: timeout}
	if g.fetcher == nil {
		fetcher := &HTTPFetcher{}
		g.fetcher, leave = fetcher, fetcher.CloseIdleConnections
	}
	g.guard, _ = g.fetcher.(URLGuard)
	if g.limiter == nil {
		g.limiter = &ServerLimiter{}
	}
	g.forecast, _ = g.limiter.(Forecaster)
	if g.robots == nil {
		g.robots = &RFC9309{Tokens: c.Agent.ProductTokens()}
	}
	g.tooLate = fmt.Sprintf("no whole answer within %v", timeout)
	g.makeHeaders()
	return g, leave
}

// Via is a Crawler's way out for single requests outside a crawl: proofs of ownership, link checks, files under
// /.well-known/. It is a Fetcher behind which the gate stands: switch and scope (the excluded hosts; for KindPage the
// whole Scope), robots.txt, address guard, limiter, signature. A server that says "not now" is asked once more after the
// wait, as Backoff has it. Redirects are answers, each to be followed by a request of its own.
//
// It is safe for concurrent use. Set Crawler.Limiter and Crawler.Robots where it should keep pace with running crawls.
type Via struct {
	gate  *gate
	leave func()
}

// Via checks the Crawler's configuration and returns its way out. Close it after use.
func (c *Crawler) Via() (*Via, error) {
	if err := c.validate(); err != nil {
		return nil, err
	}
	scope, err := c.Scope.compile(nil)
	if err != nil {
		return nil, err
	}
	g, leave := c.newGate(scope, newLedger(), c.Budget.withDefaults().PageTime)
	return &Via{g, leave}, nil
}

// Fetch implements Fetcher. Request.Header may be nil: the Agent's own is sent then.
func (v *Via) Fetch(ctx context.Context, req *Request) (*Response, error) {
	own := *req
	return v.gate.sendPatiently(ctx, &own, nil)
}

// Close gives up the connections that were kept open. The Via must not be used afterwards.
func (v *Via) Close() {
	if v.leave != nil {
		v.leave()
	}
}
