package sitemapxml

import (
	"fmt"
	"strings"
	"testing"
)

// site answers any file with the body that a function makes of its URL.
func walk(w *Walk, site func(url string) string, seeds ...string) (read []string, refused map[Refusal]int, entries int) {
	refused = make(map[Refusal]int)
	for _, seed := range seeds {
		refused[w.Add(File{URL: parseURL(seed)})]++
	}
	for {
		f, o, ok := w.Next()
		if !ok {
			return read, refused, entries
		}
		read = append(read, strings.TrimPrefix(f.URL.String(), home))
		o.Now = now
		s := NewScanner(strings.NewReader(site(f.URL.String())), o)
		for e := range s.Entries() {
			if s.Format() == Index {
				refused[w.Add(f.Child(e))]++
				continue
			}
			entries++
		}
		w.Read(s)
	}
}

func index(locs ...string) string {
	return strings.NewReplacer("urlset", "sitemapindex", "<url>", "<sitemap>", "</url>", "</sitemap>").Replace(urls(locs...))
}

func TestWalk(t *testing.T) {
	nested := func(url string) string { return index(url+"x", url) }
	many := func(url string) string {
		if url == home {
			var locs []string
			for i := range 1000 {
				locs = append(locs, fmt.Sprint(home, i))
			}
			return index(locs...)
		}
		return urls(home+"a", home+"b", home+"c")
	}
	tests := []struct {
		rule    string
		limits  Limits
		site    func(string) string
		read    string
		refused map[Refusal]int
		entries int
	}{
		{"an index without end ends at its depth", Limits{}, nested, " x xx",
			map[Refusal]int{Accepted: 3, AlreadyKnown: 3, TooDeep: 1}, 0},
		{"four files at most (C3)", Limits{Files: 4}, many, " 0 1 2", map[Refusal]int{Accepted: 4, TooManyFiles: 997}, 9},
		{"entries of all files", Limits{Entries: 1005}, many, " 0 1", map[Refusal]int{Accepted: 100, TooManyFiles: 901}, 5},
		{"bytes of all files", Limits{Bytes: 1}, many, "", map[Refusal]int{Accepted: 1}, 0},
	}
	for _, test := range tests {
		read, refused, entries := walk(NewWalk(test.limits), test.site, home)
		if strings.Join(read, " ") != test.read || fmt.Sprint(refused) != fmt.Sprint(test.refused) || entries != test.entries {
			t.Errorf("%s: read %q, refused %v, %d entries; want %q, %v, %d", test.rule,
				strings.Join(read, " "), refused, entries, test.read, test.refused, test.entries)
		}
	}
}
