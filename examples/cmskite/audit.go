package main

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/net/publicsuffix"

	"github.com/amblecrawl/amble"
	"github.com/amblecrawl/amble/analyze"
	"github.com/amblecrawl/amble/examples/internal/cli"
)

// What the crawler promises about budget and pace.
const (
	maxPages     = 200                     // C7, per site and day
	maxTime      = 10 * time.Minute        // C7
	maxSitemaps  = 4                       // C3
	pageBytes    = 1 << 20                 // C5
	answerTime   = 15 * time.Second        // C5
	pace         = 1100 * time.Millisecond // C8: a second, and what the network may make of it
	maxDelay     = 10 * time.Second        // C9
	betweenRuns  = 20 * time.Hour          // C10: about once a day, whatever the hour it started
	robotsAtOnce = time.Hour               // C2: once a run, so longer than a run may take
)

// audit is one run's crawler and what it knows of the site.
type audit struct {
	crawler *amble.Crawler
	domain  string // of a domain property
	prefix  string // of a URL-prefix property
	store   *amble.FileStore
}

func newAudit(o options) (*audit, error) {
	a := &audit{}
	scope, err := a.read(o.property)
	if err != nil {
		return nil, err
	}
	for host := range strings.SplitSeq(o.never, ",") {
		if host = strings.TrimSpace(host); host != "" {
			scope.ExcludeHosts = append(scope.ExcludeHosts, host)
		}
	}
	off, err := offHosts(o.off)
	if err != nil {
		return nil, err
	}
	var sites amble.Switch
	if err := sites.Off(off...); err != nil {
		return nil, err
	}
	who := cli.Who{Agent: o.agent, Args: []string{a.start()}}
	if err := who.Settle("cmskite"); err != nil {
		return nil, err
	}
	who.Agent.Tokens = []string{who.Agent.Name}
	who.Fetcher.HeaderTimeout = answerTime
	var fetcher amble.Fetcher = who.Fetcher
	if o.fetcher != nil {
		fetcher = o.fetcher
	}
	a.crawler = &amble.Crawler{
		Agent:    who.Agent,
		Scope:    scope,
		Switch:   &sites,
		Fetcher:  fetcher,
		Discover: amble.DiscoverOnlySitemaps,
		Workers:  1, // one site: more would only wait for one another
		Budget: amble.Budget{
			Pages: min(max(o.pages, 1), maxPages), Time: min(max(o.limit, time.Second), maxTime),
			PageBytes: pageBytes, PageTime: answerTime, Sitemaps: maxSitemaps, SitemapEntries: 10_000,
		},
		Quota: amble.Quota{PagesPerDay: maxPages, Between: betweenRuns},
		// By domain: http and https, with and without www, are one server more often than not.
		Limiter:   &amble.ServerLimiter{Pace: pace, Concurrency: 1, MaxCrawlDelay: maxDelay, By: amble.ByDomain},
		Robots:    &amble.RFC9309{Tokens: who.Agent.ProductTokens(), Google: true, MinAge: robotsAtOnce, Retry: robotsAtOnce},
		Analyzers: []amble.Analyzer{analyze.Metadata(who.Agent)},
	}
	if o.again {
		a.crawler.Quota.Between = 0
	}
	if o.list != "" {
		a.crawler.Discover = amble.DiscoverNothing
	}
	if o.state != "" {
		if a.store, err = amble.OpenFileStore(filepath.Join(o.state, a.site()), nil); err != nil {
			return nil, err
		}
		a.crawler.Store = a.store
	}
	return a, nil
}

// read understands a Search Console property: a URL prefix, or a domain (C1).
func (a *audit) read(property string) (amble.Scope, error) {
	if domain, ok := strings.CutPrefix(property, "sc-domain:"); ok {
		a.domain = domain
		return amble.Scope{Domains: []string{domain}}, nil
	}
	u, err := url.Parse(property)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return amble.Scope{}, fmt.Errorf("cmskite: -property %q is neither a URL prefix (https://example.com/blog/) nor a domain (sc-domain:example.com): %w",
			property, amble.ErrConfig)
	}
	if u.Path == "" {
		u.Path = "/"
	}
	a.prefix = u.String()
	return amble.Scope{Prefixes: []string{a.prefix}}, nil
}

// start is a URL of the property's server.
func (a *audit) start() string {
	if a.domain != "" {
		return "https://" + a.domain + "/"
	}
	return a.prefix
}

// seeds are the pages of the list, or the server whose sitemaps are read (C4).
func (a *audit) seeds(o options) ([]string, error) {
	if o.list == "" {
		return []string{a.start()}, nil
	}
	urls, err := readList(o.list)
	if err == nil && len(urls) == 0 {
		err = fmt.Errorf("cmskite: %s lists no page: %w", o.list, amble.ErrConfig)
	}
	return urls, err
}

// host is the property's host or domain.
func (a *audit) host() string {
	if u, err := url.Parse(a.prefix); a.domain == "" && err == nil {
		return u.Hostname()
	}
	return a.domain
}

// site is what the quotas hold for: the registrable domain, or the host where there is none. All its properties share
// one folder.
func (a *audit) site() string {
	host := strings.ToLower(a.host())
	if domain, err := publicsuffix.EffectiveTLDPlusOne(host); err == nil {
		host = domain
	}
	return strings.ReplaceAll(host, ":", "_") // an IPv6 address is no file name everywhere
}

func (a *audit) close() {
	if a.store != nil {
		_ = a.store.Close()
	}
}

// watch reads the off file again and again during the run, so that a site can be switched off at any time (C1). stop ends
// the watching.
func (a *audit) watch(ctx context.Context, path string) (stop func()) {
	ctx, stop = context.WithCancel(ctx)
	if path == "" {
		return stop
	}
	go func() {
		tick := time.NewTicker(time.Second)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
			if hosts, err := offHosts(path); err == nil {
				_ = a.crawler.Switch.Off(hosts...) // what is no host switches nothing off
			}
		}
	}()
	return stop
}

// offHosts reads the list of sites that are switched off. A file that is not there lists none.
func offHosts(path string) ([]string, error) {
	if path == "" {
		return nil, nil
	}
	if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	return readList(path)
}
