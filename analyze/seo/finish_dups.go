package seo

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/amblecrawl/amble"
	"github.com/amblecrawl/amble/internal/urlkey"
)

const (
	exactWords = 20 // fewer words are the same by chance
	nearWords  = 50
	nearShare  = 0.9
	maxRivals  = 8 // unlike pages of one band that each page is compared with: keeps the search linear
)

// duplicates finds pages that say the same. Pages that are told apart already (other canonical, noindex) are left out,
// and of pages with the same text only the first is looked at further: the same title then is no news.
func (v *verdicts) duplicates() {
	var list []int32
	for _, page := range v.pages {
		if v.own(page) && v.nodes[page].flags&partial == 0 {
			list = append(list, page)
		}
	}
	list = v.sameBy(list, "dup-url-variant", "The same page answers under several addresses.", func(i int32) string {
		if v.nodes[i].rec.words == 0 {
			return ""
		}
		return fmt.Sprintf("%s %x", variant(v.nodes[i].url), v.nodes[i].rec.text)
	}, nil)
	list = v.sameBy(list, "dup-exact", "Several pages hold the same text.", func(i int32) string {
		if v.nodes[i].rec.words < exactWords {
			return ""
		}
		return fmt.Sprintf("%x", v.nodes[i].rec.text)
	}, nil)
	in := func(i int32, text string) string {
		if text == "" {
			return ""
		}
		return v.nodes[i].rec.lang + " " + text
	}
	v.sameBy(list, "title-duplicate", "Several pages have the same title.", func(i int32) string { return in(i, v.nodes[i].rec.title) },
		func(i int32) string { return v.nodes[i].rec.title })
	v.sameBy(list, "description-duplicate", "Several pages have the same description.", func(i int32) string { return in(i, v.nodes[i].rec.description) },
		func(i int32) string { return v.nodes[i].rec.description })
	v.sameBy(list, "h1-duplicate", "Several pages have the same main heading.", func(i int32) string { return in(i, v.nodes[i].rec.h1) },
		func(i int32) string { return v.nodes[i].rec.h1 })
	v.near(list)
}

// sameBy reports pages that share a key, and returns the first page of each key. target names the finding; nil: the
// first page does.
func (v *verdicts) sameBy(list []int32, rule, message string, key func(int32) string, target func(int32) string) []int32 {
	first := make(map[string]int32, len(list))
	firstSeen := make(map[string]bool) // keys whose first page is in the finding
	out := make([]int32, 0, len(list))
	for _, page := range list {
		k := key(page)
		if k == "" {
			out = append(out, page)
			continue
		}
		f, ok := first[k]
		if !ok {
			first[k] = page
			out = append(out, page)
			continue
		}
		name := v.nodes[f].url
		if target != nil {
			name = target(f)
		}
		if !firstSeen[k] {
			v.flag(rule, name, v.nodes[f].url, amble.Failed, message)
			firstSeen[k] = true
		}
		v.flag(rule, name, v.nodes[page].url, amble.Failed, message)
	}
	return out
}

// variant gives addresses that differ in case, slash, index file, www or scheme one spelling. It is for comparing only.
func variant(url string) string {
	u, err := urlkey.Parse(url)
	if err != nil {
		return url
	}
	path := strings.ToLower(u.Path())
	for _, name := range []string{"index.html", "index.htm", "index.php", "default.aspx"} {
		if strings.HasSuffix(path, "/"+name) {
			path = strings.TrimSuffix(path, name)
		}
	}
	_, query, _ := strings.Cut(u.String(), "?")
	return strings.TrimPrefix(u.Host(), "www.") + strings.TrimRight(path, "/") + "?" + query
}

// near finds texts that are alike by the bands of their sketches. Pages that share a band are compared, each with a few
// others at most.
func (v *verdicts) near(list []int32) {
	list = slices.DeleteFunc(slices.Clone(list), func(i int32) bool { return v.nodes[i].rec.words < nearWords })
	parent := make([]int32, len(list)) // union-find over places in list
	share := make([]float64, len(list))
	for i := range parent {
		parent[i] = int32(i)
	}
	root := func(i int32) int32 {
		for parent[i] != i {
			parent[i] = parent[parent[i]]
			i = parent[i]
		}
		return i
	}
	type entry struct {
		key uint64
		at  int32
	}
	band := make([]entry, len(list))
	for b := range sketchSize / bandSize {
		for i, page := range list {
			band[i] = entry{v.nodes[page].rec.sketch.band(b), int32(i)}
		}
		slices.SortFunc(band, func(x, y entry) int { return cmp.Or(cmp.Compare(x.key, y.key), cmp.Compare(x.at, y.at)) })
		var rivals []int32
		for i, e := range band {
			if i == 0 || band[i-1].key != e.key {
				rivals = rivals[:0]
			}
			matched := false
			for _, r := range rivals {
				x, y := root(r), root(e.at)
				if x == y {
					matched = true
					break
				}
				if s := v.nodes[list[r]].rec.sketch.alike(&v.nodes[list[e.at]].rec.sketch); s >= nearShare {
					parent[max(x, y)] = min(x, y)
					share[e.at] = max(share[e.at], s)
					matched = true
					break
				}
			}
			if !matched && len(rivals) < maxRivals {
				rivals = append(rivals, e.at)
			}
		}
	}
	for i := range list {
		r := root(int32(i))
		if r == int32(i) {
			continue
		}
		first := v.nodes[list[r]].url
		const message = "Several pages hold nearly the same text."
		if !v.groups.Has("dup-near", first) {
			v.flag("dup-near", first, first, amble.Failed, message, "alike", fmt.Sprintf("%.0f %%", 100*share[i]))
		}
		v.flag("dup-near", first, v.nodes[list[i]].url, amble.Failed, message)
	}
}
