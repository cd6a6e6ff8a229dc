// Package css reads style sheets far enough for the static form of the accessibility rules: rules, media conditions,
// selectors, declarations and the cascade over the tree of package dom. Layout is not its business: what needs a box is
// left to a browser.
package css

import (
	"strings"
)

// Sheet is a parsed style sheet.
type Sheet struct {
	Rules   []*Rule
	Imports []string // addresses of @import rules
}

// Rule is one style rule with the media conditions around it, outermost first.
type Rule struct {
	Selectors []Selector
	Text      string // the selector as written
	Decls     []Decl
	Media     []string
}

// Decl is one declaration, with shorthands expanded as far as the rules need it.
type Decl struct {
	Name, Value string
	Important   bool
}

const maxRules = 50_000

// Parse reads a style sheet. It never fails: what it does not understand is skipped, as CSS asks for.
func Parse(src string) *Sheet {
	s := &Sheet{}
	parseRules(s, stripComments(src), nil, 0)
	return s
}

func parseRules(s *Sheet, src string, media []string, depth int) {
	for len(src) > 0 && len(s.Rules) < maxRules {
		src = strings.TrimLeft(src, " \t\r\n\f;}")
		if strings.HasPrefix(src, "<!--") {
			src = src[4:]
			continue
		}
		if strings.HasPrefix(src, "-->") {
			src = src[3:]
			continue
		}
		if src == "" {
			return
		}
		end, ch := scan(src, "{;")
		prelude := strings.TrimSpace(src[:end])
		if ch != '{' {
			if name, rest := atName(prelude); name == "import" {
				if u := importURL(rest); u != "" {
					s.Imports = append(s.Imports, u)
				}
			}
			src = src[min(end+1, len(src)):]
			continue
		}
		body, rest := block(src[end+1:])
		src = rest
		if !strings.HasPrefix(prelude, "@") {
			addRule(s, prelude, body, media, depth)
			continue
		}
		name, arg := atName(prelude)
		if depth > 16 {
			continue
		}
		switch name {
		case "media":
			parseRules(s, body, append(media[:len(media):len(media)], arg), depth+1)
		case "supports", "layer", "scope", "container":
			parseRules(s, body, media, depth+1)
		}
	}
}

func addRule(s *Sheet, prelude, body string, media []string, depth int) {
	decls, nested := splitBody(body)
	sels := ParseSelectors(prelude)
	if len(sels) > 0 {
		if d := ParseDecls(decls); len(d) > 0 {
			s.Rules = append(s.Rules, &Rule{Selectors: sels, Text: prelude, Decls: d, Media: media})
		}
	}
	if nested != "" && depth < 8 {
		// Nesting: replace & by the parent's selector and read the inner rules as if they stood outside.
		for nested != "" {
			end, ch := scan(nested, "{")
			if ch != '{' {
				return
			}
			inner := strings.TrimSpace(nested[:end])
			var b string
			b, nested = block(nested[end+1:])
			switch {
			case strings.HasPrefix(inner, "@media"):
				_, arg := atName(inner)
				addRule(s, prelude, b, append(media[:len(media):len(media)], arg), depth+1)
			case strings.HasPrefix(inner, "@"):
			case strings.Contains(inner, "&"):
				addRule(s, strings.ReplaceAll(inner, "&", ":is("+prelude+")"), b, media, depth+1)
			default:
				addRule(s, ":is("+prelude+") "+inner, b, media, depth+1)
			}
		}
	}
}

// splitBody parts the declarations of a block from the rules nested in it.
func splitBody(body string) (decls, nested string) {
	if !strings.Contains(body, "{") {
		return body, ""
	}
	var d, n strings.Builder
	for body != "" {
		end, ch := scan(body, "{;")
		if ch == '{' {
			_, rest := block(body[end+1:])
			n.WriteString(body[:len(body)-len(rest)])
			body = rest
			continue
		}
		d.WriteString(body[:end])
		d.WriteByte(';')
		body = body[min(end+1, len(body)):]
	}
	return d.String(), n.String()
}

// ParseDecls reads the declarations of a style attribute or a rule's block.
func ParseDecls(src string) []Decl {
	var out []Decl
	src = stripComments(src)
	for src != "" {
		end, _ := scan(src, ";")
		d := src[:end]
		src = src[min(end+1, len(src)):]
		name, value, ok := strings.Cut(d, ":")
		if !ok {
			continue
		}
		name = strings.TrimSpace(name)
		if !strings.HasPrefix(name, "--") {
			name = strings.ToLower(name)
		}
		value = strings.TrimSpace(value)
		important := false
		if i := strings.LastIndexByte(value, '!'); i >= 0 && strings.EqualFold(strings.TrimSpace(value[i+1:]), "important") {
			important, value = true, strings.TrimSpace(value[:i])
		}
		if name == "" || value == "" {
			continue
		}
		out = expand(out, Decl{name, value, important})
	}
	return out
}

// stripComments removes comments outside of strings.
func stripComments(s string) string {
	if !strings.Contains(s, "/*") {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		switch c := s[i]; {
		case c == '"' || c == '\'':
			j := skipString(s, i)
			b.WriteString(s[i:j])
			i = j
		case c == '/' && i+1 < len(s) && s[i+1] == '*':
			end := strings.Index(s[i+2:], "*/")
			if end < 0 {
				return b.String()
			}
			b.WriteByte(' ')
			i += 2 + end + 2
		default:
			b.WriteByte(c)
			i++
		}
	}
	return b.String()
}

// skipString returns the index behind the string that starts at i.
func skipString(s string, i int) int {
	q := s[i]
	for j := i + 1; j < len(s); j++ {
		switch s[j] {
		case '\\':
			j++
		case q:
			return j + 1
		case '\n':
			return j
		}
	}
	return len(s)
}

// scan finds the first of the bytes in set outside of strings, brackets and (unless asked for) blocks. It returns the
// length of s and 0 when there is none.
func scan(s, set string) (int, byte) {
	depth := 0
	for i := 0; i < len(s); i++ {
		c := s[i]
		if depth == 0 && strings.IndexByte(set, c) >= 0 {
			return i, c
		}
		switch c {
		case '"', '\'':
			i = skipString(s, i) - 1
		case '\\':
			i++
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			if depth > 0 {
				depth--
			}
		}
	}
	return len(s), 0
}

// block returns what is before the brace that closes a block already opened, and what follows it.
func block(s string) (body, rest string) {
	depth := 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '"', '\'':
			i = skipString(s, i) - 1
		case '\\':
			i++
		case '{':
			depth++
		case '}':
			if depth == 0 {
				return s[:i], s[i+1:]
			}
			depth--
		}
	}
	return s, ""
}

func atName(s string) (name, arg string) {
	s = strings.TrimPrefix(s, "@")
	i := strings.IndexFunc(s, func(r rune) bool {
		return !(r == '-' || r == '_' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9')
	})
	if i < 0 {
		i = len(s)
	}
	return strings.ToLower(s[:i]), strings.TrimSpace(s[i:])
}

func importURL(s string) string {
	s = strings.TrimSpace(s)
	if len(s) > 4 && strings.EqualFold(s[:4], "url(") {
		if end := strings.IndexByte(s, ')'); end > 0 {
			s = strings.TrimSpace(s[4:end])
		}
	}
	if len(s) > 1 && (s[0] == '"' || s[0] == '\'') {
		return strings.Trim(s[:skipString(s, 0)], `"'`)
	}
	return s
}

// Split splits at a separator outside of strings and brackets, and trims the parts.
func Split(s string, sep byte) []string {
	var out []string
	for {
		end, ch := scan(s, string(sep))
		out = append(out, strings.TrimSpace(s[:end]))
		if ch == 0 {
			return out
		}
		s = s[end+1:]
	}
}

// Fields splits at white space outside of strings and brackets.
func Fields(s string) []string {
	var out []string
	for {
		s = strings.TrimLeft(s, " \t\r\n\f")
		if s == "" {
			return out
		}
		end, _ := scan(s, " \t\r\n\f")
		out = append(out, s[:end])
		s = s[end:]
	}
}

// expand appends a declaration, shorthands as their longhands.
func expand(out []Decl, d Decl) []Decl {
	add := func(name, value string) { out = append(out, Decl{name, value, d.Important}) }
	switch d.Name {
	case "overflow":
		f := Fields(d.Value)
		add("overflow-x", f[0])
		add("overflow-y", f[len(f)-1])
	case "background":
		layers := Split(d.Value, ',')
		var images []string
		for _, l := range layers {
			img := "none"
			for _, f := range Fields(l) {
				if strings.Contains(f, "gradient(") || strings.HasPrefix(strings.ToLower(f), "url(") || strings.Contains(f, "image(") || strings.Contains(f, "image-set(") {
					img = f
				}
			}
			images = append(images, img)
		}
		add("background-image", strings.Join(images, ", "))
		colour := "transparent"
		for _, f := range Fields(layers[len(layers)-1]) {
			if looksLikeColour(f) {
				colour = f
			}
		}
		if v := strings.ToLower(d.Value); v == "inherit" || v == "initial" || v == "unset" || v == "revert" {
			colour = v
		}
		add("background-color", colour)
	case "font":
		size, line := "", "normal"
		weight := "normal"
		for _, f := range Fields(d.Value) {
			l := strings.ToLower(f)
			switch {
			case size != "":
			case l == "bold" || l == "bolder" || l == "lighter" || len(l) == 3 && l[1:] == "00":
				weight = l
			case l == "normal" || l == "italic" || l == "oblique" || l == "small-caps":
			case l[0] >= '0' && l[0] <= '9' || l[0] == '.' || strings.Contains(l, "small") || strings.Contains(l, "large") || l == "medium" || strings.HasPrefix(l, "calc("):
				size = l
				if a, b, ok := strings.Cut(l, "/"); ok {
					size, line = a, b
				}
			}
		}
		if size == "" {
			break
		}
		add("font-size", size)
		add("line-height", line)
		add("font-weight", weight)
	case "inset":
		f := four(Fields(d.Value))
		add("top", f[0])
		add("right", f[1])
		add("bottom", f[2])
		add("left", f[3])
	case "padding", "margin":
		f := four(Fields(d.Value))
		add(d.Name+"-top", f[0])
		add(d.Name+"-right", f[1])
		add(d.Name+"-bottom", f[2])
		add(d.Name+"-left", f[3])
	case "text-decoration":
		add("text-decoration-line", decorationLine(d.Value))
	default:
		out = append(out, d)
	}
	return out
}

func decorationLine(v string) string {
	var out []string
	for _, f := range Fields(strings.ToLower(v)) {
		switch f {
		case "underline", "overline", "line-through", "none", "inherit", "initial", "unset":
			out = append(out, f)
		}
	}
	if len(out) == 0 {
		return "none"
	}
	return strings.Join(out, " ")
}

func four(f []string) [4]string {
	switch len(f) {
	case 1:
		return [4]string{f[0], f[0], f[0], f[0]}
	case 2:
		return [4]string{f[0], f[1], f[0], f[1]}
	case 3:
		return [4]string{f[0], f[1], f[2], f[1]}
	case 4:
		return [4]string(f)
	}
	return [4]string{}
}

func looksLikeColour(f string) bool {
	f = strings.ToLower(f)
	if strings.HasPrefix(f, "#") {
		return true
	}
	for _, p := range []string{"rgb(", "rgba(", "hsl(", "hsla(", "hwb(", "lab(", "lch(", "oklab(", "oklch(", "color(", "color-mix(", "light-dark("} {
		if strings.HasPrefix(f, p) {
			return true
		}
	}
	switch f {
	case "no-repeat", "repeat", "repeat-x", "repeat-y", "center", "left", "right", "top", "bottom", "cover", "contain", "fixed", "scroll", "local", "none", "auto", "border-box", "padding-box", "content-box", "space", "round", "/":
		return false
	}
	if f == "" || f[0] < 'a' || f[0] > 'z' || strings.ContainsAny(f, "(/") {
		return false
	}
	return true
}
