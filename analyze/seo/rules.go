package seo

import (
	"github.com/amblecrawl/amble"
	"github.com/amblecrawl/amble/analyze/internal/audit"
)

var rule = audit.NewRule

const (
	meta  = amble.NeedMeta
	whole = amble.NeedMeta | amble.NeedWhole // judges what is absent: a part of a page cannot show that
	tree  = amble.NeedMeta | amble.NeedOutline
	full  = amble.NeedMeta | amble.NeedOutline | amble.NeedWhole
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

// rules is the table of all checks.
var rules = []audit.Rule{
	// Indexing.
	rule("noindex", amble.Warning, amble.Doubt, meta, helpRobots, "Google robots meta tag"),
	rule("nofollow-page", amble.Notice, amble.Doubt, meta, helpRobots, "Google robots meta tag"),
	rule("unavailable-past", amble.Warning, amble.Doubt, meta, helpRobots, "Google robots meta tag"),
	rule("nosnippet", amble.Notice, amble.Opportunity, meta, helpRobots, "Google robots meta tag"),
	rule("noimageindex", amble.Notice, amble.Opportunity, meta, helpRobots, "Google robots meta tag"),
	rule("indexifembedded-alone", amble.Notice, amble.Issue, meta, helpRobots, "Google robots meta tag"),
	rule("directive-conflict", amble.Warning, amble.Issue, meta, helpRobots, "Google robots meta tag"),
	rule("directive-malformed", amble.Notice, amble.Issue, meta, helpRobots, "Google robots meta tag"),
	rule("directive-outside-head", amble.Warning, amble.Doubt, meta, helpRobots, "HTML standard 4.2.5"),
	rule("noindex-with-canonical", amble.Warning, amble.Doubt, meta, helpCanonical),
	rule("noindex-and-blocked", amble.Warning, amble.Issue, sites, helpRobots, "Google robots meta tag", "RFC 9309"),
	rule("resource-blocked", amble.Warning, amble.Doubt, sites|amble.NeedResources, helpRobotsTxt, "RFC 9309"),
	rule("robots-blocked", amble.Info, amble.Doubt, sites, helpRobotsTxt, "RFC 9309"),
	rule("refresh-redirect", amble.Warning, amble.Doubt, meta, helpRedirect, "HTML standard 4.2.5.3"),
	rule("soft-404", amble.Warning, amble.Doubt, meta, helpStatus),
	rule("missing-page-found", amble.Warning, amble.Issue, sites, helpStatus, "RFC 9110 15.5.5"),

	// Status and redirects.
	rule("status-4xx", amble.Serious, amble.Issue, sites, helpStatus, "RFC 9110 15.5"),
	rule("status-5xx", amble.Serious, amble.Doubt, sites, helpStatus, "RFC 9110 15.6"),
	rule("no-response", amble.Notice, amble.Doubt, sites, helpStatus),
	rule("redirect-internal", amble.Notice, amble.Opportunity, sites, helpRedirect, "RFC 9110 15.4"),
	rule("redirect-chain", amble.Warning, amble.Doubt, sites, helpRedirect, "RFC 9110 15.4"),
	rule("redirect-loop", amble.Serious, amble.Issue, sites, helpRedirect, "RFC 9110 15.4"),
	rule("redirect-too-long", amble.Serious, amble.Issue, sites, helpRedirect),
	rule("redirect-to-broken", amble.Serious, amble.Issue, sites, helpRedirect),
	rule("redirect-temporary", amble.Notice, amble.Opportunity, sites, helpRedirect, "RFC 9110 15.4.3"),
	rule("redirect-to-http", amble.Serious, amble.Issue, sites, helpRedirect),
	rule("redirect-invalid", amble.Serious, amble.Issue, sites, helpRedirect, "RFC 9110 10.2.2"),
	rule("redirect-to-home", amble.Notice, amble.Doubt, sites, helpStatus),

	// Canonical.
	rule("canonical-missing", amble.Notice, amble.Opportunity, whole, helpCanonical),
	rule("canonical-multiple", amble.Serious, amble.Issue, meta, helpCanonical, "RFC 6596"),
	rule("canonical-conflict", amble.Serious, amble.Issue, meta, helpCanonical, "RFC 6596", "RFC 8288"),
	rule("canonical-relative", amble.Notice, amble.Opportunity, meta, helpCanonical),
	rule("canonical-invalid", amble.Serious, amble.Issue, meta, helpCanonical, "URL standard"),
	rule("canonical-outside-head", amble.Serious, amble.Issue, meta, helpCanonical, "HTML standard 4.2.4"),
	rule("canonical-fragment", amble.Warning, amble.Issue, meta, helpCanonical),
	rule("canonical-cross-domain", amble.Notice, amble.Doubt, meta, helpCanonical),
	rule("canonical-to-root", amble.Warning, amble.Doubt, meta, helpCanonical),
	rule("canonical-http", amble.Warning, amble.Issue, meta, helpCanonical),
	rule("canonical-to-redirect", amble.Serious, amble.Issue, sites, helpCanonical),
	rule("canonical-to-error", amble.Serious, amble.Issue, sites, helpCanonical),
	rule("canonical-to-noindex", amble.Serious, amble.Issue, sites, helpCanonical),
	rule("canonical-to-blocked", amble.Serious, amble.Doubt, sites, helpCanonical),
	rule("canonical-to-non-canonical", amble.Serious, amble.Issue, sites, helpCanonical),
	rule("canonical-loop", amble.Serious, amble.Issue, sites, helpCanonical),
	rule("canonical-unlinked", amble.Notice, amble.Doubt, sites, helpCanonical),

	// Title, description, headings, content.
	rule("title-missing", amble.Serious, amble.Issue, whole, helpTitle, "HTML standard 4.2.2", "WCAG 2.2 2.4.2"),
	rule("title-multiple", amble.Warning, amble.Issue, meta, helpTitle, "HTML standard 4.2.2"),
	rule("title-long", amble.Notice, amble.Opportunity, meta, helpTitle),
	rule("title-short", amble.Notice, amble.Opportunity, meta, helpTitle),
	rule("title-duplicate", amble.Warning, amble.Doubt, sites, helpTitle),
	rule("title-same-as-h1", amble.Notice, amble.Opportunity, meta, helpTitle),
	rule("title-outside-head", amble.Warning, amble.Issue, tree, helpTitle, "HTML standard 4.2.2"),
	rule("description-missing", amble.Notice, amble.Opportunity, whole, helpSnippet),
	rule("description-multiple", amble.Warning, amble.Issue, meta, helpSnippet, "HTML standard 4.2.5.1"),
	rule("description-long", amble.Notice, amble.Opportunity, meta, helpSnippet),
	rule("description-short", amble.Notice, amble.Opportunity, meta, helpSnippet),
	rule("description-duplicate", amble.Notice, amble.Doubt, sites, helpSnippet),
	rule("h1-missing", amble.Notice, amble.Doubt, full, helpHTML),
	rule("h1-multiple", amble.Notice, amble.Opportunity, meta, helpHTML),
	rule("h1-duplicate", amble.Notice, amble.Opportunity, sites, helpHTML),
	rule("heading-skip", amble.Notice, amble.Doubt, tree, helpHTML, "HTML standard 4.3.11"),
	rule("content-thin", amble.Notice, amble.Opportunity, full, helpSnippet),

	// Languages.
	rule("lang-missing", amble.Warning, amble.Issue, meta, helpLang, "WCAG 2.2 3.1.1", "HTML standard 3.2.6.2"),
	rule("lang-invalid", amble.Warning, amble.Issue, meta, helpLang, "RFC 5646", "WCAG 2.2 3.1.1"),
	rule("hreflang-invalid", amble.Serious, amble.Issue, meta, helpHreflang, "ISO 639-1", "ISO 3166-1"),
	rule("hreflang-no-return", amble.Serious, amble.Issue, sites, helpHreflang),
	rule("hreflang-no-self", amble.Warning, amble.Issue, whole, helpHreflang),
	rule("hreflang-no-default", amble.Notice, amble.Opportunity, whole, helpHreflang),
	rule("hreflang-conflict", amble.Warning, amble.Issue, meta, helpHreflang),
	rule("hreflang-to-error", amble.Serious, amble.Issue, sites, helpHreflang),
	rule("hreflang-to-redirect", amble.Serious, amble.Issue, sites, helpHreflang),
	rule("hreflang-to-noindex", amble.Serious, amble.Issue, sites, helpHreflang),
	rule("hreflang-to-blocked", amble.Serious, amble.Doubt, sites, helpHreflang),
	rule("hreflang-to-non-canonical", amble.Serious, amble.Issue, sites, helpHreflang),
	rule("hreflang-relative", amble.Warning, amble.Issue, meta, helpHreflang),
	rule("hreflang-outside-head", amble.Serious, amble.Issue, meta, helpHreflang, "HTML standard 4.2.4"),
	rule("hreflang-lang-mismatch", amble.Notice, amble.Doubt, meta, helpHreflang),
	rule("hreflang-unlinked", amble.Notice, amble.Doubt, sites, helpHreflang),

	// Structured data and social tags.
	rule("data-json-invalid", amble.Serious, amble.Issue, tree, helpData, "RFC 8259", "JSON-LD 1.1"),
	rule("data-no-type", amble.Warning, amble.Issue, tree, helpData, "schema.org"),
	rule("data-context-missing", amble.Warning, amble.Issue, tree, helpData, "JSON-LD 1.1 section 3.1"),
	rule("data-unknown-type", amble.Warning, amble.Doubt, tree, helpData, "schema.org"),
	rule("data-unknown-property", amble.Notice, amble.Doubt, tree, helpData, "schema.org"),
	rule("data-required-missing", amble.Warning, amble.Doubt, tree, helpData),
	rule("data-none", amble.Info, amble.Opportunity, whole, helpData),
	rule("og-missing", amble.Info, amble.Opportunity, whole, helpOpenGraph),
	rule("og-url-not-canonical", amble.Notice, amble.Doubt, meta, helpOpenGraph),
	rule("og-image-relative", amble.Warning, amble.Issue, meta, helpOpenGraph),

	// Links and site structure.
	rule("link-not-crawlable", amble.Warning, amble.Doubt, tree, helpLinks),
	rule("link-generic-text", amble.Notice, amble.Opportunity, tree, helpLinks, "WCAG 2.2 2.4.9"),
	rule("link-empty-text", amble.Warning, amble.Doubt, tree, helpLinks, "WCAG 2.2 2.4.4"),
	rule("link-internal-nofollow", amble.Notice, amble.Doubt, meta, helpLinks),
	rule("link-to-http", amble.Warning, amble.Doubt, meta, helpLinks),
	rule("link-localhost", amble.Warning, amble.Doubt, meta, helpLinks),
	rule("link-too-many", amble.Notice, amble.Opportunity, meta, helpLinks),
	rule("link-tracking-internal", amble.Notice, amble.Opportunity, meta, helpURL),
	rule("link-unsafe-blank", amble.Info, amble.Opportunity, tree, helpLinks, "HTML standard 4.6.7"),
	rule("pagination-unlinked", amble.Notice, amble.Doubt, full, helpLinks),
	rule("only-nofollow-links", amble.Warning, amble.Doubt, sites, helpLinks),
	rule("page-orphan", amble.Warning, amble.Doubt, sites, helpLinks),
	rule("page-depth", amble.Notice, amble.Opportunity, sites, helpLinks),
	rule("page-dead-end", amble.Notice, amble.Opportunity, whole, helpLinks),

	// Images.
	rule("img-alt-missing", amble.Warning, amble.Issue, tree, helpImages, "HTML standard 4.8.4.4", "WCAG 2.2 1.1.1"),
	rule("img-alt-long", amble.Notice, amble.Opportunity, tree, helpImages),
	rule("picture-no-img", amble.Serious, amble.Issue, tree, helpImages, "HTML standard 4.8.1"),

	// Sitemaps and robots.txt.
	rule("sitemap-unreachable", amble.Serious, amble.Doubt, sites, helpSitemap),
	rule("sitemap-invalid", amble.Serious, amble.Issue, sites, helpSitemap, "sitemaps.org"),
	rule("sitemap-too-big", amble.Serious, amble.Issue, sites, helpSitemap, "sitemaps.org"),
	rule("sitemap-not-200", amble.Warning, amble.Issue, sites, helpSitemap),
	rule("sitemap-noindex", amble.Warning, amble.Issue, sites, helpSitemap),
	rule("sitemap-blocked", amble.Warning, amble.Doubt, sites, helpSitemap),
	rule("sitemap-non-canonical", amble.Warning, amble.Issue, sites, helpSitemap),
	rule("sitemap-missing-page", amble.Notice, amble.Opportunity, sites, helpSitemap),
	rule("sitemap-other-host", amble.Warning, amble.Issue, sites, helpSitemap, "sitemaps.org"),
	rule("sitemap-outside-path", amble.Warning, amble.Issue, sites, helpSitemap, "sitemaps.org"),
	rule("sitemap-lastmod", amble.Notice, amble.Issue, sites, helpSitemap, "W3C date and time formats"),
	rule("sitemap-lastmod-equal", amble.Notice, amble.Doubt, sites, helpSitemap),
	rule("sitemap-duplicate", amble.Notice, amble.Issue, sites, helpSitemap),
	rule("robots-unreachable", amble.Serious, amble.Doubt, sites, helpRobotsTxt, "RFC 9309 2.3.1.4"),
	rule("robots-invalid-line", amble.Notice, amble.Issue, sites, helpRobotsTxt, "RFC 9309 2.2"),
	rule("robots-not-text", amble.Warning, amble.Issue, sites, helpRobotsTxt, "RFC 9309 2.3"),
	rule("robots-too-big", amble.Warning, amble.Issue, sites, helpRobotsTxt, "RFC 9309 2.5"),
	rule("robots-no-sitemap", amble.Info, amble.Opportunity, sites, helpSitemap),

	// Duplicates and addresses.
	rule("dup-exact", amble.Warning, amble.Doubt, sites, helpCanonical),
	rule("dup-near", amble.Notice, amble.Doubt, sites, helpCanonical),
	rule("dup-url-variant", amble.Warning, amble.Doubt, sites, helpCanonical),
	rule("url-upper", amble.Info, amble.Opportunity, meta, helpURL),
	rule("url-underscore", amble.Info, amble.Opportunity, meta, helpURL),
	rule("url-space", amble.Info, amble.Opportunity, meta, helpURL),
	rule("url-double-slash", amble.Info, amble.Opportunity, meta, helpURL),
	rule("url-non-ascii", amble.Info, amble.Opportunity, meta, helpURL),
	rule("url-long", amble.Info, amble.Opportunity, meta, helpURL),
	rule("url-parameters", amble.Info, amble.Opportunity, meta, helpURL),
	rule("url-session", amble.Info, amble.Opportunity, meta, helpURL),
}
