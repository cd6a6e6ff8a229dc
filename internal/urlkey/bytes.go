package urlkey

import "strings"

// What a byte means in a URL of a special scheme, one bit each.
const (
	encodePath   = 1 << iota // the standard's path percent-encode set
	encodeQuery              // special-query percent-encode set
	encodeFrag               // fragment percent-encode set
	stripped                 // tab and newline, removed wherever they stand
	schemeByte               // may follow the first letter of a scheme
	hostByte                 // means itself in a host (upper case letters: their lower case)
	unusual                  // ends the fast path in a path: backslash
	mayBeEncoded             // percent sign
)

var class = classes()

func classes() (t [256]uint8) {
	for c := range t {
		if c <= ' ' || c >= 0x7f {
			t[c] = encodePath | encodeQuery | encodeFrag
		}
	}
	mark := func(bits uint8, chars string) {
		for _, c := range []byte(chars) {
			t[c] |= bits
		}
	}
	mark(encodePath|encodeQuery|encodeFrag, `"<>`)
	mark(encodePath, "^`{}")
	mark(encodeQuery, "'")
	mark(encodeFrag, "`")
	mark(stripped, "\t\n\r")
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	mark(schemeByte|hostByte, letters+"0123456789-.")
	mark(schemeByte, "+")
	mark(hostByte, "_")
	mark(unusual, `\`)
	mark(mayBeEncoded, "%")
	return t
}

const hex = "0123456789ABCDEF"

// appendEncoded appends s with the bytes of one percent-encode set encoded, none where the set is 0. Percent signs stay
// as they are.
func appendEncoded(dst []byte, s string, set uint8) []byte {
	if set == 0 {
		return append(dst, s...)
	}
	start := 0
	for i := 0; i < len(s); i++ {
		if class[s[i]]&set != 0 {
			dst = append(dst, s[start:i]...)
			dst = append(dst, '%', hex[s[i]>>4], hex[s[i]&15])
			start = i + 1
		}
	}
	return append(dst, s[start:]...)
}

// appendUserinfo appends s with the standard's userinfo percent-encode set encoded.
func appendUserinfo(dst []byte, s string) []byte {
	for i := 0; i < len(s); i++ {
		if strings.IndexByte("/:;=@[\\]^|?#", s[i]) >= 0 {
			dst = append(dst, '%', hex[s[i]>>4], hex[s[i]&15])
		} else {
			dst = appendEncoded(dst, s[i:i+1], encodePath)
		}
	}
	return dst
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

// schemeLength returns the length of the scheme in front of s, or 0 where s has none.
func schemeLength(s string) int {
	if s == "" || !isLetter(s[0]) {
		return 0
	}
	i := 1
	for i < len(s) && class[s[i]]&schemeByte != 0 {
		i++
	}
	if i == len(s) || s[i] != ':' {
		return 0
	}
	return i
}

// trim removes C0 control characters and spaces from both ends.
func trim(s string) string {
	for len(s) > 0 && s[0] <= ' ' {
		s = s[1:]
	}
	for len(s) > 0 && s[len(s)-1] <= ' ' {
		s = s[:len(s)-1]
	}
	return s
}
