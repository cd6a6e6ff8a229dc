package a11y

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"golang.org/x/net/html/charset"

	"github.com/amblecrawl/amble"
)

const (
	maxCompared      = 1000     // pages of a crawl
	maxComparedBytes = 64 << 20 // of their HTML
)

// kept is the HTML of a crawl's pages, for rules that compare them. It is safe for concurrent use.
type kept struct {
	mu    sync.Mutex
	pages map[string]string // by URL
	moved map[string]string // URLs that redirect, to where they lead
	size  int
	left  int // pages that were too much
}

// add keeps a page.
func (k *kept) add(p *amble.Page) {
	text := ""
	if s := p.Response.Snapshot; s != nil && s.HTML != "" {
		text = s.HTML
	} else {
		r, err := charset.NewReader(bytes.NewReader(p.Response.Body), p.Response.Header.Get("Content-Type"))
		if err != nil {
			return
		}
		all, err := io.ReadAll(io.LimitReader(r, maxComparedBytes))
		if err != nil {
			return
		}
		text = string(all)
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.pages == nil {
		k.pages, k.moved = map[string]string{}, map[string]string{}
	}
	if len(k.pages) >= maxCompared || k.size+len(text) > maxComparedBytes {
		k.left++
		return
	}
	k.size += len(text)
	k.pages[p.URL] = text
	for _, hop := range p.Chain {
		k.moved[hop.URL] = p.URL
	}
}

// page returns the HTML behind a URL.
func (k *kept) page(u string) (string, bool) {
	if to, ok := k.moved[u]; ok {
		u = to
	}
	text, ok := k.pages[u]
	return text, ok
}

// Finish compares the pages of the crawl, when Compare is set.
func (a *Analyzer) Finish(ctx context.Context, report func(amble.Finding)) error {
	a.kept.mu.Lock()
	defer a.kept.mu.Unlock()
	k := &a.kept
	defer func() { k.pages, k.moved, k.size, k.left = nil, nil, 0, 0 }()
	names, _ := a.names()
	if !a.Compare || len(names) == 0 {
		return nil
	}
	urls := make([]string, 0, len(k.pages))
	for u := range k.pages {
		urls = append(urls, u)
	}
	slices.Sort(urls)
	for _, u := range urls {
		rep, err := CheckHTML(ctx, []byte(k.pages[u]), u, "text/html; charset=utf-8", &Options{Rules: names, AssumeVisible: a.AssumeVisible, Linked: k.page})
		if ctx.Err() != nil {
			return fmt.Errorf("a11y: comparing pages: %w", ctx.Err())
		}
		if err != nil {
			continue // it was reported when the page was judged
		}
		a.send(rep, report)
	}
	return nil
}

// send hands on a report, and its findings under the Analyzer's ids.
func (a *Analyzer) send(rep *Report, report func(amble.Finding)) {
	if a.OnReport != nil {
		a.OnReport(rep)
	}
	for _, f := range rep.Findings {
		if f.Result == amble.CantTell && a.FailuresOnly {
			continue
		}
		f.Rule = "a11y-" + strings.TrimPrefix(f.Rule, "a11y-")
		report(f)
	}
}
