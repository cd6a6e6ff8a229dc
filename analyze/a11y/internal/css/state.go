package css

import (
	"strings"

	"github.com/amblecrawl/amble/analyze/a11y/internal/dom"
)

// States derives what each node inherits from the nodes above it: whether it is rendered, invisible, hidden from
// assistive technology, inert. It runs once, in tree order, after styles are known.
func States(d *dom.Document) {
	modal := modalDialog(d)
	for _, n := range d.Nodes {
		if n.Kind == dom.DocumentKind {
			if o := d.Owner; o != nil {
				n.State = o.State
				n.Invisible = false
			}
			continue
		}
		p := n.Parent
		s := p.State
		if n.Kind == dom.TextKind {
			if p.Is("script", "style", "template", "noscript", "title", "head", "iframe", "object", "video", "audio", "canvas") && p.NS == dom.HTML {
				s.NotRendered = true
			}
			n.State = s
			continue
		}
		if Value(n, "display") == "none" && !areaInUse(n) {
			s.NotRendered = true
		}
		if s.NotRendered && n.Is("area") && areaInUse(n) {
			s.NotRendered = false
		}
		s.Invisible = false
		if v := Value(n, "visibility"); v != "visible" && v != "" {
			s.Invisible = true
		}
		if strings.EqualFold(n.A("aria-hidden"), "true") {
			s.AriaHidden = true
		}
		if n.Has("inert") || modal != nil && !n.In(modal) && !modal.In(n) {
			s.Inert = true
		}
		if n.IsHTML() && p.Is("details") && !p.Has("open") && !firstSummary(n) {
			s.Skipped = true
		}
		if p.Kind == dom.ElementKind && Value(p, "content-visibility") == "hidden" {
			s.Skipped = true
		}
		if p.Is("object", "video", "audio", "canvas", "iframe") && p.NS == dom.HTML && !n.Is("source", "track") {
			// Fallback content. That of canvas stays in the accessibility tree; that of object shows when its
			// resource does not load, which only a browser knows.
			switch p.Tag {
			case "canvas":
			case "object":
				if !d.Rendered && p.A("data") != "" {
					s.NotRendered = true
				}
			default:
				s.NotRendered = true
			}
		}
		n.State = s
	}
}

// modalDialog returns the dialog that blocks the rest of the page. Browsers fix the position of a dialog shown with
// showModal; where no style of the page does, that tells it from one that is merely open.
func modalDialog(d *dom.Document) *dom.Node {
	if !d.Rendered {
		return nil
	}
	var top *dom.Node
	for _, n := range d.Nodes {
		if !n.Is("dialog") || !n.Has("open") || n.Has("popover") || n.Facts == nil || !n.Facts.HasBox || Value(n, "position") != "fixed" || positioned(n) {
			continue
		}
		if top == nil || n.Facts.PaintOrder >= top.Facts.PaintOrder {
			top = n
		}
	}
	return top
}

// positioned tells whether a style of the page sets the element's position.
func positioned(n *dom.Node) bool {
	for _, d := range ParseDecls(n.A("style")) {
		if d.Name == "position" {
			return true
		}
	}
	for _, s := range Sheets(n.Doc) {
		for _, r := range s.Rules {
			for _, d := range r.Decls {
				if d.Name != "position" {
					continue
				}
				for i := range r.Selectors {
					if r.Selectors[i].Pseudo == "" && r.Selectors[i].Match(n) {
						return true
					}
				}
			}
		}
	}
	return false
}

// Rendered prepares a document that a browser showed: elements without a box and without captured styles get what the
// browser must have computed for them, display: none or contents.
func Rendered(d *dom.Document) {
	shown := make([]bool, len(d.Nodes)) // something below has a box
	for i := len(d.Nodes) - 1; i >= 0; i-- {
		n := d.Nodes[i]
		if n.Facts != nil && n.Facts.HasBox {
			shown[i] = true
		}
		if shown[i] && n.Parent != nil {
			shown[n.Parent.Index] = true
		}
	}
	for i, n := range d.Nodes {
		if n.Kind != dom.ElementKind || n.Facts == nil || n.Facts.HasBox {
			continue
		}
		p := n.Parent
		display := "none"
		switch {
		case shown[i]:
			display = "contents"
		case n.Is("option", "optgroup") && p.Is("select", "optgroup", "datalist"):
			display = "block"
		case n.Is("area", "slot", "wbr", "br"):
			continue
		case p.Is("canvas"), p.Is("details") && !p.Has("open"):
			continue
		}
		if _, ok := Declared(n, "display"); ok {
			continue // captured although there is no box
		}
		n.Decls = append(n.Decls, dom.Decl{Name: "display", Value: display})
	}
}

// firstSummary tells whether n is the summary that labels its details element.
func firstSummary(n *dom.Node) bool {
	if !n.Is("summary") || n.DOMParent == nil {
		return false
	}
	for _, c := range n.DOMParent.DOMChildren {
		if c.Is("summary") {
			return c == n
		}
	}
	return false
}

// areaInUse tells whether an area belongs to a map that an image of the page uses: the style sheet of browsers hides it,
// but it can be reached.
func areaInUse(n *dom.Node) bool {
	if !n.Is("area") {
		return false
	}
	if d, ok := Declared(n, "display"); ok && strings.EqualFold(d.Value, "none") {
		return false
	}
	m := n.Closest(func(e *dom.Node) bool { return e.Is("map") })
	if m == nil || m.A("name") == "" {
		return false
	}
	name := "#" + m.A("name")
	for _, i := range n.Doc.Nodes {
		if i.Is("img", "object", "input") && i.A("usemap") == name {
			return Value(i, "display") != "none"
		}
	}
	return false
}

// OffScreen tells whether the static form shows that the element is moved out of sight or clipped away by one of the
// known ways to hide text from the eye.
func OffScreen(n *dom.Node) bool {
	for m := n; m != nil; m = m.Parent {
		if m.Kind != dom.ElementKind {
			continue
		}
		if len(m.Decls) == 0 {
			continue
		}
		pos := Value(m, "position")
		out := pos == "absolute" || pos == "fixed" || pos == "relative"
		if out {
			for _, p := range []string{"left", "top", "right", "bottom"} {
				if v, ok := Px(m, p); ok && v <= -500 {
					return true
				}
			}
		}
		if pos == "absolute" || pos == "fixed" {
			if c := strings.ReplaceAll(Value(m, "clip"), ",", " "); strings.HasPrefix(c, "rect(") {
				f := strings.Fields(strings.TrimSuffix(c[5:], ")"))
				if len(f) == 4 {
					t, _ := Length(m.Doc, f[0], 16)
					r, _ := Length(m.Doc, f[1], 16)
					b, _ := Length(m.Doc, f[2], 16)
					l, _ := Length(m.Doc, f[3], 16)
					if r-l <= 1 && b-t <= 1 && f[1] != "auto" && f[2] != "auto" {
						return true
					}
				}
			}
		}
		if c := Value(m, "clip-path"); c == "inset(50%)" || c == "inset(100%)" || c == "circle(0)" || c == "circle(0px)" {
			return true
		}
		if hx, hy := Value(m, "overflow-x"), Value(m, "overflow-y"); hides(hx) && hides(hy) {
			w, ok1 := Px(m, "width")
			h, ok2 := Px(m, "height")
			if ok1 && w <= 1 && ok2 && h <= 1 || ok2 && h == 0 || ok1 && w == 0 {
				return true
			}
		}
		if v, ok := Px(m, "text-indent"); ok && v <= -500 {
			return true
		}
		if Value(m, "opacity") == "0" {
			return true
		}
		if strings.HasPrefix(Value(m, "transform"), "scale(0") && !strings.HasPrefix(Value(m, "transform"), "scale(0.") {
			return true
		}
	}
	return false
}

func hides(v string) bool { return v == "hidden" || v == "clip" }

// Visible tells whether the content of n can be seen, as far as the source of the model knows: rendered, not invisible,
// not clipped or moved away. With a browser the box decides.
func Visible(n *dom.Node) bool {
	if n.NotRendered || n.Invisible || n.Skipped {
		return false
	}
	if n.Kind == dom.TextKind && dom.IsSpace(n.Text) {
		return false
	}
	if o := n.Doc.Owner; o != nil && (!Visible(o) || tinyFrame(o)) {
		return false
	}
	return !OffScreen(n) && !tooSmall(n)
}

// tinyFrame tells whether a frame shows no more than a pixel of its document.
func tinyFrame(o *dom.Node) bool {
	if o.Facts != nil && o.Facts.HasBox {
		return o.Facts.Box.W <= 2 && o.Facts.Box.H <= 2 || o.Facts.Box.Empty()
	}
	small := func(attr, prop string) bool {
		if v, ok := Px(o, prop); ok {
			return v <= 1
		}
		l, ok := parseLength(strings.TrimSpace(o.A(attr)) + "px")
		return ok && o.Has(attr) && l.v <= 1
	}
	return small("width", "width") && small("height", "height")
}

func tooSmall(n *dom.Node) bool {
	if n.Facts == nil || !n.Doc.Rendered {
		return false
	}
	if n.Kind == dom.TextKind {
		return !n.Facts.HasBox
	}
	return false
}
