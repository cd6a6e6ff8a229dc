package seo

import "github.com/amblecrawl/amble"

// rule is a check as data; its texts are in texts.json.
type rule struct {
	id        string
	severity  amble.Severity
	certainty amble.Certainty
	needs     amble.Needs
	help      string
	refs      []string
}

const (
	meta  = amble.NeedMeta
	whole = amble.NeedMeta | amble.NeedWhole // judges what is absent: a part of a page cannot show that
	tree  = amble.NeedMeta | amble.NeedTree
	full  = amble.NeedMeta | amble.NeedTree | amble.NeedWhole
	sites = amble.NeedSite
)

const (
	helpRobots    = "https://developers.google.com/search/docs/crawling-indexing/robots-meta-tag"
	helpCanonical = "https://developers.google.com/search/docs/crawling-indexing/consolidate-duplicate-urls"
	helpRedirect  = "https://developers.google.com/search/docs/crawling-indexing/301-redirects"
	helpStatus    = "https://developers.google.com/search/docs/crawling-indexing/http-network-errors"
	helpTitle     = "https://developers.google.com/search/docs/appearance/title-link"
	helpSnippet   = "https://developers.google.com/search/docs/appearance/snippet"
	helpHreflang  = "https://developers.google.com/search/docs/specialty/international/localized-versions"
	helpLang      = "https://www.w3.org/International/questions/qa-html-language-declarations"
	helpData      = "https://developers.google.com/search/docs/appearance/structured-data/intro-structured-data"
	helpOpenGraph = "https://ogp.me/"
	helpLinks     = "https://developers.google.com/search/docs/crawling-indexing/links-crawlable"
	helpImages    = "https://developers.google.com/search/docs/appearance/google-images"
	helpSitemap   = "https://www.sitemaps.org/protocol.html"
	helpRobotsTxt = "https://www.rfc-editor.org/rfc/rfc9309"
	helpURL       = "https://developers.google.com/search/docs/crawling-indexing/url-structure"
	helpHTML      = "https://html.spec.whatwg.org/multipage/sections.html#headings-and-outlines"
)

func refs(list ...string) []string { return list }

// rules is the table of all checks.
var rules = []rule{
	// Indexing.
	{"noindex", amble.Warning, amble.Doubt, meta, helpRobots, refs("Google robots meta tag", "C12")},
	{"nofollow-page", amble.Notice, amble.Doubt, meta, helpRobots, refs("Google robots meta tag", "C12")},
	{"unavailable-past", amble.Warning, amble.Doubt, meta, helpRobots, refs("Google robots meta tag")},
	{"nosnippet", amble.Notice, amble.Opportunity, meta, helpRobots, refs("Google robots meta tag")},
	{"noimageindex", amble.Notice, amble.Opportunity, meta, helpRobots, refs("Google robots meta tag")},
	{"indexifembedded-alone", amble.Notice, amble.Issue, meta, helpRobots, refs("Google robots meta tag")},
	{"directive-conflict", amble.Warning, amble.Issue, meta, helpRobots, refs("Google robots meta tag")},
	{"directive-malformed", amble.Notice, amble.Issue, meta, helpRobots, refs("Google robots meta tag")},
	{"directive-outside-head", amble.Warning, amble.Doubt, meta, helpRobots, refs("HTML standard 4.2.5")},
	{"noindex-with-canonical", amble.Warning, amble.Doubt, meta, helpCanonical, nil},
	{"robots-blocked", amble.Info, amble.Doubt, sites, helpRobotsTxt, refs("RFC 9309")},
	{"refresh-redirect", amble.Warning, amble.Doubt, meta, helpRedirect, refs("HTML standard 4.2.5.3")},
	{"soft-404", amble.Warning, amble.Doubt, meta, helpStatus, nil},

	// Status and redirects.
	{"status-4xx", amble.Serious, amble.Issue, sites, helpStatus, refs("RFC 9110 15.5")},
	{"status-5xx", amble.Serious, amble.Doubt, sites, helpStatus, refs("RFC 9110 15.6")},
	{"no-response", amble.Notice, amble.Doubt, sites, helpStatus, refs("S20")},
	{"redirect-internal", amble.Notice, amble.Opportunity, sites, helpRedirect, refs("RFC 9110 15.4")},
	{"redirect-chain", amble.Warning, amble.Doubt, sites, helpRedirect, refs("RFC 9110 15.4")},
	{"redirect-loop", amble.Serious, amble.Issue, sites, helpRedirect, refs("RFC 9110 15.4")},
	{"redirect-too-long", amble.Serious, amble.Issue, sites, helpRedirect, nil},
	{"redirect-to-broken", amble.Serious, amble.Issue, sites, helpRedirect, nil},
	{"redirect-temporary", amble.Notice, amble.Opportunity, sites, helpRedirect, refs("RFC 9110 15.4.3")},
	{"redirect-to-http", amble.Serious, amble.Issue, sites, helpRedirect, nil},
	{"redirect-invalid", amble.Serious, amble.Issue, sites, helpRedirect, refs("RFC 9110 10.2.2")},
	{"redirect-to-home", amble.Notice, amble.Doubt, sites, helpStatus, nil},

	// Canonical.
	{"canonical-missing", amble.Notice, amble.Opportunity, whole, helpCanonical, nil},
	{"canonical-multiple", amble.Serious, amble.Issue, meta, helpCanonical, refs("RFC 6596")},
	{"canonical-conflict", amble.Serious, amble.Issue, meta, helpCanonical, refs("RFC 6596", "RFC 8288")},
	{"canonical-relative", amble.Notice, amble.Opportunity, meta, helpCanonical, nil},
	{"canonical-invalid", amble.Serious, amble.Issue, meta, helpCanonical, refs("URL standard")},
	{"canonical-outside-head", amble.Serious, amble.Issue, meta, helpCanonical, refs("HTML standard 4.2.4")},
	{"canonical-fragment", amble.Warning, amble.Issue, meta, helpCanonical, nil},
	{"canonical-cross-domain", amble.Notice, amble.Doubt, meta, helpCanonical, nil},
	{"canonical-to-root", amble.Warning, amble.Doubt, meta, helpCanonical, nil},
	{"canonical-http", amble.Warning, amble.Issue, meta, helpCanonical, nil},
	{"canonical-to-redirect", amble.Serious, amble.Issue, sites, helpCanonical, nil},
	{"canonical-to-error", amble.Serious, amble.Issue, sites, helpCanonical, nil},
	{"canonical-to-noindex", amble.Serious, amble.Issue, sites, helpCanonical, nil},
	{"canonical-to-blocked", amble.Serious, amble.Doubt, sites, helpCanonical, nil},
	{"canonical-to-non-canonical", amble.Serious, amble.Issue, sites, helpCanonical, nil},
	{"canonical-loop", amble.Serious, amble.Issue, sites, helpCanonical, nil},
	{"canonical-unlinked", amble.Notice, amble.Doubt, sites, helpCanonical, nil},

	// Title, description, headings, content.
	{"title-missing", amble.Serious, amble.Issue, whole, helpTitle, refs("HTML standard 4.2.2", "WCAG 2.2 2.4.2")},
	{"title-multiple", amble.Warning, amble.Issue, meta, helpTitle, refs("HTML standard 4.2.2")},
	{"title-long", amble.Notice, amble.Opportunity, meta, helpTitle, nil},
	{"title-short", amble.Notice, amble.Opportunity, meta, helpTitle, nil},
	{"title-duplicate", amble.Warning, amble.Doubt, sites, helpTitle, nil},
	{"title-same-as-h1", amble.Notice, amble.Opportunity, meta, helpTitle, nil},
	{"title-outside-head", amble.Warning, amble.Issue, tree, helpTitle, refs("HTML standard 4.2.2")},
	{"description-missing", amble.Notice, amble.Opportunity, whole, helpSnippet, nil},
	{"description-multiple", amble.Warning, amble.Issue, meta, helpSnippet, refs("HTML standard 4.2.5.1")},
	{"description-long", amble.Notice, amble.Opportunity, meta, helpSnippet, nil},
	{"description-short", amble.Notice, amble.Opportunity, meta, helpSnippet, nil},
	{"description-duplicate", amble.Notice, amble.Doubt, sites, helpSnippet, nil},
	{"h1-missing", amble.Notice, amble.Doubt, full, helpHTML, nil},
	{"h1-multiple", amble.Notice, amble.Opportunity, meta, helpHTML, nil},
	{"h1-duplicate", amble.Notice, amble.Opportunity, sites, helpHTML, nil},
	{"heading-skip", amble.Notice, amble.Doubt, tree, helpHTML, refs("HTML standard 4.3.11")},
	{"content-thin", amble.Notice, amble.Opportunity, full, helpSnippet, nil},

	// Languages.
	{"lang-missing", amble.Warning, amble.Issue, meta, helpLang, refs("WCAG 2.2 3.1.1", "HTML standard 3.2.6.2")},
	{"lang-invalid", amble.Warning, amble.Issue, meta, helpLang, refs("RFC 5646", "WCAG 2.2 3.1.1")},
	{"hreflang-invalid", amble.Serious, amble.Issue, meta, helpHreflang, refs("ISO 639-1", "ISO 3166-1")},
	{"hreflang-no-return", amble.Serious, amble.Issue, sites, helpHreflang, nil},
	{"hreflang-no-self", amble.Warning, amble.Issue, whole, helpHreflang, nil},
	{"hreflang-no-default", amble.Notice, amble.Opportunity, whole, helpHreflang, nil},
	{"hreflang-conflict", amble.Warning, amble.Issue, meta, helpHreflang, nil},
	{"hreflang-to-error", amble.Serious, amble.Issue, sites, helpHreflang, nil},
	{"hreflang-to-redirect", amble.Serious, amble.Issue, sites, helpHreflang, nil},
	{"hreflang-to-noindex", amble.Serious, amble.Issue, sites, helpHreflang, nil},
	{"hreflang-to-blocked", amble.Serious, amble.Doubt, sites, helpHreflang, nil},
	{"hreflang-to-non-canonical", amble.Serious, amble.Issue, sites, helpHreflang, nil},
	{"hreflang-relative", amble.Warning, amble.Issue, meta, helpHreflang, nil},
	{"hreflang-outside-head", amble.Serious, amble.Issue, meta, helpHreflang, refs("HTML standard 4.2.4")},
	{"hreflang-lang-mismatch", amble.Notice, amble.Doubt, meta, helpHreflang, nil},
	{"hreflang-unlinked", amble.Notice, amble.Doubt, sites, helpHreflang, nil},

	// Structured data and social tags.
	{"data-json-invalid", amble.Serious, amble.Issue, tree, helpData, refs("RFC 8259", "JSON-LD 1.1")},
	{"data-no-type", amble.Warning, amble.Issue, tree, helpData, refs("schema.org")},
	{"data-context-missing", amble.Warning, amble.Issue, tree, helpData, refs("JSON-LD 1.1 section 3.1")},
	{"data-required-missing", amble.Warning, amble.Doubt, tree, helpData, nil},
	{"data-none", amble.Info, amble.Opportunity, whole, helpData, nil},
	{"og-missing", amble.Info, amble.Opportunity, whole, helpOpenGraph, nil},
	{"og-url-not-canonical", amble.Notice, amble.Doubt, meta, helpOpenGraph, nil},
	{"og-image-relative", amble.Warning, amble.Issue, meta, helpOpenGraph, nil},

	// Links and site structure.
	{"link-href-invalid", amble.Serious, amble.Issue, meta, helpLinks, refs("URL standard")},
	{"link-not-crawlable", amble.Warning, amble.Doubt, tree, helpLinks, nil},
	{"link-generic-text", amble.Notice, amble.Opportunity, tree, helpLinks, refs("WCAG 2.2 2.4.9")},
	{"link-empty-text", amble.Warning, amble.Doubt, tree, helpLinks, refs("WCAG 2.2 2.4.4")},
	{"link-internal-nofollow", amble.Notice, amble.Doubt, meta, helpLinks, nil},
	{"link-to-http", amble.Warning, amble.Doubt, meta, helpLinks, nil},
	{"link-localhost", amble.Serious, amble.Issue, meta, helpLinks, nil},
	{"link-too-many", amble.Notice, amble.Opportunity, meta, helpLinks, nil},
	{"link-tracking-internal", amble.Notice, amble.Opportunity, meta, helpURL, nil},
	{"link-unsafe-blank", amble.Info, amble.Opportunity, tree, helpLinks, refs("HTML standard 4.6.7")},
	{"pagination-unlinked", amble.Notice, amble.Doubt, full, helpLinks, nil},
	{"only-nofollow-links", amble.Warning, amble.Doubt, sites, helpLinks, nil},
	{"page-orphan", amble.Warning, amble.Doubt, sites, helpLinks, nil},
	{"page-depth", amble.Notice, amble.Opportunity, sites, helpLinks, nil},
	{"page-dead-end", amble.Notice, amble.Opportunity, whole, helpLinks, nil},

	// Images.
	{"img-alt-missing", amble.Warning, amble.Issue, tree, helpImages, refs("HTML standard 4.8.4.4", "WCAG 2.2 1.1.1")},
	{"img-alt-long", amble.Notice, amble.Opportunity, tree, helpImages, nil},
	{"picture-no-img", amble.Serious, amble.Issue, tree, helpImages, refs("HTML standard 4.8.1")},

	// Sitemaps and robots.txt.
	{"sitemap-unreachable", amble.Serious, amble.Doubt, sites, helpSitemap, nil},
	{"sitemap-invalid", amble.Serious, amble.Issue, sites, helpSitemap, refs("sitemaps.org")},
	{"sitemap-too-big", amble.Serious, amble.Issue, sites, helpSitemap, refs("sitemaps.org")},
	{"sitemap-not-200", amble.Warning, amble.Issue, sites, helpSitemap, nil},
	{"sitemap-noindex", amble.Warning, amble.Issue, sites, helpSitemap, nil},
	{"sitemap-blocked", amble.Warning, amble.Doubt, sites, helpSitemap, nil},
	{"sitemap-non-canonical", amble.Warning, amble.Issue, sites, helpSitemap, nil},
	{"sitemap-missing-page", amble.Notice, amble.Opportunity, sites, helpSitemap, nil},
	{"sitemap-other-host", amble.Warning, amble.Issue, sites, helpSitemap, refs("sitemaps.org")},
	{"sitemap-outside-path", amble.Warning, amble.Issue, sites, helpSitemap, refs("sitemaps.org")},
	{"sitemap-lastmod", amble.Notice, amble.Issue, sites, helpSitemap, refs("W3C date and time formats")},
	{"sitemap-duplicate", amble.Notice, amble.Issue, sites, helpSitemap, nil},
	{"robots-unreachable", amble.Serious, amble.Doubt, sites, helpRobotsTxt, refs("RFC 9309 2.3.1.4")},
	{"robots-invalid-line", amble.Notice, amble.Issue, sites, helpRobotsTxt, refs("RFC 9309 2.2")},
	{"robots-not-text", amble.Warning, amble.Issue, sites, helpRobotsTxt, refs("RFC 9309 2.3")},
	{"robots-no-sitemap", amble.Info, amble.Opportunity, sites, helpSitemap, nil},

	// Duplicates and addresses.
	{"dup-exact", amble.Warning, amble.Doubt, sites, helpCanonical, nil},
	{"dup-near", amble.Notice, amble.Doubt, sites, helpCanonical, nil},
	{"dup-url-variant", amble.Warning, amble.Doubt, sites, helpCanonical, nil},
	{"url-upper", amble.Info, amble.Opportunity, meta, helpURL, nil},
	{"url-underscore", amble.Info, amble.Opportunity, meta, helpURL, nil},
	{"url-space", amble.Info, amble.Opportunity, meta, helpURL, nil},
	{"url-double-slash", amble.Info, amble.Opportunity, meta, helpURL, nil},
	{"url-non-ascii", amble.Info, amble.Opportunity, meta, helpURL, nil},
	{"url-long", amble.Info, amble.Opportunity, meta, helpURL, nil},
	{"url-parameters", amble.Info, amble.Opportunity, meta, helpURL, nil},
	{"url-session", amble.Info, amble.Opportunity, meta, helpURL, nil},
}
