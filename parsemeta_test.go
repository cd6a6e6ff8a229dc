package amble

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"testing"
	"time"
)

func metaOf(t testing.TB, page string, header http.Header, tokens ...string) *Meta {
	t.Helper()
	u, err := url.Parse("https://www.example.test/dir/page")
	if err != nil {
		t.Fatal(err)
	}
	return ParseMeta([]byte(page), u, header, tokens, time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC))
}

func TestMetaHeadersAndTagsAddUpC6(t *testing.T) {
	m := metaOf(t, `<!DOCTYPE html><html lang=pt><head><base href=/b/><title>T</title><meta name=description content=D>
		<link rel=canonical href=c><link rel=alternate hreflang=de href=de><meta http-equiv=refresh content="5;url=x">
		<meta property=og:title content=O><meta name=twitter:card content=summary></head><h1> One  h1 </h1>
		<a href=in#frag>in</a><a href=https://other.test/ rel="ugc">out</a><a href=mailto:x>m</a>
		<script type=application/ld+json>{"@type":"Article"}</script><script type=application/ld+json>{</script>`,
		http.Header{
			"Content-Type": {"text/html; charset=utf-8"},
			"Link":         {`<c>; rel=canonical, </fr>; rel=alternate; hreflang=fr, </s>; rel=canonical; anchor="#a"`},
			"Refresh":      {"0; url=/now"},
		})
	if m.Title != "T" || m.Description != "D" || !slices.Equal(m.H1, []string{"One h1"}) || m.Lang != "pt" || m.Charset != "UTF-8" {
		t.Errorf("got %+v", m)
	}
	canonicals := []Canonical{
		{Href: "c", URL: "https://www.example.test/dir/c", Header: true},
		{Href: "c", URL: "https://www.example.test/b/c", Head: true},
	}
	if !slices.Equal(m.Canonicals, canonicals) {
		t.Errorf("canonicals %+v", m.Canonicals)
	}
	if len(m.Alternates) != 2 || m.Alternates[0].Lang != "fr" || m.Alternates[1].URL != "https://www.example.test/b/de" {
		t.Errorf("alternates %+v", m.Alternates)
	}
	if m.Internal != 1 || m.External != 1 || m.Nofollow != 1 || len(m.Links) != 3 {
		t.Errorf("links %+v: %d internal, %d external, %d nofollow", m.Links, m.Internal, m.External, m.Nofollow)
	}
	if l := m.Links[0]; l.URL != "https://www.example.test/b/in" || l.Fragment != "frag" || l.Text != "in" {
		t.Errorf("link %+v", l)
	}
	if m.Refresh == nil || !m.Refresh.Header || m.Refresh.URL != "https://www.example.test/now" {
		t.Errorf("refresh %+v", m.Refresh)
	}
	if !slices.Equal(m.Data, []DataType{{"json-ld", "Article"}}) || m.InvalidData != 1 || len(m.Problems) != 1 {
		t.Errorf("data %+v, problems %q", m.Data, m.Problems)
	}
	if m.Social["og:title"] != "O" || m.Social["twitter:card"] != "summary" {
		t.Errorf("social %v", m.Social)
	}
}

func TestDirectivesAddressedToOurTokensCountC12(t *testing.T) {
	page := `<!DOCTYPE html><meta name=cmskitebot content=nofollow><meta name=otherbot content=noindex>`
	header := http.Header{"X-Robots-Tag": {"googlebot: noindex", "cmskitebot: noindex, nosnippet"}}
	m := metaOf(t, page, header, "CMSKiteBot")
	if !m.Robots.NoIndex || !m.Robots.NoFollow || !slices.Equal(m.Robots.Names, []string{"nofollow", "noindex", "nosnippet"}) {
		t.Errorf("got %+v", m.Robots)
	}
	var from []string
	for _, s := range m.Robots.From {
		from = append(from, s.Name+" in "+s.Tag.Name+": "+s.Tag.Value)
	}
	want := []string{
		"noindex in X-Robots-Tag: cmskitebot: noindex, nosnippet", "nosnippet in X-Robots-Tag: cmskitebot: noindex, nosnippet",
		"nofollow in cmskitebot: nofollow",
	}
	if !slices.Equal(from, want) {
		t.Errorf("from %q", from)
	}
	if m := metaOf(t, page, header, "AnotherCrawler"); m.Robots.NoIndex || m.Robots.NoFollow {
		t.Errorf("another crawler: %+v", m.Robots)
	}
}

func TestUnavailableAfterInThePastIsNoindexC12(t *testing.T) {
	for value, want := range map[string]bool{"2026-05-31": true, "2026-06-02": false, "whenever": false} {
		m := metaOf(t, "", http.Header{"X-Robots-Tag": {"unavailable_after: " + value}})
		if m.Robots.NoIndex != want {
			t.Errorf("%s: NoIndex %v", value, m.Robots.NoIndex)
		}
	}
}

func ExampleParseMeta() {
	u, _ := url.Parse("https://www.example.test/dir/")
	page := `<!DOCTYPE html><title>Hello</title><meta name=robots content=noindex><a href=../other>next</a>`
	m := ParseMeta([]byte(page), u, http.Header{"Content-Type": {"text/html; charset=utf-8"}}, []string{"AmbleBot"}, time.Now())
	fmt.Println(m.Title, m.Charset, m.Robots.NoIndex, m.Links[0].URL)
	// Output: Hello UTF-8 true https://www.example.test/other
}

func BenchmarkParseMeta(b *testing.B) {
	var page []byte
	page = append(page, `<!DOCTYPE html><html lang=en><head><meta charset=utf-8><title>T</title></head><body>`...)
	for i := range 60 {
		page = fmt.Appendf(page, `<div class="item"><h2>Heading %d</h2><p>Some text of a paragraph, with <b>bold</b> words and a
			<a class="link" href="/section/page-%d.html">link to page %d</a> that goes on for a while, as text does.</p></div>`, i, i, i)
	}
	u, _ := url.Parse("https://www.example.test/dir/")
	header := http.Header{"Content-Type": {"text/html; charset=utf-8"}}
	b.SetBytes(int64(len(page)))
	b.ReportAllocs()
	for b.Loop() {
		ParseMeta(page, u, header, nil, time.Time{})
	}
}
