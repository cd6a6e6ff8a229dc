package a11y

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/amblecrawl/amble"
	"github.com/amblecrawl/amble/analyze/a11y/internal/css"
	"github.com/amblecrawl/amble/analyze/a11y/internal/dom"
	"golang.org/x/net/html"
	"golang.org/x/net/html/charset"
)

// Options are what a check may be told beside the page. The zero value is fit for use.
type Options struct {
	// Rules names the rules to run, by id or by ACT id. Empty: all.
	Rules []string
	// StyleSheet returns the text of a style sheet by its resolved address. nil, or false, leaves it unread: in the
	// static form, failures that a style sheet could undo are then cantTell.
	StyleSheet func(url string) (css string, ok bool)
	// AssumeVisible reports such failures as failures, as if no unread style sheet hid anything.
	AssumeVisible bool
	// ContentType is the media type of a snapshot's document; "" stands for text/html.
	ContentType string
	// Linked returns the HTML that a link or frame of the page leads to, after redirects, by its resolved address. Rules
	// that compare pages (repeated blocks, frames and links of one name) are cantTell without it. It must not send
	// requests during a crawl: it gives what the crawl has read already.
	Linked func(url string) (html string, ok bool)
}

// CheckHTML judges a page by its HTML alone: the static form. contentType is the media type of the answer; "" stands for
// text/html. XML documents (SVG, XHTML) are read as XML. Rules that need a browser are untested, and what cannot be
// decided without layout is cantTell. A page
// that nests deeper than 512 elements is an error. It is safe for concurrent use and ends soon after ctx does.
func CheckHTML(ctx context.Context, body []byte, pageURL, contentType string, opts *Options) (*Report, error) {
	media := strings.ToLower(strings.TrimSpace(strings.SplitN(contentType, ";", 2)[0]))
	var root *html.Node
	var err error
	if media == "image/svg+xml" || strings.HasSuffix(media, "+xml") || media == "text/xml" || media == "application/xml" {
		root, err = dom.ParseXML(body)
		if root == nil {
			return nil, fmt.Errorf("a11y: the page cannot be read as XML: %w", err)
		}
	} else {
		var r io.Reader = bytes.NewReader(body)
		if u, uerr := charset.NewReader(r, contentType); uerr == nil {
			r = u
		}
		if root, err = html.Parse(r); err != nil {
			return nil, fmt.Errorf("a11y: the page cannot be read as HTML: %w", err)
		}
	}
	return CheckNode(ctx, root, pageURL, contentType, opts)
}

// CheckNode is CheckHTML for a page that is parsed already. The tree is only read.
func CheckNode(ctx context.Context, root *html.Node, pageURL, contentType string, opts *Options) (*Report, error) {
	if opts == nil {
		opts = &Options{}
	}
	d := dom.FromHTML(root, pageURL, contentType)
	css.Resolve(d, opts.StyleSheet)
	return check(ctx, d, *opts, nil)
}

// check runs the rules over a model.
func check(ctx context.Context, d *dom.Document, opts Options, picture *pixels, zoomed ...*dom.Document) (*Report, error) {
	pg := &page{ctx: ctx, top: d, docs: d.Documents(), options: opts, memo: map[string]any{}, pixels: picture, zoomed: zoomed}
	rep := &Report{URL: d.URL, Rendered: d.Rendered}
	for i := range rules {
		r := &rules[i]
		if !wanted(r, opts.Rules) {
			continue
		}
		if err := ctx.Err(); err != nil {
			return rep, err
		}
		if r.Rendered && !d.Rendered {
			rep.Outcomes = append(rep.Outcomes, Outcome{Rule: r.ID, Result: amble.Untested, Reason: "the rule needs the page as a browser shows it"})
			continue
		}
		if r.Linked && opts.Linked == nil {
			rep.Outcomes = append(rep.Outcomes, Outcome{Rule: r.ID, Result: amble.Untested, Reason: "the rule needs the pages that this one links to"})
			continue
		}
		if r.Listens && !d.Listened {
			rep.Outcomes = append(rep.Outcomes, Outcome{Rule: r.ID, Result: amble.Untested, Reason: "the rule needs to know who waits for events: let the browser list them"})
			continue
		}
		if r.Zoomed && pg.zoomedTo(0, reflowWidth) == nil {
			rep.Outcomes = append(rep.Outcomes, Outcome{Rule: r.ID, Result: amble.Untested, Reason: "the rule needs the page at 400 %: let the browser show it"})
			continue
		}
		p := &pass{rule: r, page: pg, doc: d}
		r.run(p)
		p.finish()
		rep.Outcomes = append(rep.Outcomes, p.out)
		rep.Findings = append(rep.Findings, p.list...)
	}
	return rep, ctx.Err()
}

func wanted(r *Rule, names []string) bool {
	if len(names) == 0 {
		return true
	}
	for _, n := range names {
		if n == r.ID {
			return true
		}
		for _, a := range r.ACT {
			if n == a {
				return true
			}
		}
	}
	return false
}
