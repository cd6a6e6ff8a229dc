package trap

import (
	"fmt"
	"hash/maphash"
	"slices"
	"strings"
	"sync"
	"time"
)

// Site remembers what the rules need to know of one or more origins. It is safe for concurrent use. Its memory is bounded
// by [Limits.Memory]; it costs almost nothing while URLs have neither dates nor queries.
type Site struct {
	limits Limits
	mu     sync.Mutex
	seen   memory
	seed   maphash.Seed
}

// NewSite returns an empty memory.
func NewSite(limits Limits) *Site {
	limits = limits.withDefaults()
	return &Site{limits: limits, seed: maphash.MakeSeed(), seen: memory{half: max(limits.Memory/2, 64)}}
}

// Check applies every rule, those of [Limits.Check] first, and remembers the URL unless it is a trap. Asking again about
// a URL changes nothing as long as it is remembered. Order matters: what comes first is let through. Path and query are
// as in [Limits.Check]; the origin ("https://example.com") keeps origins apart.
func (s *Site) Check(origin, path, query string, now time.Time) Verdict {
	if s.limits.Off {
		return Verdict{}
	}
	d := findDate(path, query, s.limits.lastYear(now))
	if v := s.limits.check(path, query, d, now); v.Trap() {
		return v
	}
	name, barePath, bareQuery := "", path, query
	if s.limits.Sessions >= 0 {
		name, barePath, bareQuery = findSession(path, query)
	}
	if !d.found && name == "" && query == "" {
		return Verdict{}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	q := question{s, origin}
	if name != "" {
		if v := q.checkSession(name, path, query, barePath, bareQuery); v.Trap() {
			return v
		}
		if bareQuery != query || barePath != path {
			path, query = barePath, bareQuery
			d = findDate(path, query, s.limits.lastYear(now))
		}
	}
	if d.found {
		if v := q.checkCalendar(path, query, d, now); v.Trap() {
			return v
		}
	}
	return q.checkParameters(path, query)
}

// question is one call of Check, while the lock is held.
type question struct {
	*Site
	origin string
}

func (q question) checkSession(name, path, query, barePath, bareQuery string) Verdict {
	key := q.hash("session", barePath, bareQuery)
	with := uint32(q.hash("with", path, query))
	before, ok := q.seen.get(key)
	if !ok {
		q.seen.put(key, with)
	} else if before != with {
		return Verdict{Session, fmt.Sprintf("%q, and the URL was seen with another", clip(name))}
	}
	return Verdict{}
}

func (q question) checkCalendar(path, query string, d date, now time.Time) Verdict {
	family := family(path, query, d)
	limit, when := q.limits.PastDates, "past"
	if d.after(now) {
		limit, when = q.limits.FutureDates, "future"
	}
	if limit <= 0 {
		return Verdict{}
	}
	n, ok := q.count(q.hash(when, family, ""), q.hash("date", family, d.String()), limit)
	if !ok {
		return Verdict{Calendar, fmt.Sprintf("%s, after %d other dates in the %s", d, n, when)}
	}
	return Verdict{}
}

// family is the URL without its date.
func family(path, query string, d date) string {
	var b strings.Builder
	b.WriteString(path[:d.inPath.from])
	b.WriteByte(0)
	b.WriteString(path[d.inPath.to:])
	b.WriteByte(0)
	for p := range parameters(query) {
		from, to := p.whole.from, p.whole.to
		if p.value.to > p.value.from && slices.Contains(d.values[:], p.value) {
			to = p.value.from
		}
		b.WriteString(query[from:to])
		b.WriteByte('&')
	}
	return b.String()
}

func (q question) checkParameters(path, query string) Verdict {
	var array [16]string
	pairs := array[:0]
	for p := range parameters(query) {
		pairs = append(pairs, query[p.whole.from:p.whole.to])
	}
	if len(pairs) < 2 {
		return Verdict{} // one parameter has no order and no combinations
	}
	slices.Sort(pairs)
	sorted := q.hash("sorted", path, strings.Join(pairs, "&"))
	written := q.hash("written", path, query)
	if before, ok := q.seen.get(sorted); !ok {
		q.seen.put(sorted, uint32(written))
	} else if before != uint32(written) && q.limits.Permutations > 0 {
		if n, ok := q.count(q.hash("orders", path, ""), written, q.limits.Permutations); !ok {
			return Verdict{Permuted, fmt.Sprintf("known parameters in another order, after %d others for %s", n, clip(path))}
		}
		return Verdict{} // the rest was asked in the order that came first
	}
	var names maphash.Hash
	names.SetSeed(q.seed)
	for _, pair := range pairs {
		name, _, _ := strings.Cut(pair, "=")
		names.WriteString(name)
		names.WriteByte('&')
	}
	set := q.hash("set", path, "") ^ names.Sum64()
	if n, ok := q.count(q.hash("sets", path, ""), set, q.limits.ParameterSets); !ok {
		return Verdict{Filters, fmt.Sprintf("after %d other sets of parameters for %s", n, clip(path))}
	}
	return q.checkCombinations(path, pairs, set, sorted)
}

// checkCombinations looks at one combination of the parameters of a set.
func (q question) checkCombinations(path string, pairs []string, set, combination uint64) Verdict {
	limit := q.limits.Combinations
	if limit <= 0 || len(pairs) < 3 {
		return Verdict{}
	}
	counter := set ^ q.hash("combinations", "", "")
	most, varied := uint32(0), 0
	for _, pair := range pairs {
		name, _, _ := strings.Cut(pair, "=")
		values, _ := q.seen.get(counter ^ q.hash("values", name, ""))
		most = max(most, values)
		if values > 1 {
			varied++
		}
	}
	n, _ := q.seen.get(counter)
	known := combination ^ q.hash("combination", "", "")
	if _, again := q.seen.get(known); again {
		return Verdict{}
	}
	if int(n) >= limit && varied >= 3 && n > 8*most {
		return Verdict{Filters, fmt.Sprintf("%d combinations of %d parameters for %s", n, len(pairs), clip(path))}
	}
	q.seen.put(known, 1)
	q.seen.put(counter, n+1)
	for _, pair := range pairs {
		name, value, _ := strings.Cut(pair, "=")
		q.count(counter^q.hash("values", name, ""), counter^q.hash("value", name, value), 1<<30)
	}
	return Verdict{}
}

// count adds an item to a counter unless it was added before. It reports false, and adds nothing, where the counter
// stands at the limit; it returns where the counter stood. A limit of less than one never ends.
func (q question) count(counter, item uint64, limit int) (int, bool) {
	n, _ := q.seen.get(counter)
	if _, ok := q.seen.get(item); ok {
		return int(n), true
	}
	if limit > 0 && int(n) >= limit {
		return int(n), false
	}
	q.seen.put(item, 1)
	q.seen.put(counter, n+1)
	return int(n), true
}

func (q question) hash(what, a, b string) uint64 {
	var h maphash.Hash
	h.SetSeed(q.seed)
	h.WriteString(q.origin)
	h.WriteByte(0)
	h.WriteString(what)
	h.WriteByte(0)
	h.WriteString(a)
	h.WriteByte(0)
	h.WriteString(b)
	return h.Sum64()
}

// memory is a map that forgets: when the younger half is full the older one goes. What is looked up becomes young.
type memory struct {
	young, old map[uint64]uint32
	half       int
}

func (m *memory) get(key uint64) (uint32, bool) {
	if v, ok := m.young[key]; ok {
		return v, true
	}
	v, ok := m.old[key]
	if ok {
		m.put(key, v)
	}
	return v, ok
}

func (m *memory) put(key uint64, value uint32) {
	if _, ok := m.young[key]; !ok && len(m.young) >= m.half {
		m.old, m.young = m.young, nil
	}
	if m.young == nil {
		m.young = make(map[uint64]uint32)
	}
	m.young[key] = value
}
