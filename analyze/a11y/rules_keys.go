package a11y

import (
	"regexp"

	"github.com/amblecrawl/amble/analyze/a11y/internal/dom"
)

var (
	characterKey = regexp.MustCompile(`(?:===?\s*|\bcase\s+)['"][^'"\s\\]['"]|['"][^'"\s\\]['"]\s*===?|\b(?:keyCode|which|charCode)\b\s*===?\s*(?:4[89]|5[0-7]|6[5-9]|[78]\d|90)\b`)
	readsKey     = regexp.MustCompile(`\.\s*(?:key|code|keyCode|which|charCode)\b`)
)

// characterShortcuts: a shortcut that is a single character can be switched off or changed (ACT ffbc54; WCAG 2.1.4): who
// speaks to a computer, or hits keys by mistake, sets it off without wanting to. Keys that only wait while one element has
// the focus are not meant.
func characterShortcuts(p *pass) {
	for _, d := range p.page.docs {
		if d.HTML == nil {
			continue
		}
		list := d.Window
		for _, n := range []*dom.Node{d.HTML, d.Body()} {
			if n != nil && n.Facts != nil {
				list = append(list, n.Facts.Listeners...)
			}
		}
		single, unsure := false, false
		for _, l := range list {
			if l.Type != "keydown" && l.Type != "keypress" && l.Type != "keyup" {
				continue
			}
			switch {
			case modifier.MatchString(l.Source):
			case characterKey.MatchString(l.Source) && readsKey.MatchString(l.Source):
				single = true
			case !tabKey.MatchString(l.Source) && !usualKey.MatchString(l.Source):
				unsure = true
			}
		}
		switch {
		case !single && !unsure:
		case !single:
			p.cannot(d.HTML, "A script waits for keys on the whole page; its text does not tell which. Whether single characters do something needs a person.")
		case control(d) == nil:
			p.fail(d.HTML, "A single character does something anywhere on the page, and there is no control that could switch it off.")
		default:
			p.cannot(d.HTML, "A single character does something anywhere on the page; whether it can be switched off or changed needs a person.", "control", selector(control(d)))
		}
	}
}

// control returns the first element that does something when it is used.
func control(d *dom.Document) *dom.Node {
	for _, n := range d.Nodes {
		if n.Kind == dom.ElementKind && !disabled(n) && works(n) {
			return n
		}
	}
	return nil
}
