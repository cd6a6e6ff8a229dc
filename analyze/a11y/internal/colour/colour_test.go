package colour

import (
	"math"
	"testing"
)

// TestParse checks the forms of CSS Color 4 against known sRGB values.
func TestParse(t *testing.T) {
	for s, want := range map[string]string{
		"#abc": "#aabbcc", "#abcd": "#aabbccdd", "#0f6680": "#0f6680", "#0f668080": "#0f668080",
		"RebeccaPurple": "#663399", "transparent": "#00000000", "currentColor": "#010203",
		"rgb(1, 2, 3)": "#010203", "rgba(255,0,0,.5)": "#ff000080", "rgb(100% 0% 0% / 50%)": "#ff000080",
		"rgb(none 0 255)": "#0000ff", "rgb(300 -5 0)": "#ff0000",
		"hsl(120, 100%, 25%)": "#008000", "hsl(0.5turn 100% 50%)": "#00ffff", "hsl(-120 100% 50%)": "#0000ff",
		"hwb(120 0% 50%)": "#008000", "hwb(0 60% 60%)": "#808080",
		"lab(100% 0 0)": "#ffffff", "lab(0 none none)": "#000000", "lab(54.2905 80.8049 69.8909)": "#ff0000",
		"lch(54.2905 106.8371 40.8576)": "#ff0000", "lch(50 none 0)": "#777777",
		"oklab(0.62796 0.22486 0.12585)": "#ff0000", "oklch(0.62796 0.25768 29.234)": "#ff0000", "oklch(0 0 none)": "#000000",
		"oklch(1 0 0)": "#ffffff", "oklch(50% 0 none / 0.5)": "#63636380",
		"color(srgb 1 0 0)": "#ff0000", "color(srgb-linear 0.2158605 0.2158605 0.2158605)": "#808080",
		"color(display-p3 1 1 1)": "#ffffff", "color(display-p3 1 0 0)": "#ff0000", "color(a98-rgb 1 1 1)": "#ffffff",
		"color(prophoto-rgb 1 1 1)": "#ffffff", "color(rec2020 1 1 1)": "#ffffff", "color(xyz 0.95046 1 1.08906)": "#ffffff",
		"color(xyz-d50 0.96430 1 0.82510)": "#ffffff", "color(srgb 0.5 none 1 / 25%)": "#8000ff40",
		"color-mix(in srgb, red, blue)": "#800080", "color-mix(in srgb, red 25%, blue)": "#4000bf",
		"color-mix(in srgb, red, transparent)": "#ff000080", "color-mix(in srgb, white 20%, black 20%)": "#80808066",
		"color-mix(in hsl, red, lime)": "#ffff00", "light-dark(#0f6680, #fff)": "#0f6680",
	} {
		c, ok := Parse(s, RGBA{1.0 / 255, 2.0 / 255, 3.0 / 255, 1})
		if !ok || c.Hex() != want {
			t.Errorf("%s: %s %v, want %s", s, c.Hex(), ok, want)
		}
	}
	for _, s := range []string{"", "#", "#12", "#ggg", "rgb()", "rgb(1 2)", "rgb(a b c)", "hsl(", "color(foo 1 1 1)", "url(x)", "color-mix(red, blue)", "nocolour", "rgb(1 2 3 /)"} {
		if c, ok := Parse(s, Black); ok {
			t.Errorf("%q was read as %s", s, c.Hex())
		}
	}
}

// TestContrast checks WCAG 2's ratio and blending.
func TestContrast(t *testing.T) {
	near := func(got, want float64) bool { return math.Abs(got-want) < 0.01 }
	p := func(s string) RGBA { c, _ := Parse(s, Black); return c }
	for _, c := range []struct {
		a, b string
		want float64
	}{{"black", "white", 21}, {"#777", "#fff", 4.48}, {"#767676", "#fff", 4.54}, {"#808080", "#808080", 1}} {
		if got := Contrast(p(c.a), p(c.b)); !near(got, c.want) {
			t.Errorf("%s on %s: %.3f, want %.2f", c.a, c.b, got, c.want)
		}
	}
	if got := p("rgba(0,0,0,.5)").Over(White).Hex(); got != "#808080" {
		t.Errorf("half black on white: %s", got)
	}
	if got := p("rgba(255,0,0,.5)").Over(RGBA{}).Hex(); got != "#ff000080" {
		t.Errorf("half red on nothing: %s", got)
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"#fff", "rgb(1 2 3 / 4%)", "color-mix(in oklch, red 20%, lab(50% 1 2))", "oklch(none none none)", "light-dark(a,b"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		c, ok := Parse(s, Black)
		if ok {
			for _, v := range []float64{c.R, c.G, c.B, c.A} {
				if math.IsNaN(v) || v < 0 || v > 1 {
					t.Fatalf("%q: %v", s, c)
				}
			}
		}
	})
}
