// Package pattern matches paths against the patterns of robots.txt rules (RFC 9309 section 2.2.3): from the start of
// the path, * for any characters, a final $ for the end. Matching is linear in the path for each star.
package pattern

import (
	"errors"
	"strings"
)

// Pattern is a compiled pattern. The zero Pattern matches everything.
type Pattern struct {
	text  string
	parts []string // between the stars
	end   bool
}

// Compile reads a pattern. It must start with / or *.
func Compile(text string) (Pattern, error) {
	if text == "" || text[0] != '/' && text[0] != '*' {
		return Pattern{}, errors.New("pattern " + text + " must start with / or *")
	}
	body, end := strings.CutSuffix(text, "$")
	return Pattern{text: text, parts: strings.Split(body, "*"), end: end}, nil
}

// String returns the pattern as written.
func (p Pattern) String() string { return p.text }

// Match reports whether a path, with its query, matches.
func (p Pattern) Match(path string) bool {
	if len(p.parts) == 0 {
		return true
	}
	rest, ok := strings.CutPrefix(path, p.parts[0])
	if !ok {
		return false
	}
	if len(p.parts) == 1 {
		return !p.end || rest == ""
	}
	last := len(p.parts) - 1
	for _, part := range p.parts[1:last] {
		i := strings.Index(rest, part)
		if i < 0 {
			return false
		}
		rest = rest[i+len(part):]
	}
	if p.end {
		return strings.HasSuffix(rest, p.parts[last])
	}
	return strings.Contains(rest, p.parts[last])
}
