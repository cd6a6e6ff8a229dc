package aria

import (
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/amblecrawl/amble/analyze/a11y/internal/css"
	"github.com/amblecrawl/amble/analyze/a11y/internal/dom"
)

func element(t testing.TB, s string) *dom.Node {
	t.Helper()
	root, err := html.Parse(strings.NewReader(s))
	if err != nil {
		t.Fatal(err)
	}
	d := dom.FromHTML(root, "http://site.test/", "")
	css.Resolve(d, nil)
	for _, n := range d.Nodes {
		if n.A("id") == "x" {
			return n
		}
	}
	t.Fatalf("no element x in %s", s)
	return nil
}

// TestName follows the steps of the Accessible Name and Description Computation 1.2 and the HTML and SVG mappings.
func TestName(t *testing.T) {
	for s, want := range map[string]string{
		// 2B: aria-labelledby
		`<button id="x" aria-labelledby="a b">t</button><i id="a">one</i><i id="b">two</i>`:                                         "one two",
		`<button id="x" aria-labelledby="x a" aria-label="me">t</button><i id="a">one</i>`:                                          "me one",
		`<button id="x" aria-labelledby="a">t</button><i id="a" aria-labelledby="b">one</i><i id="b">two</i>`:                       "one",
		`<button id="x" aria-labelledby="a">t</button><i id="a" hidden>one <b hidden>two</b></i>`:                                   "one two",
		`<button id="x" aria-labelledby="a">t</button><i id="a">one <b hidden>two</b></i>`:                                          "one",
		`<button id="x" aria-labelledby="none">t</button>`:                                                                          "t",
		`<button id="x" aria-labelledby="a">t</button><span id="a"><style>b{}</style><script>1</script>one</span>`:                  "one",
		`<input id="x" aria-labelledby="a"><div id="a">see <input value="5"> of <select><option>7<option selected>8</select></div>`: "see 5 of 8",
		// 2C: embedded controls in a label
		`<label>Flash <input id="x" type="checkbox"> <input value="3"> times</label>`:                                     "Flash 3 times",
		`<label for="x">Volume <span role="slider" aria-valuenow="4" aria-valuetext="four"></span></label><input id="x">`: "Volume four",
		// 2D: aria-label
		`<a id="x" href="/" aria-label=" Home ">t</a>`: "Home", `<a id="x" href="/" aria-label=" ">t</a>`: "t",
		// 2E: the host language
		`<img id="x" alt="Cat" title="T">`: "Cat", `<img id="x" title="T">`: "T", `<img id="x" alt="" title="T">`: "", `<input id="x" type="image" alt="Go">`: "Go",
		`<input id="x" type="image">`: "Submit Query", `<input id="x" type="submit">`: "Submit", `<input id="x" type="submit" value="Go">`: "Go", `<input id="x" type="reset">`: "Reset", `<input id="x" type="button" value="">`: "",
		`<label for="x">A</label><label for="x">B</label><input id="x" placeholder="p" title="t">`: "A B", `<input id="x" placeholder="p">`: "p", `<input id="x" placeholder="p" title="t">`: "t",
		`<fieldset id="x"><legend>L</legend></fieldset>`: "L", `<table id="x"><caption>C</caption><tr><td>1</td></tr></table>`: "C", `<figure id="x"><figcaption>F</figcaption></figure>`: "F",
		`<iframe id="x" title="T"></iframe>`: "T", `<svg id="x"><title>S</title><text>no</text></svg>`: "S", `<select id="x"><option>one</option></select>`: "", `<option id="x" label="L">t</option>`: "L",
		`<details><summary id="x">More</summary></details>`: "More", `<map name="m"><area id="x" href="/" alt="Area"></map><img usemap="#m" alt="">`: "Area",
		// 2F: content
		`<button id="x"> a <b>b</b><br>c<div>d</div>e</button>`: "a b c d e", `<a id="x" href="/">a<b>b</b></a>`: "ab", `<div id="x">text</div>`: "", `<h2 id="x"><img alt="A"> <img alt=""> t</h2>`: "A t",
		`<button id="x"><span aria-hidden="true">no</span><span style="display:none">no</span><span style="visibility:hidden">no</span>yes</button>`: "yes",
		`<style>#x::before{content:"pre "}#x::after{content:" post"}</style><a id="x" href="/">t</a>`:                                                "pre t post",
		`<a id="x" href="/" aria-owns="o">t</a><span id="o">owned</span>`:                                                                            "t owned", `<div id="x" role="checkbox">c <span role="presentation">d</span></div>`: "c d",
		`<h1 id="x"><img role="presentation" alt="no"></h1>`: "",
		// 2I: tooltip
		`<a id="x" href="/" title="T"></a>`: "T", `<button id="x" title="T">t</button>`: "t", `<button id="x"><i title="T"></i></button>`: "T",
		"<button id=\"x\">\u00a0</button>": "",
	} {
		if got := Name(element(t, s)); got != want {
			t.Errorf("%s: %q, want %q", s, got, want)
		}
	}
}

// TestRoles follows the HTML and SVG mappings, and WAI-ARIA's rule about presentational roles that conflict.
func TestRoles(t *testing.T) {
	for s, want := range map[string]string{
		`<a id="x" href="/">`: "link", `<a id="x">`: "generic", `<header id="x">`: "banner", `<main><header id="x"></main>`: "generic", `<section id="x">`: "generic", `<section id="x" aria-label="S">`: "region",
		`<aside id="x">`: "complementary", `<img id="x" alt="">`: "none", `<img id="x" alt="" tabindex="0">`: "img", `<img id="x">`: "img", `<input id="x" list="l">`: "combobox", `<input id="x" type="password">`: "",
		`<select id="x">`: "combobox", `<select id="x" multiple>`: "listbox", `<ul><li id="x">`: "listitem", `<ul role="none"><li id="x">`: "none", `<ul role="none" aria-label="L"><li id="x">`: "listitem",
		`<table><tr><td id="x">`: "cell", `<table role="grid"><tr><td id="x">`: "gridcell", `<table role="presentation"><tr><td id="x">`: "generic", `<table><tr><th id="x">a</th><td>b</td></tr></table>`: "rowheader",
		`<table><tr><th id="x" scope="col">a</th><td>b</td></tr></table>`: "columnheader", `<div id="x" role="foo button">`: "button", `<button id="x" role="none">`: "button", `<h1 id="x" role="presentation">`: "none",
		`<svg id="x">`: "graphics-document", `<div id="x" role="BUTTON">`: "button", `<div id="x" role="widget">`: "generic", `<form id="x">`: "generic", `<p id="x">`: "paragraph", `<summary id="x">`: "",
	} {
		if got := Of(element(t, s)); got != want {
			t.Errorf("%s: %q, want %q", s, got, want)
		}
	}
}

// TestTabbable checks what is part of sequential focus navigation.
func TestTabbable(t *testing.T) {
	for s, want := range map[string]bool{
		`<a id="x" href="/">a`: true, `<a id="x">a`: false, `<div id="x" tabindex="0">`: true, `<div id="x" tabindex="-1">`: false, `<div id="x" tabindex="x">`: false, `<div id="x" tabindex=" 1x">`: true,
		`<button id="x" disabled>`: false, `<fieldset disabled><input id="x"></fieldset>`: false, `<fieldset disabled><legend><input id="x"></legend></fieldset>`: true, `<div inert><a id="x" href="/">a</a></div>`: false,
		`<div hidden><a id="x" href="/">a</a></div>`: false, `<a id="x" href="/" style="visibility:hidden">a`: false, `<a id="x" href="/" style="opacity:0">a`: true, `<div id="x" contenteditable>`: true, `<video id="x" controls>`: true,
		`<details><summary id="x">s`: true, `<summary id="x">s`: false, `<input id="x" type="hidden">`: false, `<svg><a id="x" href="/"></a></svg>`: true,
	} {
		if got := Tabbable(element(t, s)); got != want {
			t.Errorf("%s: %v, want %v", s, got, want)
		}
	}
}

// TestTables checks that the tables of roles hang together.
func TestTables(t *testing.T) {
	for name, r := range roles {
		for _, list := range []string{r.Super, r.Context} {
			for _, s := range strings.Fields(list) {
				if _, ok := roles[s]; !ok {
					t.Errorf("%s names the role %q, which is none", name, s)
				}
			}
		}
		for _, p := range strings.Fields(r.Props + " " + r.Required + " " + r.Default) {
			if _, ok := properties["aria-"+p]; !ok {
				t.Errorf("%s names the property %q, which is none", name, p)
			}
		}
		for _, p := range strings.Fields(r.Required) {
			if !Supports(name, "aria-"+p) && !properties["aria-"+p].Global {
				t.Errorf("%s requires %q and does not support it", name, p)
			}
		}
		if !r.Abstract && r.Super == "" {
			t.Errorf("%s inherits from nothing", name)
		}
	}
	for _, c := range [][2]string{{"switch", "input"}, {"doc-biblioref", "link"}, {"treegrid", "table"}, {"searchbox", "widget"}, {"rowheader", "cell"}} {
		if !Inherits(c[0], c[1]) {
			t.Errorf("%s does not inherit from %s", c[0], c[1])
		}
	}
}
