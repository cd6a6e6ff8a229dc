package seo

import (
	"cmp"
	"slices"

	"github.com/amblecrawl/amble"
	"github.com/amblecrawl/amble/internal/urlkey"
)

// searchBot is the crawler of the search engine that the rules about blocked pages and files are judged for: it may have
// other rules in robots.txt than the crawl's own agent.
const searchBot = "Googlebot"

// maxFiles bounds the files of pages that are remembered.
const maxFiles = 20_000

// file is a style sheet, script or image that an indexable page uses.
type file struct{ url, kind, page string }

// seeFiles remembers the files of a page's own server; robots.txt of others is not known. The lock is held.
func (s *site) seeFiles(c *pass, origin string) {
	if c.Meta.Robots.NoIndex {
		return
	}
	for _, r := range c.Meta.Resources {
		switch r.Kind {
		case "style", "script", "image":
		default:
			continue
		}
		if len(r.URL) <= len(origin) || r.URL[:len(origin)] != origin {
			continue
		}
		old, ok := s.uses[r.URL]
		if !ok && len(s.uses) >= maxFiles || ok && old.page <= c.URL {
			continue
		}
		s.uses[short(r.URL)] = file{short(r.URL), r.Kind, short(c.URL)}
	}
}

// blocked judges what robots.txt keeps from search engines though the crawl could see it.
func (v *verdicts) blocked() {
	rules := make(map[string]func(string) amble.Verdict)
	for _, f := range v.robots {
		if f.file != nil {
			rules[f.origin] = f.file.For(searchBot)
		}
	}
	refused := func(url string) (amble.Verdict, bool) {
		u, err := urlkey.Parse(url)
		if err != nil || rules[u.Origin()] == nil {
			return amble.Verdict{}, false
		}
		verdict := rules[u.Origin()](url)
		return verdict, !verdict.Allowed
	}
	for _, page := range v.pages {
		n := &v.nodes[page]
		if !n.rec.noindex {
			continue
		}
		if verdict, ok := refused(n.url); ok {
			v.flag("noindex-and-blocked", n.url, n.url, amble.Failed, "The page says noindex, but robots.txt keeps "+searchBot+" from reading it.", "rule", verdict.Why())
		}
	}
	uses := make([]file, 0, len(v.uses))
	for _, f := range v.uses {
		uses = append(uses, f)
	}
	slices.SortFunc(uses, func(a, b file) int { return cmp.Compare(a.url, b.url) })
	for _, f := range uses {
		if verdict, ok := refused(f.url); ok {
			v.flag("resource-blocked", f.url, f.page, amble.Failed, "robots.txt keeps "+searchBot+" from a file ("+f.kind+") that the page needs.", "rule", verdict.Why(), "kind", f.kind)
		}
	}
}
