package css

import (
	"strings"

	"github.com/amblecrawl/amble/analyze/a11y/internal/dom"
)

// Match tells whether the selector selects the element.
func (sel *Selector) Match(n *dom.Node) bool { return sel.match(n, len(sel.parts)-1) }

// maxMatching bounds the tests of elements against selectors for one document. What is left undone then counts as a style
// sheet that was not read.
const maxMatching = 10_000_000

func (sel *Selector) match(n *dom.Node, i int) bool {
	if n.Doc != nil {
		if n.Doc.Matching++; n.Doc.Matching > maxMatching {
			return false
		}
	}
	c := &sel.parts[i]
	if !c.match(n) {
		return false
	}
	if i == 0 {
		return true
	}
	switch c.comb {
	case '>':
		p := parentElement(n)
		return p != nil && sel.match(p, i-1)
	case '+':
		p := previous(n)
		return p != nil && sel.match(p, i-1)
	case '~':
		for p := previous(n); p != nil; p = previous(p) {
			if sel.match(p, i-1) {
				return true
			}
		}
		return false
	default:
		for p := parentElement(n); p != nil; p = parentElement(p) {
			if sel.match(p, i-1) {
				return true
			}
		}
		return false
	}
}

func parentElement(n *dom.Node) *dom.Node {
	if p := n.DOMParent; p != nil && p.Kind == dom.ElementKind {
		return p
	}
	return nil
}

func previous(n *dom.Node) *dom.Node { return n.PrevElem }

func (c *compound) match(n *dom.Node) bool {
	if n == nil || n.Kind != dom.ElementKind {
		return false
	}
	if c.tag != "" && c.tag != "*" && !strings.EqualFold(c.tag, n.Tag) {
		return false
	}
	for _, id := range c.ids {
		if n.A("id") != id {
			return false
		}
	}
	if len(c.class) > 0 {
		have := n.A("class")
		for _, cl := range c.class {
			if !hasWord(have, cl) {
				return false
			}
		}
	}
	for i := range c.attrs {
		if !c.attrs[i].match(n) {
			return false
		}
	}
	for i := range c.pseudo {
		if !c.pseudo[i].match(n) {
			return false
		}
	}
	return true
}

func hasWord(list, word string) bool {
	for list != "" {
		list = strings.TrimLeft(list, " \t\r\n\f")
		i := strings.IndexAny(list, " \t\r\n\f")
		if i < 0 {
			return list == word
		}
		if list[:i] == word {
			return true
		}
		list = list[i:]
	}
	return false
}

func (t *attrTest) match(n *dom.Node) bool {
	v, ok := n.Get(t.name)
	if !ok {
		return false
	}
	want := t.value
	if t.fold {
		v, want = strings.ToLower(v), strings.ToLower(want)
	}
	switch t.op {
	case 0:
		return true
	case '=':
		return v == want
	case '~':
		return want != "" && hasWord(v, want)
	case '|':
		return v == want || strings.HasPrefix(v, want+"-")
	case '^':
		return want != "" && strings.HasPrefix(v, want)
	case '$':
		return want != "" && strings.HasSuffix(v, want)
	case '*':
		return want != "" && strings.Contains(v, want)
	}
	return false
}

func (p *pseudoTest) match(n *dom.Node) bool {
	switch p.name {
	case "not":
		for i := range p.sels {
			if p.sels[i].Match(n) {
				return false
			}
		}
		return true
	case "is", "where", "matches", "-webkit-any":
		for i := range p.sels {
			if p.sels[i].Match(n) {
				return true
			}
		}
		return false
	case "has":
		for i := range p.sels {
			if hasRelative(&p.sels[i], n) {
				return true
			}
		}
		return false
	case "root":
		return n == n.Doc.HTML
	case "scope":
		return n == n.Doc.HTML
	case "empty":
		for _, c := range n.DOMChildren {
			if c.Kind == dom.ElementKind || c.Text != "" {
				return false
			}
		}
		return true
	case "first-child":
		i, _ := position(n, false)
		return i == 1
	case "last-child":
		i, total := position(n, false)
		return i == total
	case "only-child":
		_, total := position(n, false)
		return total == 1
	case "first-of-type":
		i, _ := position(n, true)
		return i == 1
	case "last-of-type":
		i, total := position(n, true)
		return i == total
	case "only-of-type":
		_, total := position(n, true)
		return total == 1
	case "nth-child", "nth-of-type":
		i, _ := position(n, p.name == "nth-of-type")
		return nth(p.a, p.b, i)
	case "nth-last-child", "nth-last-of-type":
		i, total := position(n, p.name == "nth-last-of-type")
		return nth(p.a, p.b, total-i+1)
	case "link", "any-link":
		return n.Is("a", "area") && n.Has("href")
	case "checked":
		return n.Is("input") && n.Has("checked") || n.Is("option") && n.Has("selected")
	case "disabled":
		return n.Is("button", "input", "select", "textarea", "fieldset", "option", "optgroup") && n.Has("disabled")
	case "enabled":
		return n.Is("button", "input", "select", "textarea", "fieldset", "option", "optgroup") && !n.Has("disabled")
	case "required":
		return n.Is("input", "select", "textarea") && n.Has("required")
	case "optional":
		return n.Is("input", "select", "textarea") && !n.Has("required")
	case "open":
		return n.Is("details", "dialog") && n.Has("open")
	case "defined":
		return true
	case "lang":
		for a := n; a != nil; a = a.DOMParent {
			if l := strings.ToLower(a.A("lang")); l != "" {
				want := strings.ToLower(strings.Trim(p.arg, `"'`))
				return l == want || strings.HasPrefix(l, want+"-")
			}
		}
		return false
	}
	return false
}

func hasRelative(sel *Selector, n *dom.Node) bool {
	first := sel.parts[0].comb
	// The leftmost compound is tied to n by its combinator; the rest is checked by ordinary matching from below.
	var try func(*dom.Node) bool
	try = func(c *dom.Node) bool {
		if c.Kind == dom.ElementKind && sel.Match(c) {
			return true
		}
		for _, k := range c.DOMChildren {
			if try(k) {
				return true
			}
		}
		return false
	}
	switch first {
	case '>':
		for _, c := range n.DOMChildren {
			if c.Kind == dom.ElementKind && (len(sel.parts) == 1 && sel.Match(c) || len(sel.parts) > 1 && try(c)) {
				return true
			}
		}
	case '+', '~':
		if n.DOMParent == nil {
			return false
		}
		after := false
		for _, c := range n.DOMParent.DOMChildren {
			if after && c.Kind == dom.ElementKind {
				if try(c) {
					return true
				}
				if first == '+' {
					return false
				}
			}
			after = after || c == n
		}
	default:
		for _, c := range n.DOMChildren {
			if try(c) {
				return true
			}
		}
	}
	return false
}

func position(n *dom.Node, sameType bool) (i, total int) {
	if n.DOMParent == nil {
		return 1, 1
	}
	if !sameType {
		for k := len(n.DOMParent.DOMChildren) - 1; k >= 0; k-- {
			if c := n.DOMParent.DOMChildren[k]; c.Kind == dom.ElementKind {
				return n.ElemPos, c.ElemPos
			}
		}
	}
	for _, c := range n.DOMParent.DOMChildren {
		if c.Kind != dom.ElementKind || sameType && (c.Tag != n.Tag || c.NS != n.NS) {
			continue
		}
		total++
		if c == n {
			i = total
		}
	}
	return i, total
}

func nth(a, b, i int) bool {
	if a == 0 {
		return i == b
	}
	d := i - b
	return d%a == 0 && d/a >= 0
}
