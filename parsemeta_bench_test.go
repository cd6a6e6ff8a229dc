package amble

import (
	"bytes"
	"net/http"
	"net/url"
	"os"
	"slices"
	"syscall"
	"testing"
	"time"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/amblecrawl/amble/internal/realsite"
)

// bare takes title, metas, links and headings off the tokenizer of x/net, with no regard to what a browser would see, and
// resolves nothing. It is what ParseMeta is measured against.
func bare(page []byte) (found int) {
	z := html.NewTokenizer(bytes.NewReader(page))
	var keep []string
	inTitle, inH1 := false, false
	for {
		switch z.Next() {
		case html.ErrorToken:
			return len(keep)
		case html.TextToken:
			if inTitle || inH1 {
				keep = append(keep, string(z.Text()))
			}
		case html.EndTagToken:
			inTitle, inH1 = false, false
		case html.StartTagToken, html.SelfClosingTagToken:
			name, more := z.TagName()
			switch atom.Lookup(name) {
			case atom.Title:
				inTitle = true
			case atom.H1:
				inH1 = true
			case atom.A, atom.Area, atom.Link, atom.Meta, atom.Html, atom.Base, atom.Script:
				for more {
					var key, value []byte
					key, value, more = z.TagAttr()
					switch string(key) {
					case "href", "rel", "name", "content", "lang", "type", "hreflang", "property", "http-equiv":
						keep = append(keep, string(value))
					}
				}
			}
		}
	}
}

// BenchmarkParseMetaDocumentation reads real documentation with ParseMeta and with the bare extractor in turn, and tells
// how many bytes per CPU second the first reads for one of the second: the median of all rounds.
func BenchmarkParseMetaDocumentation(b *testing.B) {
	pages, _ := realsite.Pages(60)
	if len(pages) == 0 {
		b.Skip("no documentation on this machine")
	}
	size := 0
	for _, p := range pages {
		size += len(p)
	}
	u, _ := url.Parse("https://www.example.test/doc/page.html")
	header := http.Header{"Content-Type": {"text/html; charset=utf-8"}}
	cpu := func(f func(page []byte)) time.Duration {
		before := processCPU()
		for _, p := range pages {
			f(p)
		}
		return processCPU() - before
	}
	var ours, theirs, ratios []float64
	for b.Loop() {
		m := cpu(func(p []byte) { ParseMeta(p, u, header, nil, time.Time{}) })
		t := cpu(func(p []byte) { bare(p) })
		ours, theirs = append(ours, m.Seconds()), append(theirs, t.Seconds())
		ratios = append(ratios, t.Seconds()/m.Seconds())
	}
	median := func(v []float64) float64 { slices.Sort(v); return v[len(v)/2] }
	b.ReportMetric(float64(size)/1e6/median(ours), "MB/cpu-s")
	b.ReportMetric(float64(size)/1e6/median(theirs), "bare-MB/cpu-s")
	b.ReportMetric(median(ratios), "ratio")
	b.ReportMetric(float64(len(pages)), "pages")
}

func processCPU() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(os.NewSyscallError("getrusage", err))
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
