package amble

import (
	"net/http"
	"time"

	"github.com/amblecrawl/amble/internal/httpfield"
	"github.com/amblecrawl/amble/internal/urlkey"
)

// ResolveURL returns the URL that a browser goes to when a page at base holds a link with this href, by the URL
// standard (https://url.spec.whatwg.org), in the one spelling that the crawl knows it by, without its fragment. An empty
// base is allowed for an absolute href. The error matches ErrBadURL.
func ResolveURL(base, href string) (string, error) {
	var from urlkey.URL
	var err error
	if base != "" {
		if from, err = urlkey.Parse(base); err != nil {
			return "", &Error{Op: "url", URL: base, Kind: ErrBadURL, Err: err}
		}
	}
	u, err := urlkey.Resolve(from, href)
	if err != nil {
		return "", &Error{Op: "url", URL: href, Kind: ErrBadURL, Err: err}
	}
	return u.String(), nil
}

// RetryAfter reads a Retry-After header (RFC 9110 section 10.2.3), a number of seconds or a date in any of the three
// forms of HTTP, before any clamp. ok is false when there is none that can be used: a default wait applies then.
func RetryAfter(h http.Header, now time.Time) (wait time.Duration, ok bool) {
	return httpfield.RetryAfter(h.Values("Retry-After"), now)
}
