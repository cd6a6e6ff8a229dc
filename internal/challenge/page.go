package challenge

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"

	"golang.org/x/net/html"
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

// With enough above zero it stops where that much text was seen: the page is not thin then, whatever follows.
func parse(body []byte, enough int) *page {
	p := &page{ids: map[string]string{}, tokens: map[string]bool{}, json: map[string]string{}}
	z := html.NewTokenizer(bytes.NewReader(body))
	z.SetMaxBuf(MaxBody)
	var (
		hidden  = map[string]int{} // depth of elements whose text is not seen
		openH1  bool
		inTitle bool
		raw     string // the script being read: its type and id
		rawID   string
		inRaw   bool
		inForm  bool
	)
	isHidden := func() bool {
		for _, n := range hidden {
			if n > 0 {
				return true
			}
		}
		return false
	}
	for {
		switch z.Next() {
		case html.ErrorToken:
			return p
		case html.TextToken:
			text := string(z.Text())
			switch {
			case inRaw:
				p.script(raw, rawID, text)
			case inTitle:
				p.title += text
			case !isHidden():
				p.see(text)
				if enough > 0 && p.text >= enough {
					return p
				}
				if openH1 {
					p.h1 += text
				}
			}
		case html.StartTagToken, html.SelfClosingTagToken:
			tag, attrs := readTag(z)
			if hidden["template"] > 0 && tag != "template" {
				if tag == "script" || tag == "style" {
					inRaw, raw, rawID = true, "inert", ""
				}
				continue
			}
			switch tag {
			case "script":
				p.scripts++
				inRaw, raw, rawID = true, strings.ToLower(attrs["type"]), attrs["id"]
			case "style":
				inRaw, raw, rawID = true, "style", ""
			case "title":
				inTitle = hidden["svg"] == 0 && p.title == ""
				if !inTitle {
					hidden["title"]++
				}
			case "h1":
				openH1 = true
				p.headings++
			case "h2", "h3":
				p.headings++
			case "noscript", "template", "select", "svg", "iframe", "noframes", "object":
				hidden[tag]++
			case "form":
				p.forms = append(p.forms, form{action: attrs["action"]})
				inForm = true
			}
			p.element(tag, attrs, inForm, hidden["noscript"] > 0)
		case html.EndTagToken:
			name, _ := z.TagName()
			tag := string(name)
			switch tag {
			case "script", "style":
				inRaw = false
			case "title":
				if inTitle {
					inTitle = false
				} else if hidden[tag] > 0 {
					hidden[tag]--
				}
			case "h1":
				openH1 = false
			case "form":
				inForm = false
			default:
				if hidden[tag] > 0 {
					hidden[tag]--
				}
			}
		}
	}
}

func readTag(z *html.Tokenizer) (string, map[string]string) {
	name, more := z.TagName()
	tag := string(name)
	attrs := map[string]string{}
	for more {
		var key, value []byte
		key, value, more = z.TagAttr()
		if _, ok := attrs[string(key)]; !ok {
			attrs[string(key)] = string(value)
		}
	}
	return tag, attrs
}

// see counts visible text, white space folded.
func (p *page) see(text string) {
	for _, word := range strings.Fields(text) {
		p.text += len(word) + 1
		if p.plain.Len() < maxPlain {
			p.plain.WriteString(word)
			p.plain.WriteByte(' ')
		}
	}
}

func (p *page) script(kind, id, text string) {
	switch {
	case kind == "inert" || kind == "style":
	case strings.Contains(kind, "ld+json"):
		p.paywalled = p.paywalled || notFree.MatchString(text) && notFreeJSON(text)
	case strings.Contains(kind, "json"):
		if id != "" {
			p.json[id] = text
		}
	case kind == "" || strings.Contains(kind, "javascript") || kind == "module" || strings.Contains(kind, "ecmascript"):
		p.code = append(p.code, text)
	}
}

var notFree = regexp.MustCompile(`(?i)"isAccessibleForFree"\s*:\s*("?false"?|"[^"]*/false")`)

// notFreeJSON looks for isAccessibleForFree: false anywhere in the data, whatever its nesting. Data that is not valid
// JSON is judged by its text.
func notFreeJSON(text string) bool {
	var v any
	if json.Unmarshal([]byte(text), &v) != nil {
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
func (p *page) element(tag string, attrs map[string]string, inForm, noscript bool) {
	if id := attrs["id"]; id != "" {
		if _, ok := p.ids[id]; !ok {
			p.ids[id] = tag
		}
		p.tokens[strings.ToLower(id)] = true
	}
	for class := range strings.FieldsSeq(attrs["class"]) {
		p.tokens[strings.ToLower(class)] = true
		if vendor := widgetClasses[strings.ToLower(class)]; vendor != "" && !noscript {
			// An invisible widget rides on a button of a form; it stands in nobody's way.
			if attrs["data-size"] != "invisible" && tag != "button" && tag != "input" {
				p.addWidget(vendor, inForm)
			}
		}
	}
	switch tag {
	case "script", "iframe", "img", "embed", "source", "frame":
		if src := strings.TrimSpace(attrs["src"]); src != "" {
			p.sources = append(p.sources, source{tag, src})
			if vendor := widgetFrame(tag, src); vendor != "" && !noscript {
				p.addWidget(vendor, inForm)
			}
		}
	case "link":
		p.sources = append(p.sources, source{tag, strings.TrimSpace(attrs["href"])})
	case "form":
		p.sources = append(p.sources, source{tag, strings.TrimSpace(attrs["action"])})
	case "meta":
		if strings.EqualFold(attrs["http-equiv"], "refresh") {
			p.sources = append(p.sources, source{"refresh", attrs["content"]})
		}
	case "html":
		if _, ok := attrs["data-adblockkey"]; ok {
			p.adblockKey = true
		}
	}
	if noscript {
		return
	}
	switch tag {
	case "a":
		if attrs["href"] != "" {
			p.links++
		}
	case "img", "picture", "video", "audio", "svg", "canvas", "iframe", "object", "embed":
		p.media++
	case "textarea", "select":
		p.field(inForm, false)
	case "input":
		switch strings.ToLower(attrs["type"]) {
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
