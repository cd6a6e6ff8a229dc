package browser

import (
	"context"
	"fmt"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/domsnapshot"
	"github.com/chromedp/cdproto/emulation"

	"github.com/amblecrawl/amble"
)

// zoomWindows are the windows that a page has at 200 % on a screen of 1280 by 1024 pixels, and at 400 % (WCAG 1.4.4 and 1.4.10).
var zoomWindows = []amble.Viewport{{Width: 640, Height: 512, Scale: 1}, {Width: 320, Height: 256, Scale: 1}}

// zoomWait is what a page gets to arrange itself in another window, beside two frames.
const zoomWait = 150 * time.Millisecond

// zoom shows the page in smaller windows and takes its tree in each.
func (l *load) zoom(ctx context.Context, snap *amble.Snapshot) error {
	defer l.chrome.id.apply(l.ctx, l.tab.main)
	for _, window := range zoomWindows {
		_, err := cdp.Call(ctx, l.tab.main, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{
			Width: int64(window.Width), Height: int64(window.Height), DeviceScaleFactor: window.Scale,
		})
		if err != nil {
			return err
		}
		wait := fmt.Sprintf(`new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(() => done(true), %d))))`, zoomWait.Milliseconds())
		if err := l.evaluate(ctx, wait, nil); err != nil {
			return err
		}
		tree, err := cdp.Call(ctx, l.tab.main, domsnapshot.CaptureSnapshot, domsnapshot.CaptureSnapshotParams{
			ComputedStyles: snap.StyleNames, IncludePaintOrder: new(true), IncludeDOMRects: new(true),
		})
		if err != nil {
			return err
		}
		small := &amble.Snapshot{URL: snap.URL, Viewport: window, Browser: snap.Browser, StyleNames: snap.StyleNames}
		newTreeBuilder(small).add(tree, -1, "")
		snap.Zoomed = append(snap.Zoomed, small)
	}
	return nil
}
