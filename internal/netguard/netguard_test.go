package netguard

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"net/url"
	"strings"
	"testing"

	"github.com/amblecrawl/amble/internal/fakedns"
	"github.com/amblecrawl/amble/internal/ssrfcases"
)

func rule(err error) Rule {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Rule
	}
	if err != nil {
		return Rule("not ours: " + err.Error())
	}
	return ""
}

func TestDialerCases(t *testing.T) {
	ssrfcases.Run(t, "ssrf dialer", func(d net.Dialer) func(context.Context, string) error {
		dialer := &Dialer{Dialer: d}
		return func(ctx context.Context, raw string) error {
			u, err := dialer.Policy.ParseURL(raw)
			if err != nil {
				return err
			}
			port := u.Port()
			if port == "" {
				port = "80"
			}
			_, err = dialer.DialContext(ctx, "tcp", net.JoinHostPort(u.Hostname(), port))
			return err
		}
	}, func(err error) bool { _, ok := errors.AsType[*Error](err); return ok })
}

func TestURLRule(t *testing.T) {
	for _, c := range []struct {
		raw  string
		want Rule
	}{
		{"http://example.com/", ""},
		{"HTTP://EXAMPLE.com:80/", ""},
		{"https://example.com./a?b#c", ""},
		{"https://b\u00fccher.example/", ""},
		{"http://sub_domain.example.com/", ""},
		{"http://example.com:/", ""},
		{"http://8.8.8.8/", ""},
		{"http://134744072/", ""}, // 8.8.8.8, as browsers read it
		{"http://[2606:4700:4700::1111]/", ""},

		{"ftp://example.com/", RuleScheme},
		{"//example.com/", RuleScheme},
		{"/path", RuleScheme},
		{"", RuleScheme},
		{"javascript:alert(1)", RuleScheme},
		{"file:///etc/passwd", RuleScheme},
		{"ws://example.com/", RuleScheme},
		{"http:example.com", RuleURL},
		{"http://user@example.com/", RuleCredentials},
		{"http://user:pass@example.com/", RuleCredentials},
		{"http://@example.com/", RuleCredentials},
		{"http://:@example.com/", RuleCredentials},
		{"http://example.com@127.0.0.1/", RuleCredentials},
		{"http:///x", RuleHost},
		{"http:/x", RuleHost},
		{"http://./", RuleHost},
		{"http://../", RuleHost},
		{"http://a..example.com/", RuleHost},
		{"http://.example.com/", RuleHost},
		{"http://example.com../", RuleHost},
		{"http://exa!mple.com/", RuleHost},
		{"http://" + strings.Repeat("a", 64) + ".com/", RuleHost},
		{"http://" + strings.Repeat("abcdefg.", 32) + "com/", RuleHost},
		{"http://intranet/", RuleSingleLabel},
		{"http://localhost/", RuleSingleLabel},
		{"http://LOCALHOST./", RuleSingleLabel},
		{"http://com/", RuleSingleLabel},
		{"http://example.com:0/", RulePort},
		{"http://example.com:22/", RulePort},
		{"http://example.com:65616/", RulePort},
		{"http://example.com:99999999999999999999/", RulePort},
		{"http://example.com:8080/", RulePort},

		{"http://2130706433/", RuleLoopback},
		{"http://0x7f000001/", RuleLoopback},
		{"http://017700000001/", RuleLoopback},
		{"http://0177.0.0.1/", RuleLoopback},
		{"http://0X7F.1/", RuleLoopback},
		{"http://127.1/", RuleLoopback},
		{"http://127.0.0.1./", RuleLoopback},
		{"http://127.000.000.001/", RuleLoopback},
		{"http://\u2460\u2461\u2466.\u24ea.\u24ea.\u2460/", RuleLoopback},
		{"http://\uff11\uff12\uff17.0.0.1/", RuleLoopback},
		{"http://127\u30020\u30020\u30021/", RuleLoopback},
		{"http://0/", RuleSpecial},
		{"http://0x/", RuleSpecial},
		{"http://2852039166/", RuleLinkLocal},
		{"http://256.1.1.1/", RuleHost},
		{"http://1.2.3.4.5/", RuleHost},
		{"http://4294967296/", RuleHost},
		{"http://127.0.0.08/", RuleHost},
		{"http://example.0x7/", RuleHost},
		{"http://1.2.3.+4/", RuleHost},
		{"http://[::ffff:127.0.0.1]/", RuleLoopback},
		{"http://[::1%25lo]/", RuleZone},
		{"http://[fe80::1]/", RuleLinkLocal},

		{"http://%31%32%37.0.0.1/", RuleURL},
		{"http://example.com\\@127.0.0.1/", RuleURL},
		{"http://example.com\t/", RuleURL},
		{"http://example.com/\r\nX: y", RuleURL},
		{" http://example.com/", RuleURL},
		{"http://[::1/", RuleURL},
	} {
		var p Policy
		u, err := p.ParseURL(c.raw)
		if got := rule(err); got != c.want {
			t.Errorf("%q: rule %q, want %q (%v)", c.raw, got, c.want, err)
		}
		if (u == nil) != (err != nil) {
			t.Errorf("%q: URL %v with error %v", c.raw, u, err)
		}
	}
}

func TestAddressRule(t *testing.T) {
	for _, c := range []struct {
		addr string
		want Rule
	}{
		{"8.8.8.8", ""},
		{"9.255.255.255", ""}, {"10.0.0.0", RulePrivate}, {"10.255.255.255", RulePrivate}, {"11.0.0.0", ""},
		{"0.0.0.0", RuleSpecial}, {"0.255.255.255", RuleSpecial}, {"1.0.0.0", ""},
		{"100.63.255.255", ""}, {"100.64.0.0", RulePrivate}, {"100.100.100.200", RulePrivate}, {"100.127.255.255", RulePrivate}, {"100.128.0.0", ""},
		{"126.255.255.255", ""}, {"127.0.0.0", RuleLoopback}, {"127.255.255.255", RuleLoopback}, {"128.0.0.0", ""},
		{"169.253.255.255", ""}, {"169.254.0.0", RuleLinkLocal}, {"169.254.255.255", RuleLinkLocal}, {"169.255.0.0", ""},
		{"172.15.255.255", ""}, {"172.16.0.0", RulePrivate}, {"172.31.255.255", RulePrivate}, {"172.32.0.0", ""},
		{"191.255.255.255", ""}, {"192.0.0.0", RuleSpecial}, {"192.0.0.192", RuleSpecial}, {"192.0.1.0", ""},
		{"192.0.2.0", RuleSpecial}, {"192.0.2.255", RuleSpecial}, {"192.0.3.0", ""},
		{"192.31.196.1", RuleSpecial}, {"192.52.193.1", RuleSpecial}, {"192.88.99.1", RuleSpecial}, {"192.175.48.1", RuleSpecial},
		{"192.167.255.255", ""}, {"192.168.0.0", RulePrivate}, {"192.168.255.255", RulePrivate}, {"192.169.0.0", ""},
		{"198.17.255.255", ""}, {"198.18.0.0", RuleSpecial}, {"198.19.255.255", RuleSpecial}, {"198.20.0.0", ""},
		{"198.51.100.0", RuleSpecial}, {"198.51.101.0", ""}, {"203.0.113.0", RuleSpecial}, {"203.0.114.0", ""},
		{"223.255.255.255", ""}, {"224.0.0.0", RuleSpecial}, {"239.255.255.255", RuleSpecial},
		{"240.0.0.0", RuleSpecial}, {"255.255.255.255", RuleSpecial},
		{"168.63.129.15", ""}, {"168.63.129.16", RuleSpecial}, {"168.63.129.17", ""},

		{"2606:4700:4700::1111", ""}, {"2a00:1450::1", ""}, {"2001:200::", ""}, {"2001:4860:4860::8888", ""}, {"3fff:1000::", ""},
		{"::", RuleSpecial}, {"::1", RuleLoopback}, {"::127.0.0.1", RuleSpecial}, {"::8.8.8.8", RuleSpecial},
		{"::ffff:127.0.0.1", RuleLoopback}, {"::ffff:10.0.0.1", RulePrivate}, {"::ffff:8.8.8.8", ""},
		{"::ffff:0:127.0.0.1", RuleSpecial},
		{"64:ff9b::7f00:1", RuleNAT64}, {"64:ff9b::808:808", RuleNAT64}, {"64:ff9b:1::a00:1", RuleSpecial},
		{"100::1", RuleSpecial}, {"100:0:0:1::1", RuleSpecial}, {"200::1", RuleSpecial}, {"1fff:ffff::1", RuleSpecial}, {"4000::1", RuleSpecial},
		{"2001::1", RuleSpecial}, {"2001:1::1", RuleSpecial}, {"2001:2::1", RuleSpecial}, {"2001:3::1", RuleSpecial}, {"2001:4:112::1", RuleSpecial},
		{"2001:10::1", RuleSpecial}, {"2001:20::1", RuleSpecial}, {"2001:30::1", RuleSpecial}, {"2001:1ff:ffff::", RuleSpecial},
		{"2001:db8::1", RuleSpecial}, {"2002:7f00:1::", RuleSpecial}, {"2002:808:808::", RuleSpecial}, {"2620:4f:8000::1", RuleSpecial},
		{"3fff::1", RuleSpecial}, {"3fff:fff::1", RuleSpecial}, {"5f00::1", RuleSpecial},
		{"fc00::1", RulePrivate}, {"fd00:ec2::254", RulePrivate}, {"fe80::1", RuleLinkLocal}, {"fec0::1", RulePrivate}, {"ff02::1", RuleSpecial},
		{"2606::5efe:10.0.0.1", RuleEmbedded}, {"2606::200:5efe:127.0.0.1", RuleEmbedded}, {"2606::5efe:8.8.8.8", ""},
		{"fe80::1%lo", RuleZone}, {"2606:4700::1111%eth0", RuleZone}, {"::ffff:8.8.8.8%lo", RuleZone},
	} {
		var p Policy
		err := p.CheckAddr(netip.AddrPortFrom(netip.MustParseAddr(c.addr), 443))
		if got := rule(err); got != c.want {
			t.Errorf("%s: rule %q, want %q", c.addr, got, c.want)
		}
	}
}

func TestPolicySettings(t *testing.T) {
	prefix := netip.MustParsePrefix
	for _, c := range []struct {
		name   string
		policy Policy
		raw    string
		want   Rule
	}{
		{"Ports replaces the default", Policy{Ports: []uint16{80, 8443}}, "https://example.com:8443/", ""},
		{"Ports replaces the default", Policy{Ports: []uint16{80, 8443}}, "https://example.com/", RulePort},
		{"AnyPort", Policy{AnyPort: true}, "http://example.com:31337/", ""},
		{"AnyPort is not port 0", Policy{AnyPort: true}, "http://example.com:0/", RulePort},
		{"Ports never allows port 0", Policy{Ports: []uint16{0}}, "http://example.com:0/", RulePort},
		{"AllowPrefixes", Policy{AllowPrefixes: []netip.Prefix{prefix("127.0.0.0/8")}}, "http://127.0.0.1/", ""},
		{"AllowPrefixes for the mapped form", Policy{AllowPrefixes: []netip.Prefix{prefix("127.0.0.0/8")}}, "http://[::ffff:127.0.0.1]/", ""},
		{"AllowPrefixes opens nothing else", Policy{AllowPrefixes: []netip.Prefix{prefix("127.0.0.0/8")}}, "http://10.0.0.1/", RulePrivate},
		{"AllowPrefixes does not allow a zone", Policy{AllowPrefixes: []netip.Prefix{prefix("::/0")}}, "http://[::1%25lo]/", RuleZone},
		{"DenyPrefixes", Policy{DenyPrefixes: []netip.Prefix{prefix("8.8.8.0/24")}}, "http://8.8.8.8/", RuleDenied},
		{"DenyPrefixes for the mapped form", Policy{DenyPrefixes: []netip.Prefix{prefix("8.8.8.0/24")}}, "http://[::ffff:8.8.8.8]/", RuleDenied},
		{"DenyPrefixes wins", Policy{AllowPrefixes: []netip.Prefix{prefix("10.0.0.0/8")}, DenyPrefixes: []netip.Prefix{prefix("10.1.0.0/16")}}, "http://10.1.0.1/", RuleDenied},
		{"NAT64 of a public address", Policy{NAT64: true}, "http://[64:ff9b::808:808]/", ""},
		{"NAT64 of loopback", Policy{NAT64: true}, "http://[64:ff9b::7f00:1]/", RuleEmbedded},
		{"NAT64 of metadata", Policy{NAT64: true}, "http://[64:ff9b::a9fe:a9fe]/", RuleEmbedded},
		{"NAT64 of a denied address", Policy{NAT64: true, DenyPrefixes: []netip.Prefix{prefix("8.8.8.8/32")}}, "http://[64:ff9b::808:808]/", RuleEmbedded},
		{"NAT64 is not the prefix for local use", Policy{NAT64: true}, "http://[64:ff9b:1::808:808]/", RuleSpecial},
		{"AllowSingleLabel", Policy{AllowSingleLabel: true}, "http://intranet/", ""},
	} {
		_, err := c.policy.ParseURL(c.raw)
		if got := rule(err); got != c.want {
			t.Errorf("%s: %q: rule %q, want %q", c.name, c.raw, got, c.want)
		}
	}
}

func TestControlRefusesWhatIsNotTCP(t *testing.T) {
	var p Policy
	for _, c := range []struct {
		network, address string
		want             Rule
	}{
		{"tcp4", "8.8.8.8:443", ""},
		{"tcp6", "[2606:4700::1]:80", ""},
		{"udp4", "8.8.8.8:443", RuleNetwork},
		{"unix", "/run/docker.sock", RuleNetwork},
		{"tcp4", "8.8.8.8:22", RulePort},
		{"tcp6", "[2606:4700::1%lo]:80", RuleZone},
		{"tcp4", "example.com:80", RuleAddress},
		{"tcp4", "", RuleAddress},
	} {
		if got := rule(p.Control(c.network, c.address, nil)); got != c.want {
			t.Errorf("%s %q: rule %q, want %q", c.network, c.address, got, c.want)
		}
	}
	_, err := (&Dialer{}).DialContext(t.Context(), "unix", "/run/docker.sock")
	if rule(err) != RuleNetwork {
		t.Errorf("a dialer for unix sockets: %v", err)
	}
}

// The classic attack: a name that answers with a public address when it is checked and with loopback when it is used.
func TestRebindingHasNoGap(t *testing.T) {
	zone := fakedns.NewZone()
	zone.Set("rebind.example.test", "8.8.8.8")
	zone.Set("rebind.example.test", "127.0.0.1")
	probe := &ssrfcases.Probe{}
	d := &Dialer{Dialer: net.Dialer{Resolver: zone.Resolver(), Control: probe.Control}}

	_, err := d.DialContext(t.Context(), "tcp", "rebind.example.test:80")
	if !errors.Is(err, ssrfcases.ErrProbe) {
		t.Fatalf("first: %v", err)
	}
	if n := zone.Lookups("rebind.example.test"); n != 1 {
		t.Fatalf("%d lookups for one connection, want 1", n)
	}
	_, err = d.DialContext(t.Context(), "tcp", "rebind.example.test:80")
	if rule(err) != RuleLoopback {
		t.Fatalf("second: %v", err)
	}
	e, _ := errors.AsType[*Error](err)
	if e.Host != "rebind.example.test" || e.Addr != netip.MustParseAddr("127.0.0.1") {
		t.Errorf("the refusal names %q at %v", e.Host, e.Addr)
	}
}

func TestAliasesAreJudgedByWhereTheyLead(t *testing.T) {
	zone := fakedns.NewZone()
	zone.Alias("www.example.test", "inside.example.test")
	zone.Set("inside.example.test", "10.0.0.1", "fd00::1")
	d := &Dialer{Dialer: net.Dialer{Resolver: zone.Resolver()}}
	if _, err := d.DialContext(t.Context(), "tcp", "www.example.test:443"); rule(err) != RulePrivate {
		t.Errorf("%v", err)
	}
}

func TestErrorTellsWhatToDoAndNoSecret(t *testing.T) {
	var p Policy
	_, err := p.ParseURL("http://127.0.0.1/")
	const want = "address guard refused 127.0.0.1 (rule loopback): loopback, RFC 1122; for tests on this machine: HTTPFetcher{Addresses: amble.LoopbackOnly()}"
	if err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
	for _, raw := range []string{"http://user:hunter2@example.com/", "http://user:hunter2@exa mple.com/", "http://user:hunter2@127.0.0.1:99999/"} {
		if _, err := p.ParseURL(raw); err == nil || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%v", err)
		}
	}
}

// Whatever a URL looks like: what is accepted as an address is public by the standard library's predicates too.
func FuzzURLRule(f *testing.F) {
	for _, s := range []string{"http://127.1/", "http://[::ffff:7f00:1]/", "http://0x7f.0.0.0x1./", "http://\u2460.1.1.1/", "https://a.b:443/"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		var p Policy
		u, err := p.ParseURL(raw)
		if err != nil {
			return
		}
		if u.User != nil || u.Scheme != "http" && u.Scheme != "https" {
			t.Fatalf("accepted %q", raw)
		}
		_, addr, ok := canonicalHost(u.Hostname())
		if !ok {
			t.Fatalf("accepted the host of %q", raw)
		}
		if a := addr.Unmap(); addr.IsValid() && (!a.IsGlobalUnicast() || a.IsPrivate() || a.IsLoopback() || a.Zone() != "") {
			t.Fatalf("accepted %q: %v", raw, addr)
		}
		again := url.URL{Scheme: u.Scheme, Host: u.Host, Path: "/"}
		if err := p.CheckURL(&again); err != nil {
			t.Fatalf("%q is accepted, its origin is not: %v", raw, err)
		}
	})
}

func BenchmarkCheckAddr(b *testing.B) {
	var p Policy
	ap := netip.MustParseAddrPort("[2606:4700::1]:443")
	for b.Loop() {
		if p.CheckAddr(ap) != nil {
			b.Fatal()
		}
	}
}
