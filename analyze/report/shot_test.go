package report

import (
	"bytes"
	"encoding/base64"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"strings"
	"testing"

	"github.com/amblecrawl/amble"
)

// fieldPage is a white page with two text fields, one of which holds something.
func fieldPage(t *testing.T) *amble.Snapshot {
	img := image.NewRGBA(image.Rect(0, 0, 640, 400))
	for i := range img.Pix {
		img.Pix[i] = 0xff
	}
	var buf bytes.Buffer
	if err := png.Encode(&buf, img); err != nil {
		t.Fatal(err)
	}
	field := func(y float64, value string) amble.Node {
		return amble.Node{Type: amble.NodeElement, Name: "input", Rendered: true, InputValue: value, Box: amble.Rect{X: 100, Y: y, W: 200, H: 30}}
	}
	return &amble.Snapshot{Viewport: amble.Viewport{Width: 640, Height: 400, Scale: 1}, Screenshot: buf.Bytes(), Nodes: []amble.Node{field(20, "•"), field(100, "")}}
}

// TestFieldsArePaintedOver proves that no picture shows what stands in a form field (S12).
func TestFieldsArePaintedOver(t *testing.T) {
	s := (&picture{snapshot: fieldPage(t)}).spot("0,0 630×160")
	if s == nil {
		t.Fatal("no picture")
	}
	_, data, _ := strings.Cut(string(s.Data), ",")
	raw, err := base64.StdEncoding.DecodeString(data)
	if err != nil {
		t.Fatal(err)
	}
	img, err := jpeg.Decode(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	grey := func(x, y int) uint8 { return color.GrayModel.Convert(img.At(x, y)).(color.Gray).Y }
	if filled, empty := grey(200, 35), grey(200, 115); filled > 0xe4 || empty < 0xf4 {
		t.Errorf("the field that holds something has grey %d, the empty one %d", filled, empty)
	}
}

// TestPicturesAreBounded proves that pictures come from different pages, two for a rule at most, and stay within their bytes.
func TestPicturesAreBounded(t *testing.T) {
	count := func(limits Limits) (shots, size int) {
		c := NewCollector(Options{Limits: limits})
		for _, u := range []string{"https://a.test/1", "https://a.test/2", "https://a.test/3"} {
			p := &amble.Page{URL: u, Outcome: amble.OutcomeAnalysed, Response: &amble.Response{Snapshot: fieldPage(t)}}
			for _, rule := range []string{"r", "r", "q"} {
				p.Findings = append(p.Findings, amble.Finding{Rule: rule, URL: u, Severity: amble.Serious, Evidence: map[string]string{"box": "10,20 30×40"}})
			}
			_ = c.Page(p) // it returns no error
		}
		if a, b := c.rules["r"].places, c.rules["r"].shots; b == 2 && (a[0].Shot == nil || a[1].Shot != nil || a[2].Shot == nil) {
			t.Error("the two pictures of a rule are of one page")
		}
		return c.shots, c.shotBytes
	}
	shots, size := count(Limits{})
	if shots != 4 || size <= 0 {
		t.Errorf("%d pictures of %d bytes, want two for each of two rules", shots, size)
	}
	if n, b := count(Limits{ShotBytes: size / 2}); n >= shots || b > size/2 {
		t.Errorf("%d pictures of %d bytes within %d", n, b, size/2)
	}
	if n, _ := count(Limits{Shots: -1}); n != 0 {
		t.Errorf("%d pictures where none are wanted", n)
	}
}
