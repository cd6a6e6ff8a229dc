// Package challenge tells a page from the page that stands in its way: bot challenges, blocks, login walls and the
// like. It reads the first answer only (status, headers, start of the body), so that a browser can ask before any
// script of the answer runs, and so that both fetchers give the same verdict.
//
// The order is: headers that a vendor sets on its own block pages, then the structure of the body (element ids, script
// addresses, inline assignments), never the words that a reader sees: they are translated, and articles quote them. A
// mark of a vendor on a page with real content is not a block, and a status alone never is.
//
// What it finds is reported (S11 of BEHAVIOUR.md), never solved and never waited out (S10).
package challenge

import (
	"net/http"
	"net/url"
	"strings"
)

// Answer is the first answer to a page's request, as it came from the server.
type Answer struct {
	// Requested is the URL that was asked for, before any redirect. Empty means that it is URL.
	Requested string
	// URL is where the answer came from: the last hop.
	URL string
	// Status is the HTTP status code.
	Status int
	// Header holds the answer's headers.
	Header http.Header
	// Body is the start of the decoded body. MaxBody bytes are read, the rest is ignored.
	Body []byte
}

// MaxBody is how much of a body is read, in bytes. Block pages are small; their marks stand at the start.
const MaxBody = 256 << 10

// Kind says what sort of page the answer is.
type Kind string

// The kinds of pages that block: nothing on them is the site's own content.
const (
	Challenge    Kind = "challenge"     // a test that a person or a browser is to pass
	Denied       Kind = "denied"        // refused by a protection service
	RateLimited  Kind = "rate-limited"  // too many requests; blocking only when a protection service says so
	AuthRequired Kind = "auth-required" // HTTP authentication (RFC 9110, section 11)
	LegalBlock   Kind = "legal-block"   // 451 (RFC 7725)
	LoginWall    Kind = "login-wall"    // the request was sent on to a login page
)

// The kinds of pages that do not block. They are advice: the page is what the server has to say.
const (
	OK          Kind = "ok"
	Forbidden   Kind = "forbidden" // a plain refusal: 4xx without a mark of a protection service
	NotFound    Kind = "not-found"
	ServerError Kind = "server-error"
	Paywalled   Kind = "paywalled" // says of itself that it is not free: analyse what is shown
	NeedsJS     Kind = "needs-js"  // an application's empty shell
	Soft404     Kind = "soft-404"  // a page that says "not found" with status 200
	Parked      Kind = "parked"    // a parked domain
	Empty       Kind = "empty"
)

// Verdict is what Detect found.
type Verdict struct {
	// Blocked reports that the page is not the site's content: it must not be analysed, retried or waited for.
	Blocked bool
	// Vendor names who blocks ("cloudflare", "aws-waf", "anubis"; "http-auth", "http" and "site" for the site itself).
	// It is empty when Blocked is false.
	Vendor string
	// Kind is the sort of page.
	Kind Kind
	// Evidence says what decided, for reports: a header or a mark in the body. Empty when nothing special was found.
	Evidence string
}

// Detect judges an answer. It is a pure function: it never panics on any input and reads at most MaxBody bytes.
func Detect(a Answer) Verdict {
	v, p := a.detect()
	if v.Blocked {
		return v
	}
	return advice(a, p)
}

// Block is Detect for callers that ask only whether the page is blocked: where it is not, the Verdict is the zero one. It
// reads no further than to the point where the page has content of its own, which costs a page far less than reading it.
func Block(a Answer) Verdict {
	enough := thinText
	switch {
	case a.Requested != "" && a.Requested != a.URL:
		enough = 0 // a password field may follow at the end
	case a.Status >= 400:
		enough = thinErrorText
	}
	if v, ok := a.byHead(); ok {
		return v
	}
	if enough == thinText && hasText(a.Body, enough) {
		return Verdict{} // the rules ask for a thin page, or for an error
	}
	return a.structure(parse(a.Body, enough))
}

// detect tries everything that blocks. The page is nil when the headers decided.
func (a *Answer) detect() (Verdict, *page) {
	if v, ok := a.byHead(); ok {
		return v, nil
	}
	p := parse(a.Body, 0)
	return a.structure(p), p
}

// byHead cuts the answer to what is looked at, and tries the headers.
func (a *Answer) byHead() (Verdict, bool) {
	if len(a.Body) > MaxBody {
		a.Body = a.Body[:MaxBody]
	}
	if a.Header == nil {
		a.Header = http.Header{}
	}
	return byHeader(*a)
}

func (a *Answer) structure(p *page) Verdict {
	for _, rule := range bodyRules {
		if kind, evidence := rule.match(*a, p); kind != "" {
			return Verdict{Blocked: true, Vendor: rule.vendor, Kind: kind, Evidence: evidence}
		}
	}
	if v, ok := captchaPage(*a, p); ok {
		return v
	}
	switch {
	case a.Status == http.StatusUnauthorized && a.Header.Get("Www-Authenticate") != "":
		scheme, _, _ := strings.Cut(a.Header.Get("Www-Authenticate"), " ")
		return Verdict{Blocked: true, Vendor: "http-auth", Kind: AuthRequired, Evidence: "401 with WWW-Authenticate: " + scheme}
	case a.Status == http.StatusUnavailableForLegalReasons:
		return Verdict{Blocked: true, Vendor: "http", Kind: LegalBlock, Evidence: "status 451"}
	}
	if evidence := loginWall(*a, p); evidence != "" {
		return Verdict{Blocked: true, Vendor: "site", Kind: LoginWall, Evidence: evidence}
	}
	return Verdict{}
}

// byHeader knows the headers that vendors set on block pages and on nothing else. Cloudflare, AWS and Vercel document
// theirs; the others are seen in the wild.
func byHeader(a Answer) (Verdict, bool) {
	blocked := func(vendor string, kind Kind, header string) (Verdict, bool) {
		return Verdict{Blocked: true, Vendor: vendor, Kind: kind, Evidence: "header " + header}, true
	}
	get := func(name string) string { return strings.ToLower(strings.TrimSpace(a.Header.Get(name))) }
	refused := a.Status >= 400
	switch {
	case get("Cf-Mitigated") == "challenge":
		return blocked("cloudflare", Challenge, "cf-mitigated: challenge")
	case get("X-Amzn-Waf-Action") == "challenge" || get("X-Amzn-Waf-Action") == "captcha":
		return blocked("aws-waf", Challenge, "x-amzn-waf-action: "+get("X-Amzn-Waf-Action"))
	case get("X-Vercel-Mitigated") == "challenge":
		return blocked("vercel", Challenge, "x-vercel-mitigated: challenge")
	case get("X-Vercel-Mitigated") == "deny":
		return blocked("vercel", Denied, "x-vercel-mitigated: deny")
	case get("X-Sucuri-Block") != "":
		return blocked("sucuri", Denied, "x-sucuri-block")
	case get("X-Px-Blocked") != "" && get("X-Px-Blocked") != "0" && get("X-Px-Blocked") != "false":
		return blocked("perimeterx", Challenge, "x-px-blocked")
	case get("X-Kpsdk-Ct") != "" && a.Status == http.StatusTooManyRequests:
		return blocked("kasada", Challenge, "x-kpsdk-ct with status 429")
	case refused && get("X-Dd-B") != "" && get("X-Dd-B") != "0":
		return blocked("datadome", dataDomeKind(string(a.Body)), "x-dd-b")
	}
	return Verdict{}, false
}

// advice names the kind of a page that does not block.
func advice(a Answer, p *page) Verdict {
	verdict := func(kind Kind, evidence string) Verdict { return Verdict{Kind: kind, Evidence: evidence} }
	switch {
	case a.Status == http.StatusTooManyRequests:
		return verdict(RateLimited, "status 429")
	case a.Status == http.StatusNotFound || a.Status == http.StatusGone:
		return verdict(NotFound, "")
	case a.Status >= 500:
		return verdict(ServerError, "")
	case a.Status >= 400:
		return verdict(Forbidden, "")
	case a.Status >= 300 && a.Status < 400:
		return verdict(OK, "")
	}
	if mark := parkedMark(p); mark != "" {
		return verdict(Parked, mark)
	}
	if p.paywalled {
		return verdict(Paywalled, "JSON-LD isAccessibleForFree: false")
	}
	if !isHTML(a.Header) {
		if len(a.Body) == 0 {
			return verdict(Empty, "no body")
		}
		return verdict(OK, "")
	}
	switch {
	case p.blank() && p.scripts == 0:
		return verdict(Empty, "nothing to see in the body")
	case p.text < shellText && p.scripts > 0 && p.links == 0 && p.media == 0 && p.fields == 0 && p.headings == 0:
		return verdict(NeedsJS, "scripts and no content")
	}
	if mark := soft404Mark(a, p); mark != "" {
		return verdict(Soft404, mark)
	}
	return verdict(OK, "")
}

// shellText is the most visible text, in bytes, that an application's empty shell has ("Loading…").
const shellText = 100

func isHTML(h http.Header) bool {
	ct := strings.ToLower(h.Get("Content-Type"))
	return ct == "" || strings.Contains(ct, "html")
}

// parkedMark finds what parking services leave in a page.
func parkedMark(p *page) string {
	if p.text >= thinText {
		return ""
	}
	for _, mark := range []string{"LANDER_SYSTEM", "LANDER_CONFIG"} {
		if p.assigns(mark) {
			return "inline " + mark
		}
	}
	for _, part := range []string{"sedoparking.com", "parkingcrew.net", "bodis.com", "parklogic.com", "parking-lander", "above.com/park", "dan.com/", "afternic.com/"} {
		if src := p.source("script iframe", part); src != "" {
			return "script " + src
		}
	}
	if p.adblockKey {
		return "html[data-adblockkey]"
	}
	if p.links == 0 && p.text == 0 && p.inline("location.href=\"/lander\"", "location.href='/lander'", "location.replace(\"/lander\")") {
		return "sent to /lander"
	}
	return ""
}

// soft404Mark finds a page that says it does not exist, though its status is a success: the class that content
// systems give their error page, the number 404 in the title or main heading of a short page, or a page that was sent
// on to the home page.
func soft404Mark(a Answer, p *page) string {
	for _, name := range []string{"error404", "error-404", "page-404", "page404", "error_404", "not-found-page"} {
		if p.tokens[name] {
			return "class or id " + name
		}
	}
	if p.text < thinText {
		for _, field := range strings.FieldsFunc(p.title+" "+p.h1, func(r rune) bool { return r != '4' && r != '0' && (r < '0' || r > '9') && !isLetter(r) }) {
			if field == "404" {
				return "404 in the title or heading"
			}
		}
	}
	from, err1 := url.Parse(a.Requested)
	to, err2 := url.Parse(a.URL)
	if a.Requested != "" && err1 == nil && err2 == nil && len(strings.Trim(from.Path, "/")) > 0 && strings.Trim(to.Path, "/") == "" &&
		to.RawQuery == "" && strings.Count(strings.Trim(from.Path, "/"), "/") > 0 && from.Host == to.Host {
		return "sent to the home page"
	}
	return ""
}

func isLetter(r rune) bool { return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r > 127 }
