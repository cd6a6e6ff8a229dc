// Package colour reads colours in every form of CSS Color 4 that computed styles can hold, brings them to sRGB as a
// browser paints them, blends them and measures their contrast by WCAG 2.
package colour

import "math"

// RGBA is a colour in sRGB, gamma encoded, not premultiplied; each part from 0 to 1.
type RGBA struct{ R, G, B, A float64 }

// The two ends.
var (
	White       = RGBA{1, 1, 1, 1}
	Black       = RGBA{0, 0, 0, 1}
	Transparent = RGBA{}
)

// Over paints c over a backdrop (source-over).
func (c RGBA) Over(back RGBA) RGBA {
	a := c.A + back.A*(1-c.A)
	if a == 0 {
		return RGBA{}
	}
	mix := func(s, b float64) float64 { return (s*c.A + b*back.A*(1-c.A)) / a }
	return RGBA{mix(c.R, back.R), mix(c.G, back.G), mix(c.B, back.B), a}
}

// Fade multiplies the opacity.
func (c RGBA) Fade(opacity float64) RGBA { c.A *= opacity; return c }

// Opaque tells whether nothing shines through.
func (c RGBA) Opaque() bool { return c.A >= 0.9995 }

// Luminance is WCAG 2's relative luminance of an opaque colour.
func (c RGBA) Luminance() float64 {
	return 0.2126*channel(c.R) + 0.7152*channel(c.G) + 0.0722*channel(c.B)
}

// channel follows WCAG 2's text: the threshold is 0.04045 (WCAG's older 0.03928 gives the same for 8 bit values).
func channel(v float64) float64 {
	if v <= 0.04045 {
		return v / 12.92
	}
	return math.Pow((v+0.055)/1.055, 2.4)
}

// Contrast is WCAG 2's contrast ratio of two opaque colours, from 1 to 21.
func Contrast(a, b RGBA) float64 {
	la, lb := a.Luminance(), b.Luminance()
	if la < lb {
		la, lb = lb, la
	}
	return (la + 0.05) / (lb + 0.05)
}

// Hex writes the colour as #rrggbb, with the opacity behind when it is not opaque.
func (c RGBA) Hex() string {
	const digits = "0123456789abcdef"
	out := []byte{'#'}
	for _, v := range []float64{c.R, c.G, c.B, c.A} {
		b := int(math.Round(clamp(v) * 255))
		out = append(out, digits[b>>4], digits[b&15])
	}
	if c.Opaque() {
		out = out[:7]
	}
	return string(out)
}

func clamp(v float64) float64 { return math.Max(0, math.Min(1, v)) }

// clip brings a colour into the gamut by cutting, as browsers do for screens in sRGB.
func (c RGBA) clip() RGBA { return RGBA{clamp(c.R), clamp(c.G), clamp(c.B), clamp(c.A)} }

func encode(v float64) float64 {
	s := 1.0
	if v < 0 {
		s, v = -1, -v
	}
	if v <= 0.0031308 {
		return s * 12.92 * v
	}
	return s * (1.055*math.Pow(v, 1/2.4) - 0.055)
}

func decode(v float64) float64 {
	s := 1.0
	if v < 0 {
		s, v = -1, -v
	}
	if v <= 0.04045 {
		return s * v / 12.92
	}
	return s * math.Pow((v+0.055)/1.055, 2.4)
}

type vec [3]float64

func (m matrix) mul(v vec) vec {
	var out vec
	for i := range 3 {
		out[i] = m[i][0]*v[0] + m[i][1]*v[1] + m[i][2]*v[2]
	}
	return out
}

type matrix [3]vec

var (
	// Linear sRGB and XYZ with the white point D65 (CSS Color 4, sample code's values).
	xyzToSRGB = matrix{{3.2409699419045213, -1.5373831775700935, -0.4986107602930033}, {-0.9692436362808798, 1.8759675015077206, 0.04155505740717561}, {0.05563007969699361, -0.20397695888897657, 1.0569715142428786}}
	srgbToXYZ = matrix{{0.4123907992659595, 0.35758433938387796, 0.1804807884018343}, {0.21263900587151036, 0.7151686787677559, 0.07219231536073371}, {0.01933081871559185, 0.11919477979462599, 0.9505321522496606}}
	p3ToXYZ   = matrix{{0.4865709486482162, 0.26566769316909306, 0.1982172852343625}, {0.2289745640697488, 0.6917385218365064, 0.079286914093745}, {0, 0.04511338185890264, 1.043944368900976}}
	a98ToXYZ  = matrix{{0.5766690429101305, 0.1855582379065463, 0.1882286462349947}, {0.29734497525053605, 0.6273635662554661, 0.07529145849399788}, {0.02703136138641234, 0.07068885253582723, 0.9913375368376388}}
	proToXYZ  = matrix{{0.7977666449006423, 0.13518129740053308, 0.0313477341283922}, {0.2880748288194013, 0.711835234241873, 0.00008993693872564}, {0, 0, 0.8251046025104602}}
	recToXYZ  = matrix{{0.6369580483012914, 0.14461690358620832, 0.1688809751641721}, {0.2627002120112671, 0.6779980715188708, 0.05930171646986196}, {0, 0.028072693049087428, 1.060985057710791}}
	d50ToD65  = matrix{{0.955473421488075, -0.02309845494876471, 0.06325924320057072}, {-0.0283697093338637, 1.0099953980813041, 0.021041441191917323}, {0.012314014864481998, -0.020507649298898964, 1.330365926242124}}
	d65ToD50  = matrix{{1.0479297925449969, 0.022946870601609652, -0.05019226628920524}, {0.02962780877005599, 0.9904344267538799, -0.017073799063418826}, {-0.009243040646204504, 0.015055191490298152, 0.7518742814281371}}
	// Oklab.
	oklabToLMS = matrix{{1, 0.3963377773761749, 0.2158037573099136}, {1, -0.1055613458156586, -0.0638541728258133}, {1, -0.0894841775298119, -1.2914855480194092}}
	lmsToXYZ   = matrix{{1.2268798758459243, -0.5578149944602171, 0.2813910456659647}, {-0.0405757452148008, 1.1122868032803170, -0.0717110580655164}, {-0.0763729366746601, -0.4214933324022432, 1.5869240198367816}}
	xyzToLMS   = matrix{{0.8190224379967030, 0.3619062600528904, -0.1288737815209879}, {0.0329836539323885, 0.9292868615863434, 0.0361446663506424}, {0.0481771893596242, 0.2642395317527308, 0.6335478284694309}}
	lmsToOklab = matrix{{0.2104542683093140, 0.7936177747023054, -0.0040720430116193}, {1.9779985324311684, -2.4285922420485799, 0.4505937096174110}, {0.0259040424655478, 0.7827717124575296, -0.8086757549230774}}
)

func fromXYZ(v vec, a float64) RGBA {
	l := xyzToSRGB.mul(v)
	return RGBA{encode(l[0]), encode(l[1]), encode(l[2]), a}
}

func (c RGBA) xyz() vec { return srgbToXYZ.mul(vec{decode(c.R), decode(c.G), decode(c.B)}) }

func labToXYZ(l, a, b float64) vec {
	const k, e = 24389.0 / 27, 216.0 / 24389
	fy := (l + 16) / 116
	fx, fz := a/500+fy, fy-b/200
	inv := func(f float64) float64 {
		if f*f*f > e {
			return f * f * f
		}
		return (116*f - 16) / k
	}
	y := l / k
	if l > k*e {
		y = fy * fy * fy
	}
	// White point D50.
	return d50ToD65.mul(vec{inv(fx) * 0.9642956764295677, y, inv(fz) * 0.8251046025104602})
}

func xyzToLab(v vec) (l, a, b float64) {
	const k, e = 24389.0 / 27, 216.0 / 24389
	w := d65ToD50.mul(v)
	f := func(t float64) float64 {
		if t > e {
			return math.Cbrt(t)
		}
		return (k*t + 16) / 116
	}
	fx, fy, fz := f(w[0]/0.9642956764295677), f(w[1]), f(w[2]/0.8251046025104602)
	return 116*fy - 16, 500 * (fx - fy), 200 * (fy - fz)
}

func oklabToXYZ(l, a, b float64) vec {
	m := oklabToLMS.mul(vec{l, a, b})
	for i := range m {
		m[i] = m[i] * m[i] * m[i]
	}
	return lmsToXYZ.mul(m)
}

func xyzToOklab(v vec) (l, a, b float64) {
	m := xyzToLMS.mul(v)
	for i := range m {
		m[i] = math.Cbrt(m[i])
	}
	o := lmsToOklab.mul(m)
	return o[0], o[1], o[2]
}

func hslToRGB(h, s, l, a float64) RGBA {
	f := func(n float64) float64 {
		k := math.Mod(n+h/30, 12)
		if k < 0 {
			k += 12
		}
		return l - s*math.Min(l, 1-l)*math.Max(-1, math.Min(math.Min(k-3, 9-k), 1))
	}
	return RGBA{f(0), f(8), f(4), a}
}

func rgbToHSL(c RGBA) (h, s, l float64) {
	hi, lo := math.Max(c.R, math.Max(c.G, c.B)), math.Min(c.R, math.Min(c.G, c.B))
	l = (hi + lo) / 2
	d := hi - lo
	if d == 0 {
		return 0, 0, l
	}
	if l != 0 && l != 1 {
		s = (hi - l) / math.Min(l, 1-l)
	}
	switch hi {
	case c.R:
		h = (c.G - c.B) / d
		if c.G < c.B {
			h += 6
		}
	case c.G:
		h = (c.B-c.R)/d + 2
	default:
		h = (c.R-c.G)/d + 4
	}
	return h * 60, s, l
}
