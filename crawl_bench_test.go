package amble

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// benchPage is a page of about 20 KB with 60 links, as a site's templates make them.
func benchPage(i, n int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>Page %d of the test site</title>\n", i)
	fmt.Fprintf(&b, "<meta name=\"description\" content=\"The page number %d.\">\n<link rel=\"canonical\" href=\"/p/%d\">\n", i, i)
	b.WriteString("<script type=\"application/ld+json\">{\"@context\":\"https://schema.org\",\"@type\":\"WebPage\"}</script>\n</head><body><h1>A page</h1>\n")
	for k := range 60 {
		fmt.Fprintf(&b, "<div class=\"item\"><h2>Section %d</h2><p class=\"text\">Some text with <b>bold</b> and <i>italic</i> words in it, enough of them to make a line, "+
			"and a second sentence that says nothing new. <a href=\"/p/%d\" class=\"more\">read more of it</a></p></div>\n", k, (i*61+k*7+1)%n)
	}
	b.WriteString("</body></html>\n")
	return b.String()
}

// BenchmarkCrawl crawls a site in process with every gate on and no waits; one iteration is one page.
func BenchmarkCrawl(b *testing.B) {
	const n = 2000
	bodies := make([][]byte, n)
	for i := range bodies {
		bodies[i] = []byte(benchPage(i, n))
	}
	fetch := FetcherFunc(func(_ context.Context, req *Request) (*Response, error) {
		if req.URL.Path == "/robots.txt" {
			return &Response{URL: req.URL, Status: 404, Header: http.Header{}}, nil
		}
		var i int
		fmt.Sscanf(req.URL.Path, "/p/%d", &i)
		return &Response{URL: req.URL, Status: 200, Header: http.Header{"Content-Type": {"text/html; charset=utf-8"}}, Body: bodies[i]}, nil
	})
	b.ReportAllocs()
	b.SetBytes(int64(len(bodies[0])))
	for pages := 0; pages < b.N; {
		c := &Crawler{Agent: testAgent, Fetcher: fetch, Limiter: fast(), Budget: Budget{Pages: min(n, b.N-pages)}}
		for p, err := range c.Pages(context.Background(), "https://site.test/p/0") {
			if err != nil {
				b.Fatal(err)
			}
			if p.Outcome == OutcomeAnalysed {
				pages++
			}
		}
	}
}
