package challenge

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html/atom"

	"github.com/amblecrawl/amble/internal/htmltoken"
)

// page is the structure of a body. It comes from the tokenizer alone, which is linear in the input: a tree could be
// made to cost far more than the bytes it is made of.
type page struct {
	ids        map[string]string // id → tag
	tokens     map[string]bool   // classes and ids, lower case
	sources    []source          // addresses of scripts, frames, style sheets, forms and refreshes
	code       []string          // inline scripts
	json       map[string]string // id → content of data scripts (application/json)
	title, h1  string
	plain      strings.Builder // visible text, at most maxPlain bytes, for the few marks that stand in text
	text       int             // bytes of visible text, white space folded
	links      int             // a[href]
	scripts    int
	media      int // img, picture, video, svg, canvas, iframe, object
	headings   int
	fields     int // fields that a person fills in
	passwords  int
	forms      []form
	widgets    []widget // captcha widgets
	paywalled  bool
	onlyText   bool // of all this only text is wanted
	adblockKey bool
}

type source struct{ tag, url string }

type form struct {
	fields int // that a person fills in
	widget bool
	action string
}

type widget struct {
	vendor string
	inForm bool
}

const (
	// thinText is the visible text, in bytes, from which a page has content of its own.
	thinText = 600
	// thinErrorText is the same for pages with an error status: block pages explain themselves at length.
	thinErrorText = 2500
	maxPlain      = 4 << 10
)

// thin reports that the page has no content of its own, so that a mark in it is what the page is about.
func (p *page) thin(status int) bool {
	if status >= 400 {
		return p.text < thinErrorText
	}
	return p.text < thinText
}

// blank reports that a reader would see nothing.
func (p *page) blank() bool {
	return p.text == 0 && p.media == 0 && p.fields == 0 && p.links == 0
}

func (p *page) has(id string) bool { _, ok := p.ids[id]; return ok }

// source returns the first address, of an element with one of the tags, that holds part.
func (p *page) source(tags, part string) string {
	for _, s := range p.sources {
		if strings.Contains(s.url, part) && strings.Contains(" "+tags+" ", " "+s.tag+" ") {
			return s.url
		}
	}
	return ""
}

// inline reports whether an inline script holds one of the texts.
func (p *page) inline(texts ...string) bool {
	for _, code := range p.code {
		for _, text := range texts {
			if strings.Contains(code, text) {
				return true
			}
		}
	}
	return false
}

// assigns reports whether an inline script assigns to the name, as a variable or a property.
func (p *page) assigns(name string) bool {
	for _, code := range p.code {
		rest := code
		for {
			i := strings.Index(rest, name)
			if i < 0 {
				break
			}
			before := byte(' ')
			if i > 0 {
				before = rest[i-1]
			}
			after := strings.TrimLeft(rest[i+len(name):], " \t\r\n\"']")
			if !nameByte(before) && strings.HasPrefix(after, "=") && !strings.HasPrefix(after, "==") {
				return true
			}
			rest = rest[i+len(name):]
		}
	}
	return false
}

func nameByte(b byte) bool {
	return b == '_' || b == '$' || b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z'
}

// hidden counts the open elements whose text is not seen.
type hidden struct{ title, noscript, template, sel, svg, iframe, noframes, object int }

func (h *hidden) any() bool { return *h != hidden{} }

// of gives the count for a tag; nil for one that hides nothing. A title hides its text only where it is not the page's.
func (h *hidden) of(tag string) *int {
	switch tag {
	case "noscript":
		return &h.noscript
	case "template":
		return &h.template
	case "select":
		return &h.sel
	case "svg":
		return &h.svg
	case "iframe":
		return &h.iframe
	case "noframes":
		return &h.noframes
	case "object":
		return &h.object
	}
	return nil
}

// parse reads a body. With enough above zero it stops where that much text was seen: the page is not thin then, whatever
// follows.
func parse(body []byte, enough int) *page {
	p := &page{ids: map[string]string{}, tokens: map[string]bool{}, json: map[string]string{}}
	p.plain.Grow(thinText + thinText/4)
	p.read(body, enough)
	return p
}

// hasText reports whether a body has so much visible text. It is parse without all that is of interest only in a page that
// has not.
func hasText(body []byte, enough int) bool {
	p := page{onlyText: true}
	p.read(body, enough)
	return p.text >= enough
}

func (p *page) read(body []byte, enough int) {
	var (
		z       htmltoken.Tokenizer
		hides   hidden
		openH1  bool
		inTitle bool
		raw     string // the script being read: its type and id
		rawID   string
		inRaw   bool
		inForm  bool
	)
	z.Reset(body, MaxBody)
	for {
		switch k := z.Next(); k {
		case htmltoken.End:
			return
		case htmltoken.Text:
			switch {
			case inRaw && p.onlyText:
			case inRaw:
				p.script(raw, rawID, z.Text())
			case inTitle:
				p.title += string(z.Text())
			case !hides.any():
				text := z.Text()
				p.see(text)
				if enough > 0 && p.text >= enough {
					return
				}
				if openH1 {
					p.h1 += string(text)
				}
			}
		case htmltoken.Start, htmltoken.SelfClosing:
			tag, attrs := nameOf(&z), attributes(nil)
			if hides.template > 0 && tag != "template" {
				if tag == "script" || tag == "style" {
					inRaw, raw, rawID = true, "inert", ""
				}
				continue
			}
			if z.HasAttrs() && !p.onlyText {
				attrs, _ = z.Attrs()
			}
			switch tag {
			case "script":
				p.scripts++
				inRaw, raw, rawID = true, strings.ToLower(attrs.get("type")), attrs.get("id")
			case "style":
				inRaw, raw, rawID = true, "style", ""
			case "title":
				inTitle = hides.svg == 0 && p.title == ""
				if !inTitle {
					hides.title++
				}
			case "h1":
				openH1 = true
				p.headings++
			case "h2", "h3":
				p.headings++
			case "form":
				inForm = true
				p.forms = append(p.forms, form{action: attrs.get("action")})
			default:
				if n := hides.of(tag); n != nil {
					*n++
				}
			}
			if !p.onlyText {
				p.element(tag, attrs, inForm, hides.noscript > 0)
			}
		case htmltoken.EndTag:
			switch tag := nameOf(&z); tag {
			case "script", "style":
				inRaw = false
			case "title":
				if inTitle {
					inTitle = false
				} else if hides.title > 0 {
					hides.title--
				}
			case "h1":
				openH1 = false
			case "form":
				inForm = false
			default:
				if n := hides.of(tag); n != nil && *n > 0 {
					*n--
				}
			}
		}
	}
}

// nameOf gives the name of the tag at hand; it copies none that HTML knows.
func nameOf(z *htmltoken.Tokenizer) string {
	name := z.Name()
	if a := atom.Lookup(name); a != 0 {
		return a.String()
	}
	return string(name)
}

// attributes are those of one tag.
type attributes []htmltoken.Attr

func (a attributes) lookup(name string) ([]byte, bool) {
	for i := range a {
		if string(a[i].Key) == name {
			return a[i].Value, true
		}
	}
	return nil, false
}

func (a attributes) get(name string) string {
	v, _ := a.lookup(name)
	return string(v)
}

// see counts visible text, white space folded.
func (p *page) see(text []byte) {
	if p.onlyText {
		p.text += textSize(text)
		return
	}
	for word := range bytes.FieldsSeq(text) {
		p.text += len(word) + 1
		if p.plain.Len() < maxPlain {
			p.plain.Write(word)
			p.plain.WriteByte(' ')
		}
	}
}

// textSize is what see adds.
func textSize(text []byte) (n int) {
	inWord := false
	for _, c := range text {
		switch {
		case c >= utf8.RuneSelf: // it may be a space
			n = 0
			for word := range bytes.FieldsSeq(text) {
				n += len(word) + 1
			}
			return n
		case c == ' ' || '\t' <= c && c <= '\r':
			inWord = false
			continue
		case !inWord:
			inWord = true
			n++
		}
		n++
	}
	return n
}

func (p *page) script(kind, id string, text []byte) {
	switch {
	case kind == "inert" || kind == "style":
	case strings.Contains(kind, "ld+json"):
		p.paywalled = p.paywalled || notFree.Match(text) && notFreeJSON(text)
	case strings.Contains(kind, "json"):
		if id != "" {
			p.json[id] = string(text)
		}
	case kind == "" || strings.Contains(kind, "javascript") || kind == "module" || strings.Contains(kind, "ecmascript"):
		p.code = append(p.code, string(text))
	}
}

var notFree = regexp.MustCompile(`(?i)"isAccessibleForFree"\s*:\s*("?false"?|"[^"]*/false")`)

// notFreeJSON looks for isAccessibleForFree: false anywhere in the data, whatever its nesting. Data that is not valid
// JSON is judged by its text.
func notFreeJSON(text []byte) bool {
	var v any
	if json.Unmarshal(text, &v) != nil {
		return true
	}
	return findNotFree(v, 0)
}

func findNotFree(v any, depth int) bool {
	if depth > 32 {
		return false
	}
	switch v := v.(type) {
	case map[string]any:
		for key, value := range v {
			if strings.EqualFold(key, "isAccessibleForFree") {
				switch value := value.(type) {
				case bool:
					if !value {
						return true
					}
				case string:
					if s := strings.ToLower(strings.TrimSpace(value)); s == "false" || strings.HasSuffix(s, "schema.org/false") {
						return true
					}
				}
				continue
			}
			if findNotFree(value, depth+1) {
				return true
			}
		}
	case []any:
		for _, value := range v {
			if findNotFree(value, depth+1) {
				return true
			}
		}
	}
	return false
}

// element notes what an element tells by being there.
func (p *page) element(tag string, attrs attributes, inForm, noscript bool) {
	if id := attrs.get("id"); id != "" {
		if _, ok := p.ids[id]; !ok {
			p.ids[id] = tag
		}
		p.tokens[strings.ToLower(id)] = true
	}
	for class := range strings.FieldsSeq(attrs.get("class")) {
		p.tokens[strings.ToLower(class)] = true
		if vendor := widgetClasses[strings.ToLower(class)]; vendor != "" && !noscript {
			// An invisible widget rides on a button of a form; it stands in nobody's way.
			if attrs.get("data-size") != "invisible" && tag != "button" && tag != "input" {
				p.addWidget(vendor, inForm)
			}
		}
	}
	switch tag {
	case "script", "iframe", "img", "embed", "source", "frame":
		if src := strings.TrimSpace(attrs.get("src")); src != "" {
			p.sources = append(p.sources, source{tag, src})
			if vendor := widgetFrame(tag, src); vendor != "" && !noscript {
				p.addWidget(vendor, inForm)
			}
		}
	case "link":
		p.sources = append(p.sources, source{tag, strings.TrimSpace(attrs.get("href"))})
	case "form":
		p.sources = append(p.sources, source{tag, strings.TrimSpace(attrs.get("action"))})
	case "meta":
		if strings.EqualFold(attrs.get("http-equiv"), "refresh") {
			p.sources = append(p.sources, source{"refresh", attrs.get("content")})
		}
	case "html":
		if _, ok := attrs.lookup("data-adblockkey"); ok {
			p.adblockKey = true
		}
	}
	if noscript {
		return
	}
	switch tag {
	case "a":
		if attrs.get("href") != "" {
			p.links++
		}
	case "img", "picture", "video", "audio", "svg", "canvas", "iframe", "object", "embed":
		p.media++
	case "textarea", "select":
		p.field(inForm, false)
	case "input":
		switch strings.ToLower(attrs.get("type")) {
		case "hidden", "submit", "button", "image", "reset":
		case "password":
			p.field(inForm, true)
		default:
			p.field(inForm, false)
		}
	}
}

func (p *page) field(inForm, password bool) {
	p.fields++
	if password {
		p.passwords++
	}
	if inForm {
		p.forms[len(p.forms)-1].fields++
	}
}

func (p *page) addWidget(vendor string, inForm bool) {
	p.widgets = append(p.widgets, widget{vendor, inForm})
	if inForm {
		p.forms[len(p.forms)-1].widget = true
	}
}
