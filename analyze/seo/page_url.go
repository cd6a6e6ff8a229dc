package seo

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

const (
	urlMost    = 115 // characters
	paramsMost = 3
)

// sessions are names of query parameters that carry a visit instead of a page.
var sessions = words("phpsessid|jsessionid|sid|sessionid|session_id|aspsessionid|cfid|cftoken|zenid|oscsid")

// addresses judges the form of the page's own URL. Nothing here is wrong by a standard.
func addresses(c *pass) {
	path := c.At.Path()
	_, query, _ := strings.Cut(c.At.String(), "?")
	say := func(rule, message string) { c.Fail(rule, "", "", message) }
	low := strings.ToLower(path)
	plain := func() string { // without percent escapes, whose letters mean nothing
		var b strings.Builder
		for i := 0; i < len(path); i++ {
			if path[i] == '%' && i+2 < len(path) {
				i += 2
				continue
			}
			b.WriteByte(path[i])
		}
		return b.String()
	}()
	if plain != strings.ToLower(plain) {
		say("url-upper", "The path holds upper-case letters.")
	}
	if strings.Contains(path, "_") {
		say("url-underscore", "The path holds underscores.")
	}
	if strings.Contains(low, "%20") || strings.Contains(low, "+") {
		say("url-space", "The path holds spaces.")
	}
	if strings.Contains(path, "//") {
		say("url-double-slash", "The path holds two slashes in a row.")
	}
	if nonASCII(path) {
		say("url-non-ascii", "The path holds letters outside of ASCII, which are shown escaped in places.")
	}
	if n := utf8.RuneCountInString(c.At.String()); n > urlMost {
		say("url-long", fmt.Sprintf("The address has %d characters.", n))
	}
	if query != "" {
		if n := 1 + strings.Count(strings.Trim(query, "&"), "&"); n > paramsMost {
			say("url-parameters", fmt.Sprintf("The address has %d parameters.", n))
		}
		for pair := range strings.SplitSeq(query, "&") {
			name, value, _ := strings.Cut(pair, "=")
			if sessions[strings.ToLower(name)] && value != "" {
				c.Fail("url-session", "", "", "The address carries a session in "+name+".", "parameter", name)
				return
			}
		}
	}
	if strings.Contains(low, ";jsessionid=") {
		c.Fail("url-session", "", "", "The address carries a session in jsessionid.", "parameter", "jsessionid")
	}
}

// nonASCII tells whether a path holds escaped bytes of other letters.
func nonASCII(path string) bool {
	for i := 0; i+2 < len(path); i++ {
		if path[i] == '%' && path[i+1] >= '8' && isHex(path[i+1]) && isHex(path[i+2]) {
			return true
		}
	}
	return false
}

func isHex(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F'
}
