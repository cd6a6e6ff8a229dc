package linkheader

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"one", `<https://a.test/>; rel="canonical"`, "https://a.test/ [canonical]"},
		{"unquoted rel", `</c>;rel=canonical`, "/c [canonical]"},
		{"several types, any case", `</c>; rel="Alternate  CANONICAL"`, "/c [alternate canonical]"},
		{"two links", `</a>; rel=next, </b>; rel=prev`, "/a [next] | /b [prev]"},
		{"comma and semicolon inside brackets", `</a,b;c>; rel=next`, "/a,b;c [next]"},
		{"comma inside quotes", `</a>; title="x, <y>; rel=z"; rel=next`, "/a [next] title=x, <y>; rel=z"},
		{"escape inside quotes", `</a>; title="x\"y"; rel=next`, `/a [next] title=x"y`},
		{"first rel counts", `</a>; rel=next; rel=canonical`, "/a [next]"},
		{"hreflang", `</de>; rel="alternate"; hreflang="de-AT"`, "/de [alternate] hreflang=de-AT"},
		{"spaces around everything", ` < /a > ; rel = "next" , `, "/a [next]"},
		{"parameter without value", `</a>; crossorigin; rel=preload`, "/a [preload] crossorigin="},
		{"anchor", `</a>; rel=canonical; anchor="/other"`, "/a [canonical] anchor=/other"},
		{"empty target", `<>; rel=canonical`, " [canonical]"},
		{"no brackets", `https://a.test/; rel=canonical, </b>; rel=next`, "/b [next]"},
		{"open bracket", `</a; rel=canonical`, ""},
		{"missing semicolon", `</a> rel=canonical, </b>; rel=next`, "/b [next]"},
		{"open quote", `</a>; rel="canonical`, "/a [canonical]"},
		{"trailing semicolon", `</a>; rel=canonical;`, "/a [canonical]"},
		{"empty elements", `, ,</a>; rel=next,,`, "/a [next]"},
	} {
		links, _ := Parse(c.in)
		var got []string
		for _, l := range links {
			s := fmt.Sprint(l.Target, " ", l.Rel)
			for _, p := range l.Params {
				s += " " + p.Name + "=" + p.Value
			}
			got = append(got, s)
		}
		if got := strings.Join(got, " | "); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

func TestLinesAddUpAndProblemsAreListed(t *testing.T) {
	links, problems := Parse(`</a>; rel=canonical`, `junk`, `</b>; rel=canonical; anchor="#x"`)
	if len(links) != 2 || links[0].Anchored || !links[1].Anchored || len(problems) != 1 {
		t.Errorf("got %v, %v", links, problems)
	}
}

func TestParseIsBounded(t *testing.T) {
	links, _ := Parse(strings.Repeat("<a>;rel=next,", 100_000))
	if len(links) != MaxLinks {
		t.Errorf("%d links", len(links))
	}
}

func FuzzParse(f *testing.F) {
	f.Add(`</a>; rel="canonical"; title="x, y", <b>;rel=next`)
	f.Add(`<;="\`)
	f.Fuzz(func(t *testing.T, s string) {
		links, _ := Parse(s)
		for _, l := range links {
			if slices.Contains(l.Rel, "") || strings.ToLower(strings.Join(l.Rel, " ")) != strings.Join(l.Rel, " ") {
				t.Errorf("relation types %q", l.Rel)
			}
		}
	})
}

func BenchmarkParse(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		Parse(`<https://www.example.test/page>; rel="canonical", </style.css>; rel=preload; as=style`)
	}
}

func ExampleParse() {
	links, _ := Parse(`<https://www.example.test/de>; rel="alternate"; hreflang="de"`)
	fmt.Println(links[0].Target, links[0].Has("alternate"), links[0].Get("hreflang"))
	// Output: https://www.example.test/de true de
}
