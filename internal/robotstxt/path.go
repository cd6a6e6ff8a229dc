package robotstxt

// pathOf finds the part of a URL that rules are compared with: path, parameters and query, from the first "/", "?" or
// ";" after the authority up to the fragment. It accepts a whole URL, one without a scheme, and a path. When slash is
// true the part does not begin with a slash and one has to be put before it; a URL without any such part has the path
// "/".
func pathOf(url string) (path string, slash bool) {
	from := 0
	if len(url) >= 2 && url[0] == '/' && url[1] == '/' {
		from = 2
	}
	fragment := false
	i := from
	for i < len(url) && !startsPath(url[i]) {
		fragment = fragment || url[i] == '#'
		i++
	}
	if i > from && i+1 < len(url) && url[i] == '/' && url[i-1] == ':' && url[i+1] == '/' {
		for i += 2; i < len(url) && !startsPath(url[i]); i++ {
			fragment = fragment || url[i] == '#'
		}
	}
	if i == len(url) || fragment {
		return "/", false
	}
	path = url[i:]
	for j := range len(path) {
		if path[j] == '#' {
			path = path[:j]
			break
		}
	}
	return path, path[0] != '/'
}

func startsPath(c byte) bool { return c == '/' || c == '?' || c == ';' }
