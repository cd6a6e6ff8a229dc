// Package htmltoken splits an HTML page into tokens (HTML 13.2.5) without allocating: names, values and texts are parts of
// the page, and only what has character references, carriage returns, NULs or upper-case letters is copied, into a buffer
// that is used again.
//
// The tokens are those of the tokenizer of golang.org/x/net/html, which tests hold against this one on real pages and by
// fuzzing. It takes about a quarter of the time, since it need not read from an io.Reader byte by byte, and leaves alone
// what nobody asks for. One thing differs, as the standard has it: a slash at the end of an unquoted value does not
// close its tag, even when the attribute is a repeated one and does not count.
package htmltoken

import (
	"bytes"
	"encoding/binary"
	"math"
	"slices"

	"golang.org/x/net/html/atom"
)

// Kind is the sort of a token.
type Kind uint8

// The kinds.
const (
	End         Kind = iota // there are no more tokens
	Text                    // character data, references replaced
	Start                   // <a>
	EndTag                  // </a>
	SelfClosing             // <a/>
	Comment                 // a comment, or what counts as one: <!-- -->, <?php ?>, </>
	Doctype                 // <!DOCTYPE html>
)

// String names the kind.
func (k Kind) String() string {
	return [...]string{"end", "text", "start tag", "end tag", "self-closing tag", "comment", "doctype"}[min(k, Doctype)]
}

// Attr is an attribute: its name in lower case and its value.
type Attr struct{ Key, Value []byte }

// MaxAttrs is how many attributes of one tag are given.
const MaxAttrs = 256

// maxScanned bounds what is noted of one tag, repeated attributes included.
const maxScanned = 4 * MaxAttrs

// Tokenizer is a reader of one page. What its methods return is valid until the next call of Next, and is not to be
// changed: most of it is the page itself. The zero Tokenizer has no page; call Reset. It is for one goroutine.
type Tokenizer struct {
	page   []byte
	from   int // the token at hand is page[from:at]
	at     int
	limit  int // what of the page this token may take
	max    int
	kind   Kind
	done   bool
	over   bool // a token was longer than max
	cut    bool // not all attributes of the tag were noted
	keys   uint64
	cdata  bool
	next   rawText // how the next token is to be read
	raw    rawText // how the text at hand was read; rawTitle also for CDATA
	hasCR  bool
	hasNUL bool

	dataFrom, dataTo int // the tag's name, the text's or doctype's data
	odd              bool
	scanned          []scannedAttr
	attrs            []Attr
	loaded           bool
	tags             [1 << tagBits]knownTag
	scratch          []byte              // what had to be copied for the token at hand
	known            map[string]struct{} // the keys of a tag with many attributes
	references       map[string]string   // named character references met so far
}

type scannedAttr struct {
	key, keyEnd, value, valueEnd int32
	odd                          bool // the key has upper-case letters or NULs
}

// Reset starts on a page, in UTF-8. A token may have max bytes; a longer one ends the reading. max 0 is no bound but that
// of 2 GiB for the page. It clears what AllowCDATA said.
func (z *Tokenizer) Reset(page []byte, max int) {
	if len(page) > math.MaxInt32 {
		page = page[:math.MaxInt32]
	}
	z.page, z.max = page, max
	z.from, z.at, z.kind, z.done, z.over, z.cdata, z.next = 0, 0, End, false, false, false, notRaw
	z.hasCR, z.hasNUL = bytes.IndexByte(page, '\r') >= 0, bytes.IndexByte(page, 0) >= 0
	const keep = 64 << 10
	if cap(z.scratch) > keep {
		z.scratch = nil
	}
}

// AllowCDATA says whether <![CDATA[x]]> is text, as it is inside of svg and math, or a comment.
func (z *Tokenizer) AllowCDATA(allow bool) { z.cdata = allow }

// NotRaw says after a start tag like <title> that what follows is markup after all, because the element is not an HTML
// one or was left out.
func (z *Tokenizer) NotRaw() { z.next = notRaw }

// Exceeded reports whether the reading ended because a token was too long.
func (z *Tokenizer) Exceeded() bool { return z.over }

// Raw returns the token as it stands in the page.
func (z *Tokenizer) Raw() []byte { return z.page[z.from:z.at] }

// What a byte means inside of a tag.
const (
	isSpace = 1 << iota
	isSlash
	isClose
	isEquals
	isOdd // upper-case letters and NUL
	isLetter
)

var class = func() (t [256]uint8) {
	for _, c := range []byte("\t\n\f\r ") {
		t[c] = isSpace
	}
	t['/'], t['>'], t['='], t[0] = isSlash, isClose, isEquals, isOdd
	for c := 'a'; c <= 'z'; c++ {
		t[c] = isLetter
		t[c-'a'+'A'] = isLetter | isOdd
	}
	return t
}()

// Next reads the next token.
func (z *Tokenizer) Next() Kind {
	z.from, z.limit = z.at, len(z.page)
	if z.max > 0 && z.limit-z.from >= z.max {
		z.limit = z.from + z.max - 1
	}
	z.scratch = z.scratch[:0]
	if z.done {
		z.kind = End
		return End
	}
	z.raw = notRaw
	if z.next != notRaw {
		how := z.next
		z.next = notRaw
		if end := z.rawEnd(how); end > z.from {
			z.raw = how
			return z.text(end)
		}
	}
	page := z.page[:z.limit]
	for i := z.from; ; i++ {
		if i >= len(page) || page[i] != '<' {
			n := bytes.IndexByte(page[min(i, len(page)):], '<')
			if n < 0 {
				return z.text(z.limit)
			}
			i += n
		}
		if i+1 >= len(page) {
			return z.text(z.limit)
		}
		c := page[i+1]
		if class[c]&isLetter == 0 && c != '/' && c != '!' && c != '?' {
			continue
		}
		if i > z.from {
			return z.text(i)
		}
		switch c {
		case '/':
			return z.endTag(i + 2)
		case '!':
			return z.declaration(i + 2)
		case '?':
			return z.bogus(i + 1)
		}
		return z.startTag(i + 1)
	}
}

// token ends the token at hand before i.
func (z *Tokenizer) token(k Kind, i int) Kind {
	z.kind, z.at = k, i
	return k
}

// text ends the token at hand as text. Text up to the limit is the last.
func (z *Tokenizer) text(end int) Kind {
	if end == z.limit {
		z.runsOut()
		if end == z.from {
			return z.token(End, end)
		}
	}
	z.dataFrom, z.dataTo = z.from, end
	return z.token(Text, end)
}

// runsOut is called when a token needs more bytes than it may have. It returns the limit.
func (z *Tokenizer) runsOut() int {
	z.done, z.over = true, z.limit < len(z.page)
	return z.limit
}

// endTag reads what follows "</".
func (z *Tokenizer) endTag(i int) Kind {
	switch {
	case i >= z.limit:
		return z.text(z.limit)
	case z.page[i] == '>':
		return z.token(Comment, i+1)
	case class[z.page[i]]&isLetter == 0:
		return z.bogus(i)
	}
	end, _ := z.tag(i, false)
	if end < 0 {
		return z.token(End, z.runsOut())
	}
	return z.token(EndTag, end)
}

func (z *Tokenizer) startTag(i int) Kind {
	end, closing := z.tag(i, true)
	if end < 0 {
		return z.token(End, z.runsOut())
	}
	z.next = z.rawElement()
	if closing {
		return z.token(SelfClosing, end)
	}
	return z.token(Start, end)
}

// tag reads a tag from its name on. It returns where it ends, or -1 when it does not, and whether a slash closes it.
func (z *Tokenizer) tag(i int, keep bool) (end int, closing bool) {
	z.scanned, z.loaded, z.cut, z.keys = z.scanned[:0], false, false, 0
	page, seen := z.page[:z.limit], uint8(0)
	z.dataFrom = i
	for i < len(page) && class[page[i]]&(isSpace|isSlash|isClose) == 0 {
		seen |= class[page[i]]
		i++
	}
	z.dataTo, z.odd = i, seen&isOdd != 0
	slash := -1 // behind the last slash between attributes
	for {
		for i < len(page) && class[page[i]]&isSpace != 0 {
			i++
		}
		if i >= len(page) {
			return -1, false
		}
		if page[i] == '>' {
			return i + 1, slash == i
		}
		a := scannedAttr{key: int32(i)}
		seen = class[page[i]] &^ isEquals // an equals sign in front belongs to the name
		for seen&isSlash == 0 {
			if i++; i >= len(page) {
				return -1, false
			}
			if class[page[i]]&(isSpace|isSlash|isClose|isEquals) != 0 {
				break
			}
			seen |= class[page[i]]
		}
		a.keyEnd, a.odd = int32(i), seen&isOdd != 0
		a.value, a.valueEnd = a.keyEnd, a.keyEnd
		for i < len(page) && class[page[i]]&isSpace != 0 {
			i++
		}
		if i >= len(page) {
			return -1, false
		}
		switch page[i] {
		case '/':
			i++
			slash = i
		case '=':
			var from, to int
			if from, to, i = value(page, i+1); i < 0 {
				return -1, false
			}
			a.value, a.valueEnd = int32(from), int32(to)
		}
		switch {
		case !keep || a.key == a.keyEnd:
		case len(z.scanned) < maxScanned:
			z.scanned = append(z.scanned, a)
			z.keys |= 1 << ((a.keyEnd - a.key) & 63)
		default:
			z.cut = true
		}
	}
}

// value reads an attribute's value from behind its equals sign on. next is -1 when it does not end.
func value(page []byte, i int) (from, to, next int) {
	for i < len(page) && class[page[i]]&isSpace != 0 {
		i++
	}
	if i >= len(page) {
		return 0, 0, -1
	}
	switch q := page[i]; q {
	case '>':
		return i, i, i
	case '"', '\'':
		n := bytes.IndexByte(page[i+1:], q)
		if n < 0 {
			return 0, 0, -1
		}
		return i + 1, i + 1 + n, i + 2 + n
	}
	from = i
	for i < len(page) && class[page[i]]&(isSpace|isClose) == 0 {
		i++
	}
	if i >= len(page) {
		return 0, 0, -1
	}
	return from, i, i
}

// Name returns the name of the tag at hand, in lower case.
func (z *Tokenizer) Name() []byte {
	name := z.page[z.dataFrom:z.dataTo]
	if z.odd {
		return z.lower(name)
	}
	return name
}

// Tag returns the name of the tag at hand as an atom; 0 for a name that has none. Names of up to eight bytes are
// remembered: a page has few different ones.
func (z *Tokenizer) Tag() atom.Atom {
	n := z.dataTo - z.dataFrom
	if z.odd || n == 0 || n > 8 || z.dataFrom+8 > len(z.page) {
		return atom.Lookup(z.Name())
	}
	name := binary.LittleEndian.Uint64(z.page[z.dataFrom:]) << (64 - 8*n)
	known := &z.tags[name*0x9e3779b97f4a7c15>>(64-tagBits)]
	if known.name != name {
		known.name, known.tag = name, atom.Lookup(z.Name())
	}
	return known.tag
}

const tagBits = 7

// knownTag is a name of up to eight bytes, the last in the highest, and its atom. No name holds only NULs.
type knownTag struct {
	name uint64
	tag  atom.Atom
}

// HasAttrs reports whether the tag at hand, a start tag, has attributes.
func (z *Tokenizer) HasAttrs() bool { return len(z.scanned) > 0 }

// KeyLengths tells the lengths of the names of the tag's attributes, bit n for n bytes, modulo 64: most tags need not be
// looked at for an attribute with a rare length.
func (z *Tokenizer) KeyLengths() uint64 { return z.keys }

// Attrs returns the attributes of the start tag at hand. Of several with one name the first counts. whole is false when
// there are more than MaxAttrs, or very many repeated ones.
func (z *Tokenizer) Attrs() (attrs []Attr, whole bool) {
	if z.loaded {
		return z.attrs, !z.cut
	}
	z.loaded, z.attrs = true, z.attrs[:0]
	many := len(z.scanned) > 32
	if many {
		if z.known == nil {
			z.known = make(map[string]struct{})
		}
		clear(z.known)
	}
	var marks uint64 // a bit for each first letter and length, so that most keys need no comparison
	for i := range z.scanned {
		a := &z.scanned[i]
		key := z.page[a.key:a.keyEnd]
		if a.odd {
			key = z.lower(key)
		}
		if many {
			if _, repeated := z.known[string(key)]; repeated {
				continue
			}
			z.known[string(key)] = struct{}{}
		} else {
			mark := uint64(1) << ((uint(key[0]) + uint(len(key))*11) & 63)
			if marks&mark != 0 && slices.ContainsFunc(z.attrs, func(other Attr) bool { return bytes.Equal(other.Key, key) }) {
				continue
			}
			marks |= mark
		}
		if len(z.attrs) >= MaxAttrs {
			z.cut = true
			break
		}
		z.attrs = append(z.attrs, Attr{key, z.clean(z.page[a.value:a.valueEnd], true, true, true)})
	}
	return z.attrs, !z.cut
}

// lower copies a name in lower case, NULs replaced.
func (z *Tokenizer) lower(name []byte) []byte {
	from := len(z.scratch)
	for _, c := range name {
		switch {
		case 'A' <= c && c <= 'Z':
			c |= 0x20
		case c == 0:
			z.scratch = append(z.scratch, "\uFFFD"...)
			continue
		}
		z.scratch = append(z.scratch, c)
	}
	return z.scratch[from:len(z.scratch):len(z.scratch)]
}
