package amble

import (
	"net/http"
	"slices"
	"strings"

	"github.com/amblecrawl/amble/internal/urlkey"
)

// Prober may be implemented by an Analyzer that wants to know how addresses answer that no page names: a page that cannot
// exist, the site's http twin, a file under /.well-known/. They are asked for as link checks are: once, after the last
// page, through the same gates, and not at all when the site was given up. Crawler.Links must be set, or nothing is asked.
//
// Probes is called once for each server of which a page was analysed, at most ten addresses of its answer are used.
// Probed is called with the result of each, one call at a time, before Finish; nobody else is shown a result that no page
// asked for, and it is in no count but LinkSummary.Requests. It must not keep the result.
type Prober interface {
	Probes(o Origin) []string
	Probed(l *LinkResult, report func(Finding))
}

// maxProbes bounds what an Analyzer may ask of a server that no page names.
const maxProbes = 10

// asked reports whether somebody wants to know a target's answer.
func (t *linkTarget) asked() bool { return t.count > 0 || len(t.probers) > 0 }

// probe adds what Analyzers want to know of the servers whose pages were analysed.
func (c *linkPhase) probe() {
	c.table.mu.Lock()
	defer c.table.mu.Unlock()
	var origins []Origin
	seen := make(map[Origin]bool)
	for _, t := range c.table.order {
		if o := originOfKey(t.url); t.answer.source == "crawl" && t.answer.verdict == LinkOK && !seen[o] {
			seen[o] = true
			origins = append(origins, o)
		}
	}
	slices.Sort(origins)
	for i := range c.r.analysis.members {
		m := &c.r.analysis.members[i]
		p, ok := m.analyzer.(Prober)
		if !ok {
			continue
		}
		for _, o := range origins {
			var list []string
			c.r.analysis.guard(m, func() error { list = p.Probes(o); return nil })
			for _, u := range list[:min(len(list), maxProbes)] {
				key, err := urlkey.Parse(u)
				if err != nil || key.Kind() != urlkey.KindHTTP {
					continue
				}
				if t := c.table.target(key.String()); t != nil && !slices.Contains(t.probers, i) {
					t.probers = append(t.probers, i)
					if t.count == 0 {
						t.kind, t.from = "probe", append(t.from, o)
					}
				}
			}
		}
	}
}

// probed shows a Prober a result that it asked for.
func (a *analysis) probed(member int, l *LinkResult, report func(Finding)) {
	m := &a.members[member]
	a.guard(m, func() error {
		m.analyzer.(Prober).Probed(l, func(f Finding) {
			if a.complete(m, &f, "") {
				report(f)
			}
		})
		return nil
	})
}

// mediaType is an answer's type without parameters, in lower case.
func mediaType(h http.Header) string {
	media, _, _ := strings.Cut(h.Get("Content-Type"), ";")
	return strings.ToLower(strings.TrimSpace(media))
}
