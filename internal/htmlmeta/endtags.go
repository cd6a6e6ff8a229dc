package htmlmeta

import "golang.org/x/net/html/atom"

// end handles an end tag by the current insertion mode.
func (b *builder) end() {
	for !b.endIn() {
	}
}

// endIn handles an end tag by the rules of the current mode; false means look again.
func (b *builder) endIn() bool {
	switch b.mode {
	case initial:
		b.doc.Quirks, b.mode = true, beforeHTML
		return false
	case beforeHTML, beforeHead, inHead, afterHead:
		return b.endBeforeBody()
	case inBody:
		return b.endInBody()
	case inText:
		b.pop()
		b.mode = b.origin
		return true
	case inTable:
		return b.endInTable()
	case inCaption:
		switch b.tag {
		case atom.Caption:
			b.endCaption()
			return true
		case atom.Table:
			return !b.endCaption()
		case atom.Body, atom.Col, atom.Colgroup, atom.Html, atom.Tbody, atom.Td, atom.Tfoot, atom.Th, atom.Thead, atom.Tr:
			return true
		}
		return b.endInBody()
	case inColumns:
		switch b.tag {
		case atom.Colgroup:
			if b.top().is(atom.Colgroup) {
				b.pop()
				b.mode = inTable
			}
			return true
		case atom.Col:
			return true
		case atom.Template:
			b.endTemplate()
			return true
		}
		if !b.top().is(atom.Colgroup) {
			return true
		}
		b.pop()
		b.mode = inTable
		return false
	case inTableBody:
		switch b.tag {
		case atom.Tbody, atom.Tfoot, atom.Thead:
			if b.tagInScope(tableScope, b.tag) >= 0 {
				b.clearTo(atom.Tbody, atom.Tfoot, atom.Thead)
				b.pop()
				b.mode = inTable
			}
			return true
		case atom.Table:
			return !b.endTableBody()
		case atom.Body, atom.Caption, atom.Col, atom.Colgroup, atom.Html, atom.Td, atom.Th, atom.Tr:
			return true
		}
		return b.endInTable()
	case inRow:
		switch b.tag {
		case atom.Tr:
			b.endRow()
			return true
		case atom.Table:
			return !b.endRow()
		case atom.Tbody, atom.Tfoot, atom.Thead:
			if b.tagInScope(tableScope, b.tag) < 0 {
				return true
			}
			return !b.endRow()
		case atom.Body, atom.Caption, atom.Col, atom.Colgroup, atom.Html, atom.Td, atom.Th:
			return true
		}
		return b.endInTable()
	case inCell:
		switch b.tag {
		case atom.Td, atom.Th:
			if b.popScope(tableScope, b.tag) {
				b.clearToMarker()
				b.mode = inRow
			}
			return true
		case atom.Body, atom.Caption, atom.Col, atom.Colgroup, atom.Html:
			return true
		case atom.Table, atom.Tbody, atom.Tfoot, atom.Thead, atom.Tr:
			if b.tagInScope(tableScope, b.tag) < 0 {
				return true
			}
			return !b.closeCell()
		}
		return b.endInBody()
	case inTemplate:
		if b.tag == atom.Template {
			b.endTemplate()
		}
		return true
	case afterBody:
		if b.tag == atom.Html {
			b.mode = afterAfterBody
			return true
		}
		b.mode = inBody
		return false
	case afterAfterBody:
		b.mode = inBody
		return false
	case inFrameset:
		if b.tag == atom.Frameset && len(b.stack) > 1 {
			b.pop()
			if !b.top().is(atom.Frameset) {
				b.mode = afterFrameset
			}
		}
	case afterFrameset:
		if b.tag == atom.Html {
			b.mode = afterAfterFrameset
		}
	}
	return true
}

func (b *builder) endBeforeBody() bool {
	switch b.tag {
	case atom.Body, atom.Html, atom.Br:
	case atom.Head:
		switch b.mode {
		case inHead:
			b.closeHead()
			return true
		case afterHead:
			return true
		}
	case atom.Template:
		if b.mode == inHead || b.mode == afterHead {
			b.endTemplate()
		}
		return true
	default:
		return true
	}
	switch b.mode {
	case beforeHTML:
		b.implyHTML()
	case beforeHead:
		b.implyHead()
	case inHead:
		b.closeHead()
	default:
		b.implyBody()
	}
	return false
}

func (b *builder) endTemplate() {
	if b.openTemplates == 0 {
		return
	}
	i := b.last(atom.Template)
	if i < 0 {
		return
	}
	b.popTo(i)
	b.clearToMarker()
	if n := len(b.templates); n > 0 {
		b.templates = b.templates[:n-1]
	}
	b.resetMode()
}

func (b *builder) endInBody() bool {
	switch b.tag {
	case atom.Div, atom.Address, atom.Article, atom.Aside, atom.Blockquote, atom.Button, atom.Center, atom.Details, atom.Dialog,
		atom.Dir, atom.Dl, atom.Fieldset, atom.Figcaption, atom.Figure, atom.Footer, atom.Header, atom.Hgroup, atom.Listing,
		atom.Main, atom.Menu, atom.Nav, atom.Ol, atom.Pre, atom.Search, atom.Section, atom.Select, atom.Summary, atom.Ul:
		b.popScope(defaultScope, b.tag)
	case atom.P:
		if b.tagInScope(buttonScope, atom.P) < 0 {
			b.imply(atom.P)
		}
		b.closeP()
	case atom.A, atom.B, atom.Big, atom.Code, atom.Em, atom.Font, atom.I, atom.Nobr, atom.S, atom.Small, atom.Strike, atom.Strong,
		atom.Tt, atom.U:
		b.adopt(b.tag)
	case atom.Template:
		b.endTemplate()
	case atom.Body, atom.Html:
		if len(b.stack) < 2 || b.tagInScope(defaultScope, atom.Body) < 0 {
			return true
		}
		b.mode = afterBody
		return b.tag == atom.Body
	case atom.Form:
		b.endForm()
	case atom.Li:
		b.popScope(listScope, atom.Li)
	case atom.Dd, atom.Dt:
		b.popScope(defaultScope, b.tag)
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		if i := b.inScope(defaultScope, isHeading); i >= 0 {
			b.popTo(i)
		}
	case atom.Applet, atom.Marquee, atom.Object:
		if b.popScope(defaultScope, b.tag) {
			b.clearToMarker()
		}
	case atom.Br:
		b.reconstruct()
		b.noFrames = true
	default:
		b.endOther()
	}
	return true
}

// endOther closes up to the nearest element with the tag's name, unless a special element stands between.
func (b *builder) endOther() {
	low := b.floor()
	for i := len(b.stack) - 1; i > 0 && i >= low; i-- {
		e := &b.stack[i]
		if e.ns == nsHTML && b.same(e) {
			b.spend(len(b.stack) - i)
			b.popTo(i)
			return
		}
		if special(e) {
			b.spend(len(b.stack) - i)
			return
		}
	}
	b.spend(len(b.stack) - low)
}

func (b *builder) endForm() {
	if b.openTemplates > 0 {
		b.popScope(defaultScope, atom.Form)
		return
	}
	id := b.form
	b.form = 0
	if id == 0 {
		return
	}
	i := b.stackIndex(id)
	if i < 0 {
		return
	}
	for j := len(b.stack) - 1; j > i; j-- {
		if ends(&b.stack[j], defaultScope) {
			return
		}
	}
	b.impliedEnds(0)
	if i := b.stackIndex(id); i >= 0 {
		b.remove(i)
	}
}

func (b *builder) endInTable() bool {
	switch b.tag {
	case atom.Table:
		if i := b.tagInScope(tableScope, atom.Table); i >= 0 {
			b.popTo(i)
			b.resetMode()
		}
		return true
	case atom.Body, atom.Caption, atom.Col, atom.Colgroup, atom.Html, atom.Tbody, atom.Td, atom.Tfoot, atom.Th, atom.Thead, atom.Tr:
		return true
	case atom.Template:
		b.endTemplate()
		return true
	}
	b.foster = true
	done := b.endInBody()
	b.foster = false
	return done
}

// endCaption, endTableBody, endRow and closeCell close what they are named after; false when there is none in scope.
func (b *builder) endCaption() bool {
	if !b.popScope(tableScope, atom.Caption) {
		return false
	}
	b.clearToMarker()
	b.mode = inTable
	return true
}

func (b *builder) endTableBody() bool {
	if b.inScope(tableScope, isTableBody) < 0 {
		return false
	}
	b.clearTo(atom.Tbody, atom.Tfoot, atom.Thead)
	b.pop()
	b.mode = inTable
	return true
}

func isTableBody(t atom.Atom) bool { return t == atom.Tbody || t == atom.Tfoot || t == atom.Thead }

func (b *builder) endRow() bool {
	if b.tagInScope(tableScope, atom.Tr) < 0 {
		return false
	}
	b.clearTo(atom.Tr)
	b.pop()
	b.mode = inTableBody
	return true
}

func (b *builder) closeCell() bool {
	i := b.inScope(tableScope, func(t atom.Atom) bool { return t == atom.Td || t == atom.Th })
	if i < 0 {
		return false
	}
	b.popTo(i)
	b.clearToMarker()
	b.mode = inRow
	return true
}
