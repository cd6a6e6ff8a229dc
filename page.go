package amble

import (
	"net/url"
	"time"

	"golang.org/x/net/html"
)

// Page is one URL and how it ended. A crawl streams exactly one Page for every URL it ever saw, fetched or not.
//
// A Page handed to the caller's loop belongs to the caller, but for its Response body, which is gone by then unless
// Crawler.KeepBodies is set. An Analyzer sees the body while Analyze runs.
type Page struct {
	URL     string  // canonical by the URL standard, without fragment
	Outcome Outcome // how it ended
	Reason  string  // which rule, limit or line decided, for a person
	Err     error   // the trouble, matched with errors.Is; nil for OutcomeAnalysed

	Source   Source // how it became known
	Referrer string // the page or sitemap it was first seen on; empty for seeds
	Depth    int    // links from a seed; redirects add nothing
	Chain    []Hop  // the redirects that led here, oldest first

	Status   int       // of the answer; 0 when none came
	Redirect string    // the redirect's target, resolved; empty when there is none
	Attempts int       // requests sent for it
	Fetched  time.Time // when the last of them was sent; zero when none was

	Block    *Block    // what stood in the page's way; nil when nothing did
	Robots   *Verdict  // what robots.txt said; nil when it was not asked
	Response *Response // the answer; nil when none came
	Meta     *Meta     // what the page says about itself; nil when it is no HTML page
	Findings []Finding // what the Analyzers reported
	Previous *Record   // what the last run knew of it; nil without a Store that remembers
	Change   Change    // how it differs from that

	parsed  *url.URL
	tree    *tree
	outline *Outline
}

// Block is what stands in the way of a page: a challenge, a refusal by a protection service, a login (S11). It is
// reported, never solved and never waited out (S10).
type Block struct {
	Vendor   string // "cloudflare", "aws-waf", …; "http-auth", "http" or "site" when the site itself blocks
	Kind     string // "challenge", "denied", "rate-limited", "auth-required", "legal-block", "login-wall"
	Evidence string // the header or mark that decided

	refusal bool // the server refused the crawler, rather than guarding this one page
}

// Hop is one redirect of a chain.
type Hop struct {
	URL    string
	Status int
}

// ParsedURL returns the URL as net/url has it. The value is shared: do not change it.
func (p *Page) ParsedURL() *url.URL {
	if p.parsed == nil {
		p.parsed, _ = url.Parse(p.URL)
	}
	return p.parsed
}

// Partial reports whether only a part of the page was read. Rules that need the whole body are not run on it.
func (p *Page) Partial() bool {
	return p.Response != nil && p.Response.Cut != CutNone && p.Response.Cut != CutUnwanted
}

// Tree returns the page as a parsed tree, made at the first call and kept while the Analyzers run. Partial says that
// time, memory or nesting bounds ended the parse early, or that the body is partial itself. The tree is nil when there
// is no HTML body. It must not be called from several goroutines at once.
func (p *Page) Tree() (doc *html.Node, partial bool) {
	if p.tree == nil {
		p.tree = parseTree(p)
	}
	return p.tree.doc, p.tree.partial
}

type tree struct {
	doc     *html.Node
	partial bool
}
