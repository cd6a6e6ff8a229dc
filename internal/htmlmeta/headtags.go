package htmlmeta

import (
	"golang.org/x/net/html/atom"
)

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
