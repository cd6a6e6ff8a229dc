package a11y

import (
	"bytes"
	"context"
	"fmt"
	"testing"

	"golang.org/x/net/html"

	"github.com/amblecrawl/amble"
	"github.com/amblecrawl/amble/analyze/a11y/internal/css"
	"github.com/amblecrawl/amble/analyze/a11y/internal/dom"
)

// bigPage is a page of about n elements: a long table, lists, forms, nesting, a style sheet with costly selectors.
func bigPage(n int) []byte {
	var b bytes.Buffer
	b.WriteString(`<!DOCTYPE html><html lang="en"><head><title>Big</title><style>
		.row:nth-child(2n) { background: #eee } .row > td { padding: 2px } .hide { display: none }
		ul li:not(.x) a { color: #06c } main :is(p, li) + p { margin: 0 } [data-x="3"] ~ li { color: red }
	</style></head><body><nav><ul>`)
	for i := range n / 20 {
		fmt.Fprintf(&b, `<li data-x="%d"><a href="/p%d">Page %d</a></li>`, i%7, i, i)
	}
	b.WriteString(`</ul></nav><main><h1>Big</h1><table><thead><tr><th>A</th><th>B</th><th>C</th></tr></thead><tbody>`)
	for i := range n / 12 {
		fmt.Fprintf(&b, `<tr class="row"><th>%d</th><td><span>%d</span></td><td id="c%d"><button aria-label="Edit %d">Edit</button></td></tr>`, i, i, i, i)
	}
	b.WriteString(`</tbody></table>`)
	for i := range n / 20 {
		fmt.Fprintf(&b, `<div role="group"><label for="f%d">Field <em>%d</em></label><input id="f%d"><p>Text %d</p></div>`, i, i, i, i)
	}
	b.WriteString(`</main></body></html>`)
	return b.Bytes()
}

// BenchmarkBigPage shows that the cost grows with the page and no faster: the time per node stays about the same.
func BenchmarkBigPage(b *testing.B) {
	for _, n := range []int{3000, 30_000, 60_000} {
		page := bigPage(n)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			nodes := 0
			for b.Loop() {
				root, err := html.Parse(bytes.NewReader(page))
				if err != nil {
					b.Fatal(err)
				}
				d := dom.FromHTML(root, "http://site.test/", "text/html")
				css.Resolve(d, nil)
				nodes = len(d.Nodes)
				if _, err := check(context.Background(), d, Options{}, nil); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(nodes), "ns/node")
		})
	}
}

// bigSnapshot is a rendered page of about n nodes, each with a background of its own.
func bigSnapshot(n int) *amble.Snapshot {
	s := &amble.Snapshot{URL: "http://site.test/", Viewport: amble.Viewport{Width: 1280, Height: 720}, Frames: []amble.Frame{{Tested: true}},
		StyleNames: []string{"display", "visibility", "color", "background-color", "font-size", "font-weight", "opacity", "overflow-x", "overflow-y", "position", "z-index"}}
	add := func(n amble.Node) int {
		n.Slot, n.Document = -1, -1
		s.Nodes = append(s.Nodes, n)
		return len(s.Nodes) - 1
	}
	style := []string{"block", "visible", "rgb(90, 90, 90)", "rgb(255, 255, 255)", "16px", "400", "1", "visible", "visible", "static", "auto"}
	add(amble.Node{Type: amble.NodeDocument, Parent: -1})
	html := add(amble.Node{Type: amble.NodeElement, Name: "html", Rendered: true, Box: amble.Rect{W: 1280, H: float64(20 * n / 3)}, Styles: style, Attrs: []amble.Attr{{Name: "lang", Value: "en"}}})
	body := add(amble.Node{Type: amble.NodeElement, Name: "body", Parent: html, Rendered: true, Box: amble.Rect{W: 1280, H: float64(20 * n / 3)}, Styles: style, Paint: 1})
	for i := range n / 3 {
		box := amble.Rect{X: 10, Y: float64(i * 20), W: 600, H: 18}
		p := add(amble.Node{Type: amble.NodeElement, Name: "p", Parent: body, Rendered: true, Box: box, Styles: style, Paint: 1})
		a := add(amble.Node{Type: amble.NodeElement, Name: "a", Parent: p, Rendered: true, Box: box, Styles: style, Paint: 1, Attrs: []amble.Attr{{Name: "href", Value: fmt.Sprintf("/p%d", i)}}})
		add(amble.Node{Type: amble.NodeText, Parent: a, Value: fmt.Sprintf("Link %d", i), Rendered: true, Box: box, TextBoxes: []amble.TextBox{{Rect: box}}, Paint: 1})
	}
	return s
}

// BenchmarkBigSnapshot shows the same for rendered pages, contrast included.
func BenchmarkBigSnapshot(b *testing.B) {
	for _, n := range []int{3000, 30_000, 60_000} {
		s := bigSnapshot(n)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				rep, err := CheckSnapshot(context.Background(), s, nil)
				if err != nil {
					b.Fatal(err)
				}
				if rep.Outcome("contrast").Passed < n/3 {
					b.Fatalf("%+v", rep.Outcome("contrast"))
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(s.Nodes)), "ns/node")
		})
	}
}
