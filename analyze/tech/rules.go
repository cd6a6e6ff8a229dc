package tech

import (
	"github.com/amblecrawl/amble"
	"github.com/amblecrawl/amble/analyze/internal/audit"
)

var rule = audit.NewRule

const (
	head  = amble.NeedMeta
	files = amble.NeedMeta | amble.NeedResources
	tree  = amble.NeedMeta | amble.NeedOutline
	whole = amble.NeedMeta | amble.NeedOutline | amble.NeedWhole
	sites = amble.NeedSite
)

const (
	mdn  = "https://developer.mozilla.org/docs/Web/HTTP/"
	spec = "https://html.spec.whatwg.org/multipage/"
	dev  = "https://web.dev/articles/"
)

// rules is the table of all checks.
var rules = []audit.Rule{
	// Security.
	rule("sec-http-page", amble.Warning, amble.Doubt, head, dev+"why-https-matters"),
	rule("http-not-redirected", amble.Warning, amble.Doubt, sites, dev+"why-https-matters"),
	rule("www-not-redirected", amble.Warning, amble.Doubt, sites, "https://developers.google.com/search/docs/crawling-indexing/consolidate-duplicate-urls"),
	rule("mixed-active", amble.Serious, amble.Issue, files, "https://www.w3.org/TR/mixed-content/", "Mixed Content"),
	rule("mixed-passive", amble.Warning, amble.Issue, files, "https://www.w3.org/TR/mixed-content/", "Mixed Content"),
	rule("form-http", amble.Serious, amble.Issue, files, "https://www.w3.org/TR/mixed-content/"),
	rule("hsts-missing", amble.Notice, amble.Opportunity, sites, mdn+"Reference/Headers/Strict-Transport-Security", "RFC 6797"),
	rule("hsts-invalid", amble.Warning, amble.Issue, sites, mdn+"Reference/Headers/Strict-Transport-Security", "RFC 6797 6.1"),
	rule("hsts-short", amble.Notice, amble.Opportunity, sites, mdn+"Reference/Headers/Strict-Transport-Security", "RFC 6797"),
	rule("csp-missing", amble.Info, amble.Opportunity, sites, mdn+"Guides/CSP", "CSP Level 3"),
	rule("csp-invalid", amble.Warning, amble.Issue, sites, mdn+"Reference/Headers/Content-Security-Policy", "CSP Level 3"),
	rule("csp-unsafe", amble.Notice, amble.Opportunity, sites, mdn+"Guides/CSP", "CSP Level 3"),
	rule("nosniff-missing", amble.Info, amble.Opportunity, sites, mdn+"Reference/Headers/X-Content-Type-Options", "Fetch standard"),
	rule("nosniff-invalid", amble.Notice, amble.Issue, sites, mdn+"Reference/Headers/X-Content-Type-Options", "Fetch standard"),
	rule("referrer-policy-missing", amble.Info, amble.Opportunity, sites, mdn+"Reference/Headers/Referrer-Policy", "Referrer Policy"),
	rule("referrer-policy-invalid", amble.Notice, amble.Issue, sites, mdn+"Reference/Headers/Referrer-Policy", "Referrer Policy"),
	rule("referrer-policy-unsafe", amble.Notice, amble.Doubt, sites, mdn+"Reference/Headers/Referrer-Policy", "Referrer Policy"),
	rule("frame-options-missing", amble.Info, amble.Opportunity, sites, mdn+"Reference/Headers/X-Frame-Options", "CSP Level 3"),
	rule("frame-options-invalid", amble.Notice, amble.Issue, sites, mdn+"Reference/Headers/X-Frame-Options", "HTML standard 7.4"),
	rule("cookie-not-secure", amble.Warning, amble.Doubt, sites, mdn+"Guides/Cookies", "RFC 6265bis"),
	rule("cookie-no-httponly", amble.Info, amble.Opportunity, sites, mdn+"Guides/Cookies", "RFC 6265bis"),
	rule("cookie-no-samesite", amble.Info, amble.Opportunity, sites, mdn+"Guides/Cookies", "RFC 6265bis"),
	rule("cookie-refused", amble.Warning, amble.Issue, sites, mdn+"Guides/Cookies", "RFC 6265bis"),

	// Certificate and connection.
	rule("tls-expired", amble.Critical, amble.Issue, sites, "https://www.rfc-editor.org/rfc/rfc5280", "RFC 5280"),
	rule("tls-expiring", amble.Serious, amble.Doubt, sites, "https://www.rfc-editor.org/rfc/rfc5280", "RFC 5280"),
	rule("tls-name", amble.Critical, amble.Issue, sites, "https://www.rfc-editor.org/rfc/rfc9525", "RFC 9525"),
	rule("tls-self-signed", amble.Serious, amble.Issue, sites, "https://www.rfc-editor.org/rfc/rfc5280", "RFC 5280"),
	rule("tls-chain", amble.Serious, amble.Doubt, sites, "https://www.rfc-editor.org/rfc/rfc8446", "RFC 8446 4.4.2"),
	rule("tls-weak", amble.Serious, amble.Issue, sites, "https://www.rfc-editor.org/rfc/rfc8996", "RFC 8996"),

	// Transport.
	rule("uncompressed", amble.Notice, amble.Opportunity, sites, mdn+"Guides/Compression", "RFC 9110 8.4"),
	rule("cache-invalid", amble.Notice, amble.Issue, sites, mdn+"Guides/Caching", "RFC 9111"),
	rule("cache-no-validator", amble.Info, amble.Opportunity, sites, mdn+"Guides/Conditional_requests", "RFC 9110 8.8"),
	rule("http-version", amble.Info, amble.Opportunity, sites, "https://www.rfc-editor.org/rfc/rfc9113", "RFC 9113"),
	rule("headers-heavy", amble.Info, amble.Opportunity, sites, mdn+"Reference/Headers"),
	rule("server-version", amble.Info, amble.Opportunity, sites, mdn+"Reference/Headers/Server"),
	rule("slow-answer", amble.Notice, amble.Opportunity, head, dev+"ttfb"),
	rule("html-size", amble.Warning, amble.Opportunity, head, dev+"optimizing-content-efficiency-optimize-encoding-and-transfer"),
	rule("content-type-missing", amble.Warning, amble.Issue, head, mdn+"Reference/Headers/Content-Type", "RFC 9110 8.3"),

	// The document.
	rule("charset-undeclared", amble.Warning, amble.Issue, head, spec+"semantics.html#charset", "HTML standard 4.2.5.4"),
	rule("charset-conflict", amble.Warning, amble.Issue, head, spec+"semantics.html#charset", "HTML standard 4.2.5.4"),
	rule("charset-late", amble.Warning, amble.Issue, head, spec+"semantics.html#charset", "HTML standard 4.2.5.4"),
	rule("charset-not-utf8", amble.Notice, amble.Issue, head, spec+"semantics.html#charset", "HTML standard 4.2.5.4"),
	rule("viewport-missing", amble.Warning, amble.Opportunity, whole, mdn[:len(mdn)-5]+"HTML/Reference/Elements/meta/name/viewport"),
	rule("viewport-zoom", amble.Warning, amble.Doubt, head, mdn[:len(mdn)-5]+"HTML/Reference/Elements/meta/name/viewport", "WCAG 2.2 1.4.4"),
	rule("doctype", amble.Notice, amble.Issue, head, spec+"syntax.html#the-doctype", "HTML standard 13.1.1"),
	rule("head-broken", amble.Serious, amble.Issue, head, spec+"parsing.html", "HTML standard 13.2.6.4.4"),
	rule("base-wrong", amble.Warning, amble.Issue, tree, spec+"semantics.html#the-base-element", "HTML standard 4.2.3"),
	rule("meta-in-body", amble.Notice, amble.Issue, tree, spec+"semantics.html#the-meta-element", "HTML standard 4.2.5"),
	rule("duplicate-id", amble.Notice, amble.Issue, tree, spec+"dom.html#the-id-attribute", "HTML standard 3.2.6"),
	rule("tag-unclosed", amble.Notice, amble.Issue, whole, spec+"syntax.html#end-tags", "HTML standard 13.1.2"),
	rule("tag-stray", amble.Notice, amble.Issue, head, spec+"syntax.html#end-tags", "HTML standard 13.1.2"),
	rule("img-no-size", amble.Notice, amble.Opportunity, tree, dev+"optimize-cls"),
	rule("dom-size", amble.Notice, amble.Opportunity, tree, dev+"dom-size-and-interactivity"),
	rule("protocol-relative", amble.Info, amble.Opportunity, files, "https://www.rfc-editor.org/rfc/rfc3986", "RFC 3986 4.2"),

	// Statements, reported as passed.
	rule("content-usage", amble.Info, amble.Opportunity, sites, "https://datatracker.ietf.org/wg/aipref/about/"),
	rule("tdm-reservation", amble.Info, amble.Opportunity, sites, "https://www.w3.org/community/reports/tdmrep/CG-FINAL-tdmrep-20240510/"),
	rule("security-txt", amble.Info, amble.Opportunity, sites, "https://www.rfc-editor.org/rfc/rfc9116", "RFC 9116"),

	// Pages that a browser loaded.
	rule("console-error", amble.Notice, amble.Doubt, head, mdn[:len(mdn)-5]+"API/console"),
	rule("file-failed", amble.Warning, amble.Doubt, head, mdn+"Reference/Status"),
	rule("file-not-cached", amble.Notice, amble.Opportunity, head, mdn+"Guides/Caching", "RFC 9111"),
	rule("img-large", amble.Notice, amble.Opportunity, head, dev+"choose-the-right-image-format"),
	rule("img-oversized", amble.Notice, amble.Opportunity, head, dev+"serve-responsive-images"),
	rule("img-format", amble.Notice, amble.Opportunity, head, dev+"choose-the-right-image-format"),
	rule("file-large", amble.Notice, amble.Opportunity, head, dev+"total-byte-weight"),
	rule("page-heavy", amble.Notice, amble.Opportunity, head, dev+"total-byte-weight"),
	rule("render-blocking", amble.Notice, amble.Opportunity, head, dev+"render-blocking-resources"),
	rule("lcp-slow", amble.Notice, amble.Opportunity, head, dev+"lcp"),
	rule("cls-high", amble.Notice, amble.Opportunity, head, dev+"cls"),
	rule("long-tasks", amble.Notice, amble.Opportunity, head, dev+"long-tasks-devtools"),
	rule("rendered-title", amble.Notice, amble.Doubt, head, dev+"rendering-on-the-web"),
	rule("rendered-canonical", amble.Warning, amble.Doubt, head, dev+"rendering-on-the-web"),
	rule("rendered-noindex", amble.Serious, amble.Doubt, head, dev+"rendering-on-the-web"),
	rule("rendered-text", amble.Notice, amble.Doubt, head, dev+"rendering-on-the-web"),
	rule("rendered-links", amble.Notice, amble.Doubt, head, dev+"rendering-on-the-web"),
}
