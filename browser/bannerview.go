package browser

import (
	"context"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/domsnapshot"

	"github.com/amblecrawl/amble"
	"github.com/amblecrawl/amble/internal/consent"
)

// view is what can be seen of a page at one moment: its nodes with boxes, through frames and shadow roots, open or closed.
type view struct {
	snap     *amble.Snapshot
	tree     *treeBuilder
	sessions []*session // of other processes' frames
	children [][]int
	seen     []int8 // 1: visible, -1: not, 0: not asked yet
	width    float64
	height   float64
	style    map[string]int
	judged   bool
	found    int
	obstacle string // what else lies over the page, when it speaks of cookies
}

var viewStyles = []string{"position", "z-index", "visibility", "opacity", "pointer-events", "cursor", "overflow-y"}

func (l *load) takeView(ctx context.Context) (*view, error) {
	v := &view{snap: &amble.Snapshot{StyleNames: viewStyles}, style: map[string]int{}, found: -1}
	v.width, v.height = float64(l.chrome.id.viewport.Width), float64(l.chrome.id.viewport.Height)
	for i, name := range viewStyles {
		v.style[name] = i
	}
	v.tree = newTreeBuilder(v.snap)
	params := domsnapshot.CaptureSnapshotParams{ComputedStyles: viewStyles, IncludePaintOrder: new(true), IncludeDOMRects: new(true)}
	top, err := cdp.Call(ctx, l.tab.main, domsnapshot.CaptureSnapshot, params)
	if err != nil {
		return nil, err
	}
	v.tree.add(top, -1, "")
	if len(top.Documents) > 0 {
		v.scroll(top.Documents[0].ScrollOffsetX, top.Documents[0].ScrollOffsetY)
	}
	for _, child := range l.tab.frames() {
		owner := -1
		if at, err := cdp.Call(ctx, l.tab.main, dom.GetFrameOwner, dom.GetFrameOwnerParams{FrameID: child.frame}); err == nil {
			owner = v.tree.node(0, at.BackendNodeID)
		}
		tree, err := cdp.Call(ctx, child.s, domsnapshot.CaptureSnapshot, params)
		v.tree.addRemote(string(child.frame), owner, tree, err)
		v.sessions = append(v.sessions, child.s)
	}
	v.children = make([][]int, len(v.snap.Nodes))
	v.seen = make([]int8, len(v.snap.Nodes))
	for i := range v.snap.Nodes {
		if p := v.parent(i); p >= 0 {
			v.children[p] = append(v.children[p], i)
		}
	}
	return v, nil
}

// scroll moves boxes from the page's coordinates to the window's.
func (v *view) scroll(dx, dy float64) {
	for i := range v.snap.Nodes {
		v.snap.Nodes[i].Box.X -= dx
		v.snap.Nodes[i].Box.Y -= dy
	}
}

// parent is the node above one, over shadow roots and frames.
func (v *view) parent(i int) int {
	n := &v.snap.Nodes[i]
	if n.Parent >= 0 {
		return n.Parent
	}
	if n.Type == amble.NodeDocument && n.Frame < len(v.snap.Frames) {
		return v.snap.Frames[n.Frame].Owner
	}
	return -1
}

func (v *view) styleOf(i int, name string) string {
	n := &v.snap.Nodes[i]
	if k := v.style[name]; k < len(n.Styles) {
		return n.Styles[k]
	}
	return ""
}

// visible reports whether something of an element is seen in the window.
func (v *view) visible(i int) bool {
	if v.seen[i] == 0 {
		v.seen[i] = -1
		if v.see(i) {
			v.seen[i] = 1
		}
	}
	return v.seen[i] == 1
}

func (v *view) see(i int) bool {
	n := &v.snap.Nodes[i]
	if !n.Rendered || n.Box.W < 2 || n.Box.H < 2 || n.Box.X > v.width-1 || n.Box.Y > v.height-1 || n.Box.X+n.Box.W < 1 || n.Box.Y+n.Box.H < 1 {
		return false
	}
	return v.styleOf(i, "visibility") == "visible" && v.opaque(i)
}

// opaque reports whether an element and all above it let something be seen.
func (v *view) opaque(i int) bool {
	for ; i >= 0; i = v.parent(i) {
		if o, err := strconv.ParseFloat(v.styleOf(i, "opacity"), 64); err == nil && o < 0.05 {
			return false
		}
		if v.snap.Nodes[i].Type == amble.NodeDocument && v.snap.Nodes[i].Frame > 0 {
			if owner := v.parent(i); owner >= 0 && !v.snap.Nodes[owner].Rendered {
				return false
			}
		}
	}
	return true
}

// overlay reports whether an element lies over the page: fixed or sticky, in the top layer, or absolute and lifted.
func (v *view) overlay(i int) bool {
	n := &v.snap.Nodes[i]
	if n.Type != amble.NodeElement || n.Name == "html" || n.Name == "body" {
		return false
	}
	switch v.styleOf(i, "position") {
	case "fixed", "sticky":
		return true
	case "absolute":
		z, err := strconv.Atoi(v.styleOf(i, "z-index"))
		return err == nil && z >= 10 || n.Name == "dialog"
	}
	return false
}

// walk calls f for every node below one, itself included, while f returns true for the way down.
func (v *view) walk(i int, f func(int) bool) {
	if !f(i) {
		return
	}
	for _, child := range v.children[i] {
		v.walk(child, f)
	}
}

// text is the visible text below a node.
func (v *view) text(root int) string {
	var b strings.Builder
	v.walk(root, func(i int) bool {
		n := &v.snap.Nodes[i]
		switch {
		case n.Type == amble.NodeText && n.Rendered && b.Len() < 20_000:
			if p := v.parent(i); p >= 0 && v.styleOf(p, "visibility") != "hidden" && n.Box.W > 0 && n.Box.H > 0 {
				b.WriteString(n.Value)
				b.WriteByte(' ')
			}
		case n.Type == amble.NodeElement && (n.Name == "script" || n.Name == "style" || n.Name == "template"):
			return false
		case n.Type == amble.NodeElement && n.Name == "input":
			for _, name := range []string{"value", "placeholder"} {
				if s, ok := n.Attr(name); ok && n.Rendered {
					b.WriteString(s + " ")
				}
			}
		}
		return true
	})
	return b.String()
}

// names are what the authors call a node and what is in it.
func (v *view) names(root int) string {
	var b strings.Builder
	count := 0
	v.walk(root, func(i int) bool {
		n := &v.snap.Nodes[i]
		if n.Type == amble.NodeElement {
			if n.Name == "a" {
				return false // a link to the cookie policy says nothing about the overlay
			}
			b.WriteString(n.Name + " ")
			for _, a := range n.Attrs {
				switch a.Name {
				case "id", "class", "aria-label", "title", "src", "data-testid":
					b.WriteString(a.Value + " ")
				}
			}
			count++
		}
		return count < 200
	})
	return b.String()
}

// banner returns the overlay that is a cookie banner, -1 when there is none: of nested ones the outermost that holds little
// else.
func (v *view) banner() int {
	if v.judged {
		return v.found
	}
	v.judged = true
	best, bestText := -1, 0
	for i := range v.snap.Nodes {
		if !v.overlay(i) || !v.shows(i) {
			continue
		}
		text := v.text(i)
		if len(text) == 0 || len(text) > 15_000 {
			continue
		}
		verdict := v.judge(i, text)
		if verdict.Obstacle != "" && v.obstacle == "" {
			v.obstacle = verdict.Obstacle
		}
		if !verdict.Banner {
			continue
		}
		// Outer ones come first in document order; one that holds much more than the banner is the page itself.
		if best >= 0 && v.within(i, best) {
			if bestText <= 2*len(text)+400 {
				continue
			}
		} else if best >= 0 {
			continue
		}
		best, bestText = i, len(text)
	}
	v.found = best
	return best
}

// shows reports whether an element or something in it is visible: some overlays have no size of their own.
func (v *view) shows(root int) bool {
	found, count := false, 0
	v.walk(root, func(i int) bool {
		count++
		if found || count > 3000 {
			return false
		}
		if v.snap.Nodes[i].Type == amble.NodeElement && v.visible(i) {
			found = true
		}
		return !found
	})
	return found
}

func (v *view) judge(i int, text string) consent.Verdict {
	o := consent.Overlay{Text: text, Names: v.names(i), Choices: v.choices(i)}
	for _, b := range v.buttons(i) {
		o.Buttons = append(o.Buttons, b.meaning)
	}
	v.walk(i, func(k int) bool {
		n := &v.snap.Nodes[k]
		if n.Type == amble.NodeElement && n.Name == "input" && n.Rendered {
			if kind, _ := n.Attr("type"); kind == "email" || kind == "password" {
				o.Fields = true
			}
		}
		return true
	})
	return consent.Judge(o)
}

type button struct {
	node    int
	meaning consent.Meaning
}

// buttons are the visible controls below a node that stay on the page.
func (v *view) buttons(root int) []button {
	var out []button
	v.walk(root, func(i int) bool {
		n := &v.snap.Nodes[i]
		if n.Type != amble.NodeElement {
			return true
		}
		if !v.control(i) {
			return true
		}
		if !n.Rendered || v.styleOf(i, "visibility") == "hidden" || !v.opaque(i) || n.Box.W < 4 || n.Box.H < 4 {
			return true
		}
		meaning := v.meaning(i)
		if meaning == consent.Other && n.Name != "button" && n.Name != "a" && n.Name != "input" {
			return true // a clickable container: look inside
		}
		out = append(out, button{i, meaning})
		return false
	})
	return out
}

// control reports whether an element is one that is pressed.
func (v *view) control(i int) bool {
	n := &v.snap.Nodes[i]
	if _, disabled := n.Attr("disabled"); disabled {
		return false
	}
	switch n.Name {
	case "button":
		return true
	case "input":
		kind, _ := n.Attr("type")
		return kind == "button" || kind == "submit"
	case "a":
		href, _ := n.Attr("href")
		href = strings.TrimSpace(href)
		return href == "" || strings.HasPrefix(href, "#") || strings.HasPrefix(strings.ToLower(href), "javascript:")
	}
	role, _ := n.Attr("role")
	return role == "button" || n.Clickable && v.styleOf(i, "cursor") == "pointer" || n.Clickable && n.Name != "div" && strings.Contains(n.Name, "-")
}

var closeNames = regexp.MustCompile(`(?i)(^|[-_ ])(close|dismiss|btn-?close|x-?btn)([-_ ]|$)`)

// meaning reads a control by its accessible name, then by its text, then, when it has neither, by its class.
func (v *view) meaning(i int) consent.Meaning {
	n := &v.snap.Nodes[i]
	text := strings.TrimSpace(v.text(i))
	labels := []string{}
	for _, name := range []string{"aria-label", "value", "title"} {
		if s, ok := n.Attr(name); ok && strings.TrimSpace(s) != "" {
			labels = append(labels, s)
		}
	}
	if text != "" {
		labels = append(labels, text)
	}
	worst := consent.Other
	for _, label := range labels {
		m := consent.Label(label)
		if m == consent.Accept || m == consent.Acknowledge {
			return m // either name is enough to keep off
		}
		if worst == consent.Other {
			worst = m
		}
	}
	if len(labels) == 0 || worst == consent.Other && len(text) < 3 {
		class, _ := n.Attr("class")
		id, _ := n.Attr("id")
		if closeNames.MatchString(class) || closeNames.MatchString(id) {
			return consent.Close
		}
	}
	return worst
}

// choices counts the tick boxes below a node, ticked those that are ticked and could be unticked.
func (v *view) choices(root int) int { n, _ := v.boxes(root); return n }
func (v *view) ticked(root int) int  { _, n := v.boxes(root); return n }

func (v *view) boxes(root int) (all, ticked int) {
	v.walk(root, func(i int) bool {
		n := &v.snap.Nodes[i]
		if n.Type == amble.NodeElement {
			kind, _ := n.Attr("type")
			role, _ := n.Attr("role")
			if n.Name == "input" && kind == "checkbox" || role == "switch" || role == "checkbox" {
				all++
				_, disabled := n.Attr("disabled")
				checked, _ := n.Attr("aria-checked")
				if (n.Checked || checked == "true") && !disabled {
					ticked++
				}
			}
		}
		return true
	})
	return all, ticked
}

// centre is the middle of what is seen of an element, in the window's coordinates.
func (v *view) centre(i int) (x, y float64, ok bool) {
	box := v.snap.Nodes[i].Box
	x, y = box.X+box.W/2, box.Y+box.H/2
	return x, y, x > 0 && y > 0 && x < v.width && y < v.height
}

// within reports whether a node is, or lies below, another; a hit on the frame element counts for what is in the frame.
func (v *view) within(i, root int) bool {
	if i < 0 {
		return false
	}
	for k := i; k >= 0; k = v.parent(k) {
		if k == root {
			return true
		}
	}
	// Frames of other processes are hit as a whole.
	if n := v.snap.Nodes[i].Name; n == "iframe" || n == "frame" {
		for k := root; k >= 0; k = v.parent(k) {
			if k == i {
				return true
			}
		}
	}
	return false
}

// signature tells two states of a banner apart.
func (v *view) signature(i int) string {
	if i < 0 {
		return ""
	}
	text := v.text(i)
	return strconv.Itoa(len(text)) + text[:min(len(text), 200)]
}

// veils are overlays over the whole window with nothing in them.
func (v *view) veils() []int {
	var out []int
	for i := range v.snap.Nodes {
		n := &v.snap.Nodes[i]
		if n.Frame != 0 || !v.overlay(i) || !v.visible(i) || n.Box.W < 0.9*v.width || n.Box.H < 0.9*v.height ||
			v.styleOf(i, "pointer-events") == "none" || v.styleOf(i, "position") == "sticky" {
			continue
		}
		if strings.TrimSpace(v.text(i)) != "" || v.media(i) {
			continue
		}
		if slices.ContainsFunc(out, func(have int) bool { return v.within(i, have) }) {
			continue
		}
		out = append(out, i)
	}
	return out
}

func (v *view) media(root int) (found bool) {
	v.walk(root, func(i int) bool {
		switch v.snap.Nodes[i].Name {
		case "img", "video", "canvas", "iframe", "svg", "object", "input", "form":
			if v.snap.Nodes[i].Rendered {
				found = true
			}
		}
		return !found
	})
	return found
}

// roots are the elements whose style locks the page's scroll.
func (v *view) roots() []int {
	var out []int
	for i := range v.snap.Nodes {
		n := &v.snap.Nodes[i]
		if n.Frame == 0 && n.Type == amble.NodeElement && (n.Name == "html" || n.Name == "body") {
			out = append(out, i)
		}
	}
	return out
}

// asleep are elements with content of the page that is inert or hidden from assistive technology.
func (v *view) asleep() []int {
	var out []int
	for i := range v.snap.Nodes {
		n := &v.snap.Nodes[i]
		if n.Frame != 0 || n.Type != amble.NodeElement || !n.Rendered {
			continue
		}
		_, inert := n.Attr("inert")
		hidden, _ := n.Attr("aria-hidden")
		if (inert || hidden == "true") && len(v.text(i)) > 200 {
			out = append(out, i)
		}
	}
	return out
}
