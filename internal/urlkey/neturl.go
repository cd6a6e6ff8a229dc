package urlkey

import (
	"errors"
	"net/url"
	"strings"
)

// URL returns u for net/http, with the one promise that matters there: the request line carries the very bytes of
// [URL.RequestURI], and the Host field those of [URL.Host].
//
// net/url would write some paths in its own way ("|" as "%7C") and refuses others ("%zz"). Such a path goes out through
// Opaque, with Path decoded as far as it can be. For those, url.URL's own String is of no use ("https:/a|b"): take
// [URL.String], or [FromNet] to come back. A path that needs Opaque and starts with two slashes goes out in absolute
// form ("GET https://example.com//a|b"), which servers must accept too (RFC 9112 section 3.2.2): net/http knows no
// other way.
//
// The fragment is left out. URL returns nil for anything but http and https.
func (u URL) URL() *url.URL {
	if u.kind != KindHTTP {
		return nil
	}
	path := u.Path()
	n := &url.URL{Scheme: u.Scheme(), Host: u.Host(), RawQuery: u.Query()}
	n.ForceQuery = u.HasQuery() && n.RawQuery == ""
	n.User = u.userinfo()
	decoded, err := url.PathUnescape(path)
	if err != nil {
		decoded = path
	}
	n.Path = decoded
	if decoded != path {
		n.RawPath = path
	}
	if err != nil || n.EscapedPath() != path {
		n.RawPath = ""
		n.Opaque = path
		if strings.HasPrefix(path, "//") {
			n.Opaque = "//" + u.Host() + path
		}
	}
	return n
}

func (u URL) userinfo() *url.Userinfo {
	if !u.HasCredentials() {
		return nil
	}
	user, password, hasPassword := cut(u.href[int(u.schemeEnd)+len("://"):u.hostStart-1], ':')
	user, password = unescape(user), unescape(password)
	if hasPassword {
		return url.UserPassword(user, password)
	}
	return url.User(user)
}

func unescape(s string) string {
	if d, err := url.PathUnescape(s); err == nil {
		return d
	}
	return s
}

// FromNet returns the URL that net/http would ask for when given n: what [URL.URL] made comes back as it was (credentials
// perhaps with other percent signs), and one that net/url parsed comes back in the standard's spelling. The error is an
// [*Error].
func FromNet(n *url.URL) (URL, error) {
	if n == nil {
		return URL{}, refuse("", ErrInvalid)
	}
	if n.Host == "" && n.Opaque == "" || n.Scheme == "" {
		return URL{}, refuse(n.String(), errNotAbsolute)
	}
	if n.Host == "" {
		return Parse(n.String())
	}
	var b strings.Builder
	b.WriteString(n.Scheme)
	b.WriteString("://")
	if n.User != nil {
		b.WriteString(n.User.String())
		b.WriteByte('@')
	}
	b.WriteString(n.Host)
	target := n.RequestURI()
	if strings.HasPrefix(n.Opaque, "//") {
		target = strings.TrimPrefix(target, n.Scheme+"://"+n.Host)
	}
	b.WriteString(target)
	if n.Fragment != "" {
		b.WriteByte('#')
		b.WriteString(n.EscapedFragment())
	}
	return Parse(b.String())
}

var errNotAbsolute = errors.Join(ErrInvalid, errors.New("scheme or host is missing"))
