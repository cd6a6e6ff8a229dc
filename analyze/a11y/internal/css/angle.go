package css

import (
	"math"
	"strings"

	"github.com/amblecrawl/amble/analyze/a11y/internal/dom"
)

// RotateAngle reads a value of the property rotate and returns the turn around the axis towards the viewer, in degrees.
// It is false for turns around other axes that cannot be told as one angle.
func RotateAngle(v string) (float64, bool) {
	f := Fields(strings.ToLower(v))
	switch {
	case len(f) == 1 && (f[0] == "none" || f[0] == "initial" || f[0] == "unset"):
		return 0, true
	case len(f) == 1:
		return degrees(f[0])
	case len(f) == 2 && f[0] == "z":
		return degrees(f[1])
	case len(f) == 2 && f[1] == "z":
		return degrees(f[0])
	case len(f) == 2:
		return 0, true // around x or y: not a turn in the plane
	case len(f) == 4:
		a, ok := degrees(f[3])
		return axis(f[:3], a, ok)
	}
	return 0, false
}

func axis(v []string, a float64, ok bool) (float64, bool) {
	x, ok1 := number(strings.TrimSpace(v[0]))
	y, ok2 := number(strings.TrimSpace(v[1]))
	z, ok3 := number(strings.TrimSpace(v[2]))
	if !ok || !ok1 || !ok2 || !ok3 {
		return 0, false
	}
	if x == 0 && y == 0 {
		if z < 0 {
			a = -a
		}
		return a, true
	}
	return 0, z == 0
}

func degrees(s string) (float64, bool) {
	for _, u := range []struct {
		unit string
		deg  float64
	}{{"deg", 1}, {"grad", 0.9}, {"rad", 180 / math.Pi}, {"turn", 360}} {
		if strings.HasSuffix(s, u.unit) {
			v, ok := number(strings.TrimSpace(strings.TrimSuffix(s, u.unit)))
			return v * u.deg, ok
		}
	}
	if v, ok := number(s); ok && v == 0 {
		return 0, true
	}
	return 0, false
}

// TransformAngle reads a value of the property transform and returns the sum of its turns in the plane, in degrees.
func TransformAngle(v string) (float64, bool) {
	v = strings.ToLower(v)
	total := 0.0
	for _, f := range Fields(v) {
		open := strings.IndexByte(f, '(')
		if open < 0 || !strings.HasSuffix(f, ")") {
			if f == "none" || f == "initial" || f == "unset" || f == "inherit" {
				continue
			}
			return 0, false
		}
		name, args := f[:open], Split(f[open+1:len(f)-1], ',')
		a, ok := 0.0, true
		switch name {
		case "rotate", "rotatez":
			a, ok = degrees(args[0])
		case "rotate3d":
			if len(args) != 4 {
				return 0, false
			}
			a, ok = degrees(args[3])
			a, ok = axis(args[:3], a, ok)
		case "matrix", "matrix3d":
			if len(args) < 2 {
				return 0, false
			}
			x, ok1 := number(args[0])
			y, ok2 := number(args[1])
			a, ok = math.Atan2(y, x)*180/math.Pi, ok1 && ok2
		}
		if !ok {
			return 0, false
		}
		total += a
	}
	return total, true
}

// ValueWithout returns the value that a property has when a rule does not apply: what remains of the cascade by rules
// that are free of the rule's media conditions and by the style attribute. "" when nothing sets it.
func ValueWithout(n *dom.Node, skip *Rule, prop string) string {
	best, level := "", -1
	var spec [3]int
	for _, s := range Sheets(n.Doc) {
		for _, r := range s.Rules {
			if r == skip || len(r.Media) > 0 && strings.Join(r.Media, "|") == strings.Join(skip.Media, "|") {
				continue
			}
			opposite := dom.Rect{W: 720, H: 1280}
			if !MediaApplies(skip.Media, dom.Rect{W: 1280, H: 720}) {
				opposite = dom.Rect{W: 1280, H: 720}
			}
			if !MediaApplies(r.Media, opposite) {
				continue
			}
			for i := range r.Selectors {
				if r.Selectors[i].Pseudo != "" || r.Selectors[i].State || !r.Selectors[i].Match(n) {
					continue
				}
				for _, d := range r.Decls {
					l := 0
					if d.Important {
						l = 2
					}
					if d.Name == prop && (l > level || l == level && !less(r.Selectors[i].Spec, spec)) {
						best, level, spec = d.Value, l, r.Selectors[i].Spec
					}
				}
			}
		}
	}
	for _, d := range ParseDecls(n.A("style")) {
		l := 1
		if d.Important {
			l = 3
		}
		if d.Name == prop && l >= level {
			best, level = d.Value, l
		}
	}
	return best
}
