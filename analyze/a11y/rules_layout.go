package a11y

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/amblecrawl/amble/analyze/a11y/internal/aria"
	"github.com/amblecrawl/amble/analyze/a11y/internal/colour"
	"github.com/amblecrawl/amble/analyze/a11y/internal/css"
	"github.com/amblecrawl/amble/analyze/a11y/internal/dom"
)

// isTarget tells whether people press the element.
func isTarget(n *dom.Node) bool {
	if !n.IsHTML() || n.Facts == nil || !n.Facts.HasBox || n.Facts.Box.Empty() || !css.Visible(n) || disabled(n) || css.Value(n, "pointer-events") == "none" {
		return false
	}
	if n.Is("a") && n.Has("href") || n.Is("button", "select", "summary") || n.Is("input") && !strings.EqualFold(n.A("type"), "hidden") {
		return true
	}
	switch aria.Explicit(n) {
	case "button", "link", "checkbox", "radio", "switch", "tab", "menuitem", "menuitemcheckbox", "menuitemradio", "option", "slider":
		return aria.Focusable(n)
	}
	return false
}

// targetSize: targets are 24 by 24 pixels, or have room around them (WCAG 2.5.8).
func targetSize(p *pass) {
	const need = 24.0
	for _, d := range p.page.docs {
		var all []*dom.Node
		for _, n := range d.Nodes {
			if n.Kind == dom.ElementKind && isTarget(n) {
				all = append(all, n)
			}
		}
		near := newBuckets(all)
		for _, n := range all {
			b := n.Facts.Box
			if b.W >= need-0.5 && b.H >= need-0.5 || inSentence(n) || byBrowser(n) {
				p.ok(n)
				continue
			}
			crowd := near.crowding(n, need)
			if crowd == nil {
				p.ok(n)
				continue
			}
			p.fail(n, fmt.Sprintf("The target is %.0f by %.0f pixels and has not enough room around it.", b.W, b.H), "near", selector(crowd), "size", fmt.Sprintf("%.1f×%.1f", b.W, b.H))
		}
	}
}

// inSentence tells whether the target stands in a line of text, whose height binds its size.
func inSentence(n *dom.Node) bool {
	d := css.Value(n, "display")
	if d != "inline" && d != "inline-block" {
		return false
	}
	block := n.Parent
	for block != nil && block.Kind == dom.ElementKind && css.Inline(block) {
		block = block.Parent
	}
	if block == nil {
		return false
	}
	for _, t := range block.Subtree() {
		if t.Kind == dom.TextKind && !t.In(n) && css.Visible(t) && len([]rune(dom.Collapse(t.Text))) > 1 && t.Parent.Closest(isTarget) == nil {
			return true
		}
	}
	return false
}

// byBrowser tells whether the browser alone decides the size: plain check boxes and radio buttons.
func byBrowser(n *dom.Node) bool {
	if !n.Is("input") {
		return false
	}
	switch strings.ToLower(n.A("type")) {
	case "checkbox", "radio":
		return math.Abs(n.Facts.Box.W-13) < 1.5 && math.Abs(n.Facts.Box.H-13) < 1.5
	}
	return false
}

// buckets find targets by place, so that the search for neighbours stays linear.
type buckets map[[2]int][]*dom.Node

const bucketSize = 96.0

func newBuckets(all []*dom.Node) buckets {
	b := buckets{}
	for _, n := range all {
		x := n.Facts.Box
		for i := int(x.X / bucketSize); i <= int((x.X+x.W)/bucketSize) && i < int(x.X/bucketSize)+60; i++ {
			for j := int(x.Y / bucketSize); j <= int((x.Y+x.H)/bucketSize) && j < int(x.Y/bucketSize)+60; j++ {
				b[[2]int{i, j}] = append(b[[2]int{i, j}], n)
			}
		}
	}
	return b
}

// crowding returns a target that a circle of the diameter around n's middle touches: its box, or its own circle when it
// is small too.
func (b buckets) crowding(n *dom.Node, d float64) *dom.Node {
	box := n.Facts.Box
	cx, cy, r := box.X+box.W/2, box.Y+box.H/2, d/2
	for i := int((cx - d) / bucketSize); i <= int((cx+d)/bucketSize); i++ {
		for j := int((cy - d) / bucketSize); j <= int((cy+d)/bucketSize); j++ {
			for _, o := range b[[2]int{i, j}] {
				if o == n || o.In(n) || n.In(o) || sameTarget(n, o) {
					continue
				}
				ob := o.Facts.Box
				dx, dy := math.Max(math.Max(ob.X-cx, cx-ob.X-ob.W), 0), math.Max(math.Max(ob.Y-cy, cy-ob.Y-ob.H), 0)
				if math.Hypot(dx, dy) < r-0.25 {
					return o
				}
				if ob.W < d && ob.H < d || ob.W < d || ob.H < d {
					if math.Hypot(ob.X+ob.W/2-cx, ob.Y+ob.H/2-cy) < d-0.25 && (ob.W < d-0.5 || ob.H < d-0.5) {
						return o
					}
				}
			}
		}
	}
	return nil
}

// sameTarget tells whether two links lead to the same place: pressing either does the same.
func sameTarget(a, b *dom.Node) bool {
	ra, rb := destination(a), destination(b)
	return ra != "" && rb != "" && a.Doc.ResolveURL(ra) == b.Doc.ResolveURL(rb)
}

// linkInText: links within text differ from it by more than colour (WCAG 1.4.1).
func linkInText(p *pass) {
	p.each(func(n *dom.Node) {
		if !n.Is("a") || !n.Has("href") || !css.Visible(n) || n.Facts == nil || css.Value(n, "display") != "inline" || aria.ProgrammaticallyHidden(n) {
			return
		}
		if !inSentence(n) || dom.Collapse(n.DOMText()) == "" {
			return
		}
		around := n.Parent
		if cue(n, around) {
			p.ok(n)
			return
		}
		a, ok1 := colour.Parse(css.Value(n, "color"), colour.Black)
		b, ok2 := colour.Parse(css.Value(around, "color"), colour.Black)
		if !ok1 || !ok2 {
			p.cannot(n, "The colours of link and text are not known.")
			return
		}
		ratio := colour.Contrast(a.Over(colour.White), b.Over(colour.White))
		p.verdict(n, ratio >= 3, fmt.Sprintf("Only colour tells the link from the text around it, and the two differ by %.2f to 1 only.", ratio), "ratio", strconv.FormatFloat(ratio, 'f', 2, 64))
	})
}

// cue tells whether something besides colour marks the link.
func cue(n, around *dom.Node) bool {
	differs := func(e *dom.Node, prop string) bool { return css.Value(e, prop) != css.Value(around, prop) }
	set := func(e *dom.Node, prop string, plain ...string) bool {
		v := css.Value(e, prop)
		for _, x := range append(plain, "", "none", "0px", "transparent", "rgba(0, 0, 0, 0)") {
			if v == x {
				return false
			}
		}
		return true
	}
	list := []*dom.Node{n}
	for _, c := range n.Subtree() {
		if c.Kind == dom.ElementKind {
			list = append(list, c)
		}
	}
	for _, e := range list {
		switch {
		case strings.Contains(css.Value(e, "text-decoration-line"), "underline"),
			differs(e, "font-weight"), differs(e, "font-style"), differs(e, "font-size"), differs(e, "font-family"),
			set(e, "border-bottom-width") && set(e, "border-bottom-style"), set(e, "box-shadow"), set(e, "background-color"), set(e, "background-image"),
			set(e, "outline-style"), e.Is("img", "svg") || e.IsSVG():
			return true
		}
		if len(e.Before) > 0 || len(e.After) > 0 || len(e.Pseudo) > 0 {
			return true
		}
	}
	return false
}
