// Package charset finds the character encoding of an HTML page as browsers do, and turns its bytes into UTF-8.
//
// The order is that of the HTML standard (13.2.3.2, determining the character encoding) as Chromium carries it out:
// byte order mark, charset parameter of Content-Type, meta element, XML declaration, and else windows-1252. Labels and
// names are those of the Encoding Standard (https://encoding.spec.whatwg.org/#names-and-labels).
//
// Not done: Chromium's statistical guess for legacy pages that declare nothing (it would read an undeclared Shift_JIS
// page as such). It is a heuristic without a published rule; such pages are windows-1252 here, and Result.Source says
// that it is a fallback. An undeclared UTF-8 page is windows-1252 in browsers too: Result.LooksUTF8 tells it apart.
package charset

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/unicode"
)

// Source is the place that decided the encoding.
type Source uint8

// The places, from the strongest to the weakest.
const (
	Fallback Source = iota // nothing was declared: windows-1252
	BOM                    // byte order mark
	Header                 // charset parameter of Content-Type
	Meta                   // meta charset or http-equiv=content-type
	XML                    // encoding of an XML declaration
)

// String names the source in one word.
func (s Source) String() string {
	return [...]string{"fallback", "bom", "header", "meta", "xml"}[min(s, XML)]
}

// Result is the encoding of one page.
type Result struct {
	// Name is the encoding's name in the Encoding Standard, as document.characterSet gives it: "UTF-8", "windows-1252".
	Name string
	// Source is what decided.
	Source Source
	// LooksUTF8 is set when nothing was declared, yet the bytes are not ASCII only and are valid UTF-8: most likely
	// the declaration is missing, and browsers show the text garbled.
	LooksUTF8 bool
}

// Lookup gives the name of the encoding that a label stands for, and false for a label that the Encoding Standard does
// not know. Case and ASCII white space around the label do not count.
func Lookup(label string) (name string, ok bool) {
	_, name = get(label)
	return name, name != ""
}

func get(label string) (encoding.Encoding, string) {
	label = strings.Trim(label, "\t\n\f\r ")
	for i := range len(label) {
		if label[i] <= ' ' || label[i] >= utf8.RuneSelf {
			return nil, ""
		}
	}
	e, err := htmlindex.Get(label)
	if err != nil {
		return nil, ""
	}
	name, err := htmlindex.Name(e)
	if err != nil {
		return nil, ""
	}
	return e, standardName(name)
}

// standardName gives a lower-case encoding name the case that the standard writes it with.
func standardName(name string) string {
	switch name {
	case "big5":
		return "Big5"
	case "shift_jis":
		return "Shift_JIS"
	case "utf-16":
		return "UTF-16LE"
	}
	for _, p := range []string{"utf", "iso", "koi8", "ibm", "euc", "gbk"} {
		if strings.HasPrefix(name, p) {
			return strings.ToUpper(name)
		}
	}
	return name
}

// Determine finds the encoding of body, served with the given Content-Type header value (empty: none).
func Determine(body []byte, contentType string) Result {
	if name, _ := bom(body); name != "" {
		return Result{Name: name, Source: BOM}
	}
	if name, ok := Lookup(HeaderLabel(contentType)); ok {
		return Result{Name: name, Source: Header}
	}
	if name := prescan(body); name != "" {
		return Result{Name: name, Source: Meta}
	}
	if name := xmlDeclared(body); name != "" {
		return Result{Name: name, Source: XML}
	}
	return Result{Name: "windows-1252", LooksUTF8: !isASCII(body) && utf8.Valid(body)}
}

func bom(body []byte) (name string, size int) {
	switch {
	case bytes.HasPrefix(body, []byte("\xEF\xBB\xBF")):
		return "UTF-8", 3
	case bytes.HasPrefix(body, []byte("\xFE\xFF")):
		return "UTF-16BE", 2
	case bytes.HasPrefix(body, []byte("\xFF\xFE")):
		return "UTF-16LE", 2
	}
	return "", 0
}

// Decode gives the text of body in UTF-8, without a byte order mark, and the encoding it was read in. It never fails:
// what is no text in that encoding becomes U+FFFD, as in browsers. Bytes that are UTF-8 already are not copied: the
// result then shares body's memory.
func Decode(body []byte, contentType string) ([]byte, Result) {
	r := Determine(body, contentType)
	return DecodeAs(body, r.Name), r
}

// DecodeAs is Decode for an encoding that is known already, by a name that Determine or Lookup gave.
// An unknown name is read as windows-1252.
func DecodeAs(body []byte, name string) []byte {
	if mark, size := bom(body); mark == name {
		body = body[size:]
	}
	switch name {
	case "UTF-8":
		if utf8.Valid(body) {
			return body
		}
		return decode(unicode.UTF8, body)
	case "UTF-16LE":
		return decode(unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM), body)
	case "UTF-16BE":
		return decode(unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM), body)
	case "replacement":
		if len(body) == 0 {
			return nil
		}
		return []byte("\uFFFD")
	case "ISO-2022-JP": // not a superset of ASCII: escapes switch what the bytes mean
		e, _ := get(name)
		return decode(e, body)
	case "ISO-8859-8-I": // the same bytes as ISO-8859-8; only the text direction differs
		return decodeSingleByte(charmap.ISO8859_8, body)
	}
	if isASCII(body) {
		return body
	}
	e, _ := get(name)
	if e == nil {
		e = charmap.Windows1252
	}
	if m, ok := e.(*charmap.Charmap); ok {
		return decodeSingleByte(m, body)
	}
	return decode(e, body)
}

func decode(e encoding.Encoding, body []byte) []byte {
	text, err := e.NewDecoder().Bytes(body)
	if err != nil {
		return bytes.ToValidUTF8(body, []byte("\uFFFD"))
	}
	return text
}

// decodeSingleByte reads a one-byte encoding. Bytes 0x80 to 0x9F without a character of their own are the C1 controls
// of the same number in every index of the Encoding Standard; the tables of x/text leave them undefined.
func decodeSingleByte(m *charmap.Charmap, body []byte) []byte {
	var table [128]rune
	for i := range table {
		b := byte(0x80 + i)
		table[i] = m.DecodeByte(b)
		if table[i] == utf8.RuneError && b < 0xA0 {
			table[i] = rune(b)
		}
	}
	text := make([]byte, 0, len(body)+len(body)/8+16)
	for _, b := range body {
		if b < utf8.RuneSelf {
			text = append(text, b)
			continue
		}
		text = utf8.AppendRune(text, table[b-0x80])
	}
	return text
}

func isASCII(b []byte) bool {
	for _, c := range b {
		if c >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
