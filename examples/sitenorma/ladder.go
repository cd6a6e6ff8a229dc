package main

import (
	"context"
	"errors"
	"net/url"
	"time"

	"github.com/amblecrawl/amble"
)

// What is promised about reach: without proof of ownership a few pages at most (S7).
const (
	unprovedPages = 5
	provedPages   = 500
)

// climb gives a crawl the reach that its site's owner has proved (S7), and a Store that counts what a site was asked for
// today. shut closes that.
func (o options) climb(ctx context.Context, c *amble.Crawler) (reason string, shut func(), err error) {
	steps := amble.Ladder{Unproved: amble.Budget{Pages: unprovedPages}, Proved: amble.Budget{Pages: provedPages}}
	shut = func() {}
	allowed := steps.For(amble.Proof{}, time.Now())
	if o.state != "" {
		store, err := amble.OpenFileStore(o.state, nil)
		if err != nil {
			return "", nil, err
		}
		shut = func() { _ = store.Close() }
		c.Store = afresh{store}
		if o.account != "" {
			proof, err := o.proof(ctx, store)
			if err != nil {
				shut()
				return "", nil, err
			}
			allowed = steps.For(proof, time.Now())
		}
	}
	if o.proved {
		allowed = amble.Allowance{Budget: steps.Proved, Reason: "proved, as -proved says"}
	}
	if o.pages > 0 {
		allowed.Budget.Pages = min(o.pages, allowed.Budget.Pages)
	}
	allowed.Apply(c)
	return allowed.Reason, shut, nil
}

// proof finds the account's proof of the site, or of its domain; the zero Proof when there is none.
func (o options) proof(ctx context.Context, notes amble.Notebook) (amble.Proof, error) {
	u, err := url.Parse(o.who.Args[0])
	if err != nil {
		return amble.Proof{}, err
	}
	prover, err := o.prover(notes)
	if err != nil {
		return amble.Proof{}, err
	}
	for _, id := range []string{string(amble.OriginOf(u)) + "/", "sc-domain:" + u.Hostname()} {
		property, err := amble.ParseProperty(id)
		if err != nil {
			continue // no domain that can be proved
		}
		proof, err := prover.Proof(ctx, o.account, property)
		switch {
		case err == nil:
			return proof, nil
		case !errors.Is(err, amble.ErrUnproved):
			return amble.Proof{}, err
		}
	}
	return amble.Proof{}, nil
}

// afresh is a Store that counts over runs but reads every page anew: an audit of pages that are as before still has to
// say what is wrong with them.
type afresh struct{ *amble.FileStore }

// Last knows of no earlier visit.
func (afresh) Last(context.Context, string) (amble.Record, error) {
	return amble.Record{}, amble.ErrNoRecord
}
