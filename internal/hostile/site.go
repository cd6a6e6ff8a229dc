package hostile

import (
	"crypto/md5"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
)

const sitemapOpen = `<?xml version="1.0" encoding="UTF-8"?>` + "\n" +
	`<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">` + "\n"

// sites misbehave in the files that speak for the whole site.
var sites = []Behaviour{
	{Name: "robots-endless", What: "a robots.txt without end, which is read to its limit and obeyed", Path: "/robots.txt", Harmless: true,
		serve: func(c *conn, r *http.Request) {
			_ = c.ok("Content-Type: text/plain") && c.send("User-agent: *\n") && c.flood("Disallow: /private\n", 0)
		}},
	{Name: "robots-drip", What: "a robots.txt a byte at a time: unreachable, so that nothing is crawled", Path: "/robots.txt", Site: true,
		serve: func(c *conn, r *http.Request) {
			if c.ok("Content-Type: text/plain") {
				c.drip("User-agent: *\nAllow: /\n")
			}
		}},
	{Name: "robots-long-line", What: "a robots.txt of one line without end", Path: "/robots.txt", Harmless: true,
		serve: func(c *conn, r *http.Request) {
			_ = c.ok("Content-Type: text/plain") && c.send("User-agent: *\nDisallow: /private") && c.flood("a", 0)
		}},
	{Name: "robots-redirect-loop", What: "a robots.txt that redirects to itself: never read, so that nothing is crawled", Path: "/robots.txt", Site: true,
		serve: redirect(func(s *Server, r *http.Request) string { return "/robots.txt" })},
	{Name: "sitemap-entities", What: "a sitemap with entities that would grow to a gigabyte, and one that names a file", Path: "/sitemap.xml",
		serve: func(c *conn, r *http.Request) {
			var b strings.Builder
			b.WriteString("<?xml version=\"1.0\"?>\n<!DOCTYPE urlset [<!ENTITY x SYSTEM \"file:///etc/passwd\"><!ENTITY e0 \"lol\">")
			for i := 1; i < 10; i++ {
				fmt.Fprintf(&b, "<!ENTITY e%d \"%s\">", i, strings.Repeat(fmt.Sprintf("&e%d;", i-1), 10))
			}
			b.WriteString("]>" + `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">`)
			for _, loc := range []string{"/next", "/&e9;", "/&x;"} {
				b.WriteString("<url><loc>http://" + r.Host + loc + "</loc></url>")
			}
			c.send("HTTP/1.1 200 OK\r\nContent-Type: application/xml\r\nContent-Length: %d\r\n\r\n%s", b.Len()+len("</urlset>"), b.String()+"</urlset>")
		}},
	{Name: "sitemap-million", What: "a sitemap of a million addresses", Path: "/sitemap.xml",
		serve: func(c *conn, r *http.Request) {
			if !c.ok("Content-Type: application/xml") || !c.send("%s", sitemapOpen) {
				return
			}
			for i := 0; i < 1_000_000; i += 1000 {
				var b strings.Builder
				for j := range 1000 {
					fmt.Fprintf(&b, "<url><loc>http://%s/page/%d</loc></url>\n", r.Host, i+j)
				}
				if !c.send("%s", b.String()) {
					return
				}
			}
			c.send("</urlset>")
		}},
	bomb("sitemap-bomb", "/sitemap.xml", "gzip", sitemapOpen, gzipWriter),
	{Name: "sitemap-comment", What: "a sitemap with a comment without end", Path: "/sitemap.xml",
		serve: func(c *conn, r *http.Request) {
			_ = c.ok("Content-Type: application/xml") && c.send(sitemapOpen+"<!--") && c.flood(" more", 0)
		}},
	{Name: "sitemap-self-index", What: "an index that lists itself", Path: "/sitemap.xml",
		serve: indexOf(func(r *http.Request) []string { return []string{"/sitemap.xml", "/sitemap.xml?again"} })},
	{Name: "sitemap-endless-nesting", What: "indexes of indexes without end", Path: "/sitemap.xml",
		serve: indexOf(func(r *http.Request) []string {
			var below []string
			for i := range 100 {
				below = append(below, fmt.Sprintf("%s/%d", r.URL.Path, i))
			}
			return below
		})},
	{Name: "sitemap-drip", What: "a sitemap a byte at a time", Path: "/sitemap.xml",
		serve: func(c *conn, r *http.Request) {
			if c.ok("Content-Type: application/xml") && c.send("%s", sitemapOpen) {
				c.drip("<!-- -->")
			}
		}},
}

func indexOf(paths func(r *http.Request) []string) func(*conn, *http.Request) {
	return func(c *conn, r *http.Request) {
		var b strings.Builder
		b.WriteString(strings.Replace(sitemapOpen, "urlset", "sitemapindex", 1))
		for _, path := range paths(r) {
			fmt.Fprintf(&b, "<sitemap><loc>http://%s%s</loc></sitemap>", r.Host, path)
		}
		b.WriteString("</sitemapindex>")
		c.send("HTTP/1.1 200 OK\r\nContent-Type: application/xml\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s", b.Len(), b.String())
	}
}

// traps are sites of ordinary pages that never end. Each page is in order; the crawl must end with a reason.
var traps = []Behaviour{
	{Name: "trap-calendar", What: "a calendar with a next month for ever", Path: "/bad", Harmless: true,
		page: func(r *http.Request) string {
			var year, month int
			if _, err := fmt.Sscanf(r.URL.Query().Get("m"), "%d-%d", &year, &month); err != nil {
				year, month = 2026, 1
			}
			before, after := year*12+month-2, year*12+month
			return page(fmt.Sprintf(`<a href="/bad?m=%04d-%02d">before</a> <a href="/bad?m=%04d-%02d">after</a>`,
				before/12, before%12+1, after/12, after%12+1))
		}},
	{Name: "trap-session", What: "a new session id in every link", Path: "/bad", Harmless: true,
		page: func(r *http.Request) string {
			// The ids follow from the one that was asked with, so that a run can be repeated.
			id := []byte(r.URL.Query().Get("sid"))
			var b strings.Builder
			for _, path := range []string{"/bad", "/bad/a", "/bad/b"} {
				next := md5.Sum(append(id, path...))
				fmt.Fprintf(&b, `<a href="%s?sid=%x">x</a> `, path, next)
			}
			return page(b.String())
		}},
	{Name: "trap-path-repeat", What: "relative links that make paths longer and longer", Path: "/bad", Harmless: true,
		page: func(r *http.Request) string {
			return page(`<base href="` + r.URL.Path + `/"><a href="a/b">deeper</a> <a href="a/b/a/b">deeper still</a>`)
		}},
	{Name: "trap-facets", What: "filters that can be combined in any order", Path: "/bad", Harmless: true,
		page: func(r *http.Request) string {
			var b strings.Builder
			query := r.URL.RawQuery
			for _, facet := range []string{"colour=red", "size=l", "sort=price", "brand=x", "page=2", "view=list"} {
				fmt.Fprintf(&b, `<a href="/bad?%s&amp;%s">%s</a> `, strings.ReplaceAll(query, "&", "&amp;"), facet, facet)
			}
			return page(b.String())
		}},
	{Name: "trap-wide", What: "a page with 200,000 links", Path: "/bad", Harmless: true,
		page: once(func() string {
			var b []byte
			for i := range 200_000 {
				b = append(strconv.AppendInt(append(b, "<a href=/w/"...), int64(i), 10), ">x</a>"...)
			}
			return page(string(b))
		})},
}

// pages are documents that cost far more than they weigh.
var pages = []Behaviour{
	{Name: "deep-html", What: "100,000 nested elements", Path: "/bad", page: markup(strings.Repeat("<div>", 100_000))},
	{Name: "body-attrs", What: "10,000 body tags with an attribute each: quadratic in most parsers", Path: "/bad",
		page: once(func() string {
			var b strings.Builder
			for i := range 10_000 {
				fmt.Fprintf(&b, "<body a%d=1>", i)
			}
			return page(b.String())
		})},
	{Name: "font-amplify", What: "300 open font elements that every paragraph opens again: nodes multiply", Path: "/bad",
		page: once(func() string {
			var b strings.Builder
			for i := range 300 {
				fmt.Fprintf(&b, "<font id=%d>", i)
			}
			return page("<p>" + b.String() + strings.Repeat("</p><p>x", 10_000))
		})},
	{Name: "attr-flood", What: "one element with 100,000 attributes", Path: "/bad",
		page: once(func() string {
			var b strings.Builder
			b.WriteString("<p")
			for i := range 100_000 {
				fmt.Fprintf(&b, " a%d=b", i)
			}
			return page(b.String() + ">x</p>")
		})},
	{Name: "entity-flood", What: "a million character references", Path: "/bad", page: markup(strings.Repeat("&amp;", 1_000_000/5))},
	{Name: "one-line-5MB", What: "5 MB without a line end", Path: "/bad", page: markup("<p>" + strings.Repeat("x", 5<<20))},
	{Name: "table-misnest", What: "20,000 tables that are never closed", Path: "/bad", page: markup(strings.Repeat("<table><tr><td>", 20_000))},
	{Name: "bad-utf8", What: "UTF-8 by its header, and bytes that are not", Path: "/bad", Harmless: true,
		page: markup("<p>caf\xe9 \xff\xfe \xed\xa0\x80 \xc0\xaf</p>")},
	{Name: "content-type-lie", What: "text/html that is a picture", Path: "/bad",
		page: once(func() string {
			return "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR" + strings.Repeat("\x00\xff<a href=", 10_000)
		})},
	{Name: "ld-json-deep", What: "structured data nested 100,000 deep", Path: "/bad",
		page: markup(`<script type="application/ld+json">` + strings.Repeat(`{"a":[`, 100_000) + `</script>`)},
}

// once makes a page that is built at its first use.
func once(build func() string) func(*http.Request) string {
	built := sync.OnceValue(build)
	return func(*http.Request) string { return built() }
}

func markup(body string) func(*http.Request) string {
	return once(func() string { return page(body) })
}
