package htmltree

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"
)

func titleOf(doc *html.Node) string {
	for n := range doc.Descendants() {
		if n.Type == html.ElementNode && n.Data == "title" && n.FirstChild != nil {
			return n.FirstChild.Data
		}
	}
	return ""
}

func TestDeepPageGivesItsBeginning(t *testing.T) {
	page := "<title>T</title><p id=first>x</p>" + strings.Repeat("<div>", 5000) + "end"
	doc, partial := Parse([]byte(page), Limits{})
	if !partial || doc == nil || titleOf(doc) != "T" {
		t.Fatalf("partial %v, title %q", partial, titleOf(doc))
	}
	divs := 0
	for n := range doc.Descendants() {
		if n.Data == "div" {
			divs++
		}
	}
	if divs < 250 {
		t.Errorf("only %d of the allowed depth was kept", divs)
	}
}

func TestDeepFromTheFirstBytes(t *testing.T) {
	if doc, partial := Parse([]byte(strings.Repeat("<b>", 600)), Limits{}); doc == nil || !partial {
		t.Errorf("doc %v, partial %v", doc, partial)
	}
}

func TestTagsAreBounded(t *testing.T) {
	page := "<title>T</title>" + strings.Repeat("<p>x</p>", 10_000)
	doc, partial := Parse([]byte(page), Limits{Tags: 1000, Time: time.Hour})
	if !partial || titleOf(doc) != "T" {
		t.Errorf("partial %v, title %q", partial, titleOf(doc))
	}
	if _, partial := Parse([]byte(page), Limits{Time: time.Hour}); partial {
		t.Error("a page within bounds is not partial")
	}
}

func TestTimeIsBounded(t *testing.T) {
	var page strings.Builder
	page.WriteString("<title>T</title><body>")
	for i := range 300 {
		fmt.Fprintf(&page, "<font id=%d>", i)
	}
	page.WriteString(strings.Repeat("</p><p>x", 20_000))
	doc, partial := Parse([]byte(page.String()), Limits{Time: 20 * time.Millisecond})
	if !partial || titleOf(doc) != "T" {
		t.Errorf("partial %v, title %q", partial, titleOf(doc))
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte("<table><a><svg><title>"))
	f.Add([]byte(strings.Repeat("<b>", 520)))
	f.Fuzz(func(t *testing.T, page []byte) {
		if doc, _ := Parse(page, Limits{}); doc == nil {
			t.Error("no document")
		}
	})
}

func ExampleParse() {
	doc, partial := Parse([]byte("<title>Hello</title>"), Limits{})
	fmt.Println(doc.FirstChild.Data, partial)
	// Output: html false
}
