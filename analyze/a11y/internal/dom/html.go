package dom

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"net/url"
	"strings"

	"golang.org/x/net/html"
)

// maxNodes bounds a document; what lies beyond is cut off and Truncated says so.
const (
	maxFrames = 3
)

// FromHTML builds the static form of a page from parsed HTML. Declarative shadow roots and srcdoc frames are followed,
// three frames deep.
func FromHTML(root *html.Node, pageURL, contentType string) *Document {
	return fromHTML(root, pageURL, contentType, nil, 0)
}

func fromHTML(root *html.Node, pageURL, contentType string, owner *Node, depth int) *Document {
	d := &Document{URL: pageURL, ContentType: strings.ToLower(strings.TrimSpace(strings.SplitN(contentType, ";", 2)[0])), Owner: owner}
	b := builder{doc: d}
	d.Root = b.convert(root, nil)
	if d.Root == nil {
		d.Root = &Node{Kind: DocumentKind, Doc: d}
	}
	if d.Root.Kind == ElementKind { // a fragment was given
		e := d.Root
		d.Root = &Node{Kind: DocumentKind, Doc: d, DOMChildren: []*Node{e}}
		e.DOMParent = d.Root
	}
	d.Finish()
	if depth < maxFrames {
		for _, n := range d.Nodes {
			if src, ok := n.Get("srcdoc"); ok && n.Is("iframe") {
				if sub, err := html.Parse(strings.NewReader(src)); err == nil {
					n.Frame = fromHTML(sub, pageURL, "text/html", n, depth+1)
				}
			}
		}
	}
	return d
}

type builder struct {
	doc   *Document
	depth int
}

// maxDepth keeps the recursion bounded; HTML parsers of browsers stop nesting at 512 too.
const maxDepth = 1000

func (b *builder) convert(h *html.Node, parent *Node) *Node {
	n := &Node{Doc: b.doc, DOMParent: parent, Index: -1}
	switch h.Type {
	case html.DocumentNode:
		n.Kind = DocumentKind
	case html.ElementNode:
		n.Kind, n.Tag = ElementKind, h.Data
		switch h.Namespace {
		case "", "html", "http://www.w3.org/1999/xhtml":
		case "svg", "http://www.w3.org/2000/svg":
			n.NS = SVG
		case "math", "http://www.w3.org/1998/Math/MathML":
			n.NS = MathML
		default:
			n.NS = OtherNS
		}
		if len(h.Attr) > 0 {
			n.Attr = make([]Attr, 0, len(h.Attr))
			for _, a := range h.Attr {
				name := a.Key
				if a.Namespace != "" {
					name = a.Namespace + ":" + a.Key
				}
				n.Attr = append(n.Attr, Attr{name, a.Val})
			}
		}
		if n.Is("script") {
			b.doc.HasScripts = true
		}
	case html.TextNode:
		n.Kind, n.Text = TextKind, h.Data
		return n
	default:
		return nil
	}
	if b.depth >= maxDepth {
		return n
	}
	b.depth++
	defer func() { b.depth-- }()
	template := n.Is("template")
	for c := h.FirstChild; c != nil; c = c.NextSibling {
		k := b.convert(c, n)
		if k == nil {
			continue
		}
		if mode := k.A("shadowrootmode"); k.Is("template") && n.Shadow == nil && n.Kind == ElementKind && (strings.EqualFold(mode, "open") || strings.EqualFold(mode, "closed")) {
			n.Shadow = &Node{Kind: ShadowKind, Doc: b.doc, Host: n, DOMChildren: k.DOMChildren, Index: -1}
			for _, s := range k.DOMChildren {
				s.DOMParent = n.Shadow
			}
			continue
		}
		n.DOMChildren = append(n.DOMChildren, k)
	}
	if template && !hasShadowMode(n) {
		n.DOMChildren = nil // its contents are in another document
	}
	return n
}

func hasShadowMode(n *Node) bool { return n.Has("shadowrootmode") }

// Finish links the flat tree and numbers its nodes. A builder calls it once, after the node tree is complete and before
// styles are resolved.
func (d *Document) Finish() {
	d.Nodes = d.Nodes[:0]
	d.HTML = nil
	for _, c := range d.Root.DOMChildren {
		if c.Kind == ElementKind {
			d.HTML = c
			break
		}
	}
	slots := map[*Node]*slotting{}
	var walk func(n, parent *Node)
	walk = func(n, parent *Node) {
		n.Parent, n.Index = parent, len(d.Nodes)
		d.Nodes = append(d.Nodes, n)
		n.Children = flatChildren(n, slots)
		for _, c := range n.Children {
			walk(c, n)
		}
		n.End = len(d.Nodes)
	}
	walk(d.Root, nil)
	var number func(*Node)
	number = func(n *Node) {
		pos, prev := 0, (*Node)(nil)
		for _, c := range n.DOMChildren {
			if c.Kind == ElementKind {
				pos++
				c.ElemPos, c.PrevElem, prev = pos, prev, c
				number(c)
			}
		}
		if n.Shadow != nil {
			number(n.Shadow)
		}
	}
	number(d.Root)
}

// slotting is what goes where in one shadow tree: by name, to the first slot of that name.
type slotting struct {
	first    map[string]*Node   // slots
	assigned map[string][]*Node // children of the host
}

func newSlotting(root *Node) *slotting {
	s := &slotting{first: map[string]*Node{}, assigned: map[string][]*Node{}}
	var walk func(*Node)
	walk = func(n *Node) {
		for _, c := range n.DOMChildren {
			if c.Is("slot") && s.first[c.A("name")] == nil {
				s.first[c.A("name")] = c
			}
			walk(c)
		}
	}
	walk(root)
	for _, c := range root.Host.DOMChildren {
		switch c.Kind {
		case ElementKind:
			s.assigned[c.A("slot")] = append(s.assigned[c.A("slot")], c)
		case TextKind:
			s.assigned[""] = append(s.assigned[""], c)
		}
	}
	return s
}

func flatChildren(n *Node, slots map[*Node]*slotting) []*Node {
	if n.Shadow != nil {
		return n.Shadow.DOMChildren
	}
	if !n.Is("slot") {
		return n.DOMChildren
	}
	root := n.Scope()
	if root.Kind != ShadowKind || root.Host == nil {
		return n.DOMChildren
	}
	s := slots[root]
	if s == nil {
		s = newSlotting(root)
		slots[root] = s
	}
	if name := n.A("name"); s.first[name] == n && len(s.assigned[name]) > 0 {
		return s.assigned[name]
	}
	return n.DOMChildren
}

// ParseXML reads an XML document (SVG or XHTML) into the tree that x/net/html uses, keeping namespaces.
func ParseXML(data []byte) (*html.Node, error) {
	dec := xml.NewDecoder(bytes.NewReader(data))
	dec.Strict = false
	dec.Entity = xml.HTMLEntity
	dec.CharsetReader = func(_ string, r io.Reader) (io.Reader, error) { return r, nil }
	doc := &html.Node{Type: html.DocumentNode}
	cur, depth := doc, 0
	for {
		tok, err := dec.Token()
		if errors.Is(err, io.EOF) {
			return doc, nil
		}
		if err != nil {
			return doc, err
		}
		switch t := tok.(type) {
		case xml.StartElement:
			e := &html.Node{Type: html.ElementNode, Data: t.Name.Local, Namespace: t.Name.Space}
			if e.Namespace == "" {
				e.Namespace = "none"
			}
			for _, a := range t.Attr {
				if a.Name.Space == "xmlns" || a.Name.Local == "xmlns" {
					continue
				}
				key := a.Name.Local
				if s := a.Name.Space; s == "xml" || s == "http://www.w3.org/XML/1998/namespace" {
					key = "xml:" + key
				}
				e.Attr = append(e.Attr, html.Attribute{Key: key, Val: a.Value})
			}
			cur.AppendChild(e)
			if depth++; depth > maxDepth {
				return doc, errors.New("dom: the document is nested too deeply")
			}
			cur = e
		case xml.EndElement:
			if cur.Parent != nil {
				cur, depth = cur.Parent, depth-1
			}
		case xml.CharData:
			if cur != doc {
				cur.AppendChild(&html.Node{Type: html.TextNode, Data: string(t)})
			}
		}
	}
}

// ResolveURL resolves a reference found in the document against its base address.
func (d *Document) ResolveURL(ref string) string {
	if d.base == nil {
		base, err := url.Parse(d.URL)
		if err != nil {
			base = &url.URL{}
		}
		for _, n := range d.Nodes {
			if n.Is("base") && n.Has("href") {
				if b, err := base.Parse(n.A("href")); err == nil {
					base = b
				}
				break
			}
		}
		d.base = base
	}
	u, err := d.base.Parse(strings.TrimSpace(ref))
	if err != nil {
		return ref
	}
	return u.String()
}
