// Package htmlmeta reads what an HTML page says about itself in one pass over its bytes: title, description, headings,
// language, canonical, robots and hreflang elements, links, structured data, and the files it loads.
//
// It runs internal/htmltoken and the tree construction rules of the HTML standard (13.2.6), but makes no tree:
// only the stack of open elements and the list of formatting elements are kept. Scripting counts as on, so noscript
// holds text. What comes out is what a browser's document would answer before any script has run: implied elements,
// elements that close the head early, foreign content, tables that throw content out, misnested anchors that become
// several, late bases and second html tags are all accounted for.
//
// Not exact:
//   - order among elements thrown out of tables nested more than twice, or out of several misnested anchors at once;
//   - past a page's bounds (Partial) what follows is read by coarser rules: time and memory stay linear in the bytes;
//   - two formatting elements count as equal when their tags are written alike.
package htmlmeta

import (
	"bytes"
	"hash/maphash"
	"time"

	"github.com/amblecrawl/amble/internal/urlkey"
)

// Bounds on what is kept of one page; beyond, Doc.Partial is set.
const (
	maxLinks     = 100_000
	maxItems     = 10_000 // of every other list
	maxValue     = 1 << 16
	maxTitle     = 1 << 14
	maxHeading   = 1 << 12
	maxLinkText  = 200
	maxProblems  = 100
	maxToken     = 16 << 20 // one tag, comment or raw text; longer ones end the reading
	maxResources = 20_000
)

// Options says what to read besides the head, headings, links and structured data. The zero value is the least.
type Options struct {
	// URL is the document's address, the base of its references. Without it no reference is resolved: all URL fields
	// of the Doc are zero.
	URL urlkey.URL
	// Bots holds names of meta elements that are robots directives, besides "robots" and names that look like a
	// crawler's ("googlebot", "bingbot-news").
	Bots []string

	LinkText  bool // the text of links
	Resources bool // files that the page loads
	IDs       bool // ids and names of anchors: the targets of fragments
	Text      bool // count and hash of the visible text
	Outline   bool // elements and texts
}

// Doc is what a page says. Strings are as written in the source after character references are replaced, if not said
// otherwise.
type Doc struct {
	Partial bool // a bound was met: more may be there than is listed
	Quirks  bool // quirks mode (document.compatMode BackCompat)

	Title  string // of the first HTML title element, white space stripped and collapsed as document.title does
	Titles int

	Description    string // content of the first meta description
	HasDescription bool   // it has a content attribute
	Descriptions   int    // meta elements named description

	H1      []string // texts, white space stripped and collapsed
	Lang    string   // lang of the html element
	HasLang bool

	Base     urlkey.URL // the document's base URL
	BaseHref string     // href of the first base element that has one
	HasBase  bool
	Bases    int // base elements with href
	// LinksBeforeBase is set when a link or a loaded file stands before the base that changes its meaning.
	LinksBeforeBase bool

	Canonicals []Canonical
	Robots     []Robots
	Alternates []Alternate
	Links      []Link
	Resources  []Resource
	Social     []Property
	Data       []Data
	IDs        []string
	// MakesIDs says that scripts of the page may give it further ids. Known only when ids were asked for.
	MakesIDs bool

	InvalidJSONLD int      // JSON-LD blocks that are no JSON
	Problems      []string // what is malformed, in plain words

	Refresh    Refresh // the first meta refresh that browsers obey
	HasRefresh bool

	Viewport    string // content of the last meta viewport: browsers obey that one
	HasViewport bool
	Generator   string
	Charset     string // label of the first meta that declares one

	// HeadEndedBy names what ended the head though no end tag or body did: an element, or "text". Metadata behind it
	// stands in the body.
	HeadEndedBy string

	Words    int    // of the visible text, split at white space
	TextSize int    // bytes of the visible text, white space collapsed
	TextHash uint64 // of the same, stable from run to run; 0 when there is none

	Outline *Outline // nil unless it was asked for
}

// Canonical is a link element with rel canonical.
type Canonical struct {
	Href    string
	HasHref bool
	URL     urlkey.URL // resolved; zero when it cannot be parsed
	InHead  bool
}

// Robots is a meta element with robots directives.
type Robots struct {
	Name    string // lower case
	Content string
	InHead  bool
}

// Alternate is a link element with rel alternate and hreflang.
type Alternate struct {
	Lang    string
	Href    string
	HasHref bool
	URL     urlkey.URL // resolved; zero when it cannot be parsed
	InHead  bool
}

// Link is an a or area element with href, in document order.
type Link struct {
	Href string
	URL  urlkey.URL // resolved; zero when it cannot be parsed
	Text string     // its text and the alternative text of its images, white space collapsed, cut at about 200 bytes
	Rel  Rel
	Area bool
}

// Rel holds the link relations that matter to a crawl.
type Rel uint8

// The relations.
const (
	Nofollow Rel = 1 << iota
	UGC
	Sponsored
)

// Property is a meta element of Open Graph, Twitter cards and the like: a name with a colon.
type Property struct {
	Name    string // as written
	Content string
	ByName  bool // from the name attribute; Open Graph wants property
}

// Data is one type of structured data.
type Data struct {
	Syntax Syntax
	Type   string
}

// Syntax is a way to write structured data.
type Syntax uint8

// The syntaxes.
const (
	JSONLD Syntax = iota
	Microdata
	RDFa
)

// String gives the syntax's usual name.
func (s Syntax) String() string { return [...]string{"json-ld", "microdata", "rdfa"}[min(s, RDFa)] }

// Refresh is a meta refresh.
type Refresh struct {
	Content string
	Delay   time.Duration
	Href    string
	HasHref bool
	URL     urlkey.URL // resolved; the page itself without Href; zero when it cannot be parsed
}

// Kind says what loads a file.
type Kind uint8

// The kinds.
const (
	Image Kind = iota
	Script
	Style
	Frame
	Media  // audio, video, their sources and tracks
	Object // object and embed
	Icon
	Preload
	Manifest
	Form // action of a form: never asked for, but judged when it is not https
)

// Resource is a file that the page loads.
type Resource struct {
	Kind Kind
	Href string
	URL  urlkey.URL // resolved; zero when it cannot be parsed
}

// Parse reads a page, in UTF-8. It never fails; what cannot be read is absent. It does not keep page.
func Parse(page []byte, opt Options) *Doc { return new(Parser).Parse(page, opt) }

// Parser reads one page after another with the same memory. The zero Parser is ready. It is for one goroutine at a time.
type Parser struct{ b builder }

// Parse is like the function Parse, but the Doc and its Links are valid until the next call only. The other lists and all
// strings stay.
func (p *Parser) Parse(page []byte, opt Options) *Doc {
	b := &p.b
	b.reset(page, opt)
	b.run()
	b.finish()
	return &b.doc
}

// reset makes ready for a page. What grows with a page and is not handed out is kept.
func (b *builder) reset(page []byte, opt Options) {
	*b = builder{
		z: b.z, seed: b.seed, opt: opt, doc: Doc{Links: b.doc.Links[:0]},
		stack: b.stack[:0], active: b.active[:0], templates: b.templates[:0],
		collector: collector{links: b.links[:0], hrefs: b.hrefs[:0], texts: b.texts[:0], title: b.title[:0], linkStack: b.linkStack[:0], h1Stack: b.h1Stack[:0]},
	}
	if b.seed == (maphash.Seed{}) {
		b.seed = maphash.MakeSeed()
	}
	b.z.Reset(page, maxToken)
	b.hasNUL = bytes.IndexByte(page, 0) >= 0
	b.work = max(workAtLeast, workPerByte*len(page))
	if opt.Outline {
		b.outline = newOutliner(page)
	}
}
