package htmlmeta

import (
	"bytes"
)

const space = "\t\n\f\r "

func isBlank(t []byte) bool {
	for _, c := range t {
		if c != ' ' && c != '\n' && c != '\t' && c != '\r' && c != '\f' {
			return false
		}
	}
	return true
}

// equalFold compares without regard to ASCII case; lower is in lower case.
func equalFold(b []byte, lower string) bool {
	if len(b) != len(lower) {
		return false
	}
	for i := range b {
		c := b[i]
		if 'A' <= c && c <= 'Z' {
			c |= 0x20
		}
		if c != lower[i] {
			return false
		}
	}
	return true
}

// hasToken reports whether a list of tokens parted by ASCII white space holds one, without regard to case.
func hasToken(list []byte, lower string) bool {
	for len(list) > 0 {
		list = bytes.TrimLeft(list, space)
		n := bytes.IndexAny(list, space)
		if n < 0 {
			n = len(list)
		}
		if equalFold(list[:n], lower) {
			return true
		}
		list = list[n:]
	}
	return false
}
