package css

import (
	"math"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/amblecrawl/amble/analyze/a11y/internal/dom"
)

func page(t testing.TB, s string) *dom.Document {
	t.Helper()
	root, err := html.Parse(strings.NewReader(s))
	if err != nil {
		t.Fatal(err)
	}
	d := dom.FromHTML(root, "http://site.test/", "")
	Resolve(d, nil)
	return d
}

func byID(t testing.TB, d *dom.Document, id string) *dom.Node {
	t.Helper()
	n := d.ByID(d.Root, id)
	if n == nil {
		t.Fatalf("no element %q", id)
	}
	return n
}

// TestSelectors checks which selectors select the element with the id x.
func TestSelectors(t *testing.T) {
	d := page(t, `<main class="a b"><h1>T</h1><p lang="en-GB">1</p><p id="x" class="c d" data-k="one two" title="Ab">2<em>3</em></p><p>4</p></main>`)
	x := byID(t, d, "x")
	for sel, want := range map[string]bool{
		"p": true, "P": true, "*": true, "#x": true, ".c.d": true, ".c .d": false, "main p": true, "main > p": true, "body > p": false,
		"h1 + p": false, "h1 ~ p": true, "p + p": true, "p:first-child": false, "p:nth-child(3)": true, "p:nth-child(odd)": true, "p:nth-child(2n)": false,
		"p:nth-of-type(2)": true, "p:nth-last-child(2)": true, "p:last-of-type": false, "p:not(.e)": true, "p:not(.c)": false, ":is(h1, p)": true, ":where(h2)": false,
		"[data-k]": true, "[data-k~=two]": true, "[data-k^='one']": true, "[data-k$=two]": true, "[data-k*='e t']": true, "[title=ab]": false, "[title=ab i]": true,
		"p:has(em)": true, "p:has(> strong)": false, "main:has(h1) p": true, "h1:has(+ p) ~ #x": true, "p:hover": false, ":root p": true, "p:empty": false,
		`#\78`: true, `#\000078`: true, "p::before": true, "svg|p": false, "p >": false, "p,,": false, "": false,
	} {
		got := false
		for _, s := range ParseSelectors(sel) {
			got = got || s.Match(x)
		}
		if got != want {
			t.Errorf("%q selects: %v, want %v", sel, got, want)
		}
	}
}

// TestCascade checks order, specificity, importance, media, nesting, custom properties and inheritance.
func TestCascade(t *testing.T) {
	for css, want := range map[string]string{
		"#x { color: red } p { color: blue }":                                                      "red",
		"p { color: red } p { color: blue }":                                                       "blue",
		"p { color: red !important } #x { color: blue }":                                           "red",
		"@media print { p { color: red } }":                                                        "green",
		"@media (min-width: 600px) and (max-width: 2000px) { p { color: red } }":                   "red",
		"@media (width >= 3000px), (orientation: landscape) { p { color: red } }":                  "red",
		"@media not screen { p { color: red } }":                                                   "green",
		"@supports (display: grid) { p { color: red } }":                                           "red",
		"/* p { color: red } */ p { color: blue; } }":                                              "blue",
		"div { color: blue; & p { color: red } }":                                                  "red",
		"div { p { color: red } }":                                                                 "red",
		":root { --c: red } p { color: var(--c) }":                                                 "red",
		"p { color: var(--none, red) }":                                                            "red",
		"p { color: inherit }":                                                                     "green",
		"p:is(.y, #z, p) { color: red }":                                                           "red",
		"p { content: 'a;b{}'; color: red }":                                                       "red",
		"@import url('a.css'); @charset \"utf-8\"; @font-face { font-family: x } p { color: red }": "red",
		"@keyframes k { from { color: blue } } p { color: red }":                                   "red",
		"p { color: red; color }":                                                                  "red",
		"p::before { color: red }":                                                                 "green",
	} {
		d := page(t, "<style>"+css+`</style><div style="color: green"><p id="x">x</p></div>`)
		if got := Value(byID(t, d, "x"), "color"); got != want {
			t.Errorf("%s: %s, want %s", css, got, want)
		}
	}
}

// TestSizes checks font sizes and lengths.
func TestSizes(t *testing.T) {
	d := page(t, `<html style="font-size: 20px"><div style="font-size: 150%"><p id="a" style="font-size: .5em; letter-spacing: 2em">x</p><h1 id="b">y</h1><p id="c" style="font-size: 2rem">z</p><p id="d" style="font: bold 12pt/1.5 serif">w</p></div>`)
	for id, want := range map[string]float64{"a": 15, "b": 60, "c": 40, "d": 16} {
		if got := FontSize(byID(t, d, id)); math.Abs(got-want) > 0.01 {
			t.Errorf("font size of %s: %g, want %g", id, got, want)
		}
	}
	if v, ok := Px(byID(t, d, "a"), "letter-spacing"); !ok || v != 30 {
		t.Errorf("letter spacing %g", v)
	}
	if got := Value(byID(t, d, "d"), "line-height"); got != "1.5" {
		t.Errorf("line height %s", got)
	}
}

// TestStates checks what is rendered, visible and hidden.
func TestStates(t *testing.T) {
	d := page(t, `<style>.none { display: none } .vis { visibility: visible }</style>
		<div class="none"><p id="a">x</p></div><div style="visibility: hidden"><p id="b">x</p><p id="c" class="vis">x</p></div>
		<div hidden><p id="d">x</p></div><details><summary id="e">s</summary><p id="f">x</p></details><div aria-hidden="true"><p id="g">x</p></div>
		<div inert><p id="h">x</p></div><p id="i" style="position: absolute; left: -9999px">x</p><p id="j">x</p><div hidden style="display: block"><p id="k">x</p></div>
		<p id="l" style="opacity: 0">x</p><dialog><p id="m">x</p></dialog>`)
	for id, want := range map[string]bool{"a": false, "b": false, "c": true, "d": false, "e": true, "f": false, "g": true, "h": true, "i": false, "j": true, "k": true, "l": false, "m": false} {
		if got := Visible(byID(t, d, id)); got != want {
			t.Errorf("%s visible: %v, want %v", id, got, want)
		}
	}
	if !byID(t, d, "g").AriaHidden || !byID(t, d, "h").Inert {
		t.Error("aria-hidden or inert does not reach descendants")
	}
}

// TestPseudoContent checks the text that pseudo-elements add.
func TestPseudoContent(t *testing.T) {
	for content, want := range map[string]string{
		`"a" attr(title) 'b'`: "aTb", `"\2192" / "arrow"`: "arrow", `url(x.png)`: "", `none`: "", `counter(x) "."`: ".", `"a\"b"`: `a"b`, `"\41 b"`: "Ab",
	} {
		d := page(t, `<style>#x::before { content: `+content+` }</style><p id="x" title="T">x</p>`)
		n := byID(t, d, "x")
		if got, _ := PseudoContent(n, n.Before); got != want {
			t.Errorf("%s: %q, want %q", content, got, want)
		}
	}
}

// TestAngles checks the turns of transforms.
func TestAngles(t *testing.T) {
	for v, want := range map[string]float64{"rotate(90deg)": 90, "rotatez(.25turn) scale(2)": 90, "rotate3d(0, 0, -1, 90deg)": -90, "matrix(0, 1, -1, 0, 0, 0)": 90, "translate(3px)": 0, "rotate(100grad) rotate(0)": 90, "none": 0} {
		if got, ok := TransformAngle(v); !ok || math.Abs(got-want) > 0.01 {
			t.Errorf("%s: %g %v, want %g", v, got, ok, want)
		}
	}
	for v, want := range map[string]float64{"90deg": 90, "z 90deg": 90, "x 90deg": 0, "0 0 1 90deg": 90, "none": 0} {
		if got, ok := RotateAngle(v); !ok || math.Abs(got-want) > 0.01 {
			t.Errorf("rotate %s: %g %v, want %g", v, got, ok, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"a{b:c}", "@media x{a{b:c", "a:is(b:not(c:nth-child(2n+1))){}", `a::before{content:"\41`, "a{&:hover{b{c:d}}}", "/*", "[a=b i]{}"} {
		f.Add(s)
	}
	d := page(f, `<p id="x" class="y">x</p>`)
	x := byID(f, d, "x")
	f.Fuzz(func(t *testing.T, s string) {
		for _, r := range Parse(s).Rules {
			for i := range r.Selectors {
				r.Selectors[i].Match(x)
			}
		}
		FocusOf(x)
	})
}
