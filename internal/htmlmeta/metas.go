package htmlmeta

import (
	"bytes"
	"strings"

	"github.com/amblecrawl/amble/internal/refresh"
)

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
