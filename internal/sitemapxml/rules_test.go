package sitemapxml

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"golang.org/x/text/encoding/unicode"
)

const (
	open  = `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">`
	home  = "https://www.example.com/"
	here  = home + "sitemap.xml"
	close = `</urlset>`
)

var now = time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC)

// read returns the paths of the entries (other hosts whole) and the kinds of the problems, each in order.
func read(body string, o Options) (s *Scanner, locs, kinds string) {
	if o.Now.IsZero() {
		o.Now = now
	}
	s = NewScanner(strings.NewReader(body), o)
	var got []string
	for e := range s.Entries() {
		got = append(got, strings.TrimPrefix(e.Loc.String(), home))
	}
	var found []string
	for _, p := range s.Problems() {
		found = append(found, string(p.Kind))
	}
	return s, strings.Join(got, " "), strings.Join(found, " ")
}

func urls(locs ...string) string {
	var b strings.Builder
	b.WriteString(open)
	for _, loc := range locs {
		b.WriteString("<url><loc>" + loc + "</loc></url>\n")
	}
	b.WriteString(close)
	return b.String()
}

func pack(body string) string {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	io.WriteString(z, body)
	z.Close()
	return b.String()
}

func encode(order unicode.Endianness, bom unicode.BOMPolicy, body string) string {
	s, err := unicode.UTF16(order, bom).NewEncoder().String(body)
	if err != nil {
		panic(err)
	}
	return s
}

func TestRules(t *testing.T) {
	at := func(u string) Options { return Options{URL: u} }
	typed := func(contentType string) Options { return Options{URL: here, ContentType: contentType} }
	tests := []struct {
		rule        string
		body        string
		o           Options
		format      Format
		locs, kinds string
	}{
		// Markup that is not well-formed.
		{"raw ampersands, once a file", urls(home+"?a&b", home+"?c&d", home+"?e&amp;f"), at(here), URLSet, "?a&b ?c&d ?e&f", "xml"},
		{"an ampersand that looks like an entity", urls(home + "?a=1&copy=2"), at(here), URLSet, "?a=1&copy=2", "xml"},
		{"an undefined entity drops its entry only", urls(home+"a&eacute;", home+"b"), at(here), URLSet, "b", "xml"},
		{"character references", urls(home + "&#x61;&#98;&#99;"), at(here), URLSet, "abc", ""},
		{"a reference to no character", urls(home+"&#0;", home+"&#x110000;", home+"&#;", home+"b"), at(here), URLSet, "b", "xml"},
		{"entities in other elements do not matter", open + "<url><loc>" + home + "a</loc><note>&nbsp;</note></url>" + close, at(here), URLSet, "a", "xml"},
		{"a raw less-than", urls(home + "?a<1"), at(here), URLSet, "?a%3C1", "xml"},
		{"entry without its end tag", open + "<url><loc>" + home + "a</loc><url><loc>" + home + "b</loc></url>" + close, at(here), URLSet, "a b", "xml"},
		{"address without its end tag", open + "<url><loc>" + home + "a<lastmod>2025</lastmod></url>" + close, at(here), URLSet, "a", "xml"},
		{"an end tag too many", open + "</loc><url><loc>" + home + "a</loc></url>" + close, at(here), URLSet, "a", "xml"},
		{"root not closed", open + "<url><loc>" + home + "a</loc></url>", at(here), URLSet, "a", "truncated"},
		{"cut inside a tag", open + "<url><loc>" + home + "a</loc></url><url", at(here), URLSet, "a", "truncated"},
		{"cut inside a comment", open + "<url><loc>" + home + "a</loc></url><!-- ", at(here), URLSet, "a", "truncated"},
		{"cut inside a reference", open + "<url><loc>" + home + "a</loc></url><url><loc>" + home + "?a&am", at(here), URLSet, "a", "truncated"},
		{"cut inside CDATA", open + "<url><loc><![CDATA[" + home, at(here), URLSet, "", "truncated"},
		{"cut inside a character", open + "<url><loc>" + home + "\xC3", at(here), URLSet, "", "truncated"},
		{"declaration only", `<?xml version="1.0"?>`, at(here), Unknown, "", "truncated"},
		{"comment behind the root", urls(home+"a") + "\n<!-- made by x -->\n", at(here), URLSet, "a", ""},
		{"text behind the root", urls(home+"a") + "done", at(here), URLSet, "a", "xml"},
		{"two roots", urls(home+"a") + urls(home+"b"), at(here), URLSet, "a", "xml"},
		{"blank line before the declaration", "\n<?xml version='1.0'?>" + urls(home+"a"), at(here), URLSet, "a", "xml"},
		{"blank line without a declaration", "\n\n" + urls(home+"a"), at(here), URLSet, "a", ""},
		{"a warning before the declaration", "Warning: x\n<?xml version='1.0'?>" + urls(home+"a"), at(here), URLSet, "a", "xml"},
		{"attributes without quotes", `<urlset xmlns=http://www.sitemaps.org/schemas/sitemap/0.9>` + urls(home + "a")[len(open):], at(here), URLSet, "a", "xml"},
		{"single quotes", strings.ReplaceAll(urls(home+"a"), `"`, `'`), at(here), URLSet, "a", ""},
		{"style sheet and comments", "<?xml version='1.0'?><?xml-stylesheet href='x'?><!-- <url> -->" + urls(home+"a"), at(here), URLSet, "a", ""},
		{"document type without entities", "<!DOCTYPE urlset SYSTEM 'a>b'>" + urls(home+"a"), at(here), URLSet, "a", ""},
		{"entities in an internal subset", `<!DOCTYPE u [<!-- ]> --><!ENTITY a "]>">]>` + urls(home+"&a;", home+"a"), at(here), URLSet, "a", "xml"},
		{"comment and CDATA inside an address", urls(home + "a<!-- x --><![CDATA[b&c]]>d"), at(here), URLSet, "ab&cd", ""},
		{"child elements inside an address", urls("<b>x</b>" + home + "a"), at(here), URLSet, "a", ""},
		{"several addresses: the first", open + "<url><loc>" + home + "a</loc><loc>" + home + "b</loc></url>" + close, at(here), URLSet, "a", ""},
		{"empty elements", open + "<url/><url><loc/></url>" + close, at(here), URLSet, "", "missing-loc missing-loc"},

		// What it is.
		{"HTML", "<!doctype html><html><head><meta charset=utf-8><title>404</title></head></html>", at(here), Unknown, "", "root"},
		{"JSON", `{"a":1}`, typed("application/json"), Unknown, "", "xml"},
		{"white space", " \n\t\r\n", at(here), Unknown, "", "empty"},
		{"much white space", strings.Repeat(" \n", 9000), at(here), Unknown, "", "empty"},
		{"byte order mark only", "\xEF\xBB\xBF", at(here), Unknown, "", "empty"},
		{"index in an index", `<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><sitemap><loc>` + home + "a</loc></sitemap></sitemapindex>", Options{URL: here, Listed: true}, Index, "a", "nested-index"},
		{"no entries", "<?xml version='1.0'?>" + open + close, at(here), URLSet, "", "no-entries"},
		{"only bad entries are entries", urls(""), at(here), URLSet, "", "missing-loc"},
		{"XML sent as text", urls(home + "a"), typed("text/plain"), URLSet, "a", ""},

		// Namespaces.
		{"https in the namespace", strings.Replace(urls(home+"a"), "http:", "https:", 1), at(here), URLSet, "a", "namespace"},
		{"a slash behind the namespace", strings.Replace(urls(home+"a"), "0.9", "0.9/", 1), at(here), URLSet, "a", "namespace"},
		{"the namespace of another version", strings.Replace(urls(home+"a"), "0.9", "0.84", 1), at(here), URLSet, "a", "namespace"},
		{"the old namespace of Google", strings.Replace(urls(home+"a"), "sitemaps.org", "google.com", 1), at(here), URLSet, "a", "namespace"},
		{"a namespace of their own", strings.Replace(urls(home+"a"), "www.sitemaps.org", "x.example", 1), at(here), URLSet, "a", "namespace"},
		{"unknown elements", open + "<x><loc>" + home + "no</loc></x><url><x/><loc>" + home + "a</loc></url>" + close, at(here), URLSet, "a", ""},
		{"address in another namespace", open + `<url><x:loc xmlns:x="urn:x">` + home + "no</x:loc></url>" + close, at(here), URLSet, "", "missing-loc"},
		{"address behind an undeclared prefix", open + "<url><image:image><image:loc>" + home + "i</image:loc></image:image><loc>" + home + "a</loc></url>" + close, at(here), URLSet, "a", "namespace"},
		{"prefixed root, bare children", `<s:urlset xmlns:s="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>` + home + "a</loc></url></s:urlset>", at(here), URLSet, "a", "namespace"},
		{"the namespace of a child ends with it", open + `<url xmlns="urn:x"><loc>` + home + "no</loc></url><url><loc>" + home + "a</loc></url>" + close, at(here), URLSet, "a", ""},

		// Encodings.
		{"UTF-16, big end first, with mark", encode(unicode.BigEndian, unicode.UseBOM, urls(home+"é")), at(here), URLSet, "%C3%A9", "encoding"},
		{"UTF-16 without mark", encode(unicode.LittleEndian, unicode.IgnoreBOM, urls(home+"é")), at(here), URLSet, "%C3%A9", "encoding"},
		{"Latin-1 declared", "<?xml version='1.0' encoding='ISO-8859-1'?>" + urls(home+"\xE9"), at(here), URLSet, "%C3%A9", "encoding"},
		{"Latin-1 by content type", urls(home + "\xE9"), typed("text/xml; charset=ISO-8859-1"), URLSet, "%C3%A9", "encoding"},
		{"Shift_JIS declared", "<?xml version='1.0' encoding='Shift_JIS'?>" + urls(home+"\x82\xA0"), at(here), URLSet, "%E3%81%82", "encoding"},
		{"bytes that are no Shift_JIS", "<?xml version='1.0' encoding='Shift_JIS'?>" + urls(home+"\x82", home+"a"), at(here), URLSet, "a", "encoding"},
		{"ASCII declared", "<?xml version='1.0' encoding='us-ascii'?>" + urls(home+"a"), at(here), URLSet, "a", ""},
		{"utf-8 in any case", "<?xml version='1.0' encoding='utf-8'?>" + urls(home+"é"), typed("text/xml; charset=UTF-8"), URLSet, "%C3%A9", ""},
		{"UTF-16 declared but not true", "<?xml version='1.0' encoding='UTF-16'?>" + urls(home+"é"), at(here), URLSet, "%C3%A9", "encoding"},
		{"an encoding that nobody knows", "<?xml version='1.0' encoding='x-klingon'?>" + urls(home+"a"), at(here), URLSet, "a", "encoding"},
		{"bad bytes in a comment", "<!-- \xE9 -->" + urls(home+"a"), at(here), URLSet, "a", "encoding"},
		{"an overlong form", urls(home+"\xC0\xAF", home+"a"), at(here), URLSet, "a", "encoding"},

		// Compression.
		{"gzip without saying so", pack(urls(home + "a")), at(here), URLSet, "a", ""},
		{"gzip over gzip", pack(pack(urls(home + "a"))), at(here + ".gz"), URLSet, "a", ""},
		{"gzip thrice", pack(pack(pack(urls(home + "a")))), at(here + ".gz"), Unknown, "", "bad-gzip"},
		{"several members", pack(urls(home + "a")[:80]) + pack(urls(home + "a")[80:]), at(here), URLSet, "a", ""},
		{"padding of zeros", pack(urls(home+"a")) + "\x00\x00\x00", at(here), URLSet, "a", ""},
		{"bytes behind the end", pack(urls(home+"a")) + "<html>", at(here), URLSet, "a", "bad-gzip"},
		{"plain by name .gz?x", urls(home + "a"), at(here + ".GZ?x=1"), URLSet, "a", "not-gzip"},
		{"plain by type", urls(home + "a"), typed("application/x-gzip"), URLSet, "a", "not-gzip"},
		{".gz whose coding was undone", urls(home + "a"), Options{URL: here + ".gz", Decoded: true}, URLSet, "a", ""},
		{"an empty .gz", "", at(here + ".gz"), Unknown, "", "empty"},
		{"gzip of nothing", pack(""), at(here + ".gz"), Unknown, "", "empty"},
		{"gzip cut inside its header", pack(urls(home + "a"))[:5], at(here + ".gz"), Unknown, "", "truncated"},
		{"gzip without its checksum", cutEnd(pack(urls(home+"a")), 8), at(here + ".gz"), URLSet, "a", "truncated"},
		{"gzip with a wrong checksum", flip(pack(urls(home+"a")), -6), at(here + ".gz"), URLSet, "a", "bad-gzip"},

		// Addresses.
		{"not absolute", urls("/a", "a", "//www.example.com/a", "www.example.com", "mailto:a@b", "ftp://www.example.com/"), at(here), URLSet, "", strings.TrimSpace(strings.Repeat("invalid-loc ", 6))},
		{"no host, bad host, bad port", urls("https://", "https://a b/", "https://www.example.com:99999/"), at(here), URLSet, "", "invalid-loc invalid-loc invalid-loc"},
		{"written otherwise", urls("HTTPS://WWW.EXAMPLE.COM:443/a/../b", home+"a b"), at(here), URLSet, "b a%20b", ""},
		{"another port", urls("https://www.example.com:8443/a"), at(here), URLSet, "", "other-host"},
		{"another host, any number of times", urls("https://x.example/", "https://x.example/"), at(here), URLSet, "", "other-host other-host"},
		{"outside of the directory", urls(home+"a/b", home+"a/b/", home+"a/bc", home+"a/b/c"), at(home + "a/b/s.xml"), URLSet, "a/b/ a/b/c", "outside-path outside-path"},
		{"the directory, not its prefix", urls(home + "blogger"), at(home + "blog/s.xml"), URLSet, "", "outside-path"},
		{"the file's query is no directory", urls(home + "a"), at(home + "?f=/x/y.xml"), URLSet, "a", ""},
		{"named by its host's robots.txt", urls(home + "a"), Options{URL: home + "x/s.xml", Named: []string{"https://www.example.com"}}, URLSet, "a", ""},
		{"named by another host's robots.txt", urls("https://b.example/a", home+"a", "https://c.example/"), Options{URL: here, Named: []string{"https://b.example"}}, URLSet, "https://b.example/a a", "other-host"},
		{"no URL, no rules of place", urls("https://b.example/a", home+"a"), Options{}, URLSet, "https://b.example/a a", ""},
		{"fragment, then no duplicate", urls(home+"a#x", home+"b#"), at(here), URLSet, "a b", "fragment fragment"},
		{"2,047 characters", urls(home + strings.Repeat("a", 2047-len(home))), at(here), URLSet, strings.Repeat("a", 2047-len(home)), ""},
		{"2,048 characters", urls(home + strings.Repeat("a", 2048-len(home))), at(here), URLSet, strings.Repeat("a", 2048-len(home)), "long-loc"},
		{"too long to keep", urls(home+strings.Repeat("a", 9000), home+"b"), at(here), URLSet, "b", "long-loc"},

		// Values.
		{"priorities", values("priority", "0", "1", "0.0", "1.0", ".5", " 0.3 ", "", "-0.1", "1.1", "1e0", "NaN", "0,5", "0x1p-2"), at(here), URLSet, "0 1 2 3 4 5 6 7 8 9 10 11 12", "priority priority priority priority priority priority"},
		{"frequencies", values("changefreq", "always", " never ", "", "Daily", "daily,weekly"), at(here), URLSet, "0 1 2 3 4", "changefreq changefreq"},
		{"dates", values("lastmod", "2025-01-01T00:00:00", "2025-01-01t00:00:00z", "2025-01-01T24:00Z", "2025-01-01T00:00:60Z", "2025-13", "2025-00-01", "25-01-01", "2025-01-01T00:00:00+0200", "2025-01-01T00:00:00+24:00", "2025-01-01T0:00Z", "2025-01-01T00:00:00,5Z", "20250101", "2025-01-01Z", "2025-01"), at(here), URLSet, "0 1 2 3 4 5 6 7 8 9 10 11 12 13", strings.TrimSpace(strings.Repeat("lastmod ", 13))},
		{"the future", values("lastmod", "2026-06-01", "2026-06-02", "2026-06-01T00:00:01Z", "2026-06-01T01:00+02:00"), at(here), URLSet, "0 1 2 3", "future-lastmod future-lastmod"},
		{"an index has dates too", `<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><sitemap><loc>` + home + "a</loc><lastmod>x</lastmod></sitemap></sitemapindex>", at(here), Index, "a", "lastmod"},

		// Lists of lines.
		{"lines", home + "a\r\n\r\n  " + home + "b  \n" + home + "c", typed("text/plain"), Text, "a b c", ""},
		{"lines by the first line", home + "a\nx", at(home + "list"), Text, "a", "invalid-loc"},
		{"lines by name", "x\n" + home + "a", at(home + "list.txt"), Text, "a", "invalid-loc"},
		{"the rules of place hold for lines", home + "a\nhttps://x.example/\n" + home + "a\n" + home + "a#b", typed("text/plain"), Text, "a", "other-host duplicate fragment duplicate"},
		{"entities are nothing in lines", home + "?a&amp;b", typed("text/plain"), Text, "?a&amp;b", ""},
		{"bad bytes in a line", home + "\xE9\n" + home + "a", typed("text/plain"), Text, "a", "encoding"},
		{"a very long line", home + strings.Repeat("a", 100_000) + "\n" + home + "a", typed("text/plain"), Text, "a", "long-loc"},
		{"lines in UTF-16", encode(unicode.LittleEndian, unicode.UseBOM, home+"a\n"+home+"b"), typed("text/plain"), Text, "a b", "encoding"},
		{"lines of a cut gzip", cutEnd(pack(home+"a\n"+home+"bcd"), 9), typed("text/plain"), Text, "a", "truncated"},

		// Feeds.
		{"RSS: the address of the item only", `<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom"><channel><link>` + home + `</link><image><link>` + home + `</link></image><item><atom:link href="` + home + `no"/><source><link>` + home + `</link></source><link>` + home + "a</link></item></channel></rss>", at(here), RSS, "a", ""},
		{"RSS: no link", `<rss><channel><item><guid>` + home + "a</guid></item></channel></rss>", at(here), RSS, "", "missing-loc"},
		{"RSS: bad date", `<rss><channel><item><link>` + home + "a</link><pubDate>yesterday</pubDate></item></channel></rss>", at(here), RSS, "a", "lastmod"},
		{"Atom", `<feed xmlns="http://www.w3.org/2005/Atom"><link href="` + home + `"/><entry><link rel="self" href="` + home + `self"/><link href="` + home + `a"/><link rel="alternate" href="` + home + `b"/><updated>2025-01-01T00:00:00Z</updated></entry></feed>`, at(here), Atom, "a", ""},
		{"Atom: relative to xml:base", `<feed xmlns="http://www.w3.org/2005/Atom" xml:base="/x/"><entry xml:base="y/"><link rel="alternate" href="a"/></entry></feed>`, at(here), Atom, "x/y/a", ""},
		{"Atom: no namespace", `<feed><entry><link href="` + home + `a"/></entry></feed>`, at(here), Atom, "a", "namespace"},
		{"Atom: no link", `<feed xmlns="http://www.w3.org/2005/Atom"><entry><link rel="edit" href="` + home + `"/></entry></feed>`, at(here), Atom, "", "missing-loc"},
	}
	for _, test := range tests {
		s, locs, kinds := read(test.body, test.o)
		if s.Format() != test.format || locs != test.locs || kinds != test.kinds {
			t.Errorf("%s:\n got %s, %q, problems %q\nwant %s, %q, problems %q\n%+v", test.rule,
				s.Format(), locs, kinds, test.format, test.locs, test.kinds, s.Problems())
		}
	}
}

func values(element string, list ...string) string {
	var b strings.Builder
	b.WriteString(open)
	for i, value := range list {
		fmt.Fprintf(&b, "<url><loc>%s%d</loc><%s>%s</%[3]s></url>", home, i, element, value)
	}
	b.WriteString(close)
	return b.String()
}

func cutEnd(s string, n int) string { return s[:len(s)-n] }

func flip(s string, at int) string {
	b := []byte(s)
	b[len(b)+at] ^= 1
	return string(b)
}

// Whatever the pieces that the bytes come in, the result is the same.
func TestPieces(t *testing.T) {
	body := "<?xml version='1.0'?><!-- é -- ><![ -->" + open + "<url><loc>" + home + "é&amp;<![CDATA[]] ]]></loc></url>" +
		"<url a='b' ><loc>" + home + "&bad;</loc></url>" + strings.Repeat(" ", 5000) + close
	for _, whole := range []string{body, pack(body), encode(unicode.BigEndian, unicode.UseBOM, body), home + "é\n" + home + "b"} {
		_, locs, kinds := read(whole, Options{URL: here, Now: now})
		s := NewScanner(iotest.OneByteReader(strings.NewReader(whole)), Options{URL: here, Now: now})
		var got []string
		for e := range s.Entries() {
			got = append(got, strings.TrimPrefix(e.Loc.String(), home))
		}
		var found []string
		for _, p := range s.Problems() {
			found = append(found, string(p.Kind))
		}
		if strings.Join(got, " ") != locs || strings.Join(found, " ") != kinds {
			t.Errorf("byte by byte: %q %q, whole: %q %q", got, found, locs, kinds)
		}
	}
}

func TestLimits(t *testing.T) {
	three := urls(home+"a", home+"b", home+"c")
	tests := []struct {
		rule        string
		body        string
		o           Options
		locs, kinds string
	}{
		{"as many entries as allowed", three, Options{MaxEntries: 3}, "a b c", ""},
		{"one entry more", three, Options{MaxEntries: 2}, "a b", "too-big"},
		{"bad entries count", urls("", "", home+"a"), Options{MaxEntries: 2}, "", "missing-loc missing-loc too-big"},
		{"as many bytes as allowed", three, Options{MaxBytes: int64(len(three))}, "a b c", ""},
		{"one byte more", three, Options{MaxBytes: int64(len(three)) - 1}, "a b c", "too-big"},
		{"unpacked bytes count", pack(three), Options{MaxBytes: 150}, "a", "too-big"},
		{"lines", home + "a\n" + home + "b\n" + home + "c", Options{MaxEntries: 2}, "a b", "too-big"},
		{"cut before it came here", three[:130], Options{CutAtLimit: true}, "a", "too-big"},
		{"gzip cut before it came here", cutEnd(pack(three), 9), Options{CutAtLimit: true}, "a b c", "too-big"},
		{"lines cut before they came here", home + "a\n" + home, Options{CutAtLimit: true}, "a", "too-big"},
		{"a cut line is none", home + "a\n" + home + "bcd", Options{MaxBytes: int64(len(home))*2 + 4}, "a", "too-big"},
	}
	for _, test := range tests {
		if _, locs, kinds := read(test.body, test.o); locs != test.locs || kinds != test.kinds {
			t.Errorf("%s: got %q, %q; want %q, %q", test.rule, locs, kinds, test.locs, test.kinds)
		}
	}
}

func TestEntryValues(t *testing.T) {
	body := `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:image="http://www.google.com/schemas/sitemap-image/1.1"
		xmlns:video="http://www.google.com/schemas/sitemap-video/1.1" xmlns:n="http://www.google.com/schemas/sitemap-news/0.9"
		xmlns:xhtml="http://www.w3.org/1999/xhtml">
	<url><loc>` + home + `a</loc><lastmod>2025-03-04T05:06:07.5+02:00</lastmod><changefreq>daily</changefreq><priority>0.8</priority>
		<image:image><image:loc>HTTPS://cdn.example/i.jpg</image:loc><image:title>T &amp; t</image:title><image:caption>C</image:caption></image:image>
		<image:image><image:loc>/relative.jpg</image:loc></image:image>
		<video:video><video:thumbnail_loc>` + home + `t.jpg</video:thumbnail_loc><video:title>V</video:title><video:duration>60</video:duration><video:content_loc>` + home + `v.mp4</video:content_loc></video:video>
		<n:news><n:publication><n:name>N</n:name><n:language>en</n:language></n:publication><n:title>S</n:title><n:publication_date>2025-03-04</n:publication_date></n:news>
		<xhtml:link rel="alternate" hreflang="de" href="https://de.example/?a=1&amp;b"/>
		<xhtml:link rel="stylesheet" href="x.css"/>
		<xhtml:link rel="alternate" hreflang="fr" href="/fr"/>
	</url></urlset>`
	s := NewScanner(strings.NewReader(body), Options{URL: here, Now: now})
	entries := slices.Collect(s.Entries())
	if len(entries) != 1 {
		t.Fatalf("%d entries, %+v", len(entries), s.Problems())
	}
	e := entries[0]
	got := fmt.Sprintf("%s %s %v %v %d %+v %+v %+v %+v", e.LastMod.Format(time.RFC3339Nano), e.ChangeFreq, e.Priority, e.HasPriority,
		e.Line, e.Images, e.Videos, *e.News, e.Alternates)
	want := "2025-03-04T03:06:07.5Z daily 0.8 true 4 [{Loc:https://cdn.example/i.jpg Caption:C Title:T & t}] " +
		"[{ThumbnailLoc:" + home + "t.jpg Title:V Description: ContentLoc:" + home + "v.mp4 PlayerLoc: Duration:60 PublicationDate:}] " +
		"{Name:N Language:en Title:S PublicationDate:2025-03-04} [{Lang:de URL:https://de.example/?a=1&b}]"
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if n := s.Count(BadExtension); n < 2 {
		t.Errorf("%d bad extensions, want the image and the alternate: %+v", n, s.Problems())
	}
}

func TestRSSDates(t *testing.T) {
	const want = "2025-01-01T10:00:00Z"
	for _, s := range []string{"Wed, 01 Jan 2025 10:00:00 GMT", "Wed, 1 Jan 2025 10:00:00 +0000", "1 Jan 2025 10:00 GMT", "Wed, 01 Jan 25 05:00:00 EST",
		"Wed,  01 Jan 2025 12:00:00 +0200", "2025-01-01T10:00:00Z", "Wednesday, 01 Jan 2025 10:00:00 UT"} {
		if d, ok := parseRSSDate(s); !ok || d.Format(time.RFC3339) != want {
			t.Errorf("parseRSSDate(%q) = %v, %t", s, d, ok)
		}
	}
	for _, s := range []string{"", "now", "Wed, 32 Jan 2025 10:00:00 GMT", "Xyz, 01 Jan 2025 10:00:00 GMT", "Wed, 01 Jan 2025 10:00:00 XYZ", ",", "Wed,"} {
		if d, ok := parseRSSDate(s); ok {
			t.Errorf("parseRSSDate(%q) = %v, want none", s, d)
		}
	}
}

// A reader's own error is not the file's fault, and what came before it is kept.
func TestReaderFails(t *testing.T) {
	fault := errors.New("reset")
	for _, body := range []string{urls(home+"a", home+"b")[:130], pack(urls(home+"a", home+"b"))[:90], home + "a\n" + home} {
		s := NewScanner(io.MultiReader(strings.NewReader(body), iotest.ErrReader(fault)), Options{URL: here, Now: now})
		for range s.Entries() {
		}
		if !errors.Is(s.Err(), fault) || s.Count(Truncated) != 1 || len(s.Problems()) != 1 {
			t.Errorf("%.20q: err %v, problems %+v", body, s.Err(), s.Problems())
		}
	}
}

func TestLeaveEarly(t *testing.T) {
	s := NewScanner(strings.NewReader(urls(home+"a", home+"b")), Options{URL: here, Now: now})
	for range s.Entries() {
		break
	}
	for range s.Entries() {
		t.Error("a second loop reads on")
	}
	if len(s.Problems()) != 0 {
		t.Errorf("the unread rest was judged: %+v", s.Problems())
	}
}

// Problems are counted all, but kept to a bound, with details of bounded length.
func TestProblemsAreBounded(t *testing.T) {
	s := NewScanner(strings.NewReader(strings.Repeat(strings.Repeat("x", 500)+"\n", 3000)), Options{ContentType: "text/plain"})
	for range s.Entries() {
	}
	if len(s.Problems()) != maxProblems || s.Count(InvalidLoc) != 3000 || len(s.Problems()[0].Detail) > 200 {
		t.Errorf("%d kept, %d counted, %d bytes", len(s.Problems()), s.Count(InvalidLoc), len(s.Problems()[0].Detail))
	}
}

// endless repeats a piece after a head, up to a number of bytes.
type endless struct {
	head, piece string
	left        int
}

func (e *endless) Read(p []byte) (int, error) {
	if e.left <= 0 {
		return 0, io.EOF
	}
	n := copy(p, e.head)
	e.head = e.head[n:]
	for n < len(p) && len(e.head) == 0 && e.piece != "" {
		k := copy(p[n:], e.piece)
		n += k
		if k < len(e.piece) {
			e.head = e.piece[k:]
		}
	}
	e.left -= n
	return n, nil
}

// What a hostile file can make endless stays in bounded memory.
func TestMemoryIsBounded(t *testing.T) {
	url := open + "<url><loc>" + home + "a</loc>"
	attacks := map[string]*endless{
		"comment":    {head: open + "<!--", piece: "x"},
		"name":       {head: open + "<", piece: "x"},
		"attribute":  {head: open + "<a b='", piece: "x"},
		"attributes": {head: open + "<a ", piece: "b='c' "},
		"same url":   {head: url, piece: "<loc>" + home + "b</loc>"},
		"address":    {head: open + "<url><loc>" + home, piece: "x"},
		"nesting":    {head: open, piece: "<a>"},
		"namespaces": {head: open, piece: "<a xmlns:b='c'>"},
		"images":     {head: strings.Replace(url, "<urlset", "<urlset xmlns:i='http://www.google.com/schemas/sitemap-image/1.1'", 1), piece: "<i:image><i:loc>" + home + "</i:loc></i:image>"},
		"references": {head: open + "<url><loc>", piece: "&#97;"},
		"entities":   {head: "<!DOCTYPE a [", piece: "<!ENTITY a 'b'>"},
		"text":       {head: open, piece: "x"},
		"bad lines":  {head: home + "\n", piece: "x\n"},
		"one line":   {head: home, piece: "x"},
		"white":      {piece: " "},
		"end tags":   {head: open, piece: "</a>"},
	}
	for name, attack := range attacks {
		attack.left = 4 << 20
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		s := NewScanner(attack, Options{URL: here, Now: now, ContentType: "text/plain"})
		for range s.Entries() {
		}
		runtime.GC()
		runtime.ReadMemStats(&after)
		if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > 2<<20 {
			t.Errorf("%s: %d KiB kept of 4 MiB", name, grown>>10)
		}
		if s.Bytes() < 1 {
			t.Errorf("%s: nothing read", name)
		}
	}
}

func FuzzScanner(f *testing.F) {
	f.Add([]byte(urls(home+"a", home+"?a&b", home+"&x;")), here)
	f.Add([]byte(pack(urls(home+"a"))), here+".gz")
	f.Add([]byte(encode(unicode.LittleEndian, unicode.UseBOM, urls(home+"a"))), here)
	f.Add([]byte(home+"a\nb\n"), home+"a.txt")
	f.Add([]byte(`<!DOCTYPE a [<!ENTITY b "c">]><rss><channel><item><link>`+home+`</link><pubDate>Wed, 01 Jan 2025 10:00:00 GMT</pubDate></item></channel></rss>`), here)
	f.Add([]byte(`<feed xmlns="http://www.w3.org/2005/Atom" xml:base="/x/"><entry><link rel=alternate href="a"/><updated>2025</updated></entry></feed>`), here)
	f.Add([]byte(`<x:urlset xmlns:x='http://www.sitemaps.org/schemas/sitemap/0.9' xmlns:image="http://www.google.com/schemas/sitemap-image/1.1"><x:url><image:image><image:loc>a</x:url>`), here)
	f.Fuzz(func(t *testing.T, body []byte, at string) {
		o := Options{URL: at, Now: now, MaxBytes: 1 << 20}
		s := NewScanner(bytes.NewReader(body), o)
		seen := map[string]bool{}
		n := 0
		for e := range s.Entries() {
			n++
			if parseURL(e.Loc.Href()) != e.Loc {
				t.Fatalf("%q is no normal URL", e.Loc)
			}
			if seen[e.Loc.String()] {
				t.Fatalf("%q twice", e.Loc)
			}
			seen[e.Loc.String()] = true
			if e.Priority < 0 || e.Priority > 1 {
				t.Fatalf("priority %v", e.Priority)
			}
		}
		if n > s.Seen() || s.Err() != nil {
			t.Fatalf("%d entries of %d, %v", n, s.Seen(), s.Err())
		}
		if n == 0 && len(s.Problems()) == 0 {
			t.Fatal("nothing read and nothing wrong")
		}
		if len(body) > 4096 {
			return
		}
		pieces := NewScanner(iotest.OneByteReader(bytes.NewReader(body)), o)
		if m := len(slices.Collect(pieces.Entries())); m != n || pieces.Format() != s.Format() || len(pieces.Problems()) != len(s.Problems()) {
			t.Fatalf("byte by byte: %d entries, %+v; whole: %d, %+v", m, pieces.Problems(), n, s.Problems())
		}
	})
}

func FuzzW3C(f *testing.F) {
	for _, seed := range []string{"2025", "2025-03", "2025-03-04", "2025-03-04T05:06Z", "2025-03-04T05:06:07.89+02:00"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if d, _, ok := parseW3C(s); ok {
			again, _, ok := parseW3C(d.Format(time.RFC3339Nano))
			if !ok && d.Year() > 0 && d.Year() < 10000 || ok && !again.Equal(d) {
				t.Fatalf("%q is %v, and that %v, %t", s, d, again, ok)
			}
		}
		parseRSSDate(s)
	})
}

func BenchmarkScanner(b *testing.B) {
	var body strings.Builder
	body.WriteString(open)
	for i := range 50_000 {
		fmt.Fprintf(&body, "<url>\n<loc>%ssome/path/of/a/page-%d.html</loc>\n<lastmod>2025-03-04</lastmod>\n<priority>0.5</priority>\n</url>\n", home, i)
	}
	body.WriteString(close)
	b.SetBytes(int64(body.Len()))
	b.ReportAllocs()
	for b.Loop() {
		s := NewScanner(strings.NewReader(body.String()), Options{URL: here, Now: now})
		n := 0
		for range s.Entries() {
			n++
		}
		if n != 50_000 || len(s.Problems()) != 0 {
			b.Fatal(n, s.Problems())
		}
	}
}
