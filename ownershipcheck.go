package amble

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"

	"github.com/amblecrawl/amble/internal/ownership"
	"github.com/amblecrawl/amble/internal/urlkey"
)

const (
	maxProofHops  = 5
	maxProofPage  = 512 << 10
	maxProofFile  = 4 << 10
	maxTXTRecords = 200
)

// check looks whether a challenge is met now. Any error says that it is not, or that it could not be found out.
func (p *Prover) check(ctx context.Context, via Fetcher, property Property, c Challenge) error {
	switch c.Method {
	case ProofMeta:
		return p.checkMeta(ctx, via, property, c)
	case ProofFile:
		return p.checkFile(ctx, via, property, c)
	}
	return p.checkDNS(ctx, property, c)
}

func unproved(where, format string, args ...any) error {
	return &Error{Op: "ownership", URL: where, Kind: ErrUnproved, Reason: fmt.Sprintf(format, args...)}
}

func (p *Prover) checkMeta(ctx context.Context, via Fetcher, property Property, c Challenge) error {
	resp, err := proofFetch(ctx, via, c.Where, maxProofPage)
	if err != nil {
		return err
	}
	defer resp.Release()
	if resp.Status != http.StatusOK {
		return unproved(c.Where, "the page answered with status %d", resp.Status)
	}
	at, err := urlkey.FromNet(resp.URL)
	if err != nil {
		return err
	}
	prefix, err := urlkey.Parse(property.Seed())
	if err != nil || !urlkey.HasPathPrefix(at.Path(), prefix.Path()) {
		return unproved(c.Where, "the page redirects out of the property, to %s", at)
	}
	if resp.Cut != CutNone && resp.Cut != CutLimit {
		return unproved(c.Where, "the page broke off")
	}
	name := p.word() + "-site-verification"
	if !ownership.InHead(resp.Body, resp.Header.Get("Content-Type"), name, c.Token) {
		return unproved(c.Where, "there is no meta element %s with this account's token in the page's head", name)
	}
	return nil
}

func (p *Prover) checkFile(ctx context.Context, via Fetcher, property Property, c Challenge) error {
	resp, err := proofFetch(ctx, via, c.Where, maxProofFile)
	if err != nil {
		return err
	}
	defer resp.Release()
	switch {
	case resp.Status != http.StatusOK:
		return unproved(c.Where, "the file answered with status %d", resp.Status)
	case resp.Cut != CutNone || !ownership.IsBody(resp.Body, c.Token):
		return unproved(c.Where, "the file does not hold the token and nothing else")
	}
	// A server that gives the token under any name gives it to everyone who asks: it proves nothing.
	sibling, err := proofFetch(ctx, via, p.fileURL(property, ownership.Random()), maxProofFile)
	if errors.Is(err, ErrUnproved) {
		return nil // it leads elsewhere, so this name is not there
	}
	if err != nil {
		return err
	}
	defer sibling.Release()
	if sibling.Status == http.StatusOK && bytes.Contains(sibling.Body, []byte(c.Token)) {
		return unproved(c.Where, "the server answers with the token under names that cannot exist, too")
	}
	return nil
}

func (p *Prover) checkDNS(ctx context.Context, property Property, c Challenge) error {
	records, err := p.lookup(ctx, c.Where)
	if err != nil {
		return err
	}
	if !ownership.InRecords(records, c.Put) {
		return unproved(c.Where, "none of its %d TXT records is %s", len(records), c.Put)
	}
	wild, err := p.lookup(ctx, p.recordName(ownership.Random(), property.Host()))
	if err != nil {
		return err
	}
	if ownership.InRecords(wild, c.Put) {
		return unproved(c.Where, "a wildcard answers with the token under any name")
	}
	return nil
}

// lookup returns a name's TXT records; none is no error.
func (p *Prover) lookup(ctx context.Context, name string) ([]string, error) {
	resolver := p.Resolver
	if resolver == nil {
		resolver = net.DefaultResolver
	}
	records, err := resolver.LookupTXT(ctx, name+".") // the dot keeps the resolver's search list out
	switch {
	case err == nil:
		return records[:min(len(records), maxTXTRecords)], nil
	case notFound(err):
		return nil, nil
	}
	return nil, &Error{Op: "ownership", URL: name, Kind: ErrUnreachable, Reason: "the TXT records could not be looked up", Err: err}
}

// proofFetch asks for a URL and follows redirects as long as they stay with the same host: each is a request of its own.
func proofFetch(ctx context.Context, via Fetcher, raw string, limit int64) (*Response, error) {
	at, err := urlkey.Parse(raw)
	if err != nil {
		return nil, &Error{Op: "ownership", URL: raw, Kind: ErrBadURL, Err: err}
	}
	for range maxProofHops + 1 {
		resp, err := via.Fetch(ctx, &Request{URL: at.URL(), Kind: KindOwnership, MaxBytes: limit})
		if err != nil {
			return nil, err
		}
		location := resp.Header.Get("Location")
		if resp.Status < 300 || resp.Status > 399 || location == "" {
			resp.URL = cmp.Or(resp.URL, at.URL())
			return resp, nil
		}
		resp.Release()
		next, err := urlkey.Resolve(at, location)
		if err != nil || !sameServer(at, next) {
			return nil, unproved(raw, "it redirects to %s: only the same host counts, and https instead of http", location)
		}
		at = next
	}
	return nil, unproved(raw, "more than %d redirects", maxProofHops)
}

// sameServer reports whether a redirect stays with who runs the first server: the same origin, or from http to https on
// their usual ports.
func sameServer(from, to urlkey.URL) bool {
	if from.Origin() == to.Origin() {
		return true
	}
	host := func(u urlkey.URL) string { return strings.TrimSuffix(u.Hostname(), ".") }
	return from.Scheme() == "http" && to.Scheme() == "https" && from.Port() == "" && to.Port() == "" && host(from) == host(to)
}
