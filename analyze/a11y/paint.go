package a11y

import (
	"math"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/amblecrawl/amble/analyze/a11y/internal/colour"
	"github.com/amblecrawl/amble/analyze/a11y/internal/css"
	"github.com/amblecrawl/amble/analyze/a11y/internal/dom"
)

// canvas knows what is painted on a page, in the browser's own order.
type canvas struct {
	layers []layer
	effect map[*dom.Node]*group // the innermost group that an element paints into
	clips  map[*dom.Node]dom.Rect
	bands  map[int][]int   // layers by the horizontal bands of the page that they touch
	tall   []int           // layers that touch many bands
	behind map[int]float64 // paint order of a stacking context to the last one of what has a negative z-index in it
}

// layer is something painted over an area: a background, an image, replaced content.
type layer struct {
	n      *dom.Node
	box    dom.Rect
	order  float64
	colour colour.RGBA
	stops  []colour.RGBA // of a gradient above the colour
	image  string        // why its pixels are not known: "image", "video", …; "" when they are
	group  *group
}

// group is an element that is painted as a whole and then faded or filtered.
type group struct {
	n       *dom.Node
	parent  *group
	opacity float64
	odd     string // an effect whose result is not computed: filter, mix-blend-mode, …
}

// infinite stands for the canvas of the page.
var infinite = dom.Rect{X: -1e7, Y: -1e7, W: 2e7, H: 2e7}

// canvasOf builds the canvas of a document; that of a frame has what lies below the frame first.
func canvasOf(p *page, d *dom.Document) *canvas {
	key := "canvas " + d.URL + strconv.Itoa(slices.Index(p.docs, d))
	if c, ok := p.memo[key]; ok {
		return c.(*canvas)
	}
	c := &canvas{effect: map[*dom.Node]*group{}, clips: map[*dom.Node]dom.Rect{}, behind: map[int]float64{}}
	p.memo[key] = c
	base := 0
	var top *group
	if o := d.Owner; o != nil && o.Doc != d {
		below := canvasOf(p, o.Doc)
		order := below.orderOf(o, o.Facts)
		for _, l := range below.layers {
			if l.order <= order && l.n != o {
				c.layers = append(c.layers, l)
			}
		}
		base = int(order) + 1
		top = below.effect[o]
	}
	for _, n := range d.Nodes {
		c.negative(n)
		for _, ps := range n.Pseudo {
			c.negative(ps)
		}
	}
	page := pageBackground(d)
	for _, n := range d.Nodes {
		if n.Kind != dom.ElementKind || n.Facts == nil || n.NotRendered {
			if n.Kind == dom.ElementKind && n.Parent != nil {
				c.effect[n] = c.effect[n.Parent]
				c.clips[n] = c.clip(n)
			}
			continue
		}
		g := c.effect[n.Parent]
		if n.Parent == nil || n.Parent.Kind == dom.DocumentKind {
			g = top
		}
		if own := groupOf(n, g); own != nil {
			g = own
		}
		c.effect[n] = g
		c.clips[n] = c.clip(n)
		c.add(n, n, n.Decls, g, base, n == page)
		for _, ps := range n.Pseudo {
			pg := g
			if own := groupOf(ps, g); own != nil {
				pg = own
			}
			c.effect[ps] = pg
			c.add(ps, n, ps.Decls, pg, base, false)
		}
	}
	sort.SliceStable(c.layers, func(i, j int) bool { return c.layers[i].order < c.layers[j].order })
	c.bands = map[int][]int{}
	for i, l := range c.layers {
		from, to := band(l.box.Y), band(l.box.Y+l.box.H)
		if to-from > 8 {
			c.tall = append(c.tall, i)
			continue
		}
		for b := from; b <= to; b++ {
			c.bands[b] = append(c.bands[b], i)
		}
	}
	return c
}

// bandHeight parts a page into bands, so that the search for what lies behind a text stays short on long pages.
const bandHeight = 256

func band(y float64) int { return int(math.Floor(math.Max(-1e6, math.Min(1e7, y)) / bandHeight)) }

// near returns the layers that may touch a box, in the order of painting.
func (c *canvas) near(box dom.Rect) []int {
	out := slices.Clone(c.tall)
	from, to := band(box.Y), band(box.Y+box.H)
	for b := from; b <= min(to, from+64); b++ {
		out = append(out, c.bands[b]...)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// negative notes an element that is painted behind the content of its stacking context. Browsers number it after the
// context itself, whose own content is painted later still.
func (c *canvas) negative(n *dom.Node) {
	if n.Kind != dom.ElementKind || n.Facts == nil || !n.Facts.HasBox {
		return
	}
	if z, err := strconv.Atoi(declared(n.Decls, "z-index")); err != nil || z >= 0 || declared(n.Decls, "position") == "static" {
		return
	}
	root := n.DOMParent
	if n.Parent != nil {
		root = n.Parent
	}
	for root != nil && root.Kind == dom.ElementKind && root.Parent != nil && root.Parent.Kind == dom.ElementKind && !stacks(root) {
		root = root.Parent
	}
	if root == nil || root.Facts == nil {
		return
	}
	last := n.Facts.PaintOrder
	for _, k := range n.Subtree() {
		if k.Facts != nil {
			last = max(last, k.Facts.PaintOrder)
		}
	}
	c.behind[root.Facts.PaintOrder] = max(c.behind[root.Facts.PaintOrder], float64(last)+0.5)
}

// stacks tells whether an element is a stacking context.
func stacks(n *dom.Node) bool {
	pos := declared(n.Decls, "position")
	if pos == "fixed" || pos == "sticky" {
		return true
	}
	if z := declared(n.Decls, "z-index"); z != "" && z != "auto" {
		return true
	}
	for _, p := range []struct{ name, plain string }{{"opacity", "1"}, {"transform", "none"}, {"filter", "none"}, {"mix-blend-mode", "normal"}, {"clip-path", "none"}, {"rotate", "none"}} {
		if v := declared(n.Decls, p.name); v != "" && v != p.plain {
			return true
		}
	}
	return false
}

// orderOf returns when an element or text is painted, as a number to compare by.
func (c *canvas) orderOf(n *dom.Node, f *dom.Facts) float64 {
	order := float64(f.PaintOrder)
	up := n.Parent
	if up == nil {
		up = n.DOMParent
	}
	own := n.Kind == dom.ElementKind && (up == nil || up.Facts == nil || up.Facts.PaintOrder != f.PaintOrder)
	if b, ok := c.behind[f.PaintOrder]; ok && !own {
		return b
	}
	return order
}

// pageBackground is the element whose background covers the whole canvas: html, or body when html has none.
func pageBackground(d *dom.Document) *dom.Node {
	if d.HTML == nil {
		return nil
	}
	if has(d.HTML.Decls) {
		return d.HTML
	}
	return d.Body()
}

func has(decls []dom.Decl) bool {
	c, _ := colour.Parse(declared(decls, "background-color"), colour.Black)
	img := declared(decls, "background-image")
	return c.A > 0 || img != "" && img != "none"
}

func declared(decls []dom.Decl, name string) string {
	for i := range decls {
		if decls[i].Name == name {
			return decls[i].Value
		}
	}
	return ""
}

func groupOf(n *dom.Node, parent *group) *group {
	opacity := 1.0
	if v := declared(n.Decls, "opacity"); v != "" {
		if f, err := strconv.ParseFloat(v, 64); err == nil {
			opacity = f
		}
	}
	odd := ""
	if v := declared(n.Decls, "filter"); v != "" && v != "none" {
		odd = "a filter"
	}
	if v := declared(n.Decls, "mix-blend-mode"); v != "" && v != "normal" {
		odd = "a blend mode"
	}
	if opacity >= 1 && odd == "" {
		return nil
	}
	return &group{n, parent, opacity, odd}
}

// clip is the area that the element's descendants and own box are cut to by scrolling or hiding ancestors.
func (c *canvas) clip(n *dom.Node) dom.Rect {
	r := infinite
	if p := n.Parent; p != nil && p.Kind == dom.ElementKind {
		r = c.clips[p]
		pos := css.Value(n, "position")
		if cuts(p) && pos != "fixed" && !(pos == "absolute" && css.Value(p, "position") == "static") && p.Facts != nil && p.Facts.HasBox {
			b := p.Facts.Box
			if css.Value(p, "overflow-x") == "visible" {
				b.X, b.W = infinite.X, infinite.W
			}
			if css.Value(p, "overflow-y") == "visible" {
				b.Y, b.H = infinite.Y, infinite.H
			}
			r = r.Intersect(b)
		}
		if pos == "fixed" {
			r = infinite
		}
	}
	return r
}

func cuts(n *dom.Node) bool {
	if n.Is("html", "body") {
		return false // handed to the viewport
	}
	return css.Value(n, "overflow-x") != "visible" || css.Value(n, "overflow-y") != "visible"
}

func (c *canvas) add(n, owner *dom.Node, decls []dom.Decl, g *group, base int, page bool) {
	f := n.Facts
	if f == nil || (!f.HasBox || f.Box.Empty()) && !page || owner.Invisible && n == owner {
		return
	}
	current, _ := colour.Parse(declared(decls, "color"), colour.Black)
	l := layer{n: n, box: f.Box.Intersect(c.clips[owner]), order: float64(base) + c.orderOf(n, f), group: g}
	if page {
		l.box, l.order = infinite, float64(base)-1
	}
	l.colour, _ = colour.Parse(declared(decls, "background-color"), current)
	if img := declared(decls, "background-image"); img != "" && img != "none" {
		for _, one := range css.Split(img, ',') {
			stops, ok := gradient(one, current)
			if !ok {
				l.image = "a background image"
				break
			}
			l.stops = append(l.stops, stops...)
		}
	}
	if v := declared(decls, "background-clip"); strings.Contains(v, "text") {
		l.image = "a background cut to the text"
	}
	switch {
	case n.Is("img", "video", "canvas", "object", "embed"), n.IsSVG() && n.Tag == "svg":
		l.image = "an image"
		if n.Tag != "img" {
			l.image = "a " + n.Tag
		}
	}
	if l.colour.A == 0 && len(l.stops) == 0 && l.image == "" {
		return
	}
	c.layers = append(c.layers, l)
}

// gradient returns the colours of a gradient's stops.
func gradient(s string, current colour.RGBA) ([]colour.RGBA, bool) {
	s = strings.TrimSpace(s)
	open := strings.IndexByte(s, '(')
	if open < 0 || !strings.HasSuffix(s, ")") || !strings.Contains(s[:open], "gradient") {
		return nil, false
	}
	var out []colour.RGBA
	for _, part := range css.Split(s[open+1:len(s)-1], ',') {
		for _, f := range css.Fields(part) {
			if col, ok := colour.Parse(f, current); ok {
				out = append(out, col)
			}
		}
	}
	return out, len(out) > 0
}
