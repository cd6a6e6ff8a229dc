package report

import (
	"cmp"
	"encoding/binary"
	"hash/fnv"
	"net/url"
	"slices"
	"strings"
)

// Sampling says how Sample chooses.
type Sampling struct {
	Size   int     // how many URLs; 0: 100
	Random float64 // the share that is drawn at random, 0 to 1; 0: 0.5; negative: none
	Seed   uint64  // another seed draws another random part
}

// Sampled is one URL of a sample and why it is in it.
type Sampled struct {
	URL  string
	Kind string // of the page: its path with numbers and long words as *, "/blog/*"
	Why  string // "home", "kind" or "random"
}

// Sample chooses URLs of a large site, structured plus random, in the manner of WCAG-EM 1.0 section 3.
//
// The rule: the URLs are sorted and doubles dropped. The home page (the shortest path of each host that has one) comes
// first. Then each kind of page gives its first URL by rank, the largest kind first; then each its second, and so on,
// until the structured part is full. The random part is drawn from the rest, each URL with the same chance: those with
// the lowest rank. A URL's rank is a hash of seed and URL. So the same set and seed give the same sample, in whatever
// order the set comes, and a set that changes a little gives almost the same sample: runs can be compared.
//
// What is a kind: host, then the path's segments, where one that holds a digit, or a hyphen or underscore, or is longer
// than 20 characters, or is the last one below another, counts as *; the names of query parameters; the file extension.
//
// Only the random part supports a statement about the whole site; the structured part finds rare kinds of pages.
func Sample(urls []string, s Sampling) []Sampled {
	size := cmp.Or(max(s.Size, 0), 100)
	share := min(max(cmp.Or(s.Random, 0.5), 0), 1)
	urls = slices.Compact(slices.Sorted(slices.Values(urls)))
	ranked := make([]rankedURL, 0, len(urls))
	for _, u := range urls {
		ranked = append(ranked, rankOf(u, s.Seed))
	}
	slices.SortFunc(ranked, func(a, b rankedURL) int { return cmp.Or(cmp.Compare(a.rank, b.rank), cmp.Compare(a.url, b.url)) })
	size = min(size, len(ranked))
	structured := size - int(share*float64(size))
	taken := make(map[string]bool, size)
	out := make([]Sampled, 0, size)
	take := func(r rankedURL, why string) {
		taken[r.url] = true
		out = append(out, Sampled{r.url, r.kind, why})
	}
	for _, r := range homes(ranked) {
		if len(out) < size {
			take(r, "home")
		}
	}
	kinds := byKind(ranked)
	for round, more := 0, true; more && len(out) < structured; round++ {
		more = false
		for _, list := range kinds {
			if round >= len(list) {
				continue
			}
			more = true
			if r := list[round]; !taken[r.url] && len(out) < structured {
				take(r, "kind")
			}
		}
	}
	for _, r := range ranked {
		if len(out) < size && !taken[r.url] {
			take(r, "random")
		}
	}
	return out
}

type rankedURL struct {
	url, kind, host string
	depth           int // bytes of path and query
	rank            uint64
}

func rankOf(raw string, seed uint64) rankedURL {
	h := fnv.New64a()
	_ = binary.Write(h, binary.LittleEndian, seed)
	h.Write([]byte(raw))
	r := rankedURL{url: raw, rank: mix(h.Sum64())}
	u, err := url.Parse(raw)
	if err != nil {
		r.kind, r.depth = "?", len(raw)
		return r
	}
	r.host, r.depth = u.Host, len(u.RequestURI())
	r.kind = kindOf(u)
	return r
}

// mix spreads a hash's bits, so that URLs that differ in their last characters only are ranked without order.
func mix(x uint64) uint64 {
	x ^= x >> 33
	x *= 0xff51afd7ed558ccd
	x ^= x >> 33
	x *= 0xc4ceb9fe1a85ec53
	return x ^ x>>33
}

func kindOf(u *url.URL) string {
	segments := strings.Split(strings.Trim(u.EscapedPath(), "/"), "/")
	for i, s := range segments {
		ext := ""
		if dot := strings.LastIndexByte(s, '.'); i == len(segments)-1 && dot > 0 && len(s)-dot <= 6 {
			s, ext = s[:dot], s[dot:]
		}
		if i == len(segments)-1 && i > 0 || len(s) > 20 || strings.ContainsAny(s, "0123456789-_") {
			s = "*"
		}
		segments[i] = s + ext
	}
	kind := u.Host + "/" + strings.Join(segments, "/")
	if u.RawQuery != "" {
		names := []string{}
		for name := range u.Query() {
			names = append(names, name)
		}
		slices.Sort(names)
		kind += "?" + strings.Join(names, "&")
	}
	return kind
}

// homes returns the URL with the shortest path of each host, hosts in order.
func homes(all []rankedURL) []rankedURL {
	best := make(map[string]rankedURL)
	for _, r := range all {
		b, ok := best[r.host]
		if !ok || r.depth < b.depth || r.depth == b.depth && r.url < b.url {
			best[r.host] = r
		}
	}
	out := make([]rankedURL, 0, len(best))
	for _, r := range best {
		out = append(out, r)
	}
	slices.SortFunc(out, func(a, b rankedURL) int { return cmp.Compare(a.host, b.host) })
	return out
}

// byKind groups by kind, the largest first; within each the order stays.
func byKind(all []rankedURL) [][]rankedURL {
	groups := make(map[string][]rankedURL)
	for _, r := range all {
		groups[r.kind] = append(groups[r.kind], r)
	}
	out := make([][]rankedURL, 0, len(groups))
	for _, list := range groups {
		out = append(out, list)
	}
	slices.SortFunc(out, func(a, b []rankedURL) int {
		return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a[0].kind, b[0].kind))
	})
	return out
}
