package robotstxt_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/amblecrawl/amble/internal/robotstxt"
)

// BenchmarkParseCorpus parses every real file. In turn with that it scans the same bytes for line ends and reports the
// ratio. Times are taken for a few dozen files at once, and the best of all rounds counts for each such batch: the
// machine's speed, and what else it is doing, fall out of the figures.
func BenchmarkParseCorpus(b *testing.B) {
	files := corpus(b)
	size := 0
	for _, f := range files {
		size += len(f.body)
	}
	for _, mode := range []robotstxt.Mode{robotstxt.RFC9309, robotstxt.Google} {
		b.Run(fmt.Sprintf("mode=%d", mode), func(b *testing.B) {
			b.ReportAllocs()
			batches := slices.Collect(slices.Chunk(files, 50))
			parses, scans := make([]time.Duration, len(batches)), make([]time.Duration, len(batches))
			for b.Loop() {
				for i, batch := range batches {
					start := time.Now()
					for j := range batch {
						robotstxt.Parse(batch[j].body, mode)
					}
					middle := time.Now()
					for j := range batch {
						countLines(batch[j].body)
					}
					best(&parses[i], middle.Sub(start))
					best(&scans[i], time.Since(middle))
				}
			}
			parse, scan := sum(parses), sum(scans)
			b.ReportMetric(parse.Seconds()/scan.Seconds(), "x-newline-scan")
			b.ReportMetric(float64(size)/parse.Seconds()/1e6, "parse-MB/s")
			b.ReportMetric(float64(size)/scan.Seconds()/1e6, "scan-MB/s")
			b.ReportMetric(float64(parse.Nanoseconds())/float64(len(files)), "parse-ns/file")
			total, most := 0.0, 0.0
			for i := range files {
				allocs := testing.AllocsPerRun(1, func() { robotstxt.Parse(files[i].body, mode) })
				total, most = total+allocs, max(most, allocs)
			}
			b.ReportMetric(total/float64(len(files)), "allocs/file")
			b.ReportMetric(most, "most-allocs/file")
		})
	}
}

// best keeps the shorter of two times.
func best(kept *time.Duration, took time.Duration) {
	if *kept == 0 || took < *kept {
		*kept = took
	}
}

func sum(times []time.Duration) (total time.Duration) {
	for _, t := range times {
		total += t
	}
	return total
}

// countLines is the least that any reader of lines does.
func countLines(body []byte) (lines int) {
	for {
		i := bytes.IndexByte(body, '\n')
		if i < 0 {
			return lines
		}
		lines++
		body = body[i+1:]
	}
}

// BenchmarkFor resolves a crawler's groups in every real file; the best round counts.
func BenchmarkFor(b *testing.B) {
	var files []*robotstxt.File
	for _, f := range corpus(b) {
		files = append(files, robotstxt.Parse(f.body, robotstxt.RFC9309))
	}
	b.ReportAllocs()
	var shortest time.Duration
	for b.Loop() {
		start := time.Now()
		for i := range files {
			files[i].For("ExampleBot")
		}
		best(&shortest, time.Since(start))
	}
	b.ReportMetric(float64(shortest.Nanoseconds())/float64(len(files)), "best-ns/file")
}

// BenchmarkCheckCorpus asks a few questions of every real file, each already resolved; the best round counts.
func BenchmarkCheckCorpus(b *testing.B) {
	var matchers []*robotstxt.Matcher
	for _, f := range corpus(b) {
		matchers = append(matchers, robotstxt.Parse(f.body, robotstxt.RFC9309).For("ExampleBot"))
	}
	urls := []string{
		"https://example.com/",
		"https://example.com/news/2024/05/some-article-title.html",
		"https://example.com/search?q=shoes&page=2&sort=price",
		"https://example.com/wp-content/uploads/2023/11/picture.jpg",
	}
	b.ReportAllocs()
	var shortest time.Duration
	for b.Loop() {
		start := time.Now()
		for i := range matchers {
			for j := range 16 {
				matchers[i].Check(urls[j%len(urls)])
			}
		}
		best(&shortest, time.Since(start))
	}
	b.ReportMetric(float64(shortest.Nanoseconds())/float64(16*len(matchers)), "best-ns/question")
}

// BenchmarkCheckTypical asks a shop's file about one page; a round is a thousand questions, and the best round counts.
func BenchmarkCheckTypical(b *testing.B) {
	matcher := robotstxt.Parse([]byte(typical), robotstxt.RFC9309).For("ExampleBot")
	for _, url := range []string{
		"https://example.com/",
		"https://example.com/products/green-shoes-size-44.html?color=green",
		"https://example.com/checkout/cart/add/product/1234",
		"https://example.com/k%C3%BCche/t%C3%B6pfe",
	} {
		b.Run(strings.ReplaceAll(url[len("https://example.com"):], "/", "|"), func(b *testing.B) {
			b.ReportAllocs()
			var shortest time.Duration
			for b.Loop() {
				start := time.Now()
				for range 1000 {
					matcher.Check(url)
				}
				best(&shortest, time.Since(start))
			}
			b.ReportMetric(float64(shortest.Nanoseconds())/1000, "best-ns/question")
		})
	}
}

const typical = `User-agent: *
Disallow: /admin/
Disallow: /checkout/
Disallow: /cart
Disallow: /customer/
Disallow: /search
Disallow: /*?sort=
Disallow: /*?*filter
Disallow: /*.pdf$
Disallow: /catalog/product_compare/
Disallow: /wishlist/
Disallow: /review/
Disallow: /sendfriend/
Disallow: /tag/
Disallow: /cgi-bin/
Disallow: /includes/
Disallow: /lib/
Disallow: /media/tmp/
Disallow: /pkginfo/
Disallow: /report/
Disallow: /var/
Allow: /media/
Allow: /checkout/help
Allow: /search/help$
Crawl-delay: 2

User-agent: BadBot
Disallow: /

Sitemap: https://example.com/sitemap.xml
`

// hostile are files made to be slow, each with the question that hurts.
func hostile() []struct{ name, body, url string } {
	repeat := strings.Repeat
	var literal, wild, agents, shared, manyGroups, nested, long, short strings.Builder
	long.WriteString("User-agent: *\n")
	short.WriteString("User-agent: *\n")
	for i := range 5500 {
		fmt.Fprintf(&long, "Disallow: /*%s%05d\n", repeat("a", 70), i)
	}
	for i := range 35000 {
		fmt.Fprintf(&short, "Allow: /*%c%c%c\n", 'a'+i%26, 'a'+i/26%26, 'a'+i/676)
	}
	literal.WriteString("User-agent: *\n")
	wild.WriteString("User-agent: *\n")
	nested.WriteString("User-agent: *\n")
	for i := range 20000 {
		fmt.Fprintf(&literal, "Disallow: /p%d\n", i*7)
		fmt.Fprintf(&wild, "Disallow: /*a*%d\n", i)
	}
	for i := range 100000 {
		fmt.Fprintf(&agents, "User-agent: a%d\n", i)
	}
	agents.WriteString("User-agent: *\nDisallow: /x\n")
	for i := range 8000 {
		fmt.Fprintf(&shared, "User-agent: bot-%d\n", i)
	}
	for i := range 8000 {
		fmt.Fprintf(&shared, "Disallow: /%d\n", i)
	}
	for range 16000 {
		manyGroups.WriteString("User-agent: *\nDisallow: /a\n")
	}
	for i := range 980 {
		nested.WriteString("Disallow: /" + repeat("a", i) + "\n")
	}
	return []struct{ name, body, url string }{
		{"40 wildcards", "User-agent: *\nDisallow: /" + repeat("*a", 40) + "b\n", "/" + repeat("a", 2000)},
		{"4000 wildcards", "User-agent: *\nDisallow: /" + repeat("*a", 4000) + "b\n", "/" + repeat("a", 8000)},
		{"wildcards with long pieces", "User-agent: *\nDisallow: /" + repeat("*"+repeat("a", 80)+"b", 100) + "\n", "/" + repeat(repeat("a", 81), 100)},
		{"20000 literal rules", literal.String(), "/p139993/x"},
		{"20000 wildcard rules", wild.String(), "/" + repeat("abc1", 110)},
		{"5500 wildcards before long pieces", long.String(), "/" + repeat("a", 1990) + "0123x"},
		{"35000 wildcards before short pieces", short.String(), "/" + repeat("a", 2000)},
		{"100000 user agents", agents.String(), "/x"},
		{"8000 agents, 8000 rules", shared.String() + "User-agent: *\nDisallow: /x\n", "/x"},
		{"16000 groups of one", manyGroups.String(), "/b"},
		{"nested prefixes", nested.String(), "/" + repeat("a", 2000)},
		{"one line", "Disallow: /" + repeat("a", 500<<10), "/a"},
		{"only CR", repeat("Allow: /a\r", 50<<10), "/a"},
		{"only LF", repeat("\n", 500<<10), "/a"},
		{"only NUL", repeat("\x00", 500<<10), "/a"},
		{"only comments", repeat("#\r\n", 170<<10), "/a"},
		{"shortest rules", "user-agent:*\n" + repeat("allow:*\n", 64000), "/a"},
		{"escapes", "user-agent:*\n" + repeat("allow:/\xff\xff\xff%7e%2f*$\n", 22000), "/%7e%7e%7e%2f"},
		{"dollars and stars", "user-agent:*\nallow:/" + repeat("*$", 8000) + "\n", "/" + repeat("$", 16000)},
	}
}

// BenchmarkHostile parses each hostile file, resolves a crawler, and asks one question.
func BenchmarkHostile(b *testing.B) {
	for _, h := range hostile() {
		body := []byte(h.body)
		b.Run(strings.ReplaceAll(h.name, " ", "-")+"/parse", func(b *testing.B) {
			b.SetBytes(int64(len(body)))
			b.ReportAllocs()
			for b.Loop() {
				robotstxt.Parse(body, robotstxt.RFC9309)
			}
		})
		file := robotstxt.Parse(body, robotstxt.RFC9309)
		b.Run(strings.ReplaceAll(h.name, " ", "-")+"/for", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				file.For("bot-77")
			}
		})
		matcher := file.For("bot-77")
		b.Run(strings.ReplaceAll(h.name, " ", "-")+"/check", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				matcher.Check(h.url)
			}
		})
	}
}
