package aria

import "github.com/amblecrawl/amble/analyze/a11y/internal/dom"

// inTree tells whether an element has a node of its own in the accessibility tree that counts as somebody's child or
// parent: it is exposed and not a generic container.
func inTree(n *dom.Node) bool {
	if n.Kind != dom.ElementKind || !Exposed(n) {
		return false
	}
	switch Of(n) {
	case "none":
		return false
	case "generic":
		if n.Is("html", "body") {
			return false
		}
		return Focusable(n) || hasGlobal(n)
	case "":
		return Focusable(n) || hasGlobal(n) || n.Is("iframe", "object", "embed", "video", "audio", "canvas")
	}
	return true
}

// hasGlobal tells whether a global state or property gives a plain container a node of its own.
func hasGlobal(n *dom.Node) bool {
	for _, a := range n.Attr {
		if p, ok := properties[a.Name]; ok && p.Global && a.Name != "aria-hidden" && a.Name != "aria-owns" && a.Value != "" {
			return true
		}
	}
	return false
}

// ParentIn returns the parent in the accessibility tree: the element that lists n in aria-owns, or the nearest ancestor
// that is in the tree.
func ParentIn(n *dom.Node) *dom.Node {
	if id := n.A("id"); id != "" {
		if o := n.Doc.OwnerOf(n, id); o != nil && o != n && !o.In(n) {
			if inTree(o) {
				return o
			}
			n = o
		}
	}
	for p := n.Parent; p != nil; p = p.Parent {
		if inTree(p) {
			return p
		}
		if id := p.A("id"); id != "" && p.Kind == dom.ElementKind {
			if o := p.Doc.OwnerOf(p, id); o != nil && !o.In(p) {
				if inTree(o) {
					return o
				}
				p = o
			}
		}
	}
	return nil
}

// ChildrenIn returns the children in the accessibility tree, with what aria-owns adds and without what others own. Plain
// containers are passed through, but one with nothing in it that has a node of its own counts as a child itself.
func ChildrenIn(n *dom.Node) []*dom.Node {
	var out []*dom.Node
	var walk func(p *dom.Node, depth int)
	visit := func(c *dom.Node, depth int, owned bool) {
		if c.Kind != dom.ElementKind {
			return
		}
		if id := c.A("id"); id != "" && !owned {
			if o := c.Doc.OwnerOf(c, id); o != nil && o != n {
				return
			}
		}
		if inTree(c) {
			out = append(out, c)
			return
		}
		if Of(c) == "none" && roles[Explicit(c)].Presentation {
			return
		}
		before := len(out)
		walk(c, depth+1)
		if len(out) == before && Of(c) == "generic" && Exposed(c) {
			out = append(out, c)
		}
	}
	walk = func(p *dom.Node, depth int) {
		if depth > 500 || len(out) > 5000 {
			return
		}
		for _, c := range p.Children {
			visit(c, depth, false)
		}
		if p.Has("aria-owns") {
			for _, c := range p.Refs("aria-owns") {
				if !p.In(c) {
					visit(c, depth, true)
				}
			}
		}
	}
	walk(n, 0)
	return out
}
