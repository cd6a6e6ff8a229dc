package sitemapxml

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/amblecrawl/amble/internal/urlkey"
)

const (
	defaultPriority = 0.5 // sitemaps.org
	maxDepth        = 64  // open elements that are looked at; deeper ones are passed over
	maxBindings     = 256
	maxExtensions   = 1000    // images, videos or alternates of one entry (Google's limit for images)
	maxExtensionLen = 1 << 20 // bytes of all extensions of one entry
)

// role is what an element means where it stands.
type role uint8

const (
	roleNone role = iota // nothing: passed over with all that is in it
	roleRoot
	roleChannel // of RSS
	roleEntry
	roleImage
	roleVideo
	roleNews
	rolePublication
	roleField // holds a value
)

// field names a value of an entry.
type field uint8

const (
	fieldLoc field = iota + 1
	fieldLastMod
	fieldPublished // of Atom, used where updated is missing
	fieldChangeFreq
	fieldPriority
	fieldImageLoc
	fieldImageCaption
	fieldImageTitle
	fieldVideoThumbnail
	fieldVideoTitle
	fieldVideoDescription
	fieldVideoContent
	fieldVideoPlayer
	fieldVideoDuration
	fieldVideoDate
	fieldNewsName
	fieldNewsLanguage
	fieldNewsTitle
	fieldNewsDate
)

// child is an element by its namespace and local name.
type child struct {
	space space
	local string
}

// The values that may stand in an extension or in its publication.
var extensionFields = map[role]map[child]field{
	roleImage: {
		{spaceImage, "loc"}:     fieldImageLoc,
		{spaceImage, "caption"}: fieldImageCaption,
		{spaceImage, "title"}:   fieldImageTitle,
	},
	roleVideo: {
		{spaceVideo, "thumbnail_loc"}:    fieldVideoThumbnail,
		{spaceVideo, "title"}:            fieldVideoTitle,
		{spaceVideo, "description"}:      fieldVideoDescription,
		{spaceVideo, "content_loc"}:      fieldVideoContent,
		{spaceVideo, "player_loc"}:       fieldVideoPlayer,
		{spaceVideo, "duration"}:         fieldVideoDuration,
		{spaceVideo, "publication_date"}: fieldVideoDate,
	},
	roleNews: {
		{spaceNews, "title"}:            fieldNewsTitle,
		{spaceNews, "publication_date"}: fieldNewsDate,
	},
	rolePublication: {
		{spaceNews, "name"}:     fieldNewsName,
		{spaceNews, "language"}: fieldNewsLanguage,
	},
}

type frame struct {
	name     string
	role     role
	field    field
	bindings int // in force outside of the element
}

// document is the state of reading one XML file.
type document struct {
	*Scanner
	z         *tokenizer
	stack     []frame
	deeper    int // elements below maxDepth that are open
	bindings  []binding
	rootSpace space
	rootURI   string
	closed    bool // the root element ended
	rootBase  urlkey.URL

	// The entry that is open.
	entry     Entry
	loc       loc
	hasLoc    bool
	values    [fieldPriority + 1]string
	text      []byte // of the field that is open
	textBad   bool
	textLong  bool
	entryBase urlkey.URL
	extension int // bytes kept in extensions

	names map[string]string // interned, so that common names cost nothing
}

func (s *Scanner) scanXML() {
	d := &document{Scanner: s, names: make(map[string]string)}
	d.z = newTokenizer(s.in, func(detail string) {
		s.line = d.z.line
		s.report(XML, detail)
	})
	for !s.stopped {
		kind := d.z.next()
		s.line = d.z.line
		switch kind {
		case tokenOpen:
			d.open()
			if d.z.empty && !s.stopped {
				d.close()
			}
		case tokenClose:
			d.closeNamed()
		case tokenText:
			d.chars()
		case tokenEnd:
			s.blank = !d.z.marked && s.format == Unknown && s.Count(XML) == 0
			if d.z.readErr != nil && s.in.source.err == nil {
				s.end(d.closed && !d.z.cut)
			} else {
				s.end(false)
			}
			return
		}
	}
}

// chars takes a piece of text.
func (d *document) chars() {
	top := d.top()
	if top == nil || top.role != roleField || d.deeper > 0 {
		if top == nil && len(bytes.TrimSpace(d.z.text)) > 0 {
			d.report(XML, "text outside of the root element")
		}
		return
	}
	d.textBad = d.textBad || d.z.badText
	room := maxField - len(d.text)
	if len(d.z.text) > room {
		d.textLong = true
		d.text = append(d.text, d.z.text[:room]...)
		return
	}
	d.text = append(d.text, d.z.text...)
}

func (d *document) top() *frame {
	if len(d.stack) == 0 {
		return nil
	}
	return &d.stack[len(d.stack)-1]
}

// intern returns name as a string, without an allocation when it was seen before.
func (d *document) intern(name []byte) string {
	if s, ok := d.names[string(name)]; ok {
		return s
	}
	s := string(name)
	if len(d.names) < 1000 {
		d.names[s] = s
	}
	return s
}

// open takes a start tag.
func (d *document) open() {
	if len(d.stack) >= maxDepth {
		d.deeper++
		return
	}
	outside := len(d.bindings)
	d.bind()
	prefix, local := splitName(d.z.name)
	space := d.lookup(prefix)
	if d.closed {
		d.report(XML, "a second root element")
		d.stopped = true
		return
	}
	d.repair(space, local)
	f := frame{name: d.intern(d.z.name), bindings: outside}
	if top := d.top(); top == nil {
		if !d.root(prefix, local, space) {
			return
		}
		f.role = roleRoot
	} else {
		f.role, f.field = d.meaning(top, space, local)
	}
	if d.stopped {
		return
	}
	if f.role == roleField {
		d.text, d.textBad, d.textLong = d.text[:0], false, false
	}
	d.stack = append(d.stack, f)
}

// bind puts the xmlns attributes of a tag in force.
func (d *document) bind() {
	for _, a := range d.z.attrs {
		prefix, local := splitName(a.name)
		switch {
		case string(a.name) == "xmlns":
			local = nil
		case string(prefix) != "xmlns":
			continue
		}
		if len(d.bindings) == maxBindings {
			d.report(Namespace, "too many namespace declarations")
			return
		}
		uri := d.intern(a.value)
		space, exact := spaceOf(uri)
		if !exact {
			d.report(Namespace, "namespace "+strconv.Quote(uri)+" is not spelt as the format wants it")
		}
		if space == spaceOther && d.rootURI != "" && uri == d.rootURI {
			space = spaceRoot
		}
		d.bindings = append(d.bindings, binding{prefix: d.intern(local), uri: uri, space: space})
	}
}

func (d *document) lookup(prefix []byte) space {
	for i := len(d.bindings) - 1; i >= 0; i-- {
		if d.bindings[i].prefix == string(prefix) {
			return d.bindings[i].space
		}
	}
	if len(prefix) == 0 {
		return spaceNone
	}
	if string(prefix) == "xml" {
		return spaceOther
	}
	d.report(Namespace, "prefix "+string(prefix)+" is not declared")
	return spaceOfPrefix(string(prefix))
}

// root takes the root element; false when it is none that can be read.
func (d *document) root(prefix, local []byte, space space) bool {
	want := spaceSitemap
	switch string(local) {
	case "urlset":
		d.format = URLSet
	case "sitemapindex":
		d.format = Index
		if d.o.Listed {
			d.report(NestedIndex, "an index must list sitemaps, not indexes")
		}
	case "feed":
		d.format, want = Atom, spaceAtom
	case "rss":
		d.format, want = RSS, spaceNone
	default:
		d.report(Root, "the root element is <"+string(d.z.name)+">")
		d.stopped = true
		return false
	}
	if space != want {
		d.report(Namespace, "the root element is not in the namespace of its format")
	}
	if space == spaceOther {
		space = spaceRoot
		for i := range d.bindings {
			if d.bindings[i].prefix == string(prefix) {
				d.rootURI = d.bindings[i].uri
			}
		}
		for i := range d.bindings {
			if d.bindings[i].uri == d.rootURI {
				d.bindings[i].space = spaceRoot
			}
		}
	}
	d.rootSpace = space
	d.rootBase = d.base(d.here)
	return true
}

// own tells whether an element is one of the format itself and not of an extension: in the namespace of the root
// element or, where the author lost it, in none or in the right one.
func (d *document) own(s space) bool {
	if s == d.rootSpace {
		return true
	}
	lost := s == spaceNone || s == spaceSitemap && (d.format == URLSet || d.format == Index) ||
		s == spaceAtom && d.format == Atom
	if lost && d.format != RSS {
		d.report(Namespace, "elements are not in the namespace of the root element")
	}
	return lost && (d.format != RSS || s == spaceNone)
}

// entryName returns the local name of an entry.
func (f Format) entryName() string {
	switch f {
	case Index:
		return "sitemap"
	case URLSet:
		return "url"
	case RSS:
		return "item"
	}
	return "entry"
}

// meaning tells what an element is, by the element that it stands in.
func (d *document) meaning(parent *frame, space space, local []byte) (role, field) {
	switch parent.role {
	case roleRoot, roleChannel:
		if d.format == RSS && parent.role == roleRoot {
			if string(local) == "channel" && d.own(space) {
				return roleChannel, 0
			}
			return roleNone, 0
		}
		if string(local) == d.format.entryName() && d.own(space) && d.begin() {
			d.startEntry()
			return roleEntry, 0
		}
	case roleEntry:
		return d.inEntry(space, local)
	case roleImage, roleVideo, roleNews, rolePublication:
		if parent.role == roleNews && space == spaceNews && string(local) == "publication" {
			return rolePublication, 0
		}
		if f := extensionFields[parent.role][child{space, d.intern(local)}]; f != 0 {
			return roleField, f
		}
	}
	return roleNone, 0
}

func (d *document) startEntry() {
	d.entry = Entry{Priority: defaultPriority, Line: d.line}
	d.loc, d.hasLoc, d.extension = loc{}, false, 0
	d.values = [fieldPriority + 1]string{}
	d.entryBase = d.base(d.rootBase)
}

// base returns the base URL inside the element of the tag at hand (XML Base), for Atom.
func (d *document) base(outer urlkey.URL) urlkey.URL {
	if d.format != Atom {
		return urlkey.URL{}
	}
	if a := d.attr("xml:base"); a != nil {
		if u := resolveURL(outer, string(a.value)); !u.IsZero() {
			return u
		}
	}
	return outer
}

func (d *document) attr(name string) *attr {
	for i := range d.z.attrs {
		if string(d.z.attrs[i].name) == name {
			return &d.z.attrs[i]
		}
	}
	return nil
}

// inEntry tells what a child of an entry is.
func (d *document) inEntry(space space, local []byte) (role, field) {
	if d.format == URLSet || d.format == Index {
		switch space {
		case spaceImage:
			if string(local) == "image" && d.extend(len(d.entry.Images)) {
				d.entry.Images = append(d.entry.Images, Image{})
				return roleImage, 0
			}
			return roleNone, 0
		case spaceVideo:
			if string(local) == "video" && d.extend(len(d.entry.Videos)) {
				d.entry.Videos = append(d.entry.Videos, Video{})
				return roleVideo, 0
			}
			return roleNone, 0
		case spaceNews:
			if string(local) == "news" && d.entry.News == nil {
				d.entry.News = &News{}
				return roleNews, 0
			}
			return roleNone, 0
		case spaceXHTML:
			if string(local) == "link" {
				d.alternate()
			}
			return roleNone, 0
		}
	}
	f := d.ownField(local)
	if f == 0 && !(d.format == Atom && string(local) == "link") || !d.own(space) {
		return roleNone, 0
	}
	if f == 0 {
		d.atomLink()
		return roleNone, 0
	}
	return roleField, f
}

// ownField returns the value that a child of an entry holds in the format at hand.
func (d *document) ownField(local []byte) field {
	switch d.format {
	case RSS:
		switch string(local) {
		case "link":
			return fieldLoc
		case "pubDate":
			return fieldLastMod
		}
	case Atom:
		switch string(local) {
		case "updated":
			return fieldLastMod
		case "published":
			return fieldPublished
		}
	default:
		switch string(local) {
		case "loc":
			return fieldLoc
		case "lastmod":
			return fieldLastMod
		case "changefreq":
			return fieldChangeFreq
		case "priority":
			return fieldPriority
		}
	}
	return 0
}

// extend tells whether the entry may have one more extension of a sort.
func (d *document) extend(have int) bool {
	if have < maxExtensions && d.extension < maxExtensionLen {
		return true
	}
	d.report(BadExtension, "too many extensions in one entry")
	return false
}

// alternate takes an xhtml:link.
func (d *document) alternate() {
	rel, lang, href := d.attr("rel"), d.attr("hreflang"), d.attr("href")
	if rel != nil && !hasToken(string(rel.value), "alternate") || !d.extend(len(d.entry.Alternates)) {
		return
	}
	if rel == nil || lang == nil || href == nil {
		d.report(BadExtension, "a link of an alternate needs rel, hreflang and href")
		return
	}
	u := parseURL(string(href.value))
	if href.bad || d.badText(string(href.value)) {
		return
	}
	if u.IsZero() {
		d.report(BadExtension, "alternate "+string(href.value))
		return
	}
	code := strings.TrimSpace(string(lang.value))
	d.extension += len(u.String()) + len(code)
	d.entry.Alternates = append(d.entry.Alternates, Alternate{Lang: code, URL: u.String()})
}

// atomLink takes a link of an Atom entry: the first alternate is its address (RFC 4287 section 4.2.7.2).
func (d *document) atomLink() {
	rel, href := d.attr("rel"), d.attr("href")
	if d.hasLoc || rel != nil && string(rel.value) != "alternate" || href == nil {
		return
	}
	text := string(href.value)
	d.hasLoc = true
	d.loc = loc{text: text, base: d.base(d.entryBase), bad: href.bad || d.badText(text), long: len(text) > maxField}
}

func hasToken(list, token string) bool {
	for word := range strings.FieldsSeq(list) {
		if strings.EqualFold(word, token) {
			return true
		}
	}
	return false
}

// repair closes what an author forgot to close: a value before the next value, an entry before the next entry.
func (d *document) repair(space space, local []byte) {
	entry := 1
	if d.format == RSS {
		entry = 2
	}
	if len(d.stack) <= entry || d.stack[entry].role != roleEntry || space == spaceUnbound {
		return
	}
	if string(local) == d.format.entryName() && space == d.rootSpace {
		d.report(XML, "an entry without its end tag")
		d.closeTo(entry)
		return
	}
	if len(d.stack) == entry+2 && d.top().role == roleField && space == d.rootSpace && d.ownField(local) != 0 {
		d.report(XML, "<"+d.top().name+"> without its end tag")
		d.close()
	}
}

// closeNamed takes an end tag.
func (d *document) closeNamed() {
	if d.deeper > 0 {
		d.deeper--
		return
	}
	for i := len(d.stack) - 1; i >= 0; i-- {
		if d.stack[i].name == string(d.z.name) {
			if i < len(d.stack)-1 {
				d.report(XML, "<"+d.top().name+"> without its end tag")
			}
			d.closeTo(i)
			return
		}
	}
	d.report(XML, "end tag </"+string(d.z.name)+"> without its start tag")
}

// closeTo closes the open elements down to and with the one at index i.
func (d *document) closeTo(i int) {
	for len(d.stack) > i && !d.stopped {
		d.close()
	}
}

// close ends the innermost element.
func (d *document) close() {
	if d.deeper > 0 {
		d.deeper--
		return
	}
	f := *d.top()
	d.stack = d.stack[:len(d.stack)-1]
	d.bindings = d.bindings[:f.bindings]
	switch f.role {
	case roleField:
		d.set(f.field)
	case roleImage:
		if last := len(d.entry.Images) - 1; d.entry.Images[last].Loc == "" {
			d.report(BadExtension, "an image without an address")
			d.entry.Images = d.entry.Images[:last]
		}
	case roleEntry:
		d.finish()
	case roleRoot:
		d.closed = true
	}
}

// finish judges the entry that ended.
func (d *document) finish() {
	date := d.values[fieldLastMod]
	if d.format == Atom && strings.TrimSpace(date) == "" {
		date = d.values[fieldPublished]
	}
	d.entry.LastMod = d.lastMod(date)
	switch frequency := strings.TrimSpace(d.values[fieldChangeFreq]); frequency {
	case "", "always", "hourly", "daily", "weekly", "monthly", "yearly", "never":
		d.entry.ChangeFreq = frequency
	default:
		d.report(BadChangeFreq, frequency)
	}
	if written := strings.TrimSpace(d.values[fieldPriority]); written != "" {
		if p, ok := parsePriority(written); ok {
			d.entry.Priority, d.entry.HasPriority = p, true
		} else {
			d.report(BadPriority, written)
		}
	}
	d.accept(d.loc, &d.entry)
}

// parsePriority reads a decimal number from 0 to 1 in the form of XML Schema: no exponent, no names.
func parsePriority(s string) (p float64, ok bool) {
	if strings.Trim(s, "0123456789.+-") != "" {
		return 0, false
	}
	p, err := strconv.ParseFloat(s, 64)
	return p, err == nil && p >= 0 && p <= 1
}

// set stores the value of the field that ended.
func (d *document) set(f field) {
	value := string(d.text)
	if f == fieldLoc {
		if !d.hasLoc {
			d.hasLoc = true
			d.loc = loc{text: value, bad: d.badText(value) || d.textBad, long: d.textLong}
		}
		return
	}
	if d.badText(value) || d.textBad {
		value = ""
	}
	if f <= fieldPriority {
		if d.values[f] == "" {
			d.values[f] = value
		}
		return
	}
	value = strings.TrimSpace(value)
	if d.extension += len(value); d.extension > maxExtensionLen {
		d.report(BadExtension, "too many extensions in one entry")
		return
	}
	d.setExtension(f, value)
}

func (d *document) setExtension(f field, value string) {
	var image *Image
	if n := len(d.entry.Images); n > 0 {
		image = &d.entry.Images[n-1]
	}
	var video *Video
	if n := len(d.entry.Videos); n > 0 {
		video = &d.entry.Videos[n-1]
	}
	news := d.entry.News
	switch f {
	case fieldImageLoc:
		image.Loc = d.mediaURL(value)
	case fieldImageCaption:
		image.Caption = value
	case fieldImageTitle:
		image.Title = value
	case fieldVideoThumbnail:
		video.ThumbnailLoc = d.mediaURL(value)
	case fieldVideoTitle:
		video.Title = value
	case fieldVideoDescription:
		video.Description = value
	case fieldVideoContent:
		video.ContentLoc = d.mediaURL(value)
	case fieldVideoPlayer:
		video.PlayerLoc = d.mediaURL(value)
	case fieldVideoDuration:
		video.Duration = value
	case fieldVideoDate:
		video.PublicationDate = value
	case fieldNewsName:
		news.Name = value
	case fieldNewsLanguage:
		news.Language = value
	case fieldNewsTitle:
		news.Title = value
	case fieldNewsDate:
		news.PublicationDate = value
	}
}

// mediaURL normalises the address of an image or video; "" when it is none.
func (d *document) mediaURL(value string) string {
	u := parseURL(value)
	if u.IsZero() {
		if value != "" {
			d.report(BadExtension, value)
		}
		return ""
	}
	return u.String()
}
