package htmlmeta

import (
	"golang.org/x/net/html/atom"
)

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
