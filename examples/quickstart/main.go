// Quickstart crawls a site and prints how every URL ended. It is the smallest useful program:
//
//	go run ./examples/quickstart -name ExampleAudit -info-url https://example.com/crawler https://example.com/
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"

	"github.com/amblecrawl/amble"
	"github.com/amblecrawl/amble/examples/internal/cli"
)

func main() {
	who := cli.Identity("quickstart", "URL …")
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()

	crawler := &amble.Crawler{Agent: who.Agent, Fetcher: who.Fetcher, Budget: amble.Budget{Pages: 100}}
	for page, err := range crawler.Pages(ctx, who.Args...) {
		if err != nil {
			cli.Fail(err)
		}
		fmt.Println(page.Outcome, page.URL, page.Reason)
	}
}
