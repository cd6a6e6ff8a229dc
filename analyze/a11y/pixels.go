package a11y

import (
	"bytes"
	"image"
	_ "image/jpeg" // screenshots come in either form
	_ "image/png"
	"slices"

	"github.com/amblecrawl/amble"
	"github.com/amblecrawl/amble/analyze/a11y/internal/colour"
	"github.com/amblecrawl/amble/analyze/a11y/internal/dom"
)

// pixels is the picture of a page, for what cannot be computed: text on images.
type pixels struct {
	img   image.Image
	scale float64 // pixels of the picture in one of CSS
}

// maxPixels keeps a hostile picture from filling memory.
const maxPixels = 100_000_000

// pixelsOf decodes the screenshot of a snapshot; nil when there is none.
func pixelsOf(s *amble.Snapshot) *pixels {
	if len(s.Screenshot) == 0 || s.Viewport.Width <= 0 {
		return nil
	}
	c, _, err := image.DecodeConfig(bytes.NewReader(s.Screenshot))
	if err != nil || c.Width <= 0 || c.Height <= 0 || c.Width*c.Height > maxPixels {
		return nil
	}
	img, _, err := image.Decode(bytes.NewReader(s.Screenshot))
	if err != nil {
		return nil
	}
	scale := s.Viewport.Scale
	if scale <= 0 { // a picture of a whole page is narrower than the window by the scroll bar
		scale = float64(c.Width) / float64(s.Viewport.Width)
	}
	return &pixels{img, scale}
}

// contrast returns the contrast that an opaque text colour reaches with the pixels of a box, and the colour there. The
// text's own pixels are in the box too, but are never the ones that contrast most. A few stray pixels do not count. It is
// false when the box is not wholly in the picture.
func (p *pixels) contrast(ink colour.RGBA, box dom.Rect) (float64, colour.RGBA, bool) {
	if p == nil || !ink.Opaque() {
		return 0, colour.RGBA{}, false
	}
	r := image.Rect(int(box.X*p.scale), int(box.Y*p.scale), int((box.X+box.W)*p.scale+0.99), int((box.Y+box.H)*p.scale+0.99))
	if r.Empty() || !r.In(p.img.Bounds()) {
		return 0, colour.RGBA{}, false
	}
	step := max(1, r.Dx()*r.Dy()/20_000)
	type sample struct {
		ratio float64
		c     colour.RGBA
	}
	var all []sample
	for i := 0; i < r.Dx()*r.Dy(); i += step {
		x, y := r.Min.X+i%r.Dx(), r.Min.Y+i/r.Dx()
		cr, cg, cb, _ := p.img.At(x, y).RGBA()
		c := colour.RGBA{R: float64(cr) / 0xffff, G: float64(cg) / 0xffff, B: float64(cb) / 0xffff, A: 1}
		all = append(all, sample{colour.Contrast(ink, c), c})
	}
	slices.SortFunc(all, func(a, b sample) int {
		switch {
		case a.ratio < b.ratio:
			return -1
		case a.ratio > b.ratio:
			return 1
		}
		return 0
	})
	best := all[(len(all)-1)*98/100]
	return best.ratio, best.c, true
}
