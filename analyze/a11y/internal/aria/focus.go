package aria

import (
	"strings"

	"github.com/amblecrawl/amble/analyze/a11y/internal/css"
	"github.com/amblecrawl/amble/analyze/a11y/internal/dom"
)

// Disabled tells whether the element matches :disabled as HTML defines "actually disabled".
func Disabled(n *dom.Node) bool {
	if !n.Is("button", "input", "select", "textarea", "optgroup", "option", "fieldset") {
		return false
	}
	if n.Has("disabled") {
		return true
	}
	if n.Is("option") && n.Parent.Is("optgroup") && n.Parent.Has("disabled") {
		return true
	}
	if n.Is("optgroup", "option") {
		return false
	}
	child := n
	for p := n.Parent; p != nil; child, p = p, p.Parent {
		if p.Is("fieldset") && p.Has("disabled") && !(child.Is("legend") && firstLegend(p) == child) {
			return true
		}
	}
	return false
}

func firstLegend(fs *dom.Node) *dom.Node {
	for _, c := range fs.Children {
		if c.Is("legend") {
			return c
		}
	}
	return nil
}

// TabIndex returns the tabindex value and whether it is set.
func TabIndex(n *dom.Node) (int, bool) {
	v, ok := n.Get("tabindex")
	if !ok {
		return 0, false
	}
	return ParseInt(v)
}

// CanFocus tells whether the element could take the focus at all, whatever its tabindex: rendered, visible, not inert,
// not disabled.
func canFocus(n *dom.Node) bool {
	if n.Kind != dom.ElementKind || n.NotRendered || n.Invisible || n.Inert || n.Skipped || n.Index < 0 || Disabled(n) {
		return false
	}
	return true
}

func nativelyFocusable(n *dom.Node) bool {
	if n.IsSVG() {
		return n.Tag == "a" && (n.Has("href") || n.Has("xlink:href"))
	}
	switch {
	case n.Is("a", "area"):
		return n.Has("href")
	case n.Is("button", "select", "textarea"):
		return true
	case n.Is("input"):
		return !strings.EqualFold(n.A("type"), "hidden")
	case n.Is("summary"):
		p := n.Parent
		if !p.Is("details") {
			return false
		}
		for _, c := range p.Children {
			if c.Is("summary") {
				return c == n
			}
		}
	case n.Is("audio", "video"):
		return n.Has("controls")
	}
	if v, ok := n.Get("contenteditable"); ok && n.IsHTML() && (v == "" || strings.EqualFold(v, "true") || strings.EqualFold(v, "plaintext-only")) {
		return true
	}
	return false
}

// Focusable tells whether the element can have the focus: by its kind or by a tabindex.
func Focusable(n *dom.Node) bool {
	if !canFocus(n) {
		return false
	}
	if _, ok := TabIndex(n); ok && (n.IsHTML() || n.IsSVG()) {
		return true
	}
	return nativelyFocusable(n) || scrollerFocusable(n)
}

// Tabbable tells whether the element is part of sequential focus navigation.
func Tabbable(n *dom.Node) bool {
	if !Focusable(n) {
		return false
	}
	if t, ok := TabIndex(n); ok && t < 0 {
		return false
	}
	if n.Is("input") && strings.EqualFold(n.A("type"), "radio") {
		return true
	}
	if o := n.Doc.Owner; o != nil {
		if t, ok := TabIndex(o); ok && t < 0 {
			return false
		}
	}
	return true
}

// TabbableIn is Tabbable within the element's own document, whatever its frame element says.
func TabbableIn(n *dom.Node) bool {
	if !Focusable(n) {
		return false
	}
	t, ok := TabIndex(n)
	return !ok || t >= 0
}

// scrollerFocusable: current Chrome and Firefox put a scroll container without focusable content into the tab order.
func scrollerFocusable(n *dom.Node) bool { return false }

// HasTabbable returns the first element in or below n that is part of sequential focus navigation, frames included.
func HasTabbable(n *dom.Node, self bool) *dom.Node {
	if self && n.Kind == dom.ElementKind && Tabbable(n) {
		return n
	}
	nodes := n.Subtree()
	if self {
		nodes = n.Doc.Nodes[n.Index:n.End]
	}
	for _, c := range nodes {
		if c.Kind == dom.ElementKind && Tabbable(c) {
			return c
		}
		if c.Frame != nil && canFocus(c) {
			if t, ok := TabIndex(c); ok && t < 0 {
				continue
			}
			for _, f := range c.Frame.Nodes {
				if f.Kind == dom.ElementKind && Tabbable(f) {
					return c
				}
			}
		}
	}
	return nil
}

// VisibleElement is css.Visible for elements.
func VisibleElement(n *dom.Node) bool { return css.Visible(n) }
