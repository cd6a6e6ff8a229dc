package urlkey

import (
	"fmt"
	"net/url"
	"strings"

	whatwg "github.com/nlnwa/whatwg-url/url"
	"golang.org/x/net/idna"
)

// slow lets the library do the work. Its parser holds nothing but options; one is made for each call, because its
// hook is the only way to see the host as written.
func slow(base URL, href string) (u URL, err error) {
	defer func() {
		if r := recover(); r != nil {
			u, err = URL{}, refuse(href, fmt.Errorf("%w: %v", ErrInvalid, r))
		}
	}()
	var host string
	parser := whatwg.NewParser(
		whatwg.WithPathPercentEncodeSet(pathSet),
		whatwg.WithPreParseHostFunc(func(_ *whatwg.Url, raw string) string { host = raw; return raw }),
	)
	from := base.href
	if n := schemeLength(href); n > 0 && strings.HasPrefix(href[n+1:], "//") {
		from = "" // no base matters: save reading it
	}
	parsed, err := parser.ParseRef(from, href)
	if err == nil {
		err = misread(parsed, host)
	}
	if err != nil {
		return URL{}, refuse(href, fmt.Errorf("%w: %w", ErrInvalid, err))
	}
	serialised := parsed.Href(false)
	if len(serialised) > MaxLength {
		return URL{}, refuse(href, ErrTooLong)
	}
	return split(serialised), nil
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
