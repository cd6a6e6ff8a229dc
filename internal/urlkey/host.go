package urlkey

import (
	"net/netip"
	"strings"

	"golang.org/x/net/publicsuffix"
)

// Host returns a host name, as a person or a configuration writes it, in the form that [URL.Hostname] has:
// "BÜCHER.example" gives "xn--bcher-kva.example", "0x7f.1" gives "127.0.0.1", "::1" gives "[::1]". A dot at the end is
// kept. It takes a name only: no port, no scheme. The error is an [*Error].
func Host(name string) (string, error) {
	if addr, err := netip.ParseAddr(name); err == nil && addr.Is6() && addr.Zone() == "" {
		name = "[" + name + "]"
	}
	inBrackets := strings.HasPrefix(name, "[") && strings.HasSuffix(name, "]")
	if name == "" || !inBrackets && strings.ContainsAny(name, ":/?#@\\") {
		return "", refuse(name, ErrInvalid)
	}
	u, err := Parse("http://" + name)
	if err != nil {
		return "", err
	}
	if u.Path() != "/" || u.HasQuery() || u.HasFragment() || u.HasCredentials() || u.Port() != "" {
		return "", refuse(name, ErrInvalid)
	}
	return u.Hostname(), nil
}

// Registrable returns the part of a host that someone registered: the public suffix and one label in front of it,
// "example.co.uk" for "www.example.co.uk". The list is that of golang.org/x/net/publicsuffix, with its private section:
// "someone.github.io" is registrable. A dot at the end does not count. It reports false for an IP address, for a name
// that is itself a public suffix (or a single label, such as "localhost"), and for text that is no host.
func Registrable(host string) (string, bool) {
	host, ok := plainDomain(host)
	if !ok {
		return "", false
	}
	domain, err := publicsuffix.EffectiveTLDPlusOne(host)
	return domain, err == nil
}

// WithinDomain reports whether host is domain or a name below it, label by label: "www.example.com" is within
// "example.com", "notexample.com" is not. Both may be in any form ([Host]); a dot at the end does not count. An IP
// address is within itself only.
func WithinDomain(host, domain string) bool {
	h, hostIsName := plainDomain(host)
	d, domainIsName := plainDomain(domain)
	if h == "" || h == d {
		return h != ""
	}
	if !hostIsName || !domainIsName {
		return false
	}
	cut := len(h) - len(d)
	return cut > 0 && h[cut-1] == '.' && h[cut:] == d
}

// plainDomain returns a host in its one form without a dot at the end, and whether it is a domain name rather than an
// address; "" for text that is no host.
func plainDomain(host string) (string, bool) {
	if isPlain(host) {
		return strings.TrimSuffix(host, "."), true
	}
	host, err := Host(host)
	if err != nil {
		return "", false
	}
	host = strings.TrimSuffix(host, ".")
	if host == "" || host[0] == '[' {
		return host, false
	}
	_, err = netip.ParseAddr(host)
	return host, err != nil
}

// isPlain reports whether a host is certainly in its final form: the common case, without allocation.
func isPlain(host string) bool {
	label := 0
	for i := 0; i < len(host); i++ {
		c := host[i]
		if class[c]&hostByte == 0 || 'A' <= c && c <= 'Z' {
			return false
		}
		if c == '.' && i+1 < len(host) {
			if i == label || isPunycode(host[label:i]) {
				return false
			}
			label = i + 1
		}
	}
	return label < len(host) && isLetter(host[label]) && !isPunycode(host[label:])
}
