package amble

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/amblecrawl/amble/internal/challenge"
	"github.com/amblecrawl/amble/internal/urlkey"
)

// pageOf starts the page of an item.
func pageOf(item Item) *Page {
	return &Page{URL: item.URL, Source: item.Source, Referrer: item.Referrer, Depth: item.Depth, Chain: item.Chain}
}

// end gives the page its outcome, unless it has one.
func (p *Page) end(o Outcome, err error) {
	if p.Outcome != OutcomeNone {
		return
	}
	p.Outcome, p.Err = o, err
	if p.Reason == "" && err != nil {
		p.Reason = reasonOf(err)
	}
}

// reasonOf says an error in words for a person, in one line: without the operation and the URL, which the page tells
// already.
func reasonOf(err error) string {
	text := err.Error()
	if e, ok := errors.AsType[*Error](err); ok {
		parts := make([]string, 0, 2)
		if e.Reason != "" {
			parts = append(parts, e.Reason)
		} else if e.Kind != nil {
			parts = append(parts, e.Kind.Error())
		}
		if e.Err != nil {
			parts = append(parts, causeOf(e.Err))
		}
		text = strings.Join(parts, ": ")
	}
	return oneLine(text)
}

// causeOf says the cause of an *Error: of an *Error inside only what its own cause does not say better.
func causeOf(err error) string {
	switch e := err.(type) {
	case *Error:
		switch {
		case e.Err != nil && e.Reason != "":
			return e.Reason + ": " + causeOf(e.Err)
		case e.Err != nil:
			return causeOf(e.Err)
		case e.Reason != "":
			return e.Reason
		case e.Kind != nil:
			return e.Kind.Error()
		}
	case *FetchError:
		if e.Trouble == TroubleRefused {
			return "connection refused"
		}
	}
	return err.Error()
}

// oneLine joins the lines of a text, such as those of errors.Join.
func oneLine(text string) string {
	lines := strings.FieldsFunc(text, func(c rune) bool { return c == '\n' || c == '\r' })
	for i := range lines {
		lines[i] = strings.TrimSpace(lines[i])
	}
	return strings.Join(lines, "; ")
}

// visit decides about one URL, asks for it when all say yes, and reads the answer. retry says that the task waits for
// another attempt instead.
func (r *run) visit(t *task) (p *Page, retry bool) {
	p = pageOf(t.item)
	p.Attempts = t.attempt
	key, u, err := r.parse(t.item.URL)
	if err != nil {
		p.end(OutcomeBadURL, err)
		return p, false
	}
	p.parsed = u
	r.recall(p)
	if o, err := r.refuse(t, key); err != nil {
		p.end(o, err)
		return p, false
	}
	if r.dry {
		r.decide(p)
		return p, false
	}
	if r.skips(t, p) {
		r.pages.Add(-1)
		p.end(OutcomeUnchanged, nil)
		p.Reason = "its sitemap says so (lastmod), and has proved right"
		return p, false
	}
	day, ok, err := r.quotas.take(r.fetching, t.item.Origin)
	switch {
	case err != nil:
		r.fail(err)
		p.end(OutcomeCancelled, err)
		return p, false
	case !ok:
		r.pages.Add(-1)
		p.end(OutcomeOverBudget, &Error{Op: "quota", URL: p.URL, Kind: ErrBudget,
			Reason: fmt.Sprintf("the site's %d pages of the day are used up", r.c.Quota.PagesPerDay)})
		return p, false
	}
	req := &Request{URL: u, Kind: KindPage, MaxBytes: r.pageBytes(), Accept: acceptPage}
	r.addConditions(p, req)
	x := r.gate.send(r.fetching, r.pageFetcher(), req, t.attempt+1, func() { r.leaves(t, day) })
	p.Robots = x.verdict
	if x.sent.IsZero() {
		r.pages.Add(-1) // reserved by refuse
		r.quotas.giveBack(day)
		if x.err == errNotYet {
			return nil, true
		}
		p.end(r.ending(x.err))
		return p, false
	}
	t.attempt++
	p.Attempts, p.Fetched = t.attempt, x.sent
	if x.advice.Retry && r.fetching.Err() == nil {
		x.resp.Release()
		r.pages.Add(-1)
		return nil, true
	}
	r.read(p, x, key)
	r.watch(p, t.item.Origin)
	return p, false
}

// leaves is called when a page's request is about to leave. With a quota it is counted durably first, whatever becomes of
// the process; a retry counts again.
func (r *run) leaves(t *task, day string) {
	r.sched.started(t.item.Origin)
	if r.history == nil || r.c.Quota.PagesPerDay <= 0 {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.fetching), commitTime)
	defer cancel()
	if _, err := r.store.Commit(ctx, Step{Spent: []Spent{{Key: day, Pages: 1}}}); err != nil {
		r.fail(&Error{Op: "store", Kind: ErrStore, Err: err})
	}
}

// pageFetcher is what loads pages: the Renderer where a rule needs them rendered.
func (r *run) pageFetcher() Fetcher {
	if r.analysis.rendered && r.c.Renderer != nil {
		return r.c.Renderer
	}
	return r.gate.fetcher
}

// refuse ends a URL before anything is asked: scope, traps, the site given up, budgets. Where it does not, a page of the
// budget is reserved.
func (r *run) refuse(t *task, key urlkey.URL) (Outcome, error) {
	if err := r.scope.covers(key); err != nil {
		return r.ending(err)
	}
	if !t.judged && t.item.Source != SourceSeed && !r.c.Traps.Off {
		t.judged = true
		if why := r.traps.Check(key); why != "" {
			return OutcomeOverBudget, &Error{Op: "trap", URL: key.String(), Kind: ErrTrap, Reason: why}
		}
	}
	budget := func(format string, limit any) (Outcome, error) {
		return OutcomeOverBudget, &Error{Op: "budget", URL: key.String(), Kind: ErrBudget, Reason: fmt.Sprintf(format, limit)}
	}
	switch {
	case r.ledger.look(t.item.Origin).isGivenUp():
		return OutcomeGivenUp, &Error{Op: "crawl", URL: key.String(), Kind: ErrSiteGivenUp,
			Reason: fmt.Sprintf("%d pages in a row could not be loaded", r.giveUpAfter())}
	case r.budget.Depth >= 0 && t.item.Depth > r.budget.Depth:
		return budget("more than %d links from a seed", r.budget.Depth)
	case r.budget.Redirects >= 0 && len(t.item.Chain) > r.budget.Redirects:
		return OutcomeOverBudget, &Error{Op: "redirect", URL: key.String(), Kind: ErrRedirect, Err: ErrBudget,
			Reason: fmt.Sprintf("more than %d redirects in a row", r.budget.Redirects)}
	case r.outOfBytes():
		return budget("the run's %d bytes are used up", r.budget.Bytes)
	}
	if r.dry {
		return OutcomeNone, nil
	}
	if n := r.pages.Add(1); r.budget.Pages >= 0 && n > int64(r.budget.Pages) {
		r.pages.Add(-1)
		return budget("the run's %d pages are used up", r.budget.Pages)
	}
	return OutcomeNone, nil
}

func (r *run) outOfBytes() bool { return r.budget.Bytes > 0 && r.bytes.Load() >= r.budget.Bytes }

// pageBytes is how much of one page may be read.
func (r *run) pageBytes() int64 {
	if r.budget.PageBytes < 0 {
		return -1
	}
	return r.budget.PageBytes
}

// decide asks robots.txt and goes no further (Plan).
func (r *run) decide(p *Page) {
	v, err := r.gate.robots.Check(r.fetching, p.ParsedURL(), r.gate.via())
	if err != nil {
		p.end(r.ending(err))
		return
	}
	p.Robots = &v
	if !v.Allowed {
		p.end(OutcomeDisallowed, disallowed(p.ParsedURL(), &v))
		return
	}
	if r.gate.guard != nil {
		if err := r.gate.guard.CheckURL(p.ParsedURL()); err != nil {
			p.end(OutcomeForbidden, err)
		}
	}
}

// ending sorts the errors by which a URL can end. What the end of the run cut short ends with the reason of that end.
func (r *run) ending(err error) (Outcome, error) {
	for _, row := range []struct {
		kind error
		o    Outcome
	}{
		{ErrBadURL, OutcomeBadURL},
		{ErrOutOfScope, OutcomeOutOfScope},
		{ErrDisallowed, OutcomeDisallowed},
		{ErrForbiddenAddr, OutcomeForbidden},
		{ErrSiteGivenUp, OutcomeGivenUp},
		{ErrThrottled, OutcomeThrottled},
		{ErrChallenge, OutcomeBlocked},
		{ErrBudget, OutcomeOverBudget},
	} {
		if errors.Is(err, row.kind) {
			return row.o, err
		}
	}
	if r.fetching.Err() != nil {
		cause := context.Cause(r.fetching)
		if over, ok := errors.AsType[*Error](cause); ok && errors.Is(cause, ErrBudget) {
			return OutcomeOverBudget, &Error{Op: over.Op, Kind: ErrBudget, Reason: over.Reason, Err: err}
		}
		return OutcomeCancelled, err
	}
	return OutcomeUnreachable, err
}

// acceptPage lets in what may be a page; of other answers only the head is read.
func acceptPage(status int, h http.Header) bool {
	if status == http.StatusNoContent || status == http.StatusNotModified || 300 <= status && status < 400 {
		return false
	}
	return status >= 400 || isHTML(h) || h.Get("Content-Type") == ""
}

func isHTML(h http.Header) bool {
	media := mediaType(h)
	return media == "text/html" || media == "application/xhtml+xml"
}

// read sorts an answer and looks at the page.
func (r *run) read(p *Page, x exchange, key urlkey.URL) {
	if x.err != nil {
		p.end(r.ending(x.err))
		return
	}
	resp := x.resp
	p.Response, p.Status = resp, resp.Status
	defer func() {
		if !r.c.KeepBodies {
			resp.Release()
			resp.Body = nil
		}
	}()
	if p.Block = r.block(p); p.Block != nil && !Throttled(p.Status, resp.Header) {
		p.end(OutcomeBlocked, &Error{Op: "fetch", URL: p.URL, Kind: ErrChallenge,
			Reason: p.Block.Vendor + " " + p.Block.Kind + ": " + p.Block.Evidence})
		return
	}
	status := resp.Status
	switch {
	case Throttled(status, resp.Header):
		p.end(OutcomeThrottled, &Error{Op: "fetch", URL: p.URL, Kind: ErrThrottled, Reason: x.advice.Reason})
	case status == http.StatusNotModified && p.Previous != nil:
		p.end(OutcomeUnchanged, nil)
	case 300 <= status && status < 400 && status != http.StatusNotModified:
		r.redirect(p, key)
	case status >= 400 || status < 200 || status == http.StatusNotModified:
		p.end(OutcomeHTTPError, nil)
		p.Reason = fmt.Sprintf("status %d %s", status, http.StatusText(status))
		r.analysis.run(r.fetching, p)
	case resp.Cut == CutUnwanted || len(resp.Body) == 0 && !isHTML(resp.Header) || !r.looksHTML(p):
		p.end(OutcomeNotHTML, &Error{Op: "fetch", URL: p.URL, Kind: ErrNotHTML, Reason: contentType(resp.Header)})
	default:
		r.analyse(p)
	}
}

// analyse reads a page's metadata and lets the Analyzers look.
func (r *run) analyse(p *Page) {
	resp := p.Response
	p.Meta, p.outline = MetaOptions{
		Tokens: r.c.Agent.ProductTokens(), Now: resp.Sent,
		Resources: r.analysis.resources || r.links != nil && !r.links.opt.SkipFiles,
		IDs:       r.analysis.ids || r.links != nil && !r.links.opt.SkipFragments,
	}.parse(resp.Body, p.ParsedURL(), resp.Header, r.analysis.outline)
	if p.outline != nil {
		p.outline.partial = p.outline.partial || p.Partial()
	}
	r.analysis.run(r.fetching, p)
	switch resp.Cut {
	case CutLimit:
		p.end(OutcomeTooLarge, &Error{Op: "fetch", URL: p.URL, Kind: ErrTooLarge,
			Reason: fmt.Sprintf("cut at %d bytes; the part read was analysed", len(resp.Body))})
	case CutBroken, CutEncoding:
		p.end(OutcomeTruncated, &Error{Op: "fetch", URL: p.URL, Kind: ErrTruncated,
			Reason: fmt.Sprintf("broke off after %d bytes; the part read was analysed", len(resp.Body))})
	default:
		p.end(OutcomeAnalysed, nil)
	}
}

// looksHTML decides by the first bytes when no content type was sent.
func (r *run) looksHTML(p *Page) bool {
	if p.Response.Header.Get("Content-Type") != "" {
		return isHTML(p.Response.Header)
	}
	return strings.HasPrefix(http.DetectContentType(p.Response.Body), "text/html")
}

func contentType(h http.Header) string {
	if v := h.Get("Content-Type"); v != "" {
		return "the content type is " + v
	}
	return "no content type, and it does not look like HTML"
}

// block finds out whether the answer stands in the page's way (S11).
func (r *run) block(p *Page) *Block {
	answer := challenge.Answer{Requested: p.URL, URL: p.URL, Status: p.Status, Header: p.Response.Header, Body: p.Response.Body}
	if len(p.Chain) > 0 {
		answer.Requested = p.Chain[0].URL
	}
	v := challenge.Block(answer)
	if !v.Blocked {
		return nil
	}
	return &Block{Vendor: v.Vendor, Kind: string(v.Kind), Evidence: v.Evidence, refusal: v.Kind == challenge.Challenge ||
		v.Kind == challenge.Denied || v.Kind == challenge.RateLimited}
}

// redirect reads where a redirect leads. The target is a decision of its own, made when its turn comes.
func (r *run) redirect(p *Page, key urlkey.URL) {
	bad := func(reason string) {
		p.end(OutcomeRedirected, &Error{Op: "redirect", URL: p.URL, Kind: ErrRedirect, Reason: reason})
	}
	location := p.Response.Header.Get("Location")
	if location == "" {
		bad(fmt.Sprintf("status %d without a Location", p.Status))
		return
	}
	target, err := urlkey.Resolve(key, location)
	if err != nil {
		bad("the Location cannot be read: " + err.Error())
		return
	}
	p.Redirect = target.String()
	p.Reason = fmt.Sprintf("status %d to %s", p.Status, p.Redirect)
	loops := p.Redirect == p.URL || slices.ContainsFunc(p.Chain, func(h Hop) bool { return h.URL == p.Redirect })
	if loops {
		p.Reason = ""
		bad("a loop: " + p.Redirect + " was asked for before in this chain")
		return
	}
	if p.Source == SourceSeed || p.Source == SourceRedirect && p.Depth == 0 {
		if r.scope.addTwin(key, target) {
			r.addTwin(Origin(target.Origin()))
		}
	}
	p.end(OutcomeRedirected, nil)
}

// watch counts pages that could not be loaded, and gives the site up after too many in a row (S21).
func (r *run) watch(p *Page, o Origin) {
	failed := false
	switch p.Outcome {
	case OutcomeThrottled, OutcomeUnreachable:
		failed = true
	case OutcomeBlocked:
		failed = p.Block.refusal // a login or a legal block is an answer about that page alone
	case OutcomeHTTPError:
		failed = p.Status >= 500
	case OutcomeCancelled, OutcomeOverBudget, OutcomeForbidden, OutcomeOutOfScope:
		return // says nothing about the server
	}
	if r.ledger.account(o).loaded(!failed, r.giveUpAfter()) {
		r.log.Warn("site given up", "server", string(o), "pages in a row", r.giveUpAfter())
		r.gate.observe(r.fetching, Event{Kind: EventGivenUp, Time: time.Now(), URL: string(o), Reason: p.Reason})
	}
}

func (r *run) giveUpAfter() int { return defaulted(r.c.GiveUpAfter, 3) }

// follow lists what a page leads to: its redirect's target and its links.
func (r *run) follow(t *task, p *Page) []Item {
	if p.Redirect != "" && p.Err == nil {
		chain := append(slices.Clone(p.Chain), Hop{URL: p.URL, Status: p.Status})
		return r.admit([]Item{{URL: p.Redirect, Origin: originOfKey(p.Redirect), Source: SourceRedirect,
			Depth: p.Depth, Referrer: p.Referrer, Chain: chain}})
	}
	if !r.followsLinks() {
		return nil
	}
	links := p.leadsTo()
	items := r.itemsFor(len(links))
	for _, link := range links {
		if origin := originOfKey(link); origin != "" {
			items = append(items, Item{URL: link, Origin: origin, Source: SourceLink, Depth: p.Depth + 1, Referrer: p.URL})
		}
	}
	return r.admit(items)
}

// leadsTo lists the URLs that a crawl may follow from a page: from its links, or from what was kept of an unchanged one.
func (p *Page) leadsTo() []string {
	if p.Outcome == OutcomeUnchanged && p.Previous != nil {
		return p.Previous.Links
	}
	if p.Meta == nil || p.Meta.Robots.NoFollow {
		return nil
	}
	links := make([]string, 0, len(p.Meta.Links))
	for i := range p.Meta.Links {
		if link := &p.Meta.Links[i]; link.Rel == 0 && strings.HasPrefix(link.URL, "http") {
			links = append(links, link.URL)
		}
	}
	return links
}

// admit drops what no longer fits into Budget.URLs.
func (r *run) admit(items []Item) []Item {
	if r.budget.URLs < 0 {
		return items
	}
	room := max(r.budget.URLs-int(r.urls.Load()), 0)
	if len(items) > room {
		r.dropped.Add(int64(len(items) - room))
		items = items[:room]
	}
	return items
}

func (r *run) followsLinks() bool { return r.c.Discover == 0 || r.c.Discover&DiscoverLinks != 0 }

// spent is what a page cost, counted by site and day. With a quota its pages were counted when its requests left.
func (r *run) spent(p *Page) []Spent {
	s := Spent{Key: r.quotas.key(OriginOf(p.ParsedURL())), Requests: int64(p.Attempts)}
	if r.c.Quota.PagesPerDay <= 0 {
		s.Pages = int64(p.Attempts)
	}
	if p.Response != nil {
		s.Bytes = p.Response.EncodedBytes
	}
	return []Spent{s}
}
