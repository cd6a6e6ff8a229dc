package amble

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"

	"github.com/amblecrawl/amble/internal/sitemapxml"
	"github.com/amblecrawl/amble/internal/urlkey"
)

const (
	maxSitemapDepth = 2 // an index in an index is wrong, but met; deeper is a trap
	maxSitemapHops  = 5
	sitemapBatch    = 500 // entries pushed at once
)

// readSitemap does a sitemap task: it finds the sitemaps of a server, or reads one file. pushed says that the Store got
// something new, retry that the server's turn is still to come.
func (r *run) readSitemap(t task) (pushed, retry bool) {
	if t.item.URL == "" {
		r.findSitemaps(t)
		return false, false
	}
	var resp *Response
	var at urlkey.URL
	err := error(&Error{Op: "budget", URL: t.item.URL, Kind: ErrBudget, Reason: fmt.Sprintf("the run's %d bytes are used up", r.budget.Bytes)})
	if !r.outOfBytes() {
		if resp, at, err = r.fetchSitemap(t); err == errNotYet {
			return false, true
		}
	}
	report := SitemapReport{URL: t.item.URL, Parent: t.item.Referrer}
	defer func() {
		r.mu.Lock()
		r.summary.Sitemaps = append(r.summary.Sitemaps, report)
		r.mu.Unlock()
		r.analysis.eachSitemapWatcher(func(w SitemapWatcher) { w.SeeSitemap(report) })
	}()
	if err != nil {
		report.Err = err
		return false, false
	}
	defer resp.Release()
	return r.scanSitemap(t, resp, at, &report), false
}

// findSitemaps queues what robots.txt names, or else /sitemap.xml (C3).
func (r *run) findSitemaps(t task) {
	u, err := url.Parse(string(t.item.Origin) + "/")
	if err != nil {
		return
	}
	var named []string
	if lister, ok := r.gate.robots.(SitemapLister); ok {
		if named, err = lister.Sitemaps(r.fetching, u, r.gate.via()); err != nil && !errors.Is(err, ErrUnreachable) {
			r.log.Warn("no sitemaps from robots.txt", "server", string(t.item.Origin), "error", err)
		}
	}
	parent := robotsURL(u).String()
	if len(named) == 0 {
		named, parent = []string{string(t.item.Origin) + "/sitemap.xml"}, ""
	}
	for _, address := range named {
		r.queueSitemap(task{named: t.item.Origin, item: Item{URL: address, Referrer: parent}})
	}
}

// queueSitemap queues a file once. It reports false when the run's files are used up.
func (r *run) queueSitemap(t task) bool {
	r.mu.Lock()
	known := r.sitemaps[t.item.URL]
	room := r.budget.Sitemaps < 0 || len(r.sitemaps) < r.budget.Sitemaps
	if !known && room {
		r.sitemaps[t.item.URL] = true
	}
	r.mu.Unlock()
	if known || !room {
		return known
	}
	t.sitemap = true
	t.item.Origin, t.item.Source = originOfKey(t.item.URL), SourceSitemap
	r.sched.push(t)
	return true
}

// fetchSitemap asks for one file and follows its redirects, each hop through the gate.
func (r *run) fetchSitemap(t task) (*Response, urlkey.URL, error) {
	address := t.item.URL
	key, _, err := r.parse(address)
	if err != nil {
		return nil, key, err
	}
	started := func() { r.sched.started(t.item.Origin) }
	for range maxSitemapHops + 1 {
		req := &Request{URL: key.URL(), Kind: KindSitemap, MaxBytes: r.budget.SitemapBytes,
			Accept: func(status int, _ http.Header) bool { return status == http.StatusOK }}
		resp, err := r.gate.sendPatiently(r.fetching, req, started)
		started = nil // the hops after the first are waited for
		if err != nil {
			return nil, key, err
		}
		if resp.Status == http.StatusOK {
			return resp, key, nil
		}
		status, location := resp.Status, resp.Header.Get("Location")
		resp.Release()
		if status < 300 || status >= 400 || location == "" {
			return nil, key, &Error{Op: "sitemap", URL: key.String(), Kind: ErrUnreachable, Reason: fmt.Sprintf("status %d", status)}
		}
		if key, err = urlkey.Resolve(key, location); err != nil || key.Kind() != urlkey.KindHTTP {
			return nil, key, &Error{Op: "sitemap", URL: address, Kind: ErrRedirect, Reason: "leads to " + location}
		}
	}
	return nil, key, &Error{Op: "sitemap", URL: address, Kind: ErrRedirect, Reason: "too many redirects"}
}

// scanSitemap reads a file's entries: pages are pushed in batches, further files queued.
func (r *run) scanSitemap(t task, resp *Response, at urlkey.URL, report *SitemapReport) (pushed bool) {
	scanner := sitemapxml.NewScanner(bytes.NewReader(resp.Body), sitemapxml.Options{
		URL: at.String(), ContentType: resp.Header.Get("Content-Type"), Decoded: resp.Header.Get("Content-Encoding") != "",
		Named: []string{string(t.named)}, Listed: t.nested > 0, Now: resp.Sent, MaxBytes: max(r.budget.SitemapBytes, 0), CutAtLimit: resp.Cut == CutLimit,
	})
	var batch []Item
	flush := func() bool {
		batch = r.admit(batch)
		fresh, err := r.store.Commit(context.WithoutCancel(r.fetching), Step{Push: batch})
		batch = batch[:0]
		if err != nil {
			r.fail(&Error{Op: "store", Kind: ErrStore, Err: err})
			return false
		}
		pushed = r.count(fresh) || pushed
		return true
	}
	for entry := range scanner.Entries() {
		if r.fetching.Err() != nil {
			break
		}
		if scanner.Format() == sitemapxml.Index {
			r.nested(t, entry.Loc.String(), report)
			continue
		}
		if n := r.sitemapEntries.Add(1); r.budget.SitemapEntries >= 0 && n > int64(r.budget.SitemapEntries) {
			report.Problems = append(report.Problems, "the run's sitemap entries are used up")
			break
		}
		r.analysis.eachSitemapWatcher(func(w SitemapWatcher) { w.SeeEntry(sitemapEntry(entry, at)) })
		batch = append(batch, Item{URL: entry.Loc.String(), Origin: Origin(entry.Loc.Origin()), Source: SourceSitemap, Referrer: at.String(), LastMod: entry.LastMod})
		report.Entries++
		if len(batch) == sitemapBatch && !flush() {
			return pushed
		}
	}
	if len(batch) > 0 {
		flush()
	}
	report.Type = string(scanner.Format())
	for _, problem := range scanner.Problems() {
		report.Problems = append(report.Problems, fmt.Sprintf("line %d: %s: %s", problem.Line, problem.Kind, problem.Detail))
		report.Faults = append(report.Faults, SitemapFault{Line: problem.Line, Kind: string(problem.Kind), Detail: problem.Detail})
	}
	return pushed
}

// nested queues a file that an index lists.
func (r *run) nested(t task, loc string, report *SitemapReport) {
	report.Entries++
	if t.nested >= maxSitemapDepth {
		if !report.skipped {
			report.skipped = true
			report.Problems = append(report.Problems, "indexes nested too deep; not read: "+loc+" and what follows")
		}
		return
	}
	if !r.queueSitemap(task{nested: t.nested + 1, named: t.named, item: Item{URL: loc, Referrer: t.item.URL}}) && !report.skipped {
		report.skipped = true
		report.Problems = append(report.Problems, "the run's sitemap files are used up; not read: "+loc+" and what follows")
	}
}

func sitemapEntry(e sitemapxml.Entry, file urlkey.URL) SitemapEntry {
	out := SitemapEntry{URL: e.Loc.String(), File: file.String(), Line: e.Line, LastMod: e.LastMod}
	for _, a := range e.Alternates {
		out.Alternates = append(out.Alternates, Alternate{Lang: a.Lang, Href: a.URL, URL: a.URL})
	}
	return out
}
