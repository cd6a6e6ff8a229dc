// Package analyze holds the Analyzers that come with amble. Each is a plain [amble.Analyzer]: put those that are wanted
// into Crawler.Analyzers, beside your own.
package analyze
