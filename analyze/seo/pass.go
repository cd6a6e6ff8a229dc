package seo

import (
	"strings"
	"unicode/utf8"

	"github.com/amblecrawl/amble"
	"github.com/amblecrawl/amble/analyze/internal/audit"
	"github.com/amblecrawl/amble/internal/urlkey"
)

// pass is one page while it is judged.
type pass struct {
	*audit.Page
	a     *Analyzer
	facts *facts
	nodes map[string]map[string]bool // what JSON-LD says of items, by their address
}

func newPass(a *Analyzer, p *amble.Page, report func(amble.Finding)) *pass {
	c := &pass{Page: audit.NewPage(p, report), a: a}
	c.facts = read(c.Outline)
	return c
}

// chars counts characters as readers do: combining marks and joiners add nothing.
func chars(s string) int {
	n := 0
	for _, r := range s {
		if !joins(r) {
			n++
		}
	}
	return n
}

func joins(r rune) bool {
	return r >= 0x300 && r <= 0x36f || r >= 0x200b && r <= 0x200f || r >= 0xfe00 && r <= 0xfe0f || r == utf8.RuneError
}

// dense tells whether most of the text is in a script that needs few characters for a word and has no spaces.
func dense(s string) bool {
	wide, all := 0, 0
	for _, r := range s {
		if r <= ' ' {
			continue
		}
		all++
		if isDense(r) {
			wide++
		}
	}
	return wide*2 > all
}

func isDense(r rune) bool {
	switch {
	case r >= 0x0e00 && r <= 0x0eff, // Thai, Lao
		r >= 0x1780 && r <= 0x17ff,               // Khmer
		r >= 0x3040 && r <= 0x30ff,               // kana
		r >= 0x3400 && r <= 0x9fff,               // Han
		r >= 0xac00 && r <= 0xd7a3,               // Hangul syllables
		r >= 0xf900 && r <= 0xfaff, r >= 0x20000: // Han
		return true
	}
	return false
}

// withoutFragment drops the fragment, which does not count when addresses are compared.
func withoutFragment(s string) string {
	u, err := urlkey.Parse(s)
	if err != nil {
		return s
	}
	return u.String()
}

// isRelative reports whether an address as written has no scheme.
func isRelative(href string) bool {
	href = strings.TrimSpace(href)
	colon := strings.IndexByte(href, ':')
	return colon < 0 || strings.ContainsAny(href[:colon], "/?#")
}

// canonicalURL is the address that the page names as its own, without fragment; empty when it names none that counts, or
// several.
func canonicalURL(m *amble.Meta) string {
	found := ""
	for _, c := range m.Canonicals {
		if c.URL == "" || strings.TrimSpace(c.Href) == "" || !c.Header && !c.Head {
			continue
		}
		u := withoutFragment(c.URL)
		if found != "" && found != u {
			return ""
		}
		found = u
	}
	return found
}
