package netguard

import (
	"net/netip"
	"net/url"
	"strconv"
	"strings"

	"golang.org/x/net/idna"
)

// ParseURL reads raw strictly and applies the URL rule. What Go's parser and browsers may read differently (control
// characters, backslashes and escapes in the host) is refused.
func (p *Policy) ParseURL(raw string) (*url.URL, error) {
	u, err := url.Parse(raw)
	if err != nil {
		// Not err itself: it repeats the URL.
		return nil, &Error{Rule: RuleURL, Detail: "the URL cannot be read without doubt"}
	}
	if err := p.CheckURL(u); err != nil {
		return nil, err
	}
	return u, nil
}

// CheckURL is the URL rule, asked before DNS: scheme http or https, no credentials, a host that is a valid name of two
// labels or more or an allowed address in whatever spelling, an allowed port. It returns nil or an *Error.
func (p *Policy) CheckURL(u *url.URL) error {
	if u.Scheme != "http" && u.Scheme != "https" {
		return &Error{Rule: RuleScheme, Host: u.Hostname(), Detail: "scheme " + strconv.QuoteToASCII(u.Scheme) + " is neither http nor https"}
	}
	if u.User != nil {
		return &Error{Rule: RuleCredentials, Host: u.Hostname(), Detail: "the URL holds credentials"}
	}
	if u.Opaque != "" {
		return &Error{Rule: RuleURL, Detail: "the URL has no authority"}
	}
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	_, err := p.checkHostPort(u.Hostname(), port)
	return err
}

// checkHostPort is the URL rule's part that concerns the server. It returns the host in its canonical form.
func (p *Policy) checkHostPort(host, port string) (string, error) {
	name, addr, ok := canonicalHost(host)
	if !ok {
		return "", &Error{Rule: RuleHost, Host: host, Detail: "not a valid host name or address"}
	}
	// ParseUint with 16 bits, so that 65616 does not wrap round to 80.
	n, err := strconv.ParseUint(port, 10, 16)
	if err != nil {
		return "", &Error{Rule: RulePort, Host: host, Port: port, Detail: "not a port number"}
	}
	if err := p.checkPort(uint16(n)); err != nil {
		err.Host = host
		return "", err
	}
	if addr.IsValid() {
		if err := p.checkIP(addr); err != nil {
			return "", withHost(err, host)
		}
		return addr.String(), nil
	}
	if !p.AllowSingleLabel && !strings.Contains(strings.TrimSuffix(name, "."), ".") {
		return "", &Error{Rule: RuleSingleLabel, Host: host, Detail: "a name of a single label may mean a machine of the local network"}
	}
	return name, nil
}

// canonicalHost reads a host as the URL Standard's host parser does: international names become ASCII, every spelling
// of an IPv4 address (octal, hexadecimal, short, decimal, full-width) becomes that address. One trailing dot of a name
// is kept: it is legal and makes the lookup absolute.
func canonicalHost(host string) (name string, addr netip.Addr, ok bool) {
	if strings.Contains(host, ":") {
		addr, err := netip.ParseAddr(host)
		return "", addr, err == nil
	}
	name = host
	for i := range len(host) {
		if host[i] >= 0x80 {
			var err error
			if name, err = idna.Lookup.ToASCII(host); err != nil {
				return "", netip.Addr{}, false
			}
			break
		}
	}
	name = strings.ToLower(name)
	labels := strings.Split(strings.TrimSuffix(name, "."), ".")
	if isNumber(labels[len(labels)-1]) {
		addr, ok := parseIPv4(labels)
		return "", addr, ok
	}
	return name, netip.Addr{}, validName(labels)
}

// validName reports whether the labels, in lower case, make a host name that DNS can hold. Underscores are no host
// name by the letter of RFC 1123, but sites have them.
func validName(labels []string) bool {
	length := len(labels) - 1
	for _, label := range labels {
		length += len(label)
		if label == "" || len(label) > 63 {
			return false
		}
		for i := range len(label) {
			c := label[i]
			if (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-' && c != '_' {
				return false
			}
		}
	}
	return length <= 253
}

// isNumber is the URL Standard's test for a host that ends in a number, applied to its last label.
func isNumber(label string) bool {
	if label == "" {
		return false
	}
	if strings.Trim(label, "0123456789") == "" {
		return true
	}
	hex, ok := strings.CutPrefix(label, "0x")
	return ok && strings.Trim(hex, "0123456789abcdef") == ""
}

// parseIPv4 is the URL Standard's IPv4 parser: up to four numbers, decimal, octal or hexadecimal, the last of which
// fills the bytes that are left.
func parseIPv4(labels []string) (netip.Addr, bool) {
	if len(labels) > 4 {
		return netip.Addr{}, false
	}
	var sum uint64
	for i, label := range labels {
		n, ok := parseNumber(label)
		if !ok {
			return netip.Addr{}, false
		}
		if i < len(labels)-1 {
			if n > 255 {
				return netip.Addr{}, false
			}
			sum |= n << (8 * (3 - i))
			continue
		}
		if n >= 1<<(8*(5-len(labels))) {
			return netip.Addr{}, false
		}
		sum |= n
	}
	return netip.AddrFrom4([4]byte{byte(sum >> 24), byte(sum >> 16), byte(sum >> 8), byte(sum)}), true
}

func parseNumber(label string) (uint64, bool) {
	base := 10
	if hex, ok := strings.CutPrefix(label, "0x"); ok {
		label, base = hex, 16
	} else if len(label) > 1 && label[0] == '0' {
		label, base = label[1:], 8
	} else if label == "" {
		return 0, false
	}
	if label == "" {
		return 0, true // "0x" is zero
	}
	if label[0] == '+' || label[0] == '-' || strings.Contains(label, "_") {
		return 0, false
	}
	n, err := strconv.ParseUint(label, base, 64)
	return n, err == nil
}
