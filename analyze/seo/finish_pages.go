package seo

import (
	"fmt"
	"strings"
	"time"

	"github.com/amblecrawl/amble"
	"github.com/amblecrawl/amble/internal/urlkey"
)

// state says in one word what is wrong with a URL as the target of a canonical or hreflang link: "", "redirect", "error",
// "noindex", "blocked" or "non-canonical". A URL that was not visited has none.
func (v *verdicts) state(i int32) string {
	n := &v.nodes[i]
	switch {
	case n.outcome == amble.OutcomeRedirected:
		return "redirect"
	case n.outcome == amble.OutcomeHTTPError && broken(n.status):
		return "error"
	case n.outcome == amble.OutcomeDisallowed && n.flags&ruled != 0:
		return "blocked"
	case n.rec == nil:
		return ""
	case n.rec.noindex:
		return "noindex"
	case n.rec.canonical != i:
		return "non-canonical"
	}
	return ""
}

var stateText = map[string]string{
	"redirect": "a redirect", "error": "an error", "blocked": "an address that robots.txt blocks",
	"noindex": "a page that may not be indexed", "non-canonical": "a page that names another one as canonical",
}

func (v *verdicts) canonicals() {
	for _, page := range v.pages {
		target := v.nodes[page].rec.canonical
		if target == page || v.nodes[page].rec.noindex {
			continue
		}
		from, to := v.nodes[page].url, v.nodes[target].url
		state := v.state(target)
		if state == "non-canonical" {
			if loop := v.canonicalLoop(page); loop != none {
				v.flag("canonical-loop", v.nodes[loop].url, from, amble.Failed, "Canonical addresses run in a circle.", "canonical", to)
				continue
			}
		}
		if state != "" {
			v.flag("canonical-to-"+state, to, from, amble.Failed, "The canonical address leads to "+stateText[state]+".", "status", status(&v.nodes[target]))
		}
		if v.in[target].count == 0 && v.nodes[target].flags&isSeed == 0 && v.hosted(to) {
			v.flag("canonical-unlinked", to, from, v.absent(), "The canonical address is linked from nowhere.")
		}
	}
}

// hosted tells whether pages of the URL's server were analysed.
func (v *verdicts) hosted(url string) bool {
	u, err := urlkey.Parse(url)
	return err == nil && v.hosts[u.Origin()]
}

// canonicalLoop follows canonical links. It returns the first URL of a circle that the page is in, or none.
func (v *verdicts) canonicalLoop(page int32) int32 {
	circle := []int32{page}
	for cur := page; len(circle) < 20; circle = append(circle, cur) {
		if v.nodes[cur].rec == nil || v.nodes[cur].rec.canonical == cur {
			return none
		}
		if cur = v.nodes[cur].rec.canonical; cur == page {
			return v.first(circle)
		}
	}
	return none
}

func (v *verdicts) altsOf(i int32) []alt {
	var list []alt
	if r := v.nodes[i].rec; r != nil {
		list = r.alts
	}
	if more := v.fromMap[i]; len(more) > 0 {
		list = append(append([]alt(nil), list...), more...)
	}
	return list
}

func (v *verdicts) hreflang() {
	for _, page := range v.pages {
		if !v.own(page) {
			continue
		}
		from := v.nodes[page].url
		done := make(map[int32]bool)
		for _, a := range v.altsOf(page) {
			if a.target == page || done[a.target] {
				continue
			}
			done[a.target] = true
			to := v.nodes[a.target].url
			state := v.state(a.target)
			switch {
			case state != "":
				v.flag("hreflang-to-"+state, to, from, amble.Failed, "The hreflang address leads to "+stateText[state]+".", "hreflang", a.lang, "status", status(&v.nodes[a.target]))
			case v.nodes[a.target].rec != nil && !v.returns(a.target, page) && v.nodes[a.target].flags&partial == 0:
				v.flag("hreflang-no-return", to, from, amble.Failed, "The page named by hreflang does not link back.", "hreflang", a.lang)
			}
			if state == "" && v.in[a.target].count == 0 && v.nodes[a.target].flags&isSeed == 0 && v.hosted(to) {
				v.flag("hreflang-unlinked", to, from, v.absent(), "The page named by hreflang is linked from nowhere.", "hreflang", a.lang)
			}
		}
	}
}

func (v *verdicts) returns(from, to int32) bool {
	for _, a := range v.altsOf(from) {
		if a.target == to {
			return true
		}
	}
	return false
}

const maxClicks = 4

// structure judges how pages hang together.
func (v *verdicts) structure() {
	depth := v.depths()
	for _, page := range v.pages {
		n, in := &v.nodes[page], &v.in[page]
		if !v.own(page) {
			continue
		}
		if in.count == 0 && n.file != none && n.flags&isSeed == 0 && !v.redirectedTo(page) {
			v.flag("page-orphan", n.url, n.url, v.absent(), "A sitemap lists the page; no page links to it.", "sitemap", v.files[n.file])
		}
		if in.count > 0 && in.follow == 0 && n.flags&isSeed == 0 {
			v.linked("only-nofollow-links", page, v.absent(), "Only links with nofollow lead to the page.")
		}
		if d := depth[page]; d > maxClicks {
			v.flag("page-depth", n.url, n.url, amble.Failed, fmt.Sprintf("It takes %d clicks to get to the page.", d), "clicks", fmt.Sprint(d))
		}
	}
}

// redirectedTo tells whether links reach the page through a redirect.
func (v *verdicts) redirectedTo(page int32) bool {
	if v.entrances == nil {
		v.entrances = make(map[int32]bool)
		for i := range v.nodes {
			if v.nodes[i].outcome == amble.OutcomeRedirected && (v.in[i].count > 0 || v.nodes[i].flags&isSeed != 0) {
				c := v.follow(int32(i))
				v.entrances[c.nodes[len(c.nodes)-1]] = true
			}
		}
	}
	return v.entrances[page]
}

// depths counts the clicks from the seeds to each node, redirects for nothing; -1 for what no link leads to.
func (v *verdicts) depths() []int32 {
	depth := make([]int32, len(v.nodes))
	var level []int32
	for i := range depth {
		depth[i] = -1
	}
	reach := func(i, d int32, list []int32) []int32 {
		for hops := 0; depth[i] < 0 && hops < 40; hops++ {
			depth[i] = d
			list = append(list, i)
			if i2 := v.nodes[i].redirect; i2 != none {
				i = i2
			}
		}
		return list
	}
	for i := range v.nodes {
		if v.nodes[i].flags&isSeed != 0 {
			level = reach(int32(i), 0, level)
		}
	}
	for d := int32(1); len(level) > 0; d++ {
		var next []int32
		for _, i := range level {
			if r := v.nodes[i].rec; r != nil {
				for _, code := range r.out {
					next = reach(code>>1, d, next)
				}
			}
		}
		level = next
	}
	return depth
}

// entries compares what sitemaps list with what the crawl met.
func (v *verdicts) entries() {
	for i := range v.nodes {
		n := &v.nodes[i]
		if n.file == none {
			continue
		}
		file := v.files[n.file]
		rule := ""
		switch v.state(int32(i)) {
		case "redirect", "error":
			rule = "sitemap-not-200"
		case "noindex":
			rule = "sitemap-noindex"
		case "blocked":
			rule = "sitemap-blocked"
		case "non-canonical":
			rule = "sitemap-non-canonical"
		}
		if rule != "" {
			g := v.flag(rule, n.url, file, amble.Failed, "A sitemap lists "+stateText[v.state(int32(i))]+".", "sitemap", file, "status", status(n), "rule", n.why)
			g.Finding.Line = int(n.line)
		}
	}
	listed, whole := 0, true
	for _, f := range v.sitemaps {
		if f.page {
			listed += f.entries
		}
		whole = whole && (f.failed == "" || f.parent == "")
		for _, fault := range f.faults {
			whole = whole && sitemapRules[fault.Kind] != "sitemap-invalid" && sitemapRules[fault.Kind] != "sitemap-too-big"
		}
	}
	if listed == 0 || !whole {
		return
	}
	for _, page := range v.pages {
		if n := &v.nodes[page]; n.file == none && v.own(page) {
			v.flag("sitemap-missing-page", n.url, n.url, amble.Failed, "No sitemap lists the page.")
		}
	}
}

var sitemapRules = map[string]string{
	"empty": "sitemap-invalid", "root": "sitemap-invalid", "no-entries": "sitemap-invalid", "xml": "sitemap-invalid", "encoding": "sitemap-invalid",
	"namespace": "sitemap-invalid", "truncated": "sitemap-invalid", "not-gzip": "sitemap-invalid", "bad-gzip": "sitemap-invalid",
	"nested-index": "sitemap-invalid", "missing-loc": "sitemap-invalid", "invalid-loc": "sitemap-invalid", "long-loc": "sitemap-invalid",
	"self-reference": "sitemap-invalid", "too-big": "sitemap-too-big", "duplicate": "sitemap-duplicate",
	"other-host": "sitemap-other-host", "outside-path": "sitemap-outside-path", "lastmod": "sitemap-lastmod", "future-lastmod": "sitemap-lastmod",
}

// sameDates is how many entries must share one time for it to be no coincidence.
const sameDates = 10

func (v *verdicts) sitemapFiles() {
	for i, d := range v.dates {
		if d.entries >= sameDates && !d.differ {
			v.flag("sitemap-lastmod-equal", v.files[i], v.files[i], amble.Failed, fmt.Sprintf("All %d entries have the same lastmod, %s.", d.entries, d.first.Format(time.RFC3339)), "lastmod", d.first.Format(time.RFC3339))
		}
	}
	for _, f := range v.sitemaps {
		if f.failed != "" && f.parent != "" { // nobody promised /sitemap.xml
			result := amble.Failed
			if f.refused {
				result = amble.CantTell
			}
			v.flag("sitemap-unreachable", f.url, f.parent, result, "The sitemap could not be read: "+f.failed, "error", f.failed)
		}
		for _, fault := range f.faults {
			rule := sitemapRules[fault.Kind]
			if rule == "" || f.parent == "" && (fault.Kind == "root" || fault.Kind == "empty") { // a page answers for everything
				continue
			}
			g := v.flag(rule, f.url, f.url, amble.Failed, fmt.Sprintf("line %d: %s: %s", fault.Line, fault.Kind, fault.Detail), "kind", fault.Kind, "detail", fault.Detail)
			if g.Finding.Line == 0 {
				g.Finding.Line = fault.Line
			}
		}
	}
}

func (v *verdicts) robotsFiles() {
	for _, f := range v.robots {
		switch f.state {
		case amble.RobotsUnreachable:
			v.flag("robots-unreachable", f.url, f.url, amble.Failed, "robots.txt could not be read; robots then stay away from the whole site.")
		case amble.RobotsRules:
			html := false
			var lines []string
			for _, p := range f.problems {
				switch p.Code {
				case "html":
					html = true
				case "unsupported-key", "joined-group":
				default:
					lines = append(lines, fmt.Sprintf("line %d: %s: %s", p.Line, p.Code, p.Detail))
				}
			}
			if html {
				v.flag("robots-not-text", f.url, f.url, amble.Failed, "robots.txt is a page, not a text file.")
				continue
			}
			if len(lines) > 0 {
				g := v.flag("robots-invalid-line", f.url, f.url, amble.Failed, lines[0], "lines", strings.Join(lines, "; "))
				g.Count = len(lines)
			}
			if f.file != nil && f.file.Cut() {
				v.flag("robots-too-big", f.url, f.url, amble.Failed, "robots.txt is larger than 500 KiB; crawlers need not read the rest.")
			}
			if f.sitemaps == 0 {
				v.flag("robots-no-sitemap", f.url, f.url, amble.Failed, "robots.txt names no sitemap.")
			}
		}
	}
}
