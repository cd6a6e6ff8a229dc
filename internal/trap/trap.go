// Package trap recognises families of URLs that have no end: links that pile up segments, calendars that go on for
// ever, session ids, filters in every order. It has no opinion about what to do with them: it says which rule a URL
// falls under, and why.
//
// Some rules look at one URL ([Limits.Check]); the others need to remember what a site has shown ([Site.Check]), which
// they do in bounded memory. What merely is long has its end and is let through: pagination (?page=1 to ?page=500),
// numbered items (?id=1 to ?id=100000), an archive by date, deep documentation. An endless ?page= is left to the
// crawl's budget.
package trap

import (
	"fmt"
	"time"
)

// Rule is the rule that a URL falls under.
type Rule uint8

// The rules, with the fields of [Limits] that tune them.
const (
	// None: no trap.
	None Rule = iota
	// Long: path and query are longer than Length.
	Long
	// Deep: the path has more than Segments segments.
	Deep
	// Repeated: a block of segments stands Repeats times in a row ("/a/b/a/b/a/b"; a single segment once more than that,
	// "/a/a/a/a"), or one segment stands SameSegment times anywhere. Both come from relative links that should have been
	// absolute. Numbers alone do not count: "/0/0/0/0" is a map tile.
	Repeated
	// FarDate: a date of at least year and month ("/2031/05/", "?date=2031-05-01", "?year=2031&month=5") lies more than
	// FutureYears ahead or PastYears back. What may be something else ("/topic/4521/12") does not count.
	FarDate
	// Calendar: URLs that differ only in their date have shown more than FutureDates dates in the future or PastDates in
	// the past. Posts under their dates ("/2024/05/17/title") each differ in more.
	Calendar
	// Session: the URL holds a session id, and the same URL was seen with another. The first of each is let through, so
	// that a site which needs them is crawled once, not never.
	Session
	// Permuted: the same parameters and values of one path came in another order, more than Permutations times.
	Permuted
	// Filters: one path was seen with more than ParameterSets different sets of parameter names; or with one set, of
	// which three or more parameters vary, in more than Combinations combinations, far more than any one parameter has
	// values.
	Filters
)

var ruleNames = [...]string{"none", "long", "deep", "repeated", "far-date", "calendar", "session", "permuted", "filters"}

// String returns the rule's name, lower case with hyphens.
func (r Rule) String() string {
	if int(r) < len(ruleNames) {
		return ruleNames[r]
	}
	return "unknown"
}

// Verdict says which rule a URL falls under; the zero Verdict is that it is no trap.
type Verdict struct {
	Rule   Rule
	Detail string // for people: the figures or the part of the URL that decided
}

// Trap reports whether a rule was met.
func (v Verdict) Trap() bool { return v.Rule != None }

// String returns rule and detail.
func (v Verdict) String() string {
	if v.Detail == "" {
		return v.Rule.String()
	}
	return v.Rule.String() + ": " + v.Detail
}

// Limits tunes the rules. A zero field means the default in brackets; a negative one turns the rule off.
type Limits struct {
	Off bool // look for no traps at all

	Length        int // bytes of path and query [2048, the limit of sitemaps]
	Segments      int // segments of a path [24]
	Repeats       int // times a block of segments follows itself [3]
	SameSegment   int // times one segment stands in a path [6]
	FutureYears   int // years ahead that a date may lie [5]
	PastYears     int // years back that a date may lie [200]
	FutureDates   int // dates after today of one family of URLs [60]
	PastDates     int // dates up to today of one family of URLs [1000]
	Permutations  int // further orders of parameters already seen, for one path [8]
	ParameterSets int // sets of parameter names of one path [48]
	Combinations  int // combinations of three or more parameters of one set [2000]

	// Sessions is negative to let every session id pass.
	Sessions int

	// Memory is how much a Site, or each of the 16 parts of a Detector, remembers, in entries of about 30 bytes [20000].
	// What was not seen for long is forgotten first; a limit in reach of the memory may then be passed late.
	Memory int
}

func (l Limits) withDefaults() Limits {
	set := func(field *int, value int) {
		if *field == 0 {
			*field = value
		}
	}
	set(&l.Length, 2048)
	set(&l.Segments, 24)
	set(&l.Repeats, 3)
	set(&l.SameSegment, 6)
	set(&l.FutureYears, 5)
	set(&l.PastYears, 200)
	set(&l.FutureDates, 60)
	set(&l.PastDates, 1000)
	set(&l.Permutations, 8)
	set(&l.ParameterSets, 48)
	set(&l.Combinations, 2000)
	set(&l.Memory, 20000)
	return l
}

// Check applies the rules that need to see one URL only: Long, Deep, Repeated, FarDate. The path starts with a slash,
// the query has no question mark; both are as they are sent. It allocates only for a trap.
func (l Limits) Check(path, query string, now time.Time) Verdict {
	if l.Off {
		return Verdict{}
	}
	l = l.withDefaults()
	return l.check(path, query, findDate(path, query, l.lastYear(now)), now)
}

// lastYear is the last one in which an uncertain date counts as a date.
func (l *Limits) lastYear(now time.Time) int { return now.Year() + max(l.FutureYears, 5) + 1 }

func (l *Limits) check(path, query string, d date, now time.Time) Verdict {
	if n := len(path) + len(query); l.Length > 0 && n > l.Length {
		return Verdict{Long, fmt.Sprintf("%d bytes, more than %d", n, l.Length)}
	}
	if v := l.checkSegments(path); v.Trap() {
		return v
	}
	if !d.sure || d.month == 0 {
		return Verdict{}
	}
	if l.FutureYears > 0 && d.after(now.AddDate(l.FutureYears, 0, 0)) {
		return Verdict{FarDate, fmt.Sprintf("%s is more than %d years ahead", d, l.FutureYears)}
	}
	if l.PastYears > 0 && !d.after(now.AddDate(-l.PastYears, 0, 0)) {
		return Verdict{FarDate, fmt.Sprintf("%s is more than %d years ago", d, l.PastYears)}
	}
	return Verdict{}
}
