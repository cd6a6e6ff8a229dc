package tech_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"crypto/x509/pkix"
	"fmt"
	"math/big"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/amblecrawl/amble"
	"github.com/amblecrawl/amble/ambletest"
	"github.com/amblecrawl/amble/analyze/tech"
	"github.com/amblecrawl/amble/analyze/text"
)

const goodPage = "<!DOCTYPE html><html lang=\"en\"><head>" + goodHead + "</head><body>Bread</body></html>"

// issuer makes certificates for tests, valid around the time at which the pages of tests were asked for.
type issuer struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

func newIssuer(t *testing.T) *issuer {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	i := &issuer{key: key}
	i.cert = i.issue(t, &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "Issuer"}, IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageCertSign, NotBefore: time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC), NotAfter: time.Date(2040, 1, 1, 0, 0, 0, 0, time.UTC)}, nil, &key.PublicKey)
	return i
}

func (i *issuer) issue(t *testing.T, c, parent *x509.Certificate, public any) *x509.Certificate {
	if parent == nil {
		parent = c
	}
	der, err := x509.CreateCertificate(rand.Reader, c, parent, public, i.key)
	if err != nil {
		t.Fatal(err)
	}
	out, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestCertificates(t *testing.T) {
	ca := newIssuer(t)
	leaf := func(change func(*x509.Certificate)) *x509.Certificate {
		c := &x509.Certificate{SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: "site.test"}, DNSNames: []string{"site.test"},
			NotBefore: time.Date(2025, 5, 1, 0, 0, 0, 0, time.UTC), NotAfter: time.Date(2025, 8, 1, 0, 0, 0, 0, time.UTC)}
		if change != nil {
			change(c)
		}
		return ca.issue(t, c, ca.cert, &ca.key.PublicKey)
	}
	rsaKey, err := rsa.GenerateKey(rand.Reader, 1024)
	if err != nil {
		t.Skip("no RSA keys of 1,024 bits here: ", err)
	}
	date := func(m time.Month, d int) time.Time { return time.Date(2025, m, d, 0, 0, 0, 0, time.UTC) }
	weak := ca.issue(t, &x509.Certificate{SerialNumber: big.NewInt(3), Subject: pkix.Name{CommonName: "site.test"}, DNSNames: []string{"site.test"},
		NotBefore: date(5, 1), NotAfter: date(8, 1)}, ca.cert, &rsaKey.PublicKey)
	self := ca.issue(t, &x509.Certificate{SerialNumber: big.NewInt(4), Subject: pkix.Name{CommonName: "site.test"}, DNSNames: []string{"site.test"},
		NotBefore: date(5, 1), NotAfter: date(8, 1)}, nil, &ca.key.PublicKey)
	for _, test := range []struct {
		name    string
		version string
		chain   []*x509.Certificate
		want    []string
	}{
		{"right", "TLS 1.3", []*x509.Certificate{leaf(nil), ca.cert}, nil},
		{"for any name of the domain", "TLS 1.2", []*x509.Certificate{leaf(func(c *x509.Certificate) { c.DNSNames = []string{"*.test", "SITE.test"} }), ca.cert}, nil},
		{"ends in 15 days", "TLS 1.3", []*x509.Certificate{leaf(func(c *x509.Certificate) { c.NotAfter = date(6, 16) }), ca.cert}, nil},
		{"ends in 13 days", "TLS 1.3", []*x509.Certificate{leaf(func(c *x509.Certificate) { c.NotAfter = date(6, 14) }), ca.cert}, []string{"tls-expiring"}},
		{"ended", "TLS 1.3", []*x509.Certificate{leaf(func(c *x509.Certificate) { c.NotAfter = date(5, 31) }), ca.cert}, []string{"tls-expired"}},
		{"not begun", "TLS 1.3", []*x509.Certificate{leaf(func(c *x509.Certificate) { c.NotBefore = date(6, 2) }), ca.cert}, []string{"tls-expired"}},
		{"of another host", "TLS 1.3", []*x509.Certificate{leaf(func(c *x509.Certificate) { c.DNSNames = []string{"other.test"} }), ca.cert}, []string{"tls-name"}},
		{"alone", "TLS 1.3", []*x509.Certificate{leaf(nil)}, []string{"tls-chain"}},
		{"signed by itself", "TLS 1.3", []*x509.Certificate{self}, []string{"tls-self-signed"}},
		{"of a short key", "TLS 1.3", []*x509.Certificate{weak, ca.cert}, []string{"tls-weak"}},
		{"over an old protocol", "TLS 1.1", []*x509.Certificate{leaf(nil), ca.cert}, []string{"tls-weak"}},
	} {
		p := page("https://site.test/", goodPage, good())
		p.Response.TLS = &amble.TLSInfo{Version: test.version, Chain: test.chain}
		if got := failed(judge(t, p)); !slices.Equal(got, test.want) {
			t.Errorf("%s: got %v, want %v", test.name, got, test.want)
		}
	}
}

func TestAnswers(t *testing.T) {
	p := page("https://site.test/", goodPage, good())
	p.Response.Proto, p.Response.Timing.FirstByte = "HTTP/1.1", time.Second
	if got := failed(judge(t, p)); !slices.Equal(got, []string{"http-version", "slow-answer"}) {
		t.Errorf("got %v", got)
	}
	p = page("http://site.test/", goodPage, good())
	p.Response.Proto, p.Response.Timing.FirstByte = "HTTP/1.1", 700*time.Millisecond
	if got := failed(judge(t, p)); !slices.Equal(got, []string{"sec-http-page"}) {
		t.Errorf("got %v", got)
	}
}

// TestStatementsAreNoFaults: what a site says about the use of its content is reported as passed.
func TestStatementsAreNoFaults(t *testing.T) {
	site := ambletest.NewSite().
		Robots("User-agent: *\nContent-Signal: search=yes, ai-train=no\nContent-Usage: train-ai=n\nAllow: /\n").
		Serve("/.well-known/security.txt", "text/plain", "Contact: mailto:security@site.test\n").
		Page("/", strings.Replace(goodPage, "<body>", `<body><meta name="tdm-reservation" content="1"><a href="/.well-known/security.txt">Security</a>`, 1))
	c := ambletest.Crawler(t, site)
	c.Analyzers = []amble.Analyzer{tech.New()}
	r := ambletest.Run(t, c, "/")
	var got []string
	for _, f := range r.Summary.SiteFindings {
		if f.Result == amble.Passed {
			got = append(got, f.Rule)
		}
	}
	slices.Sort(got)
	if want := []string{"content-usage", "content-usage", "security-txt", "tdm-reservation"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	for _, rule := range []string{"content-usage", "security-txt", "tdm-reservation"} {
		if r.Summary.Findings[rule] != 0 {
			t.Errorf("%s counts as a failure", rule)
		}
	}
}

func TestRenderedPages(t *testing.T) {
	links := strings.Repeat(`<a href="/x">X</a>`, 10)
	head := strings.Replace(goodHead, "<title>", `<link rel="canonical" href="https://site.test/"><title>`, 1)
	body := "<!DOCTYPE html><html lang=\"en\"><head>" + head + "</head><body>" + links + "</body></html>"
	snapshot := func(change func(*amble.Snapshot)) *amble.Snapshot {
		s := &amble.Snapshot{URL: "https://site.test/", HTML: body, Settled: amble.Settled{Reason: "settled"}, Requests: []amble.Exchange{
			{URL: "https://site.test/", Type: "document", Status: 200, Encoded: 20_000},
			{URL: "https://site.test/a.css", Type: "stylesheet", Status: 200, Encoded: 10_000, CacheControl: "public, max-age=600"},
			{URL: "https://cdn.test/limited.js", Type: "script", Status: 429},
			{URL: "https://cdn.test/wall.js", Type: "script", Status: 403},
			{URL: "https://site.test/private.js", Type: "script", Problem: "blocked: robots.txt line 3"},
			{URL: "https://site.test/beacon", Type: "fetch", Problem: "net::ERR_ABORTED"},
		}, Console: []amble.ConsoleMessage{{Level: "warning", Text: "old"}, {Level: "error", Text: "Failed to load resource: 403"}},
			Metrics: amble.Metrics{LCP: 2400 * time.Millisecond, CLS: 0.09, LongTasks: 2, LongTaskTime: 150 * time.Millisecond}}
		if change != nil {
			change(s)
		}
		return s
	}
	for _, test := range []struct {
		name   string
		change func(*amble.Snapshot)
		want   []string
	}{
		{"right, with files that we may not have", nil, nil},
		{"an uncaught error", func(s *amble.Snapshot) {
			s.Console = append(s.Console, amble.ConsoleMessage{Level: "exception", Text: "x is not defined", URL: "https://site.test/a.js", Line: 3})
		}, []string{"console-error"}},
		{"a missing file", func(s *amble.Snapshot) { s.Requests[1].Status = 404 }, []string{"file-failed"}},
		{"a host without a name", func(s *amble.Snapshot) { s.Requests[1].Status, s.Requests[1].Problem = 0, "net::ERR_NAME_NOT_RESOLVED" }, []string{"file-failed"}},
		{"a large file", func(s *amble.Snapshot) { s.Requests[1].Encoded = 600 << 10 }, []string{"file-large"}},
		{"a large image", picture("image/webp", 101<<10, 1000, 1000), []string{"img-large"}},
		{"a small image", picture("image/webp", 99<<10, 1000, 1000), nil},
		{"an old format", picture("image/jpeg", 51<<10, 1000, 1000), []string{"img-format"}},
		{"a small one in an old format", picture("image/png", 49<<10, 1000, 1000), nil},
		{"a bitmap", picture("image/bmp", 1000, 1000, 1000), []string{"img-format"}},
		{"an image in a small box", picture("image/webp", 31_000, 100, 100), []string{"img-oversized"}},
		{"an image that fits its box", picture("image/webp", 29_000, 100, 100), nil},
		{"an icon", picture("image/webp", 3_000, 16, 16), nil},
		{"a file without a lifetime", func(s *amble.Snapshot) { s.Requests[1].CacheControl = "" }, []string{"file-not-cached"}},
		{"a file that is asked for again", func(s *amble.Snapshot) { s.Requests[1].CacheControl = "no-cache, max-age=600" }, []string{"file-not-cached"}},
		{"a file without a lifetime elsewhere", func(s *amble.Snapshot) { s.Requests[1].CacheControl, s.Requests[1].URL = "", "https://cdn.test/a.css" }, nil},
		{"a file with a date", func(s *amble.Snapshot) {
			s.Requests[1].CacheControl, s.Requests[1].Expires = "public", "Thu, 01 Jan 2026 00:00:00 GMT"
		}, nil},
		{"text by script", func(s *amble.Snapshot) {
			s.HTML = strings.Replace(s.HTML, "</body>", "<p>"+strings.Repeat("more bread ", 100)+"</body>", 1)
		}, []string{"rendered-text"}},
		{"many files", func(s *amble.Snapshot) {
			for range 10 {
				s.Requests = append(s.Requests, amble.Exchange{URL: "https://site.test/i", Type: "media", Status: 200, Encoded: 400 << 10})
			}
		}, []string{"page-heavy"}},
		{"a blocking script", func(s *amble.Snapshot) { s.Requests[1].Blocking = true }, []string{"render-blocking"}},
		{"late paint", func(s *amble.Snapshot) { s.Metrics.LCP = 2600 * time.Millisecond }, []string{"lcp-slow"}},
		{"moving", func(s *amble.Snapshot) { s.Metrics.CLS = 0.11 }, []string{"cls-high"}},
		{"busy", func(s *amble.Snapshot) { s.Metrics.LongTaskTime = 250 * time.Millisecond }, []string{"long-tasks"}},
		{"another title", func(s *amble.Snapshot) { s.HTML = strings.Replace(s.HTML, "Bread", "Cake", 1) }, []string{"rendered-title"}},
		{"another canonical", func(s *amble.Snapshot) { s.HTML = strings.Replace(s.HTML, `site.test/"`, `site.test/b"`, 1) }, []string{"rendered-canonical"}},
		{"noindex by script", func(s *amble.Snapshot) {
			s.HTML = strings.Replace(s.HTML, "<title>", `<meta name="robots" content="noindex"><title>`, 1)
		}, []string{"rendered-noindex"}},
		{"links by script", func(s *amble.Snapshot) { s.HTML = strings.Replace(s.HTML, links, links+links, 1) }, []string{"rendered-links"}},
		{"a few more links", func(s *amble.Snapshot) {
			s.HTML = strings.Replace(s.HTML, links, links+`<a href="/y">Y</a><a href="/z">Z</a>`, 1)
		}, nil},
		{"a crash", func(s *amble.Snapshot) { s.HTML, s.Settled.Reason = "<p>", "crash" }, nil},
	} {
		p := page("https://site.test/", body, good())
		p.Response.Snapshot = snapshot(test.change)
		if got := failed(judge(t, p)); !slices.Equal(got, test.want) {
			t.Errorf("%s: got %v, want %v", test.name, got, test.want)
		}
	}
}

// picture adds an image that is shown in a box.
func picture(media string, size int64, w, h float64) func(*amble.Snapshot) {
	return func(s *amble.Snapshot) {
		s.Requests = append(s.Requests, amble.Exchange{URL: "https://site.test/i", Type: "image", Status: 200, Encoded: size, MediaType: media, CacheControl: "max-age=60"})
		s.Nodes = append(s.Nodes, amble.Node{Type: amble.NodeElement, Name: "img", Attrs: []amble.Attr{{Name: "src", Value: "/i"}}, Box: amble.Rect{W: w, H: h}})
	}
}

// TestProbes: with Probe servers are asked for their twins and for files that no page names; without, for nothing.
func TestProbes(t *testing.T) {
	redirect := func(w http.ResponseWriter, to string) { w.Header().Set("Location", to); w.WriteHeader(301) }
	for _, test := range []struct {
		name, seed string
		twins      func(w http.ResponseWriter, scheme, host string) // nil: they lead to the seed
		files, off bool
		want       []string
	}{
		{name: "all leads to one name", seed: "https://site.test/"},
		{name: "to the one with www", seed: "https://www.site.test/"},
		{name: "http stays http", seed: "https://site.test/", twins: func(w http.ResponseWriter, scheme, host string) {
			if host != "site.test" {
				redirect(w, "https://site.test/")
			}
		}, want: []string{"http-not-redirected failed"}},
		{name: "https exists, unused", seed: "http://site.test/", twins: func(w http.ResponseWriter, scheme, host string) {
			if host != "site.test" {
				redirect(w, "http://site.test/")
			}
		}, want: []string{"http-not-redirected failed"}},
		{name: "two names", seed: "https://site.test/", twins: func(w http.ResponseWriter, scheme, host string) {
			if scheme == "http" {
				redirect(w, "https://site.test/")
			}
		}, want: []string{"www-not-redirected failed"}},
		{name: "no twins", seed: "https://site.test/", twins: func(w http.ResponseWriter, _, _ string) { w.WriteHeader(404) }},
		{name: "a name below", seed: "https://docs.site.test/", twins: func(w http.ResponseWriter, scheme, _ string) {
			if scheme == "http" {
				redirect(w, "https://docs.site.test/")
			}
		}},
		{name: "files", seed: "https://site.test/", files: true, want: []string{"security-txt passed", "tdm-reservation passed"}},
		{name: "nobody asks", seed: "https://site.test/", files: true, off: true},
	} {
		asked := 0
		handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			scheme := "http"
			if r.TLS != nil {
				scheme = "https"
			}
			w.Header().Set("Content-Type", "text/html")
			switch name := strings.TrimPrefix(r.URL.Path, "/.well-known/"); {
			case r.URL.Path == "/robots.txt":
				w.WriteHeader(404)
			case name != r.URL.Path && !test.files:
				fmt.Fprint(w, "a page for every address")
			case name == "security.txt":
				w.Header().Set("Content-Type", "text/plain; charset=utf-8")
			case name == "tdmrep.json":
				w.Header().Set("Content-Type", "application/json")
			case scheme+"://"+r.Host+"/" == test.seed:
				fmt.Fprint(w, goodPage)
			case test.twins != nil:
				asked++
				test.twins(w, scheme, r.Host)
			default:
				asked++
				redirect(w, test.seed)
			}
		})
		c := ambletest.Crawler(t, handler)
		c.Links = &amble.LinkCheck{SkipExternal: true}
		judge := tech.New()
		judge.Probe = !test.off
		c.Analyzers = []amble.Analyzer{judge}
		r := ambletest.Run(t, c, test.seed)
		var got []string
		for _, f := range r.Summary.SiteFindings {
			if strings.HasSuffix(f.Rule, "-redirected") || f.Result == amble.Passed {
				got = append(got, f.Rule+" "+f.Result.String())
			}
		}
		slices.Sort(got)
		if !slices.Equal(got, test.want) || test.off != (asked == 0) {
			t.Errorf("%s: got %v, want %v, asked %d times", test.name, got, test.want, asked)
		}
	}
}

// TestTextsAreComplete: every rule has its texts in all languages, and no text is without a rule.
func TestTextsAreComplete(t *testing.T) {
	var ids []string
	for _, r := range tech.New().Rules() {
		ids = append(ids, r.ID)
		if r.Title == "" || r.HelpURL == "" {
			t.Errorf("%s has no title or no help", r.ID)
		}
	}
	for _, missing := range tech.Texts().Missing(ids) {
		t.Errorf("missing: %s", missing)
	}
	var _ text.Source = (*tech.Analyzer)(nil)
}

// TestServersAreReportedOnce: what holds for a server is one finding, whatever the number of its pages.
func TestServersAreReportedOnce(t *testing.T) {
	site := ambletest.NewSite().Page("/", ambletest.Links("/a", "/b")).Page("/a", goodPage).Page("/b", goodPage)
	c := ambletest.Crawler(t, site)
	c.Analyzers = []amble.Analyzer{tech.New()}
	r := ambletest.Run(t, c, "/")
	n := 0
	for _, f := range r.Summary.SiteFindings {
		if f.Rule == "csp-missing" {
			n++
			if f.Target != "https://site.test" || f.Evidence["count"] != "3" {
				t.Errorf("%+v", f)
			}
		}
	}
	if n != 1 {
		t.Errorf("reported %d times", n)
	}
}
