// Package ambletest helps to test crawlers and their parts.
//
// A crawl of an http.Handler inside go test takes one line, without a network:
//
//	r := ambletest.Crawl(t, handler, "/")
//	r.WantOutcome("/old", amble.OutcomeRedirected)
//
// [Site] is such a handler: a scripted website with redirects, refusals and a log of who asked for what, when. Inside a
// bubble of testing/synctest the waits of a polite crawl take no time.
//
// TestFetcher, TestRobotsPolicy, TestLimiter, TestAnalyzer and TestStore check that an implementation keeps the
// promises that its interface's documentation lists; a failure names the broken promise. [Expect] checks an Analyzer
// against expectations written in the pages themselves. [Politeness] judges a whole crawler, whoever wrote it and in
// whatever language, by the access log of sites on loopback.
package ambletest
