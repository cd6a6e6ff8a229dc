package tech_test

import (
	"fmt"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/amblecrawl/amble"
	"github.com/amblecrawl/amble/ambletest"
	"github.com/amblecrawl/amble/analyze/tech"
)

// good are the headers of an answer with which nothing is wrong.
func good() http.Header {
	h := http.Header{}
	for k, v := range map[string]string{
		"Content-Type": "text/html; charset=utf-8", "Strict-Transport-Security": "max-age=63072000; includeSubDomains",
		"Content-Security-Policy": "default-src 'self'; frame-ancestors 'none'", "X-Content-Type-Options": "nosniff",
		"Referrer-Policy": "no-referrer, strict-origin-when-cross-origin", "Content-Encoding": "gzip", "Etag": `"1"`,
		"Cache-Control": "max-age=60, public",
	} {
		h.Set(k, v)
	}
	return h
}

const goodHead = `<meta charset="utf-8"><title>Bread</title><meta name="viewport" content="width=device-width, initial-scale=1">`

// page is an answer to be judged.
func page(address, body string, header http.Header) *amble.Page {
	u, _ := url.Parse(address)
	p := &amble.Page{URL: address, Status: 200, Response: &amble.Response{URL: u, Status: 200, Proto: "HTTP/2.0", Header: header,
		Body: []byte(body), Sent: time.Date(2025, 6, 1, 0, 0, 0, 0, time.UTC)}}
	p.Meta = amble.MetaOptions{Resources: true}.Parse(p.Response.Body, u, header)
	return p
}

// judge returns what the Analyzer reports of a page, its server included.
func judge(t testing.TB, p *amble.Page) (out []amble.Finding) {
	t.Helper()
	a := tech.New()
	add := func(f amble.Finding) { out = append(out, f) }
	if err := a.Analyze(t.Context(), p, add); err != nil {
		t.Fatal(err)
	}
	if err := a.Finish(t.Context(), add); err != nil {
		t.Fatal(err)
	}
	return out
}

func failed(list []amble.Finding) []string {
	var out []string
	for _, f := range list {
		if f.Result == amble.Failed {
			out = append(out, f.Rule)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// TestSeededPages judges the pages of testdata/pages.txt: each fault stands once, beside twins that look like it and are
// right. A block begins with "=== " and a name; "http" behind it serves the page without TLS. Lines "header: Name: value"
// replace a header of a good answer (an empty value removes it), "+header" adds one; head: and body: add HTML to a good
// page, html: is the whole of it, size: N fills it up. What is expected stands in <!-- want "rule" -->.
func TestSeededPages(t *testing.T) {
	data, err := os.ReadFile("testdata/pages.txt")
	if err != nil {
		t.Fatal(err)
	}
	seeded := make(map[string]bool)
	found, missed, wrong, pages := 0, 0, 0, 0
	for _, block := range regexp.MustCompile(`(?m)^=== `).Split(string(data), -1)[1:] {
		name, rest, _ := strings.Cut(block, "\n")
		scheme := "https"
		if strings.HasSuffix(name, " http") {
			scheme = "http"
		}
		header, head, body, whole := good(), "", "", ""
		for line := range strings.SplitSeq(rest, "\n") {
			key, value, _ := strings.Cut(line, ":")
			value = strings.TrimSpace(value)
			k, v, _ := strings.Cut(value, ":")
			v = strings.TrimSpace(v)
			switch key {
			case "header":
				header.Del(k)
				if v != "" {
					header.Set(k, v)
				}
			case "+header":
				header.Add(k, v)
			case "head":
				head += value + "\n"
			case "body":
				body += value + "\n"
			case "html":
				whole += value + "\n"
			case "size":
				var n int
				fmt.Sscan(value, &n)
				body += strings.Repeat("bread ", n/6)
			case "elements":
				var n int
				fmt.Sscan(value, &n)
				body += strings.Repeat("<br>", n)
			}
		}
		if whole == "" {
			whole = "<!DOCTYPE html>\n<html lang=\"en\">\n<head>" + goodHead + head + "</head>\n<body>\n" + body + "</body>\n</html>\n"
		}
		var want []string
		for _, m := range regexp.MustCompile(`<!-- want ([^>]*) -->`).FindAllStringSubmatch(whole, -1) {
			for _, w := range strings.Fields(m[1]) {
				want = append(want, strings.Trim(w, `"`))
			}
		}
		slices.Sort(want)
		got := failed(judge(t, page(scheme+"://site.test/page", whole, header)))
		pages++
		for _, w := range want {
			seeded[w] = true
			if slices.Contains(got, w) {
				found++
			} else {
				missed++
			}
		}
		for _, g := range got {
			if !slices.Contains(want, g) {
				wrong++
			}
		}
		if !slices.Equal(got, slices.Compact(want)) {
			t.Errorf("%s: got %v, want %v", name, got, want)
		}
	}
	t.Logf("%d pages, %d rules seeded, %d faults found, %d missed, %d false", pages, len(seeded), found, missed, wrong)
	for _, r := range tech.New().Rules() {
		if !seeded[r.ID] && !strings.HasPrefix(r.ID, "tls-") && !slices.Contains(elsewhere, r.ID) {
			t.Errorf("no seeded fault for %s", r.ID)
		}
	}
}

// elsewhere are rules whose faults are not in a page's bytes or headers; they have tests of their own.
var elsewhere = []string{"http-version", "slow-answer", "content-usage", "tdm-reservation", "security-txt", "console-error",
	"file-failed", "file-large", "page-heavy", "render-blocking", "lcp-slow", "cls-high", "long-tasks", "rendered-title",
	"rendered-canonical", "rendered-noindex", "rendered-links", "rendered-text", "file-not-cached", "img-large", "img-oversized",
	"img-format", "http-not-redirected", "www-not-redirected"}

// TestGnuplotDoc: pages written by a generator in 1990s HTML. What is called an issue there was looked at and is one.
func TestGnuplotDoc(t *testing.T) {
	const root = "/usr/share/doc/gnuplot/htmldocs"
	if _, err := os.Stat(root + "/index.html"); err != nil {
		t.Skip("gnuplot-doc is not installed")
	}
	c := ambletest.Crawler(t, http.FileServer(http.Dir(root)))
	c.Budget.Pages = amble.Unlimited
	c.Analyzers = []amble.Analyzer{tech.New()}
	certainty := make(map[string]amble.Certainty)
	for _, r := range c.Analyzers[0].Rules() {
		certainty[r.ID] = r.Certainty
	}
	r := ambletest.Run(t, c, "/")
	count, example := make(map[string]int), make(map[string]amble.Finding)
	add := func(f amble.Finding) {
		key := certainty[f.Rule].String() + " " + f.Rule
		if count[key] == 0 {
			example[key] = f
		}
		count[key]++
		if os.Getenv("AMBLE_LIST") == f.Rule {
			t.Log(f.URL, f.Line, f.Target, f.Message)
		}
	}
	for _, p := range r.Pages {
		for _, f := range p.Findings {
			add(f)
		}
	}
	for _, f := range r.Summary.SiteFindings {
		add(f)
	}
	for key, n := range count {
		if id, ok := strings.CutPrefix(key, "issue "); ok && !slices.Contains(rightOnGnuplot, id) {
			t.Errorf("called an issue and not looked at: %s %+v", id, example[key])
		}
		t.Logf("%5d %s: %s %s %q line %d: %s", n, key, example[key].URL, example[key].Target, example[key].Snippet, example[key].Line, example[key].Message)
	}
}

// rightOnGnuplot: the navigation at the top of the pages and that at the bottom give the same ids to their links, against
// HTML standard 3.2.6.
var rightOnGnuplot = []string{"duplicate-id"}
