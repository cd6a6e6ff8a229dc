package tech

import (
	"net/http"

	"github.com/amblecrawl/amble"
	"github.com/amblecrawl/amble/analyze/internal/audit"
)

// pass is one page while it is judged.
type pass struct {
	*audit.Page
	a      *Analyzer
	secure bool
	header http.Header
	facts  *facts
}

func newPass(a *Analyzer, p *amble.Page, report func(amble.Finding)) *pass {
	c := &pass{Page: audit.NewPage(p, report), a: a, header: p.Response.Header}
	c.secure = c.At.Scheme() == "https"
	if c.header == nil {
		c.header = http.Header{}
	}
	c.facts = read(c.Outline)
	return c
}

// server reports a failure of the page's server.
func (c *pass) server(rule, message string, evidence ...string) {
	c.a.servers.add(rule, c.At.Origin(), c.URL, amble.Failed, message, evidence...)
}

// serverOf is server for one of several things that the server has: a cookie, a header's value.
func (c *pass) serverOf(rule, what, message string, evidence ...string) {
	c.a.servers.add(rule, c.At.Origin()+" "+audit.Clip(what), c.URL, amble.Failed, message, evidence...)
}
