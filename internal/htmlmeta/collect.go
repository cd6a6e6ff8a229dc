package htmlmeta

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"golang.org/x/net/html/atom"

	"github.com/amblecrawl/amble/internal/refresh"
	"github.com/amblecrawl/amble/internal/urlkey"
)

// collector holds what was found so far.
type collector struct {
	htmlData bool   // the html element has types of its own
	lateData []Data // those that a later html tag gave it

	links     []rawLink
	hrefs     []byte // of all links, one behind the other
	texts     []byte // likewise
	h1s       []heading
	linkStack []int32 // open links, h1Stack open headings: indexes
	h1Stack   []int32

	items     int32 // links and headings so far
	reordered bool

	title      []byte
	titleState uint8 // 1: the first title is open, 2: it is done
	jsonScript bool
	liveScript bool // the open script is an inline one that runs

	inWord    bool
	textSpace bool
	hashed    hash

	snapshot counts
}

type rawLink struct {
	href, text span
	key        key
	rel        Rel
	area       bool
}

type span struct{ from, to int32 }

type heading struct {
	text []byte
	key  key
}

// counts are the lengths of the lists when the body began.
type counts struct {
	links, h1s, canonicals, robots, alternates, resources, social, data, ids, titles, descriptions int
}

// collect takes from a new element what a page's metadata needs.
func (b *builder) collect(e *element) {
	if e.inTemplate {
		return
	}
	if b.outline != nil {
		b.outlineElement(e)
	}
	if b.hasAttr && b.mayMatter() {
		e.data.from = int32(len(b.doc.Data))
		b.collectAnywhere()
		e.data.to = int32(len(b.doc.Data))
	}
	if e.ns != nsHTML {
		return
	}
	switch e.tag {
	case atom.Html:
		b.htmlAttributes()
		b.htmlData = e.data.to > e.data.from
	case atom.A, atom.Area:
		b.addLink(e)
	case atom.H1:
		if len(b.h1s) >= maxItems {
			b.doc.Partial = true
			return
		}
		b.h1s = append(b.h1s, heading{key: b.key(e.ord)})
		e.h1 = int32(len(b.h1s))
	case atom.Title:
		b.doc.Titles++
		if b.titleState == 0 {
			b.titleState = 1
		} else {
			b.titleState = 2
		}
	case atom.Base:
		if href, ok := b.attr("href"); ok {
			b.doc.Bases++
			if !b.doc.HasBase {
				b.doc.HasBase, b.doc.BaseHref = true, b.value(href)
				b.doc.LinksBeforeBase = len(b.links) > 0 || len(b.doc.Resources) > 0
			}
		}
	case atom.Meta:
		if b.hasAttr {
			b.addMeta(e)
		}
	case atom.Link:
		if b.hasAttr {
			b.addLinkElement(e)
		}
	case atom.Script:
		kind, _ := b.attr("type")
		b.jsonScript = isJSONLD(kind)
		b.seeScript(kind)
		if b.opt.Resources {
			b.addResource(Script, "src")
		}
	case atom.Img:
		if b.opt.LinkText && len(b.linkStack) > 0 {
			if alt, ok := b.attr("alt"); ok {
				b.linkText(alt)
			}
		}
		if b.opt.Resources {
			b.addResource(Image, "src")
			b.addSrcset(Image)
		}
	default:
		if b.opt.Resources && b.hasAttr {
			b.addOtherResource(e)
		}
	}
}

// mayMatter reports whether the tag at hand may have attributes that matter on any element: ids, Microdata, RDFa.
func (b *builder) mayMatter() bool {
	const lengths = 1<<len("itemscope") | 1<<len("typeof")
	return b.opt.IDs || b.z.KeyLengths()&lengths != 0
}

// collectAnywhere looks for what any element may carry.
func (b *builder) collectAnywhere() {
	var itemtype []byte
	scope := false
	for _, a := range b.load() {
		switch string(a.Key) {
		case "id":
			b.addID(a.Value)
		case "name":
			if b.tag == atom.A {
				b.addID(a.Value)
			}
		case "itemscope":
			scope = true
		case "itemtype":
			if itemtype == nil {
				itemtype = a.Value
			}
		case "typeof":
			b.addData(RDFa, a.Value)
		}
	}
	if scope {
		b.addData(Microdata, itemtype)
	}
}

func (b *builder) addID(v []byte) {
	if !b.opt.IDs || len(v) == 0 {
		return
	}
	if len(b.doc.IDs) >= maxLinks {
		b.doc.Partial = true
		return
	}
	b.doc.IDs = append(b.doc.IDs, b.value(v))
}

// copyData adds the types of an element once more, when it is opened again.
func (b *builder) copyData(e *element) {
	for _, d := range b.doc.Data[e.data.from:e.data.to] {
		b.addType(d.Syntax, d.Type)
	}
}

// addData adds the types of a list parted by white space.
func (b *builder) addData(s Syntax, types []byte) {
	for _, t := range bytes.FieldsFunc(types, func(r rune) bool { return strings.ContainsRune(space, r) }) {
		b.addType(s, b.value(t))
	}
}

func (b *builder) addType(s Syntax, t string) {
	if len(b.doc.Data) >= maxItems {
		b.doc.Partial = true
		return
	}
	b.doc.Data = append(b.doc.Data, Data{s, t})
}

// value copies an attribute's value, cut when it is too long.
func (b *builder) value(v []byte) string {
	if len(v) > maxValue {
		b.doc.Partial = true
		v = v[:maxValue]
	}
	return string(v)
}

// mergeHTML takes the attributes of a later html tag that the first one lacked.
func (b *builder) mergeHTML() {
	if b.openTemplates > 0 || !b.hasAttr {
		return
	}
	b.htmlAttributes()
	if !b.htmlData && b.mayMatter() {
		before := len(b.doc.Data)
		b.collectAnywhere()
		b.lateData = append(b.lateData, b.doc.Data[before:]...)
		b.doc.Data = b.doc.Data[:before]
		b.htmlData = len(b.lateData) > 0
	}
}

func (b *builder) htmlAttributes() {
	if b.doc.HasLang || !b.hasAttr {
		return
	}
	if v, ok := b.attr("lang"); ok {
		b.doc.Lang, b.doc.HasLang = b.value(v), true
	}
}

func (b *builder) addLink(e *element) {
	if !b.hasAttr {
		return
	}
	var href, rel []byte
	has, hasRel := false, false
	for _, a := range b.load() {
		switch string(a.Key) {
		case "href":
			if !has {
				href, has = a.Value, true
			}
		case "rel":
			if !hasRel {
				rel, hasRel = a.Value, true
			}
		}
	}
	if !has {
		return
	}
	if len(b.links) >= maxLinks || len(href) > maxValue || len(b.hrefs) > 1<<30 {
		b.doc.Partial = true
		return
	}
	from := int32(len(b.hrefs))
	b.hrefs = append(b.hrefs, href...)
	l := rawLink{href: span{from, int32(len(b.hrefs))}, area: e.tag == atom.Area, key: b.key(e.ord)}
	if len(rel) > 0 {
		l.rel = relOf(rel)
	}
	b.links = append(b.links, l)
	if !l.area {
		e.link = int32(len(b.links))
	}
}

// copyLink adds a link once more, as an anchor that is opened again does.
func (b *builder) copyLink(link int32, k key) int32 {
	if len(b.links) >= maxLinks {
		b.doc.Partial = true
		return link
	}
	l := b.links[link-1]
	l.key, l.text = k, span{}
	b.links = append(b.links, l)
	return int32(len(b.links))
}

func relOf(v []byte) (r Rel) {
	if hasToken(v, "nofollow") {
		r |= Nofollow
	}
	if hasToken(v, "ugc") {
		r |= UGC
	}
	if hasToken(v, "sponsored") {
		r |= Sponsored
	}
	return r
}

func (b *builder) addMeta(e *element) {
	name, hasName := b.attr("name")
	content, hasContent := b.attr("content")
	d := &b.doc
	if property, ok := b.attr("property"); ok && bytes.IndexByte(property, ':') > 0 {
		b.addProperty(property, content, false)
	}
	if hasName {
		switch {
		case equalFold(name, "description"):
			d.Descriptions++
			if d.Descriptions == 1 {
				d.Description, d.HasDescription = b.value(content), hasContent
			}
		case equalFold(name, "viewport"):
			if hasContent {
				d.Viewport, d.HasViewport = b.value(content), true
			}
		case equalFold(name, "generator"):
			if d.Generator == "" {
				d.Generator = b.value(content)
			}
		case b.isBot(name):
			if len(d.Robots) < maxItems {
				d.Robots = append(d.Robots, Robots{strings.ToLower(b.value(name)), b.value(content), e.inHead})
			}
		case bytes.IndexByte(name, ':') > 0:
			b.addProperty(name, content, true)
		}
	}
	if label, ok := b.attr("charset"); ok && d.Charset == "" {
		d.Charset = b.value(label)
	}
	if pragma, ok := b.attr("http-equiv"); ok && hasContent {
		switch {
		case equalFold(pragma, "refresh") && !d.HasRefresh:
			if r, ok := refresh.Parse(b.value(content)); ok {
				d.Refresh, d.HasRefresh = Refresh{Content: b.value(content), Delay: r.Delay, Href: r.URL, HasHref: r.HasURL}, true
			}
		case equalFold(pragma, "content-type") && d.Charset == "":
			d.Charset = labelIn(b.value(content))
		}
	}
}

// isBot reports whether a meta's name is that of robots directives.
func (b *builder) isBot(name []byte) bool {
	if equalFold(name, "robots") {
		return true
	}
	for _, n := range b.opt.Bots {
		if equalFold(name, strings.ToLower(n)) {
			return true
		}
	}
	if len(name) > 200 {
		return false
	}
	s := strings.ToLower(string(name))
	if s == "slurp" || s == "teoma" || s == "yandex" {
		return true
	}
	for _, part := range strings.FieldsFunc(s, func(r rune) bool { return r == '-' || r == '_' || r == ',' || r == ' ' }) {
		if strings.HasSuffix(part, "bot") || strings.HasSuffix(part, "spider") || strings.HasSuffix(part, "crawler") {
			return true
		}
	}
	return false
}

func (b *builder) addProperty(name, content []byte, byName bool) {
	if len(b.doc.Social) < maxItems {
		b.doc.Social = append(b.doc.Social, Property{b.value(name), b.value(content), byName})
	}
}

func (b *builder) addLinkElement(e *element) {
	rel, _ := b.attr("rel")
	if len(rel) == 0 {
		return
	}
	href, has := b.attr("href")
	d := &b.doc
	if hasToken(rel, "canonical") && len(d.Canonicals) < maxItems {
		d.Canonicals = append(d.Canonicals, Canonical{Href: b.value(href), HasHref: has, InHead: e.inHead})
	}
	if hasToken(rel, "alternate") && len(d.Alternates) < maxItems {
		if lang, ok := b.attr("hreflang"); ok {
			d.Alternates = append(d.Alternates, Alternate{Lang: b.value(lang), Href: b.value(href), HasHref: has, InHead: e.inHead})
		}
	}
	if !b.opt.Resources || !has {
		return
	}
	switch {
	case hasToken(rel, "stylesheet"):
		b.addResource(Style, "href")
	case hasToken(rel, "icon"), hasToken(rel, "apple-touch-icon"):
		b.addResource(Icon, "href")
	case hasToken(rel, "preload"), hasToken(rel, "modulepreload"):
		b.addResource(Preload, "href")
	case hasToken(rel, "manifest"):
		b.addResource(Manifest, "href")
	}
}

func (b *builder) addResource(k Kind, name string) {
	v, ok := b.attr(name)
	v = bytes.Trim(v, space)
	if !ok || len(v) == 0 || len(v) > maxValue && equalFold(v[:5], "data:") { // a large one is no file, and not missed
		return
	}
	b.resource(k, b.value(v))
}

func (b *builder) resource(k Kind, href string) {
	if len(b.doc.Resources) >= maxResources {
		b.doc.Partial = true
		return
	}
	b.doc.Resources = append(b.doc.Resources, Resource{Kind: k, Href: href})
}

// addSrcset adds the candidates of srcset (HTML 4.8.4.4.6): a URL may hold commas, but not end in one.
func (b *builder) addSrcset(k Kind) {
	v, ok := b.attr("srcset")
	if !ok {
		return
	}
	for s := b.value(v); ; {
		s = strings.TrimLeft(s, space+",")
		if s == "" {
			return
		}
		end := strings.IndexAny(s, space)
		if end < 0 {
			end = len(s)
		}
		candidate := s[:end]
		s = s[end:]
		if trimmed := strings.TrimRight(candidate, ","); trimmed != candidate {
			b.resource(k, trimmed)
			continue
		}
		b.resource(k, candidate)
		depth := 0
		for end = 0; end < len(s); end++ { // the descriptors end at a comma outside parentheses
			if s[end] == '(' {
				depth++
			} else if s[end] == ')' && depth > 0 {
				depth--
			} else if s[end] == ',' && depth == 0 {
				break
			}
		}
		s = s[end:]
	}
}

func (b *builder) addOtherResource(e *element) {
	switch e.tag {
	case atom.Iframe, atom.Frame:
		b.addResource(Frame, "src")
	case atom.Source:
		b.addResource(Media, "src")
		b.addSrcset(Image)
	case atom.Video:
		b.addResource(Media, "src")
		b.addResource(Image, "poster")
	case atom.Audio, atom.Track:
		b.addResource(Media, "src")
	case atom.Embed:
		b.addResource(Object, "src")
	case atom.Object:
		b.addResource(Object, "data")
	case atom.Input:
		if v, _ := b.attr("type"); equalFold(v, "image") {
			b.addResource(Image, "src")
		}
	case atom.Form:
		b.addResource(Form, "action")
	}
}

// headEndedBy notes what ended the head early; an empty name stands for the tag at hand.
func (b *builder) headEndedBy(name string) {
	if b.doc.HeadEndedBy != "" || b.openTemplates > 0 {
		return
	}
	if name == "" {
		name = string(b.name[:min(len(b.name), 100)])
	}
	b.doc.HeadEndedBy = name
}

// bodyBegins and bodyRemoved serve a frameset that takes the place of a body without text: what stood there is gone.
func (b *builder) bodyBegins() { b.snapshot = b.counts() }

func (b *builder) counts() counts {
	d := &b.doc
	return counts{
		len(b.links), len(b.h1s), len(d.Canonicals), len(d.Robots), len(d.Alternates), len(d.Resources), len(d.Social),
		len(d.Data), len(d.IDs), d.Titles, d.Descriptions,
	}
}

func (b *builder) bodyRemoved() {
	d, s := &b.doc, b.snapshot
	b.links, b.h1s = b.links[:s.links], b.h1s[:s.h1s]
	d.Canonicals, d.Robots, d.Alternates = d.Canonicals[:s.canonicals], d.Robots[:s.robots], d.Alternates[:s.alternates]
	d.Resources, d.Social, d.Data, d.IDs = d.Resources[:s.resources], d.Social[:s.social], d.Data[:s.data], d.IDs[:s.ids]
	d.Titles, d.Descriptions = s.titles, s.descriptions
	if d.Titles == 0 {
		b.title, b.titleState = nil, 0
	}
	if d.Descriptions == 0 {
		d.Description, d.HasDescription = "", false
	}
	b.active = b.active[:0]
}

// finish turns what was collected into the document.
func (b *builder) finish() {
	d := &b.doc
	d.Title = string(trimmed(b.title))
	d.TextSize, d.TextHash = b.hashed.size, b.hashed.sum()
	if b.reordered {
		slices.SortStableFunc(b.links, func(x, y rawLink) int { return x.key.compare(y.key) })
		slices.SortStableFunc(b.h1s, func(x, y heading) int { return x.key.compare(y.key) })
	}
	for _, h := range b.h1s {
		d.H1 = append(d.H1, string(trimmed(h.text)))
	}
	d.Links = slices.Grow(d.Links, len(b.links))[:len(b.links)]
	hrefs, texts := string(b.hrefs), string(b.texts)
	for i, l := range b.links {
		d.Links[i] = Link{Href: hrefs[l.href.from:l.href.to], Rel: l.rel, Area: l.area}
		if l.text.to > l.text.from {
			d.Links[i].Text = strings.TrimSuffix(texts[l.text.from:l.text.to], " ")
		}
	}
	if len(b.lateData) > 0 {
		d.Data = append(b.lateData, d.Data...) // the html element comes first
	}
	b.resolve()
	if b.outline != nil {
		d.Outline = b.outline.finish(b.stack)
	}
}

// resolve fills in the URLs, now that the base is known.
func (b *builder) resolve() {
	d, opt := &b.doc, &b.opt
	d.Base = opt.URL
	if opt.URL.IsZero() {
		return
	}
	if d.HasBase {
		base, err := urlkey.Resolve(opt.URL, d.BaseHref)
		if err == nil && base.Scheme() != "data" && base.Scheme() != "javascript" {
			d.Base = base
		}
	}
	url := func(href string) urlkey.URL {
		u, _ := urlkey.Resolve(d.Base, href)
		return u
	}
	for i := range d.Canonicals {
		if c := &d.Canonicals[i]; c.HasHref {
			c.URL = url(c.Href)
		}
	}
	for i := range d.Alternates {
		if a := &d.Alternates[i]; a.HasHref {
			a.URL = url(a.Href)
		}
	}
	for i := range d.Links {
		d.Links[i].URL = url(d.Links[i].Href)
	}
	for i := range d.Resources {
		d.Resources[i].URL = url(d.Resources[i].Href)
	}
	if d.HasRefresh {
		d.Refresh.URL = opt.URL
		if d.Refresh.HasHref {
			d.Refresh.URL = url(d.Refresh.Href)
		}
	}
}

// order says that an element was moved before a table: a is the place of the table, b that of a table within what was
// moved. Zero: it stands where the source has it.
type order struct{ a, b int32 }

// key sorts items into document order.
type key struct{ a, b, c int32 }

func (k key) compare(o key) int {
	return cmp.Or(cmp.Compare(k.a, o.a), cmp.Compare(k.b, o.b), cmp.Compare(k.c, o.c))
}

// key gives the next item its place.
func (b *builder) key(o order) key {
	i := b.items
	b.items++
	if o.a == 0 {
		return key{2*i + 3, 0, 0}
	}
	b.reordered = true
	if o.b == 0 {
		return key{o.a, 2*i + 3, 0}
	}
	return key{o.a, o.b, i}
}

// before is the place right before an open element.
func (b *builder) before(e *element) order {
	switch {
	case e.ord.a == 0:
		return order{a: 2*e.mark + 2}
	case e.ord.b == 0:
		return order{a: e.ord.a, b: 2*e.mark + 2}
	}
	return e.ord
}

func (b *builder) keyBefore(e *element) key { return b.key(b.before(e)) }
