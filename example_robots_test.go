package amble_test

import (
	"fmt"

	"github.com/amblecrawl/amble"
)

// A verdict names the line that decided it; what is wrong with the file is told apart.
func ExampleParseRobots() {
	file := amble.ParseRobots([]byte(`User-agent: ExampleAudit
Disallow: /basket/
Allow: /basket/help
Crawl-delay: 2

User-agent: *
Disalow: /
Sitemap: https://example.com/sitemap.xml
`), false)
	for _, u := range []string{"https://example.com/basket/1", "https://example.com/basket/help"} {
		v := file.Check(u, "ExampleAudit")
		fmt.Println(v.Allowed, v.Why())
	}
	delay, _ := file.CrawlDelay("ExampleAudit")
	fmt.Println(delay, file.Sitemaps()[0].Value)
	for _, p := range file.Problems() {
		fmt.Println("line", p.Line, p.Code, p.Detail)
	}
	// Output:
	// false robots.txt line 2: Disallow: /basket/ (user-agent: ExampleAudit)
	// true robots.txt line 3: Allow: /basket/help (user-agent: ExampleAudit)
	// 2s https://example.com/sitemap.xml
	// line 7 misspelt-key Disalow
}
