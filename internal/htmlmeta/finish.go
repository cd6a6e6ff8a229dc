package htmlmeta

import (
	"slices"
	"strings"

	"github.com/amblecrawl/amble/internal/urlkey"
)

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
