package tech

import (
	"bytes"
	"strings"

	"golang.org/x/net/html"

	"github.com/amblecrawl/amble/internal/charset"
)

var (
	void = set("area base br col embed hr img input link meta param source track wbr basefont bgsound frame keygen")
	// mayStay are elements whose end tag may be left out (HTML standard 13.1.2.4).
	mayStay = set("html head body p li dt dd rt rp rb rtc optgroup option colgroup caption thead tbody tfoot tr td th")
	// endAlone are end tags that make an element of their own.
	endAlone = set("p br")
)

// markup follows the start and end tags of the source, and tells which have no partner. It is cautious: what an implied
// end could explain is let go.
func markup(c *pass) {
	text, _ := charset.Decode(c.p.Response.Body, strings.Join(c.header.Values("Content-Type"), ", "))
	z := html.NewTokenizer(bytes.NewReader(text))
	z.SetMaxBuf(1 << 20)
	type open struct {
		name    string
		line    int
		foreign bool
	}
	var stack []open
	line, reports, foreign := 1, 0, 0
	say := func(rule, name string, line int, message string) {
		if reports++; reports <= 20 {
			c.failAt(rule, name, "<"+name+">", line, message, "element", name)
		}
	}
	for {
		kind := z.Next()
		if kind == html.ErrorToken {
			break
		}
		at := line
		line += bytes.Count(z.Raw(), []byte("\n"))
		switch kind {
		case html.StartTagToken, html.SelfClosingTagToken:
			b, _ := z.TagName()
			name := string(b)
			if void[name] && foreign == 0 || foreign > 0 && kind == html.SelfClosingTagToken || len(stack) > 5000 {
				continue
			}
			if (name == "svg" || name == "math") && kind == html.SelfClosingTagToken {
				continue
			}
			isForeign := name == "svg" || name == "math"
			if isForeign {
				foreign++
			}
			stack = append(stack, open{name, at, isForeign})
		case html.EndTagToken:
			b, _ := z.TagName()
			name := string(b)
			i := len(stack) - 1
			for i >= 0 && stack[i].name != name {
				i--
			}
			if i < 0 {
				if !endAlone[name] && !void[name] && !mayStay[name] {
					say("tag-stray", name, at, "An end tag has no start tag: </"+name+">")
				}
				continue
			}
			for _, o := range stack[i+1:] {
				if !mayStay[o.name] && foreign == 0 {
					say("tag-unclosed", o.name, o.line, "The element "+o.name+" is not closed before </"+name+">.")
				}
			}
			for _, o := range stack[i:] {
				if o.foreign {
					foreign--
				}
			}
			stack = stack[:i]
		}
	}
	if !c.whole {
		return
	}
	for _, o := range stack {
		if !mayStay[o.name] {
			say("tag-unclosed", o.name, o.line, "The element "+o.name+" is never closed.")
		}
	}
}
