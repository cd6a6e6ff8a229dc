package htmltoken

import (
	"bytes"
	"html"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Text returns the data of the text or doctype at hand: with line feeds for carriage returns, and with references replaced
// where they count. NULs stay in text that is markup's, and become U+FFFD in raw text.
func (z *Tokenizer) Text() []byte {
	s := z.page[z.dataFrom:z.dataTo]
	references := z.raw == notRaw || z.raw == rawTextarea || z.raw == rawTitle
	return z.clean(s, z.raw != notRaw, references, false)
}

// clean gives a piece of the page as a document holds it.
func (z *Tokenizer) clean(s []byte, nul, references, attribute bool) []byte {
	if z.hasCR && bytes.IndexByte(s, '\r') >= 0 {
		s = z.newlines(s)
	}
	if nul && z.hasNUL && bytes.IndexByte(s, 0) >= 0 {
		s = bytes.ReplaceAll(s, []byte{0}, []byte("\uFFFD"))
	}
	if references && bytes.IndexByte(s, '&') >= 0 {
		from := len(z.scratch)
		z.scratch = z.appendUnescaped(z.scratch, s, attribute)
		s = z.scratch[from:len(z.scratch):len(z.scratch)]
	}
	return s
}

// newlines copies s with every carriage return, alone or before a line feed, made a line feed.
func (z *Tokenizer) newlines(s []byte) []byte {
	from := len(z.scratch)
	for i, c := range s {
		if c == '\r' {
			if i+1 < len(s) && s[i+1] == '\n' {
				continue
			}
			c = '\n'
		}
		z.scratch = append(z.scratch, c)
	}
	return z.scratch[from:len(z.scratch):len(z.scratch)]
}

// appendUnescaped appends s with its character references replaced (HTML 13.2.5.72 to 80). s may lie in dst's memory, but
// not in what is appended.
func (z *Tokenizer) appendUnescaped(dst, s []byte, attribute bool) []byte {
	for {
		i := bytes.IndexByte(s, '&')
		if i < 0 {
			return append(dst, s...)
		}
		dst, s = append(dst, s[:i]...), s[i:]
		var n int
		if len(s) > 1 && s[1] == '#' {
			dst, n = appendNumeric(dst, s)
		} else {
			dst, n = z.appendNamed(dst, s, attribute)
		}
		if n == 0 {
			dst, n = append(dst, '&'), 1
		}
		s = s[n:]
	}
}

// appendNumeric appends the character that s, which begins with "&#", stands for, and says how many bytes it took; 0 when
// it is no reference.
func appendNumeric(dst, s []byte) ([]byte, int) {
	i, base := len("&#"), rune(10)
	if i < len(s) && s[i]|0x20 == 'x' {
		i, base = i+1, 16
	}
	start, r := i, rune(0)
	for ; i < len(s); i++ {
		c := s[i]
		d := rune(c) - '0'
		if base == 16 && 'a' <= c|0x20 && c|0x20 <= 'f' {
			d = rune(c|0x20) - 'a' + 10
		} else if c < '0' || c > '9' {
			break
		}
		if r <= utf8.MaxRune {
			r = base*r + d
		}
	}
	if i == start {
		return dst, 0
	}
	if i < len(s) && s[i] == ';' {
		i++
	}
	switch {
	case 0x80 <= r && r <= 0x9F: // read as windows-1252, as old pages mean it
		return append(dst, html.UnescapeString("&#"+strconv.Itoa(int(r))+";")...), i
	case r == 0 || !utf8.ValidRune(r):
		r = utf8.RuneError
	}
	return utf8.AppendRune(dst, r), i
}

// longestName is that of the longest named reference, with its semicolon.
const longestName = len("CounterClockwiseContourIntegral;")

// appendNamed is appendNumeric for named references. In an attribute's value a reference without semicolon counts only
// where no letter, digit or equals sign follows.
func (z *Tokenizer) appendNamed(dst, s []byte, attribute bool) ([]byte, int) {
	i := 1
	for i < len(s) && isAlnum(s[i]) {
		i++
	}
	if i < len(s) && s[i] == ';' {
		i++
	}
	name := s[1:i]
	switch {
	case len(name) == 0, attribute && name[len(name)-1] != ';' && i < len(s) && s[i] == '=':
		return dst, 0
	}
	switch string(name) {
	case "amp;":
		return append(dst, '&'), i
	case "lt;":
		return append(dst, '<'), i
	case "gt;":
		return append(dst, '>'), i
	case "quot;":
		return append(dst, '"'), i
	case "nbsp;":
		return append(dst, "\u00a0"...), i
	case "nLt;": // this and the next are missing in the standard library
		return append(dst, "\u226a\u20d2"...), i
	case "nGt;":
		return append(dst, "\u226b\u20d2"...), i
	}
	if text, ok := z.references[string(name)]; ok {
		return append(dst, text...), i
	}
	// The standard library has the table. It reads as text is read, where the beginning of a name may be a reference.
	written := "&" + string(name[:min(len(name), longestName+1)])
	text := html.UnescapeString(written)
	if text == written {
		return dst, 0
	}
	_, size := utf8.DecodeRuneInString(text)
	if rest := text[size:]; rest != "" && strings.HasSuffix(written, rest) {
		if attribute {
			return dst, 0
		}
		return append(dst, text[:size]...), len(written) - len(rest)
	}
	if z.references == nil {
		z.references = make(map[string]string)
	}
	z.references[strings.Clone(written[1:])] = text
	return append(dst, text...), i
}

func isAlnum(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z'
}
