package urlkey

import (
	"fmt"
	"net/url"
	"strings"

	whatwg "github.com/nlnwa/whatwg-url/url"
	"golang.org/x/net/idna"
)

// Lengths up to which the library is asked: some of its steps take the square of a length.
const (
	maxAuthority = 512 // a name server takes 253 bytes
	maxLibrary   = 2 << 10
)

// library resolves href as resolve does, by github.com/nlnwa/whatwg-url. Its error is the bare reason.
//
// The library's parser holds nothing but options; one is made for each call, because its hook is the only way to see
// the host as written.
func library(base URL, href string) (URL, error) {
	u, err := URL{}, errLibraryBounds
	if withinBounds(href) {
		u, err = reference(base, href)
	}
	if err == nil && !withinBounds(u.href) { // or we would not read what we have written
		err = errLibraryBounds
	}
	if err != nil {
		return URL{}, err
	}
	return u, nil
}

var errLibraryBounds = fmt.Errorf("%w, or %d in its host, or %d altogether for a URL that is not http", ErrTooLong,
	maxAuthority, maxLibrary)

func withinBounds(href string) bool {
	return len(href) <= maxLibrary && authorityLength(href) <= maxAuthority
}

// reference is library without bounds.
func reference(base URL, href string) (u URL, err error) {
	defer func() {
		if r := recover(); r != nil {
			u, err = URL{}, fmt.Errorf("%w: %.200s", ErrInvalid, fmt.Sprint(r))
		}
	}()
	var host string
	parser := whatwg.NewParser(
		whatwg.WithPathPercentEncodeSet(pathSet),
		whatwg.WithPreParseHostFunc(func(_ *whatwg.Url, raw string) string { host = raw; return raw }),
	)
	from := base.href
	n := schemeLength(href)
	if n > 0 && (strings.HasPrefix(href[n+1:], "//") || !strings.EqualFold(href[:n], base.Scheme())) {
		from = "" // no base matters: save reading it
	}
	parsed, err := parser.ParseRef(from, href)
	if err == nil {
		err = misread(parsed, host)
	}
	if err != nil {
		return URL{}, fmt.Errorf("%w: %.200s", ErrInvalid, err.Error()) // the library repeats the input
	}
	serialised := parsed.Href(false)
	if len(serialised) > 3*MaxLength {
		return URL{}, ErrTooLong
	}
	return split(serialised), nil
}

// authorityLength returns the length of what stands between two slashes and the next delimiter.
func authorityLength(href string) int {
	_, rest, ok := strings.Cut(href, "//")
	if !ok {
		return 0
	}
	if i := strings.IndexAny(rest, "/?#\\"); i >= 0 {
		return i
	}
	return len(rest)
}

// pathSet is the standard's path percent-encode set of today: "^" joined it after the library was written, and browsers
// encode it.
var pathSet = whatwg.PathPercentEncodeSet.Set('^')

// misread finds hosts that the library takes for IP addresses and the standard does not: brackets in brackets, and
// numbers with a sign ("+127.1"). The standard fails for most of these and takes some ("0x+1") for domains; no name
// server knows such a name, so all are refused.
func misread(u *whatwg.Url, host string) error {
	switch {
	case u.IsIPv6():
		if strings.Count(host, "[") > 1 || strings.Count(host, "]") > 1 {
			return fmt.Errorf("host %q has brackets inside brackets", host)
		}
	case u.IsIPv4():
		decoded, err := url.PathUnescape(host)
		if err != nil {
			return err
		}
		ascii, _ := signs.ToASCII(decoded)
		if strings.ContainsAny(ascii, "+-") {
			return fmt.Errorf("host %q has a sign in a number", host)
		}
	}
	return nil
}

// signs maps the many forms of plus and minus to one.
var signs = idna.New(idna.MapForLookup(), idna.VerifyDNSLength(false), idna.StrictDomainName(false))
