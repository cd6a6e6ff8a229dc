package analyze

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/amblecrawl/amble"
)

func findings(t testing.TB, page string, header http.Header) (ids []string, all []amble.Finding) {
	t.Helper()
	u, err := url.Parse("https://www.example.test/dir/")
	if err != nil {
		t.Fatal(err)
	}
	if header == nil {
		header = http.Header{}
	}
	header.Set("Content-Type", "text/html; charset=utf-8")
	p := &amble.Page{URL: u.String(), Meta: amble.ParseMeta([]byte(page), u, header, []string{"AmbleBot"}, time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC))}
	a := Metadata(amble.Agent{Name: "AmbleBot"})
	declared := map[string]bool{}
	for _, r := range a.Rules() {
		declared[r.ID] = true
	}
	err = a.Analyze(context.Background(), p, func(f amble.Finding) {
		if !declared[f.Rule] {
			t.Errorf("the rule %q is not declared", f.Rule)
		}
		ids = append(ids, f.Rule)
		all = append(all, f)
	})
	if err != nil {
		t.Fatal(err)
	}
	return ids, all
}

const good = `<!DOCTYPE html><html lang=en><head><title>T</title><meta name=description content=D>%s</head><body>%s<h1>H</h1>`

func TestMetadataRules(t *testing.T) {
	for name, c := range map[string]struct {
		head, body string
		header     http.Header
		want       []string
	}{
		"nothing wrong": {},
		"noindex":       {head: `<meta name=robots content=noindex>`, want: []string{"noindex"}},
		"none":          {header: http.Header{"X-Robots-Tag": {"amblebot: none"}}, want: []string{"noindex", "nofollow-page"}},
		"for others":    {header: http.Header{"X-Robots-Tag": {"otherbot: none"}}},
		"expired":       {header: http.Header{"X-Robots-Tag": {"unavailable_after: 2020-01-01"}}, want: []string{"noindex"}},
		"not expired":   {header: http.Header{"X-Robots-Tag": {"unavailable_after: 2030-01-01"}}},
		"malformed":     {head: `<meta name=robots content="max-snippet: lots">`, want: []string{"metadata-malformed"}},
		"two canonicals": {head: `<link rel=canonical href=/a><link rel=canonical href=/b>`,
			want: []string{"canonical-multiple"}},
		"one canonical twice": {head: `<link rel=canonical href=/a#x><link rel=canonical href=../a>`},
		"header disagrees": {head: `<link rel=canonical href=/a>`, header: http.Header{"Link": {"</b>; rel=canonical"}},
			want: []string{"canonical-conflict"}},
		"header agrees":     {head: `<link rel=canonical href=/a>`, header: http.Header{"Link": {"</a>; rel=canonical"}}},
		"empty canonical":   {head: `<link rel=canonical href="">`, want: []string{"canonical-invalid"}},
		"canonical in body": {body: `<link rel=canonical href=/a>`, want: []string{"canonical-outside-head"}},
		"head ended early":  {head: `<img src=x><link rel=canonical href=/a>`, want: []string{"canonical-outside-head", "head-broken"}},
		"two titles":        {head: `<title>U</title>`, want: []string{"title-multiple"}},
		"two descriptions":  {head: `<meta name=description content=E>`, want: []string{"description-multiple"}},
		"hreflang":          {head: `<link rel=alternate hreflang=en-UK href=/a>`, want: []string{"hreflang-invalid"}},
		"broken data":       {head: `<script type=application/ld+json>{</script>`, want: []string{"metadata-malformed"}},
	} {
		ids, _ := findings(t, fmt.Sprintf(good, c.head, c.body), c.header)
		if !slices.Equal(ids, c.want) {
			t.Errorf("%s: got %q, want %q", name, ids, c.want)
		}
	}
	ids, _ := findings(t, "<p>x", nil)
	if want := []string{"lang-missing", "title-missing", "description-missing", "h1-missing"}; !slices.Equal(ids, want) {
		t.Errorf("bare page: %q", ids)
	}
	if ids, _ := findings(t, `<html lang=en_US><title>x</title><meta name=description content=x><h1>x</h1>`, nil); !slices.Equal(ids, []string{"lang-invalid"}) {
		t.Errorf("language: %q", ids)
	}
}

func TestNoindexNamesItsLineC12(t *testing.T) {
	_, all := findings(t, fmt.Sprintf(good, "", ""), http.Header{"X-Robots-Tag": {"all", "AmbleBot: noindex"}})
	if len(all) != 1 || !strings.Contains(all[0].Message, `"AmbleBot: noindex"`) || !strings.Contains(all[0].Message, "amblebot") {
		t.Errorf("got %+v", all)
	}
}

func TestRulesAreComplete(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range Metadata(amble.Agent{}).Rules() {
		if r.ID == "" || seen[r.ID] || r.Title == "" || r.Explanation == "" || r.Fix == "" || r.Needs&amble.NeedMeta == 0 {
			t.Errorf("rule %+v", r)
		}
		seen[r.ID] = true
	}
}

func ExampleMetadata() {
	u, _ := url.Parse("https://www.example.test/")
	page := `<!DOCTYPE html><html lang=en><meta charset=utf-8><title>Home</title><meta name=description content=x><h1>Home</h1>`
	header := http.Header{"X-Robots-Tag": {"noindex"}}
	p := &amble.Page{Meta: amble.ParseMeta([]byte(page), u, header, nil, time.Now())}
	a := Metadata(amble.Agent{Name: "AmbleBot", InfoURL: "https://www.example.test/bot"})
	err := a.Analyze(context.Background(), p, func(f amble.Finding) { fmt.Println(f.Rule+":", f.Message) })
	fmt.Println(err)
	// Output:
	// noindex: For all robots the page must not be indexed: an X-Robots-Tag header says "noindex".
	// <nil>
}
