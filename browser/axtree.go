package browser

import (
	"context"
	"strings"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/cdp/jsonv2"

	"github.com/amblecrawl/amble"
)

// captureAccessibility adds Chrome's accessibility tree, frame by frame.
func (l *load) captureAccessibility(ctx context.Context, b *treeBuilder) error {
	b.snap.AX = map[int]amble.AXNode{}
	remote := map[string]bool{}
	process := 1
	for _, child := range l.tab.frames() {
		remote[string(child.frame)] = true
		if tree, err := cdp.Call(ctx, child.s, accessibility.GetFullAXTree, accessibility.GetFullAXTreeParams{}); err == nil {
			b.addAX(tree.Nodes, process)
		}
		process++
	}
	for _, frame := range b.snap.Frames {
		if remote[frame.ID] || !frame.Tested {
			continue
		}
		tree, err := cdp.Call(ctx, l.tab.main, accessibility.GetFullAXTree, accessibility.GetFullAXTreeParams{FrameID: cdp.FrameID(frame.ID)})
		if err != nil {
			if ctx.Err() != nil {
				return err
			}
			continue // a frame of another process, below one that is listed
		}
		b.addAX(tree.Nodes, 0)
	}
	return nil
}

func (b *treeBuilder) addAX(nodes []*accessibility.Node, process int) {
	for _, n := range nodes {
		i, ok := b.index[backendKey{process, n.BackendDOMNodeID}]
		if !ok || n.BackendDOMNodeID == 0 {
			continue
		}
		ax := amble.AXNode{Role: axText(n.Role), Name: axText(n.Name), Description: axText(n.Description), Ignored: n.Ignored}
		for _, p := range n.Properties {
			if text := axText(p.Value); text != "" {
				if ax.Properties == nil {
					ax.Properties = map[string]string{}
				}
				ax.Properties[string(p.Name)] = text
			}
		}
		b.snap.AX[i] = ax
	}
}

// axText is a value of the accessibility tree as text.
func axText(v *accessibility.Value) string {
	if v == nil || len(v.Value) == 0 {
		return ""
	}
	var s string
	if jsonv2.Unmarshal(v.Value, &s) == nil {
		return s
	}
	return strings.Trim(string(v.Value), `"`)
}
