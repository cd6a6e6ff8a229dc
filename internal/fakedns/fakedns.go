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
	lookups map[string]int
}

type entry struct {
	a    [][]netip.Addr // one list a lookup, the last for ever
	aaaa []netip.Addr
}

// NewZone returns an empty zone.
func NewZone() *Zone { return &Zone{names: map[string]*entry{}, lookups: map[string]int{}} }

// Set gives name its addresses, IPv4 and IPv6. An IPv4-mapped address becomes an AAAA record.
func (z *Zone) Set(name string, addrs ...string) {
	z.mu.Lock()
	defer z.mu.Unlock()
	e := z.entry(name)
	var a []netip.Addr
	for _, s := range addrs {
		if addr := netip.MustParseAddr(s); addr.Is4() {
			a = append(a, addr)
		} else {
			e.aaaa = append(e.aaaa, addr)
		}
	}
	if len(a) > 0 {
		e.a = append(e.a, a)
	}
}

// Sequence gives name a list of IPv4 addresses for each lookup in turn; the last one stays.
func (z *Zone) Sequence(name string, answers ...[]string) {
	for _, addrs := range answers {
		z.Set(name, addrs...)
	}
}

// Lookups returns how many times the IPv4 addresses of name were asked for.
func (z *Zone) Lookups(name string) int {
	z.mu.Lock()
	defer z.mu.Unlock()
	return z.lookups[name]
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
	name = strings.ToLower(strings.TrimSuffix(name, "."))
	e := z.names[name]
	if e == nil {
		e = &entry{}
		z.names[name] = e
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
	name := strings.ToLower(strings.TrimSuffix(q.Name.String(), "."))
	z.mu.Lock()
	defer z.mu.Unlock()
	e := z.names[name]
	if e == nil {
		m.RCode = dnsmessage.RCodeNameError
		return m.Pack()
	}
	header := dnsmessage.ResourceHeader{Name: q.Name, Type: q.Type, Class: q.Class}
	switch q.Type {
	case dnsmessage.TypeA:
		if len(e.a) > 0 {
			for _, addr := range e.a[min(z.lookups[name], len(e.a)-1)] {
				m.Answers = append(m.Answers, dnsmessage.Resource{Header: header, Body: &dnsmessage.AResource{A: addr.As4()}})
			}
		}
		z.lookups[name]++
	case dnsmessage.TypeAAAA:
		for _, addr := range e.aaaa {
			m.Answers = append(m.Answers, dnsmessage.Resource{Header: header, Body: &dnsmessage.AAAAResource{AAAA: addr.As16()}})
		}
	}
	return m.Pack()
}
