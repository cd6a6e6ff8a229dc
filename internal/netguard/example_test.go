package netguard_test

import (
	"context"
	"errors"
	"fmt"
	"net/netip"

	"github.com/amblecrawl/amble/internal/netguard"
)

func ExamplePolicy_ParseURL() {
	var p netguard.Policy
	for _, raw := range []string{"https://example.com/", "http://127.1/", "http://intranet/", "http://example.com:22/"} {
		_, err := p.ParseURL(raw)
		fmt.Println(raw, err)
	}
	// Output:
	// https://example.com/ <nil>
	// http://127.1/ address guard refused "127.1" at 127.0.0.1 (rule loopback): loopback, RFC 1122; for tests on this machine: HTTPFetcher{Addresses: amble.LoopbackOnly()}
	// http://intranet/ address guard refused "intranet" (rule single-label): a name of a single label may mean a machine of the local network; set HTTPFetcher.Addresses.AllowSingleLabel if such names are meant
	// http://example.com:22/ address guard refused "example.com" (rule port): port 22 is not in the list; add it to HTTPFetcher.Addresses.Ports if it is meant
}

func ExampleDialer() {
	d := netguard.Dialer{Policy: netguard.Policy{DenyPrefixes: []netip.Prefix{netip.MustParsePrefix("8.8.0.0/16")}}}
	_, err := d.DialContext(context.Background(), "tcp", "8.8.8.8:443")
	if e, ok := errors.AsType[*netguard.Error](err); ok {
		fmt.Println(e.Rule, e.Addr)
	}
	// Output: denied 8.8.8.8
}
