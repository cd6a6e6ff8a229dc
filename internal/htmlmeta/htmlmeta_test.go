package htmlmeta

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/amblecrawl/amble/internal/realsite"
	"github.com/amblecrawl/amble/internal/urlkey"
)

// reference reads a page by way of x/net/html's tree.
type reference struct {
	title      string
	h1         []string
	links      []string
	canonicals []string
}

func readTree(page []byte) (r reference, ok bool) {
	doc, err := html.ParseWithOptions(bytes.NewReader(page), html.ParseOptionEnableScripting(true))
	if err != nil {
		return r, false
	}
	first := true
	var walk func(n *html.Node, inHead bool)
	walk = func(n *html.Node, inHead bool) {
		if n.Type == html.ElementNode && n.Namespace == "" {
			switch n.DataAtom {
			case atom.Template:
				return
			case atom.Head:
				inHead = true
			case atom.Title:
				if first {
					r.title, first = collapsed(n), false
				}
			case atom.H1:
				r.h1 = append(r.h1, collapsed(n))
			case atom.A, atom.Area:
				if v, ok := attrOf(n, "href"); ok {
					r.links = append(r.links, v)
				}
			case atom.Link:
				rel, _ := attrOf(n, "rel")
				if hasToken([]byte(rel), "canonical") {
					v, _ := attrOf(n, "href")
					r.canonicals = append(r.canonicals, fmt.Sprint(v, inHead))
				}
			}
		}
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			walk(c, inHead)
		}
	}
	walk(doc, false)
	return r, true
}

func attrOf(n *html.Node, name string) (string, bool) {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val, true
		}
	}
	return "", false
}

func collapsed(n *html.Node) string {
	var b strings.Builder
	var walk func(*html.Node)
	walk = func(n *html.Node) {
		if n.Type == html.TextNode {
			b.WriteString(n.Data)
		}
		if n.DataAtom == atom.Template && n.Namespace == "" {
			return
		}
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			walk(c)
		}
	}
	walk(n)
	return strings.Join(strings.FieldsFunc(b.String(), func(r rune) bool { return strings.ContainsRune(space, r) }), " ")
}

// differs compares the one pass with the tree.
func differs(page []byte) string {
	want, ok := readTree(page)
	if !ok {
		return ""
	}
	d := Parse(page, Options{})
	var links, canonicals []string
	for _, l := range d.Links {
		links = append(links, l.Href)
	}
	for _, c := range d.Canonicals {
		canonicals = append(canonicals, fmt.Sprint(c.Href, c.InHead))
	}
	switch {
	case d.Title != want.title:
		return fmt.Sprintf("title %q, tree %q", d.Title, want.title)
	case !slices.Equal(d.H1, want.h1):
		return fmt.Sprintf("h1 %q, tree %q", d.H1, want.h1)
	case !slices.Equal(links, want.links):
		return fmt.Sprintf("links %q, tree %q", links, want.links)
	case !slices.Equal(canonicals, want.canonicals):
		return fmt.Sprintf("canonicals %q, tree %q", canonicals, want.canonicals)
	}
	return ""
}

// The pages of the machine's documentation come from a dozen generators of two decades.
func TestDocumentationReadsAsTheTreeDoes(t *testing.T) {
	pages, most := 0, 600
	for _, dir := range []string{"git-doc", "sqlite3", "debian-policy", "gnuplot", "postgresql-doc-15", "debian-handbook"} {
		here := 0
		filepath.WalkDir("/usr/share/doc/"+dir, func(path string, e fs.DirEntry, err error) error {
			if err != nil || here >= most/6 {
				return fs.SkipAll
			}
			if filepath.Ext(path) != ".html" {
				return nil
			}
			page, err := os.ReadFile(path)
			if err != nil {
				return nil
			}
			pages, here = pages+1, here+1
			if diff := differs(page); diff != "" {
				t.Errorf("%s: %.500s", path, diff)
			}
			return nil
		})
	}
	if pages == 0 {
		t.Skip("no documentation on this machine")
	}
	t.Logf("%d pages", pages)
}

// What a Parser keeps of one page must not show in the next, and what it handed out must stay.
func TestParserForgetsPages(t *testing.T) {
	pages, names := realsite.Pages(15)
	for _, odd := range []string{"", "<title>T</title><a href=x>y</a><h1>z</h1>", "<frameset><frame src=x>", "<svg><title>x", "<b><p><a href=1><a href=2>",
		"<template><tr>", "<table><a href=x><td>", "<plaintext>x", "<p id=a itemscope itemtype=T><form><input>", "x\x00y\rz"} {
		pages, names = append(pages, []byte(odd)), append(names, odd)
	}
	u, _ := urlkey.Parse("https://www.example.test/dir/")
	opt := Options{URL: u, LinkText: true, Resources: true, IDs: true, Text: true}
	var parser Parser
	for round := range 2 {
		var kept []string // shows what was handed out of the page before
		var h1, ids []string
		for i, page := range pages {
			got := fmt.Sprintf("%+v", *parser.Parse(page, opt))
			if want := fmt.Sprintf("%+v", *Parse(page, opt)); got != want {
				t.Errorf("%s: got %.300s, want %.300s", names[i], got, want)
			}
			if i%5 == round { // an outline is made anew for each page
				outlined := opt
				outlined.Outline = true
				if draw(parser.Parse(page, outlined).Outline) != draw(Parse(page, outlined).Outline) {
					t.Errorf("%s: another outline", names[i])
				}
				parser.Parse(page, opt)
			}
			if now := append(slices.Clone(h1), ids...); !slices.Equal(now, kept) {
				t.Errorf("round %d: %s changed the lists of the page before it", round, names[i])
			}
			h1, ids = parser.b.doc.H1, parser.b.doc.IDs
			kept = append(slices.Clone(h1), ids...)
		}
	}
}

func TestHostilePagesGiveTheirHead(t *testing.T) {
	head := `<!DOCTYPE html><html lang=en><title>T</title><link rel=canonical href=/c>`
	many := func(s string, n int) string { return strings.Repeat(s, n) }
	var fonts strings.Builder
	for i := range 300 {
		fmt.Fprintf(&fonts, "<font id=%d>", i)
	}
	for name, body := range map[string]string{
		"deep":            many("<div>", 200_000) + "<a href=/x>x</a>",
		"deep p button":   many("<p><button>", 100_000),
		"deep lists":      many("<ul><li>", 100_000),
		"deep unknown":    many("<x>", 100_000) + many("</y>", 100_000),
		"deep svg":        many("<svg><g>", 50_000) + many("</h>", 100_000),
		"body attributes": manyNumbered("<body a%d=1>", 50_000),
		"html attributes": manyNumbered("<html a%d=1>", 50_000),
		"attributes":      "<p " + manyNumbered("a%d=1 ", 200_000) + ">",
		"fonts":           fonts.String() + many("</p><p>x", 50_000),
		"misnested":       many("<a href=/x><div>", 50_000),
		"misnested b":     many("<b><p>", 50_000) + many("</b>", 50_000),
		"templates":       many("<template>", 100_000) + many("</template>", 100_000),
		"tables":          many("<table><tr><td>", 50_000) + "<a href=/x>",
		"fostered":        "<table>" + many("<a href=/x>", 50_000),
		"entities":        many("&amp", 200_000),
		"open angles":     many("<", 500_000),
		"json":            "<script type=application/ld+json>" + many("[", 500_000) + "</script>",
		"json deep":       "<script type=application/ld+json>" + many("[", 5_000) + many("]", 5_000) + "</script>",
		"forms":           many("<form><table>", 50_000) + many("</form>", 50_000),
		"select":          many("<select><option><optgroup>", 50_000),
		"headings":        many("<h1><div>", 20_000) + "x",
	} {
		d := Parse([]byte(head+body), Options{LinkText: true, Resources: true, IDs: true, Text: true})
		if d.Title != "T" || d.Lang != "en" || len(d.Canonicals) != 1 || !d.Canonicals[0].InHead {
			t.Errorf("%s: title %q, lang %q, canonicals %v", name, d.Title, d.Lang, d.Canonicals)
		}
	}
}

func manyNumbered(format string, n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, format, i)
	}
	return b.String()
}

func TestEarlyEndOfHeadIsNamed(t *testing.T) {
	for page, want := range map[string]string{
		"<head><title>x</title></head><body>":     "",
		"<title>x</title><body>":                  "",
		"<head><div></div><meta name=robots>":     "div",
		"<head>text<meta name=robots>":            "text",
		"<head><img src=x><link rel=canonical>":   "img",
		"<head><my-tag></my-tag></head>":          "my-tag",
		"<head><noscript><img></noscript></head>": "",
		"<head><template><p>x</template></head>":  "",
	} {
		if got := Parse([]byte("<!DOCTYPE html>"+page), Options{}).HeadEndedBy; got != want {
			t.Errorf("%s: got %q, want %q", page, got, want)
		}
	}
}

func TestRefreshViewportAndCharset(t *testing.T) {
	u, _ := urlkey.Parse("https://www.example.test/dir/")
	d := Parse([]byte(`<!DOCTYPE html><meta charset=utf-8><meta http-equiv=refresh content="x">
		<meta http-equiv=Refresh content="3; url='next'"><meta http-equiv=refresh content=0>
		<meta name=viewport content=a><meta name=viewport content=b>`), Options{URL: u})
	if !d.HasRefresh || d.Refresh.URL.Href() != "https://www.example.test/dir/next" || d.Refresh.Delay.Seconds() != 3 {
		t.Errorf("refresh %+v", d.Refresh)
	}
	if d.Viewport != "b" || d.Charset != "utf-8" {
		t.Errorf("viewport %q, charset %q", d.Viewport, d.Charset)
	}
}

func TestResourcesIDsAndText(t *testing.T) {
	d := Parse([]byte(`<!DOCTYPE html><link rel=stylesheet href=s.css><script src=j.js></script><body id=top><img src=a.png
		srcset="b.png 1x, c,d.png 2x,e.png"><a name=n href=/x>Some <b>bold</b>ness <img alt="and picture"></a>
		<iframe src=f></iframe><video src=v poster=p></video><script>no text</script><p>two words`),
		Options{Resources: true, IDs: true, Text: true, LinkText: true})
	var got []string
	for _, r := range d.Resources {
		got = append(got, r.Href)
	}
	if want := []string{"s.css", "j.js", "a.png", "b.png", "c,d.png", "e.png", "f", "v", "p"}; !slices.Equal(got, want) {
		t.Errorf("resources %q", got)
	}
	if !slices.Equal(d.IDs, []string{"top", "n"}) {
		t.Errorf("ids %q", d.IDs)
	}
	if len(d.Links) != 1 || d.Links[0].Text != "Some boldness and picture" {
		t.Errorf("links %+v", d.Links)
	}
	if d.Words != 4 || d.TextSize != len("Some boldness two words") {
		t.Errorf("%d words, %d bytes", d.Words, d.TextSize)
	}
}

func TestTextHashIgnoresMarkupAndSpace(t *testing.T) {
	one := Parse([]byte("<p>a  b</p>\n<p>c"), Options{Text: true})
	two := Parse([]byte("<div>a <i>b</i></div><p>  c  "), Options{Text: true})
	other := Parse([]byte("<p>a b</p><p>d"), Options{Text: true})
	if one.TextHash != two.TextHash || one.TextHash == other.TextHash {
		t.Errorf("hashes %x %x %x", one.TextHash, two.TextHash, other.TextHash)
	}
}

func TestDoctypes(t *testing.T) {
	for doctype, want := range map[string]bool{
		"html": false, "HTML": false, "": true, "svg": true, "html x": true, `html SYSTEM "about:legacy-compat"`: false,
		`html PUBLIC "-//W3C//DTD HTML 4.01//EN" "http://www.w3.org/TR/html4/strict.dtd"`:             false,
		`html PUBLIC "-//W3C//DTD HTML 4.01 Transitional//EN"`:                                        true,
		`html PUBLIC "-//W3C//DTD HTML 4.01 Transitional//EN" "http://www.w3.org/TR/html4/loose.dtd"`: false,
		`html PUBLIC "-//W3C//DTD HTML 3.2 Final//EN"`:                                                true,
		`html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN" "x"`:                                          false,
		`html PUBLIC "open`: true, `html PUBLIC`: true, `html SYSTEM "http://www.ibm.com/data/dtd/v11/ibmxhtml1-transitional.dtd"`: true,
	} {
		if got := quirky(" " + doctype); got != want {
			t.Errorf("%s: quirks %v", doctype, got)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{
		"<!DOCTYPE html><title>t</title><a href=x><div><a href=y>z</a></div>",
		"<table><a href=1><tr><td><a href=2></table><svg><title>x</title><a href=3></svg>",
		"<template><h1>x</template><frameset><frame src=x>", "<select><option><a href=x></select>",
		"<script type=application/ld+json>{\"@type\":\"X\"}</script>", "<math><annotation-xml encoding=text/html><h1>x",
	} {
		f.Add([]byte(s))
	}
	u, _ := urlkey.Parse("https://www.example.test/")
	f.Fuzz(func(t *testing.T, page []byte) {
		Parse(page, Options{URL: u, LinkText: true, Resources: true, IDs: true, Text: true})
	})
}

func ExampleParse() {
	u, _ := urlkey.Parse("https://www.example.test/dir/")
	d := Parse([]byte(`<title>Hello &amp; welcome</title><link rel=canonical href=../c><p><a href=x rel=nofollow>x</a>`), Options{URL: u})
	fmt.Println(d.Title, d.Canonicals[0].URL.Href(), d.Links[0].URL.Href(), d.Links[0].Rel == Nofollow, d.Quirks)
	// Output: Hello & welcome https://www.example.test/c https://www.example.test/dir/x true true
}
