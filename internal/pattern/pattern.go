// Package pattern matches paths against patterns as robots.txt rules have them (RFC 9309 section 2.2.3): from the start of
// the path, * for any characters, a final $ for the end, percent escapes compared as section 2.2.2 says.
package pattern

import (
	"errors"
	"strings"

	"github.com/amblecrawl/amble/internal/robotstxt"
)

// Pattern is a compiled pattern. The zero Pattern matches everything.
type Pattern struct {
	text string
	rule *robotstxt.Matcher // of a file whose only rule disallows the pattern
}

// Compile reads a pattern. It must start with / or *, and be one line without a fragment.
func Compile(text string) (Pattern, error) {
	switch {
	case text == "" || text[0] != '/' && text[0] != '*':
		return Pattern{}, errors.New("pattern " + text + " must start with / or *")
	case strings.ContainsAny(text, "#\r\n\x00"):
		return Pattern{}, errors.New("pattern " + text + " holds a #, a NUL or a line's end, which no path has")
	case len(text) > maxLength:
		return Pattern{}, errors.New("pattern " + text[:20] + "... is too long")
	}
	file := robotstxt.Parse([]byte("user-agent: *\ndisallow: "+strings.ReplaceAll(text, " ", "%20")), robotstxt.RFC9309)
	return Pattern{text: text, rule: file.For()}, nil
}

// maxLength keeps a pattern within a line of robots.txt, also with its spaces escaped.
const maxLength = 5000

// String returns the pattern as written.
func (p Pattern) String() string { return p.text }

// Match reports whether a path, with its query, matches.
func (p Pattern) Match(path string) bool {
	if p.rule == nil {
		return true
	}
	if strings.HasPrefix(path, "//") { // a path, not a host
		path = "//x" + path
	}
	return !p.rule.Check(path).Allowed
}
