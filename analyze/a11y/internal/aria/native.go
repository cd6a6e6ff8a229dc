package aria

import (
	"strings"

	"github.com/amblecrawl/amble/analyze/a11y/internal/dom"
)

func selectText(n *dom.Node) string {
	var parts []string
	var first *dom.Node
	for _, o := range n.Subtree() {
		if !o.Is("option") {
			continue
		}
		if first == nil {
			first = o
		}
		if o.Has("selected") {
			parts = append(parts, o.DOMText())
		}
	}
	if len(parts) == 0 && first != nil && !n.Has("multiple") {
		parts = append(parts, first.DOMText())
	}
	return strings.Join(parts, " ")
}

// Labels returns the label elements of a labelable element, in tree order.
func Labels(n *dom.Node) []*dom.Node {
	if !n.Is("button", "input", "meter", "output", "progress", "select", "textarea") && !strings.Contains(n.Tag, "-") {
		return nil
	}
	var out []*dom.Node
	id := n.A("id")
	if id != "" && n.Doc.ByID(n, id) == n {
		out = append(out, n.Doc.LabelsFor(n, id)...)
	}
	for p := n.DOMParent; p != nil; p = p.DOMParent {
		if p.Is("label") {
			if !p.Has("for") && firstLabelable(p) == n {
				out = append(out, p)
			}
			break
		}
	}
	return out
}

func firstLabelable(l *dom.Node) *dom.Node {
	for _, c := range l.DOMChildren {
		if c.Is("button", "meter", "output", "progress", "select", "textarea") || c.Is("input") && !strings.EqualFold(c.A("type"), "hidden") || c.IsHTML() && strings.Contains(c.Tag, "-") {
			return c
		}
		if f := firstLabelable(c); f != nil {
			return f
		}
	}
	return nil
}

func (c *computation) labels(n *dom.Node, t traversal) string {
	var parts []string
	for _, l := range Labels(n) {
		if c.visited[l] {
			continue
		}
		if s := c.text(l, traversal{referenced: true, hidden: hidden(l)}); tidy(s) != "" {
			parts = append(parts, s)
		}
	}
	return strings.Join(parts, " ")
}

func childTag(n *dom.Node, tag string) *dom.Node {
	for _, c := range n.Children {
		if c.Is(tag) {
			return c
		}
	}
	return nil
}

// native is step 2E. done is true when the host language settles the name, even as empty.
func (c *computation) native(n *dom.Node, role string, t traversal) (s string, done bool) {
	if n.IsSVG() {
		return c.svg(n)
	}
	if n.NS != dom.HTML {
		return "", false
	}
	if role == "none" {
		if n.Is("img") {
			return "", true
		}
		return "", false
	}
	attr := func(names ...string) (string, bool) {
		for _, a := range names {
			if v := n.A(a); strings.TrimSpace(v) != "" {
				return v, true
			}
		}
		return "", false
	}
	switch n.Tag {
	case "input":
		if t.root || role == "button" {
			if s := c.labels(n, t); tidy(s) != "" && t.root {
				return s, true
			}
		}
		switch strings.ToLower(n.A("type")) {
		case "button", "submit", "reset":
			if v := n.A("value"); strings.TrimSpace(v) != "" {
				return v, true
			}
			return "", false
		case "image":
			if s, ok := attr("alt"); ok {
				return s, true
			}
			return "", false
		case "checkbox", "radio", "hidden":
			return "", false
		}
		if s, ok := attr("title", "placeholder", "aria-placeholder"); ok && t.root {
			return s, true
		}
		return "", false
	case "textarea":
		if t.root {
			if s := c.labels(n, t); tidy(s) != "" {
				return s, true
			}
			if s, ok := attr("title", "placeholder", "aria-placeholder"); ok {
				return s, true
			}
		}
		return "", t.root
	case "select", "meter", "progress", "output", "button":
		if t.root {
			if s := c.labels(n, t); tidy(s) != "" {
				return s, true
			}
		}
		return "", false
	case "img":
		if alt, ok := n.Get("alt"); ok && (alt == "" || strings.TrimSpace(alt) != "") {
			return alt, true
		}
		return "", false
	case "area":
		if s, ok := attr("alt"); ok {
			return s, true
		}
		return "", false
	case "fieldset":
		if l := firstLegend(n); l != nil && t.root {
			return c.text(l, traversal{referenced: true, hidden: false}), true
		}
	case "table":
		if l := childTag(n, "caption"); l != nil && t.root {
			if s := c.text(l, traversal{referenced: true}); tidy(s) != "" {
				return s, true
			}
		}
	case "figure":
		if l := childTag(n, "figcaption"); l != nil && t.root {
			if s := c.text(l, traversal{referenced: true}); tidy(s) != "" {
				return s, true
			}
		}
	case "optgroup", "option":
		if s, ok := attr("label"); ok {
			return s, true
		}
	case "iframe", "frame", "object", "embed", "video", "audio", "canvas":
		if n.Tag == "canvas" {
			break
		}
		if s, ok := attr("title"); ok {
			return s, true
		}
		return "", true
	}
	if strings.Contains(n.Tag, "-") && t.root {
		if s := c.labels(n, t); tidy(s) != "" {
			return s, true
		}
	}
	return "", false
}

func (c *computation) svg(n *dom.Node) (string, bool) {
	for _, k := range n.Children {
		if k.IsSVG() && k.Tag == "title" {
			if s := k.DOMText(); strings.TrimSpace(s) != "" {
				return s, true
			}
		}
	}
	if n.Tag == "a" {
		if v := n.A("xlink:title"); strings.TrimSpace(v) != "" {
			return v, true
		}
		return "", false
	}
	if n.Tag == "title" || n.Tag == "desc" || n.Tag == "metadata" {
		return "", true
	}
	return "", false
}

// defaultName is what browsers say for a button without any name.
func defaultName(n *dom.Node) string {
	if Explicit(n) != "" && Explicit(n) != "button" {
		return ""
	}
	switch strings.ToLower(n.A("type")) {
	case "submit":
		if v, ok := n.Get("value"); !ok || v == "" && !ok {
			return "Submit"
		}
	case "reset":
		if _, ok := n.Get("value"); !ok {
			return "Reset"
		}
	case "image":
		return DefaultImageButton
	}
	return ""
}

// DefaultImageButton is the name that browsers give to an image button without a text alternative.
const DefaultImageButton = "Submit Query"
