package css

import (
	"slices"
	"strings"

	"github.com/amblecrawl/amble/analyze/a11y/internal/dom"
)

// MediaApplies tells whether all conditions hold on a screen of the given size.
func MediaApplies(conds []string, viewport dom.Rect) bool {
	for _, c := range conds {
		if !slices.ContainsFunc(Split(strings.ToLower(c), ','), func(q string) bool { return mediaQuery(q, viewport) }) {
			return false
		}
	}
	return true
}

func mediaQuery(q string, vp dom.Rect) bool {
	q = strings.TrimSpace(q)
	if q == "" {
		return true
	}
	negate := false
	if strings.HasPrefix(q, "not ") {
		negate, q = true, strings.TrimSpace(q[4:])
	}
	q = strings.TrimPrefix(q, "only ")
	ok := true
	for _, part := range splitWord(q, "and") {
		ok = ok && slices.ContainsFunc(splitWord(part, "or"), func(p string) bool { return mediaFeature(p, vp) })
	}
	return ok != negate
}

func splitWord(s, word string) []string {
	var out []string
	cur := ""
	for _, f := range Fields(s) {
		if f == word {
			out = append(out, strings.TrimSpace(cur))
			cur = ""
			continue
		}
		cur += " " + f
	}
	return append(out, strings.TrimSpace(cur))
}

func mediaFeature(p string, vp dom.Rect) bool {
	switch p {
	case "screen", "all":
		return true
	case "print", "speech", "tty", "tv", "projection", "handheld", "aural", "braille", "embossed":
		return false
	}
	if strings.HasPrefix(p, "not ") {
		return !mediaFeature(strings.TrimSpace(p[4:]), vp)
	}
	if !strings.HasPrefix(p, "(") || !strings.HasSuffix(p, ")") {
		return false
	}
	in := strings.TrimSpace(p[1 : len(p)-1])
	if strings.HasPrefix(in, "(") || strings.HasPrefix(in, "not ") {
		return mediaQuery(in, vp)
	}
	if strings.ContainsAny(in, "<>") {
		return rangeFeature(in, vp)
	}
	name, value, has := strings.Cut(in, ":")
	name, value = strings.TrimSpace(name), strings.TrimSpace(value)
	if !has {
		switch name {
		case "color", "width", "height", "hover", "pointer", "any-hover", "any-pointer", "scripting", "grid-none":
			return true
		}
		return false
	}
	px := func() float64 {
		l, _ := Length(&dom.Document{Viewport: vp}, value, 16)
		return l
	}
	switch name {
	case "min-width", "min-device-width":
		return vp.W >= px()
	case "max-width", "max-device-width":
		return vp.W <= px()
	case "min-height", "min-device-height":
		return vp.H >= px()
	case "max-height", "max-device-height":
		return vp.H <= px()
	case "width":
		return vp.W == px()
	case "orientation":
		return value == "landscape" == (vp.W > vp.H)
	case "prefers-color-scheme":
		return value == "light"
	case "prefers-reduced-motion", "prefers-contrast", "prefers-reduced-data", "prefers-reduced-transparency":
		return value == "no-preference"
	case "forced-colors", "inverted-colors":
		return value == "none"
	case "hover", "any-hover":
		return value == "hover"
	case "pointer", "any-pointer":
		return value == "fine"
	case "scripting":
		return value == "enabled"
	}
	return false
}

// rangeFeature reads "width >= 600px" and "400px < width <= 700px".
func rangeFeature(in string, vp dom.Rect) bool {
	in = strings.NewReplacer("<=", " ≤ ", ">=", " ≥ ", "<", " < ", ">", " > ").Replace(in)
	f := strings.Fields(in)
	val := func(s string) (float64, bool) {
		switch s {
		case "width":
			return vp.W, true
		case "height":
			return vp.H, true
		}
		return Length(&dom.Document{Viewport: vp}, s, 16)
	}
	for i := 0; i+2 < len(f); i += 2 {
		a, ok1 := val(f[i])
		b, ok2 := val(f[i+2])
		if !ok1 || !ok2 {
			return false
		}
		switch f[i+1] {
		case "<":
			ok1 = a < b
		case ">":
			ok1 = a > b
		case "≤":
			ok1 = a <= b
		case "≥":
			ok1 = a >= b
		}
		if !ok1 {
			return false
		}
	}
	return len(f) >= 3
}
