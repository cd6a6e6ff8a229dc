package seo_test

import (
	"fmt"
	"hash/fnv"
	"html"
	"maps"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/amblecrawl/amble"
	"github.com/amblecrawl/amble/ambletest"
	"github.com/amblecrawl/amble/analyze/seo"
)

// A seeded site is a file of blocks, each a page, parted by lines that begin with "=== ". Behind the path may stand
// "nolink" (the home page does not link to it) and "nosm" (the sitemap does not list it). A page is right in every way,
// with a text of its own, but for the lines of its block:
//
//	title: desc: h1: lang: canonical:   another value; with a value of "-" none at all
//	head: body:                         HTML added there
//	header: Name: value                 a header
//	status: 404   location: /x          another answer
//	like: /other N                      the text of another page, N words changed; words: N  a text of N words
//	html: …                             the whole page
//
// Expectations stand in the HTML: <!-- want "rule" "rule" -->. They name what is reported for that URL, no more, no less.
type seedPage struct {
	path, title, desc, h1, lang, canonical string
	head, body, html                       string
	status                                 int
	header                                 http.Header
	text                                   string
	nolink, nosm                           bool
}

var wantPattern = regexp.MustCompile(`<!-- want ([^>]*) -->`)

func vocabulary(path string, n int) []string {
	h := fnv.New64a()
	h.Write([]byte(path))
	x := h.Sum64()
	out := make([]string, n)
	for i := range out {
		var b strings.Builder
		for range 3 {
			x = x*6364136223846793005 + 1442695040888963407
			b.WriteByte("bcdfglmnprst"[x>>33%12])
			b.WriteByte("aeiou"[x>>43%5])
		}
		out[i] = b.String()
	}
	return out
}

func readSite(t testing.TB, name string) []*seedPage {
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	var pages []*seedPage
	for _, block := range regexp.MustCompile(`(?m)^=== `).Split(string(data), -1)[1:] {
		head, rest, _ := strings.Cut(block, "\n")
		fields := strings.Fields(head)
		path := fields[0]
		words := vocabulary(path, 230)
		p := &seedPage{path: path, status: 200, header: http.Header{}, lang: "en", canonical: "https://site.test" + path,
			title: "A page of the seeded site: " + words[0] + " " + words[1],
			desc:  "This page of the seeded site describes " + strings.Join(words[2:8], " ") + " for whoever wants to know more.",
			h1:    "All about " + words[0] + " and " + words[2]}
		p.nolink, p.nosm = slices.Contains(fields, "nolink"), slices.Contains(fields, "nosm")
		for line := range strings.SplitSeq(rest, "\n") {
			key, value, ok := strings.Cut(line, ":")
			value = strings.TrimSpace(value)
			if !ok || strings.HasPrefix(line, "#") {
				continue
			}
			switch key {
			case "title":
				p.title = value
			case "desc":
				p.desc = value
			case "h1":
				p.h1 = value
			case "lang":
				p.lang = value
			case "canonical":
				p.canonical = value
			case "head":
				p.head += value + "\n"
			case "body":
				p.body += value + "\n"
			case "html":
				p.html += value + "\n"
			case "header":
				k, v, _ := strings.Cut(value, ":")
				p.header.Add(k, strings.TrimSpace(v))
			case "status":
				fmt.Sscan(value, &p.status)
			case "location":
				p.header.Set("Location", value)
			case "like":
				var other string
				var n int
				fmt.Sscan(value, &other, &n)
				words = vocabulary(other, 230)
				for i := range n {
					words[i*230/max(n, 1)] = "changed"
				}
			case "words":
				var n int
				fmt.Sscan(value, &n)
				words = words[:n]
			default:
				t.Fatalf("%s: unknown line %q", path, line)
			}
		}
		p.text = strings.Join(words, " ")
		pages = append(pages, p)
	}
	return pages
}

func (p *seedPage) render(links string) string {
	if p.html != "" {
		return p.html
	}
	var b strings.Builder
	b.WriteString("<!DOCTYPE html>\n<html")
	if p.lang != "-" {
		fmt.Fprintf(&b, " lang=%q", p.lang)
	}
	b.WriteString(">\n<head>\n<meta charset=\"utf-8\">\n")
	if p.title != "-" {
		fmt.Fprintf(&b, "<title>%s</title>\n", html.EscapeString(p.title))
	}
	if p.desc != "-" {
		fmt.Fprintf(&b, "<meta name=\"description\" content=\"%s\">\n", html.EscapeString(p.desc))
	}
	if p.canonical != "-" {
		fmt.Fprintf(&b, "<link rel=\"canonical\" href=\"%s\">\n", p.canonical)
	}
	if !strings.Contains(p.head, "og:") && !strings.Contains(p.head, "no-og") {
		b.WriteString("<meta property=\"og:title\" content=\"T\">\n<meta property=\"og:image\" content=\"https://site.test/i.png\">\n")
	}
	if !strings.Contains(p.head, "ld+json") && !strings.Contains(p.head, "no-data") {
		b.WriteString(`<script type="application/ld+json">{"@context":"https://schema.org","@type":"WebPage","name":"W"}</script>` + "\n")
	}
	b.WriteString(p.head + "</head>\n<body>\n")
	if p.h1 != "-" {
		fmt.Fprintf(&b, "<h1>%s</h1>\n", p.h1)
	}
	fmt.Fprintf(&b, "<p>%s</p>\n%s<footer>%s</footer>\n</body>\n</html>\n", p.text, p.body, links)
	return b.String()
}

// seededSite serves the pages of a file, with a home page that links to them and a sitemap that lists them.
func seededSite(pages []*seedPage, robots, extraEntries string) (http.Handler, map[string][]string) {
	site := ambletest.NewSite()
	want := make(map[string][]string)
	var list, entries strings.Builder
	for _, p := range pages {
		if !p.nolink {
			fmt.Fprintf(&list, "<a href=\"%s\">The page %s</a>\n", p.path, p.path)
		}
		if !p.nosm {
			fmt.Fprintf(&entries, "<url><loc>https://site.test%s</loc></url>\n", html.EscapeString(p.path))
		}
	}
	expect := func(url, body string) {
		for _, m := range wantPattern.FindAllStringSubmatch(body, -1) {
			for _, w := range strings.Fields(m[1]) {
				want[url] = append(want[url], strings.Trim(w, `"`))
			}
		}
	}
	for _, p := range pages {
		links := `<a href="/">The home page</a>`
		if p.path == "/" {
			links = list.String()
		}
		body := p.render(links)
		expect("https://site.test"+p.path, body)
		site.Handle(p.path, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			maps.Copy(w.Header(), p.header)
			w.WriteHeader(p.status)
			fmt.Fprint(w, body)
		}))
	}
	sitemap := `<?xml version="1.0" encoding="UTF-8"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">` + "\n" + entries.String() + extraEntries + "</urlset>\n"
	expect("https://site.test/sitemap.xml", sitemap)
	site.Serve("/sitemap.xml", "application/xml", sitemap)
	expect("https://site.test/robots.txt", robots)
	site.Robots(robots)
	return site, want
}

// compare checks the findings against the expectations, and returns how many were found, missed and false.
func compare(t *testing.T, r *ambletest.Result, want map[string][]string) (found, missed, wrong int) {
	t.Helper()
	got := make(map[string]map[string]bool)
	add := func(f amble.Finding) {
		if got[f.URL] == nil {
			got[f.URL] = make(map[string]bool)
		}
		got[f.URL][f.Rule] = true
		if f.Message == "" || f.Fingerprint == "" {
			t.Errorf("%s on %s has no message or fingerprint: %+v", f.Rule, f.URL, f)
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
	for url, rules := range want {
		for _, rule := range rules {
			if got[url][rule] {
				found++
			} else {
				missed++
				t.Errorf("missed: %s on %s", rule, url)
			}
		}
	}
	for url, rules := range got {
		for rule := range rules {
			if !slices.Contains(want[url], rule) {
				wrong++
				t.Errorf("false: %s on %s", rule, url)
			}
		}
	}
	return found, missed, wrong
}

// TestSeededSiteIsJudgedExactly crawls a site in which each fault is planted once, beside twins that look like it and
// are right: every fault is found, nothing else is.
func TestSeededSiteIsJudgedExactly(t *testing.T) {
	pages := readSite(t, "testdata/site.txt")
	robots, err := os.ReadFile("testdata/robots.txt")
	if err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadFile("testdata/entries.xml")
	if err != nil {
		t.Fatal(err)
	}
	handler, want := seededSite(pages, string(robots), string(entries))
	c := ambletest.Crawler(t, handler)
	c.Discover = amble.DiscoverLinks | amble.DiscoverSitemaps
	c.GiveUpAfter = amble.Unlimited
	c.Workers = 2
	c.Analyzers = []amble.Analyzer{seo.New(c.Agent)}
	r := ambletest.Run(t, c, "/")
	found, missed, wrong := compare(t, r, want)
	seen := make(map[string]bool)
	for _, rules := range want {
		for _, rule := range rules {
			seen[rule] = true
		}
	}
	var unseeded []string
	for _, rule := range c.Analyzers[0].Rules() {
		if !seen[rule.ID] {
			unseeded = append(unseeded, rule.ID)
		}
	}
	slices.Sort(unseeded)
	// Faults that a whole site either has or has not are in TestSiteFiles, the other two in tests of their own.
	elsewhere := []string{"link-too-many", "missing-page-found", "no-response", "robots-no-sitemap", "robots-not-text", "robots-too-big", "robots-unreachable", "sitemap-invalid", "sitemap-lastmod-equal", "sitemap-outside-path", "sitemap-too-big", "sitemap-unreachable"}
	if !slices.Equal(unseeded, elsewhere) {
		t.Errorf("rules without a seeded fault: %v, want %v", unseeded, elsewhere)
	}
	t.Logf("%d pages, %d rules seeded, %d faults found, %d missed, %d false", len(pages), len(seen), found, missed, wrong)
}
