package amble_test

import (
	"fmt"
	"net/http"

	"golang.org/x/net/html/atom"

	"github.com/amblecrawl/amble"
)

func ExampleOutline() {
	p := &amble.Page{Response: &amble.Response{Header: http.Header{"Content-Type": {"text/html"}}, Body: []byte("<h1>Bread</h1>\n<p>of the <b>old town</b>")}}
	o := p.Outline()
	for i := range o.Len() {
		if o.Tag(i) != atom.P {
			continue
		}
		fmt.Printf("line %d:", o.Line(i))
		for c := i + 1; c < o.End(i); c++ {
			fmt.Printf(" %q", o.Text(c))
		}
	}
	// Output: line 2: "of the " "" "old town"
}
