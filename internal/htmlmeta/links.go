package htmlmeta

import (
	"golang.org/x/net/html/atom"
)

type rawLink struct {
	href, text span
	key        key
	rel        Rel
	area       bool
}

type span struct{ from, to int32 }

func (b *builder) addLink(e *element) {
	if !b.hasAttr {
		return
	}
	var href, rel []byte
	has, hasRel := false, false
	for _, a := range b.load() {
		switch string(a.Key) {
		case "href":
			if !has {
				href, has = a.Value, true
			}
		case "rel":
			if !hasRel {
				rel, hasRel = a.Value, true
			}
		}
	}
	if !has {
		return
	}
	if len(b.links) >= maxLinks || len(href) > maxValue || len(b.hrefs) > 1<<30 {
		b.doc.Partial = true
		return
	}
	from := int32(len(b.hrefs))
	b.hrefs = append(b.hrefs, href...)
	l := rawLink{href: span{from, int32(len(b.hrefs))}, area: e.tag == atom.Area, key: b.key(e.ord)}
	if len(rel) > 0 {
		l.rel = relOf(rel)
	}
	b.links = append(b.links, l)
	if !l.area {
		e.link = int32(len(b.links))
	}
}

// copyLink adds a link once more, as an anchor that is opened again does.
func (b *builder) copyLink(link int32, k key) int32 {
	if len(b.links) >= maxLinks {
		b.doc.Partial = true
		return link
	}
	l := b.links[link-1]
	l.key, l.text = k, span{}
	b.links = append(b.links, l)
	return int32(len(b.links))
}

func relOf(v []byte) (r Rel) {
	if hasToken(v, "nofollow") {
		r |= Nofollow
	}
	if hasToken(v, "ugc") {
		r |= UGC
	}
	if hasToken(v, "sponsored") {
		r |= Sponsored
	}
	return r
}
