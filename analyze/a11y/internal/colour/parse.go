package colour

import (
	"math"
	"strconv"
	"strings"
)

// Parse reads a colour. current is what currentcolor stands for. The missing component "none" counts as 0. It returns
// false for what is no colour.
func Parse(s string, current RGBA) (RGBA, bool) { return parse(s, current, 0) }

func parse(s string, current RGBA, depth int) (RGBA, bool) {
	s = strings.ToLower(strings.TrimSpace(s))
	if s == "" || depth > 8 || len(s) > 1000 {
		return RGBA{}, false
	}
	if s[0] == '#' {
		return hex(s[1:])
	}
	open := strings.IndexByte(s, '(')
	if open < 0 {
		switch s {
		case "transparent":
			return RGBA{}, true
		case "currentcolor":
			return current, true
		}
		if v, ok := named[s]; ok {
			return RGBA{float64(v>>16) / 255, float64(v>>8&255) / 255, float64(v&255) / 255, 1}, true
		}
		return RGBA{}, false
	}
	if !strings.HasSuffix(s, ")") {
		return RGBA{}, false
	}
	name, body := s[:open], s[open+1:len(s)-1]
	switch name {
	case "color-mix":
		return mix(body, current, depth)
	case "light-dark":
		if p := split(body, ','); len(p) == 2 {
			return parse(p[0], current, depth+1)
		}
		return RGBA{}, false
	}
	parts, alpha, ok := arguments(body)
	if !ok {
		return RGBA{}, false
	}
	a := 1.0
	if alpha != "" {
		if a, ok = component(alpha, 1); !ok {
			return RGBA{}, false
		}
		a = clamp(a)
	}
	if name == "color" {
		if len(parts) != 4 {
			return RGBA{}, false
		}
		return colorFunction(parts, a)
	}
	if len(parts) != 3 {
		return RGBA{}, false
	}
	num := func(i int, full float64) float64 {
		v, good := component(parts[i], full)
		ok = ok && good
		return v
	}
	var c RGBA
	switch name {
	case "rgb", "rgba":
		c = RGBA{num(0, 255) / 255, num(1, 255) / 255, num(2, 255) / 255, a}
	case "hsl", "hsla":
		h, good := angle(parts[0])
		ok = good
		c = hslToRGB(h, clamp(num(1, 100)/100), clamp(num(2, 100)/100), a)
	case "hwb":
		h, good := angle(parts[0])
		ok = good
		w, b := num(1, 100)/100, num(2, 100)/100
		if w+b >= 1 {
			g := w / (w + b)
			c = RGBA{g, g, g, a}
			break
		}
		c = hslToRGB(h, 1, 0.5, a)
		f := func(v float64) float64 { return v*(1-w-b) + w }
		c = RGBA{f(c.R), f(c.G), f(c.B), a}
	case "lab":
		l := math.Max(0, math.Min(100, num(0, 100)))
		c = fromXYZ(labToXYZ(l, num(1, 125), num(2, 125)), a)
	case "lch":
		l, ch := math.Max(0, math.Min(100, num(0, 100))), math.Max(0, num(1, 150))
		h, good := angle(parts[2])
		ok = ok && good
		c = fromXYZ(labToXYZ(l, ch*math.Cos(h*math.Pi/180), ch*math.Sin(h*math.Pi/180)), a)
	case "oklab":
		l := clamp(num(0, 1))
		c = fromXYZ(oklabToXYZ(l, num(1, 0.4), num(2, 0.4)), a)
	case "oklch":
		l, ch := clamp(num(0, 1)), math.Max(0, num(1, 0.4))
		h, good := angle(parts[2])
		ok = ok && good
		c = fromXYZ(oklabToXYZ(l, ch*math.Cos(h*math.Pi/180), ch*math.Sin(h*math.Pi/180)), a)
	default:
		return RGBA{}, false
	}
	return c.clip(), ok
}

func hex(s string) (RGBA, bool) {
	if len(s) == 3 || len(s) == 4 {
		var b strings.Builder
		for _, r := range s {
			b.WriteRune(r)
			b.WriteRune(r)
		}
		s = b.String()
	}
	if len(s) == 6 {
		s += "ff"
	}
	v, err := strconv.ParseUint(s, 16, 32)
	if err != nil || len(s) != 8 {
		return RGBA{}, false
	}
	return RGBA{float64(v>>24) / 255, float64(v>>16&255) / 255, float64(v>>8&255) / 255, float64(v&255) / 255}, true
}

// arguments parts the body of a colour function, in the form with commas or the one with spaces and a slash.
func arguments(s string) (parts []string, alpha string, ok bool) {
	if strings.HasPrefix(strings.TrimSpace(s), "from ") {
		return nil, "", false // relative colours are resolved before they become computed values
	}
	if strings.Contains(s, ",") {
		parts = split(s, ',')
		if len(parts) == 4 {
			return parts[:3], parts[3], true
		}
		return parts, "", len(parts) == 3
	}
	main, alpha, hasAlpha := strings.Cut(s, "/")
	parts = fields(main)
	return parts, strings.TrimSpace(alpha), !hasAlpha || strings.TrimSpace(alpha) != ""
}

// component reads a number or a percentage of full; none is 0.
func component(s string, full float64) (float64, bool) {
	s = strings.TrimSpace(s)
	if s == "none" {
		return 0, true
	}
	if strings.HasPrefix(s, "calc(") && strings.HasSuffix(s, ")") {
		s = strings.TrimSpace(s[5 : len(s)-1])
		if s == "infinity" {
			return math.Inf(1), true
		}
	}
	if strings.HasSuffix(s, "%") {
		v, err := strconv.ParseFloat(s[:len(s)-1], 64)
		return v / 100 * full, err == nil
	}
	v, err := strconv.ParseFloat(s, 64)
	return v, err == nil && !math.IsNaN(v)
}

func angle(s string) (float64, bool) {
	s = strings.TrimSpace(s)
	if s == "none" {
		return 0, true
	}
	unit := 1.0
	switch {
	case strings.HasSuffix(s, "deg"):
		s = s[:len(s)-3]
	case strings.HasSuffix(s, "grad"):
		s, unit = s[:len(s)-4], 0.9
	case strings.HasSuffix(s, "rad"):
		s, unit = s[:len(s)-3], 180/math.Pi
	case strings.HasSuffix(s, "turn"):
		s, unit = s[:len(s)-4], 360
	}
	v, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
	return v * unit, err == nil && !math.IsInf(v, 0) && !math.IsNaN(v)
}

func colorFunction(p []string, a float64) (RGBA, bool) {
	var v vec
	for i := range v {
		x, ok := component(p[i+1], 1)
		if !ok {
			return RGBA{}, false
		}
		v[i] = x
	}
	each := func(f func(float64) float64) vec { return vec{f(v[0]), f(v[1]), f(v[2])} }
	power := func(g float64) func(float64) float64 {
		return func(x float64) float64 { return math.Copysign(math.Pow(math.Abs(x), g), x) }
	}
	var c RGBA
	switch p[0] {
	case "srgb":
		c = RGBA{v[0], v[1], v[2], a}
	case "srgb-linear":
		c = RGBA{encode(v[0]), encode(v[1]), encode(v[2]), a}
	case "display-p3":
		c = fromXYZ(p3ToXYZ.mul(each(decode)), a)
	case "a98-rgb":
		c = fromXYZ(a98ToXYZ.mul(each(power(563.0/256))), a)
	case "prophoto-rgb":
		c = fromXYZ(d50ToD65.mul(proToXYZ.mul(each(func(x float64) float64 {
			if math.Abs(x) <= 16.0/512 {
				return x / 16
			}
			return power(1.8)(x)
		}))), a)
	case "rec2020":
		const alpha, beta = 1.09929682680944, 0.018053968510807
		c = fromXYZ(recToXYZ.mul(each(func(x float64) float64 {
			if math.Abs(x) < beta*4.5 {
				return x / 4.5
			}
			return math.Copysign(math.Pow((math.Abs(x)+alpha-1)/alpha, 1/0.45), x)
		})), a)
	case "xyz", "xyz-d65":
		c = fromXYZ(v, a)
	case "xyz-d50":
		c = fromXYZ(d50ToD65.mul(v), a)
	default:
		return RGBA{}, false
	}
	return c.clip(), true
}

// mix reads "in oklab, red 30%, blue".
func mix(body string, current RGBA, depth int) (RGBA, bool) {
	p := split(body, ',')
	if len(p) != 3 || !strings.HasPrefix(p[0], "in ") {
		return RGBA{}, false
	}
	c1, w1, ok1 := weighted(p[1], current, depth)
	c2, w2, ok2 := weighted(p[2], current, depth)
	if !ok1 || !ok2 {
		return RGBA{}, false
	}
	switch {
	case w1 < 0 && w2 < 0:
		w1, w2 = 0.5, 0.5
	case w1 < 0:
		w1 = 1 - w2
	case w2 < 0:
		w2 = 1 - w1
	}
	sum := w1 + w2
	if sum <= 0 {
		return RGBA{}, false
	}
	fade := math.Min(1, sum)
	w1, w2 = w1/sum, w2/sum
	a := c1.A*w1 + c2.A*w2
	space := fields(p[0])[1]
	polar := -1
	var to func(RGBA) vec
	var from func(vec) RGBA
	switch space {
	case "srgb":
		to = func(c RGBA) vec { return vec{c.R, c.G, c.B} }
		from = func(v vec) RGBA { return RGBA{v[0], v[1], v[2], 1} }
	case "srgb-linear":
		to = func(c RGBA) vec { return vec{decode(c.R), decode(c.G), decode(c.B)} }
		from = func(v vec) RGBA { return RGBA{encode(v[0]), encode(v[1]), encode(v[2]), 1} }
	case "lab", "lch":
		to = func(c RGBA) vec { l, a, b := xyzToLab(c.xyz()); return vec{l, a, b} }
		from = func(v vec) RGBA { return fromXYZ(labToXYZ(v[0], v[1], v[2]), 1) }
	case "oklab", "oklch":
		to = func(c RGBA) vec { l, a, b := xyzToOklab(c.xyz()); return vec{l, a, b} }
		from = func(v vec) RGBA { return fromXYZ(oklabToXYZ(v[0], v[1], v[2]), 1) }
	case "hsl", "hwb":
		polar = 0
		to = func(c RGBA) vec { h, s, l := rgbToHSL(c); return vec{h, s, l} }
		from = func(v vec) RGBA { return hslToRGB(v[0], v[1], v[2], 1) }
	case "xyz", "xyz-d65", "xyz-d50":
		to = func(c RGBA) vec { return c.xyz() }
		from = func(v vec) RGBA { return fromXYZ(v, 1) }
	default:
		return RGBA{}, false
	}
	v1, v2 := to(c1), to(c2)
	if space == "lch" || space == "oklch" {
		polar = 2
		v1, v2 = toPolar(v1), toPolar(v2)
	}
	// A colour without opacity has no hue or other part of its own to mix.
	var v vec
	for i := range v {
		if i == polar {
			v[i] = hue(v1[i], v2[i], w2)
			continue
		}
		if a > 0 {
			v[i] = (v1[i]*c1.A*w1 + v2[i]*c2.A*w2) / a
		}
	}
	if polar == 2 {
		v = vec{v[0], v[1] * math.Cos(v[2]*math.Pi/180), v[1] * math.Sin(v[2]*math.Pi/180)}
	}
	out := from(v)
	out.A = a * fade
	return out.clip(), true
}

func toPolar(v vec) vec {
	h := math.Atan2(v[2], v[1]) * 180 / math.Pi
	return vec{v[0], math.Hypot(v[1], v[2]), h}
}

// hue mixes two angles by the shorter way.
func hue(a, b, w float64) float64 {
	d := math.Mod(b-a, 360)
	if d > 180 {
		d -= 360
	}
	if d < -180 {
		d += 360
	}
	return a + d*w
}

func weighted(s string, current RGBA, depth int) (RGBA, float64, bool) {
	w := -1.0
	f := fields(s)
	var rest []string
	for _, x := range f {
		if strings.HasSuffix(x, "%") {
			v, err := strconv.ParseFloat(x[:len(x)-1], 64)
			if err != nil || v < 0 || v > 100 {
				return RGBA{}, 0, false
			}
			w = v / 100
			continue
		}
		rest = append(rest, x)
	}
	c, ok := parse(strings.Join(rest, " "), current, depth+1)
	return c, w, ok
}

// split parts at a separator outside of brackets.
func split(s string, sep byte) []string {
	var out []string
	depth, start := 0, 0
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '(':
			depth++
		case c == ')':
			depth--
		case c == sep && depth == 0:
			out = append(out, strings.TrimSpace(s[start:i]))
			start = i + 1
		}
	}
	return append(out, strings.TrimSpace(s[start:]))
}

// fields parts at white space outside of brackets.
func fields(s string) []string {
	var out []string
	depth, start := 0, -1
	for i := 0; i <= len(s); i++ {
		space := i == len(s) || depth == 0 && (s[i] == ' ' || s[i] == '\t' || s[i] == '\n')
		if space {
			if start >= 0 {
				out = append(out, s[start:i])
				start = -1
			}
			continue
		}
		if start < 0 {
			start = i
		}
		switch s[i] {
		case '(':
			depth++
		case ')':
			depth--
		}
	}
	return out
}
