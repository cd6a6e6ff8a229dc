package a11y

import (
	"path"
	"strings"

	"github.com/amblecrawl/amble/analyze/a11y/internal/aria"
	"github.com/amblecrawl/amble/analyze/a11y/internal/dom"
)

// named runs the common form of the name rules: each exposed element that applies must have an accessible name.
func named(applies func(n *dom.Node) bool, why string) func(*pass) {
	return func(p *pass) {
		p.each(func(n *dom.Node) {
			if applies(n) && aria.Exposed(n) {
				p.verdict(n, aria.Name(n) != "", why)
			}
		})
	}
}

// imageName: images have a name or are presentational (ACT 23a2a8).
func imageName(p *pass) {
	p.each(func(n *dom.Node) {
		if !n.IsHTML() || !n.Is("img") && aria.Of(n) != "img" || aria.ProgrammaticallyHidden(n) {
			return
		}
		role := aria.Of(n)
		p.verdict(n, role == "none" || aria.Name(n) != "", "The image has no text alternative and is not marked as decorative.")
	})
}

// decorativeExposed: what is marked as decorative stays out of the accessibility tree (ACT 46ca7f).
func decorativeExposed(p *pass) {
	p.each(func(n *dom.Node) {
		if !aria.Decorative(n) {
			return
		}
		exposed := aria.Of(n) != "none" && aria.Exposed(n)
		p.verdict(n, !exposed, "The element is marked as decorative, but it can take the focus or has ARIA attributes, so assistive technology announces it.")
	})
}

// svgName: SVG elements with a graphic role have a name (ACT 7d6734).
func svgName(p *pass) {
	p.each(func(n *dom.Node) {
		if !n.IsSVG() {
			return
		}
		switch aria.Explicit(n) {
		case "img", "image", "graphics-document", "graphics-symbol":
			if aria.Exposed(n) {
				p.verdict(n, aria.Name(n) != "", "The graphic has a role but no name.")
			}
		}
	})
}

// objectName: objects that show images or media have a name (ACT 8fc3b6).
func objectName(p *pass) {
	p.each(func(n *dom.Node) {
		if !n.Is("object") || aria.Explicit(n) != "" || !aria.Exposed(n) || n.A("data") == "" {
			return
		}
		switch media, known := objectMedia(n); {
		case media:
			p.verdict(n, aria.Name(n) != "", "The object shows an image or plays media and has no name.")
		case !known && aria.Name(n) == "":
			p.cannot(n, "What the object shows is not known without loading it; it has no name.")
		}
	})
}

// objectMedia tells whether the object's resource is an image, audio or video, by its type or else its address.
func objectMedia(n *dom.Node) (media, known bool) {
	if t := strings.ToLower(strings.TrimSpace(n.A("type"))); t != "" {
		return strings.HasPrefix(t, "image/") || strings.HasPrefix(t, "audio/") || strings.HasPrefix(t, "video/"), true
	}
	ref, _, _ := strings.Cut(n.A("data"), "?")
	ref, _, _ = strings.Cut(ref, "#")
	if strings.HasPrefix(ref, "data:") {
		t := ref[5:]
		return strings.HasPrefix(t, "image/") || strings.HasPrefix(t, "audio/") || strings.HasPrefix(t, "video/"), true
	}
	switch strings.ToLower(path.Ext(ref)) {
	case ".png", ".jpg", ".jpeg", ".gif", ".webp", ".avif", ".svg", ".bmp", ".ico", ".mp3", ".ogg", ".wav", ".flac", ".aac", ".m4a", ".mp4", ".webm", ".ogv", ".mov":
		return true, true
	case ".html", ".htm", ".xhtml", ".pdf", ".txt", ".js", ".css", ".json", ".xml", ".swf":
		return false, true
	}
	return false, false
}

// imageButtonName: image buttons have a name of their own (ACT 59796f).
func imageButtonName(p *pass) {
	p.each(func(n *dom.Node) {
		if n.Is("input") && strings.EqualFold(n.A("type"), "image") && aria.Exposed(n) {
			name := aria.Name(n)
			p.verdict(n, name != "" && name != aria.DefaultImageButton, "The image button has no text alternative.")
		}
	})
}

// frameName: iframes that can be reached have a name (ACT cae760).
func frameName(p *pass) {
	p.each(func(n *dom.Node) {
		if !n.Is("iframe") || !aria.Exposed(n) || aria.Decorative(n) {
			return
		}
		if t, ok := aria.TabIndex(n); ok && t < 0 {
			return
		}
		p.verdict(n, aria.Name(n) != "", "The iframe has no name.")
	})
}

// summaryName: the summary of details has a name (ACT 2t702h).
func summaryName(p *pass) {
	p.each(func(n *dom.Node) {
		if !n.Is("summary") || !n.Parent.Is("details") || !aria.Exposed(n) {
			return
		}
		for _, c := range n.Parent.Children {
			if c.Is("summary") {
				if c != n {
					return
				}
				break
			}
		}
		if aria.Explicit(n) != "" && !(aria.Decorative(n) && aria.Conflict(n)) {
			return
		}
		p.verdict(n, aria.Name(n) != "", "The summary has no name.")
	})
}

func isLink(n *dom.Node) bool { return n.IsHTML() && aria.Inherits(aria.Of(n), "link") }
func isButton(n *dom.Node) bool {
	return aria.Of(n) == "button" && !(n.Is("input") && strings.EqualFold(n.A("type"), "image"))
}
func isHeading(n *dom.Node) bool  { return n.IsHTML() && aria.Of(n) == "heading" }
func isMenuitem(n *dom.Node) bool { return n.IsHTML() && aria.Of(n) == "menuitem" }

func isField(n *dom.Node) bool {
	switch aria.Of(n) {
	case "checkbox", "combobox", "listbox", "menuitemcheckbox", "menuitemradio", "radio", "searchbox", "slider", "spinbutton", "switch", "textbox":
		return true
	}
	return false
}

// isPlainField: form fields without a corresponding role, such as passwords and dates, which ACT's rule leaves out.
func isPlainField(n *dom.Node) bool {
	if !n.Is("input") || aria.Of(n) != "" {
		return false
	}
	switch strings.ToLower(n.A("type")) {
	case "password", "date", "datetime-local", "month", "time", "week", "color", "file":
		return true
	}
	return false
}

func isNamedWidget(n *dom.Node) bool {
	switch aria.Of(n) {
	case "dialog", "alertdialog", "tooltip", "meter", "progressbar", "treeitem", "tab":
		return aria.Explicit(n) != "" || n.Is("meter", "progress", "dialog")
	}
	return false
}
