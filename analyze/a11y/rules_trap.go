package a11y

import (
	"regexp"
	"strings"

	"github.com/amblecrawl/amble/analyze/a11y/internal/aria"
	"github.com/amblecrawl/amble/analyze/a11y/internal/dom"
)

// trap is a set of elements that hand the focus to each other when they lose it.
type trap struct {
	members []*dom.Node
	sure    bool // the handlers do so whatever the state of the page
	keys    bool // a key handler may open it
}

var (
	selfFocus = regexp.MustCompile(`\bthis\s*\.\s*focus\s*\(|\b(?:event|e|evt)\s*\.\s*target\s*\.\s*focus\s*\(`)
	condition = regexp.MustCompile(`\bif\b|\?|&&|\|\||\bswitch\b`)
	quoted    = regexp.MustCompile(`['"]#?([^'"\s]+)['"]`)
	callFocus = regexp.MustCompile(`(?i)focus\w*\s*\(`)
)

// trapsOf finds keyboard traps that the markup shows: handlers for blur in attributes. Those that scripts set up show
// only when somebody presses Tab.
func trapsOf(p *pass, d *dom.Document) []trap {
	next := map[*dom.Node]*dom.Node{}
	doubt := map[*dom.Node]bool{}
	for _, n := range d.Nodes {
		if n.Kind != dom.ElementKind || !aria.Tabbable(n) {
			continue
		}
		h := n.A("onblur") + n.A("onfocusout")
		if h == "" || !callFocus.MatchString(h) {
			continue
		}
		if condition.MatchString(h) {
			doubt[n] = true
		}
		if selfFocus.MatchString(h) {
			next[n] = n
			continue
		}
		for _, m := range quoted.FindAllStringSubmatch(h, -1) {
			if t := d.ByID(n, m[1]); t != nil && aria.Tabbable(t) {
				next[n] = t
			}
		}
	}
	var out []trap
	seen := map[*dom.Node]bool{}
	for _, n := range d.Nodes {
		if next[n] == nil || seen[n] {
			continue
		}
		t := trap{sure: true}
		on := map[*dom.Node]bool{}
		e := n
		for ; e != nil && !on[e]; e = next[e] {
			on[e] = true
			t.members = append(t.members, e)
			t.sure = t.sure && !doubt[e]
		}
		if e == nil {
			continue // somewhere the focus goes on by itself
		}
		for _, m := range t.members {
			seen[m] = true
			t.keys = t.keys || m.Closest(func(a *dom.Node) bool { return a.Has("onkeydown") || a.Has("onkeyup") || a.Has("onkeypress") }) != nil
		}
		out = append(out, t)
	}
	return out
}

// tabTrap: the Tab key leads out of every element (ACT a1b64e).
func tabTrap(p *pass) {
	for _, d := range p.page.docs {
		for _, t := range trapsOf(p, d) {
			if t.sure {
				p.fail(t.members[0], "The element sends the focus back when it loses it: the Tab key does not lead out.")
			} else {
				p.cannot(t.members[0], "Under a condition the element sends the focus back when it loses it.")
			}
		}
	}
}

// keyboardTrap: the keyboard leads out of every element, if need be by a key that people are told of (ACT 80af7b and
// ebe86a; WCAG 2.1.2).
func keyboardTrap(p *pass) {
	for _, d := range p.page.docs {
		for _, t := range trapsOf(p, d) {
			switch {
			case t.keys:
				p.cannot(t.members[0], "The Tab key does not lead out; whether another key does, and people are told, needs a person.")
			case t.sure && !keyScripts(d):
				p.fail(t.members[0], "The element sends the focus back when it loses it, and no key leads out.")
			default:
				p.cannot(t.members[0], "The element may send the focus back when it loses it.")
			}
		}
	}
}

// keyScripts tells whether a script in the page listens to keys.
func keyScripts(d *dom.Document) bool {
	for _, s := range inlineScripts(d) {
		if strings.Contains(s, "keydown") || strings.Contains(s, "keyup") || strings.Contains(s, "keypress") {
			return true
		}
	}
	return false
}
