package robotstxt

import "strings"

// pathOf finds the part of a URL that rules are compared with: path, parameters and query, from the first "/", "?" or
// ";" after the authority up to the fragment. It accepts a whole URL, one without a scheme, and a path. When slash is
// true the part does not begin with a slash and one has to be put before it; a URL without any such part has the path
// "/".
func pathOf(url string) (path string, slash bool) {
	start := 0
	switch {
	case strings.HasPrefix(url, "https://"):
		start = len("https://")
	case strings.HasPrefix(url, "http://"):
		start = len("http://")
	case strings.HasPrefix(url, "//"):
		start = len("//")
	}
	i := authorityEnd(url, start)
	// Of any other scheme, the colon and the two slashes must be the first of their kind.
	if start < len("http://") && i > start && strings.HasPrefix(url[i-1:], "://") {
		i = authorityEnd(url, i+len("//"))
	}
	if i == len(url) || strings.IndexByte(url[:i], '#') >= 0 {
		return "/", false
	}
	path = url[i:]
	if end := strings.IndexByte(path, '#'); end >= 0 {
		path = path[:end]
	}
	return path, path[0] != '/'
}

// authorityEnd returns where the path, parameters or query begin, looking from start on.
func authorityEnd(url string, start int) int {
	for i := start; i < len(url); i++ {
		if c := url[i]; c <= '?' && (c == '/' || c == '?' || c == ';') {
			return i
		}
	}
	return len(url)
}
