package a11y

import (
	"strings"

	"github.com/amblecrawl/amble/analyze/a11y/internal/aria"
	"github.com/amblecrawl/amble/analyze/a11y/internal/css"
	"github.com/amblecrawl/amble/analyze/a11y/internal/dom"
)

// autofill holds the field names of HTML's autofill section; true for those that take home, work, mobile, fax or pager.
var autofill = map[string]bool{
	"name": false, "honorific-prefix": false, "given-name": false, "additional-name": false, "family-name": false,
	"honorific-suffix": false, "nickname": false, "username": false, "new-password": false, "current-password": false,
	"one-time-code": false, "organization-title": false, "organization": false, "street-address": false,
	"address-line1": false, "address-line2": false, "address-line3": false, "address-level4": false,
	"address-level3": false, "address-level2": false, "address-level1": false, "country": false, "country-name": false,
	"postal-code": false, "cc-name": false, "cc-given-name": false, "cc-additional-name": false, "cc-family-name": false,
	"cc-number": false, "cc-exp": false, "cc-exp-month": false, "cc-exp-year": false, "cc-csc": false, "cc-type": false,
	"transaction-currency": false, "transaction-amount": false, "language": false, "bday": false, "bday-day": false,
	"bday-month": false, "bday-year": false, "sex": false, "url": false, "photo": false,
	"tel": true, "tel-country-code": true, "tel-national": true, "tel-area-code": true, "tel-local": true,
	"tel-local-prefix": true, "tel-local-suffix": true, "tel-extension": true, "email": true, "impp": true,
}

// validAutofill tells whether the tokens are autofill detail tokens in their order.
func validAutofill(value string) bool {
	t := strings.Fields(strings.ToLower(value))
	if len(t) > 1 && t[len(t)-1] == "webauthn" {
		t = t[:len(t)-1]
	}
	i := 0
	if i < len(t) && strings.HasPrefix(t[i], "section-") {
		i++
	}
	if i < len(t) && (t[i] == "shipping" || t[i] == "billing") {
		i++
	}
	contact := false
	if i < len(t) {
		switch t[i] {
		case "home", "work", "mobile", "fax", "pager":
			contact = true
			i++
		}
	}
	if i != len(t)-1 {
		return false
	}
	takesContact, ok := autofill[t[i]]
	return ok && (takesContact || !contact)
}

// autocompleteValid: autocomplete has a valid value (ACT 73f2c2).
func autocompleteValid(p *pass) {
	p.each(func(n *dom.Node) {
		v, ok := n.Get("autocomplete")
		if !ok || !n.Is("input", "select", "textarea") || dom.IsASCIISpace(v) {
			return
		}
		if t := strings.Fields(strings.ToLower(v)); len(t) == 1 && (t[0] == "on" || t[0] == "off") {
			return
		}
		if n.Is("input") {
			switch strings.ToLower(n.A("type")) {
			case "button", "checkbox", "file", "image", "radio", "reset", "submit", "hidden":
				return
			}
		}
		if disabled(n) || !css.Visible(n) && !aria.Exposed(n) {
			return
		}
		if !aria.Tabbable(n) && !isWidget(n) {
			return
		}
		p.verdict(n, validAutofill(v), "The autocomplete attribute has no valid autofill value.", "autocomplete", v)
	})
}

func isWidget(n *dom.Node) bool {
	role := aria.Of(n)
	return aria.Inherits(role, "widget") || role == "" && isPlainField(n)
}

// disabled tells whether the element cannot be used: disabled itself, or aria-disabled here or above.
func disabled(n *dom.Node) bool {
	if aria.Disabled(n) {
		return true
	}
	for p := n; p != nil; p = p.Parent {
		if strings.EqualFold(p.A("aria-disabled"), "true") {
			return true
		}
	}
	return false
}

// labelOnlyTitle: a field is not named by title or placeholder alone.
func labelOnlyTitle(p *pass) {
	p.each(func(n *dom.Node) {
		if !n.Is("input", "textarea", "select") || !isField(n) && !isPlainField(n) || !aria.Exposed(n) || aria.Name(n) == "" {
			return
		}
		if n.A("aria-label") != "" || n.A("aria-labelledby") != "" || len(aria.Labels(n)) > 0 {
			p.ok(n)
			return
		}
		p.verdict(n, n.A("title") == "" && n.A("placeholder") == "", "The field is named by its title or placeholder only: no label can be seen once something is typed.")
	})
}

// multipleLabels: a field has one label element.
func multipleLabels(p *pass) {
	p.each(func(n *dom.Node) {
		if !n.Is("input", "textarea", "select") {
			return
		}
		labels := 0
		for _, l := range aria.Labels(n) {
			if !aria.ProgrammaticallyHidden(l) {
				labels++
			}
		}
		if labels > 0 && aria.Exposed(n) {
			p.verdict(n, labels < 2, "The field has several label elements; not all assistive technology reads them all.")
		}
	})
}

// labelInName: what is visible on a control is part of its name (ACT 2ee8b8).
func labelInName(p *pass) {
	p.each(func(n *dom.Node) {
		if !n.Has("aria-label") && !n.Has("aria-labelledby") {
			return
		}
		role := aria.Of(n)
		r, _ := aria.Lookup(role)
		if !r.Content || !aria.Inherits(role, "widget") || aria.ProgrammaticallyHidden(n) {
			return
		}
		visible, symbol := visibleText(n)
		if visible == "" {
			return
		}
		name := aria.Name(n)
		switch {
		case symbol || containsWords(words(name), words(visible)):
			p.ok(n)
		case otherSpelling(name, visible):
			p.cannot(n, "The text that can be seen and the accessible name differ in an abbreviation or a hyphen: a person must say whether they are the same words.", "visible", visible, "name", name)
		default:
			p.fail(n, "The accessible name does not contain the text that can be seen.", "visible", visible, "name", name)
		}
	})
}
