package urlkey

import "strings"

// HasPathPrefix reports whether a path lies under a prefix, on the border of a segment. Both are as [URL.Path] gives
// them, byte for byte.
//
//   - A prefix that ends with a slash covers what begins with it: "/blog/" covers "/blog/" and "/blog/x", neither
//     "/blogger" nor "/blog". The page without the slash is outside, as it is for the Search Console property
//     https://example.com/blog/: it is another resource, mostly a redirect.
//   - A prefix without one covers that very path and what lies below it: "/blog" covers "/blog", "/blog/" and
//     "/blog/x", not "/blogger".
//   - "" and "/" cover everything.
func HasPathPrefix(path, prefix string) bool {
	if !strings.HasPrefix(path, prefix) {
		return false
	}
	return prefix == "" || prefix[len(prefix)-1] == '/' || len(path) == len(prefix) || path[len(prefix)] == '/'
}
