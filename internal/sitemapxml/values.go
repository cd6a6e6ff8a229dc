package sitemapxml

import (
	"strconv"
	"strings"

	"github.com/amblecrawl/amble/internal/urlkey"
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
