// Package report turns a crawl into reports: one HTML file for people, JSON Lines for machines, CSV for spreadsheets,
// SARIF and JUnit for pipelines, a comparison of two runs, an estimate of a site's state, and a courtesy report that tells
// a site's owner what was asked of the server.
//
// Every writer is a [Sink]: it takes the pages one by one as the crawl yields them, and the Summary at the end.
//
//	options := report.Options{Agent: crawler.Agent, Rules: report.RulesOf(crawler.Analyzers...),
//		Texts: report.TextsOf(crawler.Analyzers...), Messages: report.MessagesOf(crawler.Analyzers...)}
//	c := report.NewCollector(options)
//	lines := report.NewJSONL(file, options)
//	summary, err := report.Each(ctx, crawler, []string{"https://example.com/"}, c, lines)
//	err = c.WriteHTML(out, "es")
//
// JSONL, CSV and SARIF write as the pages come and keep next to nothing. The [Collector] keeps what the HTML and JUnit
// reports show, within its Limits, whatever the size of the site.
//
// Pages that were not analysed are listed with the reason and count in no score; nothing is said about them (S20).
package report
