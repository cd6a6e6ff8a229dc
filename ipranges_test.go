package amble

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"net/http/httptest"
	"net/netip"
	"testing"
	"time"
)

// The list has the form that search engines publish, and only public ranges.
func TestIPRanges(t *testing.T) {
	l := &IPRanges{Created: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), Prefixes: []netip.Prefix{netip.MustParsePrefix("93.184.216.35/28"),
		netip.MustParsePrefix("93.184.216.32/28"), netip.MustParsePrefix("2606:2800:220:1::/64")}}
	w := httptest.NewRecorder()
	l.ServeHTTP(w, httptest.NewRequest("GET", "/", nil))
	const want = `{"creationTime":"2026-01-02T03:04:05.000000","prefixes":[{"ipv6Prefix":"2606:2800:220:1::/64"},{"ipv4Prefix":"93.184.216.32/28"}]}` + "\n"
	if w.Body.String() != want || w.Header().Get("Content-Type") != "application/json" {
		t.Errorf("%s %q", w.Body, w.Header())
	}
	var back IPRanges
	if err := json.Unmarshal(w.Body.Bytes(), &back); err != nil || !back.Created.Equal(l.Created) || len(back.Prefixes) != 2 {
		t.Errorf("%+v %v", back, err)
	}
	for addr, in := range map[string]bool{"93.184.216.40": true, "::ffff:93.184.216.40": true, "93.184.216.48": false, "2606:2800:220:1::9": true, "2606:2800:220:2::9": false} {
		if back.Contains(netip.MustParseAddr(addr)) != in {
			t.Errorf("%s: %v", addr, !in)
		}
	}
	for _, bad := range []string{"10.0.0.0/8", "127.0.0.1/32", "0.0.0.0/0", "::/0", "fe80::/64", "fd00::/8", "224.0.0.0/4"} {
		if err := (&IPRanges{Prefixes: []netip.Prefix{netip.MustParsePrefix(bad)}}).Validate(); !errors.Is(err, ErrConfig) {
			t.Errorf("%s: %v", bad, err)
		}
	}
	w = httptest.NewRecorder()
	(&IPRanges{}).ServeHTTP(w, httptest.NewRequest("GET", "/", nil))
	if w.Code != 500 {
		t.Errorf("an empty list: %d", w.Code)
	}
	w = httptest.NewRecorder()
	l.ServeHTTP(w, httptest.NewRequest("PUT", "/", nil))
	if w.Code != 405 {
		t.Errorf("PUT: %d", w.Code)
	}
}

// reverseZone answers look-ups from two maps; "down" fails.
type reverseZone struct {
	names map[string][]string
	addrs map[string]string
}

func (z reverseZone) LookupAddr(_ context.Context, addr string) ([]string, error) {
	if names, ok := z.names[addr]; ok {
		if names == nil {
			return nil, &net.DNSError{Err: "timeout", IsTimeout: true}
		}
		return names, nil
	}
	return nil, &net.DNSError{IsNotFound: true}
}

func (z reverseZone) LookupNetIP(_ context.Context, _, host string) ([]netip.Addr, error) {
	switch a := z.addrs[host]; a {
	case "":
		return nil, &net.DNSError{IsNotFound: true}
	case "down":
		return nil, &net.DNSError{IsTemporary: true}
	default:
		return []netip.Addr{netip.MustParseAddr(a)}, nil
	}
}

// A name counts only when it is in the domain, label by label, and leads back to the address.
func TestReverseDNSMustLeadBack(t *testing.T) {
	z := reverseZone{
		names: map[string][]string{"192.0.2.1": {"c1.bot.example.com."}, "192.0.2.2": {"c2.bot.example.com."}, "192.0.2.3": {"c3.evilbot.example.com."},
			"192.0.2.4": {"other.test.", "C4.Bot.Example.com."}, "192.0.2.5": nil, "192.0.2.6": {"c6.bot.example.com."}, "192.0.2.7": {"bot.example.com.evil.test."}, "2001:db8::1": {"c8.bot.example.com."}},
		addrs: map[string]string{"c1.bot.example.com.": "192.0.2.1", "c2.bot.example.com.": "192.0.2.99", "c3.evilbot.example.com.": "192.0.2.3",
			"c4.bot.example.com.": "::ffff:192.0.2.4", "c6.bot.example.com.": "down", "bot.example.com.evil.test.": "192.0.2.7", "c8.bot.example.com.": "2001:db8::1"},
	}
	for _, row := range []struct {
		addr, domain string
		want         error
	}{
		{"192.0.2.1", "bot.example.com", nil}, {"::ffff:192.0.2.1", ".bot.example.com", nil}, {"192.0.2.4", "example.com", nil}, {"2001:db8::1", "bot.example.com", nil},
		{"192.0.2.2", "bot.example.com", ErrUnproved}, {"192.0.2.3", "bot.example.com", ErrUnproved}, {"192.0.2.7", "bot.example.com", ErrUnproved},
		{"192.0.2.8", "bot.example.com", ErrUnproved}, {"192.0.2.5", "bot.example.com", ErrUnreachable}, {"192.0.2.6", "bot.example.com", ErrUnreachable},
		{"192.0.2.1", "com", ErrConfig}, {"192.0.2.1", "", ErrConfig}, {"192.0.2.1", "github.io", ErrConfig},
	} {
		name, err := CheckReverseDNS(t.Context(), z, netip.MustParseAddr(row.addr), row.domain)
		if !errors.Is(err, row.want) || (err == nil) != (name != "") {
			t.Errorf("%s in %q: %q, %v; want %v", row.addr, row.domain, name, err, row.want)
		}
	}
}
