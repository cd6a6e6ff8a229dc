package htmlmeta

import (
	"golang.org/x/net/html/atom"
)

// start handles a start tag by the current insertion mode, which may hand it to another one.
func (b *builder) start() {
	for !b.startIn(b.mode) {
	}
}

// startIn handles a start tag by the rules of a mode. It reports false when the tag is to be looked at again, in what is
// then the current mode.
func (b *builder) startIn(m mode) bool {
	switch m {
	case initial:
		b.doc.Quirks, b.mode = true, beforeHTML
		return false
	case beforeHTML:
		if b.tag == atom.Html {
			b.insert()
			b.mode = beforeHead
			return true
		}
		b.implyHTML()
		return false
	case beforeHead:
		switch b.tag {
		case atom.Html:
			b.mergeHTML()
			return true
		case atom.Head:
			b.insert()
			b.headSeen, b.mode = true, inHead
			return true
		}
		b.implyHead()
		return false
	case inHead:
		switch b.tag {
		case atom.Html:
			b.mergeHTML()
			return true
		case atom.Head:
			return true
		}
		if b.headTag() {
			return true
		}
		if b.tag != atom.Body && b.tag != atom.Frameset {
			b.headEndedBy("")
		}
		b.closeHead()
		return false
	case afterHead:
		return b.startAfterHead()
	case inBody:
		return b.startInBody()
	case inText: // a tokenizer never gives tags here; go on as after the text
		b.pop()
		b.mode = b.origin
		return false
	case inTable:
		return b.startInTable()
	case inCaption:
		switch b.tag {
		case atom.Caption, atom.Col, atom.Colgroup, atom.Tbody, atom.Td, atom.Tfoot, atom.Th, atom.Thead, atom.Tr:
			return !b.endCaption()
		}
		return b.startInBody()
	case inColumns:
		switch b.tag {
		case atom.Html:
			b.mergeHTML()
			return true
		case atom.Col:
			b.insertVoid()
			return true
		case atom.Template:
			return b.headTag()
		}
		if !b.top().is(atom.Colgroup) {
			return true
		}
		b.pop()
		b.mode = inTable
		return false
	case inTableBody:
		switch b.tag {
		case atom.Tr:
			b.clearTo(atom.Tbody, atom.Tfoot, atom.Thead)
			b.insert()
			b.mode = inRow
			return true
		case atom.Td, atom.Th:
			b.clearTo(atom.Tbody, atom.Tfoot, atom.Thead)
			b.imply(atom.Tr)
			b.mode = inRow
			return false
		case atom.Caption, atom.Col, atom.Colgroup, atom.Tbody, atom.Tfoot, atom.Thead:
			return !b.endTableBody()
		}
		return b.startInTable()
	case inRow:
		switch b.tag {
		case atom.Td, atom.Th:
			b.clearTo(atom.Tr)
			b.insert()
			b.mode = inCell
			b.addMarker()
			return true
		case atom.Caption, atom.Col, atom.Colgroup, atom.Tbody, atom.Tfoot, atom.Thead, atom.Tr:
			return !b.endRow()
		}
		return b.startInTable()
	case inCell:
		switch b.tag {
		case atom.Caption, atom.Col, atom.Colgroup, atom.Tbody, atom.Td, atom.Tfoot, atom.Th, atom.Thead, atom.Tr:
			return !b.closeCell()
		}
		return b.startInBody()
	case inTemplate:
		return b.startInTemplate()
	case afterBody, afterAfterBody:
		if b.tag == atom.Html {
			b.mergeHTML()
			return true
		}
		b.mode = inBody
		return false
	case inFrameset, afterFrameset, afterAfterFrameset:
		switch b.tag {
		case atom.Html:
			b.mergeHTML()
		case atom.Frameset:
			if m == inFrameset {
				b.insert()
			}
		case atom.Frame:
			if m == inFrameset {
				b.insertVoid()
			}
		case atom.Noframes:
			b.insertRaw()
		}
		return true
	}
	return true
}
