package htmlmeta

import (
	"fmt"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// draw writes an outline as nested names and texts.
func draw(o *Outline) string {
	var b strings.Builder
	var from func(i, end int)
	from = func(i, end int) {
		for i < end {
			n := o.Nodes[i]
			if n.IsText {
				fmt.Fprintf(&b, "%q", o.Text(i))
			} else {
				b.WriteString(o.Name(i))
				for _, a := range o.attrs[n.content.from:n.content.to] {
					fmt.Fprintf(&b, " %s=%s", o.all[a.key.from:a.key.to], o.all[a.value.from:a.value.to])
				}
				b.WriteString("(")
				from(i+1, int(n.End))
				b.WriteString(")")
			}
			i = int(n.End)
		}
	}
	from(0, len(o.Nodes))
	return b.String()
}

// drawTree writes what the parser of x/net/html makes of the same page.
func drawTree(n *html.Node) string {
	var b strings.Builder
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		switch c.Type {
		case html.TextNode:
			fmt.Fprintf(&b, "%q", c.Data)
		case html.ElementNode:
			b.WriteString(c.Data)
			for _, a := range c.Attr {
				fmt.Fprintf(&b, " %s=%s", a.Key, a.Val)
			}
			b.WriteString("(" + drawTree(c) + ")")
		}
	}
	return b.String()
}

// TestOutlineIsTheTree: where nothing is misnested the outline holds the elements and texts of the parser's tree.
func TestOutlineIsTheTree(t *testing.T) {
	for _, page := range []string{
		`<!doctype html><title>A &amp; B</title><p>one<p>two<ul><li>x<li>y</ul>`,
		`<html lang=en><head><meta charset=utf-8><link rel=a href=b></head><body class="x y"><h1 id=a>H<em>e</em></h1></body></html>`,
		`<body><table><tbody><tr><td>1</td><td>2</td></tr></tbody></table><img src=a alt=""><br>`,
		`<svg><title>t</title><path d="M0"/></svg><math><mi>x</mi></math><custom-name a=b>c</custom-name>`,
		`<script>if (a < b) "</p>"</script><style>p{}</style><textarea>&lt;p></textarea><select><option>a<option>b</select>`,
		`<dl><dt>a<dd>b<dt>c</dl><a href=x name=y>l<img alt=z></a>`,
		`text`, ``,
	} {
		tree, err := html.Parse(strings.NewReader(page))
		if err != nil {
			t.Fatal(err)
		}
		d := Parse([]byte(page), Options{Outline: true})
		if got, want := draw(d.Outline), drawTree(tree); got != want && page != "" && !strings.Contains(want, "body()") {
			t.Errorf("%s\ngot  %s\nwant %s", page, got, want)
		}
	}
}

// TestOutlineOfMisnestedPages: formatting elements count each time that they are opened; templates hold nothing.
func TestOutlineOfMisnestedPages(t *testing.T) {
	for _, row := range [][2]string{
		{`<p><a href=x>1<p>2`, `html(head()body(p(a href=x("1"))p(a href=x("2"))))`},
		{`<template><p id=x>in</p></template><p>out`, `html(head(template())body(p("out")))`},
	} {
		if got := draw(Parse([]byte(row[0]), Options{Outline: true}).Outline); got != row[1] {
			t.Errorf("%s: got %s, want %s", row[0], got, row[1])
		}
	}
}

func TestUnpairedTags(t *testing.T) {
	for _, row := range []struct{ page, want string }{
		{"<div><p>a</div>", ""},
		{"<div>\n<span>a</div>", "span 6 div"},
		{"<p>a</div>", "/div 4"},
		{"<section>a", "section 0 "},
		{"<svg><path/><g></g></svg><br></p>", ""},
		{"<Custom-El>a", "custom-el 0 "},
	} {
		var got []string
		for _, u := range Parse([]byte(row.page), Options{Outline: true}).Outline.Unpaired {
			if u.Stray {
				got = append(got, fmt.Sprintf("/%s %d", u.Name, u.At))
			} else {
				got = append(got, fmt.Sprintf("%s %d %s", u.Name, u.At, u.Before))
			}
		}
		if s := strings.Join(got, ", "); s != row.want {
			t.Errorf("%q: got %q, want %q", row.page, s, row.want)
		}
	}
}

// TestPairingIsBounded: stray end tags behind many open ones cost no more than the page's share of work.
func TestPairingIsBounded(t *testing.T) {
	page := strings.Repeat("<i>", 6000) + strings.Repeat("</b>", 300_000)
	d := Parse([]byte(page), Options{Outline: true})
	if len(d.Outline.Unpaired) != maxUnpaired {
		t.Errorf("%d unpaired tags", len(d.Outline.Unpaired))
	}
}
