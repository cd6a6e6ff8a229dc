package sitemapxml_test

import (
	"fmt"
	"strings"

	"github.com/amblecrawl/amble/internal/sitemapxml"
)

func ExampleScanner() {
	file := `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
<url><loc>https://example.com/one</loc><lastmod>2025-03-04</lastmod></url>
<url><loc>https://example.com/two?a=1&b=2</loc></url>
<url><loc>https://elsewhere.example/</loc></url>
</urlset>`
	s := sitemapxml.NewScanner(strings.NewReader(file), sitemapxml.Options{URL: "https://example.com/sitemap.xml"})
	for entry := range s.Entries() {
		fmt.Println(entry.Loc, entry.LastMod.Year())
	}
	for _, p := range s.Problems() {
		fmt.Printf("line %d: %s: %s\n", p.Line, p.Kind, p.Detail)
	}
	// Output:
	// https://example.com/one 2025
	// https://example.com/two?a=1&b=2 1
	// line 3: xml: '&' not written as &amp;
	// line 4: other-host: https://elsewhere.example/
}
