package a11y

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"github.com/amblecrawl/amble/analyze/a11y/internal/aria"
	"github.com/amblecrawl/amble/analyze/a11y/internal/colour"
	"github.com/amblecrawl/amble/analyze/a11y/internal/css"
	"github.com/amblecrawl/amble/analyze/a11y/internal/dom"
)

// contrast judges all visible text (ACT afw4f7 with 4.5 and 3; ACT 09o5cg with 7 and 4.5).
func contrast(normal, large float64) func(*pass) {
	return func(p *pass) {
		for i, d := range p.page.docs {
			p.doc = d
			c := canvasOf(p.page, d)
			base := 0
			for o := d.Owner; o != nil; o = o.Doc.Owner {
				base += o.Facts.PaintOrder + 1
			}
			off := disabledLabels(p.page, i)
			for _, t := range d.Nodes {
				if t.Kind == dom.TextKind && t.Facts != nil && t.Parent.IsHTML() && !dom.IsSpace(t.Text) && css.Visible(t) {
					p.textContrast(c, t, base, normal, large, off)
				}
			}
		}
	}
}

func (p *pass) textContrast(c *canvas, t *dom.Node, base int, normal, large float64, off map[*dom.Node]bool) {
	e := t.Parent
	for a := e; a != nil && a.Kind == dom.ElementKind; a = a.Parent {
		if off[a] {
			return
		}
		role := aria.Of(a)
		if (aria.Inherits(role, "widget") || aria.Inherits(role, "group") || a.Is("button", "input", "select", "textarea", "fieldset", "option")) && disabled(a) {
			return
		}
	}
	value := css.Value(t, "-webkit-text-fill-color")
	text, _ := colour.Parse(css.Value(t, "color"), colour.Black)
	ink, ok := colour.Parse(value, text)
	if !ok {
		ink = text
	}
	size := css.FontSize(e)
	weight, _ := strconv.ParseFloat(css.Value(t, "font-weight"), 64)
	need := normal
	isLarge := size >= 23.99 || size >= 18.65 && weight >= 700
	if isLarge {
		need = large
	}
	worst, unsure := -1.0, ""
	var fg, bg colour.RGBA
	for i, box := range t.Facts.TextBoxes {
		if i >= 30 {
			break
		}
		if box.Empty() || box.W < 1.5 && box.H < 1.5 {
			continue
		}
		r := c.read(t, box, ink, base)
		if r.hidden {
			continue
		}
		ratio, f, b := r.best()
		if r.picture && strings.Contains(r.unsure, "behind") {
			if v, bg, ok := p.page.pixels.contrast(ink, r.part); ok {
				ratio, f, b, r.unsure = v, ink, bg, ""
			}
		}
		if r.unsure != "" && (ratio < need || strings.Contains(r.unsure, "behind") || strings.Contains(r.unsure, "cut")) {
			unsure = r.unsure
			continue
		}
		if worst < 0 || ratio < worst {
			worst, fg, bg = ratio, f, b
		}
	}
	if worst >= 0 && worst < 1.005 && unsure == "" {
		return // nobody is meant to see it
	}
	evidence := []string{"ratio", fmt.Sprintf("%.2f", worst), "needed", fmt.Sprintf("%g", need), "text", fg.Hex(), "background", bg.Hex(), "size", fmt.Sprintf("%.1fpx", size), "weight", fmt.Sprintf("%g", weight), "words", cut(dom.Collapse(t.Text), 60)}
	switch {
	case worst >= 0 && worst < need:
		if !humanText(t) {
			p.ok(e)
			return
		}
		if s := css.Value(t, "text-shadow"); s != "" && s != "none" && shadowHelps(s, fg, need) {
			p.ok(e)
			return
		}
		if w := css.Value(t, "-webkit-text-stroke-width"); w != "" && w != "0px" {
			p.cannot(e, "The text has an outline of its own colour.", evidence...)
			return
		}
		if t.AriaHidden {
			p.cannot(e, "The text has too little contrast, but is hidden from assistive technology: it may be decoration.", evidence...)
			return
		}
		p.fail(e, fmt.Sprintf("The contrast of the text is %.2f to 1, it must be at least %g to 1.", worst, need), evidence...)
	case unsure != "":
		p.cannot(e, "The contrast cannot be computed: "+unsure+".", "words", cut(dom.Collapse(t.Text), 60))
	case worst >= 0:
		p.ok(e)
	}
}

// shadowHelps tells whether the text stands out from its shadow, which lies around each letter.
func shadowHelps(shadow string, text colour.RGBA, need float64) bool {
	for _, one := range css.Split(shadow, ',') {
		for _, f := range css.Fields(one) {
			if c, ok := colour.Parse(f, colour.Black); ok && colour.Contrast(text, c.Over(colour.White)) >= need && c.A > 0.5 {
				return true
			}
		}
	}
	return false
}

// humanText tells whether a text says something in a language: it has letters or digits, and is not a lone letter that
// stands for an image in a control with a name of its own ("X" to close).
func humanText(t *dom.Node) bool {
	letters := 0
	for _, r := range t.Text {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			letters++
		}
	}
	if letters == 1 && len([]rune(strings.TrimSpace(t.Text))) == 1 {
		if c := t.Parent.Closest(func(e *dom.Node) bool { return e.Has("aria-label") || e.Has("aria-labelledby") }); c != nil {
			return strings.EqualFold(aria.Name(c), strings.TrimSpace(t.Text))
		}
	}
	return letters > 0
}

// disabledLabels returns the elements that name disabled widgets: their contrast does not matter either.
func disabledLabels(pg *page, doc int) map[*dom.Node]bool {
	key := "disabled labels " + strconv.Itoa(doc)
	if m, ok := pg.memo[key]; ok {
		return m.(map[*dom.Node]bool)
	}
	out := map[*dom.Node]bool{}
	for _, n := range pg.docs[doc].Nodes {
		if n.Kind != dom.ElementKind || !disabled(n) {
			continue
		}
		if role := aria.Of(n); !aria.Inherits(role, "widget") && !n.Is("input", "select", "textarea", "button") {
			continue
		}
		for _, l := range aria.Labels(n) {
			out[l] = true
		}
		for _, l := range n.Refs("aria-labelledby") {
			out[l] = true
		}
	}
	pg.memo[key] = out
	return out
}

// scrollableFocus: what scrolls can be reached with the keyboard (ACT 0ssw9k).
func scrollableFocus(p *pass) {
	p.each(func(n *dom.Node) {
		f := n.Facts
		if !n.IsHTML() || f == nil || !f.HasBox || n.Is("html", "body", "iframe", "textarea", "select", "input") || !scrolls(n) || !css.Visible(n) {
			return
		}
		seen := false
		for _, c := range n.Children {
			seen = seen || css.Visible(c) && (c.Kind == dom.TextKind || c.Facts != nil && c.Facts.HasBox && !c.Facts.Box.Empty())
		}
		if !seen {
			return
		}
		if n.Inert || aria.Tabbable(n) || aria.HasTabbable(n, false) != nil || p.movedFromOutside(n) {
			p.ok(n)
			return
		}
		if f.FocusStop {
			p.cannot(n, "The keyboard reaches the scrolling area in this browser, which makes it focusable by itself; Safari does not.")
			return
		}
		p.fail(n, "The area scrolls, but the keyboard cannot reach it where browsers do not make scrolling areas focusable by themselves (Safari).", "scroll height", fmt.Sprintf("%.0f", f.Scroll.H), "height", fmt.Sprintf("%.0f", f.Client.H))
	})
}

// movedFromOutside tells whether an element that has the focus moves through the area by aria-activedescendant, as a
// combobox does through its list: the browser then scrolls it.
func (p *pass) movedFromOutside(n *dom.Node) bool {
	id := n.A("id")
	if id == "" {
		return false
	}
	moved, ok := p.page.memo["moved"].(map[*dom.Node]bool)
	if !ok {
		moved = map[*dom.Node]bool{}
		p.page.memo["moved"] = moved
		for _, d := range p.page.docs {
			for _, e := range d.Nodes {
				if e.Kind == dom.ElementKind && (e.Has("aria-activedescendant") || aria.Of(e) == "combobox") && aria.Tabbable(e) {
					for _, r := range append(e.Refs("aria-controls"), e.Refs("aria-owns")...) {
						moved[r] = true
					}
				}
			}
		}
	}
	return moved[n]
}

// scrolls tells whether an element scrolls by more than its padding.
func scrolls(n *dom.Node) bool {
	f := n.Facts
	pad := func(side string) float64 { v, _ := css.Px(n, "padding-"+side); return v }
	auto := func(v string) bool { return v == "auto" || v == "scroll" }
	if auto(css.Value(n, "overflow-x")) {
		if d := f.Scroll.W - f.Client.W; d > 0.5 && (d > pad("left") || d > pad("right")) {
			return true
		}
	}
	if auto(css.Value(n, "overflow-y")) {
		if d := f.Scroll.H - f.Client.H; d > 0.5 && (d > pad("top") || d > pad("bottom")) {
			return true
		}
	}
	return false
}
