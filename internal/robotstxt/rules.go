package robotstxt

import (
	"cmp"
	"math"
	"slices"
	"strings"
)

// ruleSet holds the rules of all groups of one token, sorted so that few of them need be looked at.
//
// Rules are kept by the literal text before their first wildcard. These prefixes are sorted, and each knows the longest
// other one that it begins with. Every prefix that a path begins with sorts at or before the path and, lying between,
// is also a beginning of the last prefix that does: so a binary search and a walk along that chain visit all of them.
type ruleSet struct {
	token   string
	groups  []group
	heads   []uint64 // of the nodes' prefixes, in the same order: most comparisons need nothing else
	nodes   []node
	entries []entry
	norm    int  // bytes of patterns in normal form that the entries keep
	crowded bool // one of the nodes has many rules with wildcards
}

// node is a literal prefix and the rules that begin with it: entries[first:end], the most specific first.
type node struct {
	prefix     string
	first, end int32
	parent     int32 // the longest other prefix that this one begins with; -1 for none
}

// entry is a rule.
type entry struct {
	prefix   string // the pattern up to its first wildcard
	rest     string // the pattern after it, without an end anchor
	rank     uint64 // the smaller decides
	record   int32  // the rule's line
	agent    int32  // the user-agent line by which its group was found
	allow    bool
	wild     bool // there is a wildcard
	anchored bool // the pattern ends at the end of the path
	star     byte // stands for further wildcards in rest
}

func newRuleSet(f *File, token string, groups []group) ruleSet {
	s := ruleSet{token: token, groups: groups}
	n := 0
	for _, g := range groups {
		for i := g.agent; i < g.end; i++ {
			if k := f.records[i].key; k == KeyAllow || k == KeyDisallow {
				n++
			}
		}
	}
	s.entries = make([]entry, 0, n)
	norm := string(f.norm)
	s.norm = len(norm)
	for _, g := range groups {
		for i := g.agent; i < g.end; i++ {
			r := &f.records[i]
			if r.key != KeyAllow && r.key != KeyDisallow {
				continue
			}
			e := entry{record: i, agent: g.agent, allow: r.key == KeyAllow, anchored: r.flags&flagEnd != 0}
			e.setRank(int(r.octets))
			pattern := f.value(r)
			e.star = '*'
			if r.flags&flagNorm != 0 {
				pattern = norm[r.norm : r.norm+uint32(r.normSize)]
				e.star = wildcard
			} else if e.anchored {
				pattern = pattern[:len(pattern)-1]
			}
			e.split(pattern)
			s.entries = append(s.entries, e)
			if f.mode == Google && e.allow {
				s.addIndex(pattern, e)
			}
		}
	}
	s.sort()
	s.link()
	for i := range s.nodes {
		wild := 0
		for _, e := range s.entries[s.nodes[i].first:s.nodes[i].end] {
			if e.wild {
				wild++
			}
		}
		s.crowded = s.crowded || wild >= gramsRules
	}
	return s
}

// sort puts the entries in the order of their prefixes, the most specific first among those of one prefix.
func (s *ruleSet) sort() {
	type key struct {
		head  uint64
		index int32
	}
	keys := make([]key, len(s.entries))
	for i := range s.entries {
		keys[i] = key{head: headOf(s.entries[i].prefix), index: int32(i)}
	}
	slices.SortFunc(keys, func(a, b key) int {
		if c := cmp.Compare(a.head, b.head); c != 0 {
			return c
		}
		x, y := &s.entries[a.index], &s.entries[b.index]
		if c := strings.Compare(x.prefix, y.prefix); c != 0 {
			return c
		}
		return cmp.Compare(x.rank, y.rank)
	})
	sorted := make([]entry, len(keys))
	for i := range keys {
		sorted[i] = s.entries[keys[i].index]
	}
	s.entries = sorted
}

// headOf returns the eight bytes after the first one as a number that sorts as they do; missing ones are zero. The first
// byte of a path, and of a prefix that is not empty, is a slash.
func headOf(s string) (head uint64) {
	if len(s) > 8 {
		s = s[1:9]
		return uint64(s[7]) | uint64(s[6])<<8 | uint64(s[5])<<16 | uint64(s[4])<<24 |
			uint64(s[3])<<32 | uint64(s[2])<<40 | uint64(s[1])<<48 | uint64(s[0])<<56
	}
	for i := 1; i < len(s); i++ {
		head |= uint64(s[i]) << (8 * (8 - i))
	}
	return head
}

// addIndex adds what an Allow rule for an index page means to Google: the directory itself is allowed too.
func (s *ruleSet) addIndex(pattern string, e entry) {
	slash := strings.LastIndexByte(pattern, '/')
	if slash < 0 || !strings.HasPrefix(pattern[slash:], "/index.htm") {
		return
	}
	e.anchored = true
	e.setRank(slash + len("/$"))
	e.split(pattern[:slash+1])
	s.entries = append(s.entries, e)
}

// setRank sets the order of precedence: the longest pattern decides, Allow among equals (RFC 9309 section 2.2.2), and of
// two that say the same the earlier one is named.
func (e *entry) setRank(octets int) {
	e.rank = uint64(math.MaxUint16-octets)<<33 | uint64(uint32(e.record))
	if !e.allow {
		e.rank |= 1 << 32
	}
}

// split sets the prefix and the rest of a pattern.
func (e *entry) split(pattern string) {
	e.prefix, e.rest, e.wild = strings.Cut(pattern, string(rune(e.star)))
}

// link makes the nodes of the sorted entries.
func (s *ruleSet) link() {
	n := 0
	for i := range s.entries {
		if i == 0 || s.entries[i].prefix != s.entries[i-1].prefix {
			n++
		}
	}
	s.nodes, s.heads = make([]node, 0, n), make([]uint64, 0, n)
	for i := range s.entries {
		prefix := s.entries[i].prefix
		last := int32(len(s.nodes)) - 1
		if last >= 0 && s.nodes[last].prefix == prefix {
			s.nodes[last].end++
			continue
		}
		parent := last
		for parent >= 0 && !strings.HasPrefix(prefix, s.nodes[parent].prefix) {
			parent = s.nodes[parent].parent
		}
		s.nodes = append(s.nodes, node{prefix: prefix, first: int32(i), end: int32(i) + 1, parent: parent})
		s.heads = append(s.heads, headOf(prefix))
	}
}

// match returns the rule that decides about a path; nil when none applies.
func (s *ruleSet) match(path string) *entry {
	head := headOf(path)
	low, high := 0, len(s.heads)
	for low < high {
		middle := int(uint(low+high) >> 1)
		if h := s.heads[middle]; h < head || h == head && s.nodes[middle].prefix <= path {
			low = middle + 1
		} else {
			high = middle
		}
	}
	for i := int32(low) - 1; i >= 0; i = s.nodes[i].parent {
		if strings.HasPrefix(path, s.nodes[i].prefix) {
			if s.crowded && len(path) >= gramsPath {
				return s.matchCrowded(i, path)
			}
			return s.matchFrom(i, path, nil)
		}
	}
	return nil
}

// matchCrowded is matchFrom for sets with many wildcards.
func (s *ruleSet) matchCrowded(node int32, path string) *entry {
	var g grams
	g.fill(path)
	return s.matchFrom(node, path, &g)
}

// matchFrom looks at a node whose prefix the path begins with, and at all that this one begins with. g may be nil.
func (s *ruleSet) matchFrom(node int32, path string, g *grams) (best *entry) {
	for i := node; i >= 0; i = s.nodes[i].parent {
		n := &s.nodes[i]
		tail := path[len(n.prefix):]
		for j := n.first; j < n.end; j++ {
			e := &s.entries[j]
			if best != nil && best.rank < e.rank {
				break
			}
			if (g == nil || !e.wild || g.has(e)) && e.matches(tail) {
				best = e
				break
			}
		}
	}
	return best
}

// allows reports whether a rule, or the want of one, lets a path be fetched.
func (e *entry) allows() bool { return e == nil || e.allow }

// matches reports whether the rule matches a path that begins with its prefix; tail is what follows. Each piece between
// wildcards is taken where it first occurs, which leaves the most to those after it.
func (e *entry) matches(tail string) bool {
	if !e.wild {
		return !e.anchored || tail == ""
	}
	rest := e.rest
	for {
		i := strings.IndexByte(rest, e.star)
		if i < 0 {
			break
		}
		at := strings.Index(tail, rest[:i])
		if at < 0 {
			return false
		}
		tail, rest = tail[at+i:], rest[i+1:]
	}
	if e.anchored {
		return strings.HasSuffix(tail, rest)
	}
	return strings.Contains(tail, rest)
}
