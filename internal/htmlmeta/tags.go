package htmlmeta

import (
	"bytes"

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

// headTag handles the elements that may stand in a head, by the rules of "in head". It reports false for others.
func (b *builder) headTag() bool {
	switch b.tag {
	case atom.Base, atom.Basefont, atom.Bgsound, atom.Link, atom.Meta:
		b.insertVoid()
	case atom.Title, atom.Script, atom.Style, atom.Noframes, atom.Noscript:
		b.insertRaw()
	case atom.Template:
		b.insert()
		b.addMarker()
		b.noFrames, b.mode = true, inTemplate
		if len(b.templates) < maxDepth {
			b.templates = append(b.templates, inTemplate)
		}
	default:
		return false
	}
	return true
}

func (b *builder) startAfterHead() bool {
	switch b.tag {
	case atom.Html:
		b.mergeHTML()
		return true
	case atom.Head:
		return true
	case atom.Body:
		b.insert()
		b.noFrames, b.mode = true, inBody
		b.bodyBegins()
		return true
	case atom.Frameset:
		b.insert()
		b.mode = inFrameset
		return true
	case atom.Base, atom.Basefont, atom.Bgsound, atom.Link, atom.Meta, atom.Noframes, atom.Script, atom.Style, atom.Template, atom.Title:
		at := len(b.stack)
		b.push(element{tag: atom.Head, mark: b.items})
		b.headTag()
		if at < len(b.stack) {
			b.remove(at)
		}
		return true
	}
	b.implyBody()
	return false
}

func (b *builder) startInBody() bool {
	switch b.tag {
	case atom.Div, atom.P, atom.Address, atom.Article, atom.Aside, atom.Blockquote, atom.Center, atom.Details, atom.Dialog,
		atom.Dir, atom.Dl, atom.Fieldset, atom.Figcaption, atom.Figure, atom.Footer, atom.Header, atom.Hgroup, atom.Main,
		atom.Menu, atom.Nav, atom.Ol, atom.Search, atom.Section, atom.Summary, atom.Ul:
		b.closeP()
		b.insert()
	case atom.A:
		if i := b.lastActive(atom.A); i >= 0 {
			id := b.active[i].id
			b.adopt(atom.A)
			if i := b.activeIndex(id); i >= 0 {
				b.dropActive(i)
			}
			if i := b.stackIndex(id); i >= 0 {
				b.remove(i)
			}
		}
		b.reconstruct()
		b.insertFormatting()
	case atom.B, atom.Big, atom.Code, atom.Em, atom.Font, atom.I, atom.S, atom.Small, atom.Strike, atom.Strong, atom.Tt, atom.U:
		b.reconstruct()
		b.insertFormatting()
	case atom.Nobr:
		b.reconstruct()
		if b.tagInScope(defaultScope, atom.Nobr) >= 0 {
			b.adopt(atom.Nobr)
			b.reconstruct()
		}
		b.insertFormatting()
	case atom.Html:
		b.mergeHTML()
	case atom.Base, atom.Basefont, atom.Bgsound, atom.Link, atom.Meta, atom.Noframes, atom.Script, atom.Style, atom.Template, atom.Title:
		b.headTag()
	case atom.Body:
		if len(b.stack) > 1 && b.stack[1].is(atom.Body) && b.openTemplates == 0 {
			b.noFrames = true
		}
	case atom.Frameset:
		if b.noFrames || len(b.stack) < 2 || !b.stack[1].is(atom.Body) {
			return true
		}
		b.popTo(1)
		b.bodyRemoved()
		b.insert()
		b.mode = inFrameset
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		b.closeP()
		if e := b.top(); e.ns == nsHTML && isHeading(e.tag) {
			b.pop()
		}
		b.insert()
	case atom.Pre, atom.Listing:
		b.closeP()
		b.insert()
		b.skipLF, b.noFrames = true, true
	case atom.Form:
		if b.form != 0 && b.openTemplates == 0 {
			return true
		}
		b.closeP()
		b.nextID++
		b.insertAs(b.nextID, false, false)
		if b.openTemplates == 0 {
			b.form = b.nextID
		}
	case atom.Li, atom.Dd, atom.Dt:
		b.startItem()
	case atom.Plaintext:
		b.closeP()
		b.insertRaw()
	case atom.Button:
		b.popScope(defaultScope, atom.Button)
		b.reconstruct()
		b.insert()
		b.noFrames = true
	case atom.Applet, atom.Marquee, atom.Object:
		b.reconstruct()
		b.insert()
		b.addMarker()
		b.noFrames = true
	case atom.Table:
		if !b.doc.Quirks {
			b.closeP()
		}
		b.insert()
		b.noFrames, b.mode = true, inTable
	case atom.Image, atom.Img, atom.Area, atom.Br, atom.Embed, atom.Keygen, atom.Wbr:
		if b.tag == atom.Image {
			b.tag = atom.Img
		}
		b.reconstruct()
		b.insertVoid()
		b.noFrames = true
	case atom.Input:
		b.popScope(defaultScope, atom.Select)
		b.reconstruct()
		b.insertVoid()
		if v, _ := b.attr("type"); !equalFold(v, "hidden") {
			b.noFrames = true
		}
	case atom.Param, atom.Source, atom.Track:
		b.insertVoid()
	case atom.Hr:
		b.closeP()
		if b.tagInScope(defaultScope, atom.Select) >= 0 {
			b.impliedEnds(0)
		}
		b.insertVoid()
		b.noFrames = true
	case atom.Textarea:
		b.insertRaw()
		b.skipLF, b.noFrames = true, true
	case atom.Xmp:
		b.closeP()
		b.reconstruct()
		b.noFrames = true
		b.insertRaw()
	case atom.Iframe:
		b.noFrames = true
		b.insertRaw()
	case atom.Noembed, atom.Noscript:
		b.insertRaw()
	case atom.Select:
		if b.popScope(defaultScope, atom.Select) {
			return true
		}
		b.reconstruct()
		b.insert()
		b.noFrames = true
	case atom.Option, atom.Optgroup:
		if b.tagInScope(defaultScope, atom.Select) >= 0 {
			except := atom.Atom(0)
			if b.tag == atom.Option {
				except = atom.Optgroup
			}
			b.impliedEnds(except)
		} else if b.top().is(atom.Option) {
			b.pop()
		}
		b.reconstruct()
		b.insert()
	case atom.Rb, atom.Rtc, atom.Rp, atom.Rt:
		if b.tagInScope(defaultScope, atom.Ruby) >= 0 {
			except := atom.Atom(0)
			if b.tag == atom.Rp || b.tag == atom.Rt {
				except = atom.Rtc
			}
			b.impliedEnds(except)
		}
		b.insert()
	case atom.Math, atom.Svg:
		b.reconstruct()
		ns := uint8(nsSVG)
		if b.tag == atom.Math {
			ns = nsMathML
		}
		b.insertForeign(ns)
	case atom.Caption, atom.Col, atom.Colgroup, atom.Frame, atom.Head, atom.Tbody, atom.Td, atom.Tfoot, atom.Th, atom.Thead, atom.Tr:
	default:
		b.reconstruct()
		b.insert()
	}
	return true
}

// startItem handles li, dd and dt: each ends the one before in the same list.
func (b *builder) startItem() {
	b.noFrames = true
	if b.openItems > 0 {
		low := b.floor()
		for i := len(b.stack) - 1; i >= low; i-- {
			e := &b.stack[i]
			if b.tag == atom.Li && e.is(atom.Li) || b.tag != atom.Li && (e.is(atom.Dd) || e.is(atom.Dt)) {
				b.spend(len(b.stack) - i)
				b.popTo(i)
				break
			}
			if special(e) && !e.is(atom.Address) && !e.is(atom.Div) && !e.is(atom.P) {
				b.spend(len(b.stack) - i)
				break
			}
		}
	}
	b.closeP()
	b.insert()
}

func (b *builder) startInTable() bool {
	switch b.tag {
	case atom.Caption:
		b.clearTo(atom.Table)
		b.addMarker()
		b.insert()
		b.mode = inCaption
	case atom.Colgroup:
		b.clearTo(atom.Table)
		b.insert()
		b.mode = inColumns
	case atom.Col:
		b.clearTo(atom.Table)
		b.imply(atom.Colgroup)
		b.mode = inColumns
		return false
	case atom.Tbody, atom.Tfoot, atom.Thead:
		b.clearTo(atom.Table)
		b.insert()
		b.mode = inTableBody
	case atom.Td, atom.Th, atom.Tr:
		b.clearTo(atom.Table)
		b.imply(atom.Tbody)
		b.mode = inTableBody
		return false
	case atom.Table:
		i := b.tagInScope(tableScope, atom.Table)
		if i < 0 {
			return true
		}
		b.popTo(i)
		b.resetMode()
		return false
	case atom.Style, atom.Script, atom.Template:
		b.headTag()
	case atom.Input:
		if v, _ := b.attr("type"); equalFold(v, "hidden") {
			b.insertVoid()
			return true
		}
		return b.startFostered()
	case atom.Form:
		if b.openTemplates == 0 && b.form == 0 {
			b.nextID++
			b.form = b.nextID
			b.insertVoid()
		}
	default:
		return b.startFostered()
	}
	return true
}

// startFostered handles what may not stand in a table: it is moved before it (HTML 13.2.6.1).
func (b *builder) startFostered() bool {
	b.foster = true
	done := b.startInBody()
	b.foster = false
	return done
}

func (b *builder) startInTemplate() bool {
	next := inBody
	switch b.tag {
	case atom.Base, atom.Basefont, atom.Bgsound, atom.Link, atom.Meta, atom.Noframes, atom.Script, atom.Style, atom.Template, atom.Title:
		b.headTag()
		return true
	case atom.Caption, atom.Colgroup, atom.Tbody, atom.Tfoot, atom.Thead:
		next = inTable
	case atom.Col:
		next = inColumns
	case atom.Tr:
		next = inTableBody
	case atom.Td, atom.Th:
		next = inRow
	}
	if n := len(b.templates); n > 0 {
		b.templates[n-1] = next
	}
	b.mode = next
	return false
}

const space = "\t\n\f\r "

func isBlank(t []byte) bool {
	for _, c := range t {
		if c != ' ' && c != '\n' && c != '\t' && c != '\r' && c != '\f' {
			return false
		}
	}
	return true
}

// equalFold compares without regard to ASCII case; lower is in lower case.
func equalFold(b []byte, lower string) bool {
	if len(b) != len(lower) {
		return false
	}
	for i := range b {
		c := b[i]
		if 'A' <= c && c <= 'Z' {
			c |= 0x20
		}
		if c != lower[i] {
			return false
		}
	}
	return true
}

// hasToken reports whether a list of tokens parted by ASCII white space holds one, without regard to case.
func hasToken(list []byte, lower string) bool {
	for len(list) > 0 {
		list = bytes.TrimLeft(list, space)
		n := bytes.IndexAny(list, space)
		if n < 0 {
			n = len(list)
		}
		if equalFold(list[:n], lower) {
			return true
		}
		list = list[n:]
	}
	return false
}
