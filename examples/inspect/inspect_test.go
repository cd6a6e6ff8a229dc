package main

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

var update = flag.Bool("update", false, "write the golden files anew")

const robotsText = `# comments are fine
User-agent: ExampleBot
Disallow: /basket/
Allow: /basket/help
Crawl-delay: 5

User-agent: *
Disalow: /typo/
Disallow: /*.pdf$
Rule without colon
Sitemap: https://example.com/sitemap.xml
Content-Usage: train-ai=n
`

const headText = "HTTP/1.1 429 Too Many Requests\r\nRetry-After: 120\r\nX-Robots-Tag: noindex\r\nX-Robots-Tag: otherbot: nofollow\r\n" +
	"Link: <https://example.com/c>; rel=\"canonical\"\r\nRefresh: 3; url=/next\r\n\r\n"

const pageText = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>A page</title>
<meta name="description" content="About it."><meta name="robots" content="max-snippet:20"><meta name="examplebot" content="nofollow, wrong">
<link rel="canonical" href="/page"><meta property="og:title" content="Shared">
<script type="application/ld+json">{"@context":"https://schema.org","@type":"Article"}</script></head>
<body><h1>A page</h1><a href="b?x=1#top">b</a><a href="https://other.example/" rel="nofollow">o</a></body></html>`

func TestAnswersAsTheGoldenFilesSay(t *testing.T) {
	now := time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC)
	for name, test := range map[string]struct {
		args string
		in   string
	}{
		"robots.txt":  {"robots - /basket/1 /basket/help /a.pdf https://example.com/?q", robotsText},
		"others.txt":  {"robots -agent OtherBot -google - /basket/1 /typo/x /a.pdf /a.pdf?x", robotsText},
		"robots.json": {"robots -json - /basket/1", robotsText},
		"url.txt":     {"url -base https://example.com/a/b ../c?q=ü //EXAMPLE.com:443/%7euser /x/./y#z http://[bad mailto:a@example.com", ""},
		"url.json":    {"url -json https://example.com", ""},
		"header.txt":  {"header", headText},
		"page.txt":    {"page -url https://example.com/dir/ -", pageText},
		"page.json":   {"page -json -url https://example.com/dir/ -", pageText},
	} {
		var out bytes.Buffer
		if err := run(strings.Fields(test.args), strings.NewReader(test.in), &out, now); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		golden := filepath.Join("testdata", name)
		if *update {
			if err := os.WriteFile(golden, out.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(out.Bytes(), want) {
			t.Errorf("%s differs; if that is meant, run go test -update\n%s", golden, out.Bytes())
		}
	}
}

func TestCommandLineThatCannotWork(t *testing.T) {
	for _, args := range [][]string{{}, {"robots"}, {"page"}, {"url"}, {"other"}, {"robots", "-wrong"}, {"robots", "/no/such/file"}} {
		if err := run(args, strings.NewReader(""), &bytes.Buffer{}, time.Now()); err == nil {
			t.Errorf("%q was taken", args)
		}
	}
}
