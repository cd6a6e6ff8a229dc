package browser_test

import (
	"context"
	"fmt"

	"github.com/amblecrawl/amble"
	"github.com/amblecrawl/amble/browser"
)

// A crawl whose pages are loaded in Chrome where an Analyzer needs them rendered. Starting the browser first ends the
// program early, with what to install, when there is none.
func ExampleRenderer() {
	agent := amble.Agent{Name: "ExampleAudit", InfoURL: "https://example.com/crawler"}
	renderer := &browser.Renderer{Agent: agent, Mobile: true, Banners: browser.BannerPolicy{Mode: browser.BannerRefuse}}
	defer renderer.Close()
	ctx := context.Background()
	if _, err := renderer.Start(ctx); err != nil {
		fmt.Println(err)
		return
	}
	crawler := &amble.Crawler{Agent: agent, Renderer: renderer}
	for page, err := range crawler.Pages(ctx, "https://example.com/") {
		if err != nil {
			fmt.Println(err)
			return
		}
		if page.Response != nil && page.Response.Snapshot != nil {
			fmt.Println(page.URL, page.Response.Snapshot.Settled.Reason, page.Response.Snapshot.Banner.Action)
		}
	}
}
