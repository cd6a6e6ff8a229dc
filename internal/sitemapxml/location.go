package sitemapxml

import (
	"strings"

	"github.com/nlnwa/whatwg-url/url"
)

// location is an absolute http or https URL, taken apart as the rules of sitemaps need it.
type location struct {
	href        string // without fragment
	origin      string // scheme://host[:port]
	path        string
	hasFragment bool
}

// parseLocation reads an absolute http or https URL by the URL standard.
func parseLocation(s string) (location, bool) {
	u, err := url.Parse(s)
	if err != nil {
		return location{}, false
	}
	return locationOf(u, s)
}

// resolveLocation is parseLocation for a reference that may be relative to base.
func resolveLocation(s, base string) (location, bool) {
	u, err := url.ParseRef(base, s)
	if err != nil {
		return location{}, false
	}
	return locationOf(u, s)
}

func locationOf(u *url.Url, written string) (location, bool) {
	if scheme := u.Scheme(); scheme != "http" && scheme != "https" || u.Hostname() == "" {
		return location{}, false
	}
	return location{
		href:        u.Href(true),
		origin:      u.Scheme() + "://" + u.Host(),
		path:        u.Pathname(),
		hasFragment: strings.Contains(written, "#"),
	}, true
}

// directory is the path of l up to and with its last slash.
func (l location) directory() string { return l.path[:strings.LastIndexByte(l.path, '/')+1] }
