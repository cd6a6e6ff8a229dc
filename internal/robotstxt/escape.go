package robotstxt

import "strings"

// wildcard stands for the star in a pattern that is kept in normal form, where a star is the literal character that was
// written %2A. No pattern holds a NUL of its own, because a NUL ends the line.
const wildcard = 0

// Escape returns a URL as Google's parser wants it: octets outside US-ASCII as percent escapes, hexadecimal digits of
// escapes in upper case, everything else untouched. Give it each URL that a Matcher of the Google mode is asked about,
// unless it is known to be in that form already. In the RFC 9309 mode it changes no answer.
func Escape(url string) string {
	if isNormal(url, Google) {
		return url
	}
	dst, _ := appendNormal(nil, url, Google, false)
	return string(dst)
}

// isNormal reports whether appendNormal would leave a path or pattern as it is.
func isNormal(s string, mode Mode) bool {
	if !isASCII(s) {
		return false
	}
	i := strings.IndexByte(s, '%')
	if i < 0 {
		return true
	}
	for ; i < len(s)-2; i++ {
		if s[i] != '%' || !isEscape(s[i:]) {
			continue
		}
		high, low := s[i+1], s[i+2]
		if high >= 'a' || low >= 'a' || high < '8' && mode == RFC9309 && decodes(unhex(high)<<4|unhex(low)) {
			return false
		}
		i += 2
	}
	return true
}

// appendNormal appends a path or pattern in the form in which the mode compares it. For a pattern, stars turn into
// wildcards. The count is of the octets by which RFC 9309 section 2.2.2 measures a pattern: a literal * or $ written as
// an escape counts as the escape.
func appendNormal(dst []byte, s string, mode Mode, pattern bool) (_ []byte, octets int) {
	start, extra := len(dst), 0
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case c >= 0x80:
			dst = append(dst, '%', hexDigits[c>>4], hexDigits[c&15])
		case c == '%' && isEscape(s[i:]):
			octet := unhex(s[i+1])<<4 | unhex(s[i+2])
			if mode == RFC9309 && decodes(octet) {
				dst = append(dst, octet)
				if octet == '*' || octet == '$' {
					extra += 2
				}
			} else {
				dst = append(dst, '%', hexDigits[octet>>4], hexDigits[octet&15])
			}
			i += 2
		case c == '*' && pattern:
			dst = append(dst, wildcard)
		default:
			dst = append(dst, c)
		}
	}
	return dst, len(dst) - start + extra
}

const hexDigits = "0123456789ABCDEF"

// decodes reports whether the escape of an octet is compared decoded: unreserved characters (RFC 3986 section 2.3) and
// the two that have a meaning in patterns.
func decodes(c byte) bool {
	switch {
	case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9':
		return true
	}
	return c == '-' || c == '.' || c == '_' || c == '~' || c == '*' || c == '$'
}

// isEscape reports whether s begins with a percent escape.
func isEscape(s string) bool {
	return len(s) >= 3 && s[0] == '%' && isHex(s[1]) && isHex(s[2])
}

func isHex(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F'
}

// unhex returns the value of a hexadecimal digit.
func unhex(c byte) byte {
	switch {
	case c <= '9':
		return c - '0'
	case c <= 'F':
		return c - 'A' + 10
	}
	return c - 'a' + 10
}

// escapedSize returns the most bytes that appendNormal appends for s.
func escapedSize(s string) int {
	n := len(s)
	for i := range len(s) {
		n += int(s[i]>>7) * 2
	}
	return n
}

// isASCII reports whether s has no octet outside US-ASCII.
func isASCII(s string) bool {
	const high = 0x8080808080808080
	for len(s) >= 32 {
		if (load(s)|load(s[8:])|load(s[16:])|load(s[24:]))&high != 0 {
			return false
		}
		s = s[32:]
	}
	for len(s) >= 8 {
		if load(s)&high != 0 {
			return false
		}
		s = s[8:]
	}
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}

// load returns the first eight bytes of s as one number, the first byte lowest.
func load(s string) uint64 {
	_ = s[7]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}
