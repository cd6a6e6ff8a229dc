package sitemapxml

import (
	"cmp"

	"github.com/amblecrawl/amble/internal/urlkey"
)

// Limits bound the reading of all sitemaps of one site. Zero values mean the defaults.
type Limits struct {
	Files   int   // files read, indexes among them; DefaultFiles
	Depth   int   // indexes above a file; DefaultDepth
	Entries int   // entries read, usable or not, over all files; DefaultEntries
	Bytes   int64 // unpacked bytes read over all files; DefaultBytes
}

// The defaults of Limits. The protocol allows one level of indexes; one more is read, as some sites have it, and
// reported. An index of the protocol's size would allow 50,000 files of 50,000 entries: nobody needs that in one run.
const (
	DefaultFiles   = 100
	DefaultDepth   = 2
	DefaultEntries = 1_000_000
	DefaultBytes   = 10 * DefaultMaxBytes
)

// File is a sitemap file to read.
type File struct {
	URL   urlkey.URL
	Depth int      // indexes above it; 0 for those named by robots.txt or by the caller
	Named []string // as in Options; an index hands it down to the files it lists
}

// Refusal says why a file is not read.
type Refusal string

// The refusals.
const (
	Accepted     Refusal = ""
	AlreadyKnown Refusal = "already-known"
	TooDeep      Refusal = "too-deep"
	TooManyFiles Refusal = "too-many-files"
)

// Walk decides which sitemap files of a site are read and how much of each, in the order in which they were named,
// indexes before what they list. Its memory is bounded by Limits.Files. It is not safe for concurrent use.
type Walk struct {
	limits Limits
	known  map[string]bool
	queue  []File
	spent  struct {
		entries int
		bytes   int64
	}
}

// NewWalk starts a walk under limits.
func NewWalk(l Limits) *Walk {
	return &Walk{known: make(map[string]bool), limits: Limits{
		Files:   cmp.Or(l.Files, DefaultFiles),
		Depth:   cmp.Or(l.Depth, DefaultDepth),
		Entries: cmp.Or(l.Entries, DefaultEntries),
		Bytes:   cmp.Or(l.Bytes, DefaultBytes),
	}}
}

// Add queues a file once.
func (w *Walk) Add(f File) Refusal {
	key := f.URL.String()
	switch {
	case w.known[key]:
		return AlreadyKnown
	case f.Depth > w.limits.Depth:
		return TooDeep
	case len(w.known) >= w.limits.Files:
		return TooManyFiles
	}
	w.known[key] = true
	w.queue = append(w.queue, f)
	return Accepted
}

// Next takes the next file and the options to read it with, to which the caller adds what the answer said
// (ContentType, Decoded) and, where the answer came from elsewhere after a redirect, the URL. ok is false when no file
// waits or the entries or bytes are used up; Exhausted tells which.
func (w *Walk) Next() (f File, o Options, ok bool) {
	if len(w.queue) == 0 || w.Exhausted() {
		return File{}, Options{}, false
	}
	f, w.queue = w.queue[0], w.queue[1:]
	return f, Options{
		URL:        f.URL.String(),
		Named:      f.Named,
		Listed:     f.Depth > 0,
		MaxEntries: min(DefaultMaxEntries, w.limits.Entries-w.spent.entries),
		MaxBytes:   min(DefaultMaxBytes, w.limits.Bytes-w.spent.bytes),
	}, true
}

// Exhausted reports whether the entries or bytes of all files together are used up.
func (w *Walk) Exhausted() bool {
	return w.spent.entries >= w.limits.Entries || w.spent.bytes >= w.limits.Bytes
}

// Left returns how many queued files were not taken.
func (w *Walk) Left() int { return len(w.queue) }

// Read counts what a scanner read; call it after the loop over its entries.
func (w *Walk) Read(s *Scanner) {
	w.spent.entries += s.Seen()
	w.spent.bytes += s.Bytes()
}

// Child is the file that an entry of the index f names.
func (f File) Child(e Entry) File { return File{URL: e.Loc, Depth: f.Depth + 1, Named: f.Named} }
