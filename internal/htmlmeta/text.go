package htmlmeta

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"unicode/utf8"

	"golang.org/x/net/html/atom"
)

// addText gives a piece of text to those who wait for it.
func (b *builder) addText(t []byte) {
	e := b.top()
	if e.inTemplate || e.is(atom.Template) {
		return
	}
	if b.outline != nil {
		b.outlineText(t)
	}
	if e.raw {
		switch e.tag {
		case atom.Title:
			if b.titleState == 1 {
				b.title, b.titleState = b.collapse(b.title, t, maxTitle), 2
			}
		case atom.Script:
			if b.jsonScript {
				b.jsonScript = false
				b.jsonLD(t)
			}
			b.scriptText(t)
		}
	}
	for _, i := range b.h1Stack {
		b.h1s[i].text = b.collapse(b.h1s[i].text, t, maxHeading)
	}
	if b.opt.LinkText && len(b.linkStack) > 0 {
		b.linkText(t)
	}
	if b.opt.Text && !e.inHead && (!e.raw || shown(e.tag)) {
		b.visible(t)
	}
}

// shown reports whether the raw text of an element can be seen.
func shown(t atom.Atom) bool { return t == atom.Textarea || t == atom.Xmp || t == atom.Plaintext }

// collapse appends text with runs of ASCII white space made one space, and none at the beginning.
func (b *builder) collapse(dst, t []byte, most int) []byte {
	for len(t) > 0 {
		if len(dst) >= most {
			b.doc.Partial = b.doc.Partial || !isBlank(t)
			return dst
		}
		n := bytes.IndexAny(t, space)
		switch {
		case n < 0:
			n = len(t)
			fallthrough
		case n > 0:
			n = min(n, most)
			dst = append(dst, t[:n]...)
		default:
			n = len(t) - len(bytes.TrimLeft(t, space))
			if len(dst) > 0 && dst[len(dst)-1] != ' ' {
				dst = append(dst, ' ')
			}
		}
		t = t[n:]
	}
	return dst
}

// trimmed takes a space and a broken character off the end.
func trimmed(t []byte) []byte {
	t = bytes.TrimSuffix(t, []byte{' '})
	for i := 1; i <= 3 && i <= len(t); i++ {
		if c := t[len(t)-i]; utf8.RuneStart(c) {
			if !utf8.FullRune(t[len(t)-i:]) {
				t = t[:len(t)-i]
			}
			break
		}
	}
	return t
}

// linkText adds text to the innermost open link.
func (b *builder) linkText(t []byte) {
	l := &b.links[b.linkStack[len(b.linkStack)-1]]
	end := int32(len(b.texts))
	if l.text.to == l.text.from {
		l.text = span{end, end}
	}
	if l.text.to != end || end-l.text.from >= maxLinkText || end > 1<<30 {
		return // another link's text came between, or it is long enough
	}
	for _, c := range t {
		size := int32(len(b.texts)) - l.text.from
		if size >= maxLinkText && utf8.RuneStart(c) {
			break
		}
		if c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '\f' {
			if size == 0 || b.texts[len(b.texts)-1] == ' ' {
				continue
			}
			c = ' '
		}
		b.texts = append(b.texts, c)
	}
	l.text.to = int32(len(b.texts))
}

// visible counts and hashes text, white space collapsed.
func (b *builder) visible(t []byte) {
	h, words, inWord, gap := b.hashed, b.doc.Words, b.inWord, b.textSpace
	for i := 0; i < len(t); i++ {
		for inWord && i+8 <= len(t) {
			spaces, plain := plainWords(binary.BigEndian.Uint64(t[i:]))
			if !plain {
				break
			}
			h.addBlock(binary.BigEndian.Uint64(t[i:]))
			words += bits.OnesCount64(spaces)
			if i += 8; i == len(t) {
				b.hashed, b.doc.Words, b.inWord, b.textSpace = h, words, inWord, gap
				return
			}
		}
		switch {
		case blank[t[i]]:
			inWord, gap = false, h.size > 0
			continue
		case !inWord:
			inWord = true
			words++
			if gap {
				h.add(' ')
			}
		}
		h.add(t[i])
	}
	b.hashed, b.doc.Words, b.inWord, b.textSpace = h, words, inWord, gap
}

// plainWords tells of eight bytes of text that follow a word whether nothing in them is to be collapsed: each blank is one
// space, and a letter is last. spaces has a bit for each of them.
func plainWords(v uint64) (spaces uint64, ok bool) {
	const ones, high = 0x0101010101010101, 0x8080808080808080
	if (v-ones*' ')&^v&high != 0 { // a byte below a space
		return 0, false
	}
	x := v ^ ones*' '
	spaces = ^(((x &^ high) + (^uint64(high))) | x | ^uint64(high))
	return spaces, spaces&(spaces<<8) == 0 && spaces&0x80 == 0
}

var blank = [256]bool{' ': true, '\n': true, '\t': true, '\r': true, '\f': true}

// hash is a 64-bit hash of text that comes in pieces, the same in every process. Who wants two texts to share one can make
// them: it tells changes apart, it proves nothing.
type hash struct {
	state, block uint64
	size         int
}

func (h *hash) add(c byte) {
	h.block = h.block<<8 | uint64(c)
	if h.size++; h.size&7 == 0 {
		h.mix()
	}
}

// addBlock is add for eight bytes, the first in the highest.
func (h *hash) addBlock(v uint64) {
	waiting := uint(h.size&7) * 8
	h.block = h.block<<(64-waiting) | v>>waiting
	h.mix()
	h.block = v & (1<<waiting - 1)
	h.size += 8
}

// mix takes in a block of eight bytes. For blocks alike so far it is one-to-one.
func (h *hash) mix() {
	h.state = (h.state ^ h.block) * 0x9e3779b97f4a7c15
	h.state ^= h.state >> 32
	h.block = 0
}

// sum gives the hash, 0 when there was no text.
func (h hash) sum() uint64 {
	if h.size == 0 {
		return 0
	}
	h.mix()
	h.block = uint64(h.size)
	h.mix()
	return h.state
}

// wordBreak ends a word at a tag that breaks the line.
func (b *builder) wordBreak() {
	switch b.tag {
	case atom.A, atom.B, atom.I, atom.Em, atom.Strong, atom.Span, atom.Code, atom.Font, atom.Small, atom.S, atom.U, atom.Tt,
		atom.Sub, atom.Sup, atom.Wbr, atom.Mark, atom.Abbr, atom.Q, atom.Cite, atom.Var, atom.Kbd, atom.Samp, atom.Big:
		return
	}
	b.inWord, b.textSpace = false, b.hashed.size > 0
}
