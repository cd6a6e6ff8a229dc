package axe_test

import (
	"context"
	"fmt"
	"os"

	"github.com/amblecrawl/amble"
	"github.com/amblecrawl/amble/browser"
	"github.com/amblecrawl/amble/browser/axe"
)

// A crawl whose pages are judged by the axe-core that npm installed.
func Example() {
	engine, err := axe.New(os.DirFS("node_modules/axe-core"), "axe.min.js")
	if err != nil {
		fmt.Println(err)
		return
	}
	engine.Tags = []string{"wcag2a", "wcag2aa"}
	agent := amble.Agent{Name: "ExampleAudit", InfoURL: "https://example.com/crawler"}
	renderer := &browser.Renderer{Agent: agent, Scripts: []browser.Script{engine.Script()}}
	defer renderer.Close()
	crawler := &amble.Crawler{Agent: agent, Renderer: renderer, Analyzers: []amble.Analyzer{engine}}
	for page, err := range crawler.Pages(context.Background(), "https://example.com/") {
		if err != nil {
			fmt.Println(err)
			return
		}
		for _, f := range page.Findings {
			fmt.Println(f.Rule, f.Evidence["criteria"], f.Selector, f.Message)
		}
	}
}
