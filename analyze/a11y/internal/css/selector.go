package css

import (
	"strconv"
	"strings"
)

// Selector is one complex selector, with its specificity and the pseudo-element that it ends in.
type Selector struct {
	parts  []compound // subject last
	Spec   [3]int
	Pseudo string // "before", "after", "marker", … ; "" for the element itself
	State  bool   // needs a state that a still page does not have: hover, focus, active
}

type compound struct {
	comb   byte // combinator to the compound before: ' ', '>', '+', '~'; 0 for the first
	tag    string
	ids    []string
	class  []string
	attrs  []attrTest
	pseudo []pseudoTest
}

type attrTest struct {
	name, value string
	op          byte // 0 present, '=', '~', '|', '^', '$', '*'
	fold        bool
}

type pseudoTest struct {
	name string
	sels []Selector // of :not, :is, :where, :has
	a, b int        // of :nth-…
	arg  string
}

// ParseSelectors reads a selector list. A list with a part that is not understood selects nothing, as CSS asks for.
func ParseSelectors(s string) []Selector {
	var out []Selector
	for _, part := range Split(s, ',') {
		sel, ok := parseSelector(part)
		if !ok {
			return nil
		}
		out = append(out, sel)
	}
	return out
}

func isNameByte(c byte) bool {
	return c == '-' || c == '_' || c == '\\' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c >= 0x80
}

// ident reads a name with escapes.
func ident(s string) (name, rest string) {
	if i := 0; i < len(s) && isNameByte(s[i]) && !strings.Contains(s, `\`) {
		for i < len(s) && isNameByte(s[i]) {
			i++
		}
		return s[:i], s[i:]
	}
	var b strings.Builder
	i := 0
	for i < len(s) && isNameByte(s[i]) {
		if s[i] != '\\' {
			b.WriteByte(s[i])
			i++
			continue
		}
		j := i + 1
		for j < len(s) && j < i+7 && strings.IndexByte("0123456789abcdefABCDEF", s[j]) >= 0 {
			j++
		}
		if j > i+1 {
			v, _ := strconv.ParseUint(s[i+1:j], 16, 32)
			b.WriteRune(rune(v))
			if j < len(s) && s[j] == ' ' {
				j++
			}
			i = j
			continue
		}
		if j < len(s) {
			b.WriteByte(s[j])
		}
		i = j + 1
	}
	return b.String(), s[min(i, len(s)):]
}

func parseSelector(s string) (Selector, bool) {
	var sel Selector
	s = strings.TrimSpace(s)
	if s == "" {
		return sel, false
	}
	comb := byte(0)
	for s != "" {
		var c compound
		c.comb = comb
		n := len(s)
		for s != "" {
			switch ch := s[0]; {
			case ch == '*':
				s = s[1:]
				if strings.HasPrefix(s, "|") {
					s = s[1:]
					continue
				}
				c.tag = "*"
			case ch == '#':
				id, rest := ident(s[1:])
				if id == "" {
					return sel, false
				}
				c.ids, s = append(c.ids, id), rest
				sel.Spec[0]++
			case ch == '.':
				cl, rest := ident(s[1:])
				if cl == "" {
					return sel, false
				}
				c.class, s = append(c.class, cl), rest
				sel.Spec[1]++
			case ch == '[':
				end, _ := scan(s[1:], "]")
				if end+1 >= len(s) {
					return sel, false
				}
				t, ok := parseAttr(s[1 : end+1])
				if !ok {
					return sel, false
				}
				c.attrs, s = append(c.attrs, t), s[end+2:]
				sel.Spec[1]++
			case ch == ':':
				rest, ok := sel.parsePseudo(&c, s)
				if !ok {
					return sel, false
				}
				s = rest
			case isNameByte(ch):
				tag, rest := ident(s)
				c.tag, s = tag, rest
				sel.Spec[2]++
			default:
				goto done
			}
		}
	done:
		if len(s) == n {
			return sel, false
		}
		sel.parts = append(sel.parts, c)
		t := strings.TrimLeft(s, " \t\r\n\f")
		if t == "" {
			return sel, true
		}
		switch t[0] {
		case '>', '+', '~':
			comb, s = t[0], strings.TrimLeft(t[1:], " \t\r\n\f")
		default:
			if len(t) == len(s) {
				return sel, false
			}
			comb, s = ' ', t
		}
	}
	return sel, false
}

func parseAttr(s string) (attrTest, bool) {
	s = strings.TrimSpace(s)
	name, rest := ident(s)
	t := attrTest{name: strings.ToLower(name)}
	rest = strings.TrimSpace(rest)
	if name == "" {
		return t, false
	}
	if rest == "" {
		return t, true
	}
	if rest[0] == '=' {
		t.op, rest = '=', rest[1:]
	} else if len(rest) > 1 && rest[1] == '=' && strings.IndexByte("~|^$*", rest[0]) >= 0 {
		t.op, rest = rest[0], rest[2:]
	} else {
		return t, false
	}
	rest = strings.TrimSpace(rest)
	if rest == "" {
		return t, false
	}
	if rest[0] == '"' || rest[0] == '\'' {
		end := skipString(rest, 0)
		t.value = strings.Trim(rest[:end], string(rest[0]))
		rest = strings.TrimSpace(rest[end:])
	} else {
		t.value, rest = ident(rest)
		rest = strings.TrimSpace(rest)
	}
	switch strings.ToLower(rest) {
	case "":
	case "i":
		t.fold = true
	case "s":
	default:
		return t, false
	}
	switch t.name { // values that HTML compares without regard to case
	case "type", "dir", "lang", "rel", "media", "method", "scope", "shape", "align", "checked", "disabled", "selected", "readonly":
		t.fold = true
	}
	return t, true
}

func (sel *Selector) parsePseudo(c *compound, s string) (rest string, ok bool) {
	double := strings.HasPrefix(s, "::")
	name, rest := ident(strings.TrimLeft(s, ":"))
	name = strings.ToLower(name)
	arg := ""
	if strings.HasPrefix(rest, "(") {
		end, ch := scan(rest[1:], ")")
		if ch == 0 {
			return "", false
		}
		arg, rest = strings.TrimSpace(rest[1:end+1]), rest[end+2:]
	}
	switch name {
	case "before", "after", "first-line", "first-letter":
		double = true
	}
	if double {
		sel.Pseudo = name
		sel.Spec[2]++
		return rest, true
	}
	p := pseudoTest{name: name, arg: arg}
	switch name {
	case "not", "is", "where", "has", "matches", "-webkit-any":
		if name == "has" {
			for _, part := range Split(arg, ',') {
				comb := byte(' ')
				if part != "" && strings.IndexByte(">+~", part[0]) >= 0 {
					comb, part = part[0], strings.TrimSpace(part[1:])
				}
				inner, ok := parseSelector(part)
				if !ok {
					return "", false
				}
				inner.parts[0].comb = comb
				p.sels = append(p.sels, inner)
			}
		} else if p.sels = ParseSelectors(arg); p.sels == nil {
			if name == "not" || name == "has" {
				return "", false
			}
		}
		if name != "where" {
			var top [3]int
			for _, s := range p.sels {
				if less(top, s.Spec) {
					top = s.Spec
				}
				if name != "not" {
					sel.State = sel.State || s.State
				}
			}
			for i := range top {
				sel.Spec[i] += top[i]
			}
		}
	case "nth-child", "nth-last-child", "nth-of-type", "nth-last-of-type":
		expr, _, _ := strings.Cut(arg, " of ")
		if p.a, p.b, ok = parseNth(expr); !ok {
			return "", false
		}
		sel.Spec[1]++
	case "hover", "focus", "active", "focus-visible", "focus-within", "target", "visited":
		sel.State = true
		sel.Spec[1]++
	default:
		sel.Spec[1]++
	}
	c.pseudo = append(c.pseudo, p)
	return rest, true
}

func less(a, b [3]int) bool {
	for i := range a {
		if a[i] != b[i] {
			return a[i] < b[i]
		}
	}
	return false
}

func parseNth(s string) (a, b int, ok bool) {
	s = strings.ToLower(strings.ReplaceAll(strings.TrimSpace(s), " ", ""))
	switch s {
	case "odd":
		return 2, 1, true
	case "even":
		return 2, 0, true
	}
	n := strings.IndexByte(s, 'n')
	if n < 0 {
		b, err := strconv.Atoi(s)
		return 0, b, err == nil
	}
	switch s[:n] {
	case "", "+":
		a = 1
	case "-":
		a = -1
	default:
		var err error
		if a, err = strconv.Atoi(s[:n]); err != nil {
			return 0, 0, false
		}
	}
	if s[n+1:] == "" {
		return a, 0, true
	}
	b, err := strconv.Atoi(s[n+1:])
	return a, b, err == nil
}
