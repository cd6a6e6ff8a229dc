package a11y

import (
	"fmt"
	"slices"

	"github.com/amblecrawl/amble/analyze/a11y/internal/aria"
	"github.com/amblecrawl/amble/analyze/a11y/internal/css"
	"github.com/amblecrawl/amble/analyze/a11y/internal/dom"
)

// reflowWidth is the widest window that shows how a page arranges itself at 400 %.
const reflowWidth = 330

// zoomedTo returns the page in a window that is wider than over and at most upTo pixels wide; nil when it was not taken.
func (p *page) zoomedTo(over, upTo float64) *dom.Document {
	for _, d := range p.zoomed {
		if d.Viewport.W > over && d.Viewport.W <= upTo {
			return d
		}
	}
	return nil
}

// zoomClip: text is not cut off when the page is shown at 640 by 512, which is 1280 by 1024 at 200 % (ACT 59br37). In a
// larger window what is cut off already fails, and what is not is cantTell.
func zoomClip(p *pass) {
	docs := p.page.docs
	if d := p.page.zoomedTo(reflowWidth, 660); d != nil {
		docs = d.Documents()
	}
	for _, d := range docs {
		exact := d.Viewport.W <= 660
		for _, t := range d.Nodes {
			if t.Kind != dom.TextKind || t.Facts == nil || !t.Parent.IsHTML() || t.AriaHidden || !css.Visible(t) || len(t.Facts.TextBoxes) == 0 {
				continue
			}
			applies, bad := false, ""
			var by *dom.Node
			boxes := slices.Clone(t.Facts.TextBoxes)
			for a := t.Parent; a != nil && a.Kind == dom.ElementKind && bad == ""; a = a.Parent {
				x, y := css.Value(a, "overflow-x"), css.Value(a, "overflow-y")
				hx, hy := x == "hidden" || x == "clip", y == "hidden" || y == "clip"
				if (x == "auto" || x == "scroll" || y == "auto" || y == "scroll") && a.Facts != nil && a.Facts.HasBox && !a.Is("html", "body") {
					// What scrolls into view here can be cut off further out only as far as this box is.
					for i, b := range boxes {
						if !hx {
							b.X, b.W = a.Facts.Box.X, min(b.W, a.Facts.Box.W)
						}
						if !hy {
							b.Y, b.H = a.Facts.Box.Y, min(b.H, a.Facts.Box.H)
						}
						boxes[i] = b
					}
				}
				if !hx && !hy || a.Facts == nil || !a.Facts.HasBox || a.Is("html") || a.Is("body") && css.Value(a.Parent, "overflow-x") == "visible" {
					continue
				}
				applies = true
				in := a.Facts.Box
				if in.W <= 1.5 && in.H <= 1.5 {
					applies = false
					break // a way to hide text from the eye only
				}
				for _, b := range boxes {
					if hx && (b.X+b.W > in.X+in.W+1 || b.X < in.X-1) && !(css.Value(a, "white-space") == "nowrap" && css.Value(a, "text-overflow") != "clip" && css.Value(a, "text-overflow") != "") {
						bad, by = "width", a
					}
					if hy && (b.Y+b.H > in.Y+in.H+1.5 || b.Y < in.Y-1.5) && !oneLine(a, in) {
						bad, by = "height", a
					}
				}
				if css.Value(a, "position") == "fixed" {
					break
				}
			}
			switch {
			case !applies:
			case bad != "":
				p.fail(t.Parent, "The text is cut off: the "+bad+" of an element around it is too small.", "cut by", selector(by), "words", cut(dom.Collapse(t.Text), 60))
			case exact:
				p.ok(t.Parent)
			default:
				p.cannot(t.Parent, "Whether the text is cut off at 200 % shows in a window of 640 by 512 pixels.")
			}
		}
	}
}

// oneLine tells whether an element is as high as one of its lines, so that it cuts text between lines; the line itself
// must be seen whole.
func oneLine(a *dom.Node, box dom.Rect) bool {
	lh, ok := spacingPx(a, "line-height", css.FontSize(a))
	return ok && lh >= box.H-0.5 && box.H >= css.FontSize(a)-0.5
}

// reflow: in a window of 320 pixels, which is 1280 at 400 %, no text sticks out to the side (WCAG 1.4.10). What needs two
// dimensions (tables, code, drawings, tools) may.
func reflow(p *pass) {
	top := p.page.zoomedTo(0, reflowWidth)
	seen := map[*dom.Node]bool{}
	for _, t := range top.Nodes {
		if t.Kind != dom.TextKind || t.Facts == nil || len(t.Facts.TextBoxes) == 0 || seen[t.Parent] || !css.Visible(t) || dom.IsSpace(t.Text) {
			continue
		}
		seen[t.Parent] = true
		over := 0.0
		for _, b := range t.Facts.TextBoxes {
			over = max(over, b.X+b.W-top.Viewport.W)
		}
		switch {
		case over <= 2:
			p.ok(t.Parent)
		case placedAway(t, top.Viewport.W) || twoDimensional(t):
		case scrolledAside(t):
			p.cannot(t.Parent, "The text is in a part of the page that scrolls sideways at 400 %: whether its content needs two dimensions needs a person.")
		default:
			p.fail(t.Parent, fmt.Sprintf("At 400 %% the text sticks out of the window by %.0f pixels: reading takes scrolling to the side.", over), "window", "320×256", "words", cut(dom.Collapse(t.Text), 60))
		}
	}
}

// placedAway tells whether the text was put outside of the window on purpose, as menus that slide in are.
func placedAway(t *dom.Node, width float64) bool {
	for _, b := range t.Facts.TextBoxes {
		if b.X < width {
			return false
		}
	}
	return t.Closest(func(a *dom.Node) bool {
		if a.Kind != dom.ElementKind {
			return false
		}
		v := css.Value(a, "position")
		return v == "absolute" || v == "fixed" || css.Value(a, "transform") != "none" && css.Value(a, "transform") != ""
	}) != nil
}

// twoDimensional tells whether WCAG lets the content scroll both ways.
func twoDimensional(t *dom.Node) bool {
	return t.Closest(func(a *dom.Node) bool {
		if a.Kind != dom.ElementKind {
			return false
		}
		if a.Is("table", "pre", "code", "textarea", "select", "video", "canvas", "iframe", "object") || a.IsSVG() || a.NS == dom.MathML {
			return true
		}
		switch aria.Of(a) {
		case "table", "grid", "treegrid", "toolbar", "application", "math":
			return true
		}
		return false
	}) != nil
}

// scrolledAside tells whether an element around the text scrolls sideways by itself, or cuts it off.
func scrolledAside(t *dom.Node) bool {
	return t.Closest(func(a *dom.Node) bool {
		if a.Kind != dom.ElementKind || a.Is("html", "body") {
			return false
		}
		v := css.Value(a, "overflow-x")
		return v == "auto" || v == "scroll" || v == "hidden" || v == "clip"
	}) != nil
}
