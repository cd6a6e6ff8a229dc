package sitemapxml

import "strings"

// space is a namespace that means something here.
type space uint8

const (
	spaceOther   space = iota // one that is of no interest
	spaceNone                 // no namespace
	spaceUnbound              // a prefix that is bound to nothing
	spaceRoot                 // that of the root element where it is none of these
	spaceSitemap
	spaceImage
	spaceVideo
	spaceNews
	spaceXHTML
	spaceAtom
)

var spaces = []struct {
	uri    string
	prefix string // that everyone uses for it
	space  space
}{
	{"http://www.sitemaps.org/schemas/sitemap/0.9", "", spaceSitemap},
	{"http://www.google.com/schemas/sitemap-image/1.1", "image", spaceImage},
	{"http://www.google.com/schemas/sitemap-video/1.1", "video", spaceVideo},
	{"http://www.google.com/schemas/sitemap-news/0.9", "news", spaceNews},
	{"http://www.w3.org/1999/xhtml", "xhtml", spaceXHTML},
	{"http://www.w3.org/2005/Atom", "", spaceAtom},
}

// spaceOf finds the namespace that uri means. exact is false where it is spelt wrongly (https, case, a slash, another
// version) in a way that leaves no doubt.
func spaceOf(uri string) (s space, exact bool) {
	if uri == "" {
		return spaceNone, true
	}
	for _, known := range spaces {
		if known.uri == uri {
			return known.space, true
		}
	}
	loose := looseURI(uri)
	for _, known := range spaces {
		if looseURI(known.uri) == loose {
			return known.space, false
		}
	}
	return spaceOther, true
}

// looseURI is what is left of a namespace's name without scheme, www, case, blanks and the version's digits.
func looseURI(uri string) string {
	uri = strings.ToLower(strings.TrimSpace(uri))
	uri = strings.TrimPrefix(strings.TrimPrefix(uri, "https:"), "http:")
	uri = strings.TrimPrefix(strings.TrimPrefix(uri, "//"), "www.")
	uri = strings.TrimRight(uri, "/")
	if strings.Contains(uri, "/schemas/sitemap") {
		uri = strings.TrimRight(uri, "0123456789./")
	}
	return uri
}

// spaceOfPrefix guesses what an unbound prefix stands for.
func spaceOfPrefix(prefix string) space {
	for _, known := range spaces {
		if known.prefix != "" && known.prefix == prefix {
			return known.space
		}
	}
	return spaceUnbound
}

// binding is one xmlns attribute in force.
type binding struct {
	prefix, uri string
	space       space
}

// splitName cuts a name at its first colon.
func splitName(name []byte) (prefix, local []byte) {
	for i, c := range name {
		if c == ':' {
			return name[:i], name[i+1:]
		}
	}
	return nil, name
}
