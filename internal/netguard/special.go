package netguard

import "net/netip"

// network is a range of addresses that no public site lives in.
type network struct {
	prefix netip.Prefix
	rule   Rule
	name   string
}

// special4 holds the whole IANA IPv4 Special-Purpose Address Registry (RFC 6890), also its few entries that are
// globally reachable (AS112, AMT: infrastructure, never a web site), with multicast and the cloud addresses that look
// public. More specific entries come first, so that the reason given is the best one.
var special4 = []network{
	{netip.MustParsePrefix("0.0.0.0/8"), RuleSpecial, `"this network", RFC 791`},
	{netip.MustParsePrefix("10.0.0.0/8"), RulePrivate, "private use, RFC 1918"},
	{netip.MustParsePrefix("100.64.0.0/10"), RulePrivate, "shared address space of carriers, RFC 6598"},
	{netip.MustParsePrefix("127.0.0.0/8"), RuleLoopback, "loopback, RFC 1122"},
	{netip.MustParsePrefix("169.254.0.0/16"), RuleLinkLocal, "link-local, RFC 3927; metadata service of most clouds"},
	{netip.MustParsePrefix("172.16.0.0/12"), RulePrivate, "private use, RFC 1918"},
	{netip.MustParsePrefix("192.0.0.0/24"), RuleSpecial, "IETF protocol assignments, RFC 6890"},
	{netip.MustParsePrefix("192.0.2.0/24"), RuleSpecial, "documentation (TEST-NET-1), RFC 5737"},
	{netip.MustParsePrefix("192.31.196.0/24"), RuleSpecial, "AS112-v4, RFC 7535"},
	{netip.MustParsePrefix("192.52.193.0/24"), RuleSpecial, "AMT, RFC 7450"},
	{netip.MustParsePrefix("192.88.99.0/24"), RuleSpecial, "deprecated 6to4 relay anycast, RFC 7526"},
	{netip.MustParsePrefix("192.168.0.0/16"), RulePrivate, "private use, RFC 1918"},
	{netip.MustParsePrefix("192.175.48.0/24"), RuleSpecial, "direct delegation AS112 service, RFC 7534"},
	{netip.MustParsePrefix("198.18.0.0/15"), RuleSpecial, "benchmarking, RFC 2544"},
	{netip.MustParsePrefix("198.51.100.0/24"), RuleSpecial, "documentation (TEST-NET-2), RFC 5737"},
	{netip.MustParsePrefix("203.0.113.0/24"), RuleSpecial, "documentation (TEST-NET-3), RFC 5737"},
	{netip.MustParsePrefix("224.0.0.0/4"), RuleSpecial, "multicast, RFC 5771"},
	{netip.MustParsePrefix("255.255.255.255/32"), RuleSpecial, "limited broadcast, RFC 919"},
	{netip.MustParsePrefix("240.0.0.0/4"), RuleSpecial, "reserved, RFC 1112"},
	{netip.MustParsePrefix("168.63.129.16/32"), RuleSpecial, "host services of Azure, reachable from its machines alone"},
}

// special6 names the IPv6 ranges that people meet. Safety does not hang on it outside global6: there, what is not
// listed is refused too.
var special6 = []network{
	{netip.MustParsePrefix("::1/128"), RuleLoopback, "loopback, RFC 4291"},
	{netip.MustParsePrefix("::/128"), RuleSpecial, "unspecified address, RFC 4291"},
	{netip.MustParsePrefix("::/96"), RuleSpecial, "deprecated IPv4-compatible addresses, RFC 4291"},
	{netip.MustParsePrefix("::ffff:0:0:0/96"), RuleSpecial, "IPv4-translated addresses, RFC 2765"},
	{netip.MustParsePrefix("64:ff9b::/96"), RuleNAT64, "IPv4 translation (NAT64), RFC 6052"},
	{netip.MustParsePrefix("64:ff9b:1::/48"), RuleSpecial, "IPv4 translation for local use, RFC 8215"},
	{netip.MustParsePrefix("100::/64"), RuleSpecial, "discard-only, RFC 6666"},
	{netip.MustParsePrefix("100:0:0:1::/64"), RuleSpecial, "dummy prefix, RFC 9780"},
	{netip.MustParsePrefix("2001::/32"), RuleSpecial, "Teredo, RFC 4380"},
	{netip.MustParsePrefix("2001:2::/48"), RuleSpecial, "benchmarking, RFC 5180"},
	{netip.MustParsePrefix("2001:10::/28"), RuleSpecial, "deprecated ORCHID, RFC 4843"},
	{netip.MustParsePrefix("2001:20::/28"), RuleSpecial, "ORCHIDv2, RFC 7343"},
	{netip.MustParsePrefix("2001:30::/28"), RuleSpecial, "drone remote identification, RFC 9374"},
	{netip.MustParsePrefix("2001::/23"), RuleSpecial, "IETF protocol assignments, RFC 2928"},
	{netip.MustParsePrefix("2001:db8::/32"), RuleSpecial, "documentation, RFC 3849"},
	{netip.MustParsePrefix("2002::/16"), RuleSpecial, "6to4, which embeds an IPv4 address, RFC 3056"},
	{netip.MustParsePrefix("2620:4f:8000::/48"), RuleSpecial, "direct delegation AS112 service, RFC 7534"},
	{netip.MustParsePrefix("3fff::/20"), RuleSpecial, "documentation, RFC 9637"},
	{netip.MustParsePrefix("5f00::/16"), RuleSpecial, "segment routing (SRv6) SIDs, RFC 9602"},
	{netip.MustParsePrefix("fc00::/7"), RulePrivate, "unique local, RFC 4193"},
	{netip.MustParsePrefix("fe80::/10"), RuleLinkLocal, "link-local, RFC 4291"},
	{netip.MustParsePrefix("fec0::/10"), RulePrivate, "deprecated site-local, RFC 3879"},
	{netip.MustParsePrefix("ff00::/8"), RuleSpecial, "multicast, RFC 4291"},
}

var (
	// global6 is the only part of IPv6 from which IANA gives global unicast addresses to networks.
	global6 = netip.MustParsePrefix("2000::/3")
	nat64   = netip.MustParsePrefix("64:ff9b::/96")
)

// special returns the built-in range that refuses addr, which has no zone and is unmapped.
func special(addr netip.Addr) (network, bool) {
	list := special6
	if addr.Is4() {
		list = special4
	}
	for _, n := range list {
		if n.prefix.Contains(addr) {
			return n, true
		}
	}
	if addr.Is6() && !global6.Contains(addr) {
		return network{rule: RuleSpecial, name: "outside 2000::/3, the global unicast addresses"}, true
	}
	return network{}, false
}

// isatap returns the IPv4 address inside an ISATAP interface identifier (RFC 5214 section 6.1).
func isatap(addr netip.Addr) (netip.Addr, bool) {
	if !addr.Is6() {
		return netip.Addr{}, false
	}
	b := addr.As16()
	if b[8]&^2 != 0 || b[9] != 0 || b[10] != 0x5e || b[11] != 0xfe {
		return netip.Addr{}, false
	}
	return lastFour(addr), true
}

// lastFour is the IPv4 address in the last 32 bits of an IPv6 address.
func lastFour(addr netip.Addr) netip.Addr {
	b := addr.As16()
	return netip.AddrFrom4([4]byte(b[12:16]))
}
