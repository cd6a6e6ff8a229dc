package amble

import (
	"net/url"
	"slices"
	"strings"
	"sync"

	"github.com/amblecrawl/amble/internal/pattern"
	"github.com/amblecrawl/amble/internal/urlkey"
)

// Scope says what may be visited. The zero Scope means the origins of the seeds; where a seed itself redirects to its
// twin (http to https, with or without "www."), the twin as well. All hosts are compared in one form, lower case and
// IDNA, label by label; never by suffix of characters.
type Scope struct {
	// Origins are servers: "https://example.com".
	Origins []string

	// Prefixes are URL prefixes, as a URL-prefix property of Search Console is: "https://example.com/blog/" covers what
	// begins with it, on a segment border: never /blogger (C1).
	Prefixes []string

	// Domains are whole domains, as a domain property is: every host below, every scheme and port. A public suffix such
	// as "co.uk" or "github.io" is refused.
	Domains []string

	// ExcludeHosts are never visited, nor any host below them: the operator's list. It beats all else, for every kind of
	// request.
	ExcludeHosts []string

	// Include, when not empty, lets in only URLs whose path and query match one of these patterns; Exclude keeps out
	// those that match one. Patterns are those of robots.txt rules: from the start of the path, * for any characters, a
	// final $ for the end.
	Include []string
	Exclude []string
}

// Check reports whether the Scope covers a URL; the error matches ErrOutOfScope and names the rule, or ErrConfig when
// the Scope itself cannot work. A Scope without Origins, Prefixes and Domains covers nothing here, since it has no seeds
// to go by.
func (s Scope) Check(rawURL string) error {
	compiled, err := s.compile(nil)
	if err != nil {
		return err
	}
	key, err := urlkey.Parse(rawURL)
	if err != nil {
		return &Error{Op: "scope", URL: rawURL, Kind: ErrBadURL, Err: err}
	}
	return compiled.covers(key)
}

// scope is a Scope made ready.
type scope struct {
	mu       sync.RWMutex
	origins  map[string]bool // grows by twins
	prefixes []urlkey.URL
	domains  []string
	excluded []string
	include  []pattern.Pattern
	exclude  []pattern.Pattern
	implicit bool // made of the seeds alone
	sameSite bool // files of pages must be in scope too
	off      *Switch
}

func (s Scope) compile(seeds []urlkey.URL) (*scope, error) {
	c := &scope{origins: make(map[string]bool)}
	bad := func(field, value, why string) error {
		return &Error{Op: "scope", Kind: ErrConfig, Reason: "Scope." + field + ": " + value + ": " + why}
	}
	for _, raw := range s.Origins {
		u, err := urlkey.Parse(raw)
		if err != nil || u.Kind() != urlkey.KindHTTP {
			return nil, bad("Origins", raw, "is not an http or https address")
		}
		if u.RequestURI() != "/" {
			return nil, bad("Origins", raw, "has a path; use Prefixes")
		}
		c.origins[u.Origin()] = true
	}
	for _, raw := range s.Prefixes {
		u, err := urlkey.Parse(raw)
		if err != nil || u.Kind() != urlkey.KindHTTP || u.HasQuery() {
			return nil, bad("Prefixes", raw, "is not an http or https address without a query")
		}
		c.prefixes = append(c.prefixes, u)
	}
	for _, raw := range s.Domains {
		host, err := canonicalHost(raw)
		if err != nil {
			return nil, bad("Domains", raw, "is not a domain name")
		}
		if _, ok := urlkey.Registrable(host); !ok {
			return nil, bad("Domains", raw, "is a public suffix: name one domain below it")
		}
		c.domains = append(c.domains, host)
	}
	for _, raw := range s.ExcludeHosts {
		host, err := canonicalHost(raw)
		if err != nil {
			return nil, bad("ExcludeHosts", raw, "is not a host name")
		}
		c.excluded = append(c.excluded, host)
	}
	var err error
	if c.include, err = compilePatterns(s.Include); err != nil {
		return nil, bad("Include", "", err.Error())
	}
	if c.exclude, err = compilePatterns(s.Exclude); err != nil {
		return nil, bad("Exclude", "", err.Error())
	}
	if len(c.origins)+len(c.prefixes)+len(c.domains) == 0 {
		c.implicit = true
		for _, u := range seeds {
			c.origins[u.Origin()] = true
		}
	}
	return c, nil
}

func compilePatterns(raw []string) ([]pattern.Pattern, error) {
	var out []pattern.Pattern
	for _, text := range raw {
		p, err := pattern.Compile(text)
		if err != nil {
			return nil, err
		}
		out = append(out, p)
	}
	return out, nil
}

// canonicalHost brings a host name, with or without a final dot, into the form that URLs have it in.
func canonicalHost(raw string) (string, error) {
	return urlkey.Host(strings.TrimSuffix(raw, "."))
}

// check is the first gate. Only pages must be in scope: a site's pages load files, link to pages and name sitemaps
// elsewhere. The excluded hosts hold for all.
func (c *scope) check(u *url.URL, kind Kind) error {
	if err := c.off.check(u.String(), u.Hostname()); err != nil {
		return err
	}
	host := strings.TrimSuffix(u.Hostname(), ".")
	for _, excluded := range c.excluded {
		if urlkey.WithinDomain(host, excluded) {
			return outOfScope(u.String(), "the host is excluded ("+excluded+")")
		}
	}
	if kind == KindLink {
		return c.checkLink(u)
	}
	if kind != KindPage && (kind != KindResource || !c.sameSite) {
		return nil
	}
	key, err := urlkey.FromNet(u)
	if err != nil {
		return &Error{Op: "scope", URL: u.String(), Kind: ErrBadURL, Err: err}
	}
	return c.covers(key)
}

// covers reports whether a page's URL is in scope.
func (c *scope) covers(u urlkey.URL) error {
	if u.Kind() != urlkey.KindHTTP {
		return &Error{Op: "scope", URL: u.String(), Kind: ErrBadURL, Reason: "only http and https are visited"}
	}
	if err := c.off.check(u.String(), u.Hostname()); err != nil {
		return err
	}
	host := strings.TrimSuffix(u.Hostname(), ".")
	for _, excluded := range c.excluded {
		if urlkey.WithinDomain(host, excluded) {
			return outOfScope(u.String(), "the host is excluded ("+excluded+")")
		}
	}
	if !c.reaches(u, host) {
		return outOfScope(u.String(), "not covered by the scope ("+c.String()+")")
	}
	target := u.RequestURI()
	if len(c.include) > 0 && !slices.ContainsFunc(c.include, func(p pattern.Pattern) bool { return p.Match(target) }) {
		return outOfScope(u.String(), "no Include pattern matches")
	}
	for _, p := range c.exclude {
		if p.Match(target) {
			return outOfScope(u.String(), "matches the Exclude pattern "+p.String())
		}
	}
	return nil
}

func (c *scope) reaches(u urlkey.URL, host string) bool {
	c.mu.RLock()
	known := c.origins[u.Origin()]
	c.mu.RUnlock()
	if known {
		return true
	}
	for _, prefix := range c.prefixes {
		if prefix.Origin() == u.Origin() && urlkey.HasPathPrefix(u.Path(), prefix.Path()) {
			return true
		}
	}
	return slices.ContainsFunc(c.domains, func(domain string) bool { return urlkey.WithinDomain(host, domain) })
}

// addTwin widens a scope made of the seeds alone when a seed redirects to its twin. It reports whether the twin is new.
func (c *scope) addTwin(from, to urlkey.URL) bool {
	if !c.implicit {
		return false
	}
	bare := func(u urlkey.URL) string { return strings.TrimPrefix(u.Hostname(), "www.") }
	if bare(from) != bare(to) || from.Port() != to.Port() || from.Scheme() == "https" && to.Scheme() == "http" {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.origins[from.Origin()] || c.origins[to.Origin()] {
		return false
	}
	c.origins[to.Origin()] = true
	return true
}

// widen takes servers of an interrupted run into a scope made of the seeds alone.
func (c *scope) widen(origins []Origin) {
	if !c.implicit {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, o := range origins {
		c.origins[string(o)] = true
	}
}

// hasHost reports whether a URL is on a server that the scope reaches.
func (c *scope) hasHost(rawURL string) bool {
	u, err := urlkey.Parse(rawURL)
	return err == nil && c.covers(u) == nil
}

// String names what is covered, shortly.
func (c *scope) String() string {
	c.mu.RLock()
	defer c.mu.RUnlock()
	var names []string
	for origin := range c.origins {
		names = append(names, origin)
	}
	slices.Sort(names)
	for _, prefix := range c.prefixes {
		names = append(names, prefix.String())
	}
	names = append(names, c.domains...)
	if len(names) > 3 {
		names = append(names[:3], "…")
	}
	return strings.Join(names, ", ")
}

func outOfScope(u, reason string) error {
	return &Error{Op: "scope", URL: u, Kind: ErrOutOfScope, Reason: reason}
}

// hostOf returns the host of an origin, without port.
func hostOf(o Origin) string {
	_, host, _ := strings.Cut(string(o), "://")
	if i := strings.LastIndexByte(host, ':'); i >= 0 && !strings.HasSuffix(host, "]") {
		host = host[:i]
	}
	return host
}
