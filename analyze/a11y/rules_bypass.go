package a11y

import (
	"regexp"
	"strings"

	"github.com/amblecrawl/amble/analyze/a11y/internal/aria"
	"github.com/amblecrawl/amble/analyze/a11y/internal/css"
	"github.com/amblecrawl/amble/analyze/a11y/internal/dom"
	"golang.org/x/net/html"
)

// repetition is what of a page also stands on a page that it links to (ACT: block of repeated content).
type repetition struct {
	known    bool          // some linked page could be read
	repeated map[int]bool  // nodes inside of repeated blocks, by index
	fresh    []*dom.Node   // perceivable content that is not repeated and stands after a repeated block, in order
	blocks   bool          // there is a repeated block at all
	doc      *dom.Document // the page
}

// maxLinked bounds how many linked pages are compared with.
const maxLinked = 5

// repeats compares the page with pages that it links to.
func repeats(p *pass) *repetition {
	if r, ok := p.page.memo["repeats"]; ok {
		return r.(*repetition)
	}
	r := &repetition{doc: p.page.top, repeated: map[int]bool{}}
	p.page.memo["repeats"] = r
	if p.page.options.Linked == nil || r.doc.Body() == nil {
		return r
	}
	there := map[string]bool{}
	seen := map[string]bool{}
	links := 0
	for _, n := range r.doc.Nodes {
		if n.Kind != dom.ElementKind || !n.Has("href") && !n.Has("onclick") || links >= maxLinked {
			continue
		}
		ref := destination(n)
		if ref == "" || strings.HasPrefix(ref, "#") {
			continue
		}
		u, _, _ := strings.Cut(r.doc.ResolveURL(ref), "#")
		if seen[u] || samePath(u, r.doc.URL) {
			continue
		}
		seen[u] = true
		text, ok := p.page.options.Linked(u)
		if !ok {
			continue
		}
		root, err := html.Parse(strings.NewReader(text))
		if err != nil {
			continue
		}
		links++
		r.known = true
		other := dom.FromHTML(root, u, "text/html")
		css.Resolve(other, nil)
		for _, m := range other.Nodes {
			if t := blockText(m); t != "" {
				there[t] = true
			}
		}
	}
	first := -1
	body := r.doc.Body()
	for i := body.Index; i < body.End; {
		n := r.doc.Nodes[i]
		if n != body && n.Kind == dom.ElementKind {
			if t := blockText(n); t != "" && there[t] {
				for k := i; k < n.End; k++ {
					r.repeated[k] = true
				}
				if first < 0 {
					first = i
				}
				i = n.End
				continue
			}
		}
		i++
	}
	r.blocks = first >= 0
	if first >= 0 {
		for _, n := range r.doc.Nodes[first:body.End] {
			if !r.repeated[n.Index] && perceivable(n) {
				r.fresh = append(r.fresh, n)
			}
		}
	}
	return r
}

func samePath(a, b string) bool {
	cut := func(s string) string {
		s, _, _ = strings.Cut(s, "#")
		s, _, _ = strings.Cut(s, "?")
		return s
	}
	return cut(a) == cut(b)
}

// blockText returns what an element says, for comparing; "" for elements without perceivable text. Links alone are no
// blocks: the same link on two pages is what a link is for.
func blockText(n *dom.Node) string {
	if n.Kind != dom.ElementKind || n.NotRendered || n.Is("html", "body", "a", "head", "title") || n.End-n.Index > 5000 {
		return ""
	}
	if p := n.Closest(func(e *dom.Node) bool { return e.Is("a") }); p != nil {
		return ""
	}
	var b strings.Builder
	for _, c := range n.Subtree() {
		switch {
		case c.Kind == dom.TextKind && !c.NotRendered:
			b.WriteString(" " + c.Text)
		case c.Is("img"):
			b.WriteString(" " + c.A("alt") + c.A("src"))
		}
	}
	t := dom.Collapse(b.String())
	if len(t) < 3 {
		return ""
	}
	return t
}

// perceivable is ACT's perceivable content, for leaves: text that is seen or exposed, and embedded content.
func perceivable(n *dom.Node) bool {
	if n.Kind == dom.TextKind {
		return !dom.IsSpace(n.Text) && (css.Visible(n) || !aria.ProgrammaticallyHidden(n))
	}
	if n.Is("img", "svg", "video", "audio", "canvas", "object", "iframe", "input", "select", "textarea", "button") || n.IsSVG() && n.Tag == "svg" {
		return aria.Of(n) != "none" && (css.Visible(n) || aria.Exposed(n))
	}
	return false
}

var assigns = regexp.MustCompile(`location(?:\.(?:href|assign|replace))?\s*(?:=|\()\s*['"]([^'"]+)['"]`)

// destination returns where an element leads: its href, or the address that its click handler goes to.
func destination(n *dom.Node) string {
	if h := strings.TrimSpace(n.A("href")); h != "" && (n.Is("a", "area") || n.IsSVG()) {
		if !strings.HasPrefix(strings.ToLower(h), "javascript:") && h != "#" {
			return h
		}
	}
	if n.IsSVG() && n.A("xlink:href") != "" {
		return n.A("xlink:href")
	}
	if m := assigns.FindStringSubmatch(n.A("onclick")); m != nil {
		return m[1]
	}
	return ""
}

// bypassKind is one way to skip repeated blocks.
type bypassKind func(r *repetition) (found bool, unsure string)

func bypassRule(kind bypassKind, why string) func(*pass) {
	return func(p *pass) {
		h := htmlRoot(p)
		if h == nil {
			return
		}
		r := repeats(p)
		if !r.known {
			if len(linksOut(r.doc)) == 0 {
				p.ok(h) // nothing is repeated on pages that it leads to
				return
			}
			if usualBypass(r.doc) {
				p.ok(h) // whatever is repeated, it can be skipped
				return
			}
			p.cannot(h, "Which blocks are repeated is not known without the pages that this one links to.")
			return
		}
		if len(r.fresh) == 0 {
			p.ok(h)
			return
		}
		found, unsure := kind(r)
		switch {
		case found:
			p.ok(h)
		case unsure != "":
			p.cannot(h, unsure)
		default:
			p.fail(h, why)
		}
	}
}

// usualBypass tells whether the page has one of the usual means, whatever its blocks are: a main landmark that is exposed,
// or a link that skips ahead to something further down.
func usualBypass(d *dom.Document) bool {
	for _, n := range d.Nodes {
		if n.Kind != dom.ElementKind {
			continue
		}
		if landmarkRole(n) == "main" && aria.Exposed(n) {
			return true
		}
		if skipLink(n) {
			if t := d.ByID(n, n.A("href")[1:]); t != nil && t.Index > n.Index {
				return true
			}
		}
	}
	return false
}

// linksOut returns the links of a page that lead to other pages.
func linksOut(d *dom.Document) []*dom.Node {
	var out []*dom.Node
	for _, n := range d.Nodes {
		if n.Kind == dom.ElementKind {
			if ref := destination(n); ref != "" && !strings.HasPrefix(ref, "#") && !samePath(d.ResolveURL(ref), d.URL) {
				out = append(out, n)
			}
		}
	}
	return out
}

// freshHeading: a heading is among the content after the repeated blocks (ACT 047fe0).
func freshHeading(r *repetition) (bool, string) {
	for _, n := range r.doc.Nodes {
		if n.Kind == dom.ElementKind && aria.Of(n) == "heading" && !r.repeated[n.Index] && r.after(n) && css.Visible(n) && aria.Exposed(n) && aria.Text(n) != "" {
			return true, ""
		}
	}
	return false, ""
}

// after tells whether a node stands after the first repeated block.
func (r *repetition) after(n *dom.Node) bool {
	for _, f := range r.fresh {
		if f.In(n) {
			return true
		}
	}
	return false
}

// freshLandmark: a landmark begins with content that is not repeated (ACT b40fd1).
func freshLandmark(r *repetition) (bool, string) {
	for _, n := range r.doc.Nodes {
		if n.Kind != dom.ElementKind || landmarkRole(n) == "" || !aria.Exposed(n) {
			continue
		}
		for _, c := range r.doc.Nodes[n.Index:n.End] {
			if perceivable(c) {
				for _, f := range r.fresh {
					if f == c {
						return true, ""
					}
				}
				break
			}
		}
	}
	return false, ""
}

// skipsAhead: a link of the page leads just before content that is not repeated (ACT ye5d6e).
func skipsAhead(r *repetition) (bool, string) {
	unsure := ""
	for _, n := range r.doc.Nodes {
		if n.Kind != dom.ElementKind {
			continue
		}
		ref := destination(n)
		if !strings.HasPrefix(ref, "#") || len(ref) < 2 {
			if ref == "" && n.Is("button", "a") && (n.Has("onclick") || r.doc.HasScripts) && !n.NotRendered && !togglesOnly(n) {
				unsure = "A control may move the focus by a script: press it."
			}
			continue
		}
		if target := r.doc.ByID(r.doc.Root, ref[1:]); target != nil && r.justBefore(target) {
			return true, ""
		}
	}
	return false, unsure
}

// togglesOnly tells whether a click handler hides things rather than moving on.
func togglesOnly(n *dom.Node) bool {
	h := strings.ToLower(n.A("onclick"))
	return strings.Contains(h, "toggle") || strings.Contains(h, "hide")
}

// justBefore tells whether the next perceivable content at or after a node is not repeated.
func (r *repetition) justBefore(t *dom.Node) bool {
	for _, n := range r.doc.Nodes[t.Index:] {
		if perceivable(n) {
			for _, f := range r.fresh {
				if f == n {
					return true
				}
			}
			return false
		}
	}
	return false
}

// bypass: at least one of the ways is there (ACT cf77f2; WCAG 2.4.1).
func bypass(r *repetition) (bool, string) {
	unsure := ""
	for _, kind := range []bypassKind{freshHeading, freshLandmark, skipsAhead} {
		found, u := kind(r)
		if found {
			return true, ""
		}
		if u != "" {
			unsure = u
		}
	}
	// A control may hide the repeated blocks: only pressing it shows.
	for _, n := range r.doc.Nodes {
		if n.Kind == dom.ElementKind && !n.NotRendered && (togglesOnly(n) || n.Is("summary") || r.doc.HasScripts && n.Is("button")) {
			unsure = "A control may hide the repeated blocks: press it."
		}
	}
	return false, unsure
}
