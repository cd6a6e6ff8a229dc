package tech

import (
	"bytes"
	"net/http"
	"strings"

	"github.com/amblecrawl/amble"
	"github.com/amblecrawl/amble/internal/urlkey"
)

// pass is one page while it is judged.
type pass struct {
	a      *Analyzer
	p      *amble.Page
	m      *amble.Meta
	url    urlkey.URL
	secure bool
	header http.Header
	whole  bool
	report func(amble.Finding)
	seen   map[string]bool
	o      *outline
}

const (
	maxFindings = 1000 // of one page
	maxLines    = 100  // findings whose lines are looked for: each search reads the page
)

func newPass(a *Analyzer, p *amble.Page, report func(amble.Finding)) *pass {
	c := &pass{a: a, p: p, m: p.Meta, header: p.Response.Header, whole: !p.Meta.Partial && !p.Partial(), report: report, seen: make(map[string]bool)}
	c.url, _ = urlkey.Parse(p.URL)
	c.secure = c.url.Scheme() == "https"
	if c.header == nil {
		c.header = http.Header{}
	}
	return c
}

// fail reports a failure of the page, once per rule and target.
func (c *pass) fail(rule, target, source, message string, evidence ...string) {
	line := 0
	if source != "" && len(c.seen) < maxLines {
		if at := bytes.Index(c.p.Response.Body, []byte(source)); at >= 0 {
			line = 1 + bytes.Count(c.p.Response.Body[:at], []byte("\n"))
		}
	}
	c.failAt(rule, target, source, line, message, evidence...)
}

func (c *pass) failAt(rule, target, source string, line int, message string, evidence ...string) {
	target = clip(target)
	key := rule + " " + target
	if c.seen[key] || len(c.seen) >= maxFindings {
		return
	}
	c.seen[key] = true
	c.report(amble.Finding{Rule: rule, Target: target, Snippet: clip(source), Line: line, Message: message, Evidence: pairs(evidence)})
}

// server reports a failure of the page's server.
func (c *pass) server(rule, message string, evidence ...string) {
	c.a.servers.add(rule, c.url.Origin(), c.p.URL, amble.Failed, message, evidence...)
}

// serverOf is server for one of several things that the server has: a cookie, a header's value.
func (c *pass) serverOf(rule, what, message string, evidence ...string) {
	c.a.servers.add(rule, c.url.Origin()+" "+clip(what), c.p.URL, amble.Failed, message, evidence...)
}

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

func clip(s string) string {
	const most = 300
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}
