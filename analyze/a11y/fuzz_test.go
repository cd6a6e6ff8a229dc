package a11y

import (
	"context"
	"testing"

	"github.com/amblecrawl/amble"
)

// FuzzCheckHTML proves that no page makes a rule panic, and that each finding says something.
func FuzzCheckHTML(f *testing.F) {
	for _, s := range []string{
		`<!DOCTYPE html><html lang="en"><title>T</title><main><h1>A</h1><a href="#x">B</a></main>`,
		`<table><tr><th scope=row rowspan=0 colspan=70000>A<td headers="a a">B</table>`,
		`<style>a:is(b,:not(c)):nth-child(2n+1 of x)::before{content:"\41" attr(x) / "y";background:url(`,
		`<style>@media (orientation:portrait){*{transform:rotate3d(0,0,1,90deg)matrix(0,1,0,0,0,0)}}</style><p>x`,
		`<div id=a><template shadowrootmode=open><slot name=b></slot><slot></slot></template><p slot=b>x<p>y</div>`,
		`<label for=x>a<input id=x aria-labelledby="x y x" aria-owns="x z"><div id=z aria-owns=x role=list>`,
		`<iframe srcdoc="<iframe srcdoc='<iframe srcdoc=x>'>" tabindex=-1></iframe><map name=m><area href=/ ></map><img usemap=#m ismap>`,
		`<p style="line-height:calc(1px*2)!important;letter-spacing:inherit!important;word-spacing:.1e9em!important">x y z`,
		`<svg><title></title><a xlink:href=x><image/></a><foreignObject><p>x</p></foreignObject></svg><math><mi>x</mi></math>`,
		`<meta http-equiv=refresh content=".5;url=x"><meta name=viewport content="user-scalable=0,maximum-scale">`,
		`<details><summary></summary>x</details><dl><div><dt>a</div><dd>b</dl><select><optgroup label=x><option>y`,
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		rep, err := CheckHTML(context.Background(), []byte(s), "http://site.test/", "text/html", &Options{Linked: func(string) (string, bool) { return s, true }})
		if err != nil {
			return
		}
		for _, x := range rep.Findings {
			if x.Message == "" || x.Rule == "" {
				t.Fatalf("%+v", x)
			}
		}
	})
}

// FuzzCheckSnapshot proves that no snapshot, however broken its links, makes a rule panic. Eight bytes make a node.
func FuzzCheckSnapshot(f *testing.F) {
	types := []amble.NodeType{amble.NodeElement, amble.NodeElement, amble.NodeText, amble.NodeShadow, amble.NodeDocument, amble.NodeComment}
	names := []string{"html", "body", "p", "a", "table", "tr", "th", "td", "slot", "iframe", "svg", "ul", "li", "select", "input", "x-y", "dialog", "details", "summary", "::before"}
	attrs := []amble.Attr{{Name: "id", Value: "a"}, {Name: "href", Value: "#a"}, {Name: "aria-labelledby", Value: "a a b"}, {Name: "aria-owns", Value: "a b"}, {Name: "role", Value: "list"}, {Name: "tabindex", Value: "-1"}, {Name: "for", Value: "a"}, {Name: "slot", Value: ""}, {Name: "id", Value: "b"}, {Name: "open", Value: ""}}
	styles := [][]string{nil, {"red", "-1", "absolute", "0.5", "hidden"}, {"oklch(none none none)", "5", "static", "1", "auto"}, {"x", "auto", "fixed", "y", ""}}
	f.Add([]byte("\x04\x00\x00\x00\x00\x00\x00\x00\x00\x01\x00\x00\x00\x00\x30\x30\x00\x01\x02\x01\x00\x00\x20\x20\x02\x01\x00\x00\x00\x00\x10\x10"))
	f.Fuzz(func(t *testing.T, data []byte) {
		s := amble.Snapshot{Viewport: amble.Viewport{Width: 100, Height: 100}, StyleNames: []string{"color", "z-index", "position", "opacity", "overflow-x"}, Frames: []amble.Frame{{}}}
		for i := 0; i+8 <= len(data) && i < 8*300; i += 8 {
			b := data[i : i+8]
			n := amble.Node{Type: types[int(b[0])%len(types)], Parent: i/8 - int(b[1]), Name: names[int(b[2])%len(names)], Value: string(b[5:8]), Document: int(b[4]) - 1, Slot: -1,
				Rendered: b[3]&1 == 1, Box: amble.Rect{X: float64(b[6]) - 50, Y: float64(b[7]) - 50, W: float64(b[6]), H: float64(b[7])}, Paint: int(b[3]) % 7, Styles: styles[int(b[5])%len(styles)]}
			n.Attrs = []amble.Attr{attrs[int(b[3])%len(attrs)], attrs[int(b[5])%len(attrs)]}
			n.TextBoxes = []amble.TextBox{{Rect: n.Box}}
			if b[4]&64 != 0 {
				n.Shadow = "open"
			}
			s.Nodes = append(s.Nodes, n)
		}
		if _, err := CheckSnapshot(context.Background(), &s, nil); err != nil && err != ErrNoDocument {
			t.Fatal(err)
		}
	})
}
