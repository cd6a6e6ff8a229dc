package audit

import (
	"bytes"
	"strings"

	"github.com/amblecrawl/amble"
	"github.com/amblecrawl/amble/internal/urlkey"
)

// Page is a page under judgement.
type Page struct {
	*amble.Page
	At      urlkey.URL // its address
	Outline *amble.Outline
	Whole   bool // nothing of the page is missing: what is absent is absent

	report func(amble.Finding)
	seen   map[key]bool // each rule and target is reported once a page
}

type key struct{ rule, target string }

// NewPage begins to judge a page that has Meta.
func NewPage(p *amble.Page, report func(amble.Finding)) *Page {
	c := &Page{Page: p, report: report, Outline: p.Outline()}
	c.At, _ = urlkey.Parse(p.URL)
	c.Whole = !p.Meta.Partial && !p.Partial() && !c.Outline.Partial()
	return c
}

const (
	maxFindings = 1000 // bounds what is reported of one page
	maxLines    = 100  // bounds the findings whose lines are looked for: each search reads the page
)

// Fail reports a failure of a rule. target is what is judged, empty for the page itself; source is text of the page by
// which its line is found; the evidence comes in pairs of name and value.
func (c *Page) Fail(rule, target, source, message string, evidence ...string) {
	if target = Clip(target); c.fresh(rule, target) {
		c.add(rule, target, source, c.line(source), message, evidence)
	}
}

// FailAt is Fail where the line is known.
func (c *Page) FailAt(rule, target, source string, line int, message string, evidence ...string) {
	if target = Clip(target); c.fresh(rule, target) {
		c.add(rule, target, source, line, message, evidence)
	}
}

func (c *Page) fresh(rule, target string) bool {
	k := key{rule, target}
	if c.seen[k] || len(c.seen) >= maxFindings {
		return false
	}
	if c.seen == nil {
		c.seen = make(map[key]bool)
	}
	c.seen[k] = true
	return true
}

func (c *Page) add(rule, target, source string, line int, message string, evidence []string) {
	c.report(amble.Finding{Rule: rule, Target: target, Snippet: Clip(source), Line: line, Message: message, Evidence: Pairs(evidence)})
}

// line is where the text first stands in the source, from 1; 0 when it is not found as written.
func (c *Page) line(source string) int {
	if source == "" || c.Response == nil || len(c.seen) > maxLines {
		return 0
	}
	at := bytes.Index(c.Response.Body, []byte(source))
	if at < 0 {
		return 0
	}
	return 1 + bytes.Count(c.Response.Body[:at], []byte("\n"))
}

// Pairs makes evidence of names and values.
func Pairs(list []string) map[string]string {
	if len(list) == 0 {
		return nil
	}
	m := make(map[string]string, len(list)/2)
	for i := 0; i+1 < len(list); i += 2 {
		m[list[i]] = Clip(list[i+1])
	}
	return m
}

// Clip copies and shortens what is put into a finding: it must not keep the page in memory.
func Clip(s string) string {
	const most = 300
	if len(s) <= most {
		return strings.Clone(s)
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}

// Collapse makes runs of white space one space, and takes it off the ends.
func Collapse(s string) string {
	clean := true
	for i := 0; i < len(s) && clean; i++ {
		c := s[i]
		clean = c > ' ' && c < 0x80 || c == ' ' && i > 0 && i < len(s)-1 && s[i+1] != ' '
	}
	if clean {
		return s
	}
	return strings.Join(strings.Fields(s), " ")
}

// Attr is an attribute of element i of an outline; empty when it is not there.
func Attr(o *amble.Outline, i int, name string) string {
	v, _ := o.Attr(i, name)
	return v
}

// Has reports whether element i of an outline has an attribute.
func Has(o *amble.Outline, i int, name string) bool {
	_, ok := o.Attr(i, name)
	return ok
}

// Set makes a set of words parted by white space.
func Set(list string) map[string]bool {
	m := make(map[string]bool)
	for _, w := range strings.Fields(list) {
		m[w] = true
	}
	return m
}
