package a11y

import (
	"math"
	"slices"

	"github.com/amblecrawl/amble/analyze/a11y/internal/colour"
	"github.com/amblecrawl/amble/analyze/a11y/internal/css"
	"github.com/amblecrawl/amble/analyze/a11y/internal/dom"
)

// reading is what can be seen of a piece of text: pairs of text colour and background, and why some are not known.
type reading struct {
	pairs   [][2]colour.RGBA
	unsure  string
	hidden  bool
	picture bool // unsure for an image behind the text only: its pixels may tell
	part    dom.Rect
}

// maxVariants bounds the combinations of gradient stops and partly covering layers.
const maxVariants = 48

// read computes what a text box of a text node looks like. It paints the layers of one point in order, once with the
// text and once without, for each combination of colours that the layers may have there.
func (c *canvas) read(t *dom.Node, box dom.Rect, ink colour.RGBA, base int) reading {
	var r reading
	parent := t.Parent
	order := float64(base) + c.orderOf(t, t.Facts)
	group := c.effect[parent]
	clipped := box.Intersect(c.clips[parent].Intersect(cutBox(parent)))
	if clipped.W*clipped.H < 2 || box.X+box.W <= 0 || box.Y+box.H <= 0 {
		r.hidden = true
		return r
	}
	var stack []layer
	text := -1
	for _, i := range c.near(clipped) {
		l := c.layers[i]
		part := l.box.Intersect(clipped)
		if part.Empty() {
			continue
		}
		if text < 0 && l.order > order {
			text = len(stack)
		}
		stack = append(stack, l)
	}
	if text < 0 {
		text = len(stack)
	}
	// What is painted over the text: only what covers its middle matters.
	above := stack[text:]
	stack = stack[:text:text]
	var over []layer
	for _, l := range above {
		if l.n.In(parent) && !l.n.Is("img", "video", "canvas") && l.n != parent && l.image == "" && l.n.Kind == dom.ElementKind && css.Value(l.n, "position") == "static" {
			continue // an inline part of the same text
		}
		if covers(l.box, clipped) {
			over = append(over, l)
		}
	}
	r.part = clipped
	variants := [][]colour.RGBA{{}}
	var used []layer
	start := 0
	for i := len(stack) - 1; i >= 0; i-- { // nothing below an opaque cover matters
		l := stack[i]
		if l.image == "" && l.group == nil && l.colour.Opaque() && covers(l.box, clipped) {
			start = i
			break
		}
	}
	all := append(slices.Clone(stack[start:]), over...)
	below := len(stack) - start
	for i, l := range all {
		used = append(used, l)
		if l.image != "" {
			if i >= below {
				r.unsure = l.image + " lies over the text"
			} else {
				r.unsure = l.image + " lies behind the text"
				r.picture = true
			}
		}
		options := []colour.RGBA{l.colour}
		if len(l.stops) > 0 {
			options = options[:0]
			for _, s := range l.stops {
				options = append(options, s.Over(l.colour))
			}
		}
		if !covers(l.box, clipped) {
			options = append(options, colour.Transparent)
		}
		var next [][]colour.RGBA
		for _, v := range variants {
			for _, o := range options {
				if len(next) < maxVariants {
					next = append(next, append(slices.Clone(v), o))
				}
			}
		}
		variants = next
	}
	for g := group; g != nil; g = g.parent {
		if g.odd != "" {
			r.unsure = g.odd + " changes the colours"
		}
	}
	for _, v := range variants {
		with := paint(used, v, below, &ink, group)
		without := paint(used, v, below, nil, group)
		r.pairs = append(r.pairs, [2]colour.RGBA{with, without})
	}
	return r
}

func cutBox(n *dom.Node) dom.Rect {
	if n != nil && n.Kind == dom.ElementKind && cuts(n) && n.Facts != nil && n.Facts.HasBox && css.Value(n, "display") != "inline" {
		return n.Facts.Box
	}
	return infinite
}

func covers(a, b dom.Rect) bool {
	const slack = 0.6
	return a.X <= b.X+slack && a.Y <= b.Y+slack && a.X+a.W >= b.X+b.W-slack && a.Y+a.H >= b.Y+b.H-slack
}

// paint composites layers at one point on the white canvas of the page, opening and closing groups on the way.
func paint(layers []layer, colours []colour.RGBA, textAt int, ink *colour.RGBA, textGroup *group) colour.RGBA {
	type frame struct {
		g   *group
		pix colour.RGBA
	}
	open := []frame{{nil, colour.White}}
	enter := func(g *group) {
		// Close what is not an ancestor of g.
		for len(open) > 1 && !isAbove(open[len(open)-1].g, g) {
			f := open[len(open)-1]
			open = open[:len(open)-1]
			open[len(open)-1].pix = f.pix.Fade(f.g.opacity).Over(open[len(open)-1].pix)
		}
		var missing []*group
		for x := g; x != nil && x != open[len(open)-1].g; x = x.parent {
			missing = append(missing, x)
		}
		for i := len(missing) - 1; i >= 0; i-- {
			open = append(open, frame{missing[i], colour.Transparent})
		}
	}
	drop := func(c colour.RGBA, g *group) {
		enter(g)
		open[len(open)-1].pix = c.Over(open[len(open)-1].pix)
	}
	for i, l := range layers {
		if i == textAt && ink != nil {
			drop(*ink, textGroup)
		}
		drop(colours[i], l.group)
	}
	if textAt >= len(layers) && ink != nil {
		drop(*ink, textGroup)
	}
	enter(nil)
	return open[0].pix
}

// isAbove tells whether a is b or a group around it.
func isAbove(a, b *group) bool {
	for ; b != nil; b = b.parent {
		if a == b {
			return true
		}
	}
	return a == nil
}

// best returns the highest contrast that the text reaches: with several colours behind it, one that it stands out from
// is enough.
func (r reading) best() (ratio float64, fg, bg colour.RGBA) {
	for _, p := range r.pairs {
		if v := colour.Contrast(p[0], p[1]); v > ratio || math.IsNaN(ratio) {
			ratio, fg, bg = v, p[0], p[1]
		}
	}
	return ratio, fg, bg
}
