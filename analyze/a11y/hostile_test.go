package a11y

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
)

// hostilePages are pages made to keep a checker busy: what is deep, wide, circular or quadratic when done carelessly.
func hostilePages(n int) map[string]string {
	many := func(f string) string {
		var b strings.Builder
		for i := range n {
			b.WriteString(strings.ReplaceAll(f, "$", fmt.Sprint(i)))
		}
		return b.String()
	}
	return map[string]string{
		"deep":                           strings.Repeat("<div>", 400) + "x",
		"deep inline":                    strings.Repeat("<span><a href=x>", 250) + "x",
		"flat siblings":                  many("<i>x</i>"),
		"many elements":                  strings.Repeat("<p>x", 5*n),
		"empty links":                    many("<a href='/$'></a>"),
		"one name":                       many("<a href='/$'>More</a>"),
		"empty links in a script's page": "<script>attachShadow()</script><x-y>" + many("<a href='/$' id=e$></a>") + "</x-y>",
		"owns in a circle":               many("<div role=list id=o$ aria-owns='o0 o1 o2 o$'></div>"),
		"one owns all":                   "<div role=list aria-owns='" + many("o$ ") + "'></div>" + many("<div id=o$ role=listitem>x</div>"),
		"labelledby all":                 "<div role=button tabindex=0 aria-labelledby='" + many("o$ ") + "'></div>" + many("<b id=o$>x</b>"),
		"all labelled by all":            many("<button aria-labelledby=all></button>") + "<div id=all>" + many("<b>x</b>") + "</div>",
		"labels for one field":           "<input id=f>" + many("<label for=f>x</label>"),
		"one id":                         many("<label for=f>x</label><input id=f>"),
		"wide table":                     "<table><tr>" + many("<th headers=h$ id=h$>x</th>") + "</tr></table>",
		"long table":                     "<table>" + many("<tr><th scope=row id=h$>x<td headers='h$ h1'>y") + "</table>",
		"spans":                          "<table>" + strings.Repeat("<tr><td colspan=1000 rowspan=65534>x", 300) + "</table>",
		"nested tables":                  strings.Repeat("<table><tr><td>", 150) + "x",
		"selectors":                      "<style>" + many(".a$ > .b + .c ~ .d:not(.e):nth-child(3n+$) { outline: none; color: red }") + "</style>" + strings.Repeat("<p class='a1 b c d'>x</p>", 2000),
		"has":                            "<style>" + strings.Repeat("div:has(> p ~ b:nth-last-child(2)) :is(a, b) { display: none }", 50) + "</style><div>" + many("<p>x</p>") + "</div>",
		"descendant selectors":           "<style>" + strings.Repeat("div div div div div div div div i { color: red }", 50) + "</style>" + strings.Repeat("<div>", 300) + many("<b>x</b>"),
		"focus rules":                    "<style>" + many("a:focus.x$ { outline: none }") + "</style>" + strings.Repeat("<a href=x>y</a>", 2000),
		"custom properties":              "<style>:root{--a0:1px;" + strings.Repeat("--a:var(--a,var(--b));--b:var(--a)var(--a);", 500) + "}p{font-size:var(--b);color:var(--a)}</style>" + strings.Repeat("<p>x", 2000),
		"slots":                          "<div><template shadowrootmode=open>" + many("<slot name=s$></slot>") + "</template>" + many("<b slot=s$>x</b>") + "</div>",
		"slots in slots":                 strings.Repeat("<div><template shadowrootmode=open><slot><slot></slot></slot></template>", 200) + "x",
		"frames in frames":               strings.Repeat("<iframe srcdoc='<p>x'></iframe>", 2000),
		"attributes":                     "<p " + many("aria-x$=1 ") + ">x</p>",
		"a long text":                    "<p lang=de>" + strings.Repeat("word ", 25*n),
		"a long class":                   strings.Repeat("<p class='"+strings.Repeat("c ", 500)+"'>x", 500),
		"radio groups":                   many("<input type=radio name=r$><input type=radio name=r>"),
		"options":                        "<select aria-label=s>" + many("<option>x") + "</select>" + strings.Repeat("<label><select><option>x</select></label>", 1000),
		"headings":                       many("<h2>x</h2>"),
		"landmarks":                      many("<nav aria-label=n$>x</nav>"),
		"areas":                          "<img usemap=#m src=x alt=x><map name=m>" + many("<area href=x$>") + "</map>" + many("<img usemap=#m src=x>"),
		"dialogs":                        many("<dialog open>x</dialog>"),
		"details":                        many("<details><summary></summary>x</details>"),
		"lists":                          strings.Repeat("<ul><li>", 200) + many("<li>x"),
		"definition lists":               "<dl>" + many("<dt>x<dd>y") + "</dl>",
		"handlers":                       many("<button id=b$ onblur=\"moveFocus('b$')\">x</button>"),
		"a chain of handlers":            many("<button id=b$ onblur=\"focusOn('b1$')\">x</button>"),
		"unclosed everything":            strings.Repeat("<table><select><svg><math><template><title><style>", 500),
		"inline svg":                     many("<svg role=img><g><title></title></g></svg>"),
	}
}

// TestHostilePages: no page makes the engine hang: each is judged within seconds, on a busy machine too. With AMBLE_SOAK
// set the pages are large; the log tells which ones take long.
func TestHostilePages(t *testing.T) {
	bound := 60 * time.Second // an engine that is quadratic somewhere needs minutes
	n := 3000
	if os.Getenv("AMBLE_SOAK") != "" {
		n = 20_000
	}
	for name, page := range hostilePages(n) {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(context.Background(), bound)
			defer cancel()
			start := time.Now()
			_, err := CheckHTML(ctx, []byte("<!DOCTYPE html><html lang=en><title>T</title>"+page), "http://site.test/", "text/html", &Options{Linked: func(string) (string, bool) { return "<p>x", true }})
			took := time.Since(start)
			if took > 500*time.Millisecond {
				t.Logf("%v for %d bytes", took.Round(time.Millisecond), len(page))
			}
			if err != nil && strings.Contains(err.Error(), "exceeds 512 nodes") {
				return // said, not suffered
			}
			if err != nil {
				t.Errorf("after %v: %v", took, err)
				return
			}
			if took > bound {
				t.Errorf("took %v", took)
			}
		})
	}
}
