package a11y

import (
	"context"
	"errors"
	"strings"

	"github.com/amblecrawl/amble"
	"github.com/amblecrawl/amble/analyze/a11y/internal/css"
	"github.com/amblecrawl/amble/analyze/a11y/internal/dom"
)

// StyleNames are the computed properties that the rules read. A browser that captures fewer leaves the rules that need
// the others with cantTell.
func StyleNames() []string {
	return []string{"display", "visibility", "opacity", "position", "overflow-x", "overflow-y", "clip", "clip-path",
		"content-visibility", "color", "background-color", "background-image", "background-position", "background-size", "background-clip",
		"font-size", "font-weight", "font-family", "letter-spacing", "word-spacing", "line-height", "white-space", "text-overflow",
		"text-decoration-line", "text-shadow", "text-indent", "transform", "rotate", "filter", "mix-blend-mode", "pointer-events",
		"border-bottom-width", "border-bottom-style", "outline-style", "box-shadow", "padding-top", "padding-right", "padding-bottom", "padding-left",
		"cursor", "float", "left", "top", "width", "height", "content", "z-index", "-webkit-text-fill-color", "-webkit-text-stroke-width", "font-style"}
}

// ErrNoDocument means that a snapshot has no document to judge.
var ErrNoDocument = errors.New("a11y: the snapshot has no document; render the page again")

// CheckSnapshot judges a page as a browser showed it. The snapshot is only read. It is safe for concurrent use and ends
// soon after ctx does.
func CheckSnapshot(ctx context.Context, s *amble.Snapshot, opts *Options) (*Report, error) {
	if opts == nil {
		opts = &Options{}
	}
	d := fromSnapshot(s, sheets(s, opts.StyleSheet))
	if d == nil {
		return nil, ErrNoDocument
	}
	d.ContentType = strings.ToLower(strings.TrimSpace(strings.SplitN(opts.ContentType, ";", 2)[0]))
	var zoomed []*dom.Document
	for _, z := range s.Zoomed {
		if zd := fromSnapshot(z, sheets(s, opts.StyleSheet)); zd != nil {
			zoomed = append(zoomed, zd)
		}
	}
	rep, err := check(ctx, d, *opts, pixelsOf(s), zoomed...)
	if rep != nil {
		for i, f := range s.Frames {
			if i > 0 && !f.Tested {
				rep.Untested = append(rep.Untested, f.URL+": "+f.Reason)
			}
		}
	}
	return rep, err
}

// sheets finds the text of style sheets in the snapshot, and elsewhere when it is not there.
func sheets(s *amble.Snapshot, load func(string) (string, bool)) func(string) (string, bool) {
	if s == nil || len(s.Sheets) == 0 {
		return load
	}
	texts := make(map[string]string, len(s.Sheets))
	for _, sheet := range s.Sheets {
		texts[sheet.URL] = sheet.Text
	}
	return func(u string) (string, bool) {
		u, _, _ = strings.Cut(u, "#")
		if t, ok := texts[u]; ok || load == nil {
			return t, ok
		}
		return load(u)
	}
}

// interaction adds what the browser tried on the page and who waits for events.
func interaction(s *amble.Snapshot, nodes []*dom.Node) {
	at := func(i int) *dom.Node {
		if i < 0 || i >= len(nodes) {
			return nil
		}
		return nodes[i]
	}
	for _, n := range nodes {
		if n != nil && n.Kind == dom.DocumentKind {
			n.Doc.Listened = s.Listeners != nil
			if s.Keyboard != nil {
				n.Doc.Keyboard = s.Keyboard.End
			}
		}
	}
	for _, l := range s.Listeners {
		n := at(l.Node)
		switch {
		case l.Node < 0:
			nodes[0].Doc.Window = append(nodes[0].Doc.Window, dom.Listener{Type: l.Type, Source: l.Source})
		case n != nil && n.Facts != nil:
			n.Facts.Listeners = append(n.Facts.Listeners, dom.Listener{Type: l.Type, Source: l.Source})
		case n != nil: // a document
			n.Doc.Window = append(n.Doc.Window, dom.Listener{Type: l.Type, Source: l.Source})
		}
	}
	if s.Keyboard == nil {
		return
	}
	for _, stop := range s.Keyboard.Stops {
		if n := at(stop.Node); n != nil && n.Facts != nil {
			n.Facts.FocusStop, n.Facts.FocusSeen, n.Facts.Trapped = true, stop.Seen, stop.Trapped
		}
	}
}

// fromSnapshot builds the model from a browser's snapshot.
func fromSnapshot(s *amble.Snapshot, load func(string) (string, bool)) *dom.Document {
	if s == nil || len(s.Nodes) == 0 || s.Nodes[0].Type != amble.NodeDocument {
		return nil
	}
	view := dom.Rect{W: float64(s.Viewport.Width), H: float64(s.Viewport.Height)}
	nodes := make([]*dom.Node, len(s.Nodes))
	skip := make([]bool, len(s.Nodes)) // inside of the browser's own shadow trees
	var docs []*dom.Document
	for i := range s.Nodes {
		sn := &s.Nodes[i]
		parent := -1
		if sn.Type != amble.NodeDocument {
			parent = sn.Parent
		}
		if parent >= i || parent >= 0 && nodes[parent] == nil && !skip[parent] {
			parent = -1
		}
		if parent >= 0 && skip[parent] || sn.Type == amble.NodeShadow && sn.Value == "user-agent" {
			skip[i] = true
			continue
		}
		n := &dom.Node{Index: -1}
		switch sn.Type {
		case amble.NodeDocument:
			d := &dom.Document{Root: n, Rendered: true, Viewport: view, URL: s.URL}
			if sn.Frame >= 0 && sn.Frame < len(s.Frames) && s.Frames[sn.Frame].URL != "" {
				d.URL = s.Frames[sn.Frame].URL
			}
			n.Kind, n.Doc = dom.DocumentKind, d
			docs = append(docs, d)
			nodes[i] = n
			continue
		case amble.NodeElement:
			n.Kind, n.Tag = dom.ElementKind, sn.Name
			if len(sn.Attrs) > 0 {
				n.Attr = make([]dom.Attr, len(sn.Attrs))
				for k, a := range sn.Attrs {
					n.Attr[k] = dom.Attr(a)
				}
			}
		case amble.NodeText:
			n.Kind, n.Text = dom.TextKind, sn.Value
		case amble.NodeShadow:
			n.Kind = dom.ShadowKind
		default:
			continue
		}
		if parent < 0 {
			continue
		}
		p := nodes[parent]
		n.Doc = p.Doc
		facts(s, i, n)
		if sn.Pseudo != "" || pseudoName(sn.Name) != "" {
			pseudo(s, i, n, p)
			skip[i] = true // its texts are not nodes of the page
			continue
		}
		nodes[i] = n
		if n.Kind == dom.ElementKind {
			n.NS = namespace(n, p)
			if n.NS == dom.HTML {
				n.Tag = strings.ToLower(n.Tag)
			}
			if n.Is("script") {
				n.Doc.HasScripts = true
			}
			if sn.Styles != nil {
				n.Decls = make([]dom.Decl, 0, len(s.StyleNames))
				for k, v := range sn.Styles {
					if k < len(s.StyleNames) && v != "" {
						n.Decls = append(n.Decls, dom.Decl{Name: s.StyleNames[k], Value: v})
					}
				}
			}
		}
		if n.Kind == dom.ShadowKind {
			p.Shadow, n.Host = n, p
			continue
		}
		n.DOMParent = p
		scope(n, sn, p)
		p.DOMChildren = append(p.DOMChildren, n)
	}
	for i := range s.Nodes {
		if d := s.Nodes[i].Document; d > 0 && d < len(nodes) && nodes[d] != nil && nodes[i] != nil && nodes[i].Kind == dom.ElementKind && nodes[d].Kind == dom.DocumentKind && nodes[i].Doc != nodes[d].Doc {
			nodes[i].Frame = nodes[d].Doc
			nodes[d].Doc.Owner = nodes[i]
		}
	}
	for _, d := range docs {
		d.Finish()
	}
	interaction(s, nodes)
	top := nodes[0].Doc
	seen := map[*dom.Document]bool{}
	settle(top, seen, 0, load)
	return top
}

// settle derives the states of a document and then of its frames.
func settle(d *dom.Document, seen map[*dom.Document]bool, depth int, load func(string) (string, bool)) {
	if seen[d] || depth > 20 {
		return
	}
	seen[d] = true
	css.Collect(d, load)
	css.Rendered(d)
	css.States(d)
	for _, n := range d.Nodes {
		if n.Frame != nil {
			if seen[n.Frame] || depth >= 20 {
				n.Frame = nil
				continue
			}
			settle(n.Frame, seen, depth+1, load)
		}
	}
}

// scope finds the node tree that n belongs to. The list follows the flat tree, so a node in a shadow tree below one that
// is not in it begins a tree of its own, and one outside below a slot belongs to the tree of the slot's host.
func scope(n *dom.Node, sn *amble.Node, parent *dom.Node) {
	n.InShadow = sn.Shadow == "open" || sn.Shadow == "closed"
	switch {
	case parent.Kind == dom.ShadowKind:
	case n.InShadow && !parent.InShadow:
		n.Tree = &dom.Node{Kind: dom.ShadowKind, Host: parent, Doc: n.Doc, Index: -1}
	case !n.InShadow && parent.InShadow:
		if t := parent.Scope(); t.Host != nil {
			n.Tree = t.Host.Scope()
		}
	default:
		n.Tree = parent.Tree
	}
}

func namespace(n, parent *dom.Node) dom.Namespace {
	switch strings.ToLower(n.Tag) {
	case "svg":
		return dom.SVG
	case "math":
		return dom.MathML
	}
	if parent.Kind == dom.ElementKind && parent.NS != dom.HTML {
		if parent.NS == dom.SVG && (parent.Tag == "foreignObject" || parent.Tag == "foreignobject") {
			return dom.HTML
		}
		return parent.NS
	}
	return dom.HTML
}

func facts(s *amble.Snapshot, i int, n *dom.Node) {
	sn := &s.Nodes[i]
	f := &dom.Facts{HasBox: sn.Rendered, Box: dom.Rect(sn.Box), Client: dom.Rect(sn.ClientBox), Scroll: dom.Rect(sn.ScrollBox),
		PaintOrder: sn.Paint, Background: sn.Background, Clickable: sn.Clickable, InputValue: sn.InputValue}
	for _, b := range sn.TextBoxes {
		f.TextBoxes = append(f.TextBoxes, dom.Rect(b.Rect))
	}
	if s.AX != nil {
		if a, ok := s.AX[i]; ok {
			f.HasAX, f.AXIgnored, f.AXRole, f.AXName = true, a.Ignored, a.Role, a.Name
		}
	}
	n.Facts = f
}

func pseudoName(tag string) string {
	if strings.HasPrefix(tag, "::") {
		return strings.TrimPrefix(tag, "::")
	}
	return ""
}

// pseudo puts what a pseudo-element shows into the element that it belongs to.
func pseudo(s *amble.Snapshot, i int, n, owner *dom.Node) {
	name := s.Nodes[i].Pseudo
	if name == "" {
		name = pseudoName(s.Nodes[i].Name)
	}
	name = strings.TrimPrefix(name, "::")
	var text strings.Builder
	for k := i + 1; k < len(s.Nodes) && (s.Nodes[k].Parent == i || s.Nodes[k].Parent > i); k++ {
		if s.Nodes[k].Type == amble.NodeText {
			text.WriteString(s.Nodes[k].Value)
		}
	}
	var decls []dom.Decl
	sn := &s.Nodes[i]
	for k, v := range sn.Styles {
		if k < len(s.StyleNames) && v != "" {
			decls = append(decls, dom.Decl{Name: s.StyleNames[k], Value: v})
		}
	}
	if text.Len() > 0 {
		quoted := `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(text.String()) + `"`
		replaced := false
		for k := range decls {
			if decls[k].Name == "content" {
				if !strings.Contains(decls[k].Value, "/") { // alternative text stays
					decls[k].Value = quoted
				}
				replaced = true
			}
		}
		if !replaced {
			decls = append(decls, dom.Decl{Name: "content", Value: quoted})
		}
	}
	n.Decls = decls
	n.Kind, n.Tag = dom.ElementKind, "::"+name
	owner.Pseudo = append(owner.Pseudo, n)
	n.DOMParent = owner
	switch name {
	case "before":
		owner.Before = decls
	case "after":
		owner.After = decls
	case "marker":
		owner.Marker = decls
	}
}
