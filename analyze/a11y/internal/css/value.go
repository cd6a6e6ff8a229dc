package css

import (
	"slices"
	"strconv"
	"strings"

	"github.com/amblecrawl/amble/analyze/a11y/internal/dom"
)

// inherited names the properties that rules ask for and that pass from parent to child.
var inherited = map[string]bool{
	"visibility": true, "color": true, "font-size": true, "font-weight": true, "letter-spacing": true,
	"word-spacing": true, "line-height": true, "white-space": true, "text-indent": true, "cursor": true,
	"list-style-type": true, "pointer-events": true, "text-transform": true, "font-family": true, "text-shadow": true,
}

var initial = map[string]string{
	"visibility": "visible", "opacity": "1", "position": "static", "overflow-x": "visible", "overflow-y": "visible",
	"clip": "auto", "clip-path": "none", "content-visibility": "visible", "background-color": "transparent",
	"background-image": "none", "letter-spacing": "normal", "word-spacing": "normal", "line-height": "normal",
	"font-weight": "400", "color": "black", "transform": "none", "rotate": "none", "content": "normal", "float": "none",
	"text-decoration-line": "none", "white-space": "normal", "text-overflow": "clip", "pointer-events": "auto",
}

// Value returns the computed value of a property as far as it is known, in lower case. In the static form lengths stay
// as written; use Length. For a text node it is the value of its parent.
func Value(n *dom.Node, prop string) string {
	if n.Kind == dom.TextKind {
		n = n.Parent
	}
	for m := n; m != nil; m = m.Parent {
		if m.Kind != dom.ElementKind {
			break
		}
		v, ok := own(m, prop)
		if ok {
			switch v {
			case "inherit":
				continue
			case "initial":
				if prop == "display" {
					return "inline"
				}
				return initial[prop]
			case "unset", "revert", "revert-layer":
				if v == "unset" && !inherited[prop] {
					if prop == "display" {
						return "inline"
					}
					return initial[prop]
				}
			default:
				return v
			}
		}
		if u := userAgent(m, prop); u != "" {
			return u
		}
		if !inherited[prop] {
			break
		}
	}
	return initial[prop]
}

func own(n *dom.Node, prop string) (string, bool) {
	for i := range n.Decls {
		if n.Decls[i].Name == prop {
			v := n.Decls[i].Value
			if strings.Contains(v, "var(") {
				v = substitute(n, v, 0)
			}
			return strings.ToLower(v), true
		}
	}
	return "", false
}

// Declared returns the winning declaration of a property on the element itself.
func Declared(n *dom.Node, prop string) (dom.Decl, bool) {
	for _, d := range n.Decls {
		if d.Name == prop {
			return d, true
		}
	}
	return dom.Decl{}, false
}

// substitute replaces var() by the value of the custom property, or its fallback.
func substitute(n *dom.Node, v string, depth int) string {
	i := strings.Index(v, "var(")
	if i < 0 || depth > 8 {
		return v
	}
	end, ch := scan(v[i+4:], ")")
	if ch == 0 {
		return v
	}
	name, fallback, _ := strings.Cut(v[i+4:i+4+end], ",")
	name = strings.TrimSpace(name)
	val := strings.TrimSpace(fallback)
	for m := n; m != nil; m = m.Parent {
		if d, ok := Declared(m, name); ok {
			val = d.Value
			break
		}
	}
	return substitute(n, v[:i]+val+v[i+4+end+1:], depth+1)
}

// PseudoContent returns the text that a pseudo-element adds, and whether the element is generated at all. Counters and
// images add nothing that can be known here; alternative text after a slash counts as the text.
func PseudoContent(n *dom.Node, decls []dom.Decl) (text string, generated bool) {
	content := ""
	for _, d := range decls {
		switch d.Name {
		case "content":
			content = d.Value
		case "display":
			if strings.EqualFold(d.Value, "none") {
				return "", false
			}
		case "visibility":
			if !strings.EqualFold(d.Value, "visible") {
				return "", true
			}
		}
	}
	if strings.Contains(content, "var(") {
		content = substitute(n, content, 0)
	}
	switch strings.ToLower(content) {
	case "", "none", "normal", "inherit", "initial", "unset":
		return "", false
	}
	main, alt, hasAlt := cutSlash(content)
	if hasAlt {
		main = alt
	}
	var b strings.Builder
	for _, f := range Fields(main) {
		switch {
		case f[0] == '"' || f[0] == '\'':
			b.WriteString(unquote(f))
		case strings.HasPrefix(strings.ToLower(f), "attr("):
			name, _, _ := strings.Cut(strings.TrimSuffix(f[5:], ")"), ",")
			b.WriteString(n.A(strings.ToLower(strings.TrimSpace(name))))
		}
	}
	return b.String(), true
}

func cutSlash(s string) (a, b string, ok bool) {
	end, ch := scan(s, "/")
	if ch == 0 {
		return s, "", false
	}
	return s[:end], s[end+1:], true
}

func unquote(s string) string {
	s = s[1:]
	s = strings.TrimSuffix(strings.TrimSuffix(s, `"`), `'`)
	if !strings.Contains(s, `\`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' {
			b.WriteByte(s[i])
			continue
		}
		j := i + 1
		for j < len(s) && j < i+7 && strings.IndexByte("0123456789abcdefABCDEF", s[j]) >= 0 {
			j++
		}
		if j == i+1 {
			if j < len(s) {
				b.WriteByte(s[j])
			}
			i = j
			continue
		}
		r, _ := strconv.ParseUint(s[i+1:j], 16, 32)
		b.WriteRune(rune(r))
		if j < len(s) && s[j] == ' ' {
			j++
		}
		i = j - 1
	}
	return b.String()
}

var blockTags = set("address article aside blockquote body center dd details dialog dir div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr html legend listing main menu nav ol optgroup option p plaintext pre search section summary ul xmp slot-none")
var noneTags = set("area base basefont datalist head link meta noembed noframes param rp script style template title source track")

func set(words string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(words) {
		m[w] = true
	}
	return m
}

var heads = map[string]string{"h1": "2em", "h2": "1.5em", "h3": "1.17em", "h4": "1em", "h5": ".83em", "h6": ".67em", "small": "smaller", "sub": "smaller", "sup": "smaller", "big": "larger"}

// userAgent is the part of the browser's own style sheet that rules depend on.
func userAgent(n *dom.Node, prop string) string {
	if n.NS != dom.HTML {
		if prop == "display" {
			switch n.Tag {
			case "defs", "symbol", "metadata", "title", "desc", "style", "script", "linearGradient", "radialGradient", "clipPath", "mask", "pattern", "marker", "filter":
				if n.NS == dom.SVG {
					return "none"
				}
			}
			return "inline"
		}
		return ""
	}
	switch prop {
	case "display":
		return uaDisplay(n)
	case "font-size":
		return heads[n.Tag]
	case "font-weight":
		switch n.Tag {
		case "b", "strong", "h1", "h2", "h3", "h4", "h5", "h6", "th", "optgroup":
			return "700"
		}
	case "text-decoration-line":
		if n.Is("a", "area") && n.Has("href") || n.Is("u", "ins") {
			return "underline"
		}
		if n.Is("s", "strike", "del") {
			return "line-through"
		}
	case "white-space":
		if n.Is("pre", "listing", "xmp", "plaintext") {
			return "pre"
		}
		if n.Is("textarea") {
			return "pre-wrap"
		}
		if n.Is("nobr") {
			return "nowrap"
		}
	case "content-visibility":
		if strings.EqualFold(n.A("hidden"), "until-found") {
			return "hidden"
		}
	}
	return ""
}

func uaDisplay(n *dom.Node) string {
	if h, ok := n.Get("hidden"); ok && !strings.EqualFold(h, "until-found") && !n.Is("embed") {
		return "none"
	}
	if n.Has("popover") {
		return "none"
	}
	switch t := n.Tag; {
	case noneTags[t]:
		return "none"
	case blockTags[t]:
		if t == "dialog" && !n.Has("open") {
			return "none"
		}
		return "block"
	case t == "noscript":
		return "none"
	case t == "input":
		if strings.EqualFold(n.A("type"), "hidden") {
			return "none"
		}
		return "inline-block"
	case t == "audio":
		if !n.Has("controls") {
			return "none"
		}
	case t == "li":
		return "list-item"
	case t == "table":
		return "table"
	case t == "tr":
		return "table-row"
	case t == "td", t == "th":
		return "table-cell"
	case t == "tbody":
		return "table-row-group"
	case t == "thead":
		return "table-header-group"
	case t == "tfoot":
		return "table-footer-group"
	case t == "caption":
		return "table-caption"
	case t == "col":
		return "table-column"
	case t == "colgroup":
		return "table-column-group"
	case t == "button", t == "select", t == "meter", t == "progress", t == "textarea":
		return "inline-block"
	case t == "slot":
		return "contents"
	case t == "rt":
		return "ruby-text"
	}
	return "inline"
}

// Inline tells whether the element flows in a line of text.
func Inline(n *dom.Node) bool {
	d := Value(n, "display")
	return d == "inline" || d == "contents" || d == "ruby" || d == "ruby-text" || d == ""
}

type length struct {
	v    float64
	unit string
}

func number(s string) (float64, bool) {
	v, err := strconv.ParseFloat(s, 64)
	return v, err == nil
}

func parseLength(s string) (length, bool) {
	i := len(s)
	for i > 0 && (s[i-1] >= 'a' && s[i-1] <= 'z' || s[i-1] == '%') {
		i--
	}
	v, ok := number(s[:i])
	if !ok {
		return length{}, false
	}
	unit := s[i:]
	if unit == "" && v != 0 {
		return length{}, false
	}
	switch unit {
	case "", "px", "em", "rem", "ex", "ch", "pt", "pc", "in", "cm", "mm", "q", "vw", "vh", "vmin", "vmax", "%", "ic", "lh", "rlh", "cap", "dvh", "svh", "lvh", "dvw", "svw", "lvw":
		return length{v, unit}, true
	}
	return length{}, false
}

// Length turns a length into CSS pixels; em is the size that em units refer to. It returns false for what needs layout
// (percentages, calc).
func Length(d *dom.Document, value string, em float64) (float64, bool) {
	l, ok := parseLength(value)
	if !ok {
		return 0, false
	}
	switch l.unit {
	case "", "px":
		return l.v, true
	case "em", "ic":
		return l.v * em, true
	case "rem":
		root := 16.0
		if d.HTML != nil {
			root = FontSize(d.HTML)
		}
		return l.v * root, true
	case "ex", "ch", "cap":
		return l.v * em / 2, true
	case "pt":
		return l.v * 4 / 3, true
	case "pc":
		return l.v * 16, true
	case "in":
		return l.v * 96, true
	case "cm":
		return l.v * 96 / 2.54, true
	case "mm":
		return l.v * 96 / 25.4, true
	case "q":
		return l.v * 96 / 101.6, true
	case "vw", "dvw", "svw", "lvw":
		return l.v * d.Viewport.W / 100, true
	case "vh", "dvh", "svh", "lvh":
		return l.v * d.Viewport.H / 100, true
	case "vmin":
		return l.v * min(d.Viewport.W, d.Viewport.H) / 100, true
	case "vmax":
		return l.v * max(d.Viewport.W, d.Viewport.H) / 100, true
	}
	return 0, false
}

var sizes = map[string]float64{"xx-small": 9, "x-small": 10, "small": 13, "medium": 16, "large": 18, "x-large": 24, "xx-large": 32, "xxx-large": 48}

// FontSize returns the computed font size in CSS pixels.
func FontSize(n *dom.Node) float64 {
	if n == nil || n.Kind == dom.DocumentKind {
		return 16
	}
	if n.Kind == dom.TextKind {
		return FontSize(n.Parent)
	}
	v, ok := own(n, "font-size")
	if !ok || v == "unset" || v == "revert" {
		v = userAgent(n, "font-size")
	}
	switch v {
	case "", "inherit":
		return FontSize(n.Parent)
	case "initial":
		return 16
	case "smaller":
		return FontSize(n.Parent) / 1.2
	case "larger":
		return FontSize(n.Parent) * 1.2
	}
	if s, ok := sizes[v]; ok {
		return s
	}
	if strings.HasSuffix(v, "px") {
		if l, ok := number(strings.TrimSuffix(v, "px")); ok {
			return l
		}
	}
	parent := FontSize(n.Parent)
	if strings.HasSuffix(v, "%") {
		if p, ok := number(strings.TrimSuffix(v, "%")); ok {
			return parent * p / 100
		}
	}
	if n == n.Doc.HTML && strings.HasSuffix(v, "rem") {
		v = strings.TrimSuffix(v, "rem") + "em"
	}
	if l, ok := Length(n.Doc, v, parent); ok {
		return l
	}
	return parent
}

// Px returns the computed value of a length property in CSS pixels, false when it is not a length that is known.
func Px(n *dom.Node, prop string) (float64, bool) {
	return Length(n.Doc, Value(n, prop), FontSize(n))
}

// MediaApplies tells whether all conditions hold on a screen of the given size.
func MediaApplies(conds []string, viewport dom.Rect) bool {
	for _, c := range conds {
		if !slices.ContainsFunc(Split(strings.ToLower(c), ','), func(q string) bool { return mediaQuery(q, viewport) }) {
			return false
		}
	}
	return true
}

func mediaQuery(q string, vp dom.Rect) bool {
	q = strings.TrimSpace(q)
	if q == "" {
		return true
	}
	negate := false
	if strings.HasPrefix(q, "not ") {
		negate, q = true, strings.TrimSpace(q[4:])
	}
	q = strings.TrimPrefix(q, "only ")
	ok := true
	for _, part := range splitWord(q, "and") {
		ok = ok && slices.ContainsFunc(splitWord(part, "or"), func(p string) bool { return mediaFeature(p, vp) })
	}
	return ok != negate
}

func splitWord(s, word string) []string {
	var out []string
	cur := ""
	for _, f := range Fields(s) {
		if f == word {
			out = append(out, strings.TrimSpace(cur))
			cur = ""
			continue
		}
		cur += " " + f
	}
	return append(out, strings.TrimSpace(cur))
}

func mediaFeature(p string, vp dom.Rect) bool {
	switch p {
	case "screen", "all":
		return true
	case "print", "speech", "tty", "tv", "projection", "handheld", "aural", "braille", "embossed":
		return false
	}
	if strings.HasPrefix(p, "not ") {
		return !mediaFeature(strings.TrimSpace(p[4:]), vp)
	}
	if !strings.HasPrefix(p, "(") || !strings.HasSuffix(p, ")") {
		return false
	}
	in := strings.TrimSpace(p[1 : len(p)-1])
	if strings.HasPrefix(in, "(") || strings.HasPrefix(in, "not ") {
		return mediaQuery(in, vp)
	}
	if strings.ContainsAny(in, "<>") {
		return rangeFeature(in, vp)
	}
	name, value, has := strings.Cut(in, ":")
	name, value = strings.TrimSpace(name), strings.TrimSpace(value)
	if !has {
		switch name {
		case "color", "width", "height", "hover", "pointer", "any-hover", "any-pointer", "scripting", "grid-none":
			return true
		}
		return false
	}
	px := func() float64 {
		l, _ := Length(&dom.Document{Viewport: vp}, value, 16)
		return l
	}
	switch name {
	case "min-width", "min-device-width":
		return vp.W >= px()
	case "max-width", "max-device-width":
		return vp.W <= px()
	case "min-height", "min-device-height":
		return vp.H >= px()
	case "max-height", "max-device-height":
		return vp.H <= px()
	case "width":
		return vp.W == px()
	case "orientation":
		return value == "landscape" == (vp.W > vp.H)
	case "prefers-color-scheme":
		return value == "light"
	case "prefers-reduced-motion", "prefers-contrast", "prefers-reduced-data", "prefers-reduced-transparency":
		return value == "no-preference"
	case "forced-colors", "inverted-colors":
		return value == "none"
	case "hover", "any-hover":
		return value == "hover"
	case "pointer", "any-pointer":
		return value == "fine"
	case "scripting":
		return value == "enabled"
	}
	return false
}

// rangeFeature reads "width >= 600px" and "400px < width <= 700px".
func rangeFeature(in string, vp dom.Rect) bool {
	in = strings.NewReplacer("<=", " ≤ ", ">=", " ≥ ", "<", " < ", ">", " > ").Replace(in)
	f := strings.Fields(in)
	val := func(s string) (float64, bool) {
		switch s {
		case "width":
			return vp.W, true
		case "height":
			return vp.H, true
		}
		return Length(&dom.Document{Viewport: vp}, s, 16)
	}
	for i := 0; i+2 < len(f); i += 2 {
		a, ok1 := val(f[i])
		b, ok2 := val(f[i+2])
		if !ok1 || !ok2 {
			return false
		}
		switch f[i+1] {
		case "<":
			ok1 = a < b
		case ">":
			ok1 = a > b
		case "≤":
			ok1 = a <= b
		case "≥":
			ok1 = a >= b
		}
		if !ok1 {
			return false
		}
	}
	return len(f) >= 3
}
