package sitemapxml

import (
	"bytes"
	"io"
	"unicode/utf8"
)

// The tokenizer is our own and not encoding/xml because sitemaps on the web are often not well-formed, and the reader
// must go on and still say so: encoding/xml ends at the first byte that is not UTF-8, passes an undefined entity
// through in its tolerant mode without a word, and keeps each token whole, so that one comment or attribute can fill
// the memory. Ours holds a window of the input, cuts text into pieces, and notes what it had to tolerate.

type tokenKind uint8

const (
	tokenEnd   tokenKind = iota // the input ended; cut says whether inside a markup
	tokenOpen                   // <name …> or <name …/>
	tokenClose                  // </name>
	tokenText                   // a piece of character data, references resolved
)

const (
	windowSize  = 64 << 10
	maxName     = 256      // bytes of a name that are kept
	maxAttrs    = 64       // attributes of an element that are kept
	maxAttrsLen = 32 << 10 // bytes of an element's attributes that are kept
)

type attr struct {
	name, value []byte
	bad         bool // the value holds an undefined reference or did not fit
}

// span is an attribute inside the one buffer that holds all names and values of a tag; it is cut into slices when the
// buffer no longer moves.
type span struct {
	nameFrom, nameTo, valueFrom, valueTo int
	bad                                  bool
}

// tokenizer reads markup from UTF-8 bytes in one pass, in bounded memory. The slices it hands out are valid until the
// next call of next.
type tokenizer struct {
	r       io.Reader
	buf     []byte
	i, n    int
	readErr error

	line    int                 // of the next byte, from 1
	fault   func(detail string) // called for what is not well-formed
	began   bool                // something stood before the next byte
	marked  bool                // some of it was markup
	inCDATA bool
	cut     bool // the input ended inside a markup

	name    []byte
	attrs   []attr
	empty   bool   // <name/>
	text    []byte // of tokenText
	badText bool   // the text stands for a reference that has no meaning here
	scratch []byte
	spans   [maxAttrs]span
	literal [utf8.UTFMax]byte
}

func newTokenizer(r io.Reader, fault func(string)) *tokenizer {
	return &tokenizer{r: r, buf: make([]byte, windowSize), line: 1, fault: fault,
		scratch: make([]byte, 0, 1<<10)}
}

// fill reads more bytes behind the window and reports whether there were any.
func (z *tokenizer) fill() bool {
	if z.readErr != nil {
		return false
	}
	if z.i > 1 { // one byte behind is kept for unread
		z.n = copy(z.buf, z.buf[z.i-1:z.n])
		z.i = 1
	}
	if z.n == len(z.buf) {
		return false
	}
	for range 100 {
		k, err := z.r.Read(z.buf[z.n:])
		z.n += k
		z.readErr = err
		if k > 0 {
			return true
		}
		if err != nil {
			return false
		}
	}
	z.readErr = io.ErrNoProgress
	return false
}

// peek returns the next k bytes, fewer at the end of the input; k is small against the window.
func (z *tokenizer) peek(k int) []byte {
	for z.n-z.i < k && z.fill() {
	}
	return z.buf[z.i:min(z.i+k, z.n)]
}

func (z *tokenizer) advance(k int) {
	z.line += bytes.Count(z.buf[z.i:z.i+k], newline)
	z.i += k
}

var (
	newline      = []byte{'\n'}
	commentEnd   = []byte("-->")
	cdataStart   = []byte("<![CDATA[")
	cdataEnd     = []byte("]]>")
	doctypeStart = []byte("<!DOCTYPE")
	entityDecl   = []byte("<!ENTITY")
	instrEnd     = []byte("?>")
)

// getc takes one byte; ok is false at the end of the input.
func (z *tokenizer) getc() (c byte, ok bool) {
	if z.i == z.n && !z.fill() {
		return 0, false
	}
	c = z.buf[z.i]
	if c == '\n' {
		z.line++
	}
	z.i++
	return c, true
}

func (z *tokenizer) next() tokenKind {
	z.text, z.badText = nil, false
	for {
		if z.i == z.n && !z.fill() {
			return tokenEnd
		}
		if z.inCDATA {
			if piece := z.cdataPiece(); piece != nil {
				z.text = piece
				return tokenText
			}
			continue
		}
		window := z.buf[z.i:z.n]
		k := bytes.IndexByte(window, '<')
		if k < 0 {
			k = len(window)
		}
		if amp := bytes.IndexByte(window[:k], '&'); amp >= 0 {
			k = amp
		}
		if k > 0 {
			z.advance(k)
			z.began = true
			z.text = window[:k]
			return tokenText
		}
		if window[0] == '&' {
			z.began = true
			z.text, z.badText = z.reference()
			return tokenText
		}
		if kind, ok := z.markup(); ok {
			return kind
		}
	}
}

// cdataPiece returns the next piece of an open CDATA section, nil when the section just ended.
func (z *tokenizer) cdataPiece() []byte {
	window := z.buf[z.i:z.n]
	k := bytes.Index(window, cdataEnd)
	switch {
	case k == 0:
		z.advance(len(cdataEnd))
		z.inCDATA = false
		return nil
	case k < 0 && len(window) > len(cdataEnd):
		k = len(window) - len(cdataEnd) + 1
	case k < 0:
		if z.fill() {
			return nil
		}
		k = len(window)
		z.cut = true
	}
	z.advance(k)
	return window[:k]
}

// markup reads what starts with '<' and is not a text; ok is false for what yields no token (comments and the like).
func (z *tokenizer) markup() (kind tokenKind, ok bool) {
	head := z.peek(len(cdataStart))
	defer func() { z.began, z.marked = true, true }()
	if len(head) < 2 {
		z.advance(1)
		z.cut = true
		return tokenEnd, true
	}
	switch c := head[1]; {
	case c == '?':
		if z.began && len(head) > 5 && string(head[2:5]) == "xml" && isSpace(head[5]) {
			z.fault("XML declaration not at the start of the file")
		}
		z.advance(2)
		z.skipPast(instrEnd)
	case c == '/':
		z.advance(2)
		return z.closeTag()
	case c == '!' && bytes.HasPrefix(head, []byte("<!--")):
		z.advance(4)
		z.skipPast(commentEnd)
	case bytes.Equal(head, cdataStart):
		z.advance(len(cdataStart))
		z.inCDATA = true
	case bytes.EqualFold(head, doctypeStart):
		z.skipDoctype()
	case c == '!':
		if len(head) < len(cdataStart) {
			z.cut = true
		} else {
			z.fault("unknown markup <!…")
		}
		z.advance(2)
		z.skipPast([]byte{'>'})
	case isNameStart(c):
		z.advance(1)
		return z.openTag()
	default:
		z.fault("'<' not written as &lt;")
		z.advance(1)
		z.literal[0] = '<'
		z.text = z.literal[:1]
		return tokenText, true
	}
	return 0, false
}

// skipPast drops bytes up to and including pattern.
func (z *tokenizer) skipPast(pattern []byte) {
	for {
		window := z.buf[z.i:z.n]
		if k := bytes.Index(window, pattern); k >= 0 {
			z.advance(k + len(pattern))
			return
		}
		if keep := len(pattern) - 1; len(window) > keep {
			z.advance(len(window) - keep)
		}
		if !z.fill() {
			z.advance(z.n - z.i)
			z.cut = true
			return
		}
	}
}

// skipDoctype drops a document type declaration with its internal subset. Nothing declared there is ever used, so
// that no entity can grow or name a file.
func (z *tokenizer) skipDoctype() {
	depth, subset, quote := 0, 0, byte(0)
	for {
		if z.i == z.n && !z.fill() {
			z.cut = true
			return
		}
		if quote == 0 && z.buf[z.i] == '<' {
			head := z.peek(len(entityDecl))
			if bytes.Equal(head, entityDecl) {
				z.fault("entity declarations are not read")
			}
			if bytes.HasPrefix(head, []byte("<!--")) {
				z.advance(4)
				z.skipPast(commentEnd)
				continue
			}
		}
		c, _ := z.getc()
		switch {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == '[':
			subset++
		case c == ']':
			subset--
		case c == '<':
			depth++
		case c == '>':
			depth--
			if depth <= 0 && subset <= 0 {
				return
			}
		}
	}
}

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

func isSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\r' }

func isNameStart(c byte) bool {
	return 'a' <= c|0x20 && c|0x20 <= 'z' || c == '_' || c == ':' || c >= utf8.RuneSelf
}

func isNameByte(c byte) bool {
	return isNameStart(c) || '0' <= c && c <= '9' || c == '-' || c == '.'
}

func isName(b []byte) bool {
	if len(b) == 0 || !isNameStart(b[0]) {
		return false
	}
	for _, c := range b {
		if !isNameByte(c) {
			return false
		}
	}
	return true
}
