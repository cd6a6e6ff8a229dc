// Package netguard decides which URLs and addresses a crawler may connect to, so that no page, redirect or DNS answer
// can turn it against the network that it runs in (server-side request forgery).
//
// Two rules are asked. The URL rule ([Policy.CheckURL]) runs before DNS and sees what only the URL shows: scheme, port,
// credentials, the form of the host. The address rule ([Policy.CheckAddr]) runs in the dialer's control hook
// ([Dialer], [Policy.Control]), once for every address that is about to be connected to. There is no lookup between
// that check and the connect, so changing DNS answers, mixed answers and odd spellings of an address are all harmless:
// the address that is checked is the address that is used.
package netguard

import (
	"net/netip"
	"slices"
	"strconv"
)

// Policy says what may be reached. The zero value is the safe default: http and https, ports 80 and 443, names of two
// labels or more, public addresses. A Policy is plain data; its methods may be called concurrently while nobody
// changes it.
type Policy struct {
	// Ports that may be connected to; empty means 80 and 443. Port 0 is never allowed.
	Ports []uint16

	// AnyPort switches the port rule off. Meant for tests and demos, whose servers listen where the system puts them.
	AnyPort bool

	// AllowPrefixes are networks that may be reached although the built-in list refuses them: 127.0.0.0/8 for a demo,
	// an office network for an audit of an intranet. IPv4 is written as IPv4, never in its mapped form.
	AllowPrefixes []netip.Prefix

	// DenyPrefixes are networks that are refused besides the built-in list, for instance the public addresses of one's
	// own machines. They win over AllowPrefixes.
	DenyPrefixes []netip.Prefix

	// NAT64 allows addresses in 64:ff9b::/96 (RFC 6052) when the IPv4 address inside is allowed. Only a host without
	// IPv4, behind a translator, needs it. The prefix for local use, 64:ff9b:1::/48 (RFC 8215), stays refused.
	NAT64 bool

	// AllowSingleLabel allows names without a dot ("intranet", "localhost"), which the system may resolve through its
	// search domains. The address rule still holds for what they resolve to.
	AllowSingleLabel bool
}

// CheckAddr is the address rule: it returns nil when the policy lets ap be connected to, otherwise an *Error. An
// IPv4-mapped IPv6 address counts as the IPv4 address that it is.
func (p *Policy) CheckAddr(ap netip.AddrPort) error {
	if err := p.checkPort(ap.Port()); err != nil {
		err.Addr = ap.Addr()
		return err
	}
	return p.checkIP(ap.Addr())
}

// checkIP is the address rule without the port.
func (p *Policy) checkIP(addr netip.Addr) error {
	if !addr.IsValid() {
		return &Error{Rule: RuleAddress, Addr: addr, Detail: "not an IP address"}
	}
	// First of all, because netip.Prefix.Contains is false for a zoned address and would pass it by any deny list.
	if addr.Zone() != "" {
		return &Error{Rule: RuleZone, Addr: addr, Detail: "an address with a zone names an interface of this machine"}
	}
	addr = addr.Unmap()
	if contains(p.DenyPrefixes, addr) {
		return &Error{Rule: RuleDenied, Addr: addr, Detail: "in DenyPrefixes"}
	}
	if contains(p.AllowPrefixes, addr) {
		return nil
	}
	if nat64.Contains(addr) && p.NAT64 {
		return p.checkEmbedded(addr, lastFour(addr), "NAT64")
	}
	if s, ok := special(addr); ok {
		return &Error{Rule: s.rule, Addr: addr, Detail: s.name}
	}
	if v4, ok := isatap(addr); ok {
		return p.checkEmbedded(addr, v4, "ISATAP")
	}
	return nil
}

// checkEmbedded judges an IPv6 address by the IPv4 address that a translator or tunnel would send the packet to.
func (p *Policy) checkEmbedded(outer, inner netip.Addr, how string) error {
	if err := p.checkIP(inner); err != nil {
		return &Error{Rule: RuleEmbedded, Addr: outer, Detail: how + " of " + inner.String() + ", which is refused"}
	}
	return nil
}

// checkPort is the port rule; the caller fills in whose port it is.
func (p *Policy) checkPort(port uint16) *Error {
	switch {
	case port == 0:
		return &Error{Rule: RulePort, Port: "0", Detail: "port 0"}
	case p.AnyPort, len(p.Ports) == 0 && (port == 80 || port == 443), slices.Contains(p.Ports, port):
		return nil
	}
	s := strconv.Itoa(int(port))
	return &Error{Rule: RulePort, Port: s, Detail: "port " + s + " is not in the list"}
}

func contains(prefixes []netip.Prefix, addr netip.Addr) bool {
	return slices.ContainsFunc(prefixes, func(p netip.Prefix) bool { return p.Contains(addr) })
}
