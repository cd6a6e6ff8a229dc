package seo

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/amblecrawl/amble"
	"github.com/amblecrawl/amble/internal/urlkey"
)

// pass is one page while it is judged.
type pass struct {
	a      *Analyzer
	p      *amble.Page
	m      *amble.Meta
	url    urlkey.URL
	facts  *facts
	whole  bool // nothing of the page is missing: what is absent is absent
	report func(amble.Finding)
	seen   map[string]bool // rule and target: each is reported once a page
}

func newPass(a *Analyzer, p *amble.Page, report func(amble.Finding)) *pass {
	c := &pass{a: a, p: p, m: p.Meta, whole: !p.Meta.Partial && !p.Partial(), report: report, seen: make(map[string]bool)}
	c.url, _ = urlkey.Parse(p.URL)
	doc, partial := p.Tree()
	c.whole = c.whole && !partial
	c.facts = read(doc)
	return c
}

// fail reports a failure of a rule. target is what is judged, empty for the page itself; source is text of the page by
// which its line is found.
func (c *pass) fail(rule, target, source, format string, args ...any) {
	c.failWith(rule, target, source, fmt.Sprintf(format, args...))
}

// failWith is fail with evidence, in pairs of name and value.
func (c *pass) failWith(rule, target, source, message string, evidence ...string) {
	target = clip(target)
	if key := rule + " " + target; c.seen[key] {
		return
	} else if len(c.seen) < maxFindings {
		c.seen[key] = true
	} else {
		return
	}
	c.report(amble.Finding{Rule: rule, Target: target, Snippet: clip(source), Line: c.line(source), Message: message, Evidence: pairs(evidence)})
}

const (
	maxFindings = 1000 // bounds what is reported of one page
	maxLines    = 100  // bounds the findings whose lines are looked for: each search reads the page
)

func pairs(list []string) map[string]string {
	if len(list) == 0 {
		return nil
	}
	m := make(map[string]string, len(list)/2)
	for i := 0; i+1 < len(list); i += 2 {
		m[list[i]] = clip(list[i+1])
	}
	return m
}

// line is where the text first stands in the source, from 1; 0 when it is not found as written.
func (c *pass) line(source string) int {
	if source == "" || c.p.Response == nil || len(c.seen) > maxLines {
		return 0
	}
	at := bytes.Index(c.p.Response.Body, []byte(source))
	if at < 0 {
		return 0
	}
	return 1 + bytes.Count(c.p.Response.Body[:at], []byte("\n"))
}

// clip shortens what is put into a finding.
func clip(s string) string {
	const most = 300
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
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
