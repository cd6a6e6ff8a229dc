package charset

import "strings"

// HeaderLabel gives the label in the charset parameter of a Content-Type value, as MIME Sniffing 4.4 reads it, or "".
// The first parameter of that name counts; double quotes may stand around the value, single quotes are part of it.
//
// Several values joined by commas are what repeated headers become: the last MIME type counts, and keeps the charset
// of an equal type before it when it has none itself (Fetch standard, extracting a MIME type).
func HeaderLabel(contentType string) string {
	var label, essence string
	for contentType != "" {
		var value string
		value, contentType = cutUnquoted(contentType, ',')
		kind, rest, _ := strings.Cut(value, ";")
		kind = strings.ToLower(strings.Trim(kind, space))
		if kind != "" && !strings.Contains(kind, "/") || kind == "*/*" {
			continue
		}
		if kind != essence {
			label, essence = "", kind
		}
		if l := charsetParameter(rest); l != "" {
			label = l
		}
	}
	return label
}

const space = " \t\r\n"

// charsetParameter reads the parameters after a MIME type.
func charsetParameter(rest string) string {
	for rest != "" {
		rest = strings.TrimLeft(rest, space)
		end := strings.IndexAny(rest, ";=")
		if end < 0 {
			return ""
		}
		name, valueless := rest[:end], rest[end] == ';'
		rest = rest[end+1:]
		if valueless {
			continue
		}
		var value string
		if strings.HasPrefix(rest, `"`) {
			value, rest = unquote(rest[1:])
			_, rest, _ = strings.Cut(rest, ";")
		} else {
			value, rest, _ = strings.Cut(rest, ";")
			if value = strings.TrimRight(value, space); value == "" {
				continue
			}
		}
		if strings.EqualFold(name, "charset") {
			return value
		}
	}
	return ""
}

// unquote reads an HTTP quoted string after its first quote; a missing last quote is forgiven.
func unquote(s string) (value, rest string) {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '"':
			return b.String(), s[i+1:]
		case s[i] == '\\' && i+1 < len(s):
			i++
		}
		b.WriteByte(s[i])
	}
	return b.String(), ""
}

// cutUnquoted cuts s at the first sep that stands outside double quotes.
func cutUnquoted(s string, sep byte) (before, after string) {
	quoted := false
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '"':
			quoted = !quoted
		case s[i] == '\\' && quoted:
			i++
		case s[i] == sep && !quoted:
			return s[:i], s[i+1:]
		}
	}
	return s, ""
}
