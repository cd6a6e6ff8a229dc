package htmlmeta

import (
	"bytes"
	"strings"

	"golang.org/x/net/html/atom"
)

// mayMatter reports whether the tag at hand may have attributes that matter on any element: ids, Microdata, RDFa.
func (b *builder) mayMatter() bool {
	const lengths = 1<<len("itemscope") | 1<<len("typeof")
	return b.opt.IDs || b.z.KeyLengths()&lengths != 0
}

// collectAnywhere looks for what any element may carry.
func (b *builder) collectAnywhere() {
	var itemtype []byte
	scope := false
	for _, a := range b.load() {
		switch string(a.Key) {
		case "id":
			b.addID(a.Value)
		case "name":
			if b.tag == atom.A {
				b.addID(a.Value)
			}
		case "itemscope":
			scope = true
		case "itemtype":
			if itemtype == nil {
				itemtype = a.Value
			}
		case "typeof":
			b.addData(RDFa, a.Value)
		}
	}
	if scope {
		b.addData(Microdata, itemtype)
	}
}

func (b *builder) addID(v []byte) {
	if !b.opt.IDs || len(v) == 0 {
		return
	}
	if len(b.doc.IDs) >= maxLinks {
		b.doc.Partial = true
		return
	}
	b.doc.IDs = append(b.doc.IDs, b.value(v))
}

// copyData adds the types of an element once more, when it is opened again.
func (b *builder) copyData(e *element) {
	for _, d := range b.doc.Data[e.data.from:e.data.to] {
		b.addType(d.Syntax, d.Type)
	}
}

// addData adds the types of a list parted by white space.
func (b *builder) addData(s Syntax, types []byte) {
	for _, t := range bytes.FieldsFunc(types, func(r rune) bool { return strings.ContainsRune(space, r) }) {
		b.addType(s, b.value(t))
	}
}

func (b *builder) addType(s Syntax, t string) {
	if len(b.doc.Data) >= maxItems {
		b.doc.Partial = true
		return
	}
	b.doc.Data = append(b.doc.Data, Data{s, t})
}

// mergeHTML takes the attributes of a later html tag that the first one lacked.
func (b *builder) mergeHTML() {
	if b.openTemplates > 0 || !b.hasAttr {
		return
	}
	b.htmlAttributes()
	if !b.htmlData && b.mayMatter() {
		before := len(b.doc.Data)
		b.collectAnywhere()
		b.lateData = append(b.lateData, b.doc.Data[before:]...)
		b.doc.Data = b.doc.Data[:before]
		b.htmlData = len(b.lateData) > 0
	}
}

func (b *builder) htmlAttributes() {
	if b.doc.HasLang || !b.hasAttr {
		return
	}
	if v, ok := b.attr("lang"); ok {
		b.doc.Lang, b.doc.HasLang = b.value(v), true
	}
}
