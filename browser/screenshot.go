package browser

import (
	"context"
	"fmt"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"

	"github.com/amblecrawl/amble"
)

// ScreenshotPolicy says whether a picture of the page is taken (S5). It costs more than all else; one that fails leaves a
// problem in the Snapshot, never an error.
type ScreenshotPolicy struct {
	Take    bool
	Full    bool // the whole page, down to MaxHeight; otherwise what the window shows
	Format  string
	Quality int // of a JPEG, 1 to 100. 0: 80.

	// MaxHeight cuts a picture of a whole page, in CSS pixels. 0: 8,000. Chrome cannot make pictures of arbitrary size.
	MaxHeight int
}

// maxSide is the longest side of a picture that Chrome's software renderer can make, in device pixels.
const maxSide = 16_384

func (l *load) screenshot(snap *amble.Snapshot, policy ScreenshotPolicy) {
	if !policy.Take {
		return
	}
	l.try("the screenshot", func(ctx context.Context) error {
		params := page.CaptureScreenshotParams{Format: page.CaptureScreenshotFormatJpeg, Quality: new(int64(or(policy.Quality, 80)))}
		snap.ScreenshotType = "image/jpeg"
		if policy.Format == "png" {
			params.Format, params.Quality, snap.ScreenshotType = page.CaptureScreenshotFormatPng, nil, "image/png"
		}
		if policy.Full {
			metrics, err := cdp.Call(ctx, l.tab.main, page.GetLayoutMetrics, cdp.Empty{})
			if err != nil {
				return err
			}
			size := metrics.CSSContentSize
			if size == nil {
				return fmt.Errorf("no content size")
			}
			limit := min(float64(or(policy.MaxHeight, 8000)), maxSide/snap.Viewport.Scale)
			height := size.Height
			if height > limit {
				height = limit
				l.problem("the screenshot shows the first %.0f of %.0f pixels", height, size.Height)
			}
			params.CaptureBeyondViewport = new(true)
			params.Clip = &page.Viewport{Width: min(size.Width, limit), Height: height, Scale: 1}
		}
		shot, err := cdp.Call(ctx, l.tab.main, page.CaptureScreenshot, params)
		if err != nil {
			snap.ScreenshotType = ""
			return err
		}
		snap.Screenshot = shot.Data
		return nil
	})
}
