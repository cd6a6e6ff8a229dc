package sitemapxml

// Kind names one sort of problem. The names are stable: reports show them and runs are compared by them.
type Kind string

// The kinds of problems of a file. "Once" ones are reported at their first place in a file only; the others for each
// entry that has them. An entry is left out where that is said; else it is handed out all the same.
const (
	// Empty: no bytes, or only white space. Once.
	Empty Kind = "empty"
	// Root: the root element is none that this package reads, for example an HTML page. Nothing more is read. Once.
	Root Kind = "root"
	// NoEntries: a complete file that lists nothing. Once.
	NoEntries Kind = "no-entries"
	// XML: not well-formed (a raw ampersand, an undefined entity, a wrong end tag) or with entity declarations, which
	// are never read. What can be read is read; an entry whose address holds an undefined entity is left out. Once.
	XML Kind = "xml"
	// Encoding: not UTF-8, or bytes that are not what the file says it is written in. An entry whose address holds
	// such bytes is left out. Once.
	Encoding Kind = "encoding"
	// Namespace: a namespace that is not the one of the format, or none, or a prefix that is bound to none. Once.
	Namespace Kind = "namespace"
	// Truncated: the file ends before its end, by itself or inside gzip. The entry that was cut is left out. Once.
	Truncated Kind = "truncated"
	// TooBig: more entries or more decoded bytes than the limits; the rest was not read. Once.
	TooBig Kind = "too-big"
	// NotGzip: named or declared as gzip, but not compressed. Once.
	NotGzip Kind = "not-gzip"
	// BadGzip: damaged gzip, bytes behind its end, or more than two layers of it. Once.
	BadGzip Kind = "bad-gzip"
	// NestedIndex: an index that another index lists, which the protocol does not allow. Once.
	NestedIndex Kind = "nested-index"

	// MissingLoc: an entry without an address. Left out.
	MissingLoc Kind = "missing-loc"
	// InvalidLoc: an address that is not an absolute http or https URL. Left out.
	InvalidLoc Kind = "invalid-loc"
	// LongLoc: an address of 2,048 characters or more. Left out only past 8,192 bytes.
	LongLoc Kind = "long-loc"
	// OtherHost: an address with another scheme, host or port than the file's own. Left out.
	OtherHost Kind = "other-host"
	// OutsidePath: an address outside the file's own directory. Left out.
	OutsidePath Kind = "outside-path"
	// Fragment: an address with a fragment, which is dropped.
	Fragment Kind = "fragment"
	// Duplicate: an address that the file listed before. Left out.
	Duplicate Kind = "duplicate"
	// SelfReference: an index that lists itself.
	SelfReference Kind = "self-reference"
	// BadLastMod: a date that is no W3C datetime (in RSS: no RFC 822 date). The entry has no date then.
	BadLastMod Kind = "lastmod"
	// FutureLastMod: a date after now.
	FutureLastMod Kind = "future-lastmod"
	// BadChangeFreq: none of always, hourly, daily, weekly, monthly, yearly, never.
	BadChangeFreq Kind = "changefreq"
	// BadPriority: not a decimal number from 0.0 to 1.0.
	BadPriority Kind = "priority"
	// BadExtension: an image, video, news item or alternate without a usable address or language, or too many of them.
	BadExtension Kind = "extension"
)

// oncePerFile holds the kinds that describe the file, not an entry.
func (k Kind) oncePerFile() bool {
	switch k {
	case Empty, Root, NoEntries, XML, Encoding, Namespace, Truncated, TooBig, NotGzip, BadGzip, NestedIndex:
		return true
	}
	return false
}

// Problem is one thing that is wrong with a file, and where.
type Problem struct {
	Kind   Kind
	Line   int    // of the decoded text, from 1; 0 when it is no matter of a line
	Detail string // a short sentence in English, or the value that is wrong, cut to 200 bytes
}

// maxProblems bounds the problems kept with their details; all are counted.
const maxProblems = 1000

type problems struct {
	list   []Problem
	counts map[Kind]int
}

func (p *problems) add(kind Kind, line int, detail string) {
	if p.counts[kind] > 0 && kind.oncePerFile() {
		return
	}
	if p.counts == nil {
		p.counts = make(map[Kind]int)
	}
	p.counts[kind]++
	if len(p.list) < maxProblems {
		p.list = append(p.list, Problem{Kind: kind, Line: line, Detail: clip(detail)})
	}
}

// clip cuts s to at most 200 bytes of valid UTF-8 and lets go of the memory behind it.
func clip(s string) string {
	const longest = 200
	if len(s) > longest {
		s = s[:longest]
	}
	return string([]rune(s))
}
