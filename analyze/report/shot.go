package report

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"html/template"
	"image"
	"image/color"
	"image/draw"
	"image/jpeg"
	_ "image/png" // screenshots come in either form
	"strings"

	"github.com/amblecrawl/amble"
)

const (
	shotsPerRule = 2
	shotWidth    = 900 // pixels of a picture, at most
	shotHeight   = 420
	shotLeast    = 480         // and at least, where the page is as large; half of it in height
	shotMargin   = 80          // pixels shown around the spot
	maxPixels    = 100_000_000 // keeps a hostile picture from filling memory
)

// veil is what is painted over the values of form fields.
var veil = image.NewUniform(color.RGBA{0xd4, 0xd8, 0xde, 0xff})

// shot is a part of a screenshot with a spot outlined.
type shot struct {
	Data          template.URL // a data: URL of a JPEG that was made here
	Width, Height int
}

// picture is the screenshot of a page, decoded when first needed.
type picture struct {
	snapshot *amble.Snapshot
	img      image.Image
	scale    float64
	fields   []amble.Rect // of form fields that hold something
	bad      bool
}

func (p *picture) load() bool {
	if p == nil || p.snapshot == nil || p.bad || len(p.snapshot.Screenshot) == 0 || p.snapshot.Viewport.Width <= 0 {
		return false
	}
	if p.img != nil {
		return true
	}
	p.bad = true
	c, _, err := image.DecodeConfig(bytes.NewReader(p.snapshot.Screenshot))
	if err != nil || c.Width <= 0 || c.Height <= 0 || c.Width > maxPixels/c.Height {
		return false
	}
	if p.img, _, err = image.Decode(bytes.NewReader(p.snapshot.Screenshot)); err != nil {
		return false
	}
	p.bad = false
	if p.scale = p.snapshot.Viewport.Scale; p.scale <= 0 { // a picture of a whole page is narrower by the scroll bar
		p.scale = float64(c.Width) / float64(p.snapshot.Viewport.Width)
	}
	for i := range p.snapshot.Nodes {
		if n := &p.snapshot.Nodes[i]; n.InputValue != "" && n.Rendered && holdsText(n) {
			p.fields = append(p.fields, n.Box)
		}
	}
	return true
}

// holdsText reports whether a form field shows what somebody has typed, or may type, into it.
func holdsText(n *amble.Node) bool {
	if n.Name != "input" {
		return n.Name == "textarea"
	}
	kind, _ := n.Attr("type")
	switch strings.ToLower(kind) {
	case "submit", "button", "reset", "image", "checkbox", "radio", "range", "color", "hidden":
		return false
	}
	return true
}

// spot cuts out a box ("x,y w×h" in CSS pixels, as findings carry it) with its surroundings, and outlines it. Nil when
// there is no such picture.
func (p *picture) spot(box string) *shot {
	var x, y, w, h float64
	if box == "" || !p.load() {
		return nil
	}
	if n, err := fmt.Sscanf(box, "%g,%g %g×%g", &x, &y, &w, &h); n != 4 || err != nil || w <= 0 || h <= 0 {
		return nil
	}
	all := p.img.Bounds()
	at := func(v float64) int { return int(min(max(v*p.scale, -1e6), 1e6)) }
	pixels := func(x, y, w, h float64) image.Rectangle {
		return image.Rect(at(x), at(y), at(x+w)+1, at(y+h)+1).Add(all.Min).Intersect(all)
	}
	spot := pixels(x, y, w, h)
	if spot.Empty() {
		return nil
	}
	view := image.Rectangle{Min: spot.Min.Sub(image.Pt(shotMargin, shotMargin)), Max: spot.Max.Add(image.Pt(shotMargin, shotMargin))}
	view.Min.X, view.Max.X = window(view.Min.X, view.Max.X, all.Min.X, all.Max.X, min(max(view.Dx(), shotLeast), shotWidth))
	view.Min.Y, view.Max.Y = window(view.Min.Y, view.Max.Y, all.Min.Y, all.Max.Y, min(max(view.Dy(), shotLeast/2), shotHeight))
	out := image.NewRGBA(image.Rect(0, 0, view.Dx(), view.Dy()))
	draw.Draw(out, out.Bounds(), p.img, view.Min, draw.Src)
	for _, f := range p.fields { // what a field holds may be somebody's: it is painted over (S12)
		draw.Draw(out, pixels(f.X, f.Y, f.W, f.H).Inset(2).Sub(view.Min).Intersect(out.Bounds()), veil, image.Point{}, draw.Src)
	}
	spot = spot.Sub(view.Min)
	outline(out, spot.Inset(-5), 2, color.White)
	outline(out, spot.Inset(-3), 3, color.RGBA{0xc4, 0x00, 0x5c, 0xff})
	var buf bytes.Buffer
	if err := jpeg.Encode(&buf, out, &jpeg.Options{Quality: 72}); err != nil {
		return nil
	}
	return &shot{Data: template.URL("data:image/jpeg;base64," + base64.StdEncoding.EncodeToString(buf.Bytes())), Width: view.Dx(), Height: view.Dy()}
}

// window shortens [from, to) to size, from its start, and moves it into [low, high). One that is shorter grows to size
// where there is room: a small spot is shown with its surroundings.
func window(from, to, low, high, size int) (int, int) {
	from = max(from, low)
	if to-from < size {
		from = max(low, from-(size-(to-from))/2)
	}
	to = min(from+size, high)
	return max(low, to-size), to
}

// outline draws a frame of n pixels inside of r.
func outline(img draw.Image, r image.Rectangle, n int, c color.Color) {
	ink := image.NewUniform(c)
	for _, side := range []image.Rectangle{
		{r.Min, image.Pt(r.Max.X, r.Min.Y+n)}, {image.Pt(r.Min.X, r.Max.Y-n), r.Max},
		{r.Min, image.Pt(r.Min.X+n, r.Max.Y)}, {image.Pt(r.Max.X-n, r.Min.Y), r.Max},
	} {
		draw.Draw(img, side.Intersect(img.Bounds()), ink, image.Point{}, draw.Src)
	}
}
