// Package analyze holds the Analyzers that come with amble. Each is a plain [amble.Analyzer]: put those that are wanted
// into Crawler.Analyzers, beside your own. Metadata is the small one; the packages below have the whole audits: seo, tech,
// a11y and links. Rules of Metadata are in seo and tech as well, under the same ids: use it or them.
package analyze
