package htmlmeta

import (
	"golang.org/x/net/html/atom"
)

// collector holds what was found so far.
type collector struct {
	htmlData bool   // the html element has types of its own
	lateData []Data // those that a later html tag gave it

	links     []rawLink
	hrefs     []byte // of all links, one behind the other
	texts     []byte // likewise
	h1s       []heading
	linkStack []int32 // open links, h1Stack open headings: indexes
	h1Stack   []int32

	items     int32 // links and headings so far
	reordered bool

	title      []byte
	titleState uint8 // 1: the first title is open, 2: it is done
	jsonScript bool
	liveScript bool // the open script is an inline one that runs

	inWord    bool
	textSpace bool
	hashed    hash

	snapshot counts
}

type heading struct {
	text []byte
	key  key
}

// collect takes from a new element what a page's metadata needs.
func (b *builder) collect(e *element) {
	if e.inTemplate {
		return
	}
	if b.outline != nil {
		b.outlineElement(e)
	}
	if b.hasAttr && b.mayMatter() {
		e.data.from = int32(len(b.doc.Data))
		b.collectAnywhere()
		e.data.to = int32(len(b.doc.Data))
	}
	if e.ns != nsHTML {
		return
	}
	switch e.tag {
	case atom.Html:
		b.htmlAttributes()
		b.htmlData = e.data.to > e.data.from
	case atom.A, atom.Area:
		b.addLink(e)
	case atom.H1:
		if len(b.h1s) >= maxItems {
			b.doc.Partial = true
			return
		}
		b.h1s = append(b.h1s, heading{key: b.key(e.ord)})
		e.h1 = int32(len(b.h1s))
	case atom.Title:
		b.doc.Titles++
		if b.titleState == 0 {
			b.titleState = 1
		} else {
			b.titleState = 2
		}
	case atom.Base:
		if href, ok := b.attr("href"); ok {
			b.doc.Bases++
			if !b.doc.HasBase {
				b.doc.HasBase, b.doc.BaseHref = true, b.value(href)
				b.doc.LinksBeforeBase = len(b.links) > 0 || len(b.doc.Resources) > 0
			}
		}
	case atom.Meta:
		if b.hasAttr {
			b.addMeta(e)
		}
	case atom.Link:
		if b.hasAttr {
			b.addLinkElement(e)
		}
	case atom.Script:
		kind, _ := b.attr("type")
		b.jsonScript = isJSONLD(kind)
		b.seeScript(kind)
		if b.opt.Resources {
			b.addResource(Script, "src")
		}
	case atom.Img:
		if b.opt.LinkText && len(b.linkStack) > 0 {
			if alt, ok := b.attr("alt"); ok {
				b.linkText(alt)
			}
		}
		if b.opt.Resources {
			b.addResource(Image, "src")
			b.addSrcset(Image)
		}
	default:
		if b.opt.Resources && b.hasAttr {
			b.addOtherResource(e)
		}
	}
}

// value copies an attribute's value, cut when it is too long.
func (b *builder) value(v []byte) string {
	if len(v) > maxValue {
		b.doc.Partial = true
		v = v[:maxValue]
	}
	return string(v)
}

// headEndedBy notes what ended the head early; an empty name stands for the tag at hand.
func (b *builder) headEndedBy(name string) {
	if b.doc.HeadEndedBy != "" || b.openTemplates > 0 {
		return
	}
	if name == "" {
		name = string(b.name[:min(len(b.name), 100)])
	}
	b.doc.HeadEndedBy = name
}
