package a11y

import (
	"fmt"
	"strings"

	"github.com/amblecrawl/amble/analyze/a11y/internal/css"
	"github.com/amblecrawl/amble/analyze/a11y/internal/dom"
)

// spacing runs the three rules about text spacing locked by !important in style attributes (ACT 24afc2, 9e45ec, 78fd32;
// WCAG 1.4.12).
func spacing(prop string, factor float64) func(*pass) {
	return func(p *pass) {
		p.each(func(n *dom.Node) {
			if !n.IsHTML() || !strings.Contains(strings.ToLower(n.A("style")), prop) {
				return
			}
			important := ""
			for _, d := range css.ParseDecls(n.A("style")) {
				if d.Name == prop {
					if d.Important {
						important = strings.ToLower(d.Value)
					} else if important == "" {
						continue
					}
				}
			}
			switch important {
			case "", "inherit", "unset", "revert", "revert-layer":
				return // the value is not declared here
			}
			var text []*dom.Node
			for _, c := range n.Children {
				if c.Kind == dom.TextKind && css.Visible(c) {
					text = append(text, c)
				}
			}
			if len(text) == 0 {
				return
			}
			size := css.FontSize(n)
			value, known := spacingPx(n, prop, size)
			if !known {
				p.cannot(n, "The value of "+prop+" cannot be computed without a browser.", prop, important)
				return
			}
			if prop == "line-height" {
				switch wraps(n) {
				case no:
					return
				case unknown:
					if value < factor*size {
						p.cannot(n, "Whether the text breaks into lines is not known without layout.", prop, important)
					}
					return
				}
			}
			p.verdict(n, value >= factor*size-0.005, fmt.Sprintf("The style attribute fixes %s at %.2f times the font size with !important; people cannot raise it to %.2f.", prop, value/size, factor), prop, important)
		})
	}
}

// spacingPx returns the computed value in pixels.
func spacingPx(n *dom.Node, prop string, size float64) (float64, bool) {
	v := css.Value(n, prop)
	owner := n
	if d, ok := css.Declared(n, prop); ok && !n.Doc.Rendered {
		switch strings.ToLower(d.Value) {
		case "inherit", "unset":
			// The computed value is that of the element that set it: relative lengths refer to its font size.
			for owner = n.Parent; owner != nil; owner = owner.Parent {
				if d, ok := css.Declared(owner, prop); ok && !strings.EqualFold(d.Value, "inherit") && !strings.EqualFold(d.Value, "unset") {
					break
				}
			}
		}
	}
	if owner == nil {
		owner = n
	}
	em := size
	if owner != n {
		em = css.FontSize(owner)
	}
	if v == "normal" || v == "" || v == "initial" || v == "revert" {
		if prop == "line-height" {
			return 1.2 * size, true
		}
		return 0, true
	}
	if prop == "line-height" {
		var f float64
		if _, err := fmt.Sscanf(v, "%g", &f); err == nil && strings.Trim(v, "0123456789.+-e") == "" {
			return f * size, true
		}
		if strings.HasSuffix(v, "%") {
			if _, err := fmt.Sscanf(v, "%g", &f); err == nil {
				return f / 100 * em, true
			}
		}
	}
	if strings.HasSuffix(v, "%") {
		var f float64
		if _, err := fmt.Sscanf(v, "%g", &f); err == nil {
			return f / 100 * em, true
		}
	}
	return css.Length(n.Doc, v, em)
}

type tri uint8

const (
	no tri = iota
	yes
	unknown
)

// wraps tells whether the text of an element breaks into several lines. Without layout it is judged by the width that is
// declared and a cautious estimate of the text's width.
func wraps(n *dom.Node) tri {
	if n.Doc.Rendered {
		lines := map[int]bool{}
		for _, c := range n.Subtree() {
			if c.Kind == dom.TextKind && c.Facts != nil {
				for _, b := range c.Facts.TextBoxes {
					lines[int(b.Y)] = true
				}
			}
		}
		if len(lines) > 1 && !breaksOnly(n) {
			return yes
		}
		return no
	}
	switch css.Value(n, "white-space") {
	case "nowrap", "pre":
		return no
	}
	width, known := n.Doc.Viewport.W-16, false
	for b := n; b != nil && b.Kind == dom.ElementKind; b = b.Parent {
		if css.Inline(b) {
			continue
		}
		if w, ok := css.Px(b, "width"); ok {
			width, known = w, true
			break
		}
		if w, ok := css.Px(b, "max-width"); ok && w < width {
			width, known = w, true
		}
		if v := css.Value(b, "width"); strings.HasSuffix(v, "%") || strings.Contains(v, "(") || css.Value(b, "float") != "none" || css.Value(b, "position") == "absolute" {
			return unknown
		}
	}
	size := css.FontSize(n)
	longest := 0.0
	for _, line := range textLines(n) {
		longest = max(longest, float64(len([]rune(line)))*size)
	}
	switch {
	case longest*0.4 > width:
		return yes
	case longest*0.65 < width:
		return no
	case known:
		return unknown
	}
	return unknown
}

// textLines returns the text below n parted at forced line breaks.
func textLines(n *dom.Node) []string {
	lines := []string{""}
	for _, c := range n.Subtree() {
		switch {
		case c.Is("br"):
			lines = append(lines, "")
		case c.Kind == dom.TextKind && !c.NotRendered:
			lines[len(lines)-1] += " " + dom.Collapse(c.Text)
		}
	}
	return lines
}

// breaksOnly tells whether forced breaks account for all the lines of the element.
func breaksOnly(n *dom.Node) bool {
	forced, lines := 0, map[int]bool{}
	for _, c := range n.Subtree() {
		if c.Is("br") {
			forced++
		}
		if c.Kind == dom.TextKind && c.Facts != nil {
			for _, b := range c.Facts.TextBoxes {
				lines[int(b.Y)] = true
			}
		}
	}
	return len(lines) <= forced+1
}
