package robotstxt

import (
	"slices"
	"unsafe"
)

// Verdict is the answer about one URL, and the lines that it comes from.
type Verdict struct {
	Allowed bool
	Token   string // the product token whose group decided, as it was asked for; "*" for the group of all; "" without a group
	Group   string // the value of the user-agent line that named it, as written
	Agent   int    // number of that line, from 1; 0 without a group
	Rule    string // the rule that decided, as written ("Disallow: /basket/"), without a comment; "" when none applies
	Line    int    // number of the rule's line, from 1; 0 when none applies
}

// Matcher answers for the product tokens of one crawler.
type Matcher struct {
	file *File
	sets []ruleSet
	wait Delay
}

// For resolves the groups that apply to a crawler with these product tokens (names such as "ExampleBot": not user agent
// strings, nor with a version). A crawler may go by several: where groups for more than one exist, a URL must be allowed
// by each; where one exists it decides alone, and a token without a group of its own takes nothing from "*"; where none
// exists, or no token is given, the group "*" decides; without that everything is allowed. All groups of a token count
// as one (RFC 9309 section 2.2.1).
//
// It sorts the rules once: keep the Matcher for as many questions as there are.
func (f *File) For(tokens ...string) *Matcher {
	m := &Matcher{file: f}
	for _, name := range tokens {
		t := newToken(name, f.mode)
		if groups := f.groups(t.names); len(groups) > 0 {
			m.add(name, groups)
		}
	}
	if len(m.sets) == 0 {
		if groups := f.groups(namesAll); len(groups) > 0 {
			m.add("*", groups)
		}
	}
	return m
}

// Has reports whether the file has a group for a product token: one that names it, not the group "*".
func (f *File) Has(name string) bool {
	t := newToken(name, f.mode)
	return slices.ContainsFunc(f.records, func(r record) bool {
		return r.key == KeyUserAgent && t.names(f.value(&r))
	})
}

// add puts the rules of a token's groups into the matcher. Two tokens that share all their groups need be asked once.
func (m *Matcher) add(name string, groups []group) {
	for i := range m.sets {
		if slices.EqualFunc(m.sets[i].groups, groups, func(a, b group) bool { return a.end == b.end }) {
			return
		}
	}
	m.sets = append(m.sets, newRuleSet(m.file, name, groups))
	for _, g := range groups {
		m.readDelay(g)
	}
}

// Check answers for a URL, which may be whole, without a scheme, or only a path with its query. A fragment is ignored.
// In the RFC 9309 mode any spelling of the URL gives the same answer; in the Google mode the URL is compared as it is
// given: see Escape. It allocates nothing, unless the URL is not in normal form.
func (m *Matcher) Check(url string) Verdict {
	if len(m.sets) == 0 {
		return Verdict{Allowed: true}
	}
	path := m.path(url)
	set, rule := &m.sets[0], m.sets[0].match(path)
	for i := 1; i < len(m.sets) && rule.allows(); i++ {
		// The first refusal decides. A permission by a rule says more than one for want of any.
		if next := m.sets[i].match(path); !next.allows() || rule == nil && next != nil {
			set, rule = &m.sets[i], next
		}
	}
	return m.verdict(set, rule)
}

// CheckEach answers as Check does, for each group that takes part in the decision by itself: one verdict for each token
// that has groups of its own (one for tokens that share them all), or the one of the group "*". It is empty when the
// file has no group for the crawler.
func (m *Matcher) CheckEach(url string) []Verdict {
	path := m.path(url)
	verdicts := make([]Verdict, len(m.sets))
	for i := range m.sets {
		verdicts[i] = m.verdict(&m.sets[i], m.sets[i].match(path))
	}
	return verdicts
}

// Delay returns the Crawl-delay that applies: the longest among the groups that decide. ok is false when there is none.
func (m *Matcher) Delay() (delay Delay, ok bool) { return m.wait, m.wait.OK }

// Size returns how many bytes of memory the matcher and its file hold, for caches that are bounded by it.
func (m *Matcher) Size() int {
	size := int(unsafe.Sizeof(*m)) + m.file.Size()
	for i := range m.sets {
		s := &m.sets[i]
		size += int(unsafe.Sizeof(*s)) + s.norm + cap(s.groups)*int(unsafe.Sizeof(group{})) + cap(s.heads)*8 +
			cap(s.nodes)*int(unsafe.Sizeof(node{})) + cap(s.entries)*int(unsafe.Sizeof(entry{}))
	}
	return size
}

// path returns what rules are compared with, in normal form.
func (m *Matcher) path(url string) string {
	path, slash := pathOf(url)
	if m.file.mode == RFC9309 && !isNormal(path, RFC9309) {
		dst := make([]byte, 0, 2*len(path)+1)
		if slash {
			dst = append(dst, '/')
		}
		dst, _ = appendNormal(dst, path, RFC9309, false)
		return string(dst)
	}
	if slash {
		return "/" + path
	}
	return path
}

func (m *Matcher) verdict(set *ruleSet, rule *entry) Verdict {
	f := m.file
	agent := &f.records[set.groups[0].agent]
	v := Verdict{Allowed: true, Token: set.token}
	if rule != nil {
		r := &f.records[rule.record]
		agent = &f.records[rule.agent]
		v.Allowed = rule.allow
		v.Rule, v.Line = f.written(r), int(r.line)
	}
	v.Group, v.Agent = f.value(agent), int(agent.line)
	return v
}

// readDelay takes the delays of a group into account.
func (m *Matcher) readDelay(g group) {
	f := m.file
	first := 0
	for i := g.agent; i < g.end; i++ {
		r := &f.records[i]
		if r.key != KeyCrawlDelay {
			continue
		}
		raw := f.value(r)
		if wait, ok := parseDelay(raw); ok && (!m.wait.OK || wait > m.wait.Wait) {
			if first == 0 {
				first = f.firstLine(g)
			}
			m.wait = Delay{Wait: wait, Raw: raw, OK: true, Line: int(r.line), Group: first}
		}
	}
}

// firstLine returns the number of the first user-agent line of a group.
func (f *File) firstLine(g group) int {
	i := g.agent
	for f.records[i].flags&flagFirst == 0 {
		i--
	}
	return int(f.records[i].line)
}

// group is a run of records: from a user-agent line that names the crawler to the start of the next group.
type group struct{ agent, end int32 }

// groups returns the groups whose user-agent lines name a crawler.
func (f *File) groups(names func(value string) bool) []group {
	var found []group
	inside := false
	for i := range f.records {
		r := &f.records[i]
		if r.key != KeyUserAgent {
			continue
		}
		if r.flags&flagFirst != 0 && inside {
			found[len(found)-1].end = int32(i)
			inside = false
		}
		if !inside && names(f.value(r)) {
			found = append(found, group{agent: int32(i), end: int32(len(f.records))})
			inside = true
		}
	}
	return found
}

// value returns the value of a record's line, as written.
func (f *File) value(r *record) string {
	start := int(r.start) + int(r.value)
	return f.text[start : start+int(r.size)]
}

// written returns a record's line from its key to the end of its value.
func (f *File) written(r *record) string {
	return f.text[r.start : int(r.start)+int(r.value)+int(r.size)]
}
