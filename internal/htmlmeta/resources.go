package htmlmeta

import (
	"bytes"
	"strings"

	"golang.org/x/net/html/atom"
)

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
