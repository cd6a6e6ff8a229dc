package browser

import (
	"context"
	"strings"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/domdebugger"
	"github.com/chromedp/cdproto/runtime"

	"github.com/amblecrawl/amble"
)

// Listeners beyond these are left out of a Snapshot, and the text of their functions is cut.
const (
	maxListeners      = 5000
	maxListenerSource = 4000
)

// captureListeners takes the list of who waits for events in the page's own process: the window, and the nodes of all its
// frames and shadow trees. The page sees nothing of it.
func (l *load) captureListeners(ctx context.Context, snap *amble.Snapshot) error {
	const group = "amble-listeners"
	snap.Listeners = []amble.Listener{}
	defer post(l.tab.main, runtime.ReleaseObjectGroup, runtime.ReleaseObjectGroupParams{ObjectGroup: group})
	for _, object := range []string{"window", "document"} {
		found, err := cdp.Call(ctx, l.tab.main, runtime.Evaluate, runtime.EvaluateParams{Expression: object, ObjectGroup: group, Silent: new(true)})
		if err != nil {
			return err
		}
		if found.Result == nil || found.Result.ObjectID == "" {
			continue
		}
		params := domdebugger.GetEventListenersParams{ObjectID: found.Result.ObjectID}
		if object == "document" {
			params.Depth, params.Pierce = new(int64(-1)), new(true)
		}
		list, err := cdp.Call(ctx, l.tab.main, domdebugger.GetEventListeners, params)
		if err != nil {
			return err
		}
		for _, e := range list.Listeners {
			if len(snap.Listeners) == maxListeners {
				l.problem("more than %d listeners", maxListeners)
				return nil
			}
			listener := amble.Listener{Node: -1, Type: e.Type}
			if e.BackendNodeID != 0 {
				if listener.Node = l.tree.node(0, e.BackendNodeID); listener.Node < 0 {
					continue // of a node that came later
				}
			}
			if telling(e.Type) && e.Handler != nil {
				listener.Source = strings.ToValidUTF8(e.Handler.Description[:min(len(e.Handler.Description), maxListenerSource)], "")
			}
			snap.Listeners = append(snap.Listeners, listener)
		}
	}
	return nil
}

// telling says whether the text of a function tells more than the event's name.
func telling(event string) bool {
	return strings.HasPrefix(event, "key") || strings.HasPrefix(event, "device") || event == "blur" || event == "focusout" || event == "focus" || event == "focusin"
}
