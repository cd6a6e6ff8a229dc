package a11y

import (
	"strings"

	"github.com/amblecrawl/amble"
	"github.com/amblecrawl/amble/analyze/a11y/internal/aria"
	"github.com/amblecrawl/amble/analyze/a11y/internal/css"
	"github.com/amblecrawl/amble/analyze/a11y/internal/dom"
)

// focusVisible: the keyboard focus can be seen (ACT oj04fd; WCAG 2.4.7). Where Tab was pressed, the rule says what it
// showed. Otherwise it reads style sheets: browsers draw a ring, and style sheets take it away; what scripts do on focus
// then needs a person.
func focusVisible(p *pass) {
	asked := map[*dom.Document]bool{}
	through := stopsKnown(p)
	p.each(func(n *dom.Node) {
		if n.Facts != nil && n.Facts.FocusStop {
			switch n.Facts.FocusSeen {
			case amble.FocusUnseen:
				p.fail(n, "The focus cannot be seen: with it and without it the window looks the same.")
				return
			case amble.FocusStyle, amble.FocusPixels, amble.FocusCaret:
				p.ok(n)
				return
			}
		} else if through[n.Doc] {
			return // Tab went all the way and did not come here
		}
		if !(n.IsHTML() || n.IsSVG()) || !aria.Tabbable(n) {
			return
		}
		f := css.FocusOf(n)
		switch {
		case !f.NoOutline:
			if len(n.Doc.Unread) > 0 {
				if !asked[n.Doc] {
					asked[n.Doc] = true
					p.cannot(n, "A style sheet that was not read may take the focus ring away.", "style sheet", n.Doc.Unread[0])
				}
				return
			}
			p.ok(n)
		case f.Changes:
			p.ok(n)
		case n.Is("input", "textarea", "select") && css.Value(n, "opacity") == "0":
			p.cannot(n, "The control is transparent; another element may show its focus.")
		case len(n.Doc.Unread) > 0:
			p.cannot(n, "The focus ring is taken away, unless a style sheet that was not read shows the focus.", "style sheet", n.Doc.Unread[0])
		case scriptedFocus(n):
			p.cannot(n, "The focus ring is taken away; a script reacts to the focus and may show it.")
		default:
			p.fail(n, "The focus cannot be seen: a style takes the browser's focus ring away and nothing takes its place.")
		}
	})
}

// stopsKnown returns the documents in which Tab was pressed until the focus had been everywhere.
func stopsKnown(p *pass) map[*dom.Document]bool {
	out := map[*dom.Document]bool{}
	if p.page.top.Keyboard != amble.KeyboardLeft {
		return out
	}
	out[p.page.top] = true
	p.each(func(n *dom.Node) {
		if n.Facts != nil && n.Facts.FocusStop {
			out[n.Doc] = true
		}
	})
	return out
}

// scriptedFocus tells whether a script seems to react to the focus of the element.
func scriptedFocus(n *dom.Node) bool {
	for e := n; e != nil; e = e.Parent {
		if e.Has("onfocus") || e.Has("onfocusin") || e.Has("onblur") {
			return true
		}
	}
	for _, s := range n.Doc.Scripts() {
		if strings.Contains(s, "'focus") || strings.Contains(s, `"focus`) || strings.Contains(s, "onfocus") {
			return true
		}
	}
	return false
}

// motionAlternative: what tilting or shaking the device does can be done with controls too, and can be switched off (ACT
// 7677a9 and c249d5; WCAG 2.5.4). A page that listens to motion and has no control that does anything fails both;
// whether its controls do the right thing is for a person.
func motionAlternative(p *pass) {
	for _, d := range p.page.docs {
		listens := hears(d, "devicemotion") || hears(d, "deviceorientation")
		for _, s := range d.Scripts() {
			listens = listens || strings.Contains(s, "deviceorientation") || strings.Contains(s, "devicemotion")
		}
		if b := d.Body(); b != nil && (b.Has("ondevicemotion") || b.Has("ondeviceorientation")) {
			listens = true
		}
		if !listens {
			continue
		}
		if n := control(d); n != nil {
			p.cannot(n, "The page reacts to the device's motion: whether its controls do the same, or switch it off, needs a person.")
			return
		}
		p.fail(d.HTML, "The page reacts to the device's motion, and has no control that could do the same or switch it off.")
	}
}

// hears tells whether somebody waits for an event on the window, where the browser listed them.
func hears(d *dom.Document, event string) bool {
	for _, l := range d.Window {
		if l.Type == event {
			return true
		}
	}
	return false
}

// works tells whether pressing the element may do something. A browser tells who listens to clicks; without one, scripts
// from other files may.
func works(n *dom.Node) bool {
	if n.Has("onclick") || n.Has("onchange") || n.Has("oninput") {
		return true
	}
	switch {
	case n.Is("a", "area"):
		return n.Has("href")
	case n.Is("select", "textarea", "summary"):
		return true
	case n.Is("input"):
		switch strings.ToLower(n.A("type")) {
		case "button", "hidden":
		default:
			return true
		}
	}
	if !n.Is("button", "input") && !aria.Tabbable(n) {
		return false
	}
	if n.Closest(func(e *dom.Node) bool { return e.Is("form") || e.Facts != nil && e.Facts.Clickable }) != nil {
		return true
	}
	if n.Doc.Rendered {
		return false
	}
	for _, s := range n.Doc.Nodes {
		if s.Is("script") && (s.Has("src") || n.A("id") != "" && strings.Contains(s.DOMText(), n.A("id"))) {
			return true
		}
	}
	return false
}
