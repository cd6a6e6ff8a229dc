package amble

import (
	"strings"

	"github.com/amblecrawl/amble/internal/charset"
	"github.com/amblecrawl/amble/internal/htmltree"
)

// parseTree parses a page's body under bounds; see internal/htmltree.
func parseTree(p *Page) *tree {
	r := p.Response
	if r == nil || len(r.Body) == 0 || p.Meta == nil && !isHTML(r.Header) {
		return &tree{}
	}
	text, _ := charset.Decode(r.Body, strings.Join(r.Header.Values("Content-Type"), ", "))
	doc, partial := htmltree.Parse(text, htmltree.Limits{})
	return &tree{doc: doc, partial: partial || p.Partial()}
}
