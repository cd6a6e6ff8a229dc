// Package urlkey gives each URL one spelling, the one of the URL standard (https://url.spec.whatwg.org, "the standard"
// below), so that a crawler asks for what a browser would ask for and knows a URL again when it meets it again.
//
// Nothing is normalised beyond the standard: percent signs, the order of query parameters and a slash at the end all
// stay as written, because changing them asks the server for another resource. The fragment is never sent and no part
// of a URL's identity; it is kept apart for link checks.
//
// Paths, queries and plain host names go through code of our own that costs one allocation. What takes tables or history
// (IP addresses, international host names, other schemes) goes to github.com/nlnwa/whatwg-url. The two give
// the same answers: FuzzAgreesWithLibrary.
package urlkey

import "strings"

// MaxLength is the longest input, without white space around it, and the longest serialised URL, in bytes, fragment
// included. Longer ones are refused with [ErrTooLong]. Sitemaps allow 2,048 bytes and servers seldom take more than
// 8 KiB of request line; data: URLs are often longer, and nothing that a crawler asks for. An unusual host may have
// 512 bytes, an unusual URL of another scheme 2 KiB.
const MaxLength = 8 << 10

// URL is an absolute URL in the standard's spelling. It is a small immutable value: copy it freely, from any
// goroutine. Compare [URL.String] to ask whether two URLs are the same resource; == also compares fragments. The zero
// URL is no URL; its accessors return "". Accessors allocate nothing, except where they say so.
type URL struct {
	href                                              string
	schemeEnd, hostStart, hostEnd, pathStart, pathEnd uint16
	end                                               uint16 // of everything but the fragment
	kind                                              Kind
}

// String returns the URL without its fragment: its identity, and the key for stores. (The standard's "URL serializer"
// with exclude fragment.)
func (u URL) String() string { return u.href[:u.end] }

// Href returns the URL with its fragment, if it has one: what a browser's href attribute would read.
func (u URL) Href() string { return u.href }

// IsZero reports whether u is the zero URL.
func (u URL) IsZero() bool { return u.href == "" }

// Kind says what sort of address this is; only [KindHTTP] can be fetched.
func (u URL) Kind() Kind { return u.kind }

// Scheme returns the scheme in lower case, without the colon.
func (u URL) Scheme() string { return u.href[:u.schemeEnd] }

// Host returns the host, with the port where it is not the scheme's default: "example.com:8080".
func (u URL) Host() string { return u.href[u.hostStart:u.pathStart] }

// Hostname returns the host without the port: a domain in its ASCII form, four decimal numbers, or an IPv6 address in
// brackets. A dot at the end of a domain is kept, as in the standard.
func (u URL) Hostname() string { return u.href[u.hostStart:u.hostEnd] }

// Port returns the port in decimal, or "" where it is the scheme's default.
func (u URL) Port() string {
	if u.hostEnd == u.pathStart {
		return ""
	}
	return u.href[u.hostEnd+1 : u.pathStart]
}

// PortNumber returns the port, the scheme's default included; 0 where the scheme has none.
func (u URL) PortNumber() uint16 {
	port := u.Port()
	if port == "" {
		return defaultPort(u.Scheme())
	}
	n := 0
	for _, c := range []byte(port) {
		n = n*10 + int(c-'0')
	}
	return uint16(n)
}

// HasCredentials reports whether a user name or password stands in front of the host.
func (u URL) HasCredentials() bool {
	return int(u.hostStart) > int(u.schemeEnd)+len("://")
}

// Origin returns scheme, host and port as "https://example.com:8080", without credentials; "null" for anything but http
// and https. It allocates only for a URL with credentials.
func (u URL) Origin() string {
	switch {
	case u.kind != KindHTTP:
		return "null"
	case u.HasCredentials():
		return u.Scheme() + "://" + u.Host()
	}
	return u.href[:u.pathStart]
}

// Path returns the path as it is sent, percent signs and all. For http and https it starts with a slash.
func (u URL) Path() string { return u.href[u.pathStart:u.pathEnd] }

// Query returns what follows the question mark, as it is sent. See [URL.HasQuery] for "/x?", whose query is empty.
func (u URL) Query() string {
	if !u.HasQuery() {
		return ""
	}
	return u.href[u.pathEnd+1 : u.end]
}

// HasQuery reports whether there is a question mark: "/x?" and "/x" are two resources.
func (u URL) HasQuery() bool { return u.pathEnd < u.end }

// RequestURI returns path and query: the target of the request line (RFC 9112 section 3.2.1).
func (u URL) RequestURI() string { return u.href[u.pathStart:u.end] }

// Fragment returns what follows the "#", as the standard writes it (percent signs not decoded).
func (u URL) Fragment() string {
	if !u.HasFragment() {
		return ""
	}
	return u.href[u.end+1:]
}

// HasFragment reports whether there is a "#".
func (u URL) HasFragment() bool { return int(u.end) < len(u.href) }

// WithoutFragment returns the same resource without a fragment.
func (u URL) WithoutFragment() URL {
	u.href = u.href[:u.end]
	return u
}

// split finds the parts of a URL that is already in the standard's spelling.
func split(href string) URL {
	colon := strings.IndexByte(href, ':')
	u := URL{href: href, schemeEnd: uint16(colon), kind: kindOf(href[:colon])}
	end := len(href)
	if i := strings.IndexByte(href, '#'); i >= 0 {
		end = i
	}
	pathEnd := end
	if i := strings.IndexByte(href[:end], '?'); i >= 0 {
		pathEnd = i
	}
	host, hostEnd, path := colon+1, colon+1, colon+1
	if strings.HasPrefix(href[path:pathEnd], "//") {
		host = path + 2
		path = pathEnd
		if i := strings.IndexByte(href[host:pathEnd], '/'); i >= 0 {
			path = host + i
		}
		host += strings.LastIndexByte(href[host:path], '@') + 1
		hostEnd = path
		afterIPv6 := host + strings.LastIndexByte(href[host:path], ']') + 1
		if i := strings.IndexByte(href[afterIPv6:path], ':'); i >= 0 {
			hostEnd = afterIPv6 + i
		}
	}
	u.hostStart, u.hostEnd, u.pathStart = uint16(host), uint16(hostEnd), uint16(path)
	u.pathEnd, u.end = uint16(pathEnd), uint16(end)
	return u
}
