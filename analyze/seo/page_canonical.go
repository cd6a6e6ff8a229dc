package seo

import (
	"slices"
	"strings"

	"github.com/amblecrawl/amble/internal/urlkey"
)

// canonicals judges the canonical addresses that the page names; what they lead to is judged at the end.
func canonicals(c *pass) {
	var tags, headers, all []string
	for _, d := range c.Meta.Canonicals {
		place := "link element"
		if d.Header {
			place = "Link header"
		}
		fail := func(rule, message string) {
			c.Fail(rule, d.URL, d.Href, message, "href", d.Href, "place", place)
		}
		if !d.Header && !d.Head {
			fail("canonical-outside-head", "The canonical link stands in the body and does not count.")
			continue
		}
		u, err := urlkey.Parse(d.URL)
		if strings.TrimSpace(d.Href) == "" || d.URL == "" || err != nil || u.Kind() != urlkey.KindHTTP {
			fail("canonical-invalid", "The canonical address is empty or no web address.")
			continue
		}
		if isRelative(d.Href) {
			fail("canonical-relative", "The canonical address is not absolute.")
		}
		if u.HasFragment() && u.Fragment() != "" {
			fail("canonical-fragment", "The canonical address has a fragment.")
		}
		switch {
		case u.Host() != c.At.Host() && !twins(u.Hostname(), c.At.Hostname()):
			fail("canonical-cross-domain", "The canonical address is on another host.")
		case u.Scheme() == "http" && c.At.Scheme() == "https":
			fail("canonical-http", "The canonical address of an https page is an http one.")
		case u.Path() == "/" && !u.HasQuery() && c.At.Path() != "/" && !indexNames[strings.ToLower(c.At.Path())]:
			fail("canonical-to-root", "A page below the home page names the home page as canonical.")
		}
		if d.Header {
			headers = append(headers, u.String())
		} else {
			tags = append(tags, u.String())
		}
		all = append(all, u.String())
	}
	slices.Sort(tags)
	slices.Sort(headers)
	tags, headers = slices.Compact(tags), slices.Compact(headers)
	switch {
	case len(tags) > 1 || len(headers) > 1:
		c.Fail("canonical-multiple", "", "", "The page names several canonical addresses.", "addresses", strings.Join(all, " "))
	case len(tags) == 1 && len(headers) == 1 && tags[0] != headers[0]:
		c.Fail("canonical-conflict", "", "", "The Link header and the link element name different canonical addresses.", "header", headers[0], "element", tags[0])
	case len(c.Meta.Canonicals) == 0 && c.Whole && !c.Meta.Robots.NoIndex && c.Meta.Refresh == nil:
		c.Fail("canonical-missing", "", "", "The page names no canonical address.")
	}
}

var indexNames = map[string]bool{"/index.html": true, "/index.htm": true, "/index.php": true, "/default.aspx": true}

// twins tells whether two hosts differ in a leading www only.
func twins(a, b string) bool { return strings.TrimPrefix(a, "www.") == strings.TrimPrefix(b, "www.") }
