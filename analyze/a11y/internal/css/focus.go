package css

import (
	"slices"
	"strings"

	"github.com/amblecrawl/amble/analyze/a11y/internal/dom"
)

// Focus is what style sheets do to an element that has the focus.
type Focus struct {
	NoOutline bool // the browser's focus ring is taken away and no other outline drawn
	Changes   bool // something else that can be seen changes, on the element or near it
}

// focusRule is a rule that says something about the focus, or about outlines.
type focusRule struct {
	bare      Selector // without its tests for the focus
	at        int      // the compound that has the focus
	state     bool     // it waits for the focus
	elsewhere bool     // it styles something else than the element with the focus
	decls     []Decl
}

// focusRules picks them from the style sheets of a document, once.
func focusRules(d *dom.Document) []focusRule {
	if list, ok := d.FocusRules.([]focusRule); ok {
		return list
	}
	list := []focusRule{}
	for _, s := range Sheets(d) {
		for _, r := range s.Rules {
			if !MediaApplies(r.Media, d.Viewport) {
				continue
			}
			for i := range r.Selectors {
				sel := &r.Selectors[i]
				if !sel.State {
					if sel.Pseudo == "" && touchesOutline(r) {
						list = append(list, focusRule{bare: *sel, decls: r.Decls})
					}
					continue
				}
				if bare, at, ok := sel.withoutFocus(); ok {
					list = append(list, focusRule{bare: bare, at: at, state: true, elsewhere: at < len(bare.parts)-1 || sel.Pseudo != "", decls: r.Decls})
				}
			}
		}
	}
	d.FocusRules = list
	return list
}

// FocusOf reads the style sheets of the document for the focus of an element.
func FocusOf(n *dom.Node) Focus {
	var f Focus
	type winner struct {
		level int
		spec  [3]int
		value string
	}
	outline := map[string]winner{}
	put := func(name, value string, important bool, level int, spec [3]int) {
		if important {
			level += 2
		}
		w, ok := outline[name]
		if !ok || level > w.level || level == w.level && !less(spec, w.spec) {
			outline[name] = winner{level, spec, value}
		}
	}
	declare := func(d Decl, level int, spec [3]int) {
		v := strings.ToLower(d.Value)
		switch d.Name {
		case "outline":
			style, width, colour := "none", "medium", "currentcolor"
			for _, x := range Fields(v) {
				switch {
				case slices.Contains([]string{"none", "hidden", "auto", "solid", "dotted", "dashed", "double", "groove", "ridge", "inset", "outset"}, x):
					style = x
				case x == "thin" || x == "medium" || x == "thick" || x[0] >= '0' && x[0] <= '9' || x[0] == '.':
					width = x
				case x == "inherit" || x == "unset" || x == "initial":
				case x == "revert" || x == "revert-layer":
					style = "auto"
				default:
					colour = x
				}
			}
			put("style", style, d.Important, level, spec)
			put("width", width, d.Important, level, spec)
			put("color", colour, d.Important, level, spec)
		case "outline-style":
			put("style", v, d.Important, level, spec)
		case "outline-width":
			put("width", v, d.Important, level, spec)
		case "outline-color":
			put("color", v, d.Important, level, spec)
		}
	}
	for _, r := range focusRules(n.Doc) {
		switch {
		case !r.state:
			if r.bare.Match(n) {
				for _, d := range r.decls {
					declare(d, 0, r.bare.Spec)
				}
			}
		case !r.bare.match(n, r.at):
		case r.elsewhere:
			f.Changes = f.Changes || changes(nil, r.decls)
		default:
			for _, d := range r.decls {
				declare(d, 0, r.bare.Spec)
			}
			f.Changes = f.Changes || changes(n, r.decls)
		}
	}
	if n.Doc.Matching > maxMatching && len(n.Doc.Unread) == 0 {
		n.Doc.Unread = append(n.Doc.Unread, n.Doc.URL+" (it has too many rules)")
	}
	for _, d := range ParseDecls(n.A("style")) {
		declare(d, 1, [3]int{})
	}
	style, has := outline["style"]
	if has && (style.value == "none" || style.value == "hidden" || style.value == "initial" || style.value == "unset") {
		f.NoOutline = true
	}
	if w, ok := outline["width"]; ok && (w.value == "0" || w.value == "0px") {
		f.NoOutline = true
	}
	if c, ok := outline["color"]; ok && (c.value == "transparent" || strings.HasSuffix(strings.ReplaceAll(c.value, " ", ""), ",0)") || strings.HasSuffix(strings.ReplaceAll(c.value, " ", ""), "/0)")) {
		f.NoOutline = true
	}
	return f
}

func touchesOutline(r *Rule) bool {
	for _, d := range r.Decls {
		if strings.HasPrefix(d.Name, "outline") {
			return true
		}
	}
	return false
}

// changes tells whether declarations change what can be seen, against what the element has without the focus.
func changes(n *dom.Node, decls []Decl) bool {
	for _, d := range decls {
		switch {
		case strings.HasPrefix(d.Name, "outline"), strings.HasPrefix(d.Name, "transition"), strings.HasPrefix(d.Name, "--"),
			d.Name == "cursor", d.Name == "pointer-events", d.Name == "user-select", d.Name == "will-change", d.Name == "content-visibility":
			continue
		}
		v := strings.ToLower(d.Value)
		if v == "inherit" || v == "initial" || v == "unset" {
			continue
		}
		if n != nil {
			if own, ok := Declared(n, d.Name); ok && strings.EqualFold(own.Value, d.Value) {
				continue
			}
			if (v == "none" || v == "0") && (d.Name == "box-shadow" || strings.HasPrefix(d.Name, "border") || d.Name == "text-decoration-line") {
				if own, ok := Declared(n, d.Name); !ok || own.Value == "none" {
					continue
				}
			}
		}
		return true
	}
	return false
}

// withoutFocus returns the selector with its tests for the focus taken out, and which of its compounds has the focus.
// It is false for selectors that wait for something else (hover, active).
func (sel *Selector) withoutFocus() (bare Selector, at int, ok bool) {
	bare = Selector{parts: slices.Clone(sel.parts), Spec: sel.Spec, Pseudo: sel.Pseudo}
	at = -1
	for i := range bare.parts {
		var keep []pseudoTest
		for _, p := range bare.parts[i].pseudo {
			switch p.name {
			case "focus", "focus-visible":
				at = i
			case "focus-within":
				if at < 0 {
					return bare, 0, false // an ancestor's; told by within below
				}
			case "hover", "active", "target", "visited":
				return bare, 0, false
			case "is", "where", "not", "matches", "-webkit-any":
				state := false
				for _, s := range p.sels {
					state = state || s.State
				}
				if state && p.name == "not" {
					return bare, 0, false // styles of what has not the focus
				}
				if state {
					at = i
					continue
				}
				keep = append(keep, p)
			default:
				keep = append(keep, p)
			}
		}
		bare.parts[i].pseudo = keep
	}
	return bare, at, at >= 0
}
