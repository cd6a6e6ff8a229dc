package amble

import (
	"context"
	"maps"
	"slices"

	"github.com/amblecrawl/amble/internal/urlkey"
)

// report gives out every result, in the order in which the targets were first seen.
func (c *linkPhase) report(ctx context.Context) {
	l := c.table
	l.mu.Lock()
	defer l.mu.Unlock()
	sum := &LinkSummary{References: l.refs, Verdicts: make(map[LinkVerdict]int), Problems: make(map[LinkProblem]int),
		Requests: c.sent, Dropped: l.dropped}
	if !c.opt.SkipFragments {
		sum.Fragments = make(map[LinkVerdict]int)
	}
	give := func(res *LinkResult) {
		if res.Problem != "" {
			sum.Problems[res.Problem]++
		}
		if c.opt.Report != nil {
			c.opt.Report(res)
		}
		c.r.analysis.link(ctx, res, c.r.addFindings)
	}
	for _, t := range l.order {
		if !t.asked() {
			continue
		}
		res, last, places := c.result(t)
		for _, member := range t.probers {
			c.r.analysis.probed(member, res, c.r.addFindings)
		}
		if t.count == 0 {
			continue
		}
		sum.Targets++
		sum.Verdicts[res.Verdict]++
		if res.Source == "cache" {
			sum.Cached++
		}
		give(res)
		for _, name := range slices.Sorted(maps.Keys(t.places)) {
			place := c.place(t, res, last, places, name)
			sum.Fragments[place.Verdict]++
			if place.Verdict == LinkBroken || place.Verdict == LinkUnverifiable {
				give(place)
			}
		}
	}
	c.r.mu.Lock()
	defer c.r.mu.Unlock()
	c.r.summary.Links = sum
}

// result judges one target. places reports whether its fragments lead into the page at the end of the chain.
func (c *linkPhase) result(t *linkTarget) (res *LinkResult, last *linkTarget, places bool) {
	res = &LinkResult{URL: t.url, Final: t.url, Kind: t.kind, Href: t.href, Text: t.text, Pages: int(t.pages),
		References: int(t.count), Referrers: t.names}
	if t.bad != "" {
		res.Problem, res.Reason = t.bad, t.badReason
		return res, t, false
	}
	if key, err := urlkey.Parse(t.url); err == nil {
		res.Internal = c.r.scope.reachesURL(key)
	}
	if c.silenced(t) {
		res.Problem, res.Reason = LinkGivenUp, "the site that names it was given up"
		return res, t, false
	}
	last, chain, a := c.table.resolve(t)
	if a.doubtful { // it was never asked for again
		a.verdict, a.reason = LinkNotChecked, "it failed once and could not be asked for again: "+a.reason
		a.problem = LinkLimit
	}
	res.Verdict, res.Problem, res.Reason, res.Status = a.verdict, a.problem, a.reason, a.status
	res.MediaType, res.Checked, res.Source, res.Chain, res.Final = a.media, a.at, a.source, chain, last.url
	if a.final != "" {
		res.Final = a.final
	}
	if res.Verdict == LinkOK && len(chain) > 0 {
		res.Verdict = LinkRedirected
	}
	places = a.verdict == LinkOK
	for _, hop := range chain {
		if t := c.table.targets[hop.URL]; t == nil || t.answer.places {
			places = false
		}
	}
	return res, last, places
}

// place judges one fragment of a target.
func (c *linkPhase) place(t *linkTarget, of *LinkResult, last *linkTarget, known bool, name string) *LinkResult {
	refs := t.places[name]
	res := *of
	res.Fragment, res.Verdict, res.Problem, res.Reason = name, LinkNotChecked, "", "the page's ids are not known completely"
	res.Pages, res.References, res.Referrers = int(refs.pages), int(refs.count), refs.names
	res.Kind, res.Text, res.Href = "link", "", "#"+name
	if !known || last.ids == nil {
		return &res
	}
	switch {
	case last.ids.Has(name):
		res.Verdict, res.Reason = LinkOK, ""
	case last.makesIDs:
		res.Verdict, res.Problem, res.Reason = LinkUnverifiable, LinkScripted, "the page has no such id; its scripts may make it"
	default:
		res.Verdict, res.Problem = LinkBroken, LinkNoFragment
		res.Reason = "the page has no element with this id, and no anchor of this name"
	}
	return &res
}
