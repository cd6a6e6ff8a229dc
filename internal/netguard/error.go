package netguard

import (
	"net/netip"
	"strconv"
	"strings"
)

// Rule names the rule that refused.
type Rule string

// The rules. The first group is decided on the URL, before DNS; the second on the address, at connect time. Literal
// addresses in a URL are judged by both.
const (
	RuleURL         Rule = "url"          // not a URL that can be read without doubt
	RuleScheme      Rule = "scheme"       // neither http nor https
	RuleCredentials Rule = "credentials"  // user name or password in the URL
	RuleHost        Rule = "host"         // no host, or not a valid name or address
	RuleSingleLabel Rule = "single-label" // a name without a dot, see Policy.AllowSingleLabel
	RulePort        Rule = "port"         // not a port of Policy.Ports

	RuleNetwork   Rule = "network"    // neither tcp4 nor tcp6
	RuleAddress   Rule = "address"    // not an IP address and port
	RuleZone      Rule = "zone"       // an IPv6 address with a zone
	RuleDenied    Rule = "denied"     // in Policy.DenyPrefixes
	RuleLoopback  Rule = "loopback"   // this machine
	RulePrivate   Rule = "private"    // private, shared or unique local networks
	RuleLinkLocal Rule = "link-local" // link-local networks, cloud metadata among them
	RuleSpecial   Rule = "special"    // another special-purpose range, or not global unicast
	RuleNAT64     Rule = "nat64"      // NAT64 without Policy.NAT64
	RuleEmbedded  Rule = "embedded"   // the IPv4 address inside an IPv6 address is refused
)

// hints tells what to do for the rules that a setting changes. It is said by the names of the public API: its
// HTTPFetcher.Addresses is the Policy (browser.Renderer has the same field).
var hints = map[Rule]string{
	RuleSingleLabel: "set HTTPFetcher.Addresses.AllowSingleLabel if such names are meant",
	RulePort:        "add it to HTTPFetcher.Addresses.Ports if it is meant",
	RuleDenied:      "take it out of HTTPFetcher.Addresses.DenyPrefixes if it is meant",
	RuleLoopback:    loopbackHint,
	RulePrivate:     "add its network to HTTPFetcher.Addresses.AllowPrefixes if it is meant",
	RuleLinkLocal:   "add its network to HTTPFetcher.Addresses.AllowPrefixes if it is meant",
	RuleSpecial:     "add its network to HTTPFetcher.Addresses.AllowPrefixes if it is meant",
	RuleNAT64:       "set HTTPFetcher.Addresses.NAT64 if this machine sits behind a translator",
	RuleCredentials: "remove them from the URL",
}

const loopbackHint = "for tests on this machine: HTTPFetcher{Addresses: amble.LoopbackOnly()}"

// hint is what to do. This machine's own servers often fail by their port or name first.
func (e *Error) hint() string {
	if e.Rule == RulePort || e.Rule == RuleSingleLabel {
		addr := e.Addr
		if !addr.IsValid() {
			addr, _ = netip.ParseAddr(e.Host)
		}
		if addr.Unmap().IsLoopback() || strings.EqualFold(e.Host, "localhost") {
			return loopbackHint
		}
	}
	return hints[e.Rule]
}

// Error says what was refused and by which rule. It never holds a URL, which might carry credentials.
type Error struct {
	Rule   Rule
	Host   string     // the host as the URL or the dialled address gives it; empty when only an address is known
	Addr   netip.Addr // the address refused; invalid when the refusal came before one was known
	Port   string     // the port, for RulePort
	Detail string     // why, for people
}

// Error tells what was refused, why, and which setting would change it.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString("address guard refused ")
	switch {
	case e.Host != "" && e.Addr.IsValid() && e.Host != e.Addr.String():
		b.WriteString(strconv.QuoteToASCII(e.Host) + " at " + e.Addr.String())
	case e.Addr.IsValid():
		b.WriteString(e.Addr.String())
	case e.Host != "":
		b.WriteString(strconv.QuoteToASCII(e.Host))
	default:
		b.WriteString("the URL")
	}
	b.WriteString(" (rule " + string(e.Rule) + "): " + e.Detail)
	if hint := e.hint(); hint != "" {
		b.WriteString("; " + hint)
	}
	return b.String()
}
