package htmlmeta

import (
	"golang.org/x/net/html/atom"
)

// inForeign reports whether the token at hand is handled by the rules for foreign content (HTML 13.2.6).
func (b *builder) inForeign(startTag bool) bool {
	e := b.top()
	if e.ns == nsHTML {
		return false
	}
	if e.mathText && (!startTag || b.tag != atom.Mglyph && b.tag != atom.Malignmark) {
		return false
	}
	if startTag && e.ns == nsMathML && e.tag == atom.AnnotationXml && b.tag == atom.Svg {
		return false
	}
	return !e.htmlPoint
}

// startForeign handles a start tag inside svg or math.
func (b *builder) startForeign() {
	if b.breaksOut() {
		b.leaveForeign()
		b.start()
		return
	}
	b.insertForeign(b.top().ns)
}

// breaksOut reports whether a start tag is one that no SVG or MathML may hold: it ends them.
func (b *builder) breaksOut() bool {
	switch b.tag {
	case atom.B, atom.Big, atom.Blockquote, atom.Body, atom.Br, atom.Center, atom.Code, atom.Dd, atom.Div, atom.Dl, atom.Dt,
		atom.Em, atom.Embed, atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6, atom.Head, atom.Hr, atom.I, atom.Img,
		atom.Li, atom.Listing, atom.Menu, atom.Meta, atom.Nobr, atom.Ol, atom.P, atom.Pre, atom.Ruby, atom.S, atom.Small,
		atom.Span, atom.Strong, atom.Strike, atom.Sub, atom.Sup, atom.Table, atom.Tt, atom.U, atom.Ul, atom.Var:
		return true
	case atom.Font:
		for _, a := range b.load() {
			switch string(a.Key) {
			case "color", "face", "size":
				return true
			}
		}
	}
	return false
}

// leaveForeign closes SVG and MathML elements down to an integration point or to HTML.
func (b *builder) leaveForeign() {
	i := len(b.stack)
	for i > 0 {
		e := &b.stack[i-1]
		if e.ns == nsHTML || e.htmlPoint || e.mathText {
			break
		}
		i--
	}
	b.popTo(i)
}

// insertForeign opens the tag at hand in a namespace other than HTML.
func (b *builder) insertForeign(ns uint8) {
	e := b.child(b.tag)
	e.hash, e.ns = b.hash, ns
	switch {
	case ns == nsSVG:
		e.htmlPoint = b.tag == atom.Foreignobject || b.tag == atom.Desc || b.tag == atom.Title
	case b.tag == atom.AnnotationXml:
		v, _ := b.attr("encoding")
		e.htmlPoint = equalFold(v, "text/html") || equalFold(v, "application/xhtml+xml")
	default:
		switch b.tag {
		case atom.Mi, atom.Mo, atom.Mn, atom.Ms, atom.Mtext:
			e.mathText = true
		}
	}
	b.collect(&e)
	if !b.closing {
		b.push(e)
	}
}

// endForeign handles an end tag while the current element is an SVG or MathML one.
func (b *builder) endForeign() {
	if b.tag == atom.Br || b.tag == atom.P {
		b.leaveForeign()
		b.end()
		return
	}
	low := b.floor()
	for i := len(b.stack) - 1; i > 0 && i >= low; i-- {
		e := &b.stack[i]
		if e.ns == nsHTML {
			b.spend(len(b.stack) - i)
			b.end()
			return
		}
		if b.same(e) {
			b.spend(len(b.stack) - i)
			b.popTo(i)
			return
		}
	}
	b.spend(len(b.stack) - low)
}
