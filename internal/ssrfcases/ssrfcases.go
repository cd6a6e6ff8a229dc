// Package ssrfcases runs the egress cases (security/ssrf-cases.json) against any way out of the process: the dialer,
// the fetcher, a proxy. No case causes a packet: names come from a zone inside the process, and a probe aborts each
// connection between the guard's agreement and the connect.
package ssrfcases

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"sync"
	"syscall"
	"testing"

	"github.com/amblecrawl/amble/internal/cases"
	"github.com/amblecrawl/amble/internal/fakedns"
)

// ErrProbe is what the probe aborts with. A way out must keep it in the chain of its error.
var ErrProbe = errors.New("the probe stopped the connection after the guard agreed")

// Probe records the addresses that the guard let pass.
type Probe struct {
	mu    sync.Mutex
	addrs []netip.Addr
}

// Control is a net.Dialer.Control that never lets a connection happen.
func (p *Probe) Control(_, address string, _ syscall.RawConn) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	ap, err := netip.ParseAddrPort(address)
	if err != nil {
		return err
	}
	p.addrs = append(p.addrs, ap.Addr())
	return ErrProbe
}

func (p *Probe) taken() []netip.Addr {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.addrs)
}

// Out is one way out of the process. The dialer that it gets has the zone's resolver and the probe as its control hook,
// to be called after the guard.
type Out func(d net.Dialer) func(ctx context.Context, rawURL string) error

type set struct {
	Cases []struct {
		ID       string              `json:"id"`
		URL      string              `json:"url"`
		Category string              `json:"category"`
		Expect   string              `json:"expect"`
		DNS      map[string]dnsEntry `json:"dns"`
		Redirect []string            `json:"redirect_to"`
	} `json:"cases"`
}

type dnsEntry struct {
	A            []string   `json:"A"`
	AAAA         []string   `json:"AAAA"`
	CNAME        string     `json:"CNAME"`
	ASequence    [][]string `json:"A_sequence"`
	AAAASequence [][]string `json:"AAAA_sequence"`
}

// Run asks out for the URL of each case, and then, as new decisions, for each redirect of it. The answer "allow" means
// that the probe was reached at every hop; any address that is not public fails the case, whatever the answer. Refused
// must tell whether an error is the guard's own.
func Run(t *testing.T, name string, out Out, refused func(error) bool) {
	var s set
	cases.JSON(t, "security/ssrf-cases.json", &s)
	tally := cases.NewTally(name)
	for _, c := range s.Cases {
		zone := fakedns.NewZone()
		answers := []string{}
		for host, e := range c.DNS {
			zone.Set(host, slices.Concat(e.A, e.AAAA)...)
			for _, addrs := range slices.Concat(e.ASequence, e.AAAASequence) {
				zone.Set(host, addrs...)
				answers = append(answers, addrs...)
			}
			if e.CNAME != "" {
				zone.Alias(host, e.CNAME)
			}
			answers = append(answers, slices.Concat(e.A, e.AAAA)...)
		}
		probe := &Probe{}
		visit := out(net.Dialer{Resolver: zone.Resolver(), Control: probe.Control})
		got := "allow"
		at := ""
		for _, u := range append([]string{c.URL}, c.Redirect...) {
			at = resolve(at, u)
			u = at
			before := len(probe.taken())
			err := visit(t.Context(), u)
			switch {
			case err == nil:
				t.Errorf("%s: %q: an answer although no connection was made", c.ID, u)
			case len(probe.taken()) == before:
				got = "deny"
			case !errors.Is(err, ErrProbe) && !refused(err):
				t.Errorf("%s: %q: the probe's error was lost: %v", c.ID, u, err)
			}
			// A host that does not resolve is stopped by that; all else has to be stopped by a rule.
			if got == "deny" && !refused(err) && !isDNS(err) {
				t.Errorf("%s: %q: stopped by something else than a rule: %v", c.ID, u, err)
			}
			if got == "deny" {
				break
			}
		}
		leak := false
		for _, addr := range probe.taken() {
			if !public(addr) {
				t.Errorf("%s: leak to %v", c.ID, addr)
				leak = true
			}
		}
		ok := got == c.Expect && !leak
		// A rebinding case is met by a refusal, and as well by a connection to the address that was checked.
		if c.Category == "rebinding" && got == "allow" {
			ok = !leak
		}
		if !ok {
			t.Logf("%s: %q: got %s, want %s (DNS %v, probed %v)", c.ID, c.URL, got, c.Expect, answers, probe.taken())
		}
		tally.Add(c.ID, ok)
	}
	tally.Close(t, nil)
}

// resolve reads a redirect's target as a reference (RFC 3986 section 5). What cannot be read is left for the way out
// to refuse.
func resolve(base, ref string) string {
	b, err := url.Parse(base)
	if err != nil || base == "" {
		return ref
	}
	u, err := b.Parse(ref)
	if err != nil {
		return ref
	}
	return u.String()
}

func isDNS(err error) bool {
	_, ok := errors.AsType[*net.DNSError](err)
	return ok
}

// public is a second opinion, by the standard library's predicates.
func public(addr netip.Addr) bool {
	addr = addr.Unmap()
	return addr.IsGlobalUnicast() && !addr.IsPrivate() && !addr.IsLoopback() && !addr.IsLinkLocalUnicast() && addr.Zone() == ""
}
