package robotstxt

import (
	"time"
	"unsafe"
)

// Mode is the reading of a file where RFC 9309 and Google's parser differ; the package comment lists where.
type Mode uint8

const (
	// RFC9309 reads as the standard says. It is the zero value.
	RFC9309 Mode = iota
	// Google answers as Google's published parser does.
	Google
)

// File is a parsed robots.txt. It keeps one copy of the text; everything else points into that copy, and all agents of
// a group share the group's rules. The zero File has no rules and allows everything.
type File struct {
	mode    Mode
	text    string   // the body, without its byte order mark
	records []record // user-agent lines, rules and crawl delays, in the order of the file
	norm    []byte   // the patterns that differ from what is written, one after the other
}

// Mode returns the reading that the file was parsed with.
func (f *File) Mode() Mode { return f.mode }

// Size returns how many bytes of memory the file holds, for caches that are bounded by it. It is at most about six times
// the size of the body, and close to that size for usual files.
func (f *File) Size() int {
	return int(unsafe.Sizeof(*f)) + len(f.text) + cap(f.norm) + cap(f.records)*int(unsafe.Sizeof(record{}))
}

// Sitemap is a Sitemap line. It belongs to no group (RFC 9309 section 2.2.4).
type Sitemap struct {
	URL  string // as written, not checked; Problems tells when it is no absolute http or https URL
	Line int    // number of the line, from 1
}

// Sitemaps returns the Sitemap lines in the order of the file.
func (f *File) Sitemaps() []Sitemap {
	var found []Sitemap
	for line := range f.Lines() {
		if line.Key == KeySitemap {
			found = append(found, Sitemap{URL: line.Value, Line: line.Number})
		}
	}
	return found
}

// Signal is a Content-Usage or Content-Signal line: what a site says about the use of its content. The value is left as
// written, since its vocabulary is still being settled by the IETF's AI preferences group.
type Signal struct {
	Key   Key    // KeyContentUsage or KeyContentSignal
	Value string // as written
	Line  int    // number of the line, from 1
	Group int    // number of the first user-agent line of its group; 0 when it stands outside any group
}

// Signals returns the Content-Usage and Content-Signal lines in the order of the file.
func (f *File) Signals() []Signal {
	var found []Signal
	for line := range f.Lines() {
		if line.Key == KeyContentUsage || line.Key == KeyContentSignal {
			found = append(found, Signal{Key: line.Key, Value: line.Value, Line: line.Number, Group: line.Group})
		}
	}
	return found
}

// Delay is a Crawl-delay line: how long to wait between two requests. RFC 9309 does not have it; many sites do.
type Delay struct {
	Wait  time.Duration // zero when the value could not be read
	Raw   string        // the value as written
	OK    bool          // the value is a decimal number of seconds
	Line  int           // number of the line, from 1
	Group int           // number of the first user-agent line of its group; 0 when it stands outside any group
}

// Delays returns every Crawl-delay line in the order of the file, also those that no crawler can obey. For the one that
// applies to a crawler, see Matcher.Delay.
func (f *File) Delays() []Delay {
	var found []Delay
	for line := range f.Lines() {
		if line.Key == KeyCrawlDelay {
			wait, ok := parseDelay(line.Value)
			found = append(found, Delay{Wait: wait, Raw: line.Value, OK: ok, Line: line.Number, Group: line.Group})
		}
	}
	return found
}
