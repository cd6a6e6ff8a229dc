package aria

import (
	"strings"

	"github.com/amblecrawl/amble/analyze/a11y/internal/dom"
)

// Explicit returns the first valid role of the role attribute; "" without one.
func Explicit(n *dom.Node) string {
	v, ok := n.Get("role")
	if !ok {
		return ""
	}
	for _, t := range strings.Fields(strings.ToLower(v)) {
		if Valid(t) {
			return t
		}
	}
	return ""
}

// Decorative tells whether the author marked the element as decorative (ACT: marked as decorative).
func Decorative(n *dom.Node) bool {
	switch Explicit(n) {
	case "none", "presentation":
		return true
	case "":
		alt, ok := n.Get("alt")
		return ok && alt == "" && n.Is("img")
	}
	return false
}

// Conflict tells whether the presentational role is ignored: the element can be focused or carries a global state or
// property that is not prohibited (WAI-ARIA 1.2, presentational roles conflict resolution).
func Conflict(n *dom.Node) bool {
	if Focusable(n) {
		return true
	}
	for _, a := range n.Attr {
		if p, ok := properties[a.Name]; ok && p.Global && a.Name != "aria-hidden" {
			if n.Is("img") && Explicit(n) == "" {
				return true
			}
			imp := implicit(n, true)
			if imp == "" || imp == "none" {
				imp = "generic"
			}
			if !Prohibits(imp, a.Name) && !Prohibits("none", a.Name) || !Prohibits(imp, a.Name) && (a.Name == "aria-label" || a.Name == "aria-labelledby") {
				return true
			}
		}
	}
	return false
}

// Of returns the semantic role: the implicit one where a presentational role conflicts, else the explicit one, else the
// implicit one. "" stands for elements without a corresponding role.
func Of(n *dom.Node) string {
	if n.Kind != dom.ElementKind {
		return ""
	}
	if !n.Memo.HasRole {
		n.Memo.Role, n.Memo.HasRole = compute(n), true
	}
	return n.Memo.Role
}

func compute(n *dom.Node) string {
	if Decorative(n) {
		if Conflict(n) {
			return implicit(n, true)
		}
		return "none"
	}
	if e := Explicit(n); e != "" {
		if e == "image" {
			return "img"
		}
		if e == "presentation" {
			return "none"
		}
		return e
	}
	return implicit(n, false)
}

// Implicit returns the role that the host language gives the element.
func Implicit(n *dom.Node) string { return implicit(n, false) }

func implicit(n *dom.Node, conflict bool) string {
	switch n.NS {
	case dom.SVG:
		return implicitSVG(n)
	case dom.MathML:
		if n.Tag == "math" {
			return "math"
		}
		return ""
	case dom.OtherNS:
		return ""
	}
	switch n.Tag {
	case "a", "area":
		if n.Has("href") {
			return "link"
		}
		return "generic"
	case "address", "details", "fieldset", "hgroup", "optgroup":
		return "group"
	case "article", "blockquote", "button", "caption", "code", "dialog", "figure", "main", "math", "meter", "option", "search", "time", "mark":
		return n.Tag
	case "aside":
		if sectioned(n, "article", "aside", "nav", "section") && !authorNamed(n) {
			return "generic"
		}
		return "complementary"
	case "b", "bdi", "bdo", "body", "data", "div", "i", "pre", "q", "samp", "small", "span", "u", "html":
		return "generic"
	case "datalist":
		return "listbox"
	case "dd":
		return "definition"
	case "dt", "dfn":
		return "term"
	case "del", "s":
		return "deletion"
	case "ins":
		return "insertion"
	case "em":
		return "emphasis"
	case "strong":
		return "strong"
	case "sub":
		return "subscript"
	case "sup":
		return "superscript"
	case "footer":
		if sectioned(n, "article", "aside", "main", "nav", "section") {
			return "generic"
		}
		return "contentinfo"
	case "header":
		if sectioned(n, "article", "aside", "main", "nav", "section") {
			return "generic"
		}
		return "banner"
	case "form":
		if authorNamed(n) {
			return "form"
		}
		return "generic"
	case "section":
		if authorNamed(n) {
			return "region"
		}
		return "generic"
	case "h1", "h2", "h3", "h4", "h5", "h6":
		return "heading"
	case "hr":
		return "separator"
	case "img":
		if alt, ok := n.Get("alt"); ok && alt == "" && !conflict {
			return "none"
		}
		return "img"
	case "input":
		return inputRole(n)
	case "li":
		if p := elementParent(n); p != nil && (p.Is("ul", "ol", "menu") || Explicit(p) == "list") {
			if plainNone(p) {
				return "none"
			}
			return "listitem"
		}
		return "generic"
	case "ul", "ol", "menu":
		return "list"
	case "nav":
		return "navigation"
	case "output":
		return "status"
	case "p":
		return "paragraph"
	case "progress":
		return "progressbar"
	case "select":
		if n.Has("multiple") || atoi(n.A("size")) > 1 {
			return "listbox"
		}
		return "combobox"
	case "table":
		return "table"
	case "tbody", "thead", "tfoot":
		if t := tableOf(n); t != nil && !plainNone(t) {
			return "rowgroup"
		}
		return "generic"
	case "tr":
		if t := tableOf(n); t != nil && !plainNone(t) {
			return "row"
		}
		return "generic"
	case "td", "th":
		return cellRole(n)
	case "textarea":
		return "textbox"
	}
	return ""
}

func plainNone(n *dom.Node) bool {
	e := Explicit(n)
	return (e == "none" || e == "presentation") && !Conflict(n)
}

func elementParent(n *dom.Node) *dom.Node {
	for p := n.Parent; p != nil; p = p.Parent {
		// Custom elements stand for what their shadow trees hold.
		if p.Kind == dom.ElementKind && !p.Is("slot") && !(p.IsHTML() && strings.Contains(p.Tag, "-") && Explicit(p) == "") {
			return p
		}
	}
	return nil
}

func sectioned(n *dom.Node, tags ...string) bool {
	for p := n.Parent; p != nil; p = p.Parent {
		if p.Is(tags...) {
			return true
		}
		switch Explicit(p) {
		case "article", "complementary", "main", "navigation", "region":
			return true
		}
	}
	return false
}

// authorNamed tells whether aria-label, aria-labelledby or title names the element, which turns section and form into
// landmarks.
func authorNamed(n *dom.Node) bool {
	if strings.TrimSpace(n.A("aria-label")) != "" || strings.TrimSpace(n.A("title")) != "" {
		return true
	}
	for _, r := range n.Refs("aria-labelledby") {
		if strings.TrimSpace(r.DOMText()) != "" || r.A("aria-label") != "" || r.A("alt") != "" {
			return true
		}
	}
	return false
}

func inputRole(n *dom.Node) string {
	list := n.Has("list")
	switch strings.ToLower(strings.TrimSpace(n.A("type"))) {
	case "button", "submit", "reset", "image":
		return "button"
	case "checkbox":
		return "checkbox"
	case "radio":
		return "radio"
	case "range":
		return "slider"
	case "number":
		return "spinbutton"
	case "search":
		if list {
			return "combobox"
		}
		return "searchbox"
	case "color", "date", "datetime-local", "file", "hidden", "month", "password", "time", "week":
		return ""
	default: // text, email, tel, url and what no browser knows
		if list {
			return "combobox"
		}
		return "textbox"
	}
}

func tableOf(n *dom.Node) *dom.Node {
	for p := n.Parent; p != nil; p = p.Parent {
		if p.Is("table") {
			return p
		}
		if p.Kind == dom.ElementKind && !p.Is("tbody", "thead", "tfoot", "tr", "slot") {
			return nil
		}
	}
	return nil
}

func cellRole(n *dom.Node) string {
	t := tableOf(n)
	if t == nil || plainNone(t) {
		return "generic"
	}
	grid := false
	switch Explicit(t) {
	case "grid", "treegrid":
		grid = true
	case "", "table", "none", "presentation":
	default:
		return "generic"
	}
	if n.Tag == "th" {
		switch strings.ToLower(n.A("scope")) {
		case "col", "colgroup":
			return "columnheader"
		case "row", "rowgroup":
			return "rowheader"
		}
		return autoHeader(n)
	}
	if grid {
		return "gridcell"
	}
	return "cell"
}

// autoHeader decides for a th without scope: in thead, in a row of header cells only, or in the first row behind the
// corner, it heads its column; otherwise its row.
func autoHeader(n *dom.Node) string {
	row := n.Parent
	if row == nil || !row.Is("tr") || row.Parent.Is("thead") {
		return "columnheader"
	}
	if !row.Memo.HasData { // asked for by each cell of the row
		row.Memo.HasData = true
		for _, c := range row.Children {
			if c.Is("td") {
				row.Memo.Data = c
				break
			}
		}
	}
	data := row.Memo.Data
	if data == nil {
		return "columnheader"
	}
	if data.Index < n.Index && row.PrevElem == nil && (row.Parent.PrevElem == nil || !row.Parent.PrevElem.Is("thead", "tbody")) {
		return "columnheader"
	}
	return "rowheader"
}

func implicitSVG(n *dom.Node) string {
	switch n.Tag {
	case "svg":
		return "graphics-document"
	case "a":
		if n.Has("href") || n.Has("xlink:href") {
			return "link"
		}
		return "group"
	case "image":
		return "img"
	case "g", "text", "foreignObject", "use":
		return "group"
	case "circle", "ellipse", "line", "path", "polygon", "polyline", "rect":
		return "graphics-symbol"
	}
	return ""
}

// Exposed tells whether the element is included in the accessibility tree: rendered, not hidden from assistive
// technology, not presentational and not below an element whose children are presentational.
func Exposed(n *dom.Node) bool {
	if n.Kind != dom.ElementKind || ProgrammaticallyHidden(n) {
		return false
	}
	switch n.Tag {
	case "head", "meta", "link", "script", "style", "template", "title", "base", "noscript", "param", "source", "track":
		if n.NS == dom.HTML {
			return false
		}
	}
	if n.Is("input") && strings.EqualFold(n.A("type"), "hidden") {
		return false
	}
	if n.Is("button") && n.Parent.Is("select") { // it shows what was chosen, and is inert (HTML standard 4.10.7)
		return false
	}
	if Of(n) == "none" || n.Inert && saysInert(n) {
		return false
	}
	return !UnderPresentational(n)
}

// saysInert tells whether an inert attribute makes the element inert. What an open modal dialog makes inert is to be
// judged all the same: it comes back when the dialog closes.
func saysInert(n *dom.Node) bool {
	for ; n != nil; n = n.Parent {
		if n.Kind == dom.ElementKind && n.Has("inert") {
			return true
		}
	}
	return false
}

// ProgrammaticallyHidden is ACT's term: not rendered, invisible, or inside of aria-hidden.
func ProgrammaticallyHidden(n *dom.Node) bool {
	if n.NotRendered || n.AriaHidden || n.Skipped || n.Index < 0 {
		return true
	}
	if o := n.Doc.Owner; o != nil && ProgrammaticallyHidden(o) {
		return true
	}
	return n.Invisible
}

// UnderPresentational tells whether an ancestor's role makes its children presentational.
func UnderPresentational(n *dom.Node) bool {
	if n.Memo.HasCovered {
		return n.Memo.Covered
	}
	p := n.Parent
	covered := p != nil && (p.Kind == dom.ElementKind && roles[Of(p)].Presentation || UnderPresentational(p))
	n.Memo.Covered, n.Memo.HasCovered = covered, true
	return covered
}

func atoi(s string) int {
	v, _ := ParseInt(s)
	return v
}

// ParseInt follows HTML's rules for parsing integers: leading white space, a sign, digits; what follows is ignored.
func ParseInt(s string) (int, bool) {
	s = strings.TrimLeft(s, " \t\n\f\r")
	neg := false
	if s != "" && (s[0] == '-' || s[0] == '+') {
		neg, s = s[0] == '-', s[1:]
	}
	v, ok := 0, false
	for i := 0; i < len(s) && s[i] >= '0' && s[i] <= '9'; i++ {
		v, ok = min(v*10+int(s[i]-'0'), 1<<30), true
	}
	if neg {
		v = -v
	}
	return v, ok
}
