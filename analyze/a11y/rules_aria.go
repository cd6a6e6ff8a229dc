package a11y

import (
	"strconv"
	"strings"

	"github.com/amblecrawl/amble/analyze/a11y/internal/aria"
	"github.com/amblecrawl/amble/analyze/a11y/internal/dom"
)

// ariaAttrValid: every attribute that starts with aria- exists (ACT 5f99a7).
func ariaAttrValid(p *pass) {
	known := aria.Properties()
	p.each(func(n *dom.Node) {
		for _, a := range n.Attr {
			if strings.HasPrefix(a.Name, "aria-") {
				_, ok := known[a.Name]
				p.verdict(n, ok, "The attribute "+a.Name+" is not defined by WAI-ARIA.", "attribute", a.Name)
			}
		}
	})
}

// roleValid: role attributes name a role that exists (ACT 674b10).
func roleValid(p *pass) {
	p.each(func(n *dom.Node) {
		v, ok := n.Get("role")
		if !ok || dom.IsASCIISpace(v) || !(n.IsHTML() || n.IsSVG()) || aria.ProgrammaticallyHidden(n) {
			return
		}
		p.verdict(n, aria.Explicit(n) != "", "The role attribute has no valid role.", "role", v)
	})
}

// ariaValueValid: states and properties have values of their type (ACT 6a7281).
func ariaValueValid(p *pass) {
	known := aria.Properties()
	p.each(func(n *dom.Node) {
		if !n.IsHTML() && !n.IsSVG() {
			return
		}
		for _, a := range n.Attr {
			prop, ok := known[a.Name]
			if !ok || a.Value == "" {
				continue
			}
			p.verdict(n, validValue(prop, a.Value), "The value of "+a.Name+" is not one that WAI-ARIA allows.", "attribute", a.Name, "value", cut(a.Value, 80))
		}
	})
}

func validValue(p aria.Property, v string) bool {
	low := strings.ToLower(strings.TrimSpace(v))
	one := func(words string) bool {
		for _, w := range strings.Fields(words) {
			if w == low {
				return true
			}
		}
		return false
	}
	switch p.Type {
	case aria.Bool:
		return one("true false")
	case aria.BoolUndef:
		return one("true false undefined")
	case aria.Tristate:
		return one("true false mixed undefined")
	case aria.Token:
		return one(p.Tokens)
	case aria.TokenList:
		for _, w := range strings.Fields(low) {
			if !strings.Contains(" "+p.Tokens+" ", " "+w+" ") {
				return false
			}
		}
		return strings.TrimSpace(v) != ""
	case aria.IDRef:
		return len(strings.Fields(v)) == 1
	case aria.IDRefs:
		return strings.TrimSpace(v) != ""
	case aria.Integer:
		_, err := strconv.ParseInt(low, 10, 64)
		return err == nil
	case aria.Number:
		_, err := strconv.ParseFloat(low, 64)
		return err == nil && !strings.ContainsAny(low, "xpin_")
	}
	return true
}

// ariaRequired: explicit roles have their required states and properties (ACT 4e8ab6).
func ariaRequired(p *pass) {
	p.each(func(n *dom.Node) {
		role := aria.Explicit(n)
		if role == "" || !(n.IsHTML() || n.IsSVG()) || !aria.Exposed(n) || role == aria.Implicit(n) {
			return
		}
		r, _ := aria.Lookup(role)
		missing := ""
		for _, req := range strings.Fields(r.Required) {
			attr := "aria-" + req
			if strings.TrimSpace(n.A(attr)) != "" || strings.Contains(" "+r.Default+" ", " "+req+" ") || nativeState(n, req) {
				continue
			}
			if role == "separator" && !aria.Focusable(n) {
				continue // only a focusable separator is a widget
			}
			if role == "combobox" && req == "controls" && strings.EqualFold(n.A("aria-expanded"), "false") {
				continue // WAI-ARIA 1.3 no longer asks for it: the popup of a closed combobox need not exist
			}
			missing = attr
			break
		}
		p.verdict(n, missing == "", "The role "+role+" needs the attribute "+missing+".", "role", role, "attribute", missing)
	})
}

// nativeState tells whether the element's own kind already gives the state.
func nativeState(n *dom.Node, state string) bool {
	typ := strings.ToLower(n.A("type"))
	switch state {
	case "checked":
		return n.Is("input") && (typ == "checkbox" || typ == "radio")
	case "level":
		return n.Is("h1", "h2", "h3", "h4", "h5", "h6")
	case "valuenow":
		return n.Is("input") && (typ == "range" || typ == "number") || n.Is("progress", "meter")
	case "selected":
		return n.Is("option")
	case "expanded", "controls":
		return n.Is("select") || state == "expanded" && n.Is("summary")
	}
	return false
}

// ariaAllowed: states and properties are supported by the role (ACT 5c01ea).
func ariaAllowed(p *pass) {
	known := aria.Properties()
	p.each(func(n *dom.Node) {
		if len(n.Attr) == 0 || !(n.IsHTML() || n.IsSVG()) {
			return
		}
		for _, a := range n.Attr {
			prop, ok := known[a.Name]
			if !ok || !aria.Exposed(n) {
				continue
			}
			role := aria.Of(n)
			good := prop.Global || aria.Supports(role, a.Name) || languageFeature(n, a.Name)
			shown := role
			if shown == "" {
				shown = "none of " + n.Tag
			}
			p.verdict(n, good, "The attribute "+a.Name+" has no meaning on an element with the role "+shown+".", "attribute", a.Name, "role", role)
		}
	})
}

// languageFeature tells whether ARIA in HTML lets authors use the attribute on the element although its role, or its
// lack of one, would not.
func languageFeature(n *dom.Node, attr string) bool {
	if n.NS != dom.HTML || aria.Explicit(n) != "" {
		return false
	}
	switch n.Tag {
	case "audio", "video", "embed", "iframe", "object":
		return aria.Supports("application", attr)
	case "input":
		switch strings.ToLower(n.A("type")) {
		case "password", "date", "datetime-local", "month", "time", "week", "color", "file":
			return aria.Supports("textbox", attr)
		case "checkbox":
			return attr == "aria-pressed" // the toggle button pattern
		}
	case "summary":
		return aria.Supports("button", attr)
	case "body", "html":
		return aria.Supports("document", attr)
	}
	return false
}

// ariaProhibited: no naming or describing where the role prohibits it (ACT kb1m8s; also a failure of 5c01ea).
func ariaProhibited(p *pass) {
	p.each(func(n *dom.Node) {
		if !(n.IsHTML() || n.IsSVG()) {
			return
		}
		for _, a := range n.Attr {
			prop, ok := aria.Properties()[a.Name]
			if !ok || !prop.Global || strings.TrimSpace(a.Value) == "" || aria.ProgrammaticallyHidden(n) {
				continue
			}
			role := aria.Of(n)
			p.verdict(n, !aria.Prohibits(role, a.Name), "The attribute "+a.Name+" must not be used on an element with the role "+role+".", "attribute", a.Name, "role", role)
		}
	})
}

// ariaHiddenFocus: nothing inside of aria-hidden=true can be tabbed to (ACT 6cfa84).
func ariaHiddenFocus(p *pass) {
	p.each(func(n *dom.Node) {
		if !strings.EqualFold(n.A("aria-hidden"), "true") {
			return
		}
		f := aria.HasTabbable(n, true)
		switch {
		case f == nil:
			p.ok(n)
		case movesFocus(f):
			p.cannot(f, "The element is hidden from assistive technology and takes the focus, but a script seems to move the focus away at once.")
		default:
			p.fail(f, "The element can be reached with the Tab key although it is hidden from assistive technology.", "hidden by", selector(n))
		}
	})
}

// movesFocus tells whether a focus handler seems to send the focus elsewhere: one in the markup, or in a script of the
// page that names the element.
func movesFocus(n *dom.Node) bool {
	if id := n.A("id"); id != "" {
		for _, s := range n.Doc.Scripts() {
			if strings.Contains(s, id) && strings.Contains(s, "focus") && (strings.Contains(s, "focus(") || strings.Contains(s, "blur(")) {
				return true
			}
		}
	}
	for _, a := range []string{"onfocus", "onfocusin"} {
		if v := n.A(a); strings.Contains(v, "blur(") || strings.Contains(v, "focus(") {
			return true
		}
	}
	return false
}

// ariaHiddenBody: the body is not hidden from assistive technology.
func ariaHiddenBody(p *pass) {
	for _, d := range p.page.docs {
		if b := d.Body(); b != nil && b.Has("aria-hidden") {
			p.verdict(b, !strings.EqualFold(b.A("aria-hidden"), "true"), "The whole page is hidden from assistive technology.")
		}
	}
}

// nestedInteractive: elements whose children are presentational hold nothing that can be tabbed to (ACT 307n5z).
func nestedInteractive(p *pass) {
	p.each(func(n *dom.Node) {
		if !(n.IsHTML() || n.IsSVG()) {
			return
		}
		role := aria.Of(n)
		if r, _ := aria.Lookup(role); !r.Presentation || n.NotRendered || n.Is("img", "input", "meter", "progress", "option", "hr") {
			return
		}
		f := aria.HasTabbable(n, false)
		if f == nil {
			p.ok(n)
			return
		}
		p.fail(f, "The element can take the focus inside of an element with the role "+role+", whose content assistive technology does not see.", "role", role, "inside", selector(n))
	})
}

// requiredParent: roles stand in the context they need (ACT ff89c9).
func requiredParent(p *pass) {
	p.each(func(n *dom.Node) {
		role := aria.Explicit(n)
		if role == "" || !(n.IsHTML() || n.IsSVG()) {
			return
		}
		r, _ := aria.Lookup(role)
		if r.Context == "" || role == aria.Implicit(n) || !aria.Exposed(n) {
			return
		}
		parent := aria.ParentIn(n)
		has := ""
		if parent != nil {
			has = aria.Of(parent)
		}
		good := false
		for _, c := range strings.Fields(r.Context) {
			good = good || c == has
		}
		p.verdict(n, good, "An element with the role "+role+" must be inside of one with the role "+strings.Join(strings.Fields(r.Context), ", ")+".", "role", role, "parent", has)
	})
}

// requiredChildren: elements own only what their role allows (ACT bc4a75).
func requiredChildren(p *pass) {
	p.each(func(n *dom.Node) {
		role := aria.Of(n)
		if role == "" || !(n.IsHTML() || n.IsSVG()) {
			return
		}
		r, _ := aria.Lookup(role)
		if r.Owned == "" || !aria.Exposed(n) {
			return
		}
		for b := n; b != nil; b = b.Parent {
			if strings.EqualFold(b.A("aria-busy"), "true") {
				return
			}
		}
		bad := wrongChild(n, r.Owned, "")
		if bad == nil {
			p.ok(n)
			return
		}
		p.fail(bad, "An element with the role "+role+" must not own one with the role "+roleName(bad)+".", "owner", selector(n), "role", roleName(bad))
	})
}

func roleName(n *dom.Node) string {
	if r := aria.Of(n); r != "" {
		return r
	}
	return n.Tag
}

// wrongChild returns the first owned element whose role the list does not have. prefix is the role that stands between.
func wrongChild(n *dom.Node, owned, prefix string) *dom.Node {
	for _, c := range aria.ChildrenIn(n) {
		role := aria.Of(c)
		direct, through := false, false
		for _, o := range strings.Fields(owned) {
			mid, leaf, nested := strings.Cut(o, ">")
			switch {
			case prefix == "" && !nested:
				direct = direct || o == role
			case prefix == "" && nested:
				through = through || mid == role
			case nested && mid == prefix:
				direct = direct || leaf == role
			}
		}
		if direct {
			continue
		}
		if !through {
			return c
		}
		if bad := wrongChild(c, owned, role); bad != nil {
			return bad
		}
	}
	return nil
}
