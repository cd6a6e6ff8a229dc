package charset

import (
	"bytes"
	"strings"

	"golang.org/x/net/html/atom"

	"github.com/amblecrawl/amble/internal/htmltoken"
)

// prescanBytes is how far the search for a meta goes whatever the bytes hold (HTML standard, 13.2.3.2). Beyond, it goes
// on as long as only elements of a head were seen, so that a long inline script does not hide the declaration.
const prescanBytes = 1024

const htmlSpace = "\t\n\f\r "

// prescan finds the encoding that a meta element declares, or "". Like Chromium it runs the tokenizer, so that what
// looks like a meta inside a comment, script, style or title is none. Labels that are unknown are passed over.
func prescan(body []byte) string {
	var z htmltoken.Tokenizer
	z.Reset(body, 0)
	inHead, consumed := true, 0
	for inHead || consumed < prescanBytes {
		t := z.Next()
		if t == htmltoken.End {
			return ""
		}
		consumed += len(z.Raw())
		if t != htmltoken.Start && t != htmltoken.SelfClosing && t != htmltoken.EndTag {
			continue
		}
		tag := atom.Lookup(z.Name())
		if t != htmltoken.EndTag {
			switch tag {
			case atom.Noscript:
				z.NotRaw()
			case atom.Meta:
				if z.HasAttrs() {
					attrs, _ := z.Attrs()
					if name := metaEncoding(attrs); name != "" {
						return name
					}
				}
			}
		}
		switch tag {
		case atom.Script, atom.Noscript, atom.Style, atom.Link, atom.Meta, atom.Object, atom.Title, atom.Base:
		case atom.Html, atom.Head:
			inHead = inHead && t != htmltoken.EndTag
		default:
			inHead = false
		}
	}
	return ""
}

// metaEncoding reads the attributes of a meta element. The first of charset and content that gives
// a label counts; content needs http-equiv=content-type beside it. No UTF-16 and no x-user-defined can be declared
// this way, since the declaration was read byte by byte (HTML standard, 13.2.3.2, last steps).
func metaEncoding(attrs []htmltoken.Attr) string {
	var label string
	var pragma, needsPragma bool
	for _, a := range attrs {
		switch string(a.Key) {
		case "http-equiv":
			pragma = strings.EqualFold(string(a.Value), "content-type")
		case "charset":
			if label == "" {
				label, needsPragma = string(a.Value), false
			}
		case "content":
			if label == "" {
				label, needsPragma = ContentLabel(string(a.Value)), true
			}
		}
	}
	if label == "" || needsPragma && !pragma {
		return ""
	}
	name, _ := Lookup(label)
	return byteBased(name)
}

// byteBased replaces encodings that a declaration inside the page itself cannot truly mean.
func byteBased(name string) string {
	switch name {
	case "UTF-16LE", "UTF-16BE":
		return "UTF-8"
	case "x-user-defined":
		return "windows-1252"
	}
	return name
}

// ContentLabel gives the label inside a meta's content attribute ("text/html; charset=utf-8"), or "" (HTML standard,
// 2.6.5, extracting a character encoding from a meta element).
func ContentLabel(content string) string {
	lower := strings.ToLower(content)
	if len(lower) != len(content) { // a letter outside ASCII changed its length: offsets would not match
		lower = content
	}
	for pos := 0; ; {
		i := strings.Index(lower[pos:], "charset")
		if i < 0 {
			return ""
		}
		pos += i + len("charset")
		rest := strings.TrimLeft(content[pos:], htmlSpace)
		if !strings.HasPrefix(rest, "=") {
			continue
		}
		rest = strings.TrimLeft(rest[1:], htmlSpace)
		if rest == "" {
			return ""
		}
		if q := rest[0]; q == '"' || q == '\'' {
			end := strings.IndexByte(rest[1:], q)
			if end < 0 {
				return ""
			}
			return rest[1 : 1+end]
		}
		if end := strings.IndexAny(rest, htmlSpace+";"); end >= 0 {
			rest = rest[:end]
		}
		return rest
	}
}

// xmlDeclared finds the encoding of an XML declaration at the very start, which browsers obey for HTML too, or "".
func xmlDeclared(body []byte) string {
	switch {
	case bytes.HasPrefix(body, []byte("<\x00?\x00x\x00")):
		return "UTF-16LE"
	case bytes.HasPrefix(body, []byte("\x00<\x00?\x00x")):
		return "UTF-16BE"
	case !bytes.HasPrefix(body, []byte("<?xml")):
		return ""
	}
	head := body[:min(len(body), prescanBytes)]
	end := bytes.IndexByte(head, '>')
	if end < 0 {
		return ""
	}
	_, rest, ok := bytes.Cut(head[:end], []byte("encoding"))
	if !ok {
		return ""
	}
	control := func(r rune) bool { return r <= ' ' }
	rest, ok = bytes.CutPrefix(bytes.TrimLeftFunc(rest, control), []byte("="))
	rest = bytes.TrimLeftFunc(rest, control)
	if !ok || len(rest) == 0 || rest[0] != '"' && rest[0] != '\'' {
		return ""
	}
	label, _, ok := bytes.Cut(rest[1:], rest[:1])
	if !ok {
		return ""
	}
	name, _ := Lookup(string(label))
	return byteBased(name)
}
