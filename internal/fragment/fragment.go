// Package fragment tells which place in a page a fragment leads to, and whether the page has it.
package fragment

import (
	"hash/fnv"
	"net/url"
	"slices"
	"strings"
)

// Target returns the part of a URL's fragment that names a place in the page. ok is false when there is nothing to look
// for: an empty fragment and "top" always exist, text fragments (":~:text=") are split off, and "/" and "!" begin the
// routes of applications.
//
// Source: HTML 7.4.6.4 (scrolling to a fragment), URL Fragment Text Directives.
func Target(fragment string) (name string, ok bool) {
	name, _, _ = strings.Cut(fragment, ":~:")
	switch {
	case name == "", strings.EqualFold(name, "top"), name[0] == '/', name[0] == '!':
		return "", false
	}
	return name, true
}

// Set holds the places of one page: ids and names of anchors. It keeps four bytes of each, so one in four thousand
// million absent places passes for a present one; a present one is never missed.
type Set struct{ sums []uint32 }

// NewSet makes a Set.
func NewSet(names []string) *Set {
	s := &Set{sums: make([]uint32, 0, len(names))}
	for _, name := range names {
		s.sums = append(s.sums, sum(name))
	}
	slices.Sort(s.sums)
	s.sums = slices.Clip(slices.Compact(s.sums))
	return s
}

// Len is how many places there are.
func (s *Set) Len() int { return len(s.sums) }

// Has reports whether a page has the place that a fragment, as Target returned it, leads to: as it stands, or decoded,
// or under the name that code hosts give to what their users write ("user-content-…").
func (s *Set) Has(name string) bool {
	if s.has(name) || s.has("user-content-"+name) {
		return true
	}
	decoded := decode(name)
	return strings.EqualFold(decoded, "top") || decoded != name && (s.has(decoded) || s.has("user-content-"+decoded))
}

func (s *Set) has(name string) bool {
	_, found := slices.BinarySearch(s.sums, sum(name))
	return found
}

// decode replaces percent-encoded bytes as the URL standard does: what is no encoding stays, what is no UTF-8 becomes
// U+FFFD.
func decode(s string) string {
	if !strings.Contains(s, "%") {
		return s
	}
	if d, err := url.PathUnescape(s); err == nil {
		return strings.ToValidUTF8(d, "\uFFFD")
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '%' && i+2 < len(s) {
			if d, err := url.PathUnescape(s[i : i+3]); err == nil {
				b.WriteString(d)
				i += 2
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return strings.ToValidUTF8(b.String(), "\uFFFD")
}

func sum(s string) uint32 {
	h := fnv.New32a()
	h.Write([]byte(s))
	return h.Sum32()
}
