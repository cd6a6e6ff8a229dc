// Package sitemapxml reads sitemaps of all kinds as a stream: XML sitemaps and indexes (sitemaps.org 0.9, with the
// image, video, news and hreflang extensions), lists of lines, RSS 2.0 and Atom, plain or gzip.
//
// It reads what can be read and says what is wrong, entry by entry; no input makes it fail, and its memory does not
// grow with the file but for 8 bytes an address, by which duplicates are found. It knows no network: whoever calls it
// fetches, decides and limits.
package sitemapxml

import (
	"bytes"
	"io"
	"iter"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/amblecrawl/amble/internal/urlkey"
)

// The limits of a file by sitemaps.org.
const (
	DefaultMaxEntries = 50_000
	DefaultMaxBytes   = 52_428_800
)

const (
	maxLoc   = 2048 // characters; an address must have fewer
	maxField = 8192 // bytes of a value that are kept
)

// Format is what a file turned out to be.
type Format string

// The formats.
const (
	Unknown Format = "unknown"
	Index   Format = "index"  // lists sitemaps
	URLSet  Format = "urlset" // lists pages
	Text    Format = "text"
	RSS     Format = "rss"
	Atom    Format = "atom"
)

// Options tell the scanner what is known about a file. The zero value reads any file, without the rules that need to
// know where it lies.
type Options struct {
	// URL is where the file lies. It gives the rules on host and path, the check for self-references, and the base of
	// relative links in Atom. Without it these rules do not apply.
	URL string
	// ContentType is the header field of that name.
	ContentType string
	// Decoded says that a gzip content coding was undone on the way.
	Decoded bool
	// CutAtLimit says that the bytes were cut before they came here, so that an early end is TooBig and not Truncated.
	CutAtLimit bool
	// Named holds the origins (scheme://host[:port]) whose robots.txt names this sitemap, or the index that led to it:
	// the sitemap may list any URL of theirs (sitemaps.org, "Sitemaps & Cross Submits").
	Named []string
	// Listed says that an index listed this file, so that it must not be an index itself.
	Listed bool
	// Now is the present, by which dates in the future are told; zero means time.Now.
	Now time.Time
	// MaxEntries and MaxBytes (unpacked, and at each stage of unpacking) end the reading with TooBig. Zero means the
	// limits of sitemaps.org: DefaultMaxEntries and DefaultMaxBytes.
	MaxEntries int
	MaxBytes   int64
}

// Scanner reads one file. It is not safe for concurrent use.
type Scanner struct {
	r        io.Reader
	o        Options
	in       *input
	format   Format
	problems problems
	err      error

	here    urlkey.URL // where the file lies; may be zero
	named   map[string]bool
	secret  urlkey.Secret
	known   map[uint64]struct{} // hashes of the addresses so far
	entries int                 // entries that began, good or not
	line    int
	blank   bool // nothing but white space was read
	stopped bool // the caller or a limit ended the reading
	yield   func(Entry) bool
}

// NewScanner makes a scanner of r. Nothing is read before Entries.
func NewScanner(r io.Reader, o Options) *Scanner {
	if o.MaxEntries <= 0 {
		o.MaxEntries = DefaultMaxEntries
	}
	if o.MaxBytes <= 0 {
		o.MaxBytes = DefaultMaxBytes
	}
	if o.Now.IsZero() {
		o.Now = time.Now()
	}
	s := &Scanner{r: r, o: o, format: Unknown, here: parseURL(o.URL), secret: urlkey.NewSecret(), known: make(map[uint64]struct{})}
	s.named = make(map[string]bool, len(o.Named))
	for _, origin := range o.Named {
		if u := parseURL(origin); !u.IsZero() {
			s.named[u.Origin()] = true
		}
	}
	return s
}

// Entries reads the file and hands out its usable entries in their order. It can be ranged over once. What was wrong
// stands in Problems after the loop; a loop that is left early leaves the rest of the file unread and unjudged.
func (s *Scanner) Entries() iter.Seq[Entry] {
	return func(yield func(Entry) bool) {
		if s.in != nil {
			return
		}
		s.yield = yield
		s.in = openInput(s.r, &s.o, func(k Kind, detail string) { s.problems.add(k, 0, detail) })
		s.scan()
		s.err = s.in.source.err
		s.yield = nil
	}
}

// Format returns what the file is; Unknown before the loop.
func (s *Scanner) Format() Format { return s.format }

// Problems returns what was wrong, in the order of the file: the first 1,000. Count knows of all.
func (s *Scanner) Problems() []Problem { return s.problems.list }

// Count returns how many problems of a kind there were.
func (s *Scanner) Count(k Kind) int { return s.problems.counts[k] }

// Err returns the error of the reader itself, if it had one other than io.EOF; Truncated is reported then as well.
func (s *Scanner) Err() error { return s.err }

// Bytes returns the unpacked bytes that were read.
func (s *Scanner) Bytes() int64 {
	if s.in == nil {
		return 0
	}
	return s.in.size.n
}

// Seen returns how many entries the file listed as far as it was read, usable or not.
func (s *Scanner) Seen() int { return s.entries }

func (s *Scanner) report(k Kind, detail string) { s.problems.add(k, s.line, detail) }

// scan tells XML from lines by the first bytes and reads the file.
func (s *Scanner) scan() {
	head, _ := s.in.Peek(headSize)
	start := bytes.TrimLeft(head, " \t\r\n")
	line, _, _ := bytes.Cut(start, newline)
	isURL := !parseURL(string(bytes.TrimSpace(line[:min(len(line), maxField)]))).IsZero()
	switch {
	case len(start) > 0 && start[0] == '<', len(start) == 0 && len(head) > 0:
		s.scanXML()
	case len(head) == 0:
		s.blank = true
		s.end(true)
	case isURL, s.o.claimsText():
		s.scanText()
	case bytes.Contains(start, []byte("<?xml")):
		s.report(XML, "text before the XML declaration")
		s.in.Discard(bytes.Index(head, []byte("<?xml")))
		s.scanXML()
	default:
		s.report(XML, "neither XML nor a list of URLs")
	}
}

// end says how the file ended; whole is whether its text was complete.
func (s *Scanner) end(whole bool) {
	switch {
	case s.stopped:
		return
	case s.in.tooBig():
		s.report(TooBig, "more bytes than the limit; the rest was not read")
	case s.in.broken:
	case s.in.cut || s.in.source.err != nil:
		s.early()
	case s.blank:
		s.report(Empty, "")
	case !whole || s.o.CutAtLimit:
		s.early()
	case s.entries == 0:
		s.report(NoEntries, "")
	}
	if s.in.badUTF8 {
		s.report(Encoding, "bytes that are not UTF-8")
	}
}

// early reports an end before the end.
func (s *Scanner) early() {
	if s.o.CutAtLimit {
		s.report(TooBig, "the file was cut at the limit")
		return
	}
	s.report(Truncated, "the file ends too early")
}

// begin counts an entry; false means that the file has too many.
func (s *Scanner) begin() bool {
	if s.entries == s.o.MaxEntries {
		s.report(TooBig, "more entries than the limit; the rest was not read")
		s.stopped = true
		return false
	}
	s.entries++
	return true
}

// loc is an address as it was read.
type loc struct {
	text string
	base urlkey.URL // for relative ones, in Atom
	bad  bool       // holds an undefined entity or bytes that are no text: reported already
	long bool       // did not fit in maxField
}

// accept judges an address by the rules of sitemaps. The entry is handed out when it passes them.
func (s *Scanner) accept(l loc, e *Entry) {
	u, ok := s.judge(l)
	if !ok {
		return
	}
	if s.format == Index && u == s.here.WithoutFragment() {
		s.report(SelfReference, u.String())
	}
	e.Loc = u
	if !s.yield(*e) {
		s.stopped = true
	}
}

func (s *Scanner) judge(l loc) (u urlkey.URL, ok bool) {
	text := strings.Trim(l.text, " \t\r\n")
	switch {
	case l.long:
		s.report(LongLoc, text)
		return u, false
	case l.bad:
		return u, false
	case text == "":
		s.report(MissingLoc, "")
		return u, false
	}
	if u = resolveURL(l.base, text); u.IsZero() {
		s.report(InvalidLoc, text)
		return u, false
	}
	if len(text) >= maxLoc && utf8.RuneCountInString(text) >= maxLoc {
		s.report(LongLoc, text)
	}
	if !s.here.IsZero() && !s.named[u.Origin()] {
		if u.Origin() != s.here.Origin() {
			s.report(OtherHost, u.String())
			return u, false
		}
		if !strings.HasPrefix(u.Path(), directory(s.here)) {
			s.report(OutsidePath, u.String())
			return u, false
		}
	}
	if u.HasFragment() {
		s.report(Fragment, text)
		u = u.WithoutFragment()
	}
	key := u.Key(s.secret)
	if _, again := s.known[key]; again {
		s.report(Duplicate, u.String())
		return u, false
	}
	s.known[key] = struct{}{}
	return u, true
}

// lastMod reads a date as the format spells it and judges it.
func (s *Scanner) lastMod(text string) time.Time {
	text = strings.Trim(text, " \t\r\n")
	if text == "" {
		return time.Time{}
	}
	var t time.Time
	zoned, ok := true, false
	if s.format == RSS {
		t, ok = parseRSSDate(text)
	} else {
		t, zoned, ok = parseW3C(text)
	}
	if !ok {
		s.report(BadLastMod, text)
		return time.Time{}
	}
	now := s.o.Now
	if !zoned {
		now = now.Add(14 * time.Hour) // the day has begun somewhere on Earth
	}
	if t.After(now) {
		s.report(FutureLastMod, text)
	}
	return t
}
