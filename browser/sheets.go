package browser

import (
	"context"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/network"

	"github.com/amblecrawl/amble"
)

// Style sheets beyond these are left out of a Snapshot.
const (
	maxSheets     = 100
	maxSheetBytes = 2 << 20 // of all together
)

// captureSheets takes the text of the style sheets that the page loaded. It is the answer that the browser holds: the other
// ways that Chrome has (Page.getResourceContent, CSS.enable) ask the server once more.
func (l *load) captureSheets(ctx context.Context, snap *amble.Snapshot) error {
	remote := map[cdp.FrameID]*session{}
	for _, child := range l.tab.frames() {
		remote[child.frame] = child.s
	}
	type source struct {
		url   string
		id    network.RequestID
		frame cdp.FrameID
	}
	var list []source
	l.mu.Lock()
	seen := map[string]bool{}
	for _, f := range l.order {
		if f.kind == network.ResourceTypeStylesheet && f.ended && f.problem == "" && !seen[f.URL] {
			seen[f.URL] = true
			list = append(list, source{f.URL, f.id, f.frame})
		}
	}
	l.mu.Unlock()
	size, left := 0, 0
	for _, s := range list {
		if len(snap.Sheets) == maxSheets || size >= maxSheetBytes {
			left++
			continue
		}
		session := l.tab.main
		if s := remote[s.frame]; s != nil {
			session = s
		}
		got, err := cdp.Call(ctx, session, network.GetResponseBody, network.GetResponseBodyParams{RequestID: s.id})
		if ctx.Err() != nil {
			return err
		}
		if err != nil || size+len(got.Body) > maxSheetBytes {
			left++
			continue
		}
		size += len(got.Body)
		snap.Sheets = append(snap.Sheets, amble.StyleSheet{URL: s.url, Text: string(got.Body)})
	}
	if left > 0 {
		l.problem("the text of %d style sheets was not taken", left)
	}
	return nil
}
