package htmlmeta

import (
	"golang.org/x/net/html/atom"
)

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
