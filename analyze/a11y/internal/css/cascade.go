package css

import (
	"cmp"
	"net/url"
	"slices"
	"strings"

	"github.com/amblecrawl/amble/analyze/a11y/internal/dom"
)

// Resolve runs the cascade over a document in its static form and derives the state of each node. load returns the text
// of a style sheet by its address; nil, or false, leaves the sheet in d.UnloadedStyles.
func Resolve(d *dom.Document, load func(url string) (string, bool)) {
	if d.Viewport.W == 0 {
		d.Viewport = dom.Rect{W: 1280, H: 720}
	}
	scopes := map[*dom.Node]*index{}
	collect(d, d.Root, scopes, load)
	for _, ix := range scopes {
		for _, s := range ix.sheets {
			d.Sheets = append(d.Sheets, s)
		}
	}
	var walk func(n *dom.Node, ix *index)
	walk = func(n *dom.Node, ix *index) {
		if n.Kind == dom.ElementKind {
			n.Decls = nil
			ix.apply(n)
		}
		for _, c := range n.DOMChildren {
			walk(c, ix)
		}
		if n.Shadow != nil {
			walk(n.Shadow, scopes[n.Shadow])
		}
	}
	walk(d.Root, scopes[d.Root])
	if d.Matching > maxMatching {
		d.UnloadedStyles = append(d.UnloadedStyles, d.URL+" (it has too many rules)")
	}
	d.Unread = d.UnloadedStyles
	States(d)
	for _, n := range d.Nodes {
		if n.Frame != nil {
			Resolve(n.Frame, load)
		}
	}
}

// Collect parses the style sheets of a document that a browser showed, for rules that read them. The browser's computed
// values stay as they are.
func Collect(d *dom.Document, load func(url string) (string, bool)) {
	scopes := map[*dom.Node]*index{}
	collect(d, d.Root, scopes, load)
	for _, ix := range scopes {
		for _, s := range ix.sheets {
			d.Sheets = append(d.Sheets, s)
		}
	}
	d.Unread, d.UnloadedStyles = d.UnloadedStyles, nil // what they did is known
}

// Sheets returns the parsed sheets of a document.
func Sheets(d *dom.Document) []*Sheet {
	out := make([]*Sheet, 0, len(d.Sheets))
	for _, s := range d.Sheets {
		out = append(out, s.(*Sheet))
	}
	return out
}

func collect(d *dom.Document, root *dom.Node, scopes map[*dom.Node]*index, load func(string) (string, bool)) {
	ix := &index{byID: map[string][]int{}, byClass: map[string][]int{}, byTag: map[string][]int{}}
	scopes[root] = ix
	var walk func(n *dom.Node)
	var addURL func(base, ref string, depth int)
	add := func(s *Sheet, base string, depth int) {
		for _, imp := range s.Imports {
			addURL(base, imp, depth+1)
		}
		ix.sheets = append(ix.sheets, s)
		for _, r := range s.Rules {
			if MediaApplies(r.Media, d.Viewport) {
				ix.add(r)
			}
		}
	}
	addURL = func(base, ref string, depth int) {
		u := d.ResolveURL(ref)
		if b, err := url.Parse(base); base != "" && err == nil { // an @import is relative to its sheet
			if r, err := b.Parse(ref); err == nil {
				u = r.String()
			}
		}
		if load != nil && depth < 4 {
			if text, ok := load(u); ok {
				add(Parse(text), u, depth)
				return
			}
		}
		d.UnloadedStyles = append(d.UnloadedStyles, u)
	}
	walk = func(n *dom.Node) {
		switch {
		case n.Tag == "style" && (n.NS == dom.HTML || n.NS == dom.SVG) && n.Kind == dom.ElementKind:
			if m := n.A("media"); m == "" || MediaApplies([]string{m}, d.Viewport) {
				add(Parse(n.DOMText()), "", 0)
			}
		case n.Is("link") && hasWord(strings.ToLower(n.A("rel")), "stylesheet") && !hasWord(strings.ToLower(n.A("rel")), "alternate") && n.A("href") != "" && !n.Has("disabled"):
			if m := n.A("media"); m == "" || MediaApplies([]string{m}, d.Viewport) {
				addURL("", n.A("href"), 0)
			}
		}
		for _, c := range n.DOMChildren {
			walk(c)
		}
		if n.Shadow != nil {
			collect(d, n.Shadow, scopes, load)
		}
	}
	walk(root)
}

// index finds the rules that can match an element by the most selective part of their last compound.
type index struct {
	sheets  []*Sheet
	rules   []indexed
	byID    map[string][]int
	byClass map[string][]int
	byTag   map[string][]int
	rest    []int
}

type indexed struct {
	sel   *Selector
	decls []Decl
}

func (ix *index) add(r *Rule) {
	for i := range r.Selectors {
		sel := &r.Selectors[i]
		if sel.State {
			continue
		}
		switch sel.Pseudo {
		case "", "before", "after", "marker":
		default:
			continue
		}
		k := len(ix.rules)
		ix.rules = append(ix.rules, indexed{sel, r.Decls})
		switch c := &sel.parts[len(sel.parts)-1]; {
		case len(c.ids) > 0:
			ix.byID[c.ids[0]] = append(ix.byID[c.ids[0]], k)
		case len(c.class) > 0:
			ix.byClass[c.class[0]] = append(ix.byClass[c.class[0]], k)
		case c.tag != "" && c.tag != "*":
			t := strings.ToLower(c.tag)
			ix.byTag[t] = append(ix.byTag[t], k)
		default:
			ix.rest = append(ix.rest, k)
		}
	}
}

type candidate struct {
	level int // author, inline, author !important, inline !important
	spec  [3]int
	order int
	d     Decl
}

func (ix *index) apply(n *dom.Node) {
	var hits []int
	if ix != nil && len(ix.rules) > 0 {
		if id := n.A("id"); id != "" {
			hits = append(hits, ix.byID[id]...)
		}
		for _, c := range strings.Fields(n.A("class")) {
			hits = append(hits, ix.byClass[c]...)
		}
		hits = append(hits, ix.byTag[strings.ToLower(n.Tag)]...)
		hits = append(hits, ix.rest...)
	}
	var own, before, after, marker []candidate
	for _, k := range hits {
		r := ix.rules[k]
		if !r.sel.Match(n) {
			continue
		}
		for _, d := range r.decls {
			c := candidate{level: 0, spec: r.sel.Spec, order: k, d: d}
			if d.Important {
				c.level = 2
			}
			switch r.sel.Pseudo {
			case "":
				own = append(own, c)
			case "before":
				before = append(before, c)
			case "after":
				after = append(after, c)
			case "marker":
				marker = append(marker, c)
			}
		}
	}
	if style, ok := n.Get("style"); ok && (n.NS == dom.HTML || n.NS == dom.SVG || n.NS == dom.MathML) {
		for _, d := range ParseDecls(style) {
			c := candidate{level: 1, order: 1 << 30, d: d}
			if d.Important {
				c.level = 3
			}
			own = append(own, c)
		}
	}
	n.Decls = winners(own)
	n.Before, n.After, n.Marker = winners(before), winners(after), winners(marker)
}

func winners(cs []candidate) []dom.Decl {
	if len(cs) == 0 {
		return nil
	}
	slices.SortStableFunc(cs, func(a, b candidate) int {
		if c := cmp.Compare(a.level, b.level); c != 0 {
			return c
		}
		for i := range a.spec {
			if c := cmp.Compare(a.spec[i], b.spec[i]); c != 0 {
				return c
			}
		}
		return cmp.Compare(a.order, b.order)
	})
	var out []dom.Decl
	for _, c := range cs {
		if !valid(c.d) {
			continue
		}
		d := dom.Decl{Name: c.d.Name, Value: c.d.Value, Important: c.d.Important, Inline: c.level&1 == 1}
		found := false
		for i := range out {
			if out[i].Name == d.Name {
				out[i], found = d, true
			}
		}
		if !found {
			out = append(out, d)
		}
	}
	return out
}

// valid drops values that a browser would not understand, for the few properties where a rule depends on it.
func valid(d Decl) bool {
	v := strings.ToLower(d.Value)
	switch v {
	case "inherit", "initial", "unset", "revert", "revert-layer":
		return true
	}
	if strings.Contains(v, "(") {
		return true
	}
	switch d.Name {
	case "visibility":
		return v == "visible" || v == "hidden" || v == "collapse"
	case "display":
		for _, f := range Fields(v) {
			if f == "" || f[0] < 'a' || f[0] > 'z' {
				return false
			}
		}
	case "letter-spacing", "word-spacing":
		_, ok := parseLength(v)
		return v == "normal" || ok || strings.HasSuffix(v, "%")
	case "line-height":
		_, ok := parseLength(v)
		_, num := number(v)
		return v == "normal" || ok || num || strings.HasSuffix(v, "%")
	}
	return true
}
