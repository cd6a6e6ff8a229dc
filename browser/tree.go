package browser

import (
	"strings"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/domsnapshot"

	"github.com/amblecrawl/amble"
)

// treeBuilder turns Chrome's tables of nodes into the flat list of a Snapshot.
type treeBuilder struct {
	snap    *amble.Snapshot
	index   map[backendKey]int // the node behind a backend id
	process int                // counts the trees: backend ids are unique only within one process
	ids     []backendKey       // by node
}

type backendKey struct {
	process int
	id      cdp.BackendNodeID
}

func newTreeBuilder(snap *amble.Snapshot) *treeBuilder {
	return &treeBuilder{snap: snap, index: map[backendKey]int{}}
}

// add appends the documents of one process. owner is the node of the frame element that the first one hangs on, -1 for
// the top document.
func (b *treeBuilder) add(tree domsnapshot.CaptureSnapshotResult, owner int, frameID string) {
	text := func(i domsnapshot.StringIndex) string {
		if i < 0 || int(i) >= len(tree.Strings) {
			return ""
		}
		return tree.Strings[i]
	}
	place := make([][]int, len(tree.Documents)) // where the nodes of each document stand in the list
	ownerOf := make([]int, len(tree.Documents))
	for i := range ownerOf {
		ownerOf[i] = -1
	}
	if len(ownerOf) > 0 {
		ownerOf[0] = owner
	}
	frame := make([]int, len(tree.Documents))
	for d, doc := range tree.Documents {
		f := amble.Frame{ID: text(doc.FrameID), URL: text(doc.DocumentURL), Owner: -1, Parent: -1, Tested: true}
		if d == 0 && frameID != "" {
			f.ID = frameID
		}
		frame[d] = len(b.snap.Frames)
		b.snap.Frames = append(b.snap.Frames, f)
		place[d] = b.nodes(doc, text, frame[d])
		if doc.Nodes != nil && doc.Nodes.ContentDocumentIndex != nil {
			for i, node := range doc.Nodes.ContentDocumentIndex.Index {
				if target := int(doc.Nodes.ContentDocumentIndex.Value[i]); target >= 0 && target < len(ownerOf) && int(node) < len(place[d]) {
					ownerOf[target] = place[d][node]
				}
			}
		}
	}
	// Places are known once all nodes are: frames can stand before or after their owners in the list.
	for d, doc := range tree.Documents {
		var dx, dy float64
		if o := ownerOf[d]; o >= 0 && o < len(b.snap.Nodes) && len(place[d]) > 0 {
			b.snap.Nodes[o].Document = place[d][0]
			b.snap.Frames[frame[d]].Owner = o
			b.snap.Frames[frame[d]].Parent = b.snap.Nodes[o].Frame
			box := b.snap.Nodes[o]
			dx, dy = box.Box.X+box.ClientBox.X-doc.ScrollOffsetX, box.Box.Y+box.ClientBox.Y-doc.ScrollOffsetY
		}
		b.layout(doc, text, place[d], dx, dy)
	}
	b.process++
}

// addRemote appends the documents of a frame that lives in another process, hung on its frame element.
func (b *treeBuilder) addRemote(frame string, owner int, tree domsnapshot.CaptureSnapshotResult, err error) {
	if err == nil && len(tree.Documents) > 0 {
		b.add(tree, owner, frame)
		return
	}
	b.process++
	f := amble.Frame{ID: frame, Owner: owner, Parent: -1, Reason: "its content could not be read"}
	if err != nil {
		f.Reason += ": " + err.Error()
	}
	if owner >= 0 {
		f.Parent = b.snap.Nodes[owner].Frame
	}
	b.snap.Frames = append(b.snap.Frames, f)
}

// node returns the node behind a backend id, or -1.
func (b *treeBuilder) node(process int, id cdp.BackendNodeID) int {
	if i, ok := b.index[backendKey{process, id}]; ok {
		return i
	}
	return -1
}

// nodes appends the nodes of one document, and returns where each stands in the list.
//
// Chrome's table is the flat tree: it has no shadow roots, and what is assigned to a slot stands in the slot. Roots are put
// back where a node's tree is not that of the node above it, and assigned nodes are given back to their host.
func (b *treeBuilder) nodes(doc *domsnapshot.DocumentSnapshot, text func(domsnapshot.StringIndex) string, frame int) []int {
	t := doc.Nodes
	if t == nil {
		return nil
	}
	at := func(list []domsnapshot.StringIndex, i int) string {
		if i < len(list) {
			return text(list[i])
		}
		return ""
	}
	kinds := make([]string, len(t.NodeType)) // of the shadow tree that a node is in
	rare(t.ShadowRootType, func(i int64, v domsnapshot.StringIndex) {
		if int(i) < len(kinds) {
			kinds[i] = text(v)
		}
	})
	place := make([]int, len(t.NodeType))
	root := make([]int, len(t.NodeType)) // the shadow root that a node is in, -1 for the document
	roots := map[int]int{}               // by host, as a place in the list
	for i := range t.NodeType {
		n := amble.Node{Type: amble.NodeType(t.NodeType[i]), Parent: -1, Frame: frame, Slot: -1, Document: -1, Opacity: 1}
		n.Name, n.Value = at(t.NodeName, i), at(t.NodeValue, i)
		if n.Type == amble.NodeElement && strings.ToUpper(n.Name) == n.Name {
			n.Name = strings.ToLower(n.Name) // SVG and MathML keep their case
		}
		root[i] = -1
		if p := t.ParentIndex; i < len(p) && p[i] >= 0 && int(p[i]) < i {
			above := int(p[i])
			n.Parent, root[i] = place[above], root[above]
			parent := &b.snap.Nodes[place[above]]
			switch {
			case parent.Name == "slot" && root[above] >= 0 && kinds[i] != kinds[above]:
				host := b.snap.Nodes[root[above]].Parent
				n.Parent, n.Slot, root[i] = host, place[above], b.rootOf(host)
			case kinds[i] != "" && (kinds[i] != kinds[above] || strings.Contains(parent.Name, "-")):
				host := place[above]
				if _, ok := roots[host]; !ok {
					roots[host] = len(b.snap.Nodes)
					b.append(amble.Node{Type: amble.NodeShadow, Name: "#shadow-root", Value: kinds[i], Parent: host, Frame: frame, Slot: -1, Document: -1, Opacity: 1}, backendKey{})
				}
				n.Parent, root[i] = roots[host], roots[host]
			}
		}
		if i < len(t.Attributes) {
			list := t.Attributes[i]
			for k := 0; k+1 < len(list); k += 2 {
				n.Attrs = append(n.Attrs, amble.Attr{Name: text(domsnapshot.StringIndex(list[k])), Value: text(domsnapshot.StringIndex(list[k+1]))})
			}
		}
		key := backendKey{}
		if i < len(t.BackendNodeID) {
			key = backendKey{b.process, t.BackendNodeID[i]}
		}
		place[i] = b.append(n, key)
	}
	node := func(i int64) *amble.Node {
		if i < 0 || int(i) >= len(place) {
			return &amble.Node{}
		}
		return &b.snap.Nodes[place[i]]
	}
	rare(t.PseudoType, func(i int64, v domsnapshot.StringIndex) {
		node(i).Pseudo = text(v)
		node(i).Name = "::" + text(v)
	})
	secret := func(i int64, v domsnapshot.StringIndex) {
		if text(v) != "" {
			node(i).InputValue = "•" // whether a field is filled matters, what is in it is nobody's business (S12)
		}
	}
	rare(t.InputValue, secret)
	rare(t.TextValue, secret)
	flag(t.InputChecked, func(i int64) { node(i).Checked = true })
	flag(t.OptionSelected, func(i int64) { node(i).Selected = true })
	flag(t.IsClickable, func(i int64) { node(i).Clickable = true })
	return place
}

// append adds a node to the list and returns its place.
func (b *treeBuilder) append(n amble.Node, key backendKey) int {
	i := len(b.snap.Nodes)
	b.snap.Nodes = append(b.snap.Nodes, n)
	b.ids = append(b.ids, key)
	if key.id != 0 {
		b.index[key] = i
	}
	return i
}

// rootOf is the shadow root that a node is in, -1 for the document.
func (b *treeBuilder) rootOf(i int) int {
	for ; i >= 0; i = b.snap.Nodes[i].Parent {
		if b.snap.Nodes[i].Type == amble.NodeShadow {
			return i
		}
	}
	return -1
}

func rare(d *domsnapshot.RareStringData, f func(int64, domsnapshot.StringIndex)) {
	if d == nil {
		return
	}
	for k, i := range d.Index {
		if k < len(d.Value) {
			f(i, d.Value[k])
		}
	}
}

func flag(d *domsnapshot.RareBooleanData, f func(int64)) {
	if d == nil {
		return
	}
	for _, i := range d.Index {
		f(i)
	}
}

// layout adds boxes, styles and text boxes. dx and dy are where the document stands in the page.
func (b *treeBuilder) layout(doc *domsnapshot.DocumentSnapshot, text func(domsnapshot.StringIndex) string, place []int, dx, dy float64) {
	t := doc.Layout
	if t == nil || doc.Nodes == nil {
		return
	}
	total := len(place)
	for i, owner := range t.NodeIndex {
		if owner < 0 || int(owner) >= total {
			continue
		}
		n := &b.snap.Nodes[place[owner]]
		first := !n.Rendered
		n.Rendered = true
		if i < len(t.Bounds) {
			box := rect(t.Bounds[i], dx, dy)
			if first {
				n.Box = box
			} else {
				n.Box = union(n.Box, box) // a node with several layout objects (a first letter)
			}
		}
		if !first {
			continue
		}
		if i < len(t.Styles) && len(t.Styles[i]) > 0 {
			n.Styles = make([]string, len(t.Styles[i]))
			for k, s := range t.Styles[i] {
				n.Styles[k] = text(domsnapshot.StringIndex(s))
			}
		}
		if i < len(t.PaintOrders) {
			n.Paint = int(t.PaintOrders[i])
		}
		if i < len(t.ClientRects) && len(t.ClientRects[i]) == 4 {
			n.ClientBox = rect(t.ClientRects[i], 0, 0)
		}
		if i < len(t.ScrollRects) && len(t.ScrollRects[i]) == 4 {
			n.ScrollBox = rect(t.ScrollRects[i], 0, 0)
		}
		if i < len(t.BlendedBackgroundColors) {
			n.Background = text(t.BlendedBackgroundColors[i])
		}
		if i < len(t.TextColorOpacities) {
			n.Opacity = t.TextColorOpacities[i]
		}
	}
	boxes := doc.TextBoxes
	if boxes == nil {
		return
	}
	for i, at := range boxes.LayoutIndex {
		if at < 0 || int(at) >= len(t.NodeIndex) || i >= len(boxes.Bounds) || i >= len(boxes.Start) || i >= len(boxes.Length) {
			continue
		}
		owner := t.NodeIndex[at]
		if owner < 0 || int(owner) >= total {
			continue
		}
		n := &b.snap.Nodes[place[owner]]
		n.TextBoxes = append(n.TextBoxes, amble.TextBox{Rect: rect(boxes.Bounds[i], dx, dy), Start: int(boxes.Start[i]), Length: int(boxes.Length[i])})
	}
}

func rect(r domsnapshot.Rectangle, dx, dy float64) amble.Rect {
	if len(r) != 4 {
		return amble.Rect{}
	}
	return amble.Rect{X: r[0] + dx, Y: r[1] + dy, W: r[2], H: r[3]}
}

func union(a, b amble.Rect) amble.Rect {
	if a.W == 0 && a.H == 0 {
		return b
	}
	if b.W == 0 && b.H == 0 {
		return a
	}
	x, y := min(a.X, b.X), min(a.Y, b.Y)
	return amble.Rect{X: x, Y: y, W: max(a.X+a.W, b.X+b.W) - x, H: max(a.Y+a.H, b.Y+b.H) - y}
}
