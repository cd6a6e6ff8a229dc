// Package refresh reads what a meta refresh or a Refresh header says. Both have the same grammar (HTML standard,
// 4.2.5.3, shared declarative refresh steps).
package refresh

import (
	"strings"
	"time"
)

// Refresh is a client-side redirect, or a reload.
type Refresh struct {
	Delay  time.Duration // whole seconds; a fraction does not count
	URL    string        // where to, as written; for a header relative to the page, for a meta element to its base
	HasURL bool          // false: the page itself is loaded again
}

// maxSeconds bounds the delay: about 68 years.
const maxSeconds = 1<<31 - 1

// Parse reads the value. ok is false when browsers ignore it, as for "url=/x" without a number. Of several
// declarations on a page the first one that is ok counts.
func Parse(s string) (r Refresh, ok bool) {
	s = strings.TrimLeft(s, space)
	digits := len(s) - len(strings.TrimLeft(s, "0123456789"))
	if digits == 0 && !strings.HasPrefix(s, ".") {
		return Refresh{}, false
	}
	seconds := int64(0)
	for _, c := range []byte(s[:digits]) {
		seconds = min(seconds*10+int64(c-'0'), maxSeconds)
	}
	r.Delay = time.Duration(seconds) * time.Second
	s = strings.TrimLeft(s[digits:], "0123456789.")
	if s == "" {
		return r, true
	}
	if strings.IndexByte(";,"+space, s[0]) < 0 {
		return Refresh{}, false
	}
	s = strings.TrimLeft(s, space)
	if s != "" && (s[0] == ';' || s[0] == ',') {
		s = strings.TrimLeft(s[1:], space)
	}
	if s == "" {
		return r, true
	}
	r.URL, r.HasURL = target(s), true
	return r, true
}

const space = "\t\n\f\r "

// target takes "url=" and quotes off the URL. Without the equals sign "url" is the beginning of the URL itself.
func target(s string) string {
	rest := s
	if len(s) >= 3 && strings.EqualFold(s[:3], "url") {
		value, ok := strings.CutPrefix(strings.TrimLeft(s[3:], space), "=")
		if !ok {
			return s
		}
		rest = strings.TrimLeft(value, space)
	} else if s[0] == 'u' || s[0] == 'U' {
		return s
	}
	if rest != "" && (rest[0] == '"' || rest[0] == '\'') {
		rest, _, _ = strings.Cut(rest[1:], rest[:1])
	}
	return rest
}
