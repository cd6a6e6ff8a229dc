package a11y

import (
	"bytes"
	"context"
	"fmt"
	"testing"

	"golang.org/x/net/html"

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
