// Package dom is the model that the accessibility rules read: one flat tree of nodes with attributes, styles and, when
// a browser rendered the page, what the browser measured. It is built from parsed HTML (the static form) or from a
// browser's snapshot; rules cannot tell the two apart except by asking whether a fact is known.
package dom

import (
	"net/url"
	"strings"
)

// Kind tells the nodes of the tree apart.
type Kind uint8

// The kinds of nodes. Comments and processing instructions are not in the model.
const (
	DocumentKind Kind = iota
	ElementKind
	TextKind
	ShadowKind // the root of a shadow tree; it is not in the flat tree, its children are
)

// Namespace of an element.
type Namespace uint8

// The namespaces that rules ask about.
const (
	HTML Namespace = iota
	SVG
	MathML
	OtherNS
)

// Attr is one attribute of an element. Names of HTML elements are in lower case.
type Attr struct{ Name, Value string }

// Node is one document, element, text or shadow root. The links Parent and Children follow the flat tree (shadow trees
// in place of their hosts' children, assigned nodes in place of slots); DOMParent and DOMChildren follow the node tree
// that selectors and ids see.
type Node struct {
	Kind Kind
	NS   Namespace
	Tag  string // local name
	Attr []Attr
	Text string // of a text node

	Parent      *Node
	Children    []*Node
	DOMParent   *Node
	DOMChildren []*Node
	Shadow      *Node // shadow root of a host
	Host        *Node // host of a shadow root
	Tree        *Node // root of the node tree, where a browser's list does not show it; nil: follow DOMParent
	InShadow    bool  // in a shadow tree of a list that follows the flat tree

	ElemPos    int   // 1-based position among the element siblings of the node tree
	PrevElem   *Node // element sibling before, in the node tree
	Index, End int   // preorder numbers in the flat tree: descendants are Index+1 .. End-1; Index is -1 outside of it
	Doc        *Document
	Frame      *Document // document inside of an iframe, frame or object, when it is known

	Decls  []Decl // winning declarations, or computed values, of the element
	Before []Decl // of ::before; nil when it has no rule
	After  []Decl
	Marker []Decl
	Pseudo []*Node // pseudo-elements with their boxes, when a browser told; they are not in the tree

	Facts *Facts // what a browser measured; nil in the static form
	State
	Memo Memo
}

// Memo keeps what is computed once for a node. Only package aria writes it.
type Memo struct {
	Role                string
	Name                string
	HasRole, HasName    bool
	Covered, HasCovered bool   // below an element whose children are presentational
	Referenced          string // its text when aria-labelledby names it
	HasReferenced       bool
	Data                *Node // of a table row: its first data cell
	HasData             bool
	Computing           bool
}

// Decl is a property with its value. Important and Inline are only set in the static form, or by the browser's rule
// matching.
type Decl struct {
	Name, Value       string
	Important, Inline bool
}

// State is what Resolve derives for each node once, so that rules need no walk up the tree.
type State struct {
	NotRendered bool // display: none, here or above; or outside of the flat tree
	Invisible   bool // visibility is hidden or collapse
	AriaHidden  bool // aria-hidden=true here or above
	Inert       bool
	Skipped     bool // inside of content that the browser skips: closed details, content-visibility: hidden
}

// Rect is a box in CSS pixels, relative to the page's top left corner.
type Rect struct{ X, Y, W, H float64 }

// Empty tells whether the box has no area.
func (r Rect) Empty() bool { return r.W <= 0 || r.H <= 0 }

// Intersect returns the common part of two boxes.
func (r Rect) Intersect(o Rect) Rect {
	x0, y0 := max(r.X, o.X), max(r.Y, o.Y)
	x1, y1 := min(r.X+r.W, o.X+o.W), min(r.Y+r.H, o.Y+o.H)
	if x1 <= x0 || y1 <= y0 {
		return Rect{X: x0, Y: y0}
	}
	return Rect{x0, y0, x1 - x0, y1 - y0}
}

// Union returns the smallest box around two; an empty one adds nothing.
func (r Rect) Union(o Rect) Rect {
	if r.Empty() {
		return o
	}
	if o.Empty() {
		return r
	}
	x0, y0 := min(r.X, o.X), min(r.Y, o.Y)
	x1, y1 := max(r.X+r.W, o.X+o.W), max(r.Y+r.H, o.Y+o.H)
	return Rect{x0, y0, x1 - x0, y1 - y0}
}

// Facts holds what a browser measured for a node.
type Facts struct {
	HasBox     bool
	Box        Rect
	TextBoxes  []Rect // line boxes of a text node
	Client     Rect   // client box: its width and height without scroll bars and borders
	Scroll     Rect   // scrollable overflow: width and height
	PaintOrder int
	Background string // blended background colour as the browser reports it
	HasAX      bool   // the accessibility tree was captured
	AXIgnored  bool
	AXRole     string
	AXName     string
	Clickable  bool
	Listeners  []Listener // on the node, when they were captured
	FocusStop  bool       // Tab came here
	FocusSeen  string     // how the focus showed, as amble.FocusStop has it; "" when nobody knows
	Trapped    bool       // Tab leads out of here no more
	InputValue string
}

// Listener is a function that waits for an event, with the start of its text when it was captured.
type Listener struct{ Type, Source string }

// Document is one page or the page of a frame.
type Document struct {
	Root  *Node // the document node
	HTML  *Node // its document element; nil in an empty document
	Nodes []*Node
	URL   string
	// ContentType is the MIME type without parameters; "" is read as text/html.
	ContentType string
	Owner       *Node // the frame element that shows this document; nil for the page itself
	Rendered    bool  // a browser filled Facts
	Sheets      []any // parsed style sheets, for rules that read them; typed by package css
	// UnloadedStyles lists addresses of style sheets that the static form could not read. While there are any,
	// nobody knows what is hidden.
	UnloadedStyles []string
	// Unread lists the style sheets whose text is not known, also where a browser knows what they do.
	Unread     []string
	HasScripts bool
	Listened   bool       // Facts.Listeners were captured
	Window     []Listener // on the window
	Keyboard   string     // what ended the trial of the keyboard, as amble.Keyboard has it; "" without one
	// Viewport is the size of the visual viewport; zero when unknown.
	Viewport   Rect
	scopes     map[*Node]map[string][]*Node
	labels     map[*Node]map[string][]*Node
	owners     map[*Node]map[string]*Node
	FocusRules any // kept by package css
	Matching   int // how often an element was tested against a selector
	base       *url.URL
	scripts    []string
	scripted   bool // scripts is set
}

// Get returns the value of an attribute and whether it is there.
func (n *Node) Get(name string) (string, bool) {
	for i := range n.Attr {
		if n.Attr[i].Name == name {
			return n.Attr[i].Value, true
		}
	}
	return "", false
}

// A returns the value of an attribute, "" without it.
func (n *Node) A(name string) string { v, _ := n.Get(name); return v }

// Has tells whether the attribute is there.
func (n *Node) Has(name string) bool { _, ok := n.Get(name); return ok }

// Is tells whether n is an HTML element of one of the tags.
func (n *Node) Is(tags ...string) bool {
	if n == nil || n.Kind != ElementKind || n.NS != HTML {
		return false
	}
	for _, t := range tags {
		if n.Tag == t {
			return true
		}
	}
	return false
}

// Element tells whether n is an element of any namespace.
func (n *Node) Element() bool { return n != nil && n.Kind == ElementKind }

// IsHTML tells whether n is an element of HTML's namespace.
func (n *Node) IsHTML() bool { return n != nil && n.Kind == ElementKind && n.NS == HTML }

// IsSVG tells whether n is an element of SVG's namespace.
func (n *Node) IsSVG() bool { return n != nil && n.Kind == ElementKind && n.NS == SVG }

// In tells whether n is a descendant of a, or a itself, in the flat tree.
func (n *Node) In(a *Node) bool {
	return n != nil && a != nil && n.Doc == a.Doc && n.Index >= 0 && a.Index >= 0 && n.Index >= a.Index && n.Index < a.End
}

// Subtree returns the nodes below n in the flat tree, in order, without n.
func (n *Node) Subtree() []*Node {
	if n.Index < 0 {
		return nil
	}
	return n.Doc.Nodes[n.Index+1 : n.End]
}

// Closest returns the nearest of n and its ancestors in the flat tree that ok accepts.
func (n *Node) Closest(ok func(*Node) bool) *Node {
	for ; n != nil; n = n.Parent {
		if ok(n) {
			return n
		}
	}
	return nil
}

// Scope returns the root of the node tree that n is in: the document or a shadow root. Ids are looked up in it.
func (n *Node) Scope() *Node {
	for n.DOMParent != nil {
		if n.Tree != nil {
			return n.Tree
		}
		n = n.DOMParent
	}
	return n
}

// ByID returns the first element with the id in the node tree of from, as getElementById does.
func (d *Document) ByID(from *Node, id string) *Node {
	if all := d.AllByID(from, id); len(all) > 0 {
		return all[0]
	}
	return nil
}

// scopeNodes calls f for the elements of the node tree with the given root, in tree order.
func (d *Document) scopeNodes(root *Node, f func(*Node)) {
	if d.Rendered {
		for _, n := range d.Nodes {
			if n.Kind == ElementKind && n.Scope() == root {
				f(n)
			}
		}
		return
	}
	var walk func(*Node)
	walk = func(n *Node) {
		if n.Kind == ElementKind {
			f(n)
		}
		for _, c := range n.DOMChildren {
			walk(c)
		}
	}
	walk(root)
}

// AllByID returns all elements with the id in the node tree of from, in tree order.
func (d *Document) AllByID(from *Node, id string) []*Node {
	if id == "" {
		return nil
	}
	root := from.Scope()
	ids, ok := d.scopes[root]
	if !ok {
		ids = map[string][]*Node{}
		d.scopeNodes(root, func(n *Node) {
			if v, ok := n.Get("id"); ok && v != "" {
				ids[v] = append(ids[v], n)
			}
		})
		if d.scopes == nil {
			d.scopes = map[*Node]map[string][]*Node{}
		}
		d.scopes[root] = ids
	}
	return ids[id]
}

// LabelsFor returns the label elements in the node tree of from whose for attribute is the id, in tree order.
func (d *Document) LabelsFor(from *Node, id string) []*Node {
	root := from.Scope()
	labels, ok := d.labels[root]
	if !ok {
		labels = map[string][]*Node{}
		d.scopeNodes(root, func(n *Node) {
			if n.Is("label") {
				if v := n.A("for"); v != "" {
					labels[v] = append(labels[v], n)
				}
			}
		})
		if d.labels == nil {
			d.labels = map[*Node]map[string][]*Node{}
		}
		d.labels[root] = labels
	}
	return labels[id]
}

// OwnerOf returns the element in the node tree of from whose aria-owns lists the id; the first of several.
func (d *Document) OwnerOf(from *Node, id string) *Node {
	root := from.Scope()
	owners, ok := d.owners[root]
	if !ok {
		owners = map[string]*Node{}
		d.scopeNodes(root, func(n *Node) {
			if v, ok := n.Get("aria-owns"); ok {
				for _, id := range strings.Fields(v) {
					if owners[id] == nil {
						owners[id] = n
					}
				}
			}
		})
		if d.owners == nil {
			d.owners = map[*Node]map[string]*Node{}
		}
		d.owners[root] = owners
	}
	return owners[id]
}

// Refs resolves a list of ids to the elements that exist.
func (n *Node) Refs(attr string) []*Node {
	v, ok := n.Get(attr)
	if !ok {
		return nil
	}
	var out []*Node
	for _, id := range strings.Fields(v) {
		if e := n.Doc.ByID(n, id); e != nil {
			out = append(out, e)
		}
	}
	return out
}

// DOMText returns the text of all text nodes below n in the node tree.
func (n *Node) DOMText() string {
	var b strings.Builder
	var walk func(*Node)
	walk = func(n *Node) {
		if n.Kind == TextKind {
			b.WriteString(n.Text)
		}
		for _, c := range n.DOMChildren {
			walk(c)
		}
	}
	walk(n)
	return b.String()
}

// DOMTextPrefix returns the first text below n in the node tree, at most about limit bytes of it.
func (n *Node) DOMTextPrefix(limit int) string {
	var b strings.Builder
	var walk func(*Node) bool // false: enough
	walk = func(n *Node) bool {
		if n.Is("script", "style") {
			return true
		}
		if n.Kind == TextKind {
			b.WriteString(n.Text[:min(len(n.Text), 4*limit)])
		}
		for _, c := range n.DOMChildren {
			if !walk(c) {
				return false
			}
		}
		return b.Len() <= limit
	}
	walk(n)
	return b.String()
}

// Top tells whether the document is the page itself, not one in a frame.
func (d *Document) Top() bool { return d.Owner == nil }

// IsTextHTML tells whether the content type is text/html.
func (d *Document) IsTextHTML() bool { return d.ContentType == "" || d.ContentType == "text/html" }

// Body returns the first body element; nil without one.
func (d *Document) Body() *Node {
	if d.HTML == nil {
		return nil
	}
	for _, c := range d.HTML.DOMChildren {
		if c.Is("body", "frameset") {
			return c
		}
	}
	return nil
}

// Documents returns the document and those of its frames, recursively.
func (d *Document) Documents() []*Document {
	out := []*Document{d}
	for _, n := range d.Nodes {
		if n.Frame != nil {
			out = append(out, n.Frame.Documents()...)
		}
	}
	return out
}

// IsSpace tells whether s holds nothing but white space as Unicode defines it.
func IsSpace(s string) bool { return strings.TrimSpace(s) == "" }

// Collapse trims s and turns each run of white space into one space.
func Collapse(s string) string { return strings.Join(strings.Fields(s), " ") }

// IsASCIISpace tells whether s holds nothing but ASCII white space, as HTML defines it.
func IsASCIISpace(s string) bool { return strings.Trim(s, " \t\n\f\r") == "" }

// Scripts returns the text of the scripts that stand in the document itself.
func (d *Document) Scripts() []string {
	if !d.HasScripts || d.scripted {
		return d.scripts
	}
	d.scripted = true
	for _, n := range d.Nodes {
		if n.Is("script") && !n.Has("src") {
			d.scripts = append(d.scripts, n.DOMText())
		}
	}
	return d.scripts
}
