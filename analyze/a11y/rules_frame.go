package a11y

import (
	"math"
	"strconv"
	"strings"

	"github.com/amblecrawl/amble/analyze/a11y/internal/aria"
	"github.com/amblecrawl/amble/analyze/a11y/internal/css"
	"github.com/amblecrawl/amble/analyze/a11y/internal/dom"
)

// frameTabindex: an iframe with something to tab to inside is not taken out of the tab order (ACT akn7bn).
func frameTabindex(p *pass) {
	p.each(func(n *dom.Node) {
		if !n.Is("iframe") || n.Inert {
			return
		}
		t, ok := aria.TabIndex(n)
		negative := ok && t < 0
		if n.Frame == nil {
			if negative && n.A("src") != "" && !n.NotRendered && !n.Invisible {
				p.cannot(n, "What the iframe holds is not known; its tabindex keeps the keyboard out.", "src", n.A("src"))
			}
			return
		}
		for _, e := range n.Frame.Nodes {
			if e.Kind == dom.ElementKind && aria.TabbableIn(e) && css.Visible(e) {
				p.verdict(n, !negative, "The iframe cannot be entered with the Tab key, but holds elements to be used.", "inside", selector(e))
				return
			}
		}
	})
}

// orientation: no CSS turns the content by 90 degrees in one orientation of the screen only (ACT b33eff).
func orientation(p *pass) {
	for _, d := range p.page.docs {
		land := dom.Rect{W: 1280, H: 720}
		port := dom.Rect{W: 720, H: 1280}
		for _, s := range css.Sheets(d) {
			for _, r := range s.Rules {
				if !mentionsOrientation(r.Media) || !turns(r) {
					continue
				}
				inLand, inPort := css.MediaApplies(r.Media, land), css.MediaApplies(r.Media, port)
				if inLand == inPort {
					continue
				}
				for _, n := range d.Nodes {
					if !n.IsHTML() || !css.Visible(n) {
						continue
					}
					for i := range r.Selectors {
						if r.Selectors[i].Pseudo == "" && r.Selectors[i].Match(n) {
							judgeTurn(p, d, n, r)
							break
						}
					}
				}
			}
		}
	}
}

func mentionsOrientation(media []string) bool {
	for _, m := range media {
		if strings.Contains(strings.ToLower(m), "orientation") {
			return true
		}
	}
	return false
}

func turns(r *css.Rule) bool {
	for _, d := range r.Decls {
		v := strings.ToLower(d.Value)
		if d.Name == "rotate" || d.Name == "transform" && (strings.Contains(v, "rotate") || strings.Contains(v, "matrix")) {
			return true
		}
	}
	return false
}

func judgeTurn(p *pass, d *dom.Document, n *dom.Node, r *css.Rule) {
	angle, ok := 0.0, true
	for _, decl := range r.Decls {
		switch decl.Name {
		case "rotate":
			a, k := css.RotateAngle(decl.Value)
			angle, ok = angle+a, ok && k
		case "transform":
			a, k := css.TransformAngle(decl.Value)
			angle, ok = angle+a, ok && k
		}
	}
	// What the element has in the other orientation.
	other := 0.0
	if v := css.ValueWithout(n, r, "transform"); v != "" {
		a, k := css.TransformAngle(v)
		other, ok = other+a, ok && k
	}
	if v := css.ValueWithout(n, r, "rotate"); v != "" {
		a, k := css.RotateAngle(v)
		other, ok = other+a, ok && k
	}
	if !ok {
		p.cannot(n, "The rotation in "+strings.Join(r.Media, " and ")+" cannot be computed.")
		return
	}
	diff := math.Mod(math.Abs(angle-other), 360)
	locked := math.Abs(diff-90) < 1 || math.Abs(diff-270) < 1
	p.verdict(n, !locked, "The content is turned by 90 degrees in one orientation of the screen, so it keeps its orientation against the user's will.", "angle", strconv.FormatFloat(diff, 'f', -1, 64), "media", strings.Join(r.Media, " and "))
}
