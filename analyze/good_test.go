package analyze_test

import (
	"bufio"
	"fmt"
	"maps"
	"net/http"
	"net/textproto"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/amblecrawl/amble"
	"github.com/amblecrawl/amble/ambletest"
	"github.com/amblecrawl/amble/analyze/a11y"
	"github.com/amblecrawl/amble/analyze/links"
	"github.com/amblecrawl/amble/analyze/seo"
	"github.com/amblecrawl/amble/analyze/tech"
)

type goodPage struct {
	header http.Header
	body   string
}

// readGood reads pages by their URL.
func readGood(t *testing.T, name string) map[string]goodPage {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	pages := make(map[string]goodPage)
	for _, block := range regexp.MustCompile(`(?m)^=== `).Split(string(data), -1)[1:] {
		url, rest, _ := strings.Cut(block, "\n")
		r := bufio.NewReader(strings.NewReader(rest))
		header, err := textproto.NewReader(r).ReadMIMEHeader()
		if err != nil {
			t.Fatal(url, err)
		}
		var body strings.Builder
		if _, err := r.WriteTo(&body); err != nil {
			t.Fatal(err)
		}
		pages[url] = goodPage{http.Header(header), body.String()}
	}
	return pages
}

// TestGoodPagesHaveNoIssue crawls sites in many right and modern styles. No rule may call anything there an issue, and no
// rule of accessibility a failure.
func TestGoodPagesHaveNoIssue(t *testing.T) {
	pages := readGood(t, "testdata/good.txt")
	c := ambletest.Crawler(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p, ok := pages["https://"+r.Host+r.URL.RequestURI()]
		if !ok && strings.HasSuffix(r.URL.Path, ".txt") || !ok && strings.HasSuffix(r.URL.Path, ".xml") {
			http.NotFound(w, r)
			return
		}
		if !ok {
			w.Header().Set("Content-Type", "application/octet-stream")
			return
		}
		maps.Copy(w.Header(), p.header)
		fmt.Fprint(w, p.body)
	}))
	c.Discover = amble.DiscoverLinks | amble.DiscoverSitemaps
	c.Links = &amble.LinkCheck{RetryAfter: time.Millisecond}
	c.Analyzers = []amble.Analyzer{seo.New(c.Agent), tech.New(), &a11y.Analyzer{}, &links.Analyzer{}}
	rules := make(map[string]*amble.Rule)
	for _, a := range c.Analyzers {
		for _, r := range a.Rules() {
			rules[r.ID] = &r
		}
	}
	r := ambletest.Run(t, c, "https://site.test/", "https://bücher.test/")
	analysed := 0
	judge := func(f amble.Finding) {
		if rules[f.Rule] == nil {
			t.Errorf("no rule %s", f.Rule)
			return
		}
		if f.Result == amble.Failed && rules[f.Rule].Certainty == amble.Issue {
			t.Errorf("%s on %s %s: %s (%s)", f.Rule, f.URL, f.Target, f.Message, f.Snippet)
		}
	}
	for _, p := range r.Pages {
		if p.Outcome == amble.OutcomeAnalysed {
			analysed++
		}
		for _, f := range p.Findings {
			judge(f)
		}
	}
	for _, f := range r.Summary.SiteFindings {
		judge(f)
	}
	if analysed < 20 {
		t.Errorf("only %d pages were analysed", analysed)
	}
}
