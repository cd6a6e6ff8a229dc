// Package htmltree parses HTML into a tree within bounds of time and size.
//
// The parser of x/net/html has three costs that a page can drive up: nesting over 512 elements is an error without a
// document, repeated body and html tags take quadratic time, and unclosed formatting elements multiply nodes a
// thousandfold, as the standard demands. Here the parser gets the page in small pieces, and no more of it once a bound
// is met: what has been read becomes the tree, marked partial. There is always a tree.
package htmltree

import (
	"bytes"
	"io"
	"time"

	"golang.org/x/net/html"
)

// Limits bound one parse. Zero fields mean the defaults.
type Limits struct {
	Time time.Duration // wall time after which no more is read; 250 ms
	Tags int           // "<" signs; 500,000
}

// chunk is how much the parser gets at a time: small, since it works off all of it before the clock is looked at.
const chunk = 1 << 10

// Parse parses a page in UTF-8, scripting on, as browsers have it: noscript holds text. partial says that a bound was
// met and the tree is that of a beginning of the page.
func Parse(page []byte, limits Limits) (doc *html.Node, partial bool) {
	if limits.Time <= 0 {
		limits.Time = 250 * time.Millisecond
	}
	if limits.Tags <= 0 {
		limits.Tags = 500_000
	}
	deadline := time.Now().Add(limits.Time)
	for {
		r := &reader{page: page, deadline: deadline, tags: limits.Tags}
		doc, err := html.ParseWithOptions(r, html.ParseOptionEnableScripting(true))
		if err == nil {
			return doc, partial || r.cut
		}
		// Nested too deeply: the piece handed out last did it. Its document is lost; that of what came before is not.
		partial = true
		page = page[:max(0, r.given-r.last)]
		if len(page) == 0 {
			doc, _ = html.Parse(bytes.NewReader(nil))
			return doc, true
		}
		deadline = deadline.Add(limits.Time)
	}
}

// reader hands out a page in pieces until a bound is met.
type reader struct {
	page     []byte
	given    int // bytes handed out, last of them in the last piece
	last     int
	deadline time.Time
	tags     int
	cut      bool
}

func (r *reader) Read(p []byte) (int, error) {
	rest := r.page[r.given:]
	if len(rest) == 0 {
		return 0, io.EOF
	}
	if r.tags <= 0 || r.given > 0 && time.Now().After(r.deadline) {
		r.cut = true
		return 0, io.EOF
	}
	n := copy(p, rest[:min(len(rest), chunk)])
	r.tags -= bytes.Count(p[:n], []byte{'<'})
	r.given += n
	r.last = n
	return n, nil
}
