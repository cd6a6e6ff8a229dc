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

// hints tells what to do for the rules that a setting changes.
var hints = map[Rule]string{
	RuleSingleLabel: "set AllowSingleLabel if such names are meant",
	RulePort:        "add it to Ports if it is meant",
	RuleDenied:      "take it out of DenyPrefixes if it is meant",
	RuleLoopback:    "add its network to AllowPrefixes if it is meant",
	RulePrivate:     "add its network to AllowPrefixes if it is meant",
	RuleLinkLocal:   "add its network to AllowPrefixes if it is meant",
	RuleSpecial:     "add its network to AllowPrefixes if it is meant",
	RuleNAT64:       "set NAT64 if this machine sits behind a translator",
	RuleCredentials: "remove them from the URL",
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
	if hint := hints[e.Rule]; hint != "" {
		b.WriteString("; " + hint)
	}
	return b.String()
}
