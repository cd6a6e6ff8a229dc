package trap

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"
)

var now = time.Date(2026, 6, 15, 12, 0, 0, 0, time.UTC)

func TestCheckOneURL(t *testing.T) {
	for _, test := range []struct {
		path, query string
		want        Rule
	}{
		// Long and Deep.
		{"/" + strings.Repeat("x", 2047), "", None},
		{"/" + strings.Repeat("x", 2048), "", Long},
		{"/x", strings.Repeat("y", 2047), Long},
		{"/a/b/c/d/e/f/g/h/i/j/k/l/m/n/o/p/q/r/s/t/u/v/w/x", "", None},
		{"/a/b/c/d/e/f/g/h/i/j/k/l/m/n/o/p/q/r/s/t/u/v/w/x/", "", None},
		{"/a/b/c/d/e/f/g/h/i/j/k/l/m/n/o/p/q/r/s/t/u/v/w/x/y", "", Deep},
		{"/openjdk-17/api/java.base/java/util/concurrent/atomic/package-summary.html", "", None},

		// Repeated.
		{"/a/b/a/b/a/b", "", Repeated},
		{"/a/b/a/b/a/b/", "", Repeated},
		{"/x/y/a/b/a/b/a/b/c", "", Repeated},
		{"/a/b/c/a/b/c/a/b/c/index.html", "", Repeated},
		{"/a/b/a/b/", "", None},
		{"/a/b/a/b/a", "", None},
		{"/news/news/news/news", "", Repeated},
		{"/news/news/news", "", None},
		{"/a////b", "", None},
		{"/a/////b", "", Repeated},
		{"/0/0/0/0", "", None},
		{"/tiles/11/11/11/11.png", "", None},
		{"/a/x/a/y/a/z/a/v/a/w/a/u", "", Repeated},
		{"/a/x/a/y/a/z/a/v/a", "", None},
		{"/en/docs/api/v1/docs/api/v2", "", None},

		// FarDate.
		{"/2026/06/", "", None},
		{"/2031/05/", "", None},
		{"/2031/07/", "", FarDate},
		{"/2099/01/", "", FarDate},
		{"/calendar/2099/01", "", FarDate},
		{"/events/2099-01", "", FarDate},
		{"/events/2099-01.html", "", FarDate},
		{"/x/2099-01-31", "", FarDate},
		{"/x/2099/01/31/title", "", FarDate},
		{"/calendar", "year=2099&month=1", FarDate},
		{"/calendar", "cal_month=1&cal_year=2099", FarDate},
		{"/calendar", "filter%5Byear%5D=2099&filter%5Bmonth%5D=12", FarDate},
		{"/x", "date=2099-01-01", FarDate},
		{"/x", "date=2099-01-01T10:00:00", FarDate},
		{"/x", "when=2099%2F01%2F01", FarDate},
		{"/x", "date=20990101", FarDate},
		{"/x", "date=209901", FarDate},
		{"/x", "tribe-bar-date=2099-01", FarDate},
		{"/calendar", "year=1700&month=1", FarDate},
		{"/1851/09/18/archives/title.html", "", None},
		{"/topic/4521/12", "", None},
		{"/p/4521-12", "", None},
		{"/p", "sku=4521-12", None},
		{"/map", "x=4521&y=2099", None},
		{"/map", "y=4521&m=3", None},
		{"/item", "id=20990101", None},
		{"/item/20990101", "", None},
		{"/fund", "year=2060", None},
		{"/2099/title", "", None},
		{"/v/2099.01", "", None},
		{"/2026/13/", "", None},
		{"/list", "page=500", None},
	} {
		got := Limits{}.Check(test.path, test.query, now)
		if got.Rule != test.want {
			t.Errorf("%.60s?%.60s: %v, want %v", test.path, test.query, got, test.want)
		}
		if got.Trap() != (got.Detail != "") {
			t.Errorf("%.60s: verdict %v and its detail do not go together", test.path, got)
		}
	}
}

func TestNegativeLimitsTurnRulesOff(t *testing.T) {
	off := Limits{Length: -1, Segments: -1, Repeats: -1, SameSegment: -1, FutureYears: -1, PastYears: -1, FutureDates: -1,
		PastDates: -1, Permutations: -1, ParameterSets: -1, Combinations: -1, Sessions: -1}
	site := NewSite(off)
	for i := range 3000 {
		for _, u := range []string{"/a" + strings.Repeat("/a", 100), "/9999/01/", "/x?sid=" + fmt.Sprintf("%032x", i),
			fmt.Sprintf("/c?date=2027-01-%02d", i%28+1), fmt.Sprintf("/p?a=1&b%d=2", i)} {
			path, query, _ := strings.Cut(u, "?")
			if v := site.Check("https://example.com", path, query, now); v.Trap() {
				t.Fatalf("%.50s: %v", u, v)
			}
		}
	}
}

// feed asks a site about n URLs and returns how many were let through, and the rule that ended them.
func feed(site *Site, n int, url func(i int) string) (passed int, rule Rule) {
	for i := range n {
		path, query, _ := strings.Cut(url(i), "?")
		v := site.Check("https://example.com", path, query, now)
		if v.Trap() {
			rule = v.Rule
			continue
		}
		passed++
	}
	return passed, rule
}

func TestSiteEndsWhatHasNoEnd(t *testing.T) {
	month := func(i int) string { return now.AddDate(0, i, 1-now.Day()).Format("2006-01") }
	day := func(i int) string { return now.AddDate(0, 0, i).Format("2006/01/02") }
	colours, sizes, brands := 20, 20, 20
	for _, test := range []struct {
		name string
		n    int
		want int // URLs let through
		rule Rule
		url  func(i int) string
	}{
		{"future months by query", 600, 61, FarDate, func(i int) string { return "/calendar?month=" + month(i) }},
		{"future days by path", 500, 61, Calendar, func(i int) string { return "/events/" + day(i) + "/" }},
		{"past days by path", 3000, 1000, Calendar, func(i int) string { return "/events/" + day(-i) + "/" }},
		{"future months, uncertain", 72, 61, Calendar, func(i int) string {
			return "/x/" + strings.ReplaceAll(month(i), "-", "/")
		}},
		{"years", 900, 60, Calendar, func(i int) string { return fmt.Sprintf("/calendar?year=%d", 2027+i) }},
		{"session in query", 100, 1, Session, func(i int) string { return fmt.Sprintf("/x?PHPSESSID=%032x", i) }},
		{"session among others", 100, 1, Session, func(i int) string { return fmt.Sprintf("/x?a=1&sid=%032x&b=2", i+1<<40) }},
		{"session in path", 100, 1, Session, func(i int) string { return fmt.Sprintf("/x;jsessionid=%032X?a=1", i) }},
		{"session of ASP.NET", 100, 1, Session, func(i int) string { return fmt.Sprintf("/(S(%024d))/x.aspx", i) }},
		{"sessions, as many pages", 100, 100, None, func(i int) string {
			return fmt.Sprintf("/page/%d?PHPSESSID=%032x", i, i)
		}},
		{"permutations", 120, 9, Permuted, func(i int) string { return "/x?" + permute([]string{"a=1", "b=2", "c=3", "d=4", "e=5"}, i) }},
		{"parameter sets", 500, 48, Filters, func(i int) string { return "/x?a=1&" + subset(i) }},
		{"filters", colours * sizes * brands, 2000, Filters, func(i int) string {
			return fmt.Sprintf("/shop?colour=%d&size=%d&brand=%d", i%20, i/20%20, i/400)
		}},

		// Near misses: all of these end by themselves.
		{"pagination", 500, 500, None, func(i int) string { return fmt.Sprintf("/shop?page=%d", i+1) }},
		{"pagination of categories", 2500, 2500, None, func(i int) string { return fmt.Sprintf("/shop?cat=%d&page=%d", i%50, i/50) }},
		{"numbered articles", 5000, 5000, None, func(i int) string {
			return fmt.Sprintf("/index.php?option=com_content&view=article&catid=%d&id=%d", i%9, i)
		}},
		{"posts by date", 2000, 2000, None, func(i int) string { return fmt.Sprintf("/%s/post-%d", day(-i), i) }},
		{"archive by month", 240, 240, None, func(i int) string { return "/archive/" + strings.ReplaceAll(month(-i), "-", "/") }},
		{"topics with pages", 5000, 5000, None, func(i int) string { return fmt.Sprintf("/topic/%d/%02d", 1000+i, 1+i%12) }},
		{"documentation", 2000, 2000, None, func(i int) string { return fmt.Sprintf("/docs/v%d/module/%d.html", i%5, i) }},
		{"sorting", 20, 20, None, func(i int) string { return fmt.Sprintf("/x?C=%c;O=%c", "NMSD"[i%4], "AD"[i/4%2]) }},
		{"searches called session", 50, 50, None, func(i int) string { return fmt.Sprintf("/talks?session=keynote-%d", i) }},
		{"short sid", 50, 50, None, func(i int) string { return fmt.Sprintf("/x?sid=%d", i) }},
		{"map tiles", 4000, 4000, None, func(i int) string { return fmt.Sprintf("/map?z=12&x=%d&y=%d", i%63, 2000+i/63) }},
	} {
		t.Run(test.name, func(t *testing.T) {
			passed, rule := feed(NewSite(Limits{}), test.n, test.url)
			if passed != test.want || rule != test.rule {
				t.Errorf("%d of %d let through, the last refused by %v; want %d, %v", passed, test.n, rule, test.want, test.rule)
			}
		})
	}
}

// permute returns the i-th order of parts.
func permute(parts []string, i int) string {
	left := append([]string(nil), parts...)
	var out []string
	for len(left) > 0 {
		n := i % len(left)
		i /= len(left)
		out = append(out, left[n])
		left = append(left[:n], left[n+1:]...)
	}
	return strings.Join(out, "&")
}

// subset returns the i-th choice among ten parameters.
func subset(i int) string {
	var out []string
	for bit := range 10 {
		if (i+1)>>bit&1 == 1 {
			out = append(out, fmt.Sprintf("f%d=1", bit))
		}
	}
	return strings.Join(out, "&")
}

func TestAskingAgainChangesNothing(t *testing.T) {
	site := NewSite(Limits{})
	urls := []string{"/calendar?month=2026-08", "/x?PHPSESSID=0123456789abcdef0123", "/x?a=1&b=2", "/x?b=2&a=1", "/shop?a=1&b=2&c=3"}
	for range 2000 {
		for _, u := range urls {
			path, query, _ := strings.Cut(u, "?")
			if v := site.Check("https://example.com", path, query, now); v.Trap() {
				t.Fatalf("%s: %v", u, v)
			}
		}
	}
}

func TestMemoryIsBounded(t *testing.T) {
	site := NewSite(Limits{Memory: 1000})
	for i := range 20000 {
		site.Check("https://example.com", fmt.Sprintf("/p%d", i), fmt.Sprintf("a=%d&b=%d&c=%d", i, i, i), now)
		if n := len(site.seen.young) + len(site.seen.old); n > 1000 {
			t.Fatalf("%d entries after %d URLs", n, i)
		}
	}
}

func TestSiteIsSafeForConcurrentUse(t *testing.T) {
	site := NewSite(Limits{})
	var group sync.WaitGroup
	for g := range 4 {
		group.Go(func() {
			feed(site, 200, func(i int) string { return fmt.Sprintf("/c?date=2026-07-%02d&a=%d&b=%d", i%28+1, g, i) })
		})
	}
	group.Wait()
}

func TestPlainURLCostsNoAllocation(t *testing.T) {
	site := NewSite(Limits{})
	if n := testing.AllocsPerRun(100, func() { site.Check("https://example.com", "/docs/guide/chapter/section.html", "", now) }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

func FuzzCheck(f *testing.F) {
	for _, u := range []string{"/a/b/a/b/a/b?x", "/2031/05/17.html?date=2099%2f01", "/(S(0123456789012345))/?a;b=c&&=", "/x;jsessionid=1?sid=", "?", "//;;(/"} {
		path, query, _ := strings.Cut(u, "?")
		f.Add(path, query)
	}
	site := NewSite(Limits{Memory: 1000})
	f.Fuzz(func(t *testing.T, path, query string) {
		first := site.Check("https://example.com", path, query, now)
		if v := (Limits{}).Check(path, query, now); v.Trap() && v != first {
			t.Fatalf("alone %v, by site %v", v, first)
		}
		if again := site.Check("https://example.com", path, query, now); again.Trap() != first.Trap() {
			t.Fatalf("first %v, then %v", first, again)
		}
	})
}

func BenchmarkSite(b *testing.B) {
	for _, bench := range []struct{ name, path, query string }{
		{"plain", "/docs/guide/chapter/section.html", ""},
		{"query", "/shop/shoes", "page=2&sort=price"},
		{"date", "/2024/05/17/title", ""},
	} {
		b.Run(bench.name, func(b *testing.B) {
			site := NewSite(Limits{})
			b.ReportAllocs()
			for b.Loop() {
				site.Check("https://example.com", bench.path, bench.query, now)
			}
		})
	}
}
