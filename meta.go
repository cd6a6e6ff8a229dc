package amble

import (
	"slices"
	"time"
)

// Meta is what a page says about itself (C6, C12), read in one pass over its bytes and from its headers. It is plain
// data. URLs are resolved by the URL standard against the document's base.
type Meta struct {
	Charset string // the encoding that a browser would use, as the Encoding Standard names it
	// CharsetSource is what decided the encoding: "bom", "header", "meta", "xml" or "fallback" (nothing was declared).
	CharsetSource string
	Partial       bool // the body was cut, or a bound ended the reading: what is here was really there, more may be missing
	Quirks        bool // no doctype that gives standards mode

	Title        string // of the first HTML title element
	Titles       int    // how many there are
	Description  string // of the first meta description, as written
	Descriptions int
	H1           []string // texts, white space collapsed
	Lang         string   // of the html element; HasLang tells absent from empty
	HasLang      bool
	Base         string // the document's base URL
	Viewport     string
	Refresh      *Refresh // meta refresh or Refresh header

	Canonicals []Canonical
	Robots     Directives  // those in force for the crawl's own tokens
	RobotsTags []RobotsTag // as written, in order, headers first
	Alternates []Alternate // hreflang, from tags and from the Link header
	Links      []Link      // a and area elements with href, in document order
	Internal   int         // links to the same host
	External   int
	Nofollow   int // links with rel nofollow, ugc or sponsored

	Data     []DataType        // structured data, in document order
	Social   map[string]string // og: and twitter: properties, first of each
	Problems []string          // what is malformed in directives, JSON-LD, link headers
	// InvalidData counts JSON-LD blocks that are no JSON.
	InvalidData int
	// HeadEndedBy names the element (or "text") that ended the head though no end tag did: what the source has behind it
	// stands in the body, where canonical, robots and hreflang do not count. Empty: the head is whole.
	HeadEndedBy string
	TextHash    uint64 // of the visible text, white space collapsed
	Words       int    // of visible text, split at white space

	// Resources are the files that the page names, in document order; nil unless MetaOptions.Resources or
	// NeedResources asked for them.
	Resources []Resource

	// IDs are the places that fragments can lead to: ids of all elements and names of anchors, in document order; nil
	// unless MetaOptions.IDs or NeedIDs asked for them. MakesIDs says that the page has scripts that may add others.
	IDs      []string
	MakesIDs bool
}

// Resource is a file that a page names: an image, a script, a style sheet.
type Resource struct {
	// Kind is "image", "script", "style", "frame", "media", "object", "icon", "preload", "manifest", or "form" for where a
	// form is sent to.
	Kind string
	Href string // as written
	URL  string // resolved, without fragment; empty when it cannot be parsed
}

// Link is one a or area element, or a URL found otherwise.
type Link struct {
	Href     string // as written
	URL      string // resolved, without fragment; empty when it cannot be parsed
	Fragment string // decoded not; empty when there is none
	Rel      Rel
	Text     string // its text or alternative text, shortened
}

// Rel holds the rel tokens that matter to a crawl, as bits.
type Rel uint8

const (
	RelNofollow Rel = 1 << iota
	RelUGC
	RelSponsored
)

// Canonical is one declaration of a canonical URL.
type Canonical struct {
	Href   string // as written
	URL    string // resolved; empty when it cannot be parsed
	Header bool   // from a Link header
	Head   bool   // a link element in head; one in body does not count
}

// Alternate is one hreflang declaration.
type Alternate struct {
	Lang   string // as written
	Href   string
	URL    string
	Header bool
	Head   bool
}

// RobotsTag is one line of robots directives as written.
type RobotsTag struct {
	Name   string // of the meta element ("robots", "googlebot"), or "X-Robots-Tag"
	Value  string
	Header bool
	Head   bool // a meta element in head
}

// Directives are the robots directives in force for a bot, its own and the general ones added up, the more restrictive
// winning.
type Directives struct {
	Names    []string // sorted, lower case: "noindex", "nofollow", "nosnippet", …
	NoIndex  bool
	NoFollow bool

	MaxSnippet       *int
	MaxImagePreview  string
	MaxVideoPreview  *int
	UnavailableAfter time.Time

	// From holds the line that each directive in force came from (C12), in the order they were read.
	From []DirectiveSource
}

// DirectiveSource is a directive and the line it stands in.
type DirectiveSource struct {
	Name string // "noindex", "max-snippet", …
	Bot  string // the token it is addressed to, lower case; empty: all robots
	Tag  RobotsTag
}

// Has reports whether a directive without a value is in force, by its lower-case name.
func (d Directives) Has(name string) bool { return slices.Contains(d.Names, name) }

// Indexable reports whether the page may be in an index at the given time.
func (d Directives) Indexable(now time.Time) bool {
	return !d.NoIndex && (d.UnavailableAfter.IsZero() || now.Before(d.UnavailableAfter))
}

// Refresh is a client redirect: a meta element or a Refresh header.
type Refresh struct {
	Delay  time.Duration
	URL    string // resolved; the page itself when none is given
	Header bool
}

// DataType is one structured-data type.
type DataType struct {
	Syntax string // "json-ld", "microdata" or "rdfa"
	Type   string // as written
}
