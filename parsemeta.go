package amble

import (
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/amblecrawl/amble/internal/charset"
	"github.com/amblecrawl/amble/internal/directives"
	"github.com/amblecrawl/amble/internal/htmlmeta"
	"github.com/amblecrawl/amble/internal/linkheader"
	"github.com/amblecrawl/amble/internal/refresh"
	"github.com/amblecrawl/amble/internal/urlkey"
)

// ParseMeta reads a page's metadata from its bytes and headers, for the given product tokens. It never fails: what
// cannot be read is absent, and Problems says so. now decides whether unavailable_after is past: then NoIndex is set.
//
// Time and memory are linear in the bytes, whatever they are; a page over a bound is read in part and marked Partial.
func ParseMeta(body []byte, u *url.URL, header http.Header, tokens []string, now time.Time) *Meta {
	return MetaOptions{Tokens: tokens, Now: now}.Parse(body, u, header)
}

// MetaOptions says for whom a page's metadata is read, and what of it besides the usual.
type MetaOptions struct {
	Tokens    []string  // product tokens that robots directives may be addressed to
	Now       time.Time // decides whether unavailable_after is past
	Resources bool      // Meta.Resources
	IDs       bool      // Meta.IDs and Meta.MakesIDs
}

// parsers are those not in use: each has the memory that its pages needed.
var parsers = sync.Pool{New: func() any { return new(htmlmeta.Parser) }}

// Parse reads a page's metadata from its bytes and headers, as ParseMeta does.
func (o MetaOptions) Parse(body []byte, u *url.URL, header http.Header) *Meta {
	m, _ := o.parse(body, u, header, false)
	return m
}

// parse is Parse, and makes an Outline in the same pass when it is asked to.
func (o MetaOptions) parse(body []byte, u *url.URL, header http.Header, outline bool) (*Meta, *Outline) {
	page, err := urlkey.FromNet(u)
	if err != nil {
		page = urlkey.URL{}
	}
	text, encoding := charset.Decode(body, strings.Join(header.Values("Content-Type"), ", "))
	parser := parsers.Get().(*htmlmeta.Parser)
	defer func() {
		if len(text) <= bufferKeep {
			parsers.Put(parser)
		}
	}()
	d := parser.Parse(text, htmlmeta.Options{URL: page, Bots: o.Tokens, LinkText: true, Text: true,
		Resources: o.Resources, IDs: o.IDs, Outline: outline})
	m := &Meta{
		Charset: encoding.Name, CharsetSource: encoding.Source.String(), Partial: d.Partial, Quirks: d.Quirks,
		Title: d.Title, Titles: d.Titles, Description: d.Description, Descriptions: d.Descriptions, H1: d.H1,
		Lang: d.Lang, HasLang: d.HasLang, Base: d.Base.Href(), Viewport: d.Viewport,
		InvalidData: d.InvalidJSONLD, HeadEndedBy: d.HeadEndedBy, TextHash: d.TextHash, Words: d.Words,
		Problems: d.Problems, IDs: d.IDs, MakesIDs: d.MakesIDs,
	}
	m.readResources(d)
	m.readLinkHeaders(header.Values("Link"), page)
	m.readHead(d)
	m.readLinks(d, page)
	m.readDirectives(d, header.Values("X-Robots-Tag"), o.Tokens, o.Now)
	m.readRefresh(d, header.Values("Refresh"), page)
	if d.Outline == nil {
		return m, nil
	}
	return m, &Outline{doc: d.Outline, page: text, partial: m.Partial}
}

func resolve(base urlkey.URL, href string) string {
	if base.IsZero() {
		return ""
	}
	u, err := urlkey.Resolve(base, href)
	if err != nil {
		return ""
	}
	return u.Href()
}

// readLinkHeaders takes what Link headers say about the page itself; they are relative to its URL, not to its base.
func (m *Meta) readLinkHeaders(values []string, page urlkey.URL) {
	links, problems := linkheader.Parse(values...)
	m.Problems = append(m.Problems, problems...)
	for _, l := range links {
		if l.Anchored {
			continue
		}
		if l.Has("canonical") {
			m.Canonicals = append(m.Canonicals, Canonical{Href: l.Target, URL: resolve(page, l.Target), Header: true})
		}
		if lang := l.Get("hreflang"); lang != "" && l.Has("alternate") {
			m.Alternates = append(m.Alternates, Alternate{Lang: lang, Href: l.Target, URL: resolve(page, l.Target), Header: true})
		}
	}
}

// readHead takes over the elements of the head.
func (m *Meta) readHead(d *htmlmeta.Doc) {
	for _, c := range d.Canonicals {
		m.Canonicals = append(m.Canonicals, Canonical{Href: c.Href, URL: c.URL.Href(), Head: c.InHead})
	}
	for _, a := range d.Alternates {
		m.Alternates = append(m.Alternates, Alternate{Lang: a.Lang, Href: a.Href, URL: a.URL.Href(), Head: a.InHead})
	}
	for _, p := range d.Social {
		name := strings.ToLower(p.Name)
		if !strings.HasPrefix(name, "og:") && !strings.HasPrefix(name, "twitter:") {
			continue
		}
		if _, seen := m.Social[name]; seen || strings.HasPrefix(name, "og:") && p.ByName {
			continue
		}
		if m.Social == nil {
			m.Social = make(map[string]string)
		}
		m.Social[name] = p.Content
	}
	for _, t := range d.Data {
		m.Data = append(m.Data, DataType{Syntax: t.Syntax.String(), Type: t.Type})
	}
}

// readLinks takes over the links and counts them (C6).
func (m *Meta) readLinks(d *htmlmeta.Doc, page urlkey.URL) {
	m.Links = make([]Link, len(d.Links))
	for i, l := range d.Links {
		m.Links[i] = Link{Href: l.Href, URL: l.URL.String(), Fragment: l.URL.Fragment(), Rel: relOf(l.Rel), Text: l.Text}
		if l.Rel != 0 {
			m.Nofollow++
		}
		switch scheme := l.URL.Scheme(); {
		case l.URL.IsZero() || scheme != "http" && scheme != "https":
		case l.URL.Host() == page.Host():
			m.Internal++
		default:
			m.External++
		}
	}
}

// readResources takes over the files that the page names.
func (m *Meta) readResources(d *htmlmeta.Doc) {
	if len(d.Resources) == 0 {
		return
	}
	m.Resources = make([]Resource, len(d.Resources))
	for i, r := range d.Resources {
		m.Resources[i] = Resource{Kind: resourceKinds[r.Kind], Href: r.Href, URL: r.URL.String()}
	}
}

var resourceKinds = [...]string{
	htmlmeta.Image: "image", htmlmeta.Script: "script", htmlmeta.Style: "style", htmlmeta.Frame: "frame",
	htmlmeta.Media: "media", htmlmeta.Object: "object", htmlmeta.Icon: "icon", htmlmeta.Preload: "preload",
	htmlmeta.Manifest: "manifest", htmlmeta.Form: "form",
}

func relOf(r htmlmeta.Rel) (rel Rel) {
	if r&htmlmeta.Nofollow != 0 {
		rel |= RelNofollow
	}
	if r&htmlmeta.UGC != 0 {
		rel |= RelUGC
	}
	if r&htmlmeta.Sponsored != 0 {
		rel |= RelSponsored
	}
	return rel
}

// readDirectives adds up the robots directives of headers and meta elements for our tokens (C12).
func (m *Meta) readDirectives(d *htmlmeta.Doc, headers, tokens []string, now time.Time) {
	var list directives.List
	for _, h := range headers {
		list.AddHeader(h)
		m.RobotsTags = append(m.RobotsTags, RobotsTag{Name: "X-Robots-Tag", Value: h, Header: true})
	}
	for _, r := range d.Robots {
		list.AddMeta(r.Name, r.Content)
		m.RobotsTags = append(m.RobotsTags, RobotsTag{Name: r.Name, Value: r.Content, Head: r.InHead})
	}
	if list.Truncated {
		m.Partial = true
	}
	for _, p := range list.Problems {
		m.Problems = append(m.Problems, p.String())
	}
	set := list.For(tokens...)
	m.Robots = Directives{
		Names: set.Names, NoIndex: !set.Indexable(now), NoFollow: !set.Follow(),
		MaxSnippet: set.MaxSnippet, MaxImagePreview: set.MaxImagePreview, MaxVideoPreview: set.MaxVideoPreview,
		UnavailableAfter: set.UnavailableAfter,
	}
	for _, r := range set.By {
		index := r.Where.Index
		if r.Where.Meta {
			index += len(headers)
		}
		m.Robots.From = append(m.Robots.From, DirectiveSource{Name: r.Name, Bot: r.Bot, Tag: m.RobotsTags[index]})
	}
}

// readRefresh finds the client redirect that browsers obey: a header comes before any meta element.
func (m *Meta) readRefresh(d *htmlmeta.Doc, headers []string, page urlkey.URL) {
	for _, h := range headers {
		if r, ok := refresh.Parse(h); ok {
			m.Refresh = &Refresh{Delay: r.Delay, URL: page.Href(), Header: true}
			if r.HasURL {
				m.Refresh.URL = resolve(page, r.URL)
			}
			return
		}
	}
	if d.HasRefresh {
		m.Refresh = &Refresh{Delay: d.Refresh.Delay, URL: d.Refresh.URL.Href()}
	}
}
