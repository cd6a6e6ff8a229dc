package aria

import (
	"strings"

	"github.com/amblecrawl/amble/analyze/a11y/internal/css"
	"github.com/amblecrawl/amble/analyze/a11y/internal/dom"
)

// Name returns the accessible name of an element as the Accessible Name and Description Computation 1.2 and the HTML
// and SVG mappings give it: trimmed, white space collapsed. Where a browser told its own name and ours is empty, the
// browser's is taken: it knows names that no attribute shows (ElementInternals, reflected elements).
func Name(n *dom.Node) string {
	if n.Memo.HasName {
		return n.Memo.Name
	}
	c := computation{visited: map[*dom.Node]bool{}}
	name := tidy(c.text(n, traversal{root: true}))
	if f := n.Facts; name == "" && f != nil && f.HasAX && !f.AXIgnored && f.AXName != "" && !n.Is("input", "summary") {
		name = tidy(f.AXName)
	}
	n.Memo.Name, n.Memo.HasName = name, true
	return name
}

// Description returns the accessible description from aria-describedby, aria-description or an unused title.
func Description(n *dom.Node) string {
	if refs := n.Refs("aria-describedby"); len(refs) > 0 {
		var parts []string
		for _, r := range refs {
			parts = append(parts, tidy(referenced(r)))
		}
		return tidy(strings.Join(parts, " "))
	}
	if d := n.A("aria-description"); strings.TrimSpace(d) != "" {
		return tidy(d)
	}
	if t := tidy(n.A("title")); t != "" && t != Name(n) {
		return t
	}
	return ""
}

// Text returns the text alternative of the element's content, as naming from content would give it, whatever its role.
func Text(n *dom.Node) string {
	c := computation{visited: map[*dom.Node]bool{}}
	return tidy(c.content(n, traversal{}))
}

// tidy trims and collapses white space; no-break spaces are trimmed too, so that a name of nothing else is empty.
func tidy(s string) string { return strings.Join(strings.Fields(s), " ") }

type traversal struct {
	root       bool // the element whose name is asked for
	labelledby bool // inside of an aria-labelledby reference
	referenced bool // this very node is what aria-labelledby or a label element refers to
	hidden     bool // inside of a hidden element that was referenced directly
}

// maxVisits bounds one computation on hostile pages.
const maxVisits = 20_000

type computation struct {
	visited map[*dom.Node]bool
	visits  int
}

// hidden tells whether a node is hidden from everyone or from assistive technology.
func hidden(n *dom.Node) bool {
	if n.Kind == dom.TextKind {
		return n.NotRendered || n.AriaHidden || n.Skipped || n.Invisible
	}
	return ProgrammaticallyHidden(n)
}

func (c *computation) text(n *dom.Node, t traversal) string {
	if c.visits++; c.visits > maxVisits {
		return ""
	}
	switch n.Kind {
	case dom.TextKind:
		if p := n.Parent; p.Is("script", "style", "template", "noscript") || p.IsSVG() && (p.Tag == "style" || p.Tag == "script") {
			return ""
		}
		if !t.hidden && hidden(n) {
			return ""
		}
		return n.Text
	case dom.ElementKind:
	default:
		return ""
	}
	if n.Is("script", "style", "template", "noscript", "head", "meta", "link", "datalist") {
		return ""
	}
	// 2A: hidden, and not inside of a hidden thing that was referenced.
	if !t.root && !t.hidden && hidden(n) {
		return ""
	}
	if c.visited[n] {
		return ""
	}
	c.visited[n] = true
	defer func() {
		if t.labelledby || t.root {
			return // each node once in a traversal of references
		}
		delete(c.visited, n)
	}()
	// 2B: aria-labelledby.
	if !t.labelledby {
		if refs := n.Refs("aria-labelledby"); len(refs) > 0 {
			var parts []string
			delete(c.visited, n) // the element may refer to itself
			for _, r := range refs {
				parts = append(parts, referenced(r))
			}
			c.visited[n] = true
			if s := strings.Join(parts, " "); tidy(s) != "" {
				return s
			}
		}
	}
	role := Of(n)
	// 2C: a control embedded in a label counts with its value.
	if !t.root && !(t.referenced && t.labelledby && n.Has("aria-label")) {
		if v, ok := c.embedded(n, role, t); ok {
			return v
		}
	}
	// 2D: aria-label.
	if l := n.A("aria-label"); strings.TrimSpace(l) != "" {
		return l
	}
	// 2E: what the host language offers.
	if s, done := c.native(n, role, t); done {
		return s
	}
	// 2F: content.
	if r := roles[role]; r.Content || !t.root || n.Is("summary") {
		if !(t.root && noContent(n, role)) {
			if s := c.content(n, t); tidy(s) != "" {
				return s
			}
		}
	}
	// 2I: tooltip.
	if title := n.A("title"); strings.TrimSpace(title) != "" {
		return title
	}
	if n.Is("input") && t.root {
		return defaultName(n)
	}
	return ""
}

// referenced returns the text of an element that a reference names. It is computed once: many may refer to it.
func referenced(r *dom.Node) string {
	if !r.Memo.HasReferenced {
		c := computation{visited: map[*dom.Node]bool{}}
		r.Memo.Referenced = c.text(r, traversal{labelledby: true, referenced: true, hidden: hidden(r)})
		r.Memo.HasReferenced = true
	}
	return r.Memo.Referenced
}

func noContent(n *dom.Node, role string) bool { return role == "" && !n.Is("summary") }

// embedded gives the value of a control that stands inside of another element's label.
func (c *computation) embedded(n *dom.Node, role string, t traversal) (string, bool) {
	switch role {
	case "textbox", "searchbox":
		if n.Is("input", "textarea") {
			if n.Is("textarea") {
				return n.DOMText(), true
			}
			return n.A("value"), true
		}
		return c.content(n, t), true
	case "combobox", "listbox":
		if n.Is("select") {
			return selectText(n), true
		}
		if n.Is("input") {
			return n.A("value"), true
		}
		var parts []string
		for _, o := range n.Subtree() {
			if Of(o) == "option" && o.A("aria-selected") == "true" {
				parts = append(parts, c.content(o, t))
			}
		}
		if len(parts) == 0 && role == "combobox" {
			return c.content(n, t), true
		}
		return strings.Join(parts, " "), true
	case "slider", "spinbutton", "scrollbar", "meter", "progressbar":
		for _, a := range []string{"aria-valuetext", "aria-valuenow", "value"} {
			if v, ok := n.Get(a); ok {
				return v, true
			}
		}
		return "", role == "slider" || role == "spinbutton"
	}
	return "", false
}

// content joins the text of the children in the flat tree, with the texts of pseudo-elements and of what aria-owns adds.
func (c *computation) content(n *dom.Node, t traversal) string {
	var b strings.Builder
	inner := traversal{labelledby: t.labelledby, hidden: t.hidden}
	pseudo := func(decls []dom.Decl) {
		if len(decls) == 0 {
			return
		}
		if s, ok := css.PseudoContent(n, decls); ok && s != "" {
			if isBlock(decls) {
				s = " " + s + " "
			}
			b.WriteString(s)
		}
	}
	pseudo(n.Before)
	for _, k := range n.Children {
		s := c.text(k, inner)
		if k.Kind == dom.ElementKind {
			if k.Is("br") {
				s = " "
			} else if k.IsHTML() && !css.Inline(k) {
				s = " " + s + " "
			}
		}
		b.WriteString(s)
	}
	for _, o := range n.Refs("aria-owns") {
		if !c.visited[o] && !n.In(o) && !o.In(n) {
			b.WriteString(" " + c.text(o, inner))
		}
	}
	pseudo(n.After)
	return b.String()
}

func isBlock(decls []dom.Decl) bool {
	for _, d := range decls {
		if d.Name == "display" {
			return d.Value != "inline"
		}
	}
	return false
}
