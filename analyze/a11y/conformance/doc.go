// Package conformance turns what the accessibility rules found into what standards ask about: WCAG by success criterion,
// EN 301 549 by clause in both versions that are in use, the French RGAA 4.1, the steps of the German BITV-Test, and a
// draft of an accessibility conformance report in the form of OpenACR.
//
// It is honest about what a machine can see. A criterion for which nothing was found is not met, it is open: most criteria
// are judged in part, many not at all, and Coverage says which. Nothing here ever says "supports".
//
//	var c conformance.Collector
//	crawler.Analyzers = []amble.Analyzer{&a11y.Analyzer{OnReport: c.Add}}
//	… crawl …
//	c.Table().WriteMarkdown(os.Stdout, "en")
//
// Files: collector.go gathers reports; table.go the rows by criterion; standards.go and standards.json other catalogues;
// openacr.go the draft; markdown.go and texts.json what people read, in five languages.
package conformance
