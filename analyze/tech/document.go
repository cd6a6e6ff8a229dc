package tech

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"golang.org/x/net/html/atom"

	"github.com/amblecrawl/amble"
	"github.com/amblecrawl/amble/analyze/internal/audit"
	"github.com/amblecrawl/amble/internal/charset"
	"github.com/amblecrawl/amble/internal/urlkey"
)

const maxNodes = 1500 // elements, from which on a page is called large

// facts is what the rules want to know of a page's outline, read in one walk.
type facts struct {
	elements int
	ids      map[string]int
	repeated []string // ids, in order of the second one
	bodyMeta []string // names of meta elements in the body
	bases    []string // href of base elements
	baseLate bool     // a URL stands before the first of them
	urlSeen  bool
	label    string // encoding that a meta element names
	unsized  []string
	tdm      string
	csp      []string // policies of meta elements in the head
}

func read(o *amble.Outline) *facts {
	f := &facts{ids: make(map[string]int)}
	for i := range o.Len() {
		if o.IsText(i) {
			continue
		}
		f.elements++
		if id := audit.Attr(o, i, "id"); id != "" {
			if f.ids[id]++; f.ids[id] == 2 {
				f.repeated = append(f.repeated, id)
			}
		}
		if !o.Foreign(i) {
			f.element(o, i)
		}
	}
	return f
}

func (f *facts) element(o *amble.Outline, i int) {
	attr := func(name string) string { return audit.Attr(o, i, name) }
	has := func(name string) bool { return audit.Has(o, i, name) }
	tag := o.Tag(i)
	switch tag {
	case atom.Meta:
		name := strings.ToLower(attr("name"))
		if !o.InHead(i) && !has("itemprop") && !has("property") && (name != "" || has("http-equiv") || has("charset")) {
			f.bodyMeta = append(f.bodyMeta, name+attr("http-equiv"))
		}
		if o.InHead(i) && strings.EqualFold(strings.TrimSpace(attr("http-equiv")), "Content-Security-Policy") {
			f.csp = append(f.csp, attr("content"))
		}
		if name == "tdm-reservation" {
			f.tdm = attr("content")
		}
		if f.label == "" {
			if f.label = attr("charset"); f.label == "" && strings.EqualFold(attr("http-equiv"), "content-type") {
				f.label = charset.ContentLabel(attr("content"))
			}
		}
	case atom.Base:
		if has("href") {
			if len(f.bases) == 0 {
				f.baseLate = f.urlSeen
			}
			f.bases = append(f.bases, attr("href"))
		}
	case atom.Img:
		if src := attr("src"); src != "" && (!has("width") || !has("height")) && !strings.HasPrefix(src, "data:") && len(f.unsized) < 100 {
			f.unsized = append(f.unsized, src)
		}
	}
	f.urlSeen = f.urlSeen || has("href") && tag != atom.Base || has("src")
}

// encoding judges how the page's character encoding is declared.
func encoding(c *pass) {
	o := c.facts
	named, known := charset.Lookup(strings.TrimSpace(o.label))
	switch {
	case c.Meta.CharsetSource == "fallback" && o.label != "":
		c.Fail("charset-late", "", o.label, "The encoding is declared behind the first 1,024 bytes, or by a name that is none: "+o.label+".", "label", o.label)
	case c.Meta.CharsetSource == "meta" && late(c.Response.Body):
		c.Fail("charset-late", "", o.label, "The encoding is declared behind the first 1,024 bytes.", "label", o.label)
	case c.Meta.CharsetSource == "fallback":
		c.Fail("charset-undeclared", "", "", "The page declares no character encoding.")
	case c.Meta.Charset != "UTF-8":
		c.Fail("charset-not-utf8", "", "", "The page is in "+c.Meta.Charset+", not in UTF-8.", "encoding", c.Meta.Charset)
	}
	if known && c.Meta.CharsetSource != "fallback" && named != c.Meta.Charset && !(strings.HasPrefix(named, "UTF-16") && c.Meta.Charset == "UTF-8") {
		c.Fail("charset-conflict", "", o.label, "The page declares "+named+", and is read as "+c.Meta.Charset+" by its "+c.Meta.CharsetSource+".", "declared", named, "read as", c.Meta.Charset)
	}
}

// metaCharset is a meta element that declares an encoding.
var metaCharset = regexp.MustCompile(`(?i)<meta\s[^>]*charset\s*=[^>]*>`)

// late tells whether the first declaration ends behind byte 1,024, where browsers need not look.
func late(body []byte) bool {
	at := metaCharset.FindIndex(body[:min(len(body), 1<<16)])
	return at != nil && at[1] > 1024
}

// document judges the elements: what stands where it may not, and how large it is.
func document(c *pass) {
	o, m := c.facts, c.Meta
	if m.Quirks {
		c.Fail("doctype", "", "", "The page has no doctype, or an old one: browsers use their quirks mode.")
	}
	c.viewport()
	if m.HeadEndedBy != "" && (c.displaced() || m.HeadEndedBy == "text" && len(o.bodyMeta) > 0) {
		c.Fail("head-broken", "", "", "The head ended early, by "+m.HeadEndedBy+"; what follows stands in the body and does not count.", "ended by", m.HeadEndedBy)
	}
	for _, name := range o.bodyMeta {
		c.Fail("meta-in-body", name, name, "A meta element stands in the body: "+name, "name", name)
	}
	for _, id := range o.repeated {
		c.Fail("duplicate-id", id, id, fmt.Sprintf("The id %s is given %d times.", id, o.ids[id]), "id", id, "times", strconv.Itoa(o.ids[id]))
	}
	switch {
	case len(o.bases) > 1:
		c.Fail("base-wrong", o.bases[1], o.bases[1], "There is more than one base element; the first counts.", "href", o.bases[1])
	case len(o.bases) == 1:
		u, err := urlkey.Resolve(c.At, o.bases[0])
		if err != nil || u.Kind() != urlkey.KindHTTP {
			c.Fail("base-wrong", o.bases[0], o.bases[0], "The base address is none that browsers use.", "href", o.bases[0])
		} else if o.baseLate {
			c.Fail("base-wrong", o.bases[0], o.bases[0], "Addresses stand before the base element that changes their meaning.", "href", o.bases[0])
		}
	}
	for _, src := range o.unsized {
		c.Fail("img-no-size", src, src, "An image has no width and height: the text around it jumps when it comes.", "src", src)
	}
	if o.elements > maxNodes {
		c.Fail("dom-size", "", "", fmt.Sprintf("The page has %d elements.", o.elements), "elements", strconv.Itoa(o.elements))
	}
}

// displaced tells whether metadata that counts in the head only stands in the body. Many pages rightly leave out the tags
// of head and body; an element that ends such a head harms nothing by itself.
func (c *pass) displaced() bool {
	for _, d := range c.Meta.Canonicals {
		if !d.Head && !d.Header {
			return true
		}
	}
	for _, a := range c.Meta.Alternates {
		if !a.Head && !a.Header {
			return true
		}
	}
	for _, r := range c.Meta.RobotsTags {
		if !r.Head && !r.Header {
			return true
		}
	}
	return false
}

func (c *pass) viewport() {
	if c.Meta.Viewport == "" {
		if c.Whole {
			c.Fail("viewport-missing", "", "", "The page does not adapt to small screens.")
		}
		return
	}
	for part := range strings.FieldsFuncSeq(c.Meta.Viewport, func(r rune) bool { return r == ',' || r == ';' }) {
		name, value, _ := strings.Cut(part, "=")
		name, value = strings.ToLower(strings.TrimSpace(name)), strings.ToLower(strings.TrimSpace(value))
		scale, err := strconv.ParseFloat(value, 64)
		if name == "user-scalable" && (value == "no" || value == "0" || err == nil && scale > -1 && scale < 1) || name == "maximum-scale" && err == nil && scale >= 0 && scale < 2 {
			c.Fail("viewport-zoom", "", c.Meta.Viewport, "The page keeps readers from making it larger: "+strings.TrimSpace(part), "viewport", c.Meta.Viewport)
			return
		}
	}
}

// statements reports what the page says about the use of its content.
func statements(c *pass) {
	for _, name := range []string{"Content-Usage", "Content-Signal"} {
		for _, v := range c.header.Values(name) {
			c.a.servers.add("content-usage", c.At.Origin()+" "+name+" "+v, c.URL, amble.Passed, name+" says about the use of the content: "+v, "header", name+": "+v)
		}
	}
	v := c.header.Get("Tdm-Reservation")
	if v == "" {
		v = c.facts.tdm
	}
	if v = strings.TrimSpace(v); v != "" {
		c.a.servers.add("tdm-reservation", c.At.Origin()+" "+v, c.URL, amble.Passed, "The site states its rights in text and data mining: tdm-reservation "+v, "value", v)
	}
}
