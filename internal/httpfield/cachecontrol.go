package httpfield

import (
	"net/http"
	"strings"
	"time"
)

// CacheControl holds the directives of a response that concern a private cache, such as a crawler's (RFC 9111 section
// 5.2.2). s-maxage, private and proxy-revalidate speak to shared caches only.
type CacheControl struct {
	NoStore        bool // keep nothing
	NoCache        bool // ask again before each use; its list of field names is not looked at
	MustRevalidate bool // never use it stale
	Immutable      bool // RFC 8246
	// MaxAge is how long the answer stays fresh; meaningful with HasMaxAge. An invalid value is zero: stale at once
	// (RFC 9111 section 4.2.1). Of several the first counts.
	MaxAge    time.Duration
	HasMaxAge bool
}

// ParseCacheControl reads the lines of a Cache-Control field. Unknown directives and broken ones are passed over.
func ParseCacheControl(lines []string) CacheControl {
	var c CacheControl
	for _, line := range lines {
		for rest := line; rest != ""; {
			var name, value string
			name, value, rest = nextDirective(rest)
			switch strings.ToLower(name) {
			case "no-store":
				c.NoStore = true
			case "no-cache":
				c.NoCache = true
			case "must-revalidate":
				c.MustRevalidate = true
			case "immutable":
				c.Immutable = true
			case "max-age":
				if !c.HasMaxAge {
					c.MaxAge, _ = deltaSeconds(value)
					c.HasMaxAge = true
				}
			}
		}
	}
	return c
}

// nextDirective cuts the first element off a list of directives. A value may be a token or a quoted string, in which
// a comma is no end; the quotes and escapes are taken off.
func nextDirective(s string) (name, value, rest string) {
	end := strings.IndexAny(s, ",=")
	if end < 0 {
		return trimOWS(s), "", ""
	}
	name, rest = trimOWS(s[:end]), s[end+1:]
	if s[end] == ',' {
		return name, "", rest
	}
	if quoted := strings.TrimLeft(rest, " \t"); strings.HasPrefix(quoted, `"`) {
		value, rest = unquote(quoted[1:])
		junk, after, _ := strings.Cut(rest, ",")
		return name, value + trimOWS(junk), after
	}
	value, rest, _ = strings.Cut(rest, ",")
	return name, trimOWS(value), rest
}

// unquote reads a quoted string behind its first quote; one that is not closed ends with s.
func unquote(s string) (value, rest string) {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '"':
			return b.String(), s[i+1:]
		case '\\':
			if i++; i == len(s) {
				return b.String(), ""
			}
		}
		b.WriteByte(s[i])
	}
	return b.String(), ""
}

// Fresh tells how much longer than now an answer that was received just now may be used, by the rules for a private
// cache: no-store and no-cache, then max-age, then Expires, less the answer's age (RFC 9111 sections 4.2.1 and
// 4.2.3). ok is false when the server says nothing about it; then the caller's own time counts. The result is never
// negative.
func Fresh(h http.Header, now time.Time) (left time.Duration, ok bool) {
	control := ParseCacheControl(h.Values("Cache-Control"))
	date, dated := Date(h.Get("Date"), now)
	if !dated {
		date = now
	}
	var lifetime time.Duration
	switch expires := h.Values("Expires"); {
	case control.NoStore, control.NoCache:
		return 0, true
	case control.HasMaxAge:
		lifetime = control.MaxAge
	case len(expires) > 0:
		// An invalid date, above all "0", means already expired (RFC 9111 section 5.3).
		if until, valid := Date(expires[0], now); valid {
			lifetime = max(0, until.Sub(date))
		}
	default:
		return 0, false
	}
	return max(0, lifetime-age(h, date, now)), true
}

// age is how old the answer was when it came: by the Age field of the caches on its way, at least by its Date.
func age(h http.Header, date, now time.Time) time.Duration {
	first, _, _ := strings.Cut(h.Get("Age"), ",")
	told, _ := deltaSeconds(trimOWS(first))
	return max(told, now.Sub(date), 0)
}
