package seo

import (
	"strings"
	"unicode"

	"golang.org/x/net/html/atom"

	"github.com/amblecrawl/amble"
	"github.com/amblecrawl/amble/analyze/internal/audit"
)

// facts is what the rules want to know of a page's outline, read in one walk.
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

const maxSteps = 2_000_000

// reader reads the facts of an outline.
type reader struct {
	o    *amble.Outline
	f    *facts
	text shingler
	refs []labelRef
	left int // nodes that names may still be read from: headings in headings cost again and again
}

type labelRef struct {
	anchor int
	ids    string
}

// What an element hands on to its contents.
const (
	aside   = 1 << iota // navigation, header, footer: no main text
	hidden              // not shown
	skipped             // no contents that count
)

func read(o *amble.Outline) *facts {
	r := &reader{o: o, f: &facts{}, left: maxSteps}
	state := make([]uint8, o.Len())
	for i := range state {
		if p := o.Parent(i); p >= 0 {
			state[i] = state[p]
		}
		switch {
		case state[i]&skipped != 0:
		case o.IsText(i):
			if state[i] == 0 && !o.InHead(i) && !o.Foreign(i) {
				r.text.add(o.Text(i))
			}
		case !o.Foreign(i):
			state[i] |= r.element(i, state[i])
		}
	}
	r.labels()
	r.f.words, r.f.denseChars = r.text.words, r.text.dense
	r.f.textHash = r.text.sum()
	r.f.sketch = r.text.sketch()
	return r.f
}

// labels gives anchors the names that aria-labelledby points to. They may stand anywhere.
func (r *reader) labels() {
	if len(r.refs) == 0 {
		return
	}
	ids := make(map[string]int)
	for i := range r.o.Len() {
		if id := r.attr(i, "id"); id != "" {
			if _, ok := ids[id]; !ok {
				ids[id] = i
			}
		}
	}
	for _, ref := range r.refs {
		a := &r.f.anchors[ref.anchor]
		for id := range strings.FieldsSeq(ref.ids) {
			if i, ok := ids[id]; ok && len(a.name) < 4096 {
				a.name = strings.TrimSpace(a.name + " " + r.name(i))
			}
		}
	}
}

func (r *reader) attr(i int, name string) string { return audit.Attr(r.o, i, name) }

func (r *reader) has(i int, name string) bool { return audit.Has(r.o, i, name) }

// element takes what an element says, and returns what it adds to the state of its contents.
func (r *reader) element(i int, state uint8) uint8 {
	f, o := r.f, r.o
	var own uint8
	if r.has(i, "hidden") {
		own = hidden
	}
	switch o.Tag(i) {
	case atom.Title:
		if !o.InHead(i) && len(f.bodyTitles) < maxFacts {
			f.bodyTitles = append(f.bodyTitles, audit.Collapse(r.name(i)))
		}
		return skipped
	case atom.Script:
		kind, _, _ := strings.Cut(r.attr(i, "type"), ";")
		if strings.EqualFold(strings.TrimSpace(kind), "application/ld+json") && len(f.data) < maxFacts {
			f.data = append(f.data, r.rawText(i))
		}
		return skipped
	case atom.Style, atom.Template, atom.Noscript, atom.Textarea, atom.Select:
		return skipped
	case atom.Link:
		for rel := range strings.FieldsSeq(strings.ToLower(r.attr(i, "rel"))) {
			if href := r.attr(i, "href"); (rel == "next" || rel == "prev") && href != "" && len(f.pages) < 10 {
				f.pages = append(f.pages, href)
			}
		}
	case atom.Nav, atom.Header, atom.Footer, atom.Aside:
		own |= aside
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		if len(f.headings) < maxFacts && (state|own)&hidden == 0 {
			f.headings = append(f.headings, heading{int(o.Name(i)[1] - '0'), audit.Collapse(r.name(i))})
		}
	case atom.A:
		r.anchor(i, (state|own)&hidden != 0)
	case atom.Img:
		if len(f.images) < maxFacts {
			alt, ok := o.Attr(i, "alt")
			role := strings.ToLower(r.attr(i, "role"))
			f.images = append(f.images, image{src: r.attr(i, "src"), alt: alt, hasAlt: ok,
				hidden: (state|own)&hidden != 0 || r.attr(i, "aria-hidden") == "true" || role == "presentation" || role == "none" || r.attr(i, "aria-label") != "" || r.has(i, "aria-labelledby")})
		}
	case atom.Picture:
		if !r.contains(i, atom.Img) {
			f.pictures++
		}
	}
	return own
}

func (r *reader) anchor(i int, hidden bool) {
	if len(r.f.anchors) >= maxFacts {
		return
	}
	href, ok := r.o.Attr(i, "href")
	a := anchor{href: href, hasHref: ok, onclick: r.has(i, "onclick"), hidden: hidden || r.attr(i, "aria-hidden") == "true",
		named: r.has(i, "id") || r.has(i, "name"), role: strings.ToLower(r.attr(i, "role"))}
	if a.blank = strings.EqualFold(r.attr(i, "target"), "_blank"); a.blank {
		for rel := range strings.FieldsSeq(strings.ToLower(r.attr(i, "rel"))) {
			switch rel {
			case "noopener", "noreferrer":
				a.blank = false
			case "opener":
				a.relOpens = true
			}
		}
	}
	switch label := r.attr(i, "aria-label"); {
	case r.has(i, "aria-labelledby"):
		if len(r.refs) < maxFacts {
			r.refs = append(r.refs, labelRef{len(r.f.anchors), r.attr(i, "aria-labelledby")})
		} else {
			a.name = "?"
		}
	case strings.TrimSpace(label) != "":
		a.name = label
	default:
		if a.name = audit.Collapse(r.name(i)); a.name == "" {
			a.name = r.attr(i, "title")
		}
	}
	r.f.anchors = append(r.f.anchors, a)
}

// name is an element's text with the alternatives of its images.
func (r *reader) name(i int) string {
	if i+2 == r.o.End(i) && r.o.IsText(i+1) { // as in most cases
		r.left--
		return r.o.Text(i + 1)
	}
	var b strings.Builder
	r.contents(&b, i)
	return b.String()
}

// contents writes the names of what stands in an element.
func (r *reader) contents(b *strings.Builder, i int) {
	for c, end := i+1, r.o.End(i); c < end; c = r.o.End(c) {
		if r.left--; r.left < 0 || b.Len() > 4096 {
			return
		}
		if r.o.IsText(c) {
			b.WriteString(r.o.Text(c))
			continue
		}
		before := b.Len()
		if r.alternative(b, c) {
			continue
		}
		r.contents(b, c)
		if b.Len() == before && r.o.Tag(c) != atom.A {
			b.WriteString(r.attr(c, "title"))
		}
	}
}

// alternative writes what stands for an element instead of its contents. It reports false when nothing does.
func (r *reader) alternative(b *strings.Builder, i int) bool {
	switch tag := r.o.Tag(i); tag {
	case atom.Script, atom.Style, atom.Template:
		return true
	default:
		text := r.attr(i, "aria-label")
		if text == "" {
			switch tag {
			case atom.Img, atom.Area:
				if text = r.attr(i, "alt"); text == "" {
					text = r.attr(i, "title")
				}
			case atom.Object, atom.Video, atom.Iframe, atom.Canvas, atom.Input, atom.Slot:
				text = r.attr(i, "title")
			}
		}
		if text != "" {
			b.WriteByte(' ')
			b.WriteString(text)
			b.WriteByte(' ')
		}
		return text != ""
	}
}

func (r *reader) contains(i int, tag atom.Atom) bool {
	for c := i + 1; c < r.o.End(i); c++ {
		if r.left--; r.left < 0 || r.o.Tag(c) == tag {
			return true
		}
	}
	return false
}

func (r *reader) rawText(i int) string {
	if i+1 < r.o.End(i) && r.o.IsText(i+1) {
		return r.o.Text(i + 1)
	}
	return ""
}

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
		if r >= 0x0e00 && isDense(r) {
			t.dense++
		}
		if r == ' ' || r <= '\r' && r >= '\t' || r >= 0x80 && unicode.IsSpace(r) {
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
