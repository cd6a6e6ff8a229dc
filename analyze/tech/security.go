package tech

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/amblecrawl/amble/analyze/internal/audit"
)

const year = 31_536_000 // seconds

// security judges the page's scheme, what it loads, and the security headers of its answer.
func security(c *pass) {
	if !c.secure {
		c.Fail("sec-http-page", "", "", "The page came over http: on the way others can read and change it.")
	}
	sent := parsePolicies(c.header.Values("Content-Security-Policy"))
	all := append(slices.Clip(sent), parsePolicies(c.facts.csp)...) // meta elements add policies (CSP 3 section 3.3)
	c.mixed(all.has("upgrade-insecure-requests"))
	if c.secure {
		c.hsts()
	}
	c.csp(all)
	c.nosniff()
	c.referrer()
	c.framing(sent) // a meta element cannot say frame-ancestors
}

// mixed judges what the page loads, and where its forms go.
func (c *pass) mixed(upgraded bool) {
	for _, r := range c.Meta.Resources {
		if strings.HasPrefix(strings.TrimSpace(r.Href), "//") {
			c.Fail("protocol-relative", r.Href, r.Href, "An address leaves out its scheme.", "href", r.Href, "kind", r.Kind)
		}
		if !strings.HasPrefix(r.URL, "http:") {
			continue
		}
		if r.Kind == "form" {
			if !upgraded && !loopback(r.URL) {
				c.Fail("form-http", r.URL, r.Href, "A form is sent over http.", "action", r.Href)
			}
			continue
		}
		if !c.secure || upgraded || loopback(r.URL) {
			continue
		}
		switch r.Kind {
		case "script", "style", "frame", "object", "manifest", "preload":
			c.Fail("mixed-active", r.URL, r.Href, "A "+r.Kind+" of an https page is named by an http address; browsers do not load it.", "href", r.Href, "kind", r.Kind)
		default:
			c.Fail("mixed-passive", r.URL, r.Href, "A file of an https page ("+r.Kind+") is named by an http address.", "href", r.Href, "kind", r.Kind)
		}
	}
}

// loopback tells whether an address is trustworthy without TLS (Secure Contexts 3.1).
func loopback(u string) bool {
	host, _, _ := strings.Cut(strings.TrimPrefix(u, "http://"), "/")
	name, _, _ := strings.Cut(host, ":")
	return strings.HasPrefix(host, "127.") || strings.HasPrefix(host, "[::1]") || name == "localhost" || strings.HasSuffix(name, ".localhost")
}

// hsts reads the first Strict-Transport-Security header, the one that counts (RFC 6797 section 8.1).
func (c *pass) hsts() {
	lines := c.header.Values("Strict-Transport-Security")
	if len(lines) == 0 {
		c.server("hsts-missing", "The server does not ask browsers to keep to https.")
		return
	}
	age, problem := parseHSTS(lines[0])
	switch {
	case problem != "":
		c.serverOf("hsts-invalid", lines[0], "Strict-Transport-Security is ignored: "+problem+".", "header", lines[0])
	case age < year:
		c.serverOf("hsts-short", lines[0], fmt.Sprintf("Strict-Transport-Security holds for %d seconds only.", age), "header", lines[0])
	}
}

func parseHSTS(value string) (age int64, problem string) {
	seen := make(map[string]bool)
	for part := range strings.SplitSeq(value, ";") {
		name, v, hasValue := strings.Cut(strings.TrimSpace(part), "=")
		name = strings.ToLower(strings.TrimSpace(name))
		if name == "" {
			continue
		}
		if seen[name] {
			return 0, name + " is given twice"
		}
		seen[name] = true
		v = strings.TrimSpace(v)
		if len(v) >= 2 && v[0] == '"' && v[len(v)-1] == '"' {
			v = v[1 : len(v)-1]
		}
		switch name {
		case "max-age":
			n, ok := deltaSeconds(v)
			if !ok {
				return 0, "max-age is no number"
			}
			age = n
		case "includesubdomains":
			if hasValue {
				return 0, "includeSubDomains takes no value"
			}
		}
	}
	if !seen["max-age"] {
		return 0, "it has no max-age"
	}
	return age, ""
}

// deltaSeconds reads a number of seconds. One that is too large to hold counts as the largest (RFC 9111 section 1.2.2).
func deltaSeconds(s string) (int64, bool) {
	if s == "" || strings.Trim(s, "0123456789") != "" {
		return 0, false
	}
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		return math.MaxInt64, true
	}
	return n, true
}

// policies are Content Security Policies: all of them are in force.
type policies []map[string][]string

func (p policies) has(directive string) bool {
	return slices.ContainsFunc(p, func(d map[string][]string) bool { _, ok := d[directive]; return ok })
}

// parsePolicies reads headers as CSP 3 section 2.2.2: commas part policies, semicolons directives; of directives with
// one name the first counts.
func parsePolicies(lines []string) (out policies) {
	for _, line := range lines {
		for policy := range strings.SplitSeq(line, ",") {
			d := make(map[string][]string)
			for directive := range strings.SplitSeq(policy, ";") {
				fields := strings.Fields(directive)
				if len(fields) == 0 {
					continue
				}
				name := strings.ToLower(fields[0])
				if _, ok := d[name]; !ok {
					d[name] = fields[1:]
				}
			}
			if len(d) > 0 {
				out = append(out, d)
			}
		}
	}
	return out
}

var cspDirectives = audit.Set("child-src connect-src default-src fenced-frame-src font-src frame-src img-src manifest-src media-src object-src prefetch-src " +
	"script-src script-src-elem script-src-attr style-src style-src-elem style-src-attr worker-src base-uri sandbox form-action frame-ancestors " +
	"navigate-to report-uri report-to require-sri-for require-trusted-types-for trusted-types upgrade-insecure-requests block-all-mixed-content plugin-types referrer reflected-xss webrtc")

// keywords that count only in single quotes.
var cspKeywords = audit.Set("self none unsafe-inline unsafe-eval unsafe-hashes strict-dynamic wasm-unsafe-eval report-sample inline-speculation-rules " +
	"trusted-types-eval report-sha256 report-sha384 report-sha512 unsafe-webtransport-hashes")

func (c *pass) csp(list policies) {
	if len(list) == 0 {
		c.server("csp-missing", "The server sends no Content-Security-Policy.")
		return
	}
	header := strings.Join(append(slices.Clip(c.header.Values("Content-Security-Policy")), c.facts.csp...), ", ")
	for _, policy := range list {
		for name, sources := range policy {
			if problem := cspProblem(name, sources); problem != "" {
				c.serverOf("csp-invalid", problem, "Content-Security-Policy: "+problem+".", "header", header)
			}
		}
	}
	// One strict policy is enough: all must allow a script.
	for _, policy := range list {
		if unsafeScripts(policy) == "" {
			return
		}
	}
	c.server("csp-unsafe", "The Content-Security-Policy does not hold off foreign scripts: "+unsafeScripts(list[0])+".", "header", header)
}

func cspProblem(name string, sources []string) string {
	if !cspDirectives[name] {
		return "the directive " + name + " is not known"
	}
	if !strings.HasSuffix(name, "-src") && !strings.HasPrefix(name, "script-src") && !strings.HasPrefix(name, "style-src") && name != "base-uri" && name != "form-action" && name != "frame-ancestors" {
		return ""
	}
	for _, s := range sources {
		lower := strings.ToLower(s)
		inner := strings.Trim(lower, "'")
		switch {
		case lower == "'none'" && len(sources) > 1:
			return "'none' stands beside other sources of " + name + " and is ignored"
		case inner == lower && cspKeywords[lower]:
			return lower + " in " + name + " lacks its quotes and means a host of that name"
		case lower[0] == '\'' && !cspKeywords[inner] && !strings.HasPrefix(inner, "nonce-") && !strings.HasPrefix(inner, "sha256-") && !strings.HasPrefix(inner, "sha384-") && !strings.HasPrefix(inner, "sha512-"):
			return s + " in " + name + " is no keyword"
		}
	}
	return ""
}

// unsafeScripts says why a policy lets scripts of strangers run, or "".
func unsafeScripts(policy map[string][]string) string {
	sources, ok := policy["script-src"]
	if !ok {
		sources, ok = policy["default-src"]
	}
	if !ok {
		return "it restricts no scripts"
	}
	var inline, strict bool
	wide := ""
	for _, s := range sources {
		switch lower := strings.ToLower(s); {
		case lower == "'unsafe-inline'":
			inline = true
		case strings.HasPrefix(lower, "'nonce-"), strings.HasPrefix(lower, "'sha"):
			strict = true
		case lower == "*", lower == "http:", lower == "https:", lower == "data:":
			wide = s
		}
	}
	switch {
	case inline && !strict:
		return "'unsafe-inline' allows any script in the page"
	case wide != "" && !slices.Contains(sources, "'strict-dynamic'"):
		return wide + " allows scripts from anywhere"
	}
	return ""
}

func (c *pass) nosniff() {
	lines := c.header.Values("X-Content-Type-Options")
	if len(lines) == 0 {
		c.server("nosniff-missing", "Browsers may guess the type of files.")
		return
	}
	first, _, _ := strings.Cut(strings.Join(lines, ","), ",")
	if !strings.EqualFold(strings.TrimSpace(first), "nosniff") {
		c.serverOf("nosniff-invalid", lines[0], "X-Content-Type-Options has a value that is none: "+lines[0], "header", lines[0])
	}
}

var referrerPolicies = audit.Set("no-referrer no-referrer-when-downgrade same-origin origin strict-origin origin-when-cross-origin strict-origin-when-cross-origin unsafe-url")

// referrer reads Referrer-Policy: the last value that is known counts (Referrer Policy section 8.1).
func (c *pass) referrer() {
	lines := c.header.Values("Referrer-Policy")
	if len(lines) == 0 {
		c.server("referrer-policy-missing", "The server leaves to browsers what other sites learn of visits.")
		return
	}
	value := strings.Join(lines, ",")
	policy := ""
	for v := range strings.SplitSeq(value, ",") {
		if v = strings.ToLower(strings.TrimSpace(v)); referrerPolicies[v] {
			policy = v
		}
	}
	switch policy {
	case "":
		c.serverOf("referrer-policy-invalid", value, "Referrer-Policy holds no value that is known: "+value, "header", value)
	case "unsafe-url", "no-referrer-when-downgrade":
		c.serverOf("referrer-policy-unsafe", value, "Other sites learn the whole address of the page: "+policy, "header", value)
	}
}

func (c *pass) framing(csp policies) {
	lines := c.header.Values("X-Frame-Options")
	if len(lines) == 0 {
		if !csp.has("frame-ancestors") {
			c.server("frame-options-missing", "Any site may show the page in a frame.")
		}
		return
	}
	values := make(map[string]bool)
	bad := false
	for v := range strings.SplitSeq(strings.Join(lines, ","), ",") {
		v = strings.ToLower(strings.TrimSpace(v))
		values[v] = true
		bad = bad || v != "deny" && v != "sameorigin"
	}
	if csp.has("frame-ancestors") {
		return // it decides, and the other is for browsers of old (HTML standard 7.4)
	}
	if bad || len(values) > 1 {
		value := strings.Join(lines, ", ")
		c.serverOf("frame-options-invalid", value, "X-Frame-Options is wrong: "+value, "header", value)
	}
}
