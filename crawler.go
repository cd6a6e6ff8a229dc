package amble

import (
	"context"
	"fmt"
	"iter"
	"log/slog"
)

// Crawler is one crawl's configuration. Nil or zero fields mean the polite default, except Agent, without which there is
// no polite crawler. A Crawler is checked when a crawl starts; it must not be changed while one runs. Several crawls may
// run on one Crawler at once; they share its Limiter and RobotsPolicy when these are set. A Store serves one run at a
// time.
type Crawler struct {
	Agent     Agent          // who we are; required
	Scope     Scope          // what may be visited; zero: the seeds' origins
	Budget    Budget         // when to stop; zero: the polite defaults
	Quota     Quota          // what a site bears in a day, over all runs; zero: no limits
	Discover  Discovery      // where URLs come from; zero: links
	Fetcher   Fetcher        // one exchange; nil: guarded net/http (HTTPFetcher)
	Renderer  Fetcher        // for pages that an Analyzer needs rendered (AgentFetcher); nil: none
	Robots    RobotsPolicy   // nil: RFC 9309 for Agent.Tokens
	Limiter   Limiter        // nil: ServerLimiter with its defaults
	Store     Store          // frontier, claims, history; nil: memory
	Analyzers []Analyzer     // what looks at the pages
	Logger    *slog.Logger   // nil: silent; what is logged is masked (S12)
	Observer  Observer       // nil: none
	Switch    *Switch        // turns sites off at once, beats everything; nil: none
	Signer    Signer         // signs every request (BotSigner); nil: none
	Traps     TrapLimits     // when a family of URLs counts as endless; zero: the defaults
	Links     *LinkCheck     // checks what the pages' links lead to; nil: no link is checked
	Resources ResourcePolicy // what the files of rendered pages must pass; zero: robots.txt is asked

	// Workers is how many requests may be under way at once, all servers together. 0: 8.
	Workers int

	// GiveUpAfter is how many pages in a row of one server may fail to load before the site is given up (S21). 0: 3;
	// Unlimited: never.
	GiveUpAfter int

	// KeepBodies leaves Response.Body in the pages handed to the caller. They are not kept otherwise (S12).
	KeepBodies bool
}

// Discovery says where URLs come from besides the seeds. Bits may be joined.
type Discovery uint8

const (
	DiscoverLinks    Discovery = 1 << iota // follow the links of pages
	DiscoverSitemaps                       // read the sitemaps that robots.txt names, or else /sitemap.xml
	DiscoverNothing                        // only the seeds

	// DiscoverOnlySitemaps reads sitemaps as DiscoverSitemaps does and visits what they list, nothing else: the seeds name
	// the servers, and are visited only where they are listed.
	DiscoverOnlySitemaps
)

// ResourcePolicy says which gates the files that a page loads in a browser pass besides address guard and limiter.
type ResourcePolicy struct {
	// IgnoreRobots loads a page's files even where robots.txt disallows them. Off by default.
	IgnoreRobots bool
	// SameSite loads only files of the hosts in scope.
	SameSite bool
}

// AgentFetcher is a Fetcher that has an Agent of its own, such as browser.Renderer. As Crawler.Renderer it must be of the
// Crawler's name, version and InfoURL, or no crawl starts (ErrConfig): a server sees one crawler, not two (S1).
type AgentFetcher interface {
	Fetcher
	CrawlAgent() Agent
}

// Pages crawls from the seeds and yields every URL ever seen, once, with its outcome. A page's trouble is in the page;
// the error is the crawl's own (configuration, store, context), comes last, with a nil page. Breaking out of the loop
// ends the crawl; when the loop is left, every goroutine of the crawl has ended.
//
// With a Store that remembers, a run that was interrupted goes on where it stood, within the servers of its seeds, which
// need not be named again.
func (c *Crawler) Pages(ctx context.Context, seeds ...string) iter.Seq2[*Page, error] {
	return func(yield func(*Page, error) bool) {
		left := false
		_, err := c.crawl(ctx, seeds, false, func(p *Page) bool {
			left = !yield(p, nil)
			return !left
		})
		if err != nil && !left {
			yield(nil, err)
		}
	}
}

// Run crawls from the seeds until all is done, and sums up. The Summary is valid also when an error is returned.
func (c *Crawler) Run(ctx context.Context, seeds ...string) (*Summary, error) {
	return c.crawl(ctx, seeds, false, func(*Page) bool { return true })
}

// Each is Run with a look at every page on the way, as Pages would yield it. Returning false ends the crawl.
func (c *Crawler) Each(ctx context.Context, visit func(*Page) bool, seeds ...string) (*Summary, error) {
	return c.crawl(ctx, seeds, false, visit)
}

// Plan says what a crawl would do with the seeds, and with what sitemaps list when they are asked for, without fetching
// a page: robots.txt and sitemaps are read, by the same code as in a crawl.
func (c *Crawler) Plan(ctx context.Context, seeds ...string) iter.Seq2[Decision, error] {
	return func(yield func(Decision, error) bool) {
		left := false
		_, err := c.crawl(ctx, seeds, true, func(p *Page) bool {
			d := Decision{URL: p.URL, Fetch: p.Outcome == OutcomeNone, Outcome: p.Outcome, Reason: p.Reason, Robots: p.Robots, Source: p.Source}
			if d.Fetch && p.Robots != nil {
				d.Reason = p.Robots.Why()
			}
			left = !yield(d, nil)
			return !left
		})
		if err != nil && !left {
			yield(Decision{}, err)
		}
	}
}

func (c *Crawler) crawl(ctx context.Context, seeds []string, dry bool, visit func(*Page) bool) (*Summary, error) {
	r, err := newRun(ctx, c, seeds, dry)
	if err != nil {
		return &Summary{}, err
	}
	err = r.each(ctx, visit)
	return r.sum(err), err
}

// validate checks the configuration before a crawl.
func (c *Crawler) validate() error {
	if err := c.Agent.Validate(); err != nil {
		return err
	}
	if c.Workers < 0 || c.Quota.PagesPerDay < 0 || c.Quota.Between < 0 {
		return &Error{Op: "crawler", Kind: ErrConfig, Reason: "Workers, Quota.PagesPerDay and Quota.Between must not be negative"}
	}
	for _, part := range []any{c.Limiter, c.Robots, c.Fetcher, c.Renderer, c.Store, c.Signer} {
		if v, ok := part.(interface{ Validate() error }); ok {
			if err := v.Validate(); err != nil {
				return err
			}
		}
	}
	if f, ok := c.Renderer.(AgentFetcher); ok && f.CrawlAgent().Plain() != c.Agent.Plain() {
		return &Error{Op: "crawler", Kind: ErrConfig, Reason: fmt.Sprintf("the Renderer says that it is %q, the Crawler %q; give the Renderer the Crawler's Agent",
			f.CrawlAgent().Plain(), c.Agent.Plain())}
	}
	if err := c.Links.validate(); err != nil {
		return err
	}
	return validateAnalyzers(c.Analyzers, c.Renderer, c.Links)
}

// Decision is what a crawl would do with a URL.
type Decision struct {
	URL     string
	Fetch   bool
	Outcome Outcome  // when it would not be fetched
	Reason  string   // the deciding rule
	Robots  *Verdict // what robots.txt says; nil when it was not asked
	Source  Source
}
