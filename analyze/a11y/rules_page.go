package a11y

import (
	"strconv"
	"strings"

	"github.com/amblecrawl/amble/analyze/a11y/internal/aria"
	"github.com/amblecrawl/amble/analyze/a11y/internal/css"
	"github.com/amblecrawl/amble/analyze/a11y/internal/dom"
	"golang.org/x/text/language"
)

// htmlRoot returns the root element that the page-level rules judge; nil for other documents and inside of frames.
func htmlRoot(p *pass) *dom.Node {
	if d := p.page.top; d.HTML.Is("html") {
		return d.HTML
	}
	return nil
}

// htmlLang: the html element has a lang attribute (ACT b5c3f8).
func htmlLang(p *pass) {
	h := htmlRoot(p)
	if h == nil || !h.Doc.IsTextHTML() {
		return
	}
	p.verdict(h, !dom.IsASCIISpace(h.A("lang")), "The html element has no lang attribute with a value.")
}

// htmlLangValid: the lang attribute of html names a known language (ACT bf051a).
func htmlLangValid(p *pass) {
	h := htmlRoot(p)
	if h == nil || !h.Doc.IsTextHTML() || dom.IsASCIISpace(h.A("lang")) {
		return
	}
	p.verdict(h, knownLanguage(h.A("lang")), "The lang attribute does not start with a known language subtag.", "lang", h.A("lang"))
}

// knownLanguage tells whether the primary subtag is a language of the IANA registry. Three-letter codes of languages
// that have a two-letter one are not in it, nor are tags registered as a whole ("i-klingon").
func knownLanguage(tag string) bool {
	primary, _, _ := strings.Cut(strings.ToLower(strings.Trim(tag, " \t\n\f\r")), "-")
	for i := 0; i < len(primary); i++ {
		if primary[i] < 'a' || primary[i] > 'z' {
			return false
		}
	}
	if len(primary) != 2 && len(primary) != 3 {
		return false
	}
	if len(primary) == 3 && primary >= "qaa" && primary <= "qtz" {
		return true // private use, registered as a range
	}
	base, err := language.ParseBase(primary)
	if err != nil {
		return false
	}
	return len(primary) == 2 || len(base.String()) == 3
}

// partLang: lang attributes in the body name known languages (ACT de46e4).
func partLang(p *pass) {
	p.each(func(n *dom.Node) {
		lang, ok := n.Get("lang")
		if !ok || lang == "" || !n.IsHTML() || !n.Doc.IsTextHTML() || !n.In(n.Doc.Body()) {
			return
		}
		if !textInheritsLanguage(n) {
			return
		}
		p.verdict(n, knownLanguage(lang), "The lang attribute does not start with a known language subtag.", "lang", lang)
	})
}

// textInheritsLanguage tells whether there is text whose language the element sets.
func textInheritsLanguage(n *dom.Node) bool { return languageText(n, 1) != "" }

// languageText collects the text that inherits its language from n, until it has more than limit bytes.
func languageText(n *dom.Node, limit int) string {
	var b strings.Builder
	var walk func(e *dom.Node)
	add := func(s string) {
		if !dom.IsSpace(s) {
			b.WriteString(dom.Collapse(s))
			b.WriteByte('\n')
		}
	}
	walk = func(e *dom.Node) {
		if b.Len() >= limit {
			return
		}
		if e.Kind == dom.TextKind {
			if css.Visible(e) || !aria.ProgrammaticallyHidden(e) {
				add(e.Text)
			}
			return
		}
		if e != n && e.Kind == dom.ElementKind && e.A("lang") != "" {
			return
		}
		if e.Kind == dom.ElementKind && aria.Exposed(e) {
			if e.Has("aria-label") || e.Has("alt") || e.Has("title") || e.Has("aria-labelledby") || e.Has("placeholder") || e.Has("value") && e.Is("input") || e.IsSVG() {
				add(aria.Name(e))
				add(aria.Description(e))
			}
		}
		for _, c := range e.Children {
			walk(c)
		}
		if e.Frame != nil && e.Frame.HTML != nil && !e.NotRendered {
			walk(e.Frame.HTML)
		}
	}
	walk(n)
	return b.String()
}

// pageTitle: the page has a title (ACT 2779a5).
func pageTitle(p *pass) {
	h := htmlRoot(p)
	if h == nil {
		return
	}
	t := firstTitle(h)
	if t == nil {
		p.fail(h, "The page has no title element.")
		return
	}
	p.verdict(t, titleText(t) != "", "The title element is empty.")
}

func firstTitle(h *dom.Node) *dom.Node {
	var found *dom.Node
	var walk func(n *dom.Node)
	walk = func(n *dom.Node) {
		for _, c := range n.DOMChildren {
			if found != nil {
				return
			}
			if c.InShadow {
				continue
			}
			if c.Is("title") {
				found = c
				return
			}
			walk(c)
		}
	}
	walk(h)
	return found
}

func titleText(t *dom.Node) string {
	s := ""
	for _, c := range t.DOMChildren {
		if c.Kind == dom.TextKind {
			s += c.Text
		}
	}
	return dom.Collapse(s)
}

// refreshTime follows the shared declarative refresh steps of HTML far enough to get the time.
func refreshTime(content string) (seconds float64, ok bool) {
	s := strings.TrimLeft(content, " \t\n\f\r")
	i := 0
	for i < len(s) && s[i] >= '0' && s[i] <= '9' {
		i++
	}
	if i == 0 && (s == "" || s[0] != '.') {
		return 0, false
	}
	if i > 0 {
		seconds, _ = strconv.ParseFloat(s[:i], 64)
	}
	for i < len(s) && (s[i] >= '0' && s[i] <= '9' || s[i] == '.') {
		i++
	}
	if i < len(s) && !strings.ContainsRune(";, \t\n\f\r", rune(s[i])) {
		return 0, false
	}
	return seconds, true
}

func firstRefresh(d *dom.Document) (*dom.Node, float64) {
	var walk func(n *dom.Node) (*dom.Node, float64)
	walk = func(n *dom.Node) (*dom.Node, float64) {
		if n.Is("meta") && strings.EqualFold(n.A("http-equiv"), "refresh") {
			if t, ok := refreshTime(n.A("content")); ok {
				return n, t
			}
		}
		for _, c := range n.DOMChildren {
			if m, t := walk(c); m != nil {
				return m, t
			}
		}
		return nil, 0
	}
	return walk(d.Root)
}

// metaRefresh: no delayed refresh, up to 20 hours (ACT bc659a).
func metaRefresh(p *pass) {
	for _, d := range p.page.docs {
		if m, t := firstRefresh(d); m != nil {
			p.verdict(m, t == 0 || t > 72000, "The page reloads or redirects after a delay that users cannot change.", "seconds", strconv.FormatFloat(t, 'f', -1, 64))
		}
	}
}

// metaRefreshAAA: no delayed refresh at all (ACT bisz58).
func metaRefreshAAA(p *pass) {
	for _, d := range p.page.docs {
		if m, t := firstRefresh(d); m != nil {
			p.verdict(m, t == 0, "The page reloads or redirects after a delay.", "seconds", strconv.FormatFloat(t, 'f', -1, 64))
		}
	}
}

// metaViewport: zooming is not blocked (ACT b4f0c3). In a frame the setting does nothing.
func metaViewport(p *pass) {
	p.each(func(n *dom.Node) {
		if !n.Is("meta") || !n.Doc.Top() || !strings.EqualFold(strings.TrimSpace(n.A("name")), "viewport") || !n.Has("content") {
			return
		}
		keys := viewportKeys(n.A("content"))
		scalable, has1 := keys["user-scalable"]
		maximum, has2 := keys["maximum-scale"]
		if !has1 && !has2 {
			return
		}
		if has1 && blocksZoom(scalable) {
			p.fail(n, "The viewport setting user-scalable="+scalable+" stops people from zooming.", "user-scalable", scalable)
			return
		}
		if has2 && limitsZoom(maximum) {
			p.fail(n, "The viewport setting maximum-scale="+maximum+" keeps people from zooming to 200 %.", "maximum-scale", maximum)
			return
		}
		p.ok(n)
	})
}

// viewportKeys reads the content of a viewport meta element; the last value of a key counts.
func viewportKeys(content string) map[string]string {
	out := map[string]string{}
	for _, part := range strings.FieldsFunc(content, func(r rune) bool { return r == ',' || r == ';' }) {
		// White space parts pairs too, but not around the equals sign.
		part = strings.Join(strings.Fields(part), " ")
		part = strings.ReplaceAll(strings.ReplaceAll(part, " =", "="), "= ", "=")
		for _, pair := range strings.Fields(part) {
			if k, v, ok := strings.Cut(pair, "="); ok && v != "" {
				out[strings.ToLower(k)] = strings.ToLower(v)
			}
		}
	}
	return out
}

func leadingNumber(s string) (float64, bool) {
	i := 0
	if i < len(s) && (s[i] == '-' || s[i] == '+') {
		i++
	}
	for i < len(s) && (s[i] >= '0' && s[i] <= '9' || s[i] == '.') {
		i++
	}
	v, err := strconv.ParseFloat(s[:i], 64)
	return v, err == nil
}

func blocksZoom(v string) bool {
	switch v {
	case "yes", "device-width", "device-height":
		return false
	}
	if f, ok := leadingNumber(v); ok {
		return f > -1 && f < 1
	}
	return true
}

func limitsZoom(v string) bool {
	switch v {
	case "device-width", "device-height":
		return false
	}
	if f, ok := leadingNumber(v); ok {
		return f >= 0 && f < 2
	}
	return true // "yes" is 1, unknown words are 0.1
}
