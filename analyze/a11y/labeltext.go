package a11y

import (
	"slices"
	"strings"
	"unicode"

	"github.com/amblecrawl/amble/analyze/a11y/internal/css"
	"github.com/amblecrawl/amble/analyze/a11y/internal/dom"
	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// visibleText is ACT's visible inner text: the text nodes below n that can be seen, with white space where blocks, line
// breaks and table cells part them. Texts drawn in icon fonts are left out; symbol tells that what is there stands for
// an image rather than for words ("X" for close).
func visibleText(n *dom.Node) (text string, symbol bool) {
	var b strings.Builder
	var walk func(e *dom.Node)
	walk = func(e *dom.Node) {
		if e.Kind == dom.TextKind {
			switch {
			case css.Visible(e):
				if iconFont(e) {
					symbol = true
					b.WriteByte(' ')
					return
				}
				b.WriteString(e.Text)
			case !e.NotRendered && dom.IsSpace(e.Text) && e.Text != "":
				b.WriteByte(' ')
			}
			return
		}
		if e.NotRendered || e.Skipped {
			return
		}
		sep := e != n && (e.Is("br") || e.Kind == dom.ElementKind && !css.Inline(e) && css.Value(e, "display") != "inline-block")
		if sep || css.OffScreen(e) && e.Kind == dom.ElementKind {
			b.WriteByte(' ')
		}
		for _, c := range e.Children {
			walk(c)
		}
		if sep {
			b.WriteByte(' ')
		}
	}
	walk(n)
	text = dom.Collapse(b.String())
	return text, symbol || text != "" && symbolic(text)
}

// symbolic tells whether a text stands for an image rather than for words: no letter or digit in it, or a lone letter.
func symbolic(s string) bool {
	words := 0
	for _, r := range s {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			words++
		}
	}
	return words == 0 || words == 1 && len([]rune(strings.TrimSpace(s))) == 1
}

// iconFont tells whether a text is drawn in a font of icons, by the font's name or the usual class names.
func iconFont(t *dom.Node) bool {
	f := css.Value(t, "font-family")
	if strings.Contains(f, "icon") || strings.Contains(f, "awesome") || strings.Contains(f, "symbols") || strings.Contains(f, "glyph") {
		return true
	}
	p := t.Parent
	if p == nil {
		return false
	}
	for _, c := range strings.Fields(strings.ToLower(p.A("class"))) {
		if strings.Contains(c, "material-icons") || strings.Contains(c, "material-symbols") || c == "fa" || c == "fas" || c == "far" || c == "fab" || strings.Contains(c, "glyphicon") {
			return true
		}
	}
	return false
}

// words parts a text into words for comparing, as the label in name algorithm of ACT rule 2ee8b8 does: what stands in
// parentheses is dropped, case and accents' encoding do not count, all but letters and digits parts words.
func words(s string) []string {
	s = norm.NFKD.String(cases.Fold().String(withoutParentheses(s)))
	var b strings.Builder
	for _, r := range s {
		switch {
		case unicode.IsLetter(r) || unicode.IsNumber(r):
			b.WriteRune(r)
		case unicode.IsMark(r):
		default:
			b.WriteByte(' ')
		}
	}
	return strings.Fields(b.String())
}

func withoutParentheses(s string) string {
	for {
		i := strings.IndexByte(s, '(')
		if i < 0 {
			return strings.ReplaceAll(s, ")", " ")
		}
		j := strings.IndexByte(s[i:], ')')
		if j < 0 {
			return s
		}
		s = s[:i] + " " + s[i+j+1:]
	}
}

// containsWords tells whether all words of the label stand together, in order and whole, in the name. Scripts that do not
// part words by spaces are compared letter by letter.
func containsWords(name, label []string) bool {
	if slices.ContainsFunc(label, unspaced) {
		return strings.Contains(strings.Join(name, ""), strings.Join(label, ""))
	}
	for i := 0; i+len(label) <= len(name); i++ {
		if slices.Equal(name[i:i+len(label)], label) {
			return true
		}
	}
	return len(label) == 0
}

// unspaced tells whether a word is of a script that is written without spaces.
func unspaced(w string) bool {
	return strings.IndexFunc(w, func(r rune) bool {
		return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
	}) >= 0
}

// otherSpelling tells whether label and name differ only as an abbreviation or a hyphenation may: ACT leaves those to a
// person.
func otherSpelling(name, label string) bool {
	if strings.Contains(name, "-") != strings.Contains(label, "-") || strings.Contains(name, "-") {
		if strings.Contains(strings.Join(words(name), ""), strings.Join(words(label), "")) {
			return true
		}
	}
	have := words(name)
	abbreviated := false
	var full []string
	for _, w := range strings.Fields(label) {
		t := words(w)
		if len(t) == 0 {
			continue
		}
		long := ""
		if strings.HasSuffix(strings.TrimRight(w, ",;:"), ".") && len(t) == 1 {
			for _, h := range have {
				if len(h) > len(t[0]) && strings.HasPrefix(h, t[0]) {
					long = h
				}
			}
		}
		if long != "" {
			abbreviated = true
			full = append(full, long)
			continue
		}
		full = append(full, t...)
	}
	if abbreviated && containsWords(have, full) {
		return true
	}
	// An acronym for the name's words: "WCAG" for "Web Content Accessibility Guidelines".
	initials := ""
	for _, h := range have {
		initials += h[:1]
	}
	t := strings.Fields(label)
	return len(t) == 1 && len(t[0]) > 1 && strings.ToUpper(t[0]) == t[0] && strings.Contains(initials, strings.ToLower(t[0]))
}
