package seo

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/amblecrawl/amble"
	"github.com/amblecrawl/amble/analyze/internal/audit"
)

// verdicts is the work of Finish: the nodes with what links to them, and the findings, one per rule and target.
type verdicts struct {
	*site
	pages    []int32 // analysed pages, by URL
	in       []incoming
	complete bool // nothing was left out that could hold links: what is absent is absent
	groups   audit.Groups

	entrances map[int32]bool // where redirects of links end; made when first asked for
}

// incoming is what links to a node.
type incoming struct {
	count, follow int32
	first         [5]int32 // by URL
}

func (s *site) finish(ctx context.Context, report func(amble.Finding)) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	v := &verdicts{site: s}
	v.prepare()
	for _, step := range []func(*verdicts){
		(*verdicts).statuses, (*verdicts).redirects, (*verdicts).canonicals, (*verdicts).hreflang,
		(*verdicts).structure, (*verdicts).sitemapFiles, (*verdicts).entries, (*verdicts).robotsFiles, (*verdicts).blocked, (*verdicts).duplicates,
	} {
		if err := ctx.Err(); err != nil {
			return err
		}
		step(v)
	}
	v.groups.Report(report)
	s.reset()
	return nil
}

func (v *verdicts) prepare() {
	for i := range v.nodes {
		if v.nodes[i].rec != nil {
			v.pages = append(v.pages, int32(i))
		}
	}
	slices.SortFunc(v.pages, func(a, b int32) int { return cmp.Compare(v.nodes[a].url, v.nodes[b].url) })
	v.in = make([]incoming, len(v.nodes))
	for _, page := range v.pages {
		for _, code := range v.nodes[page].rec.out {
			in := &v.in[code>>1]
			if int(in.count) < len(in.first) {
				in.first[in.count] = page
			}
			in.count++
			if code&1 == 0 {
				in.follow++
			}
		}
	}
	v.complete = !v.full
	for i := range v.nodes {
		n := &v.nodes[i]
		known := v.in[i].count > 0 || n.file != none || n.flags&isSeed != 0
		switch n.outcome {
		case amble.OutcomeNone:
			v.complete = v.complete && !known
		case amble.OutcomeUnchanged, amble.OutcomeTooLarge, amble.OutcomeTruncated, amble.OutcomeThrottled, amble.OutcomeBlocked,
			amble.OutcomeUnreachable, amble.OutcomeGivenUp, amble.OutcomeOverBudget, amble.OutcomeCancelled:
			v.complete = v.complete && n.flags&tooLong != 0
		}
	}
}

// absent is the result of rules that judge what no page does: only a complete crawl can tell.
func (v *verdicts) absent() amble.Result {
	if v.complete {
		return amble.Failed
	}
	return amble.CantTell
}

// flag adds to the finding of a rule on a target. page is where it was met.
func (v *verdicts) flag(rule, target, page string, result amble.Result, message string, evidence ...string) *audit.Group {
	return v.groups.Add(rule, target, page, result, message, evidence...)
}

// linked is flag for a target of links.
func (v *verdicts) linked(rule string, target int32, result amble.Result, message string, evidence ...string) {
	url := v.nodes[target].url
	in := &v.in[target]
	page := url
	if in.count > 0 {
		page = v.nodes[in.first[0]].url
	}
	g := v.flag(rule, url, page, result, message, evidence...)
	g.Count, g.Pages = int(in.count), g.Pages[:0]
	for i := range min(int(in.count), len(in.first)) {
		g.Pages = append(g.Pages, v.nodes[in.first[i]].url)
	}
}

func (v *verdicts) indexable(i int32) bool {
	n := &v.nodes[i]
	return n.rec != nil && !n.rec.noindex
}

// own tells whether a page is analysed, may be indexed and stands for itself.
func (v *verdicts) own(i int32) bool { return v.indexable(i) && v.nodes[i].rec.canonical == i }

// known tells whether a link, a sitemap or the caller named a URL.
func (v *verdicts) known(i int32) bool {
	return v.in[i].count > 0 || v.nodes[i].file != none || v.nodes[i].flags&isSeed != 0
}

func (v *verdicts) statuses() {
	for i := range v.nodes {
		n, id := &v.nodes[i], int32(i)
		linked := v.in[i].count > 0 || n.flags&isSeed != 0
		if !linked {
			continue
		}
		switch {
		case n.outcome == amble.OutcomeHTTPError && n.status >= 500 && n.status != 999:
			v.linked("status-5xx", id, amble.Failed, fmt.Sprintf("The server answers with %d.", n.status), "status", status(n))
		case n.outcome == amble.OutcomeHTTPError && broken(n.status):
			v.linked("status-4xx", id, amble.Failed, fmt.Sprintf("The server answers with %d.", n.status), "status", status(n))
		case n.outcome == amble.OutcomeUnreachable:
			v.linked("no-response", id, amble.CantTell, "No usable answer came: "+n.why, "reason", n.why)
		case n.outcome == amble.OutcomeDisallowed && n.flags&ruled != 0 && n.file == none:
			v.linked("robots-blocked", id, amble.CantTell, "robots.txt keeps robots out; links lead there. Is that meant?", "rule", n.why)
		}
	}
}

func status(n *node) string {
	return strings.TrimSpace(fmt.Sprintf("%d %s", n.status, http.StatusText(int(n.status))))
}

// chain is where a redirect leads.
type chain struct {
	nodes []int32 // from the first URL to the last one known
	loop  int     // index into nodes of the URL that the last one leads back to, or -1
}

func (v *verdicts) follow(start int32) chain {
	c := chain{nodes: []int32{start}, loop: -1}
	for cur := start; v.nodes[cur].outcome == amble.OutcomeRedirected && v.nodes[cur].redirect != none; {
		cur = v.nodes[cur].redirect
		if c.loop = slices.Index(c.nodes, cur); c.loop >= 0 {
			return c
		}
		c.nodes = append(c.nodes, cur)
		if len(c.nodes) > 40 {
			return c
		}
	}
	return c
}

func (v *verdicts) chainText(c chain) string {
	var b strings.Builder
	for i, id := range c.nodes {
		if i > 0 {
			b.WriteString(" → ")
		}
		b.WriteString(v.nodes[id].url)
		if n := &v.nodes[id]; n.status > 0 {
			fmt.Fprintf(&b, " (%d)", n.status)
		}
	}
	if c.loop >= 0 {
		b.WriteString(" → " + v.nodes[c.nodes[c.loop]].url)
	}
	return b.String()
}

// first returns the node whose URL comes first: the same one in every run.
func (v *verdicts) first(list []int32) int32 {
	return slices.MinFunc(list, func(a, b int32) int { return cmp.Compare(v.nodes[a].url, v.nodes[b].url) })
}

const maxHops = 10 // Googlebot follows no more

func (v *verdicts) redirects() {
	for i := range v.nodes {
		n, start := &v.nodes[i], int32(i)
		if n.outcome != amble.OutcomeRedirected || !v.known(start) {
			continue
		}
		if n.flags&badLocation != 0 {
			v.linked("redirect-invalid", start, amble.Failed, "A redirect leads nowhere: "+n.why, "status", status(n))
			continue
		}
		c := v.follow(start)
		text := v.chainText(c)
		hops := len(c.nodes) - 1
		last := &v.nodes[c.nodes[hops]]
		if c.loop >= 0 {
			v.linked("redirect-loop", v.first(c.nodes[c.loop:]), amble.Failed, "Redirects run in a circle.", "chain", text)
			continue
		}
		downgrade := false
		for h := range hops {
			downgrade = downgrade || strings.HasPrefix(v.nodes[c.nodes[h]].url, "https:") && strings.HasPrefix(v.nodes[c.nodes[h+1]].url, "http:")
		}
		if downgrade {
			v.linked("redirect-to-http", start, amble.Failed, "A redirect leads from https to http.", "chain", text)
			continue
		}
		switch {
		case hops > maxHops || last.flags&tooLong != 0:
			v.linked("redirect-too-long", start, amble.Failed, fmt.Sprintf("More than %d redirects in a row.", hops-1), "chain", text)
		case last.outcome == amble.OutcomeHTTPError && broken(last.status):
			v.linked("redirect-to-broken", start, amble.Failed, "A redirect ends at an error.", "chain", text)
		case hops > 1:
			v.linked("redirect-chain", start, amble.Failed, fmt.Sprintf("It takes %d redirects to get to the page.", hops), "chain", text)
		case v.in[i].count > 0 && !isHome(n.url) && isHome(last.url) && deep(n.url):
			v.linked("redirect-to-home", start, amble.Failed, "A page is redirected to the home page, as if it had never been there.", "chain", text)
		case v.in[i].count > 0:
			v.linked("redirect-internal", start, amble.Failed, "Links lead to a redirect.", "chain", text)
		}
		if v.in[i].count > 0 && (n.status == 302 || n.status == 303 || n.status == 307) {
			v.linked("redirect-temporary", start, amble.Failed, "The redirect says that it is temporary.", "chain", text)
		}
	}
}

// deep tells whether a path is more than a language or section at the top.
func deep(url string) bool {
	_, rest, _ := strings.Cut(url, "://")
	_, path, _ := strings.Cut(rest, "/")
	return len(strings.Trim(path, "/")) > 5 || strings.Contains(strings.Trim(path, "/"), "/")
}

func isRedirectError(err error) bool { return errors.Is(err, amble.ErrRedirect) }

// isAnswered tells whether a sitemap failed by an answer of the server itself.
func isAnswered(err error) bool {
	return err != nil && (strings.Contains(err.Error(), "status 404") || strings.Contains(err.Error(), "status 410") || errors.Is(err, amble.ErrRedirect))
}
