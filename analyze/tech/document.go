package tech

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/amblecrawl/amble"

	"github.com/amblecrawl/amble/internal/charset"
	"github.com/amblecrawl/amble/internal/urlkey"
)

const (
	maxNodes = 1500
	maxDepth = 2000
)

// outline is what one walk over the tree tells.
type outline struct {
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
}

func (o *outline) walk(n *html.Node, inHead bool, depth int) {
	if depth > maxDepth {
		return
	}
	if n.Type == html.ElementNode {
		o.elements++
		if id := attr(n, "id"); id != "" {
			if o.ids[id]++; o.ids[id] == 2 {
				o.repeated = append(o.repeated, id)
			}
		}
		if n.Namespace == "" {
			inHead = inHead || n.DataAtom == atom.Head
			o.element(n, inHead)
			if n.DataAtom == atom.Template {
				return
			}
		}
	}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		o.walk(c, inHead, depth+1)
	}
}

func (o *outline) element(n *html.Node, inHead bool) {
	switch n.DataAtom {
	case atom.Meta:
		name := strings.ToLower(attr(n, "name"))
		if !inHead && !has(n, "itemprop") && !has(n, "property") && (name != "" || has(n, "http-equiv") || has(n, "charset")) {
			o.bodyMeta = append(o.bodyMeta, name+attr(n, "http-equiv"))
		}
		if name == "tdm-reservation" {
			o.tdm = attr(n, "content")
		}
		if o.label == "" {
			if o.label = attr(n, "charset"); o.label == "" && strings.EqualFold(attr(n, "http-equiv"), "content-type") {
				o.label = charset.ContentLabel(attr(n, "content"))
			}
		}
	case atom.Base:
		if has(n, "href") {
			if len(o.bases) == 0 {
				o.baseLate = o.urlSeen
			}
			o.bases = append(o.bases, attr(n, "href"))
		}
	case atom.Img:
		if src := attr(n, "src"); src != "" && (!has(n, "width") || !has(n, "height")) && !strings.HasPrefix(src, "data:") && len(o.unsized) < 100 {
			o.unsized = append(o.unsized, src)
		}
	}
	o.urlSeen = o.urlSeen || has(n, "href") && n.DataAtom != atom.Base || has(n, "src")
}

func attr(n *html.Node, key string) string {
	for i := range n.Attr {
		if n.Attr[i].Key == key && n.Attr[i].Namespace == "" {
			return n.Attr[i].Val
		}
	}
	return ""
}

func has(n *html.Node, key string) bool {
	for i := range n.Attr {
		if n.Attr[i].Key == key && n.Attr[i].Namespace == "" {
			return true
		}
	}
	return false
}

// encoding judges how the page's character encoding is declared.
func encoding(c *pass) {
	o := c.outline()
	c.o = o
	named, known := charset.Lookup(strings.TrimSpace(o.label))
	switch {
	case c.m.CharsetSource == "fallback" && o.label != "":
		c.fail("charset-late", "", o.label, "The encoding is declared behind the first 1,024 bytes, or by a name that is none: "+o.label+".", "label", o.label)
	case c.m.CharsetSource == "meta" && late(c.p.Response.Body):
		c.fail("charset-late", "", o.label, "The encoding is declared behind the first 1,024 bytes.", "label", o.label)
	case c.m.CharsetSource == "fallback":
		c.fail("charset-undeclared", "", "", "The page declares no character encoding.")
	case c.m.Charset != "UTF-8":
		c.fail("charset-not-utf8", "", "", "The page is in "+c.m.Charset+", not in UTF-8.", "encoding", c.m.Charset)
	}
	if known && c.m.CharsetSource != "fallback" && named != c.m.Charset && !(strings.HasPrefix(named, "UTF-16") && c.m.Charset == "UTF-8") {
		c.fail("charset-conflict", "", o.label, "The page declares "+named+", and is read as "+c.m.Charset+" by its "+c.m.CharsetSource+".", "declared", named, "read as", c.m.Charset)
	}
}

// metaCharset is a meta element that declares an encoding.
var metaCharset = regexp.MustCompile(`(?i)<meta\s[^>]*charset\s*=[^>]*>`)

// late tells whether the first declaration ends behind byte 1,024, where browsers need not look.
func late(body []byte) bool {
	at := metaCharset.FindIndex(body[:min(len(body), 1<<16)])
	return at != nil && at[1] > 1024
}

// document judges the tree: what stands where it may not, and how large it is.
func document(c *pass) {
	o, m := c.o, c.m
	if m.Quirks {
		c.fail("doctype", "", "", "The page has no doctype, or an old one: browsers use their quirks mode.")
	}
	c.viewport()
	if m.HeadEndedBy != "" && (m.HeadEndedBy == "text" || c.displaced()) {
		c.fail("head-broken", "", "", "The head ended early, by "+m.HeadEndedBy+"; what follows stands in the body and does not count.", "ended by", m.HeadEndedBy)
	}
	for _, name := range o.bodyMeta {
		c.fail("meta-in-body", name, name, "A meta element stands in the body: "+name, "name", name)
	}
	for _, id := range o.repeated {
		c.fail("duplicate-id", id, id, fmt.Sprintf("The id %s is given %d times.", id, o.ids[id]), "id", id, "times", strconv.Itoa(o.ids[id]))
	}
	switch {
	case len(o.bases) > 1:
		c.fail("base-wrong", o.bases[1], o.bases[1], "There is more than one base element; the first counts.", "href", o.bases[1])
	case len(o.bases) == 1:
		u, err := urlkey.Resolve(c.url, o.bases[0])
		if err != nil || u.Kind() != urlkey.KindHTTP {
			c.fail("base-wrong", o.bases[0], o.bases[0], "The base address is none that browsers use.", "href", o.bases[0])
		} else if o.baseLate {
			c.fail("base-wrong", o.bases[0], o.bases[0], "Addresses stand before the base element that changes their meaning.", "href", o.bases[0])
		}
	}
	for _, src := range o.unsized {
		c.fail("img-no-size", src, src, "An image has no width and height: the text around it jumps when it comes.", "src", src)
	}
	if o.elements > maxNodes {
		c.fail("dom-size", "", "", fmt.Sprintf("The page has %d elements.", o.elements), "elements", strconv.Itoa(o.elements))
	}
}

// displaced tells whether metadata that counts in the head only stands in the body. Many pages rightly leave out the tags
// of head and body; an element that ends such a head harms nothing by itself.
func (c *pass) displaced() bool {
	for _, d := range c.m.Canonicals {
		if !d.Head && !d.Header {
			return true
		}
	}
	for _, a := range c.m.Alternates {
		if !a.Head && !a.Header {
			return true
		}
	}
	for _, r := range c.m.RobotsTags {
		if !r.Head && !r.Header {
			return true
		}
	}
	return false
}

func (c *pass) viewport() {
	if c.m.Viewport == "" {
		if c.whole {
			c.fail("viewport-missing", "", "", "The page does not adapt to small screens.")
		}
		return
	}
	for part := range strings.FieldsFuncSeq(c.m.Viewport, func(r rune) bool { return r == ',' || r == ';' }) {
		name, value, _ := strings.Cut(part, "=")
		name, value = strings.ToLower(strings.TrimSpace(name)), strings.ToLower(strings.TrimSpace(value))
		scale, err := strconv.ParseFloat(value, 64)
		if name == "user-scalable" && (value == "no" || value == "0" || err == nil && scale > -1 && scale < 1) || name == "maximum-scale" && err == nil && scale >= 0 && scale < 2 {
			c.fail("viewport-zoom", "", c.m.Viewport, "The page keeps readers from making it larger: "+strings.TrimSpace(part), "viewport", c.m.Viewport)
			return
		}
	}
}

// outline reads the tree once.
func (c *pass) outline() *outline {
	o := &outline{ids: make(map[string]int)}
	doc, partial := c.p.Tree()
	c.whole = c.whole && !partial
	if doc != nil {
		o.walk(doc, false, 0)
	}
	return o
}

// statements reports what the page says about the use of its content.
func statements(c *pass) {
	for _, name := range []string{"Content-Usage", "Content-Signal"} {
		for _, v := range c.header.Values(name) {
			c.a.servers.add("content-usage", c.url.Origin()+" "+name+" "+v, c.p.URL, amble.Passed, name+" says about the use of the content: "+v, "header", name+": "+v)
		}
	}
	v := c.header.Get("Tdm-Reservation")
	if v == "" {
		v = c.o.tdm
	}
	if v = strings.TrimSpace(v); v != "" {
		c.a.servers.add("tdm-reservation", c.url.Origin()+" "+v, c.p.URL, amble.Passed, "The site states its rights in text and data mining: tdm-reservation "+v, "value", v)
	}
}
