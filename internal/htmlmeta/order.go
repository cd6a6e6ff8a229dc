package htmlmeta

import (
	"cmp"
)

// order says that an element was moved before a table: a is the place of the table, b that of a table within what was
// moved. Zero: it stands where the source has it.
type order struct{ a, b int32 }

// key sorts items into document order.
type key struct{ a, b, c int32 }

func (k key) compare(o key) int {
	return cmp.Or(cmp.Compare(k.a, o.a), cmp.Compare(k.b, o.b), cmp.Compare(k.c, o.c))
}

// key gives the next item its place.
func (b *builder) key(o order) key {
	i := b.items
	b.items++
	if o.a == 0 {
		return key{2*i + 3, 0, 0}
	}
	b.reordered = true
	if o.b == 0 {
		return key{o.a, 2*i + 3, 0}
	}
	return key{o.a, o.b, i}
}

// before is the place right before an open element.
func (b *builder) before(e *element) order {
	switch {
	case e.ord.a == 0:
		return order{a: 2*e.mark + 2}
	case e.ord.b == 0:
		return order{a: e.ord.a, b: 2*e.mark + 2}
	}
	return e.ord
}

func (b *builder) keyBefore(e *element) key { return b.key(b.before(e)) }
