package a11y

import (
	"strings"

	"github.com/amblecrawl/amble/analyze/a11y/internal/aria"
	"github.com/amblecrawl/amble/analyze/a11y/internal/css"
	"github.com/amblecrawl/amble/analyze/a11y/internal/dom"
	"golang.org/x/net/html"
)

// frameSameName: iframes of one name hold the same or equivalent pages (ACT 4b1c6c).
func frameSameName(p *pass) {
	sameName(p, func(n *dom.Node) bool { return n.Is("iframe") && aria.Exposed(n) }, func(n *dom.Node) string {
		if n.Has("srcdoc") {
			return ""
		}
		return n.A("src")
	}, "Another iframe of the same name holds another page.")
}

// linkSameName: links of one name lead to the same or equivalent pages (ACT b20e66).
func linkSameName(p *pass) {
	sameName(p, func(n *dom.Node) bool {
		return (n.IsHTML() || n.IsSVG()) && aria.Inherits(aria.Of(n), "link") && aria.Exposed(n)
	}, destination, "Another link of the same name leads to another page.")
}

// linkSameContext: links of one name in the same context lead to the same or equivalent pages (ACT fd3a94).
func linkSameContext(p *pass) {
	sameNameIn(p, func(n *dom.Node) bool {
		return (n.IsHTML() || n.IsSVG()) && aria.Inherits(aria.Of(n), "link") && aria.Exposed(n)
	}, destination, linkContext, "Another link of the same name, in the same paragraph, list item or cell, leads to another page.")
}

// linkContext is what surrounds a link as WCAG has it, as text: the list item or table cell, or the paragraph that it stands
// in, and what describes it.
func linkContext(n *dom.Node) string {
	around := n.Closest(func(a *dom.Node) bool {
		if a == n || a.Kind != dom.ElementKind {
			return a.Kind == dom.DocumentKind
		}
		switch aria.Of(a) {
		case "listitem", "cell", "gridcell", "columnheader", "rowheader", "paragraph":
			return true
		}
		return a.IsHTML() && !css.Inline(a)
	})
	if around == nil {
		return ""
	}
	out := dom.Collapse(around.DOMTextPrefix(2000))
	for _, d := range n.Refs("aria-describedby") {
		out += " " + dom.Collapse(d.DOMTextPrefix(2000))
	}
	return out
}

// sameName groups elements by name and compares where they lead.
func sameName(p *pass, applies func(*dom.Node) bool, address func(*dom.Node) string, why string) {
	sameNameIn(p, applies, address, func(*dom.Node) string { return "" }, why)
}

// sameNameIn groups elements by name and by what context says, and compares where they lead.
func sameNameIn(p *pass, applies func(*dom.Node) bool, address, context func(*dom.Node) string, why string) {
	groups := map[string][]*dom.Node{}
	var names []string
	p.each(func(n *dom.Node) {
		if !applies(n) {
			return
		}
		name := strings.ToLower(dom.Collapse(aria.Name(n)))
		if name == "" {
			return
		}
		key := name + "\x00" + context(n)
		if groups[key] == nil {
			names = append(names, key)
		}
		groups[key] = append(groups[key], n)
	})
	for _, key := range names {
		set := groups[key]
		name, _, _ := strings.Cut(key, "\x00")
		if len(set) < 2 {
			continue
		}
		first := set[0]
		a := resolved(first, address)
		worst, other := 0, (*dom.Node)(nil) // 0 same, 1 not known, 2 different
		for _, n := range set[1:] {
			b := resolved(n, address)
			verdict := 1
			switch {
			case a == b && a != "":
				verdict = 0
			case a == "" || b == "":
			default:
				verdict = p.compare(first, n, a, b)
			}
			if verdict > worst {
				worst, other = verdict, n
			}
		}
		switch worst {
		case 0:
			p.ok(first)
		case 1:
			p.cannot(other, "Whether both lead to pages that serve the same purpose needs a person, or the pages.", "name", name, "first", selector(first))
		default:
			p.fail(other, why, "name", name, "first", selector(first))
		}
	}
}

func resolved(n *dom.Node, address func(*dom.Node) string) string {
	ref := address(n)
	if ref == "" {
		return ""
	}
	return strings.TrimSuffix(n.Doc.ResolveURL(ref), "#")
}

// compare tells whether two addresses hold the same (0) or different (2) content, or that it is not known (1).
func (p *pass) compare(n, m *dom.Node, a, b string) int {
	ta, oka := p.contentOf(n, a)
	tb, okb := p.contentOf(m, b)
	if !oka || !okb {
		return 1
	}
	if ta == tb {
		if pa, _, qa := strings.Cut(a, "?"); qa {
			if pb, _, qb := strings.Cut(b, "?"); qb && pa == pb && a != b {
				return 1 // a script of the page may show something else for each query
			}
		}
		return 0
	}
	// Different numbers on pages of the same words (phones, prices, dates) are different content.
	na, nb := numbers(ta), numbers(tb)
	if lacks(na, nb) && lacks(nb, na) {
		return 2
	}
	switch s := overlap(ta, tb); {
	case s >= 0.4:
		return 0
	case s <= 0.15:
		return 2
	}
	return 1
}

// numbers returns the numbers of four digits and more in a text.
func numbers(s string) map[string]bool {
	out := map[string]bool{}
	for _, w := range words(withParentheses(s)) {
		if len(w) >= 4 && strings.Trim(w, "0123456789") == "" {
			out[w] = true
		}
	}
	return out
}

func lacks(a, b map[string]bool) bool {
	for x := range b {
		if !a[x] {
			return true
		}
	}
	return false
}

// maxContents bounds how many pages that links and frames lead to are read for one page.
const maxContents = 50

// contentOf returns the text of the page that an element leads to.
func (p *pass) contentOf(n *dom.Node, u string) (string, bool) {
	if n.Frame != nil && n.Frame.Body() != nil {
		return dom.Collapse(n.Frame.Body().DOMText()), true
	}
	if p.page.options.Linked == nil {
		return "", false
	}
	known, _ := p.page.memo["contents"].(map[string]content)
	if known == nil {
		known = map[string]content{}
		p.page.memo["contents"] = known
	}
	c, ok := known[u]
	if !ok && len(known) < maxContents {
		c.text, c.ok = p.read(u)
		known[u] = c
	}
	return c.text, c.ok
}

type content struct {
	text string
	ok   bool
}

// read reads the text of a page at an address, after redirects that the page itself asks for.
func (p *pass) read(u string) (string, bool) {
	for range 4 {
		u, _, _ = strings.Cut(u, "#")
		text, ok := p.page.options.Linked(u)
		if !ok {
			return "", false
		}
		root, err := html.Parse(strings.NewReader(text))
		if err != nil {
			return "", false
		}
		d := dom.FromHTML(root, u, "text/html")
		if to := instantRefresh(d); to != "" {
			u = d.ResolveURL(to)
			continue
		}
		if d.Body() == nil {
			return "", false
		}
		var b strings.Builder
		within := d.Body()
		for _, c := range within.Subtree() {
			if c.Is("main") {
				within = c
				break
			}
		}
		for _, c := range within.Subtree() {
			if c.Kind == dom.TextKind && !c.Parent.Is("script", "style") {
				b.WriteString(" " + c.Text)
			}
			if c.Is("img") {
				b.WriteString(" " + c.A("alt"))
			}
		}
		return dom.Collapse(b.String()), true
	}
	return "", false
}

// instantRefresh returns where a page redirects to at once.
func instantRefresh(d *dom.Document) string {
	m, t := firstRefresh(d)
	if m == nil || t != 0 {
		return ""
	}
	_, rest, ok := strings.Cut(m.A("content"), "=")
	if !ok {
		return ""
	}
	return strings.Trim(strings.TrimSpace(rest), `"'`)
}

// overlap is the share of the shorter text's words that the other text has too.
func overlap(a, b string) float64 {
	wa, wb := wordSet(a), wordSet(b)
	if len(wa) > len(wb) {
		wa, wb = wb, wa
	}
	if len(wa) == 0 {
		return 0
	}
	common := 0
	for w := range wa {
		if wb[w] {
			common++
		}
	}
	return float64(common) / float64(len(wa))
}

func wordSet(s string) map[string]bool {
	m := map[string]bool{}
	for _, w := range words(withParentheses(s)) {
		m[w] = true
	}
	return m
}

// withParentheses keeps what stands in parentheses, which words would drop.
func withParentheses(s string) string { return strings.NewReplacer("(", " ", ")", " ").Replace(s) }
