package htmlmeta

import "bytes"

// seeScript notes a script element that may give the page ids which its source does not have: one from a file, which is
// not read here, or a module.
func (b *builder) seeScript(kind []byte) {
	if !b.opt.IDs {
		return
	}
	b.liveScript = false
	if !runs(kind) {
		return
	}
	if src, ok := b.attr("src"); ok {
		b.doc.MakesIDs = b.doc.MakesIDs || len(bytes.Trim(src, space)) > 0
		return
	}
	b.liveScript = true
}

// scriptText looks through an inline script.
func (b *builder) scriptText(t []byte) {
	if b.liveScript {
		b.doc.MakesIDs = b.doc.MakesIDs || mayMakeIDs(t)
		b.liveScript = false
	}
}

// runs reports whether a script of this type is run: a JavaScript media type, "module" or none (HTML 4.12.1).
func runs(kind []byte) bool {
	kind = bytes.ToLower(bytes.Trim(kind, space))
	return len(kind) == 0 || bytes.Equal(kind, []byte("module")) || bytes.Contains(kind, []byte("javascript")) ||
		bytes.Contains(kind, []byte("ecmascript")) || bytes.Contains(kind, []byte("jscript")) || bytes.Contains(kind, []byte("livescript"))
}

// idMakers are what a script needs to bring ids into the document that are not written in it as "id=" or ".id =":
// loading more, copying, or writing through other names.
var idMakers = [][]byte{
	[]byte("setAttribute"), []byte("document.write"), []byte("insertAdjacentHTML"), []byte("outerHTML"), []byte("fetch"),
	[]byte("XMLHttpRequest"), []byte("import"), []byte("eval"), []byte("Function("), []byte("DOMParser"), []byte("cloneNode"),
	[]byte("createContextualFragment"), []byte("setHTML"), []byte("attributes"), []byte("$("), []byte("jQuery"),
	[]byte("'script'"), []byte(`"script"`), []byte("`script`"), []byte("atob"), []byte("fromCharCode"), []byte("decodeURI"),
	[]byte("unescape"), []byte("Object.assign"), []byte("postMessage"),
}

// mayMakeIDs reports whether an inline script could give elements ids. Scripts that only show, hide, sort or count what
// is there do not.
func mayMakeIDs(t []byte) bool {
	for _, mark := range idMakers {
		if bytes.Contains(t, mark) {
			return true
		}
	}
	for rest := t; ; { // the word id, followed by = or :, as a property, an attribute in a string, or a key; ["id"] too
		i := bytes.Index(rest, []byte("id"))
		if i < 0 {
			return false
		}
		before, after := byte(' '), bytes.TrimLeft(rest[i+2:], space)
		if i > 0 {
			before = rest[i-1]
		}
		word := before == '_' || before == '$' || before|0x20 >= 'a' && before|0x20 <= 'z' || before >= '0' && before <= '9'
		if !word && len(after) > 0 {
			switch {
			case after[0] == ':', after[0] == '\'', after[0] == '"', after[0] == '`':
				return true
			case after[0] == '=' && !bytes.HasPrefix(after, []byte("==")):
				return true
			}
		}
		rest = rest[i+2:]
	}
}
