package htmlmeta

import (
	"bytes"
	"hash/maphash"

	"golang.org/x/net/html/atom"

	"github.com/amblecrawl/amble/internal/htmltoken"
)

// Bounds on what one page may cost. A page over one of them is marked Partial.
const (
	maxDepth    = 1 << 14 // open elements; deeper ones are read but not kept open
	maxActive   = 256     // active formatting elements
	coarseReach = 32      // how far searches go once the page's share of work is used up
	workPerByte = 40
	workAtLeast = 1 << 20
)

// mode is an insertion mode of HTML 13.2.4.1.
type mode uint8

const (
	initial mode = iota
	beforeHTML
	beforeHead
	inHead
	afterHead
	inBody
	inText // inside raw text; builder.origin is the mode to return to
	inTable
	inCaption
	inColumns
	inTableBody
	inRow
	inCell
	inTemplate
	afterBody
	inFrameset
	afterFrameset
	afterAfterBody
	afterAfterFrameset
)

// builder runs the tree construction of HTML 13.2.6 without making a tree.
type builder struct {
	z    htmltoken.Tokenizer
	seed maphash.Seed
	doc  Doc
	opt  Options

	// The tag at hand.
	tag     atom.Atom
	hash    uint64
	name    []byte
	closing bool // self-closing syntax
	hasAttr bool
	loaded  bool
	attrs   []htmltoken.Attr
	rawText bool // the tokenizer's next token is raw text

	stack     []element
	active    []active
	mode      mode
	origin    mode
	templates []mode
	overflow  int // end tags to come for elements that were not kept open
	form      int32
	headSeen  bool
	noFrames  bool // something stands in the body that a frameset cannot replace
	foster    bool
	foreign   bool // what the tokenizer was last told
	hasNUL    bool
	skipLF    bool // the first line break of pre, listing and textarea does not count
	nextID    int32
	work      int
	coarse    bool

	openP, openItems, openSelects, openTemplates int

	outline *outliner // nil: none is made

	collector
}

func (b *builder) hashOf(text []byte) uint64 { return maphash.Bytes(b.seed, text) }

// run reads all tokens.
func (b *builder) run() {
	for {
		if foreign := b.top().ns != nsHTML; foreign != b.foreign {
			b.foreign = foreign
			b.z.AllowCDATA(foreign)
		}
		kind := b.z.Next()
		if b.outline != nil {
			b.outline.at = b.outline.next
			b.outline.next += int32(len(b.z.Raw()))
		}
		switch kind {
		case htmltoken.End:
			b.doc.Partial = b.doc.Partial || b.z.Exceeded()
			return
		case htmltoken.Text:
			b.text()
		case htmltoken.Start:
			b.closing = false
			b.startToken()
		case htmltoken.SelfClosing:
			b.closing = true
			b.startToken()
		case htmltoken.EndTag:
			b.readName()
			if b.outline != nil {
				b.pairToken(kind)
			}
			if b.opt.Text {
				b.wordBreak()
			}
			b.endToken()
			b.skipLF = false
		case htmltoken.Doctype:
			if b.mode == initial {
				b.doc.Quirks = quirky(string(b.z.Text()))
				b.mode = beforeHTML
			}
			b.skipLF = false
		case htmltoken.Comment:
			b.skipLF = false
		}
	}
}

func (b *builder) readName() {
	name := b.z.Name()
	b.tag, b.hash, b.hasAttr = b.z.Tag(), 0, b.z.HasAttrs()
	if b.tag == 0 {
		b.hash = b.hashOf(name)
	}
	b.loaded, b.name = false, name
}

func (b *builder) startToken() {
	b.readName()
	b.skipLF, b.rawText = false, false
	if b.outline != nil {
		kind := htmltoken.Start
		if b.closing {
			kind = htmltoken.SelfClosing
		}
		b.pairToken(kind)
	}
	if b.opt.Text {
		b.wordBreak()
	}
	if b.inForeign(true) {
		b.startForeign()
	} else {
		b.start()
	}
	switch b.tag {
	case atom.Title, atom.Textarea, atom.Style, atom.Xmp, atom.Iframe, atom.Noembed, atom.Noframes, atom.Noscript,
		atom.Script, atom.Plaintext:
		if !b.rawText {
			b.z.NotRaw()
		}
	}
}

func (b *builder) endToken() {
	if b.overflow > 0 && b.mode != inText {
		b.overflow--
		return
	}
	if len(b.stack) > 0 && b.top().ns != nsHTML {
		b.endForeign()
		return
	}
	b.end()
}

// load reads the attributes of the tag at hand, once.
func (b *builder) load() []htmltoken.Attr {
	if b.loaded {
		return b.attrs
	}
	b.loaded, b.attrs = true, nil
	if b.hasAttr {
		attrs, whole := b.z.Attrs()
		b.attrs, b.doc.Partial = attrs, b.doc.Partial || !whole
	}
	return b.attrs
}

// attr gives an attribute's value, and whether it is there.
func (b *builder) attr(name string) ([]byte, bool) {
	for _, a := range b.load() {
		if string(a.Key) == name {
			return a.Value, true
		}
	}
	return nil, false
}

// child gives a new element as the current place would hold it.
func (b *builder) child(tag atom.Atom) element {
	parent := b.top()
	e := element{
		tag: tag, mark: b.items, ord: parent.ord,
		inHead:     parent.inHead || parent.is(atom.Head),
		inTemplate: parent.inTemplate || parent.is(atom.Template),
	}
	if b.foster && parent.ns == nsHTML {
		switch parent.tag {
		case atom.Table, atom.Tbody, atom.Tfoot, atom.Thead, atom.Tr:
			if i := b.last(atom.Table); i >= 0 && b.last(atom.Template) < i {
				e.ord = b.before(&b.stack[i])
			}
		}
	}
	return e
}

// insert opens the tag at hand as an HTML element.
func (b *builder) insert() { b.insertAs(0, false, false) }

// insertAs is insert for an element with an identity, for one that is a formatting element, or that holds text alone.
func (b *builder) insertAs(id int32, formatting, raw bool) {
	e := b.child(b.tag)
	e.hash, e.id, e.formatting, e.raw = b.hash, id, formatting, raw
	b.collect(&e)
	b.push(e)
}

// insertVoid handles an element that can have no content.
func (b *builder) insertVoid() {
	e := b.child(b.tag)
	e.hash = b.hash
	b.collect(&e)
}

// insertRaw opens an element whose content is text alone.
func (b *builder) insertRaw() {
	b.insertAs(0, false, true)
	b.rawText = true
	if b.tag == atom.Plaintext {
		return
	}
	b.origin, b.mode = b.mode, inText
}

// imply opens an element that the source leaves out.
func (b *builder) imply(tag atom.Atom) {
	saved, hash, loaded, has := b.tag, b.hash, b.loaded, b.hasAttr
	attrs := b.attrs
	b.tag, b.hash, b.loaded, b.hasAttr, b.attrs = tag, 0, true, false, nil
	b.insert()
	b.tag, b.hash, b.loaded, b.hasAttr, b.attrs = saved, hash, loaded, has, attrs
}

func (b *builder) implyHTML() {
	b.imply(atom.Html)
	b.mode = beforeHead
}

func (b *builder) implyHead() {
	b.imply(atom.Head)
	b.headSeen, b.mode = true, inHead
}

func (b *builder) closeHead() {
	b.pop()
	b.mode = afterHead
}

func (b *builder) implyBody() {
	b.imply(atom.Body)
	b.mode = inBody
	b.bodyBegins()
}

// text handles a text token.
func (b *builder) text() {
	t := b.z.Text()
	if b.skipLF {
		b.skipLF = false
		if len(t) > 0 && t[0] == '\n' {
			t = t[1:]
		}
	}
	if len(t) == 0 {
		return
	}
	if b.mode == inText || b.top().raw {
		b.addText(t)
		return
	}
	if b.hasNUL && b.top().ns == nsHTML {
		t = bytes.ReplaceAll(t, []byte{0}, nil)
	} else if b.hasNUL {
		t = bytes.ReplaceAll(t, []byte{0}, []byte("\uFFFD"))
	}
	if b.inForeign(false) {
		b.addText(t)
		b.noFrames = b.noFrames || !isBlank(t)
		return
	}
	for len(t) > 0 {
		switch b.mode {
		case inBody, inCaption, inCell, inTemplate:
			b.bodyText(t)
			return
		case inTable, inTableBody, inRow:
			if isBlank(t) {
				return
			}
			b.foster = true
			b.bodyText(t)
			b.foster = false
			return
		case inFrameset, afterFrameset, afterAfterFrameset:
			return
		}
		t = bytes.TrimLeft(t, space)
		if len(t) == 0 {
			return
		}
		switch b.mode {
		case initial:
			b.doc.Quirks, b.mode = true, beforeHTML
		case beforeHTML:
			b.implyHTML()
		case beforeHead:
			b.implyHead()
		case inHead:
			b.headEndedBy("text")
			b.closeHead()
		case afterHead:
			b.implyBody()
		case inColumns:
			if !b.top().is(atom.Colgroup) {
				return
			}
			b.pop()
			b.mode = inTable
		case afterBody, afterAfterBody:
			b.mode = inBody
		default:
			return
		}
	}
}

func (b *builder) bodyText(t []byte) {
	b.reconstruct()
	b.addText(t)
	if !b.noFrames {
		b.noFrames = !isBlank(t)
	}
}

// resetMode finds the insertion mode that fits the open elements (HTML 13.2.4.1).
func (b *builder) resetMode() {
	for i := len(b.stack) - 1; i >= 0; i-- {
		e := &b.stack[i]
		if e.ns != nsHTML {
			continue
		}
		switch e.tag {
		case atom.Td, atom.Th:
			b.mode = inCell
		case atom.Tr:
			b.mode = inRow
		case atom.Tbody, atom.Thead, atom.Tfoot:
			b.mode = inTableBody
		case atom.Caption:
			b.mode = inCaption
		case atom.Colgroup:
			b.mode = inColumns
		case atom.Table:
			b.mode = inTable
		case atom.Template:
			b.mode = inTemplate
			if n := len(b.templates); n > 0 {
				b.mode = b.templates[n-1]
			}
		case atom.Head:
			b.mode = inHead
		case atom.Body:
			b.mode = inBody
		case atom.Frameset:
			b.mode = inFrameset
		case atom.Html:
			b.mode = afterHead
			if !b.headSeen {
				b.mode = beforeHead
			}
		default:
			continue
		}
		b.spend(len(b.stack) - i)
		return
	}
	b.mode = inBody
}
