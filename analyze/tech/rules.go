package tech

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
	head  = amble.NeedMeta
	files = amble.NeedMeta | amble.NeedResources
	tree  = amble.NeedMeta | amble.NeedTree
	whole = amble.NeedMeta | amble.NeedTree | amble.NeedWhole
	sites = amble.NeedSite
)

const (
	mdn  = "https://developer.mozilla.org/docs/Web/HTTP/"
	spec = "https://html.spec.whatwg.org/multipage/"
	dev  = "https://web.dev/articles/"
)

func refs(list ...string) []string { return list }

// rules is the table of all checks.
var rules = []rule{
	// Security.
	{"sec-http-page", amble.Warning, amble.Doubt, head, dev + "why-https-matters", nil},
	{"mixed-active", amble.Serious, amble.Issue, files, "https://www.w3.org/TR/mixed-content/", refs("Mixed Content")},
	{"mixed-passive", amble.Warning, amble.Issue, files, "https://www.w3.org/TR/mixed-content/", refs("Mixed Content")},
	{"form-http", amble.Serious, amble.Issue, files, "https://www.w3.org/TR/mixed-content/", nil},
	{"hsts-missing", amble.Notice, amble.Opportunity, sites, mdn + "Reference/Headers/Strict-Transport-Security", refs("RFC 6797")},
	{"hsts-invalid", amble.Warning, amble.Issue, sites, mdn + "Reference/Headers/Strict-Transport-Security", refs("RFC 6797 6.1")},
	{"hsts-short", amble.Notice, amble.Opportunity, sites, mdn + "Reference/Headers/Strict-Transport-Security", refs("RFC 6797")},
	{"csp-missing", amble.Info, amble.Opportunity, sites, mdn + "Guides/CSP", refs("CSP Level 3")},
	{"csp-invalid", amble.Warning, amble.Issue, sites, mdn + "Reference/Headers/Content-Security-Policy", refs("CSP Level 3")},
	{"csp-unsafe", amble.Notice, amble.Opportunity, sites, mdn + "Guides/CSP", refs("CSP Level 3")},
	{"nosniff-missing", amble.Info, amble.Opportunity, sites, mdn + "Reference/Headers/X-Content-Type-Options", refs("Fetch standard")},
	{"nosniff-invalid", amble.Notice, amble.Issue, sites, mdn + "Reference/Headers/X-Content-Type-Options", refs("Fetch standard")},
	{"referrer-policy-missing", amble.Info, amble.Opportunity, sites, mdn + "Reference/Headers/Referrer-Policy", refs("Referrer Policy")},
	{"referrer-policy-invalid", amble.Notice, amble.Issue, sites, mdn + "Reference/Headers/Referrer-Policy", refs("Referrer Policy")},
	{"referrer-policy-unsafe", amble.Notice, amble.Doubt, sites, mdn + "Reference/Headers/Referrer-Policy", refs("Referrer Policy")},
	{"frame-options-missing", amble.Info, amble.Opportunity, sites, mdn + "Reference/Headers/X-Frame-Options", refs("CSP Level 3")},
	{"frame-options-invalid", amble.Notice, amble.Issue, sites, mdn + "Reference/Headers/X-Frame-Options", refs("HTML standard 7.4")},
	{"cookie-not-secure", amble.Warning, amble.Doubt, sites, mdn + "Guides/Cookies", refs("RFC 6265bis")},
	{"cookie-no-httponly", amble.Info, amble.Opportunity, sites, mdn + "Guides/Cookies", refs("RFC 6265bis")},
	{"cookie-no-samesite", amble.Info, amble.Opportunity, sites, mdn + "Guides/Cookies", refs("RFC 6265bis")},
	{"cookie-refused", amble.Warning, amble.Issue, sites, mdn + "Guides/Cookies", refs("RFC 6265bis")},

	// Certificate and connection.
	{"tls-expired", amble.Critical, amble.Issue, sites, "https://www.rfc-editor.org/rfc/rfc5280", refs("RFC 5280")},
	{"tls-expiring", amble.Serious, amble.Doubt, sites, "https://www.rfc-editor.org/rfc/rfc5280", refs("RFC 5280")},
	{"tls-name", amble.Critical, amble.Issue, sites, "https://www.rfc-editor.org/rfc/rfc9525", refs("RFC 9525")},
	{"tls-self-signed", amble.Serious, amble.Issue, sites, "https://www.rfc-editor.org/rfc/rfc5280", refs("RFC 5280")},
	{"tls-chain", amble.Serious, amble.Doubt, sites, "https://www.rfc-editor.org/rfc/rfc8446", refs("RFC 8446 4.4.2")},
	{"tls-weak", amble.Serious, amble.Issue, sites, "https://www.rfc-editor.org/rfc/rfc8996", refs("RFC 8996")},

	// Transport.
	{"uncompressed", amble.Notice, amble.Opportunity, sites, mdn + "Guides/Compression", refs("RFC 9110 8.4")},
	{"cache-invalid", amble.Notice, amble.Issue, sites, mdn + "Guides/Caching", refs("RFC 9111")},
	{"cache-no-validator", amble.Info, amble.Opportunity, sites, mdn + "Guides/Conditional_requests", refs("RFC 9110 8.8")},
	{"http-version", amble.Info, amble.Opportunity, sites, "https://www.rfc-editor.org/rfc/rfc9113", refs("RFC 9113")},
	{"headers-heavy", amble.Info, amble.Opportunity, sites, mdn + "Reference/Headers", nil},
	{"server-version", amble.Info, amble.Opportunity, sites, mdn + "Reference/Headers/Server", nil},
	{"slow-answer", amble.Notice, amble.Opportunity, head, dev + "ttfb", nil},
	{"html-size", amble.Warning, amble.Opportunity, head, dev + "optimizing-content-efficiency-optimize-encoding-and-transfer", nil},
	{"content-type-missing", amble.Warning, amble.Issue, head, mdn + "Reference/Headers/Content-Type", refs("RFC 9110 8.3")},

	// The document.
	{"charset-undeclared", amble.Warning, amble.Issue, head, spec + "semantics.html#charset", refs("HTML standard 4.2.5.4")},
	{"charset-conflict", amble.Warning, amble.Issue, head, spec + "semantics.html#charset", refs("HTML standard 4.2.5.4")},
	{"charset-late", amble.Warning, amble.Issue, head, spec + "semantics.html#charset", refs("HTML standard 4.2.5.4")},
	{"charset-not-utf8", amble.Notice, amble.Issue, head, spec + "semantics.html#charset", refs("HTML standard 4.2.5.4")},
	{"viewport-missing", amble.Warning, amble.Opportunity, whole, mdn[:len(mdn)-5] + "HTML/Reference/Elements/meta/name/viewport", nil},
	{"viewport-zoom", amble.Warning, amble.Doubt, head, mdn[:len(mdn)-5] + "HTML/Reference/Elements/meta/name/viewport", refs("WCAG 2.2 1.4.4")},
	{"doctype", amble.Notice, amble.Issue, head, spec + "syntax.html#the-doctype", refs("HTML standard 13.1.1")},
	{"head-broken", amble.Serious, amble.Issue, head, spec + "parsing.html", refs("HTML standard 13.2.6.4.4")},
	{"base-wrong", amble.Warning, amble.Issue, tree, spec + "semantics.html#the-base-element", refs("HTML standard 4.2.3")},
	{"meta-in-body", amble.Notice, amble.Issue, tree, spec + "semantics.html#the-meta-element", refs("HTML standard 4.2.5")},
	{"duplicate-id", amble.Notice, amble.Issue, tree, spec + "dom.html#the-id-attribute", refs("HTML standard 3.2.6")},
	{"tag-unclosed", amble.Notice, amble.Issue, whole, spec + "syntax.html#end-tags", refs("HTML standard 13.1.2")},
	{"tag-stray", amble.Notice, amble.Issue, head, spec + "syntax.html#end-tags", refs("HTML standard 13.1.2")},
	{"img-no-size", amble.Notice, amble.Opportunity, tree, dev + "optimize-cls", nil},
	{"dom-size", amble.Notice, amble.Opportunity, tree, dev + "dom-size-and-interactivity", nil},
	{"protocol-relative", amble.Info, amble.Opportunity, files, "https://www.rfc-editor.org/rfc/rfc3986", refs("RFC 3986 4.2")},

	// Statements, reported as passed.
	{"content-usage", amble.Info, amble.Opportunity, sites, "https://datatracker.ietf.org/wg/aipref/about/", nil},
	{"tdm-reservation", amble.Info, amble.Opportunity, sites, "https://www.w3.org/community/reports/tdmrep/CG-FINAL-tdmrep-20240510/", nil},
	{"security-txt", amble.Info, amble.Opportunity, sites, "https://www.rfc-editor.org/rfc/rfc9116", refs("RFC 9116")},

	// Pages that a browser loaded.
	{"console-error", amble.Notice, amble.Doubt, head, mdn[:len(mdn)-5] + "API/console", nil},
	{"file-failed", amble.Warning, amble.Doubt, head, mdn + "Reference/Status", nil},
	{"file-large", amble.Notice, amble.Opportunity, head, dev + "total-byte-weight", nil},
	{"page-heavy", amble.Notice, amble.Opportunity, head, dev + "total-byte-weight", nil},
	{"render-blocking", amble.Notice, amble.Opportunity, head, dev + "render-blocking-resources", nil},
	{"lcp-slow", amble.Notice, amble.Opportunity, head, dev + "lcp", nil},
	{"cls-high", amble.Notice, amble.Opportunity, head, dev + "cls", nil},
	{"long-tasks", amble.Notice, amble.Opportunity, head, dev + "long-tasks-devtools", nil},
	{"rendered-title", amble.Notice, amble.Doubt, head, dev + "rendering-on-the-web", nil},
	{"rendered-canonical", amble.Warning, amble.Doubt, head, dev + "rendering-on-the-web", nil},
	{"rendered-noindex", amble.Serious, amble.Doubt, head, dev + "rendering-on-the-web", nil},
	{"rendered-links", amble.Notice, amble.Doubt, head, dev + "rendering-on-the-web", nil},
}
