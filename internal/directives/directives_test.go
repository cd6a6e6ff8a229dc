package directives

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/amblecrawl/amble/internal/cases"
)

func TestXRobotsCases(t *testing.T) {
	type meta struct{ Name, Content string }
	var set struct {
		Now   time.Time
		Cases []struct {
			ID      string
			Headers []string
			Metas   []meta
			Expect  map[string]struct {
				Directives       []string
				MaxSnippet       *int       `json:"max_snippet"`
				MaxImagePreview  string     `json:"max_image_preview"`
				MaxVideoPreview  *int       `json:"max_video_preview"`
				UnavailableAfter *time.Time `json:"unavailable_after"`
				Indexable        bool
				Follow           bool
			}
		}
	}
	cases.JSON(t, "seo/xrobots-cases.json", &set)
	tally := cases.NewTally("xrobots")
	for _, c := range set.Cases {
		var list List
		for _, h := range c.Headers {
			list.AddHeader(h)
		}
		for _, m := range c.Metas {
			list.AddMeta(m.Name, m.Content)
		}
		ok := true
		for bots, want := range c.Expect {
			got := list.For(strings.Split(bots, "|")...)
			var after time.Time
			if want.UnavailableAfter != nil {
				after = *want.UnavailableAfter
			}
			same := slices.Equal(got.Names, want.Directives) &&
				reflect.DeepEqual(got.MaxSnippet, want.MaxSnippet) &&
				reflect.DeepEqual(got.MaxVideoPreview, want.MaxVideoPreview) &&
				got.MaxImagePreview == want.MaxImagePreview && got.UnavailableAfter.Equal(after) &&
				got.Indexable(set.Now) == want.Indexable && got.Follow() == want.Follow
			if !same {
				ok = false
				t.Logf("%s for %s: got %+v, want %+v", c.ID, bots, got, want)
			}
		}
		tally.Add(c.ID, ok)
	}
	tally.Close(t, nil)
}

func TestMalformedDirectivesAreListed(t *testing.T) {
	for _, c := range []struct {
		header, meta string
		want         []Reason
	}{
		{"noindex, frobnicate", "", []Reason{UnknownRule}},
		{"noindex; nofollow; noarchive", "", []Reason{BadSeparator}},
		{"noindex nofollow", "", []Reason{BadSeparator}},
		{"noindex/nofollow", "", []Reason{UnknownRule}},
		{"max-snippet: lots", "", []Reason{BadValue}},
		{"max-snippet: -2, max-video-preview: +1, max-image-preview: huge", "", []Reason{BadValue, BadValue, BadValue}},
		{"unavailable_after: whenever", "", []Reason{BadDate}},
		{"noindex: nofollow", "", []Reason{RuleAsBot}},
		{"http://example.test/", "", []Reason{UnknownRule}},
		{"", "amblebot: noindex", []Reason{ScopeInMeta}},
		{"otherbot: max-snippet:5, noodp", "all, max-image-preview:none", nil},
	} {
		var list List
		list.AddHeader(c.header)
		list.AddMeta("robots", c.meta)
		var got []Reason
		for _, p := range list.Problems {
			got = append(got, p.Reason)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%q, %q: got %v, want %v", c.header, c.meta, list.Problems, c.want)
		}
	}
	var list List
	list.AddMeta("googlebot, bingbot", "noindex")
	if len(list.Problems) != 1 || list.Problems[0].Reason != NameList || len(list.Rules) != 0 {
		t.Errorf("list of names: %+v", list)
	}
}

func TestDates(t *testing.T) {
	for in, want := range map[string]string{
		"2020-09-21":                          "2020-09-21T00:00:00Z",
		"2020-09-21T10:11:12.5Z":              "2020-09-21T10:11:12.5Z",
		"2020-09-21t10:11:12z":                "2020-09-21T10:11:12Z",
		"2020-09-21 10:11":                    "2020-09-21T10:11:00Z",
		"2020-09-21 10:11:12 -0330":           "2020-09-21T13:41:12Z",
		"2020-09-21T10:11:12+0200":            "2020-09-21T08:11:12Z",
		"2020-09-21T10:11:12+02":              "2020-09-21T08:11:12Z",
		"20200921T101112Z":                    "2020-09-21T10:11:12Z",
		"Fri, 25 Jun 10 15:00 EST":            "2010-06-25T20:00:00Z",
		"25 jun 2010 15:00:00 gmt":            "2010-06-25T15:00:00Z",
		"5 Jun 2010 15:00:00 +0100":           "2010-06-05T14:00:00Z",
		"Friday, 25-Jun-10 15:00:00 PST":      "2010-06-25T23:00:00Z",
		"25-Aug-2007 15:00:00 EST":            "2007-08-25T20:00:00Z",
		"Sun Nov  6 08:49:37 1994":            "1994-11-06T08:49:37Z",
		"Wed, 03 Dec 2025 13:09:53 GMT":       "2025-12-03T13:09:53Z",
		"whenever":                            "",
		"":                                    "",
		"25 Jun 2010 15:00:00 XYZ":            "",
		"2020-13-01":                          "",
		"2020-02-30":                          "",
		"Wed, ":                               "",
		"2030-01-02T03:04:05Z, nofollow":      "",
		"99999999999999999999999999999999999": "",
	} {
		got, ok := ParseDate(in)
		if text := got.Format(time.RFC3339Nano); ok != (want != "") || ok && text != want {
			t.Errorf("%q: got %s %v, want %s", in, text, ok, want)
		}
	}
}

func TestRulesKeepTheirSource(t *testing.T) {
	var list List
	list.AddHeader("all")
	list.AddHeader("amblebot: noindex")
	list.AddMeta("robots", "nofollow")
	by := list.For("AmbleBot").By
	if len(by) != 3 || by[1].Where != (Where{Index: 1, Text: "amblebot: noindex"}) || !by[2].Where.Meta {
		t.Errorf("got %+v", by)
	}
}

func TestListIsBounded(t *testing.T) {
	var list List
	for range 10 {
		list.AddHeader(strings.Repeat("noindex,x y,", 100_000))
	}
	if len(list.Rules) > MaxRules || len(list.Problems) > MaxRules || !list.Truncated {
		t.Errorf("%d rules, %d problems", len(list.Rules), len(list.Problems))
	}
}

func FuzzList(f *testing.F) {
	f.Add("noindex, otherbot: max-snippet: 5", "robots", "unavailable_after: Wed, 03 Dec 2025 13:09:53 GMT")
	f.Add("a:b:c:,;:", "a,b", "::")
	f.Fuzz(func(t *testing.T, header, name, content string) {
		var list List
		list.AddHeader(header)
		list.AddMeta(name, content)
		all, own := list.For(), list.For("amblebot")
		for _, n := range all.Names {
			if !own.Has(n) {
				t.Errorf("a bot's name lifted %q", n)
			}
		}
	})
}

func BenchmarkList(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		var list List
		list.AddHeader("noindex, nofollow")
		list.AddMeta("robots", "max-snippet:-1, max-image-preview:large, max-video-preview:-1")
		list.For("amblebot")
	}
}

func ExampleList() {
	var list List
	list.AddHeader("googlebot: nofollow")
	list.AddHeader("AmbleBot: unavailable_after: 25 Jun 2010 15:00:00 PST, noarchive")
	list.AddMeta("robots", "noimageindex")
	s := list.For("amblebot")
	fmt.Println(s.Names, s.UnavailableAfter, s.Indexable(time.Now()), s.Follow())
	// Output: [noarchive noimageindex] 2010-06-25 23:00:00 +0000 UTC false true
}
