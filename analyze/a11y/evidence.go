package a11y

import (
	"fmt"
	"strings"

	"github.com/amblecrawl/amble/analyze/a11y/internal/dom"
)

// Boundary stands in a selector where it goes into a shadow tree or into a frame's document.
const Boundary = " >>> "

// selectorOf returns a CSS selector that finds the element again in its own tree.
func selectorOf(n *dom.Node) string {
	for n != nil && n.Kind == dom.TextKind {
		n = n.Parent
	}
	if n == nil || n.Kind != dom.ElementKind {
		return ""
	}
	var steps []string
	root := n.Scope()
	for e := n; e != nil && e.Kind == dom.ElementKind; e = e.DOMParent {
		if e.Scope() != root {
			continue // of another tree: a slot, or beyond the host
		}
		if id := e.A("id"); id != "" && plain(id) && len(e.Doc.AllByID(e, id)) == 1 {
			steps = append(steps, "#"+id)
			break
		}
		step := strings.ToLower(e.Tag)
		if !plain(step) {
			step = "*"
		}
		if e.DOMParent != nil && e.DOMParent.Kind != dom.DocumentKind && !e.Is("html", "body", "head") && (e.Tree == nil || e.DOMParent.Scope() == root || e.InShadow && !e.DOMParent.InShadow) {
			step += fmt.Sprintf(":nth-child(%d)", e.ElemPos)
		}
		steps = append(steps, step)
		if e.Is("body") || len(steps) > 40 {
			break
		}
	}
	var b strings.Builder
	for i := len(steps) - 1; i >= 0; i-- {
		b.WriteString(steps[i])
		if i > 0 {
			b.WriteString(" > ")
		}
	}
	return b.String()
}

// selector finds an element again, through shadow roots and frames: at each of them stands a Boundary; what is before it
// selects the host or the frame element, what follows selects inside.
func selector(n *dom.Node) string {
	s := selectorOf(n)
	for n != nil {
		root := n.Scope()
		switch {
		case root.Kind == dom.ShadowKind && root.Host != nil:
			n = root.Host
		case n.Doc.Owner != nil:
			n = n.Doc.Owner
		default:
			return s
		}
		s = selectorOf(n) + Boundary + s
	}
	return s
}

// plain tells whether a name needs no escaping in a selector.
func plain(s string) bool {
	for i := 0; i < len(s); i++ {
		c := s[i]
		if !(c == '-' || c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || i > 0 && c >= '0' && c <= '9') {
			return false
		}
	}
	return s != "" && s != "-"
}

// snippet returns the start tag of the element, shortened, with what a user may have typed left out.
func snippet(n *dom.Node) string {
	if n == nil {
		return ""
	}
	if n.Kind == dom.TextKind {
		return cut(dom.Collapse(n.Text), 120)
	}
	var b strings.Builder
	b.WriteString("<" + n.Tag)
	for _, a := range n.Attr {
		v := a.Value
		if a.Name == "value" && n.Is("input") && !n.Is("button") {
			switch strings.ToLower(n.A("type")) {
			case "submit", "button", "reset", "checkbox", "radio", "range":
			default:
				v = "…"
			}
		}
		if strings.HasPrefix(a.Name, "on") || a.Name == "srcdoc" {
			v = "…"
		}
		fmt.Fprintf(&b, ` %s="%s"`, a.Name, strings.ReplaceAll(cut(v, 80), `"`, "&quot;"))
		if b.Len() > 280 {
			b.WriteString(" …")
			break
		}
	}
	b.WriteString(">")
	if t := dom.Collapse(n.DOMTextPrefix(60)); t != "" && !n.Is("textarea") {
		b.WriteString(cut(t, 60))
	}
	return b.String()
}

func cut(s string, n int) string {
	r := []rune(s)
	if len(r) <= n {
		return s
	}
	return string(r[:n]) + "…"
}

func boxText(r dom.Rect) string { return fmt.Sprintf("%.0f,%.0f %.0f×%.0f", r.X, r.Y, r.W, r.H) }
