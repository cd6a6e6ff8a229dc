package htmlmeta

import (
	"bytes"

	"golang.org/x/net/html/atom"
)

// active is an entry of the list of active formatting elements (HTML 13.2.4.3). Formatting elements that end in the
// wrong place are opened again, so that one a in the source can be several in the document.
type active struct {
	element
	marker  bool
	open    bool   // its element is on the stack
	written []byte // the tag
}

func (b *builder) addMarker() {
	if len(b.active) < maxActive {
		b.active = append(b.active, active{marker: true})
		return
	}
	b.doc.Partial = true
}

func (b *builder) clearToMarker() {
	for n := len(b.active); n > 0; n-- {
		marker := b.active[n-1].marker
		b.active = b.active[:n-1]
		if marker {
			return
		}
	}
}

func (b *builder) activeIndex(id int32) int {
	for i := len(b.active) - 1; i >= 0; i-- {
		if b.active[i].id == id && !b.active[i].marker {
			return i
		}
	}
	return -1
}

// lastActive gives the index of the nearest entry with the tag after the last marker, or -1.
func (b *builder) lastActive(tag atom.Atom) int {
	for i := len(b.active) - 1; i >= 0 && !b.active[i].marker; i-- {
		if b.active[i].tag == tag {
			return i
		}
	}
	return -1
}

func (b *builder) dropActive(i int) { b.active = append(b.active[:i], b.active[i+1:]...) }

// insertFormatting opens the tag at hand as a formatting element. Of four alike the earliest is forgotten.
func (b *builder) insertFormatting() {
	written := b.z.Raw()
	b.nextID++
	b.insertAs(b.nextID, true, false)
	alike := 0
	for i := len(b.active) - 1; i >= 0 && !b.active[i].marker; i-- {
		if b.active[i].tag == b.tag && bytes.Equal(b.active[i].written, written) {
			if alike++; alike == 3 {
				b.dropActive(i)
				break
			}
		}
	}
	if len(b.active) >= maxActive || b.overflow > 0 {
		b.doc.Partial = true
		return
	}
	b.active = append(b.active, active{element: *b.top(), open: true, written: written})
}

// reconstruct opens the formatting elements again that were closed by something else than their end tags.
func (b *builder) reconstruct() {
	n := len(b.active)
	if n == 0 || b.active[n-1].marker || b.active[n-1].open {
		return
	}
	i := n - 1
	for i > 0 && !b.active[i-1].marker && !b.active[i-1].open {
		i--
	}
	if b.coarse && n-i > coarseReach {
		i = n - coarseReach
	}
	b.spend(n - i)
	for ; i < n && len(b.stack) < maxDepth; i++ {
		b.reopen(i)
	}
}

// reopen puts a copy of entry i on the stack.
func (b *builder) reopen(i int) {
	entry := &b.active[i]
	e := b.child(entry.tag)
	e.hash, e.formatting = entry.hash, true
	b.nextID++
	e.id = b.nextID
	if entry.link > 0 && !e.inTemplate {
		e.link = b.copyLink(entry.link, b.key(e.ord))
	}
	if e.data = entry.data; !e.inTemplate {
		b.copyData(&e)
	}
	if b.outline != nil && !e.inTemplate {
		b.outlineAgain(&e, entry.node)
	}
	written := entry.written
	b.push(e)
	b.active[i] = active{element: e, open: true, written: written}
}

// adopt is the adoption agency algorithm of HTML 13.2.6.4.7 for an end tag with the given name.
func (b *builder) adopt(tag atom.Atom) {
	if e := b.top(); e.is(tag) && (!e.formatting || b.activeIndex(e.id) < 0) {
		b.pop()
		return
	}
	for range 8 {
		f := b.lastActive(tag)
		if f < 0 {
			b.endOther()
			return
		}
		if !b.active[f].open {
			b.dropActive(f)
			return
		}
		at := b.stackIndex(b.active[f].id)
		if at < 0 { // out of reach of a coarse search
			b.dropActive(f)
			return
		}
		for i := len(b.stack) - 1; i > at; i-- {
			if ends(&b.stack[i], defaultScope) {
				return
			}
		}
		b.spend(len(b.stack) - at)
		furthest := at + 1
		for furthest < len(b.stack) && !special(&b.stack[furthest]) {
			furthest++
		}
		if furthest == len(b.stack) {
			b.popTo(at)
			if f := b.lastActive(tag); f >= 0 {
				b.dropActive(f)
			}
			return
		}
		b.adoptBlock(f, at, furthest)
	}
}

// adoptBlock does one round of the adoption: the formatting element at stack index at, entry f of the active list, is
// closed before the block at index furthest and opened again inside of it.
func (b *builder) adoptBlock(f, at, furthest int) {
	block := b.stack[furthest]
	key := b.keyBefore(&block)
	outer := b.stack[at]
	entry := b.active[f]

	// Between the two, the nearest three that are active are opened again outside the block; the rest is closed.
	var kept []element
	bookmark := -1 // the identity of the entry that the new one goes behind
	for n, i := 0, furthest-1; i > at; i-- {
		e := b.stack[i]
		n++
		j := -1
		if e.formatting {
			j = b.activeIndex(e.id)
		}
		if n > 3 && j >= 0 {
			b.dropActive(j)
			j = -1
		}
		if j < 0 {
			b.closed(&e)
			continue
		}
		clone := e
		b.nextID++
		clone.id = b.nextID
		if e.link > 0 {
			clone.link = b.copyLink(e.link, key)
		}
		b.copyData(&clone)
		b.active[j].element = clone
		if bookmark < 0 {
			bookmark = int(clone.id)
		}
		kept = append([]element{clone}, kept...)
	}
	clone := outer
	b.nextID++
	clone.id = b.nextID
	if outer.link > 0 {
		clone.link = b.copyLink(outer.link, key)
	}
	b.copyData(&clone)
	clone.ord, clone.mark, clone.inHead = block.ord, block.mark, block.inHead

	f = b.activeIndex(entry.id)
	entry.element = clone
	if bookmark >= 0 {
		b.dropActive(f)
		j := b.activeIndex(int32(bookmark)) + 1
		b.active = append(b.active, active{})
		copy(b.active[j+1:], b.active[j:])
		b.active[j] = entry
	} else {
		b.active[f] = entry
	}

	tail := append([]element(nil), b.stack[furthest+1:]...)
	b.stack = append(append(append(append(b.stack[:at], kept...), block), clone), tail...)
	b.spend(len(b.stack) - at)
	b.linkStack = b.linkStack[:0] // links were replaced by copies
	for i := range b.stack {
		if l := b.stack[i].link; l > 0 {
			b.linkStack = append(b.linkStack, l-1)
		}
	}
}

// stackIndex finds an open element by its identity.
func (b *builder) stackIndex(id int32) int {
	low := b.floor()
	for i := len(b.stack) - 1; i >= low; i-- {
		if b.stack[i].id == id {
			return i
		}
	}
	return -1
}
