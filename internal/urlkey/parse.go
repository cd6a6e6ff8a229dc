package urlkey

import (
	"strings"
	"unicode/utf8"
)

// Parse reads an absolute URL as a browser's address does (the standard's basic URL parser without a base). The error
// is an [*Error].
func Parse(raw string) (URL, error) { return Resolve(URL{}, raw) }

// Resolve returns the URL that a browser goes to when a page with the given base holds a link with this href: white
// space around it and tabs and newlines inside it do not count, a backslash is a slash, and so on. An empty href is the
// base itself without its fragment. The result shares no memory with href. The error is an [*Error].
func Resolve(base URL, href string) (URL, error) {
	href = trim(href)
	if len(href) > MaxLength {
		return URL{}, refuse(href, ErrTooLong)
	}
	u, err := resolve(base, href)
	if err == nil && len(u.href) > MaxLength {
		err = ErrTooLong
	}
	if err != nil {
		return URL{}, refuse(href, err)
	}
	return u, nil
}

// resolve takes an href without white space around it. Its error is the bare reason.
func resolve(base URL, href string) (URL, error) {
	var seen uint8
	for i := 0; i < len(href); i++ {
		seen |= class[href[i]]
	}
	if seen&encodeFrag != 0 && !utf8.ValidString(href) {
		href = string([]rune(href)) // each bad byte becomes U+FFFD
		if len(href) > MaxLength {  // three times as long, and again when encoded: past what offsets hold
			return URL{}, ErrTooLong
		}
	}
	if seen&stripped != 0 {
		href = strip(href)
	}
	scheme := schemeLength(href)
	if scheme > 0 && !isHTTP(href[:scheme]) {
		if u, ok := otherScheme(href, scheme); ok {
			return u, nil
		}
		return library(base, href)
	}
	if scheme == 0 && base.kind != KindHTTP {
		return library(base, href)
	}

	rest, frag, hasFrag := cut(href, '#')
	rest, query, hasQuery := cut(rest, '?')
	if seen&unusual != 0 {
		rest = strings.ReplaceAll(rest, `\`, "/")
	}
	var array [256]byte
	buf := array[:0]
	buf, u, rest, isPath, err := appendFront(buf, base, rest, scheme)
	switch {
	case err != nil:
		return URL{}, err
	case isPath:
		if seen&(encodePath|mayBeEncoded) == 0 && !mayHaveDots(rest) {
			buf = append(buf, rest...)
		} else {
			buf = appendPath(buf, int(u.pathStart), rest)
		}
		u.pathEnd = uint16(len(buf))
	case !hasQuery && !hasFrag:
		return base.WithoutFragment(), nil
	case hasQuery:
		buf = append(buf, base.href[:base.pathEnd]...)
	default:
		buf = append(buf, base.href[:base.end]...)
	}
	if hasQuery {
		buf = append(buf, '?')
		buf = appendEncoded(buf, query, encodeQuery&seen)
	}
	u.end = uint16(len(buf))
	if hasFrag {
		buf = append(buf, '#')
		buf = appendEncoded(buf, frag, encodeFrag&seen)
	}
	u.href = string(buf)
	return u, nil
}

// appendFront takes rest, an href up to its query, with or without a scheme, and appends what the result has in front
// of the segments that rest adds: up to the slash behind the host, or up to the last slash of the base's path. It
// returns the offsets so far and those segments; isPath is false when rest is empty, and the result has the base's path.
func appendFront(buf []byte, base URL, rest string, scheme int) (_ []byte, u URL, segments string, isPath bool, _ error) {
	secure := base.schemeEnd == uint16(len("https"))
	isAuthority := false
	if scheme > 0 {
		secure = scheme == len("https")
		same := base.kind == KindHTTP && base.schemeEnd == uint16(scheme)
		rest = rest[scheme+1:]
		isAuthority = !same // however many slashes there are: "http:example.com"
	}
	isAuthority = isAuthority || strings.HasPrefix(rest, "//")
	switch {
	case !isAuthority && rest == "":
		return buf, base, "", false, nil
	case !isAuthority && rest[0] == '/':
		return append(buf, base.href[:base.pathStart+1]...), base, rest[1:], true, nil
	case !isAuthority:
		directory := strings.LastIndexByte(base.href[:base.pathEnd], '/') + 1
		return append(buf, base.href[:directory]...), base, rest, true, nil
	}

	u = URL{kind: KindHTTP}
	port := uint16(80)
	if secure {
		port = 443
		buf = append(buf, "https://"...)
	} else {
		buf = append(buf, "http://"...)
	}
	u.schemeEnd = uint16(len(buf) - len("://"))
	host, path, _ := cut(strings.TrimLeft(rest, "/"), '/')
	if at := strings.LastIndexByte(host, '@'); at >= 0 {
		buf = appendCredentials(buf, host[:at])
		host = host[at+1:]
	}
	start := len(buf)
	u.hostStart = uint16(start)
	if base.kind == KindHTTP && host == base.Host() && u.schemeEnd == base.schemeEnd {
		buf = append(buf, host...) // the site's own: whatever it is, it is in its final form
		u.hostEnd = u.hostStart + base.hostEnd - base.hostStart
	} else if clean, hostEnd, ok := appendHost(buf, host, port); ok {
		buf, u.hostEnd = clean, hostEnd
	} else {
		odd, err := library(URL{}, string(buf[:u.schemeEnd])+"://"+host+"/")
		if err != nil {
			return buf, u, "", false, err
		}
		buf = append(buf[:start], odd.Host()...)
		u.hostEnd = u.hostStart + odd.hostEnd - odd.hostStart
	}
	u.pathStart = uint16(len(buf))
	return append(buf, '/'), u, path, true, nil
}

// appendCredentials appends user name and password with the "@" behind them, or nothing where both are empty.
func appendCredentials(buf []byte, s string) []byte {
	user, password, _ := cut(s, ':')
	if user == "" && password == "" {
		return buf
	}
	buf = appendUserinfo(buf, user)
	if password != "" {
		buf = append(buf, ':')
		buf = appendUserinfo(buf, password)
	}
	return append(buf, '@')
}

// mayHaveDots reports whether a path could hold a dot segment, percent signs apart.
func mayHaveDots(path string) bool {
	return path != "" && path[0] == '.' || strings.Contains(path, "/.")
}

// appendHost appends a host and a port that need nothing but lower case, and returns where the host ends.
// It reports false for everything else: what could be an IP address (its last label starts with a digit),
// international names in either form, empty labels.
func appendHost(buf []byte, s string, usualPort uint16) (_ []byte, hostEnd uint16, ok bool) {
	host, port, hasPort := cut(s, ':')
	label := 0
	for i := 0; i < len(host); i++ {
		c := host[i]
		if class[c]&hostByte == 0 {
			return buf, 0, false
		}
		if c == '.' {
			if i == label || isPunycode(host[label:i]) {
				return buf, 0, false
			}
			label = i + 1
		}
		if 'A' <= c && c <= 'Z' {
			c |= 0x20
		}
		buf = append(buf, c)
	}
	last := host[label:]
	if last == "" || isPunycode(last) || !isLetter(last[0]) && !isDottedQuad(host) {
		return buf, 0, false
	}
	hostEnd = uint16(len(buf))
	if !hasPort {
		return buf, hostEnd, true
	}
	if port == "" || len(port) > 5 || port[0] == '0' {
		return buf, 0, false
	}
	n := 0
	for i := 0; i < len(port); i++ {
		if port[i] < '0' || port[i] > '9' {
			return buf, 0, false
		}
		n = n*10 + int(port[i]-'0')
	}
	if n > 65535 {
		return buf, 0, false
	}
	if n != int(usualPort) {
		buf = append(buf, ':')
		buf = append(buf, port...)
	}
	return buf, hostEnd, true
}

// isDottedQuad knows an IPv4 address in the spelling that the standard gives it: four decimal numbers without leading
// zeros. Any other that ends in a number is odd.
func isDottedQuad(host string) bool {
	parts := 0
	for {
		part, rest, more := cut(host, '.')
		if part == "" || len(part) > 3 || len(part) > 1 && part[0] == '0' {
			return false
		}
		n := 0
		for i := 0; i < len(part); i++ {
			if part[i] < '0' || part[i] > '9' {
				return false
			}
			n = n*10 + int(part[i]-'0')
		}
		if parts++; n > 255 || parts > 4 {
			return false
		}
		if !more {
			return parts == 4
		}
		host = rest
	}
}

func isPunycode(label string) bool {
	return len(label) >= 4 && label[2] == '-' && label[3] == '-' && label[0]|0x20 == 'x' && label[1]|0x20 == 'n'
}

// appendPath appends the segments of a path to a buffer that ends with a slash, working out "." and ".." (also written
// with %2e) on the way. Nothing in front of the slash at root is touched.
func appendPath(buf []byte, root int, path string) []byte {
	for {
		segment, next, more := cut(path, '/')
		switch dots(segment) {
		case 1:
		case 2:
			if last := len(buf) - 1; last > root {
				for last--; buf[last] != '/'; last-- {
				}
				buf = buf[:last+1]
			}
		default:
			buf = appendEncoded(buf, segment, encodePath)
			if more {
				buf = append(buf, '/')
			}
		}
		if !more {
			return buf
		}
		path = next
	}
}

// dots returns 1 for a single-dot segment, 2 for a double-dot segment, 0 for any other.
func dots(segment string) int {
	n := 0
	for segment != "" {
		switch {
		case segment[0] == '.':
			segment = segment[1:]
		case len(segment) >= 3 && segment[0] == '%' && segment[1] == '2' && segment[2]|0x20 == 'e':
			segment = segment[3:]
		default:
			return 0
		}
		if n++; n > 2 {
			return 0
		}
	}
	return n
}

// otherScheme keeps a mailto:, tel:, javascript: ... as it is where the standard does: no host, no query, no fragment,
// printable ASCII only.
func otherScheme(href string, n int) (URL, bool) {
	for i := 0; i < n; i++ {
		if 'A' <= href[i] && href[i] <= 'Z' {
			return URL{}, false
		}
	}
	kind := kindOf(href[:n])
	if kind == KindFile || kind == KindFTP || kind == KindSocket || strings.HasPrefix(href[n+1:], "/") {
		return URL{}, false
	}
	for i := n + 1; i < len(href); i++ {
		if c := href[i]; c < ' ' || c >= 0x7f || c == '?' || c == '#' {
			return URL{}, false
		}
	}
	path, end := uint16(n+1), uint16(len(href))
	return URL{href: strings.Clone(href), schemeEnd: uint16(n), hostStart: path, hostEnd: path, pathStart: path,
		pathEnd: end, end: end, kind: kind}, true
}

func isHTTP(scheme string) bool {
	return strings.EqualFold(scheme, "http") || strings.EqualFold(scheme, "https")
}

// strip removes tabs and newlines.
func strip(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '\t' || r == '\n' || r == '\r' {
			return -1
		}
		return r
	}, s)
}

// cut is strings.Cut for one byte.
func cut(s string, sep byte) (before, after string, found bool) {
	if i := strings.IndexByte(s, sep); i >= 0 {
		return s[:i], s[i+1:], true
	}
	return s, "", false
}
