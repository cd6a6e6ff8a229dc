package amble

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strings"

	"github.com/amblecrawl/amble/internal/urlkey"
)

// ReverseResolver looks up the names of an address and the addresses of a name; *net.Resolver is one.
type ReverseResolver interface {
	LookupAddr(ctx context.Context, addr string) (names []string, err error)
	LookupNetIP(ctx context.Context, network, host string) ([]netip.Addr, error)
}

// maxReverseNames is how many names of one address are looked at.
const maxReverseNames = 10

// CheckReverseDNS looks whether an address belongs to a crawler whose addresses have names below domain: the name of the
// address must be in the domain, and must lead back to the address (forward-confirmed reverse DNS), since whoever runs an
// address can give it any name. It returns the confirmed name. Use it to check one's own egress addresses before they are
// published, or other crawlers' in logs. A nil resolver is the system's.
//
// An error that matches ErrUnproved says that it does not belong, one that matches ErrUnreachable that it could not be
// found out.
func CheckReverseDNS(ctx context.Context, resolver ReverseResolver, addr netip.Addr, domain string) (name string, err error) {
	bad := func(kind error, format string, args ...any) (string, error) {
		return "", &Error{Op: "reverse dns", URL: addr.String(), Kind: kind, Reason: fmt.Sprintf(format, args...)}
	}
	host, err := canonicalHost(strings.TrimPrefix(domain, "."))
	if err != nil || !addr.IsValid() || addr.Zone() != "" {
		return bad(ErrConfig, "%q is no domain, or the address is none", domain)
	}
	if _, ok := urlkey.Registrable(host); !ok {
		return bad(ErrConfig, "%q is a public suffix: anyone may have a name below it", domain)
	}
	if resolver == nil {
		resolver = net.DefaultResolver
	}
	addr = addr.Unmap()
	names, err := resolver.LookupAddr(ctx, addr.String())
	if err != nil && !notFound(err) {
		return bad(ErrUnreachable, "its name could not be looked up: %v", err)
	}
	var trouble error
	for _, name := range names[:min(len(names), maxReverseNames)] {
		name = strings.ToLower(strings.TrimSuffix(name, "."))
		if !urlkey.WithinDomain(name, host) {
			continue
		}
		back, err := resolver.LookupNetIP(ctx, "ip", name+".")
		if err != nil && !notFound(err) {
			trouble = err
		}
		if slices.ContainsFunc(back, func(a netip.Addr) bool { return a.Unmap() == addr }) {
			return name, nil
		}
	}
	if trouble != nil {
		return bad(ErrUnreachable, "the addresses of its name could not be looked up: %v", trouble)
	}
	return bad(ErrUnproved, "none of its names %q is in %s and leads back to it", names, host)
}

// notFound reports whether a look-up says that there is no such name.
func notFound(err error) bool {
	dns, ok := errors.AsType[*net.DNSError](err)
	return ok && dns.IsNotFound
}
