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
