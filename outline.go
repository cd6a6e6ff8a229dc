package amble

import (
	"bytes"
	"strings"

	"golang.org/x/net/html/atom"

	"github.com/amblecrawl/amble/internal/charset"
	"github.com/amblecrawl/amble/internal/htmlmeta"
)

// Outline is a page's elements and texts as a flat list in document order, numbered from 0. It is made in the pass that
// reads the metadata, and costs a fraction of a Tree. The contents of an element are the numbers behind its own up to
// End. Contents of template elements are left out; formatting elements that are closed in the wrong place are listed each
// time that a browser opens them. Strings share the page's memory: an Analyzer that keeps one must clone it.
//
// The zero Outline is empty. It is safe for concurrent use.
type Outline struct {
	doc     *htmlmeta.Outline
	page    []byte
	partial bool
}

// Outline returns the page's elements and texts. When a rule has NeedOutline it is there already, else it is made at the
// first call. It is kept while the Analyzers run. It must not be called from several goroutines at once.
func (p *Page) Outline() *Outline {
	if p.outline == nil {
		p.outline = &Outline{}
		if r := p.Response; r != nil && len(r.Body) > 0 && (p.Meta != nil || isHTML(r.Header)) {
			text, _ := charset.Decode(r.Body, strings.Join(r.Header.Values("Content-Type"), ", "))
			d := htmlmeta.Parse(text, htmlmeta.Options{Outline: true})
			p.outline = &Outline{doc: d.Outline, page: text, partial: d.Partial || p.Partial()}
		}
	}
	return p.outline
}

// Partial reports whether the page was cut, or a bound ended the reading: more may be there than is listed.
func (o *Outline) Partial() bool { return o.partial }

// Len is how many elements and texts there are.
func (o *Outline) Len() int {
	if o.doc == nil {
		return 0
	}
	return len(o.doc.Nodes)
}

// IsText reports whether i is a text.
func (o *Outline) IsText(i int) bool { return o.doc.Nodes[i].IsText }

// Text is the text of a text, character references replaced; empty for an element.
func (o *Outline) Text(i int) string {
	if !o.doc.Nodes[i].IsText {
		return ""
	}
	return o.doc.Text(i)
}

// Tag is the name of an element as package atom has it; 0 for one that it does not know, and for a text.
func (o *Outline) Tag(i int) atom.Atom { return o.doc.Nodes[i].Tag }

// Name is the name of an element, in lower case; empty for a text.
func (o *Outline) Name(i int) string { return o.doc.Name(i) }

// Attr returns the value of an element's attribute, by its name in lower case, and whether it is there.
func (o *Outline) Attr(i int, name string) (string, bool) { return o.doc.Attr(i, name) }

// Parent is the element that holds i, or -1.
func (o *Outline) Parent(i int) int { return int(o.doc.Nodes[i].Parent) }

// End is the first number behind the contents of i.
func (o *Outline) End(i int) int { return int(o.doc.Nodes[i].End) }

// Foreign reports whether i is an element of SVG or MathML, or a text in one.
func (o *Outline) Foreign(i int) bool { return o.doc.Nodes[i].Foreign }

// InHead reports whether the head holds i.
func (o *Outline) InHead(i int) bool { return o.doc.Nodes[i].InHead }

// Line is the line of the source where i begins, from 1.
func (o *Outline) Line(i int) int { return o.line(o.doc.Nodes[i].At) }

func (o *Outline) line(at int32) int {
	return 1 + bytes.Count(o.page[:min(int(at), len(o.page))], []byte{'\n'})
}

// UnpairedTag is a tag of the source without a partner where it must have one.
type UnpairedTag struct {
	Name   string
	Line   int
	Stray  bool   // an end tag without a start; otherwise a start tag without an end
	Before string // the end tag that came instead of its own; empty when none came
}

// Unpaired lists start tags without an end and end tags without a start, at most 20. What the end of another element may
// rightly imply is not among them.
func (o *Outline) Unpaired() []UnpairedTag {
	if o.doc == nil {
		return nil
	}
	out := make([]UnpairedTag, 0, len(o.doc.Unpaired))
	for _, u := range o.doc.Unpaired {
		out = append(out, UnpairedTag{Name: u.Name, Line: o.line(u.At), Stray: u.Stray, Before: u.Before})
	}
	return out
}
