package sitemapxml

import (
	"bytes"
	"unicode/utf8"
)

// reference reads what starts with '&'. A raw ampersand is itself; a reference to what XML does not define has no
// meaning: its text is returned as written, with undefined set.
func (z *tokenizer) reference() (text []byte, undefined bool) {
	const longest = 34
	head := z.peek(longest)
	end := bytes.IndexByte(head, ';')
	name := head[1:max(end, 1)]
	switch string(name) {
	case "amp":
		return z.char('&', end+1), false
	case "lt":
		return z.char('<', end+1), false
	case "gt":
		return z.char('>', end+1), false
	case "quot":
		return z.char('"', end+1), false
	case "apos":
		return z.char('\'', end+1), false
	}
	if len(name) > 0 && name[0] == '#' {
		if r, ok := charRef(name[1:]); ok {
			return z.char(r, end+1), false
		}
		z.fault("character reference that names no character")
		z.advance(end + 1)
		return head[:end+1], true
	}
	if len(name) > 0 && isName(name) {
		z.fault("undefined entity &" + string(name) + ";")
		z.advance(end + 1)
		return head[:end+1], true
	}
	if end < 0 && len(head) < longest && isName(head[1:]) {
		z.cut = true // the file may end inside a reference
	} else {
		z.fault("'&' not written as &amp;")
	}
	return z.char('&', 1), false
}

func (z *tokenizer) char(r rune, width int) []byte {
	z.advance(width)
	return z.literal[:utf8.EncodeRune(z.literal[:], r)]
}

// charRef reads the digits of &#…; (XML 1.0, 4.1); ok is false for what is not a Char (2.2).
func charRef(digits []byte) (r rune, ok bool) {
	base := rune(10)
	if len(digits) > 0 && digits[0] == 'x' {
		base, digits = 16, digits[1:]
	}
	if len(digits) == 0 {
		return 0, false
	}
	for _, c := range digits {
		var d rune
		switch {
		case '0' <= c && c <= '9':
			d = rune(c - '0')
		case base == 16 && 'a' <= c|0x20 && c|0x20 <= 'f':
			d = rune(c|0x20-'a') + 10
		default:
			return 0, false
		}
		if r = r*base + d; r > utf8.MaxRune {
			return 0, false
		}
	}
	return r, isChar(r)
}

// isChar tells whether r may stand in an XML document (XML 1.0, production 2).
func isChar(r rune) bool {
	return r >= 0x20 && r <= 0xD7FF || r == '\t' || r == '\n' || r == '\r' ||
		r >= 0xE000 && r <= 0xFFFD || r >= 0x10000 && r <= utf8.MaxRune
}
