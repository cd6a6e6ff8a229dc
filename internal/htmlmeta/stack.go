package htmlmeta

import (
	"slices"

	"golang.org/x/net/html/atom"
)

// The three namespaces of HTML documents.
const (
	nsHTML = iota
	nsSVG
	nsMathML
)

// element is an open element. No tree is kept: an element knows only what later tokens can ask of it.
type element struct {
	tag  atom.Atom
	hash uint64 // of the name, for names that are no atom
	id   int32  // identity of formatting elements and forms; else 0
	mark int32  // how many ordered items there were when it was opened
	h1   int32  // index+1 in builder.h1s
	link int32  // index+1 in builder.links
	node int32  // index+1 in Outline.Nodes
	data span   // its own types in Doc.Data, of formatting elements
	ord  order  // where its items belong, when it was moved before a table
	ns   uint8

	inHead, inTemplate  bool // an ancestor is head; is a template
	htmlPoint, mathText bool // integration points of foreign content
	formatting          bool // it may be in the list of active formatting elements
	raw                 bool // it holds text alone
}

func (e *element) is(tag atom.Atom) bool { return e.tag == tag && e.ns == nsHTML }

// same reports whether the element has the name of the tag at hand, whatever the namespace.
func (b *builder) same(e *element) bool { return e.tag == b.tag && e.hash == b.hash }

var noElement element

func (b *builder) top() *element {
	if len(b.stack) == 0 {
		return &noElement
	}
	return &b.stack[len(b.stack)-1]
}

// push opens an element.
func (b *builder) push(e element) {
	if len(b.stack) >= maxDepth && !e.raw {
		b.overflow++
		b.doc.Partial = true
		return
	}
	if e.ns == nsHTML {
		switch e.tag {
		case atom.P:
			b.openP++
		case atom.Li, atom.Dd, atom.Dt:
			b.openItems++
		case atom.Select:
			b.openSelects++
		case atom.Template:
			b.openTemplates++
		}
	}
	if e.h1 > 0 {
		b.h1Stack = append(b.h1Stack, e.h1-1)
	}
	if e.link > 0 {
		b.linkStack = append(b.linkStack, e.link-1)
	}
	b.stack = append(b.stack, e)
}

// closed takes an element that leaves the stack out of the counts.
func (b *builder) closed(e *element) {
	if b.outline != nil {
		b.outline.closed(e.node)
	}
	if e.ns == nsHTML {
		switch e.tag {
		case atom.P:
			b.openP--
		case atom.Li, atom.Dd, atom.Dt:
			b.openItems--
		case atom.Select:
			b.openSelects--
		case atom.Template:
			b.openTemplates--
		}
	}
	if e.h1 > 0 {
		b.h1Stack = without(b.h1Stack, e.h1-1)
	}
	if e.link > 0 {
		b.linkStack = without(b.linkStack, e.link-1)
	}
	if e.formatting {
		if i := b.activeIndex(e.id); i >= 0 {
			b.active[i].open = false
		}
	}
}

// without takes one index off a short list, from its end.
func without(list []int32, index int32) []int32 {
	if i := slices.Index(list, index); i >= 0 {
		return slices.Delete(list, i, i+1)
	}
	return list
}

// popTo closes all elements from index i up.
func (b *builder) popTo(i int) {
	for j := len(b.stack) - 1; j >= i; j-- {
		b.closed(&b.stack[j])
	}
	b.stack = b.stack[:i]
}

func (b *builder) pop() {
	if len(b.stack) > 0 {
		b.popTo(len(b.stack) - 1)
	}
}

// remove takes one element out of the middle of the stack.
func (b *builder) remove(i int) {
	b.closed(&b.stack[i])
	b.stack = append(b.stack[:i], b.stack[i+1:]...)
	b.spend(len(b.stack) - i)
}

// floor is the lowest index that a search may go down to. Once a page has used up its share of work, searches look at
// the nearest elements only.
func (b *builder) floor() int {
	if b.coarse {
		return max(0, len(b.stack)-coarseReach)
	}
	return 0
}

func (b *builder) spend(n int) {
	b.work -= n
	if b.work < 0 && !b.coarse {
		b.coarse, b.doc.Partial = true, true
	}
}

// The scopes of HTML 13.2.4.2.
const (
	defaultScope = iota
	listScope
	buttonScope
	tableScope
)

// inScope gives the index of the nearest open element for which match holds, or -1 when the scope ends before.
func (b *builder) inScope(scope int, match func(atom.Atom) bool) int {
	low := b.floor()
	for i := len(b.stack) - 1; i >= low; i-- {
		e := &b.stack[i]
		if e.ns == nsHTML && match(e.tag) {
			b.spend(len(b.stack) - i)
			return i
		}
		if ends(e, scope) {
			b.spend(len(b.stack) - i)
			return -1
		}
	}
	b.spend(len(b.stack) - low)
	return -1
}

// tagInScope is inScope for one tag; it looks at no stack when the counts say that there is none.
func (b *builder) tagInScope(scope int, tag atom.Atom) int {
	switch {
	case tag == atom.P && b.openP == 0, tag == atom.Select && b.openSelects == 0:
		return -1
	}
	low := b.floor()
	for i := len(b.stack) - 1; i >= low; i-- {
		e := &b.stack[i]
		if e.tag == tag && e.ns == nsHTML {
			b.spend(len(b.stack) - i)
			return i
		}
		if ends(e, scope) {
			b.spend(len(b.stack) - i)
			return -1
		}
	}
	b.spend(len(b.stack) - low)
	return -1
}

// ends reports whether an element is a boundary of the scope.
func ends(e *element, scope int) bool {
	if scope == tableScope {
		return e.ns == nsHTML && (e.tag == atom.Html || e.tag == atom.Table || e.tag == atom.Template)
	}
	switch e.ns {
	case nsSVG:
		return e.htmlPoint
	case nsMathML:
		return e.mathText || e.tag == atom.AnnotationXml
	}
	switch e.tag {
	case atom.Applet, atom.Caption, atom.Html, atom.Table, atom.Td, atom.Th, atom.Marquee, atom.Object, atom.Template, atom.Select:
		return true
	case atom.Ol, atom.Ul:
		return scope == listScope
	case atom.Button:
		return scope == buttonScope
	}
	return false
}

// popScope closes elements up to and with the nearest tag in scope, if there is one.
func (b *builder) popScope(scope int, tag atom.Atom) bool {
	i := b.tagInScope(scope, tag)
	if i < 0 {
		return false
	}
	b.popTo(i)
	return true
}

func (b *builder) closeP() {
	if b.openP > 0 {
		b.popScope(buttonScope, atom.P)
	}
}

// impliedEnds closes elements whose end tags may be left out, but for one tag.
func (b *builder) impliedEnds(except atom.Atom) {
	i := len(b.stack)
	for i > 0 {
		e := &b.stack[i-1]
		if e.ns != nsHTML || e.tag == except && except != 0 {
			break
		}
		switch e.tag {
		case atom.Dd, atom.Dt, atom.Li, atom.Optgroup, atom.Option, atom.P, atom.Rb, atom.Rp, atom.Rt, atom.Rtc:
			i--
			continue
		}
		break
	}
	b.popTo(i)
}

// clearTo closes elements until one of the tags, a template or html is on top.
func (b *builder) clearTo(tags ...atom.Atom) {
	i := len(b.stack)
	for i > 0 {
		e := &b.stack[i-1]
		if e.is(atom.Html) || e.is(atom.Template) {
			break
		}
		found := false
		for _, t := range tags {
			found = found || e.is(t)
		}
		if found {
			break
		}
		i--
	}
	b.popTo(i)
}

// last gives the index of the nearest open HTML element with the tag, or -1.
func (b *builder) last(tag atom.Atom) int {
	low := b.floor()
	for i := len(b.stack) - 1; i >= low; i-- {
		if b.stack[i].is(tag) {
			b.spend(len(b.stack) - i)
			return i
		}
	}
	b.spend(len(b.stack) - low)
	return -1
}

// special reports whether an element is in the standard's special category. The standard has search in it as well;
// Chromium has not, and what its document holds is what counts here.
func special(e *element) bool {
	switch e.ns {
	case nsSVG:
		return e.htmlPoint
	case nsMathML:
		return e.mathText || e.tag == atom.AnnotationXml
	}
	switch e.tag {
	case atom.Address, atom.Applet, atom.Area, atom.Article, atom.Aside, atom.Base, atom.Basefont, atom.Bgsound, atom.Blockquote,
		atom.Body, atom.Br, atom.Button, atom.Caption, atom.Center, atom.Col, atom.Colgroup, atom.Dd, atom.Details, atom.Dir,
		atom.Div, atom.Dl, atom.Dt, atom.Embed, atom.Fieldset, atom.Figcaption, atom.Figure, atom.Footer, atom.Form, atom.Frame,
		atom.Frameset, atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6, atom.Head, atom.Header, atom.Hgroup, atom.Hr,
		atom.Html, atom.Iframe, atom.Img, atom.Input, atom.Keygen, atom.Li, atom.Link, atom.Listing, atom.Main, atom.Marquee,
		atom.Menu, atom.Meta, atom.Nav, atom.Noembed, atom.Noframes, atom.Noscript, atom.Object, atom.Ol, atom.P, atom.Param,
		atom.Plaintext, atom.Pre, atom.Script, atom.Section, atom.Select, atom.Source, atom.Style, atom.Summary,
		atom.Table, atom.Tbody, atom.Td, atom.Template, atom.Textarea, atom.Tfoot, atom.Th, atom.Thead, atom.Title, atom.Tr,
		atom.Track, atom.Ul, atom.Wbr, atom.Xmp:
		return true
	}
	return false
}

func isHeading(t atom.Atom) bool {
	switch t {
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		return true
	}
	return false
}
