// Package fakedns answers DNS questions inside the process, so that tests decide what a name resolves to and no packet
// leaves the machine.
package fakedns

import (
	"context"
	"encoding/binary"
	"io"
	"net"
	"net/netip"
	"strings"
	"sync"

	"golang.org/x/net/dns/dnsmessage"
)

// Zone maps lower-case names without a trailing dot to their answers. Names that are not in it do not exist. It is safe
// for concurrent use.
type Zone struct {
	mu      sync.Mutex
	names   map[string]*entry
	lookups map[question]int
}

type question struct {
	t    dnsmessage.Type
	name string
}

// entry is one name. Each lookup of a type takes the next of its lists; the last one stays.
type entry struct {
	a, aaaa [][]netip.Addr
	alias   string // CNAME
}

// NewZone returns an empty zone.
func NewZone() *Zone { return &Zone{names: map[string]*entry{}, lookups: map[question]int{}} }

// Set gives name its addresses, IPv4 and IPv6. An IPv4-mapped address becomes an AAAA record. Set again for the same
// name, it gives the answer of the next lookup.
func (z *Zone) Set(name string, addrs ...string) {
	z.mu.Lock()
	defer z.mu.Unlock()
	e := z.entry(name)
	var a, aaaa []netip.Addr
	for _, s := range addrs {
		if addr := netip.MustParseAddr(s); addr.Is4() {
			a = append(a, addr)
		} else {
			aaaa = append(aaaa, addr)
		}
	}
	if a != nil {
		e.a = append(e.a, a)
	}
	if aaaa != nil {
		e.aaaa = append(e.aaaa, aaaa)
	}
}

// Alias makes name an alias (CNAME) of target.
func (z *Zone) Alias(name, target string) {
	z.mu.Lock()
	defer z.mu.Unlock()
	z.entry(name).alias = target
}

// Lookups returns how many times the IPv4 addresses of name were asked for.
func (z *Zone) Lookups(name string) int {
	z.mu.Lock()
	defer z.mu.Unlock()
	return z.lookups[question{dnsmessage.TypeA, key(name)}]
}

// Resolver returns a resolver that asks only this zone.
func (z *Zone) Resolver() *net.Resolver {
	return &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
		client, server := net.Pipe()
		go z.serve(server)
		return client, nil
	}}
}

func (z *Zone) entry(name string) *entry {
	e := z.names[key(name)]
	if e == nil {
		e = &entry{}
		z.names[key(name)] = e
	}
	return e
}

// serve speaks DNS over a stream: each message has its length before it.
func (z *Zone) serve(conn net.Conn) {
	defer conn.Close()
	for {
		var size [2]byte
		if _, err := io.ReadFull(conn, size[:]); err != nil {
			return
		}
		query := make([]byte, binary.BigEndian.Uint16(size[:]))
		if _, err := io.ReadFull(conn, query); err != nil {
			return
		}
		answer, err := z.answer(query)
		if err != nil {
			return
		}
		answer = append(binary.BigEndian.AppendUint16(nil, uint16(len(answer))), answer...)
		if _, err := conn.Write(answer); err != nil {
			return
		}
	}
}

func (z *Zone) answer(query []byte) ([]byte, error) {
	var m dnsmessage.Message
	if err := m.Unpack(query); err != nil || len(m.Questions) != 1 {
		return nil, io.ErrUnexpectedEOF
	}
	q := m.Questions[0]
	m.Response, m.RecursionAvailable, m.Additionals = true, true, nil
	z.mu.Lock()
	defer z.mu.Unlock()
	owner := q.Name
	e := z.names[key(owner.String())]
	for hops := 0; e != nil && e.alias != "" && hops < 8; hops++ {
		target, err := dnsmessage.NewName(strings.TrimSuffix(e.alias, ".") + ".")
		if err != nil {
			return nil, err
		}
		m.Answers = append(m.Answers, dnsmessage.Resource{
			Header: dnsmessage.ResourceHeader{Name: owner, Type: dnsmessage.TypeCNAME, Class: q.Class},
			Body:   &dnsmessage.CNAMEResource{CNAME: target},
		})
		owner = target
		e = z.names[key(owner.String())]
	}
	if e == nil {
		m.RCode = dnsmessage.RCodeNameError
		return m.Pack()
	}
	header := dnsmessage.ResourceHeader{Name: owner, Type: q.Type, Class: q.Class}
	switch q.Type {
	case dnsmessage.TypeA:
		for _, addr := range z.take(q.Type, owner.String(), e.a) {
			m.Answers = append(m.Answers, dnsmessage.Resource{Header: header, Body: &dnsmessage.AResource{A: addr.As4()}})
		}
	case dnsmessage.TypeAAAA:
		for _, addr := range z.take(q.Type, owner.String(), e.aaaa) {
			m.Answers = append(m.Answers, dnsmessage.Resource{Header: header, Body: &dnsmessage.AAAAResource{AAAA: addr.As16()}})
		}
	}
	return m.Pack()
}

// take returns the list for this lookup of a name's records of one type.
func (z *Zone) take(t dnsmessage.Type, name string, lists [][]netip.Addr) []netip.Addr {
	q := question{t, key(name)}
	n := z.lookups[q]
	z.lookups[q]++
	if len(lists) == 0 {
		return nil
	}
	return lists[min(n, len(lists)-1)]
}

// key is a name as the zone holds it.
func key(name string) string { return strings.ToLower(strings.TrimSuffix(name, ".")) }
