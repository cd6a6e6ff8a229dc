package amble

import (
	"encoding/json"
	"io"
	"net/http"
	"net/netip"
	"slices"
	"time"
)

// IPRanges is the list of addresses that a crawler comes from (S4), in the JSON form in which search engines publish
// theirs:
//
//	{"creationTime":"2026-01-02T03:04:05.000000","prefixes":[{"ipv4Prefix":"192.0.2.0/28"},{"ipv6Prefix":"2001:db8::/64"}]}
//
// It is a ready http.Handler.
type IPRanges struct {
	Created  time.Time // when the list was last changed
	Prefixes []netip.Prefix
}

// Validate reports prefixes that cannot be published: none at all, invalid ones, those of a private or special network.
// The error matches ErrConfig.
func (l *IPRanges) Validate() error {
	if len(l.Prefixes) == 0 {
		return &Error{Op: "ip ranges", Kind: ErrConfig, Reason: "IPRanges.Prefixes is empty"}
	}
	for _, p := range l.Prefixes {
		if a := p.Addr(); !p.IsValid() || p.Bits() == 0 || a.IsPrivate() || a.IsLoopback() || !a.IsGlobalUnicast() {
			return &Error{Op: "ip ranges", Kind: ErrConfig, Reason: "IPRanges.Prefixes: " + p.String() + " is no range of public addresses"}
		}
	}
	return nil
}

// Contains reports whether an address is in the list.
func (l *IPRanges) Contains(addr netip.Addr) bool {
	addr = addr.Unmap()
	return slices.ContainsFunc(l.Prefixes, func(p netip.Prefix) bool { return p.Contains(addr) })
}

type ipRange struct {
	V4 string `json:"ipv4Prefix,omitempty"`
	V6 string `json:"ipv6Prefix,omitempty"`
}

type ipRangesFile struct {
	Created  string    `json:"creationTime"`
	Prefixes []ipRange `json:"prefixes"`
}

const ipRangesTime = "2006-01-02T15:04:05.000000"

// MarshalJSON writes the published form: prefixes without bits beyond their length, IPv6 first as it is usual, sorted.
func (l *IPRanges) MarshalJSON() ([]byte, error) {
	doc := ipRangesFile{Created: l.Created.UTC().Format(ipRangesTime), Prefixes: []ipRange{}}
	prefixes := make([]netip.Prefix, len(l.Prefixes))
	for i, p := range l.Prefixes {
		prefixes[i] = p.Masked()
	}
	slices.SortFunc(prefixes, func(a, b netip.Prefix) int {
		if a.Addr().Is4() != b.Addr().Is4() {
			if a.Addr().Is6() {
				return -1
			}
			return 1
		}
		return a.Compare(b)
	})
	for _, p := range slices.Compact(prefixes) {
		if p.Addr().Is4() {
			doc.Prefixes = append(doc.Prefixes, ipRange{V4: p.String()})
		} else {
			doc.Prefixes = append(doc.Prefixes, ipRange{V6: p.String()})
		}
	}
	return json.Marshal(doc)
}

// UnmarshalJSON reads the published form.
func (l *IPRanges) UnmarshalJSON(data []byte) error {
	var doc ipRangesFile
	if err := json.Unmarshal(data, &doc); err != nil {
		return err
	}
	out := IPRanges{}
	for _, layout := range []string{ipRangesTime, time.RFC3339Nano} {
		if t, err := time.Parse(layout, doc.Created); err == nil {
			out.Created = t
		}
	}
	for _, entry := range doc.Prefixes {
		for _, text := range []string{entry.V4, entry.V6} {
			if text == "" {
				continue
			}
			p, err := netip.ParsePrefix(text)
			if err != nil {
				return &Error{Op: "ip ranges", Kind: ErrConfig, Err: err}
			}
			out.Prefixes = append(out.Prefixes, p)
		}
	}
	*l = out
	return nil
}

// WriteTo writes the list, for a file on a web server.
func (l *IPRanges) WriteTo(w io.Writer) (int64, error) {
	body, err := l.MarshalJSON()
	if err != nil {
		return 0, err
	}
	n, err := w.Write(append(body, '\n'))
	return int64(n), err
}

// ServeHTTP answers GET and HEAD with the list.
func (l *IPRanges) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "only GET and HEAD", http.StatusMethodNotAllowed)
		return
	}
	if err := l.Validate(); err != nil {
		http.Error(w, "the list cannot be given", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "public, max-age=3600")
	_, _ = l.WriteTo(w)
}
