package htmlmeta

import (
	"bytes"
	"strings"

	"golang.org/x/net/html/atom"

	"github.com/amblecrawl/amble/internal/htmltoken"
)

// Outline is a page's elements and texts as one flat list in document order: what a tree would tell, at a small part of
// its cost, since it holds no pointers. Contents of template elements are left out.
//
// Misnested formatting elements are listed each time that they are opened, and what they hold may end behind their
// parents. What a table throws out stands where the source has it.
type Outline struct {
	Nodes    []Node
	Unpaired []Unpaired // tags without a partner, at most maxUnpaired

	attrs []attr
	all   string // names of elements that are no atoms, of attributes, values and texts
}

// Node is an element or a text.
type Node struct {
	Tag     atom.Atom // of an element with a well-known name; 0 for others and for texts
	Parent  int32     // -1 for the root
	End     int32     // the first node behind its contents
	At      int32     // where in the page the tag or the text begins, in bytes
	name    span      // of other elements
	content span      // the text itself, or the element's attributes
	IsText  bool
	Foreign bool // SVG or MathML
	InHead  bool // an ancestor is head
}

type attr struct{ key, value span }

// Unpaired is a start tag without an end, or an end tag without a start.
type Unpaired struct {
	Name   string
	At     int32  // where it begins in the page
	Stray  bool   // an end tag
	Before string // the end tag that came instead; empty at the end of the page
}

const (
	maxNodes    = 2 << 20
	maxUnpaired = 20
	maxPairs    = 5000 // open tags that partners are looked for
)

// Text is the text of a text node.
func (o *Outline) Text(i int) string { s := o.Nodes[i].content; return o.all[s.from:s.to] }

// Name is the name of an element, in lower case.
func (o *Outline) Name(i int) string {
	if n := &o.Nodes[i]; n.Tag == 0 {
		return o.all[n.name.from:n.name.to]
	}
	return o.Nodes[i].Tag.String()
}

// Attr is an element's attribute, and whether it is there.
func (o *Outline) Attr(i int, name string) (string, bool) {
	n := &o.Nodes[i]
	if n.IsText {
		return "", false
	}
	for _, a := range o.attrs[n.content.from:n.content.to] {
		if int(a.key.to-a.key.from) == len(name) && o.all[a.key.from:a.key.to] == name {
			return o.all[a.value.from:a.value.to], true
		}
	}
	return "", false
}

// outliner makes the outline while the builder reads.
type outliner struct {
	out      *Outline
	page     []byte
	at, next int32 // where the token at hand begins, and the next one

	names strings.Builder // what becomes Outline.all

	pairs   []pair
	pending int // pairs that count as foreign
	work    int // what the search for partners may still cost
}

// pair is an open tag that waits for its partner. It knows nothing of the rules by which elements end one another.
type pair struct {
	tag     atom.Atom
	hash    uint64
	at      int32
	foreign bool
}

func newOutliner(page []byte) *outliner {
	o := &outliner{page: page, work: workAtLeast + workPerByte*len(page), out: &Outline{
		Nodes: make([]Node, 0, len(page)/32+16), attrs: make([]attr, 0, len(page)/60+16)}}
	o.names.Grow(len(page)*3/4 + 64)
	return o
}

func (o *outliner) keep(b []byte) span {
	from := int32(o.names.Len())
	o.names.Write(b)
	return span{from, int32(o.names.Len())}
}

// outlineElement lists a new element. Its attributes are those of the tag at hand.
func (b *builder) outlineElement(e *element) {
	o := b.outline
	if len(o.out.Nodes) >= maxNodes {
		b.doc.Partial = true
		return
	}
	n := Node{Tag: e.tag, Parent: b.top().node - 1, End: int32(len(o.out.Nodes)) + 1, At: o.at, Foreign: e.ns != nsHTML, InHead: e.inHead}
	if e.tag == 0 {
		n.name = o.keep(b.name)
	}
	n.content.from = int32(len(o.out.attrs))
	if b.hasAttr {
		for _, a := range b.load() {
			o.out.attrs = append(o.out.attrs, attr{o.keep(a.Key), o.keep(a.Value)})
		}
	}
	n.content.to = int32(len(o.out.attrs))
	o.out.Nodes = append(o.out.Nodes, n)
	e.node = int32(len(o.out.Nodes))
}

// outlineAgain lists a formatting element that is opened again.
func (b *builder) outlineAgain(e *element, node int32) {
	o := b.outline
	if node == 0 || len(o.out.Nodes) >= maxNodes {
		return
	}
	n := o.out.Nodes[node-1]
	n.Parent, n.End = b.top().node-1, int32(len(o.out.Nodes))+1
	o.out.Nodes = append(o.out.Nodes, n)
	e.node = int32(len(o.out.Nodes))
}

func (b *builder) outlineText(t []byte) {
	o := b.outline
	if len(o.out.Nodes) >= maxNodes {
		b.doc.Partial = true
		return
	}
	parent := b.top()
	o.out.Nodes = append(o.out.Nodes, Node{IsText: true, Parent: parent.node - 1, End: int32(len(o.out.Nodes)) + 1, At: o.at,
		content: o.keep(t), Foreign: parent.ns != nsHTML, InHead: parent.inHead || parent.is(atom.Head)})
}

func (o *outliner) closed(node int32) {
	if node > 0 {
		o.out.Nodes[node-1].End = int32(len(o.out.Nodes))
	}
}

// mayStay tells elements whose end tag may be left out (HTML standard 13.1.2.4).
func mayStay(t atom.Atom) bool {
	switch t {
	case atom.Html, atom.Head, atom.Body, atom.P, atom.Li, atom.Dt, atom.Dd, atom.Rt, atom.Rp, atom.Rb, atom.Rtc, atom.Optgroup,
		atom.Option, atom.Colgroup, atom.Caption, atom.Thead, atom.Tbody, atom.Tfoot, atom.Tr, atom.Td, atom.Th:
		return true
	}
	return false
}

// void tells elements that have no end tag.
func void(t atom.Atom) bool {
	switch t {
	case atom.Area, atom.Base, atom.Br, atom.Col, atom.Embed, atom.Hr, atom.Img, atom.Input, atom.Link, atom.Meta, atom.Param,
		atom.Source, atom.Track, atom.Wbr, atom.Basefont, atom.Bgsound, atom.Frame, atom.Keygen:
		return true
	}
	return false
}

// pairToken follows the start and end tags of the source, and notes which have no partner. It is cautious: what an
// implied end could explain is let go.
func (b *builder) pairToken(kind htmltoken.Kind) {
	o := b.outline
	if o.work < 0 {
		return
	}
	root := b.tag == atom.Svg || b.tag == atom.Math
	if kind != htmltoken.EndTag {
		selfClosing := kind == htmltoken.SelfClosing
		if void(b.tag) && o.pending == 0 || selfClosing && (o.pending > 0 || root) || len(o.pairs) >= maxPairs {
			return
		}
		if root {
			o.pending++
		}
		o.pairs = append(o.pairs, pair{b.tag, b.hash, o.at, root})
		return
	}
	i := len(o.pairs) - 1
	for i >= 0 && (o.pairs[i].tag != b.tag || o.pairs[i].hash != b.hash) {
		i--
	}
	o.work -= len(o.pairs) - i
	if i < 0 {
		if b.tag != atom.P && b.tag != atom.Br && !void(b.tag) && !mayStay(b.tag) {
			o.unpaired(Unpaired{Name: string(b.name), At: o.at, Stray: true})
		}
		return
	}
	for _, p := range o.pairs[i+1:] {
		if !mayStay(p.tag) && o.pending == 0 {
			o.unpaired(Unpaired{Name: o.nameAt(p.at), At: p.at, Before: string(b.name)})
		}
	}
	for _, p := range o.pairs[i:] {
		if p.foreign {
			o.pending--
		}
	}
	o.pairs = o.pairs[:i]
}

func (o *outliner) unpaired(u Unpaired) {
	if len(o.out.Unpaired) < maxUnpaired {
		o.out.Unpaired = append(o.out.Unpaired, u)
	}
}

// nameAt reads the name of the tag that begins there.
func (o *outliner) nameAt(at int32) string {
	rest := o.page[min(int(at)+1, len(o.page)):]
	if n := bytes.IndexAny(rest, space+"/>"); n >= 0 {
		rest = rest[:n]
	}
	return string(bytes.ToLower(rest[:min(len(rest), 100)]))
}

// finish closes what is open.
func (o *outliner) finish(stack []element) *Outline {
	for i := range stack {
		o.closed(stack[i].node)
	}
	if o.work >= 0 {
		for _, p := range o.pairs {
			if !mayStay(p.tag) {
				o.unpaired(Unpaired{Name: o.nameAt(p.at), At: p.at})
			}
		}
	}
	o.out.all = o.names.String()
	return o.out
}
