package css

import (
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
