package a11y

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/amblecrawl/amble"
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

// tried returns what pressing Tab on the page showed: the trap that the focus ended in, or that there is none. known is
// false when nobody pressed Tab, or not often enough.
func tried(p *pass) (trap []*dom.Node, known bool) {
	switch p.page.top.Keyboard {
	case amble.KeyboardLeft:
		return nil, true
	case amble.KeyboardTrap:
	default:
		return nil, false
	}
	for _, d := range p.page.docs {
		for _, n := range d.Nodes {
			if n.Facts != nil && n.Facts.Trapped {
				trap = append(trap, n)
			}
		}
	}
	return trap, len(trap) > 0
}

// stops counts what Tab came to, and led on from, as good.
func (p *pass) stops() {
	p.each(func(n *dom.Node) {
		if n.Facts != nil && n.Facts.FocusStop && !n.Facts.Trapped {
			p.ok(n)
		}
	})
}

// tabTrap: the usual keys lead out of every element (ACT a1b64e).
func tabTrap(p *pass) {
	if trap, known := tried(p); known {
		p.stops()
		if len(trap) == 0 {
			return
		}
		if escape(p, trap) == escapeMaybe {
			p.cannot(trap[0], "Tab and Shift+Tab do not lead out of the element; a script waits for other keys: whether Escape or an arrow leads out needs a person.", "stops", strconv.Itoa(len(trap)))
			return
		}
		p.fail(trap[0], "Tab and Shift+Tab were pressed: they do not lead out of the element.", "stops", strconv.Itoa(len(trap)))
		return
	}
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
	if trap, known := tried(p); known {
		p.stops()
		switch {
		case len(trap) == 0:
		case escape(p, trap) == escapeNone:
			p.fail(trap[0], "Tab and Shift+Tab were pressed and do not lead out of the element, and no script waits for another key.", "stops", strconv.Itoa(len(trap)))
		default:
			p.cannot(trap[0], "Tab and Shift+Tab do not lead out of the element; whether another key does, and people are told, needs a person.", "stops", strconv.Itoa(len(trap)))
		}
		return
	}
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

// How a trap may be left by another key than Tab.
const (
	escapeNone  = iota // no script waits for another key
	escapeOther        // one waits for a key with Ctrl, Alt or a letter: not among the usual ones
	escapeMaybe        // one may wait for Escape, an arrow, Enter or Space
)

var (
	usualKey = regexp.MustCompile(`(?i)['"]\s*esc|['"]\s*arrow|['"]enter['"]|['"] ['"]|\b(?:27|37|38|39|40|13|32)\b`)
	tabKey   = regexp.MustCompile(`['"]Tab['"]|\b(?:keyCode|which)\b\W+9\b`)
	anyKey   = regexp.MustCompile(`\.\s*(?:key|code|keyCode|which|charCode)\b`)
	modifier = regexp.MustCompile(`\b(?:ctrl|alt|meta)Key\b`)
	isKey    = regexp.MustCompile(`['"][^'"\s]{1,12}['"]|\b\d{2,3}\b`)
)

// escape tells by which keys a trap might be left, as far as those who wait for keys on its members and around them say.
func escape(p *pass, trap []*dom.Node) int {
	if !p.page.top.Listened {
		for _, n := range trap {
			if n.Closest(func(a *dom.Node) bool { return a.Has("onkeydown") || a.Has("onkeyup") || a.Has("onkeypress") }) != nil || keyScripts(n.Doc) {
				return escapeMaybe
			}
		}
		return escapeNone
	}
	most := escapeNone
	weigh := func(list []dom.Listener) {
		for _, l := range list {
			if strings.HasPrefix(l.Type, "key") {
				most = max(most, escapeBy(l.Source))
			}
		}
	}
	docs := map[*dom.Document]bool{}
	for _, n := range trap {
		for a := n; a != nil; a = a.Parent {
			if a.Facts != nil {
				weigh(a.Facts.Listeners)
			}
		}
		if !docs[n.Doc] {
			docs[n.Doc] = true
			weigh(n.Doc.Window)
		}
	}
	return most
}

// escapeBy reads the text of a function that waits for keys. One that asks for Tab alone leads nowhere; one that gives
// the key to another function may do anything.
func escapeBy(source string) int {
	switch {
	case source == "" || usualKey.MatchString(source):
		return escapeMaybe
	case modifier.MatchString(source):
		return escapeOther
	case tabKey.MatchString(source):
		rest := tabKey.ReplaceAllString(source, "")
		if isKey.MatchString(rest) && anyKey.MatchString(rest) {
			return escapeOther
		}
		return escapeNone
	}
	return escapeMaybe
}

// keyScripts tells whether a script in the page listens to keys.
func keyScripts(d *dom.Document) bool {
	for _, s := range d.Scripts() {
		if strings.Contains(s, "keydown") || strings.Contains(s, "keyup") || strings.Contains(s, "keypress") {
			return true
		}
	}
	return false
}
