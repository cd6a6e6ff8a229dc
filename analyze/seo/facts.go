package seo

import (
	"strings"
	"unicode"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// facts is what the rules want to know of a page's tree, read in one walk.
type facts struct {
	bodyTitles []string // title elements of HTML outside of the head
	headings   []heading
	anchors    []anchor
	images     []image
	pictures   int // picture elements without an img
	data       []string
	pages      []string // href of link rel=next and rel=prev
	words      int      // of the main text
	denseChars int      // its characters of scripts without spaces
	textHash   uint64   // of the main text
	sketch     sketch   // of the main text
}

type heading struct {
	level int
	text  string
}

type anchor struct {
	href     string
	hasHref  bool
	name     string // accessible name as far as the markup gives it
	named    bool   // it is there for its id or name, or has a role of its own
	onclick  bool
	hidden   bool
	role     string
	blank    bool // opens a new window without noopener or noreferrer
	relOpens bool // rel=opener: meant
}

type image struct {
	src, alt string
	hasAlt   bool
	hidden   bool // from readers: aria-hidden or a presentational role
}

// maxFacts bounds each list.
const maxFacts = 20_000

// maxDepth bounds the walk; the parser's trees are not deeper.
const maxDepth = 2000

type reader struct {
	f    *facts
	text shingler
	refs []labelRef
	left int // nodes that names may still be read from: headings in headings cost again and again
}

const maxSteps = 2_000_000

type labelRef struct {
	anchor int
	ids    string
}

func read(doc *html.Node) *facts {
	r := &reader{f: &facts{}, left: maxSteps}
	if doc == nil {
		return r.f
	}
	r.walk(doc, state{}, 0)
	var ids map[string]*html.Node
	if len(r.refs) > 0 { // labels may stand anywhere
		ids = make(map[string]*html.Node)
		index(doc, ids, 0)
	}
	for _, ref := range r.refs {
		a := &r.f.anchors[ref.anchor]
		for _, id := range strings.Fields(ref.ids) {
			if n := ids[id]; n != nil && len(a.name) < 4096 {
				a.name = strings.TrimSpace(a.name + " " + r.name(n, 0))
			}
		}
	}
	r.f.words, r.f.denseChars = r.text.words, r.text.dense
	r.f.textHash = r.text.sum()
	r.f.sketch = r.text.sketch()
	return r.f
}

// state is what an element inherits.
type state struct {
	head    bool
	foreign bool // svg or math
	aside   bool // navigation, header, footer: no main text
	hidden  bool
}

func (r *reader) walk(n *html.Node, s state, depth int) {
	if depth > maxDepth {
		return
	}
	switch n.Type {
	case html.TextNode:
		if !s.head && !s.aside && !s.hidden && !s.foreign {
			r.text.add(n.Data)
		}
		return
	case html.ElementNode:
		if n.Namespace == "" {
			if !r.element(n, &s) {
				return
			}
		} else {
			s.foreign = true
		}
	case html.DocumentNode:
	default:
		return
	}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		r.walk(c, s, depth+1)
	}
}

// element takes what an element says. It reports whether its children count.
func (r *reader) element(n *html.Node, s *state) bool {
	f := r.f
	s.foreign = false // HTML inside of foreignObject
	if has(n, "hidden") {
		s.hidden = true
	}
	switch n.DataAtom {
	case atom.Head:
		s.head = true
	case atom.Title:
		if !s.head && len(f.bodyTitles) < maxFacts {
			f.bodyTitles = append(f.bodyTitles, collapse(r.name(n, 0)))
		}
		return false
	case atom.Script:
		kind, _, _ := strings.Cut(attr(n, "type"), ";")
		if strings.EqualFold(strings.TrimSpace(kind), "application/ld+json") && len(f.data) < maxFacts {
			f.data = append(f.data, rawText(n))
		}
		return false
	case atom.Style, atom.Template, atom.Noscript, atom.Textarea, atom.Select:
		return false
	case atom.Link:
		for _, rel := range strings.Fields(strings.ToLower(attr(n, "rel"))) {
			if (rel == "next" || rel == "prev") && attr(n, "href") != "" && len(f.pages) < 10 {
				f.pages = append(f.pages, attr(n, "href"))
			}
		}
	case atom.Nav, atom.Header, atom.Footer, atom.Aside:
		s.aside = true
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		if len(f.headings) < maxFacts && !s.hidden {
			f.headings = append(f.headings, heading{int(n.Data[1] - '0'), collapse(r.name(n, 0))})
		}
	case atom.A:
		r.anchor(n, s)
	case atom.Img:
		if len(f.images) < maxFacts {
			alt, ok := get(n, "alt")
			role := strings.ToLower(attr(n, "role"))
			f.images = append(f.images, image{src: attr(n, "src"), alt: alt, hasAlt: ok,
				hidden: s.hidden || attr(n, "aria-hidden") == "true" || role == "presentation" || role == "none" || attr(n, "aria-label") != "" || has(n, "aria-labelledby")})
		}
	case atom.Picture:
		if !r.contains(n, atom.Img, 0) {
			f.pictures++
		}
	}
	return true
}

func (r *reader) anchor(n *html.Node, s *state) {
	if len(r.f.anchors) >= maxFacts {
		return
	}
	href, ok := get(n, "href")
	rel := strings.Fields(strings.ToLower(attr(n, "rel")))
	a := anchor{href: href, hasHref: ok, onclick: has(n, "onclick"), hidden: s.hidden || attr(n, "aria-hidden") == "true",
		named: has(n, "id") || has(n, "name"), role: strings.ToLower(attr(n, "role"))}
	a.blank = strings.EqualFold(attr(n, "target"), "_blank")
	for _, v := range rel {
		switch v {
		case "noopener", "noreferrer":
			a.blank = false
		case "opener":
			a.relOpens = true
		}
	}
	switch label := attr(n, "aria-label"); {
	case has(n, "aria-labelledby"):
		if len(r.refs) < maxFacts {
			r.refs = append(r.refs, labelRef{len(r.f.anchors), attr(n, "aria-labelledby")})
		} else {
			a.name = "?"
		}
	case strings.TrimSpace(label) != "":
		a.name = label
	default:
		if a.name = collapse(r.name(n, 0)); a.name == "" {
			a.name = attr(n, "title")
		}
	}
	r.f.anchors = append(r.f.anchors, a)
}

// name is an element's text with the alternatives of its images.
func (r *reader) name(n *html.Node, depth int) string {
	if r.left--; r.left < 0 {
		return ""
	}
	if n.Type == html.TextNode {
		return n.Data
	}
	if depth > maxDepth || n.Type == html.ElementNode && (n.DataAtom == atom.Script || n.DataAtom == atom.Style || n.DataAtom == atom.Template) {
		return ""
	}
	if n.Type == html.ElementNode && depth > 0 {
		if label := attr(n, "aria-label"); label != "" {
			return " " + label + " "
		}
		switch n.DataAtom {
		case atom.Img, atom.Area:
			if alt := attr(n, "alt"); alt != "" {
				return " " + alt + " "
			}
			return " " + attr(n, "title") + " "
		case atom.Object, atom.Video, atom.Iframe, atom.Canvas, atom.Input, atom.Slot:
			if t := attr(n, "title"); t != "" {
				return " " + t + " "
			}
		}
	}
	var b strings.Builder
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if b.Len() > 4096 {
			break
		}
		b.WriteString(r.name(c, depth+1))
	}
	if b.Len() == 0 && depth > 0 && n.Type == html.ElementNode && n.DataAtom != atom.A {
		return attr(n, "title")
	}
	return b.String()
}

// index notes the first element of each id.
func index(n *html.Node, ids map[string]*html.Node, depth int) {
	if id := attr(n, "id"); id != "" && ids[id] == nil {
		ids[id] = n
	}
	for c := n.FirstChild; c != nil && depth < maxDepth; c = c.NextSibling {
		index(c, ids, depth+1)
	}
}

func (r *reader) contains(n *html.Node, tag atom.Atom, depth int) bool {
	for c := n.FirstChild; c != nil && depth < maxDepth; c = c.NextSibling {
		if r.left--; r.left < 0 || c.Type == html.ElementNode && c.DataAtom == tag || r.contains(c, tag, depth+1) {
			return true
		}
	}
	return false
}

func rawText(n *html.Node) string {
	var b strings.Builder
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if c.Type == html.TextNode {
			b.WriteString(c.Data)
		}
	}
	return b.String()
}

func get(n *html.Node, key string) (string, bool) {
	for i := range n.Attr {
		if n.Attr[i].Key == key && n.Attr[i].Namespace == "" {
			return n.Attr[i].Val, true
		}
	}
	return "", false
}

func attr(n *html.Node, key string) string { v, _ := get(n, key); return v }

func has(n *html.Node, key string) bool { _, ok := get(n, key); return ok }

func collapse(s string) string { return strings.Join(strings.Fields(s), " ") }

// shingler reads the main text word by word.
type shingler struct {
	words, dense int
	last         [shingle]uint64
	all          uint64
	mins         sketch
	filled       bool
}

const shingle = 5 // words

func (t *shingler) add(text string) {
	if !t.filled {
		t.filled = true
		for i := range t.mins {
			t.mins[i] = emptyBin
		}
	}
	start := -1
	for i, r := range text {
		if isDense(r) {
			t.dense++
		}
		if unicode.IsSpace(r) {
			if start >= 0 {
				t.word(text[start:i])
				start = -1
			}
		} else if start < 0 {
			start = i
		}
	}
	if start >= 0 {
		t.word(text[start:])
	}
}

func (t *shingler) word(w string) {
	h := hash(w)
	t.all = t.all*0x9e3779b97f4a7c15 + h
	copy(t.last[:], t.last[1:])
	t.last[shingle-1] = h
	t.words++
	if t.words >= shingle {
		s := uint64(0)
		for _, h := range t.last {
			s = (s ^ h) * 0xff51afd7ed558ccd
			s ^= s >> 32
		}
		t.mins.take(s)
	}
}

// hash is FNV-1a with its bits mixed; it is the same in every run, so that findings are.
func hash(w string) uint64 {
	h := uint64(14695981039346656037)
	for i := 0; i < len(w); i++ {
		h = (h ^ uint64(w[i])) * 1099511628211
	}
	h ^= h >> 32
	h *= 0x9e3779b97f4a7c15
	return h ^ h>>29
}

func (t *shingler) sum() uint64 {
	if t.words == 0 {
		return 0
	}
	return t.all ^ uint64(t.words)
}

func (t *shingler) sketch() sketch {
	if t.filled {
		t.mins.densify()
	}
	return t.mins
}
