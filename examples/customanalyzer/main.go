// Customanalyzer shows the two parts that people write most: an Analyzer of their own, and a decorator around a Fetcher.
//
//	go run ./examples/customanalyzer http://127.0.0.1:8080/
package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"strings"
	"time"

	"golang.org/x/net/html"

	"github.com/amblecrawl/amble"
	"github.com/amblecrawl/amble/examples/internal/cli"
)

// exclaim finds headings that shout.
type exclaim struct{}

// Rules describes what is checked. NeedTree makes the crawl parse each page for us.
func (exclaim) Rules() []amble.Rule {
	return []amble.Rule{{
		ID:          "heading-shouts",
		Title:       "Headings do not shout",
		Explanation: "A heading in capital letters is hard to read.",
		Fix:         "Write it in sentence case, and use CSS for looks.",
		Severity:    amble.Notice,
		Certainty:   amble.Opportunity,
		Needs:       amble.NeedTree,
	}}
}

// Analyze reports each h1 to h3 that is all capitals. It keeps nothing of the page.
func (exclaim) Analyze(_ context.Context, p *amble.Page, report func(amble.Finding)) error {
	doc, _ := p.Tree()
	if doc == nil {
		return nil
	}
	for n := range doc.Descendants() {
		if n.Type != html.ElementNode || n.Data != "h1" && n.Data != "h2" && n.Data != "h3" {
			continue
		}
		if text := textOf(n); len(text) > 3 && text == strings.ToUpper(text) && text != strings.ToLower(text) {
			report(amble.Finding{Rule: "heading-shouts", Selector: n.Data, Snippet: text})
		}
	}
	return nil
}

func textOf(n *html.Node) string {
	var b strings.Builder
	for c := range n.Descendants() {
		if c.Type == html.TextNode {
			b.WriteString(c.Data)
		}
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

// logged tells of every exchange. A decorator may look at requests and answers; it must not retry or wait: the Limiter does.
func logged(next amble.Fetcher, log *slog.Logger) amble.Fetcher {
	return amble.FetcherFunc(func(ctx context.Context, req *amble.Request) (*amble.Response, error) {
		start := time.Now()
		resp, err := next.Fetch(ctx, req)
		if err != nil {
			log.Warn("no answer", "url", req.URL.String(), "for", req.Kind.String(), "error", err)
			return nil, err
		}
		log.Info("answer", "url", req.URL.String(), "for", req.Kind.String(), "status", resp.Status, "took", time.Since(start))
		return resp, nil
	})
}

func main() {
	who := cli.Identity("customanalyzer", "URL …")
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	crawler := &amble.Crawler{
		Agent:     who.Agent,
		Fetcher:   logged(who.Fetcher, slog.New(slog.NewTextHandler(os.Stderr, nil))),
		Analyzers: []amble.Analyzer{exclaim{}},
		Budget:    amble.Budget{Pages: 50},
	}
	for page, err := range crawler.Pages(ctx, who.Args...) {
		if err != nil {
			cli.Fail(err)
		}
		for _, f := range page.Findings {
			fmt.Printf("%s\t%s\t%s\t%q\n", f.Severity, f.Rule, page.URL, f.Snippet)
		}
	}
}
