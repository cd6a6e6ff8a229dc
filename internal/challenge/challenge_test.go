package challenge

import (
	"net/http"
	"strings"
	"testing"

	"github.com/amblecrawl/amble/internal/cases"
)

// TestDetectCases measures the verdicts by the shared set: blocked or not, who blocks, and the kind.
func TestDetectCases(t *testing.T) {
	var set struct {
		Cases []struct {
			ID        string
			URL       string
			Requested string `json:"requested_url"`
			Status    int
			Headers   map[string]string
			Body      string
			Expect    struct {
				Blocked bool
				Vendor  string
				Kind    string
			}
		}
	}
	cases.JSON(t, "challenge/cases.json", &set)
	blocked, vendor, kind := cases.NewTally("challenge/blocked"), cases.NewTally("challenge/vendor"), cases.NewTally("challenge/kind")
	for _, c := range set.Cases {
		header := http.Header{}
		for name, value := range c.Headers {
			header.Set(name, value)
		}
		v := Detect(Answer{Requested: c.Requested, URL: c.URL, Status: c.Status, Header: header, Body: []byte(c.Body)})
		blocked.Add(c.ID, v.Blocked == c.Expect.Blocked)
		vendor.Add(c.ID, v.Vendor == c.Expect.Vendor)
		kind.Add(c.ID, string(v.Kind) == c.Expect.Kind)
		if v.Blocked != c.Expect.Blocked || v.Vendor != c.Expect.Vendor || string(v.Kind) != c.Expect.Kind {
			t.Logf("%s: got %+v, want %+v", c.ID, v, c.Expect)
		}
	}
	blocked.Close(t, nil)
	vendor.Close(t, nil)
	kind.Close(t, nil)
}

var content = "<h1>Hill walks</h1>" + strings.Repeat("<p>The path leaves the mill and follows the river through a beech wood.</p>", 12)

func TestDetect(t *testing.T) {
	const u = "https://site.example/a"
	for _, test := range []struct {
		name      string
		status    int
		header    string // "name: value" lines
		requested string
		url       string
		body      string
		vendor    string
		kind      Kind
	}{
		{"a vendor's mark beside real content does not block", 200, "", "", u, `<div id="px-captcha"></div><script>window._pxAppId="PX1"</script>` + content, "", OK},
		{"marks in comments, templates and text are no evidence", 403, "server: cloudflare", "", u,
			`<!-- <div id="px-captcha"> --><template><div id="px-captcha"></div></template><p>window._cf_chl_opt=1</p>`, "", Forbidden},
		{"the WAF's captcha comes with 405", 405, "x-amzn-waf-action: captcha", "", u, "", "aws-waf", Challenge},
		{"the WAF's interstitial is known without its header", 202, "", "", u, `<script>window.gokuProps = {"key":"k"};</script><script src="https://a.b.token.awswaf.com/a/challenge.js"></script>`, "aws-waf", Challenge},
		{"the SDK script of the WAF is on normal pages", 200, "", "", u, `<script src="https://a.b.token.awswaf.com/a/challenge.js"></script>` + content, "", OK},
		{"an origin's 403 through CloudFront is plain", 403, "x-cache: Error from cloudfront", "", u, `<Error><Code>AccessDenied</Code></Error>`, "", Forbidden},
		{"Cloudflare's error page with 52x means that the origin is down", 522, "server: cloudflare", "", u, `<div id="cf-error-details"><span class="cf-error-code">522</span></div>`, "", ServerError},
		{"Cloudflare's challenge without its header", 403, "server: cloudflare", "", u, `<script>(function(){window._cf_chl_opt = {a:1};var a=document.createElement('script');a.src='/cdn-cgi/challenge-platform/h/b/orchestrate/chl_page/v1'})()</script>`, "cloudflare", Challenge},
		{"Cloudflare's firewall block has no code", 403, "server: cloudflare", "", u, `<div id="cf-wrapper"><div id="cf-error-details"><h1>Sorry, you have been blocked</h1></div></div>`, "cloudflare", Denied},
		{"Vercel denies", 403, "x-vercel-mitigated: deny", "", u, "", "vercel", Denied},
		{"DataDome bans", 403, "x-datadome: protected\nx-dd-b: 1", "", u, `<script>var dd={'rt':'c','t':'bv','host':'geo.captcha-delivery.com'}</script>`, "datadome", Denied},
		{"HUMAN blocks with 200", 200, "", "", u, `<div id="px-captcha"></div><script>window._pxAppId='PX1'</script>`, "perimeterx", Challenge},
		{"Akamai's interstitial", 200, "server: AkamaiGHost", "", u, `<div id="sec-if-cpt-container"></div><script src="/_sec/cp_challenge/ak-challenge-4-3.htm"></script>`, "akamai", Challenge},
		{"a site's own 403 behind Akamai is plain", 403, "server: AkamaiGHost", "", u, `<h1>Members only</h1><p>Ask the club.</p>`, "", Forbidden},
		{"Imperva's script alone", 200, "x-iinfo: 1", "", u, `<html><head><script src="/_Incapsula_Resource?SWJIYLWA=1"></script></head><body></body></html>`, "imperva", Challenge},
		{"Imperva's frame with 200", 200, "", "", u, `<iframe id="main-iframe" src="/_Incapsula_Resource?CWUDNSAI=23&incident_id=1"></iframe>`, "imperva", Denied},
		{"Sucuri's script challenge", 307, "server: Sucuri/Cloudproxy", "", u, `<script>var s={};sucuri_cloudproxy_js='';S='x'</script>`, "sucuri", Challenge},
		{"DDoS-Guard's header is on normal pages", 403, "server: ddos-guard", "", u, `<h1>403</h1>`, "", Forbidden},
		{"Kasada's header on a normal page", 200, "x-kpsdk-ct: 1", "", u, content, "", OK},
		{"Anubis denies with 200", 200, "", "", u, `<script id="anubis_version" type="application/json">"v1"</script><script id="anubis_base_prefix" type="application/json">""</script><h1>Oh noes!</h1>`, "anubis", Denied},
		{"Anubis without script", 200, "", "", u, `<meta http-equiv="refresh" content="5; url=/.within.website/x/cmd/anubis/api/pass-challenge?id=1"><h1>Wait</h1>`, "anubis", Challenge},
		{"go-away with another status", 200, "", "", u, `<meta http-equiv="refresh" content="3; url='/.well-known/.example.org/x/away/challenge/refresh/verify?a=b'"><p>Checking</p>`, "go-away", Challenge},
		{"a captcha alone in a 200", 200, "", "", u, `<form><input type="hidden" name="q"><div class="g-recaptcha"></div><button>Go on</button></form>`, "recaptcha", Challenge},
		{"a captcha in a short login form", 200, "", "", u, `<form><input name="u"><input type="password" name="p"><div class="g-recaptcha"></div></form>`, "", OK},
		{"a captcha beside another form", 200, "", "", u, `<form><input name="q"></form><form><div class="h-captcha"></div></form>`, "", OK},
		{"the badge of reCAPTCHA v3", 200, "", "", u, `<script src="https://www.google.com/recaptcha/api.js?render=k"></script><h1>Hi</h1><a href="/x">x</a>`, "", OK},
		{"a 401 without WWW-Authenticate is plain", 401, "", "", u, `<h1>No</h1>`, "", Forbidden},
		{"a login elsewhere that points back", 200, "", "https://site.example/club/1", "https://auth.site.example/authorize?redirect_uri=https%3A%2F%2Fsite.example%2Fclub%2F1", `<form><input name="email"></form>`, "site", LoginWall},
		{"a login page with another ending", 200, "", "https://site.example/login", "https://site.example/es/login?next=/login", `<form><input type="password"></form>`, "", OK},
		{"a redirect to an article about logins", 200, "", "https://site.example/a", "https://site.example/blog/login-tips", content, "", OK},
		{"a text says that it is not free", 200, "", "", u, `<script type="application/ld+json">{"@graph":[{"isAccessibleForFree":"False"}]}</script>` + content, "", Paywalled},
		{"a part that is free says nothing", 200, "", "", u, `<script type="application/ld+json">{"isAccessibleForFree":"True"}</script>` + content, "", OK},
		{"nothing at all", 200, "", "", u, "", "", Empty},
		{"gone", 410, "", "", u, "x", "", NotFound},
		{"WordPress says not found with 200", 200, "", "", u, `<body class="error404"><h1>Nothing here</h1>` + content, "", Soft404},
	} {
		t.Run(test.name, func(t *testing.T) {
			header := http.Header{"Content-Type": {"text/html"}}
			for line := range strings.SplitSeq(test.header, "\n") {
				if name, value, ok := strings.Cut(line, ": "); ok {
					header.Set(name, value)
				}
			}
			answer := Answer{Requested: test.requested, URL: test.url, Status: test.status, Header: header, Body: []byte(test.body)}
			v := Detect(answer)
			if short := Block(answer); short.Blocked != v.Blocked || v.Blocked && short != v {
				t.Errorf("Block says %+v, Detect %+v", short, v)
			}
			if v.Vendor != test.vendor || v.Kind != test.kind || v.Blocked != (test.vendor != "") {
				t.Errorf("got %+v, want vendor %q, kind %q", v, test.vendor, test.kind)
			}
		})
	}
}

func FuzzDetect(f *testing.F) {
	f.Add(403, "cloudflare", `<div id="cf-error-details"><span class="cf-error-code">1020</span></div>`)
	f.Add(200, "", `<form><div class="g-recaptcha"></form><svg><title>a</title></svg><template><script>`)
	f.Add(200, "", `<script type="application/ld+json">{"isAccessibleForFree":false</script>`)
	f.Add(200, "", "<title>t</title>\v two\u00a0words \x85<style>s</style><select>x</select><svg><title>y</title>z</svg><p>"+strings.Repeat("word ", 200))
	f.Fuzz(func(t *testing.T, status int, server, body string) {
		a := Answer{URL: "https://site.example/", Status: status, Header: http.Header{"Server": {server}}, Body: []byte(body)}
		v := Detect(a)
		if v.Kind == "" || v.Blocked == (v.Vendor == "") {
			t.Errorf("incomplete verdict %+v", v)
		}
		if short := Block(a); short.Blocked != v.Blocked || v.Blocked && short != v {
			t.Errorf("Block says %+v, Detect %+v", short, v)
		}
		text := parse(a.Body, 0).text
		for _, n := range []int{1, 40, thinText} {
			if hasText(a.Body, n) != (text >= n) {
				t.Errorf("hasText says %v of %d bytes of text, asked for %d", text < n, text, n)
			}
		}
		if again := Detect(a); again != v {
			t.Errorf("two verdicts: %+v, %+v", v, again)
		}
	})
}
