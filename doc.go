// Package amble is a polite crawler for programs that look at other people's websites.
//
// It says who it is, obeys robots.txt (RFC 9309) to the letter, walks at an easy pace, backs off when asked, and never
// takes "I was refused" for "your site is broken": every URL ends in exactly one typed [Outcome], with a reason.
//
// The smallest program:
//
//	c := &amble.Crawler{Agent: amble.Agent{Name: "ExampleAudit", InfoURL: "https://example.com/crawler"}}
//	for page, err := range c.Pages(ctx, "https://example.com/") {
//		if err != nil {
//			return err // the crawl's own trouble
//		}
//		fmt.Println(page.Outcome, page.URL, page.Reason)
//	}
//
// # Where things are
//
//   - [Crawler]: the configuration; Pages streams, Run sums up, Plan is a dry run.
//   - [Agent]: who we are; both user agents, product tokens.
//   - [Scope], [Budget]: where to and how far.
//   - [LinkCheck]: what the pages' links, images, scripts and style sheets lead to.
//   - [RobotsPolicy], [Limiter], [Fetcher], [Analyzer], [Store]: the parts that can be replaced. Each says what
//     implementers must and must not do; package ambletest checks an implementation.
//   - [Switch], [Prover], [Ladder], [BotSigner], [BotPage]: whom we may visit, who we are, and how to stop us.
//   - [Page], [Outcome], [Meta], [Finding], [Summary]: what comes out.
//
// Package analyze holds the built-in Analyzers, package browser a Fetcher that loads pages in Chrome.
package amble
