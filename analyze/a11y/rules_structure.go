package a11y

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/amblecrawl/amble/analyze/a11y/internal/aria"
	"github.com/amblecrawl/amble/analyze/a11y/internal/css"
	"github.com/amblecrawl/amble/analyze/a11y/internal/dom"
)

// headingLevel returns the level of a heading: aria-level, the tag's number, else 2.
func headingLevel(n *dom.Node) int {
	if v, ok := aria.ParseInt(n.A("aria-level")); ok && v > 0 {
		return v
	}
	if n.Is("h1", "h2", "h3", "h4", "h5", "h6") {
		return int(n.Tag[1] - '0')
	}
	return 2
}

// exposedIn returns the exposed elements of the top document that ok accepts.
func exposedIn(d *dom.Document, ok func(*dom.Node) bool) []*dom.Node {
	var out []*dom.Node
	for _, n := range d.Nodes {
		if n.Kind == dom.ElementKind && ok(n) && aria.Exposed(n) {
			out = append(out, n)
		}
	}
	return out
}

// headingOrder: no heading level is left out on the way down.
func headingOrder(p *pass) {
	last := 0
	for _, h := range exposedIn(p.page.top, isHeading) {
		l := headingLevel(h)
		p.verdict(h, last == 0 || l <= last+1, fmt.Sprintf("The heading has level %d after one of level %d.", l, last), "level", strconv.Itoa(l), "before", strconv.Itoa(last))
		last = l
	}
}

// pageHasHeading: the page has a heading of the first level.
func pageHasHeading(p *pass) {
	body := p.page.top.Body()
	if body == nil || !css.Visible(body) {
		return
	}
	for _, h := range exposedIn(p.page.top, isHeading) {
		if headingLevel(h) == 1 {
			p.ok(h)
			return
		}
	}
	p.lacks(body, "The page has no heading of the first level.")
}

func landmarkRole(n *dom.Node) string {
	switch r := aria.Of(n); r {
	case "banner", "complementary", "contentinfo", "main", "navigation", "region", "search":
		return r
	case "form":
		if aria.Name(n) != "" {
			return r
		}
	}
	return ""
}

func landmarks(p *pass) []*dom.Node {
	if l, ok := p.page.memo["landmarks"]; ok {
		return l.([]*dom.Node)
	}
	l := exposedIn(p.page.top, func(n *dom.Node) bool { return landmarkRole(n) != "" })
	p.page.memo["landmarks"] = l
	return l
}

// landmarkMain: the page has one main landmark.
func landmarkMain(p *pass) {
	body := p.page.top.Body()
	if body == nil {
		return
	}
	count := 0
	for _, l := range landmarks(p) {
		if landmarkRole(l) != "main" {
			continue
		}
		if count++; count > 1 {
			p.fail(l, "The page has more than one main landmark.")
		} else {
			p.ok(l)
		}
	}
	if count == 0 {
		p.lacks(body, "The page has no main landmark.")
	}
}

// landmarkTop: main, banner and contentinfo are not inside of other landmarks, and there is one banner and one
// contentinfo.
func landmarkTop(p *pass) {
	count := map[string]int{}
	for _, l := range landmarks(p) {
		role := landmarkRole(l)
		switch role {
		case "main", "banner", "contentinfo":
		default:
			continue
		}
		count[role]++
		outer := l.Parent.Closest(func(e *dom.Node) bool { return e.Kind == dom.ElementKind && landmarkRole(e) != "" })
		switch {
		case outer != nil:
			p.fail(l, "The landmark "+role+" is inside of the landmark "+landmarkRole(outer)+".", "inside", selector(outer))
		case count[role] > 1 && role != "main":
			p.fail(l, "The page has more than one landmark "+role+".")
		default:
			p.ok(l)
		}
	}
}

// landmarkUnique: landmarks of one kind have names that tell them apart.
func landmarkUnique(p *pass) {
	count := map[string]int{}
	key := func(l *dom.Node) string { return landmarkRole(l) + "\x00" + strings.ToLower(aria.Name(l)) }
	for _, l := range landmarks(p) {
		count[key(l)]++
	}
	for _, l := range landmarks(p) {
		switch landmarkRole(l) {
		case "main", "banner", "contentinfo":
			continue // there is to be one of them
		}
		p.verdict(l, count[key(l)] == 1, "Another landmark "+landmarkRole(l)+" has the same name, or also none.", "name", aria.Name(l))
	}
}

// region: all content is inside of landmarks. The first piece outside is reported.
func region(p *pass) {
	body := p.page.top.Body()
	if body == nil || len(landmarks(p)) == 0 {
		return // landmark-main says so
	}
	var outside *dom.Node
	var walk func(n *dom.Node)
	walk = func(n *dom.Node) {
		for _, c := range n.Children {
			if outside != nil {
				return
			}
			if c.Kind == dom.TextKind {
				if css.Visible(c) && !aria.ProgrammaticallyHidden(c) {
					outside = n
				}
				continue
			}
			role := aria.Of(c)
			if landmarkRole(c) != "" || role == "dialog" || role == "alertdialog" || role == "alert" || role == "status" || role == "log" || skipLink(c) || aria.ProgrammaticallyHidden(c) && !c.Invisible {
				continue
			}
			if c.Is("img") && aria.Exposed(c) && css.Visible(c) {
				outside = c
				continue
			}
			walk(c)
		}
	}
	walk(body)
	if outside != nil {
		p.fail(outside, "Content is outside of all landmarks.")
		return
	}
	p.ok(body)
}

// skipLink tells whether the element is a link to a place in the same page.
func skipLink(n *dom.Node) bool {
	return n.Is("a") && strings.HasPrefix(n.A("href"), "#") && len(n.A("href")) > 1
}

// listStructure: lists hold list items only, and list items stand in lists.
func listStructure(p *pass) {
	p.each(func(n *dom.Node) {
		if !n.IsHTML() || aria.ProgrammaticallyHidden(n) {
			return
		}
		explicit := aria.Explicit(n)
		switch n.Tag {
		case "ul", "ol":
			if explicit != "" && explicit != "list" {
				return
			}
			for _, c := range aria.ChildrenIn(n) {
				if aria.Of(c) != "listitem" {
					p.fail(c, "The list holds something else than list items.", "list", selector(n))
					return
				}
			}
			for _, c := range n.Children {
				if c.Kind == dom.TextKind && css.Visible(c) {
					p.fail(n, "The list holds text outside of its items.")
					return
				}
			}
			p.ok(n)
		case "li":
			if explicit != "" {
				return
			}
			parent := n.Parent
			for parent != nil && (parent.Is("slot") || parent.IsHTML() && strings.Contains(parent.Tag, "-") && aria.Explicit(parent) == "") {
				parent = parent.Parent // custom elements stand for what their shadow trees hold
			}
			good := parent.Is("ul", "ol", "menu") || parent != nil && aria.Of(parent) == "list"
			p.verdict(n, good, "The list item is not in a list.")
		case "dl":
			if explicit != "" {
				return
			}
			if why := badList(n); why != "" {
				p.fail(n, why)
				return
			}
			p.ok(n)
		case "dt", "dd":
			if explicit != "" {
				return
			}
			parent := n.Parent
			if parent.Is("div") {
				parent = parent.Parent
			}
			p.verdict(n, parent.Is("dl"), "The description term or detail is not in a description list.")
		}
	})
}

// badList says what is wrong with the children of a dl.
func badList(dl *dom.Node) string {
	groups, open := 0, ""
	var check func(n *dom.Node, inDiv bool) string
	check = func(n *dom.Node, inDiv bool) string {
		for _, c := range n.Children {
			switch {
			case c.Kind == dom.TextKind:
				if css.Visible(c) {
					return "The description list holds text outside of terms and details."
				}
			case c.Is("dt"):
				open = "dt"
				groups++
			case c.Is("dd"):
				if open == "" {
					return "The description list has a detail without a term before it."
				}
				open = "dd"
			case c.Is("script", "template"):
			case c.Is("div") && !inDiv && aria.Explicit(c) == "":
				open = ""
				if why := check(c, true); why != "" {
					return why
				}
			case aria.ProgrammaticallyHidden(c):
			default:
				return "The description list holds something else than terms and details."
			}
		}
		return ""
	}
	return check(dl, false)
}

// duplicateID: an id that labels or ARIA attributes refer to is used once.
func duplicateID(p *pass) {
	seen := map[*dom.Node]bool{}
	check := func(from *dom.Node, id string) {
		all := from.Doc.AllByID(from, id)
		if len(all) == 0 || seen[all[0]] {
			return
		}
		seen[all[0]] = true
		if len(all) == 1 {
			p.ok(all[0])
			return
		}
		p.fail(all[1], "The id "+id+" is used "+strconv.Itoa(len(all))+" times, and an attribute refers to it: only the first counts.", "id", id)
	}
	p.each(func(n *dom.Node) {
		for _, a := range n.Attr {
			switch a.Name {
			case "aria-labelledby", "aria-describedby", "aria-controls", "aria-owns", "aria-activedescendant", "aria-details", "aria-errormessage", "aria-flowto", "headers":
				for _, id := range strings.Fields(a.Value) {
					check(n, id)
				}
			case "for":
				if n.Is("label", "output") {
					check(n, a.Value)
				}
			}
		}
	})
}

// positiveTabindex: no element has a tabindex above 0.
func positiveTabindex(p *pass) {
	p.each(func(n *dom.Node) {
		if t, ok := aria.TabIndex(n); ok && !n.NotRendered {
			p.verdict(n, t <= 0, "The element has a place of its own in the tab order, before everything else.", "tabindex", strconv.Itoa(t))
		}
	})
}

// accessKeys: each accesskey is used once.
func accessKeys(p *pass) {
	used := map[string]*dom.Node{}
	p.each(func(n *dom.Node) {
		k := strings.ToLower(strings.TrimSpace(n.A("accesskey")))
		if k == "" || n.NotRendered {
			return
		}
		if used[k] != nil {
			p.fail(n, "Another element has the same accesskey.", "accesskey", k, "other", selector(used[k]))
			return
		}
		used[k] = n
		p.ok(n)
	})
}

// imageMapServer: images do not send coordinates to the server.
func imageMapServer(p *pass) {
	p.each(func(n *dom.Node) {
		if n.Is("img") && n.Has("ismap") && !aria.ProgrammaticallyHidden(n) {
			in := n.Closest(func(e *dom.Node) bool { return e.Is("a") && e.Has("href") })
			p.verdict(n, in == nil, "The image is a map on the server: it cannot be used with a keyboard.")
		}
	})
}

// movingText: no blink or marquee.
func movingText(p *pass) {
	p.each(func(n *dom.Node) {
		if n.Is("blink", "marquee") && css.Visible(n) {
			p.fail(n, "The text moves or blinks and cannot be stopped.")
		}
	})
}

// redundantAlt: the text alternative of an image does not repeat the text of its link or button.
func redundantAlt(p *pass) {
	p.each(func(n *dom.Node) {
		if !n.Is("img") || strings.TrimSpace(n.A("alt")) == "" || !aria.Exposed(n) {
			return
		}
		c := n.Parent.Closest(func(e *dom.Node) bool { return e.Is("a", "button") })
		if c == nil {
			return
		}
		text := ""
		for _, t := range c.Subtree() {
			if t.Kind == dom.TextKind && css.Visible(t) {
				text += " " + t.Text
			}
		}
		if t := dom.Collapse(text); t != "" {
			p.verdict(n, !strings.EqualFold(t, dom.Collapse(n.A("alt"))), "The text alternative repeats the text beside the image.", "alt", n.A("alt"))
		}
	})
}

// roleAllowed: the role fits the element (ARIA in HTML), where the element's own meaning is strong.
func roleAllowed(p *pass) {
	p.each(func(n *dom.Node) {
		role := aria.Explicit(n)
		if role == "" || !n.IsHTML() || aria.ProgrammaticallyHidden(n) {
			return
		}
		p.verdict(n, roleFits(n, role), "The role "+role+" must not be put on the element "+n.Tag+".", "role", role)
	})
}

func roleFits(n *dom.Node, role string) bool {
	if role == aria.Implicit(n) {
		return true
	}
	in := func(list string) bool { return strings.Contains(" "+list+" ", " "+role+" ") }
	switch n.Tag {
	case "base", "body", "caption", "col", "colgroup", "datalist", "head", "html", "legend", "link", "main", "meta", "meter", "noscript", "optgroup", "option", "param", "picture", "progress", "script", "slot", "source", "style", "template", "textarea", "title", "track", "label", "map":
		return false
	case "audio", "video":
		return in("application")
	case "iframe":
		return in("application document img none presentation")
	case "dialog":
		return in("alertdialog")
	case "select":
		return in("menu") && !n.Has("multiple")
	case "h1", "h2", "h3", "h4", "h5", "h6":
		return in("tab none presentation doc-subtitle")
	case "ul", "ol", "menu":
		return in("directory group listbox menu menubar none presentation radiogroup tablist toolbar tree")
	case "nav":
		return in("menu menubar none presentation tablist doc-index doc-pagelist doc-toc")
	case "input":
		switch strings.ToLower(n.A("type")) {
		case "checkbox":
			return in("menuitemcheckbox option switch button")
		case "radio":
			return in("menuitemradio")
		case "button", "image":
			return in("checkbox combobox gridcell link menuitem menuitemcheckbox menuitemradio option radio separator slider switch tab treeitem")
		case "", "text", "email", "tel", "url", "search":
			return in("combobox searchbox spinbutton textbox")
		case "submit", "reset", "number", "range", "password", "date", "file", "color", "hidden", "month", "week", "time", "datetime-local":
			return in("combobox gridcell link option radio switch tab treeitem menuitem menuitemcheckbox menuitemradio checkbox separator slider") && (n.A("type") == "submit" || n.A("type") == "reset")
		}
	case "img":
		if alt, ok := n.Get("alt"); ok && alt == "" {
			return in("none presentation")
		}
	}
	return true
}
