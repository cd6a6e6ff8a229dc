package sitemapxml

import "bytes"

func (z *tokenizer) closeTag() (tokenKind, bool) {
	z.name = z.readName(z.scratch[:0])
	for {
		c, ok := z.getc()
		switch {
		case !ok:
			z.cut = true
			return tokenEnd, true
		case c == '>':
			return tokenClose, true
		case c == '<':
			z.unread()
			z.fault("end tag without '>'")
			return tokenClose, true
		case !isSpace(c):
			z.fault("end tag with attributes")
		}
	}
}

// unread puts back the byte that getc just returned; it must not be a newline.
func (z *tokenizer) unread() { z.i-- }

// readName appends a name to dst and leaves the byte behind it unread.
func (z *tokenizer) readName(dst []byte) []byte {
	longest := len(dst) + maxName
	for {
		if z.i == z.n && !z.fill() {
			return dst
		}
		c := z.buf[z.i]
		if !isNameByte(c) {
			return dst
		}
		if len(dst) < longest {
			dst = append(dst, c)
		}
		z.i++
	}
}

func (z *tokenizer) openTag() (tokenKind, bool) {
	z.attrs, z.empty = z.attrs[:0], false
	spans, count := &z.spans, 0
	store := z.readName(z.scratch[:0])
	nameLen := len(store)
	kind, full := tokenOpen, false
tag:
	for {
		c, ok := z.getc()
		switch {
		case !ok:
			z.cut = true
			return tokenEnd, true
		case isSpace(c):
			continue
		case c == '>':
			break tag
		case c == '/':
			if next := z.peek(1); len(next) == 1 && next[0] == '>' {
				z.advance(1)
				z.empty = true
				break tag
			}
			z.fault("'/' inside a tag")
			continue
		case c == '<':
			z.unread()
			z.fault("tag without '>'")
			break tag
		case !isNameByte(c):
			z.fault("attribute without a name")
			continue
		}
		z.unread()
		s := span{nameFrom: len(store)}
		store = z.readName(store[:len(store):cap(store)])
		s.nameTo, s.valueFrom = len(store), len(store)
		if z.afterSpace('=') {
			if store, s.bad, ok = z.attrValue(store); !ok {
				z.cut = true
				return tokenEnd, true
			}
		} else {
			z.fault("attribute without a value")
		}
		s.valueTo = len(store)
		if count == maxAttrs || full || len(store) > maxAttrsLen {
			full = true
			store = store[:s.nameFrom]
			continue
		}
		spans[count] = s
		count++
	}
	z.scratch = store[:0]
	z.name = store[:nameLen]
	for _, s := range spans[:count] {
		a := attr{name: store[s.nameFrom:s.nameTo], value: store[s.valueFrom:s.valueTo], bad: s.bad}
		for _, earlier := range z.attrs {
			if bytes.Equal(earlier.name, a.name) {
				z.fault("attribute given twice")
			}
		}
		z.attrs = append(z.attrs, a)
	}
	return kind, true
}

// afterSpace takes white space and then c; it reports whether c stood there.
func (z *tokenizer) afterSpace(c byte) bool {
	for {
		if z.i == z.n && !z.fill() {
			return false
		}
		switch b := z.buf[z.i]; {
		case b == c:
			z.advance(1)
			return true
		case !isSpace(b):
			return false
		}
		z.advance(1)
	}
}

// attrValue appends the value behind '=' to dst. bad: it holds a reference without meaning or was too long.
func (z *tokenizer) attrValue(dst []byte) (value []byte, bad, ok bool) {
	from := len(dst)
	quote := byte(0)
	switch {
	case z.afterSpace('"'):
		quote = '"'
	case z.afterSpace('\''):
		quote = '\''
	default:
		z.fault("attribute value without quotes")
	}
	for {
		c, ok := z.getc()
		if !ok {
			return dst, bad, false
		}
		switch {
		case quote != 0 && c == quote:
			return dst, bad, true
		case quote == 0 && isSpace(c):
			return dst, bad, true
		case quote == 0 && (c == '>' || c == '/' && string(z.peek(1)) == ">"):
			z.unread()
			return dst, bad, true
		case c == '&':
			z.unread()
			text, undefined := z.reference()
			bad = bad || undefined
			dst = append(dst, text...)
		case isSpace(c):
			dst = append(dst, ' ')
		default:
			if c == '<' {
				z.fault("'<' inside an attribute value")
			}
			dst = append(dst, c)
		}
		if len(dst)-from > maxAttrsLen {
			dst, bad = dst[:from], true
		}
	}
}
