// Package linkheader reads the Link header (RFC 8288).
package linkheader

import (
	"fmt"
	"slices"
	"strings"
)

// MaxLinks bounds how many links Parse gives, and how many problems.
const MaxLinks = 500

// Link is one link of a Link header.
type Link struct {
	Target string   // the URI reference between angle brackets, as written; relative to the URL of the request
	Rel    []string // relation types in lower case; those of the first rel parameter, the others do not count
	Params []Param  // the other parameters, in order

	// Anchored says that an anchor parameter gives the link another context than the page: it is no statement of the
	// page about itself.
	Anchored bool
}

// Param is a parameter of a link. Names are in lower case; values are without quotes.
type Param struct{ Name, Value string }

// Has reports whether the link has a relation type, given in lower case.
func (l Link) Has(rel string) bool { return slices.Contains(l.Rel, rel) }

// Get gives the value of the first parameter of that lower-case name, or "".
func (l Link) Get(name string) string {
	for _, p := range l.Params {
		if p.Name == name {
			return p.Value
		}
	}
	return ""
}

// Parse reads the values of all Link lines of an answer, which add up. It never fails: a link that is malformed is
// passed over, up to the next comma outside quotes and brackets, and listed among the problems.
func Parse(values ...string) (links []Link, problems []string) {
	for _, v := range values {
		s := scanner{s: v}
		for s.skip(" \t\r\n,"); !s.done(); s.skip(" \t\r\n,") {
			if len(links) == MaxLinks || len(problems) == MaxLinks {
				return links, append(problems, fmt.Sprintf("Link header: more than %d links", MaxLinks))
			}
			start := s.pos
			link, problem := s.link()
			if problem == "" {
				links = append(links, link)
				continue
			}
			s.resync()
			problems = append(problems, "Link header: "+problem+": "+clip(v[start:s.pos]))
		}
	}
	return links, problems
}

func clip(s string) string {
	const most = 120
	if len(s) > most {
		return strings.ToValidUTF8(s[:most], "") + "…"
	}
	return s
}

// scanner walks through a header value.
type scanner struct {
	s   string
	pos int
}

func (s *scanner) done() bool { return s.pos >= len(s.s) }

func (s *scanner) skip(chars string) {
	for !s.done() && strings.IndexByte(chars, s.s[s.pos]) >= 0 {
		s.pos++
	}
}

// until takes everything before the first of chars, or the rest.
func (s *scanner) until(chars string) string {
	rest := s.s[s.pos:]
	if i := strings.IndexAny(rest, chars); i >= 0 {
		rest = rest[:i]
	}
	s.pos += len(rest)
	return rest
}

// accept takes one character if it is next.
func (s *scanner) accept(c byte) bool {
	if !s.done() && s.s[s.pos] == c {
		s.pos++
		return true
	}
	return false
}

const space = " \t\r\n"

// link reads one link and its parameters, up to a comma or the end.
func (s *scanner) link() (l Link, problem string) {
	if !s.accept('<') {
		return l, "no < before the target"
	}
	l.Target = strings.Trim(s.until(">"), space)
	if !s.accept('>') {
		return l, "no > after the target"
	}
	hasRel := false
	for {
		s.skip(space)
		if s.done() || s.s[s.pos] == ',' {
			return l, ""
		}
		if !s.accept(';') {
			return l, "no ; before a parameter"
		}
		s.skip(space)
		name := strings.ToLower(strings.TrimRight(s.until("=;,"), space))
		value := ""
		if s.accept('=') {
			s.skip(space)
			if s.accept('"') {
				value = s.quoted()
			} else {
				value = strings.TrimRight(s.until(";,"), space)
			}
		}
		switch name {
		case "":
		case "rel":
			if !hasRel {
				l.Rel = strings.FieldsFunc(strings.ToLower(value), func(r rune) bool { return strings.ContainsRune(space, r) })
			}
			hasRel = true
		case "anchor":
			l.Anchored = true
			l.Params = append(l.Params, Param{name, value})
		default:
			if len(l.Params) < 50 {
				l.Params = append(l.Params, Param{name, value})
			}
		}
	}
}

// quoted reads a quoted string after its first quote; a missing last quote is forgiven.
func (s *scanner) quoted() string {
	var b strings.Builder
	for ; !s.done(); s.pos++ {
		switch c := s.s[s.pos]; {
		case c == '"':
			s.pos++
			return b.String()
		case c == '\\' && s.pos+1 < len(s.s):
			s.pos++
		}
		b.WriteByte(s.s[s.pos])
	}
	return b.String()
}

// resync goes to the next comma that stands outside quotes.
func (s *scanner) resync() {
	for !s.done() && s.s[s.pos] != ',' {
		if s.accept('"') {
			s.quoted()
			continue
		}
		s.pos++
	}
}
