package css

import (
	"strconv"
	"strings"

	"github.com/amblecrawl/amble/analyze/a11y/internal/dom"
)

type length struct {
	v    float64
	unit string
}

func number(s string) (float64, bool) {
	v, err := strconv.ParseFloat(s, 64)
	return v, err == nil
}

func parseLength(s string) (length, bool) {
	i := len(s)
	for i > 0 && (s[i-1] >= 'a' && s[i-1] <= 'z' || s[i-1] == '%') {
		i--
	}
	v, ok := number(s[:i])
	if !ok {
		return length{}, false
	}
	unit := s[i:]
	if unit == "" && v != 0 {
		return length{}, false
	}
	switch unit {
	case "", "px", "em", "rem", "ex", "ch", "pt", "pc", "in", "cm", "mm", "q", "vw", "vh", "vmin", "vmax", "%", "ic", "lh", "rlh", "cap", "dvh", "svh", "lvh", "dvw", "svw", "lvw":
		return length{v, unit}, true
	}
	return length{}, false
}

// Length turns a length into CSS pixels; em is the size that em units refer to. It returns false for what needs layout
// (percentages, calc).
func Length(d *dom.Document, value string, em float64) (float64, bool) {
	l, ok := parseLength(value)
	if !ok {
		return 0, false
	}
	switch l.unit {
	case "", "px":
		return l.v, true
	case "em", "ic":
		return l.v * em, true
	case "rem":
		root := 16.0
		if d.HTML != nil {
			root = FontSize(d.HTML)
		}
		return l.v * root, true
	case "ex", "ch", "cap":
		return l.v * em / 2, true
	case "pt":
		return l.v * 4 / 3, true
	case "pc":
		return l.v * 16, true
	case "in":
		return l.v * 96, true
	case "cm":
		return l.v * 96 / 2.54, true
	case "mm":
		return l.v * 96 / 25.4, true
	case "q":
		return l.v * 96 / 101.6, true
	case "vw", "dvw", "svw", "lvw":
		return l.v * d.Viewport.W / 100, true
	case "vh", "dvh", "svh", "lvh":
		return l.v * d.Viewport.H / 100, true
	case "vmin":
		return l.v * min(d.Viewport.W, d.Viewport.H) / 100, true
	case "vmax":
		return l.v * max(d.Viewport.W, d.Viewport.H) / 100, true
	}
	return 0, false
}

var sizes = map[string]float64{"xx-small": 9, "x-small": 10, "small": 13, "medium": 16, "large": 18, "x-large": 24, "xx-large": 32, "xxx-large": 48}

// FontSize returns the computed font size in CSS pixels.
func FontSize(n *dom.Node) float64 {
	if n == nil || n.Kind == dom.DocumentKind {
		return 16
	}
	if n.Kind == dom.TextKind {
		return FontSize(n.Parent)
	}
	v, ok := own(n, "font-size")
	if !ok || v == "unset" || v == "revert" {
		v = userAgent(n, "font-size")
	}
	switch v {
	case "", "inherit":
		return FontSize(n.Parent)
	case "initial":
		return 16
	case "smaller":
		return FontSize(n.Parent) / 1.2
	case "larger":
		return FontSize(n.Parent) * 1.2
	}
	if s, ok := sizes[v]; ok {
		return s
	}
	if strings.HasSuffix(v, "px") {
		if l, ok := number(strings.TrimSuffix(v, "px")); ok {
			return l
		}
	}
	parent := FontSize(n.Parent)
	if strings.HasSuffix(v, "%") {
		if p, ok := number(strings.TrimSuffix(v, "%")); ok {
			return parent * p / 100
		}
	}
	if n == n.Doc.HTML && strings.HasSuffix(v, "rem") {
		v = strings.TrimSuffix(v, "rem") + "em"
	}
	if l, ok := Length(n.Doc, v, parent); ok {
		return l
	}
	return parent
}

// Px returns the computed value of a length property in CSS pixels, false when it is not a length that is known.
func Px(n *dom.Node, prop string) (float64, bool) {
	return Length(n.Doc, Value(n, prop), FontSize(n))
}
