package robotstxt_test

import (
	"fmt"
	"math"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/amblecrawl/amble/internal/robotstxt"
)

func ExampleMatcher_Check() {
	file := robotstxt.Parse([]byte(`
User-agent: *
Disallow: /

User-agent: ExampleBot
Disallow: /basket/   # nothing to read there
Allow: /basket/help
`), robotstxt.RFC9309)
	matcher := file.For("ExampleBot")
	for _, url := range []string{"https://example.com/basket/1", "https://example.com/basket/help", "https://example.com/"} {
		v := matcher.Check(url)
		fmt.Printf("%v: group %q of line %d, rule %q of line %d\n", v.Allowed, v.Group, v.Agent, v.Rule, v.Line)
	}
	// Output:
	// false: group "ExampleBot" of line 5, rule "Disallow: /basket/" of line 6
	// true: group "ExampleBot" of line 5, rule "Allow: /basket/help" of line 7
	// true: group "ExampleBot" of line 5, rule "" of line 0
}

func ExampleFile_Problems() {
	file := robotstxt.Parse([]byte("Disallow: /a\nUser-agent: *\nCrawl-delay: soon\nDisalow: b%2\nSitemap: /map.xml\n"), robotstxt.RFC9309)
	for _, p := range file.Problems() {
		fmt.Println(p.Line, p.Code, p.Detail)
	}
	// Output:
	// 1 outside-group Disallow: /a
	// 3 bad-crawl-delay soon
	// 4 misspelt-key Disalow
	// 4 bad-pattern b%2
	// 4 bad-percent-escape %2
	// 5 bad-sitemap-url /map.xml
}

func ExampleFile_Lines() {
	file := robotstxt.Parse([]byte("user agent: One # us\nallow /x\n\nwords that say nothing"), robotstxt.RFC9309)
	for line := range file.Lines() {
		fmt.Printf("%d %v %q\n", line.Number, line.Key, line.Value)
	}
	// Output:
	// 1 user-agent "One"
	// 2 allow "/x"
	// 3 none ""
	// 4 none ""
}

// S3: of several tokens, each that has a group must allow; one without a group takes nothing from "*"; without any
// group the group "*" decides.
func TestSeveralTokens(t *testing.T) {
	const (
		star  = "User-agent: *\nDisallow: /star\n"
		bot   = "User-agent: SiteNormaBot\nDisallow: /bot\nAllow: /both\n"
		plain = "User-agent: SiteNorma\nDisallow: /plain\nDisallow: /both\n"
	)
	tests := []struct {
		body, path string
		want       bool
		token      string
	}{
		{star, "/star", false, "*"},
		{star, "/other", true, "*"},
		{star + bot, "/star", true, "SiteNormaBot"},
		{star + bot, "/bot", false, "SiteNormaBot"},
		{star + plain, "/star", true, "SiteNorma"},
		{star + plain, "/plain", false, "SiteNorma"},
		{star + bot + plain, "/bot", false, "SiteNormaBot"},
		{star + bot + plain, "/plain", false, "SiteNorma"},
		{star + bot + plain, "/both", false, "SiteNorma"},
		{star + bot + plain, "/star", true, "SiteNormaBot"},
		{star + "User-agent: SiteNorma\n", "/star", true, "SiteNorma"},
		{star + "User-agent: SiteNorma\nUser-agent: SiteNormaBot\nDisallow: /x", "/x", false, "SiteNormaBot"},
		{"", "/star", true, ""},
		{bot, "/star", true, "SiteNormaBot"},
	}
	for _, test := range tests {
		v := robotstxt.Parse([]byte(test.body), robotstxt.RFC9309).For("SiteNormaBot", "SiteNorma").Check(test.path)
		if v.Allowed != test.want || v.Token != test.token {
			t.Errorf("%q %s: %+v, want %v by %q", test.body, test.path, v, test.want, test.token)
		}
	}
	each := robotstxt.Parse([]byte(star+bot+plain), robotstxt.RFC9309).For("SiteNormaBot", "SiteNorma").CheckEach("/both")
	if len(each) != 2 || !each[0].Allowed || each[1].Allowed {
		t.Errorf("each token by itself: %+v", each)
	}
}

// RFC 9309 section 2.2.1: groups of one token are merged; the verdict names the one that holds the rule.
func TestMergedGroups(t *testing.T) {
	file := robotstxt.Parse([]byte("User-agent: One\nDisallow: /a\n\nUser-agent: Two\nDisallow: /\n\nuser-agent: ONE/2.0\nDisallow: /b\n"), robotstxt.RFC9309)
	want := robotstxt.Verdict{Token: "One", Group: "ONE/2.0", Agent: 7, Rule: "Disallow: /b", Line: 8}
	if got := file.For("One").Check("/b"); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if !file.Has("two") || file.Has("Three") || file.Has("*") {
		t.Error("Has tells which tokens the file names")
	}
}

// A name with digits finds its group in the RFC 9309 mode only; without them a name ends at the first digit in both.
func TestTokenDigits(t *testing.T) {
	body := []byte("User-agent: Bot2\nDisallow: /\n")
	for _, test := range []struct {
		mode  robotstxt.Mode
		token string
		found bool
	}{
		{robotstxt.RFC9309, "bot2", true}, {robotstxt.RFC9309, "Bot", true}, {robotstxt.RFC9309, "Bot22", false},
		{robotstxt.Google, "Bot2", false}, {robotstxt.Google, "Bot", true},
	} {
		if got := robotstxt.Parse(body, test.mode).Has(test.token); got != test.found {
			t.Errorf("mode %d, token %s: found %v", test.mode, test.token, got)
		}
	}
}

// A Crawl-delay belongs to its group; the longest of the groups that decide is the one to keep.
func TestDelay(t *testing.T) {
	const body = "Crawl-delay: 99\nUser-agent: *\nCrawl-delay: 7\nDisallow:\n\nUser-agent: One\nUser-agent: Two\nCrawl-delay: 2.5\nAllow: /\n" +
		"User-agent: Two\nCrawl-Delay: 10s\ncrawl-delay: 3\nAllow: /\nUser-agent: Four\nAllow: /\n"
	file := robotstxt.Parse([]byte(body), robotstxt.RFC9309)
	for _, test := range []struct {
		tokens []string
		want   robotstxt.Delay
	}{
		{[]string{"One"}, robotstxt.Delay{Wait: 2500 * time.Millisecond, Raw: "2.5", OK: true, Line: 8, Group: 6}},
		{[]string{"One", "Two"}, robotstxt.Delay{Wait: 3 * time.Second, Raw: "3", OK: true, Line: 12, Group: 10}},
		{[]string{"Three"}, robotstxt.Delay{Wait: 7 * time.Second, Raw: "7", OK: true, Line: 3, Group: 2}},
		{[]string{"Four"}, robotstxt.Delay{}},
	} {
		if got, ok := file.For(test.tokens...).Delay(); got != test.want || ok != test.want.OK {
			t.Errorf("%v: got %+v, want %+v", test.tokens, got, test.want)
		}
	}
	if all := file.Delays(); len(all) != 5 || all[0].Group != 0 || all[3].OK || all[3].Group != 10 {
		t.Errorf("all delays: %+v", all)
	}
}

// A delay is a decimal number of seconds and nothing else; the absurdly long ones do not overflow.
func TestDelayValues(t *testing.T) {
	for value, want := range map[string]time.Duration{
		"1": time.Second, "0": 0, "0.25": 250 * time.Millisecond, ".5": 500 * time.Millisecond, "10.": 10 * time.Second,
		"99999999999999999999": math.MaxInt64, strings.Repeat("9", 400): math.MaxInt64,
		"": -1, "-1": -1, "1e3": -1, "1,5": -1, "10s": -1, "inf": -1, "0x10": -1, ".": -1, "1.2.3": -1, "1 2": -1,
	} {
		got := robotstxt.Parse([]byte("User-agent: *\nCrawl-delay: "+value), robotstxt.RFC9309).Delays()[0]
		if got.OK != (want >= 0) || got.OK && got.Wait != want {
			t.Errorf("%q: got %+v", value, got)
		}
	}
}

// Sitemap lines belong to the file, preferences about content to a group.
func TestSitemapsAndSignals(t *testing.T) {
	file := robotstxt.Parse([]byte("Sitemap: https://e.test/a.xml\nContent-Signal: search=yes\nUser-agent: *\nContent-Usage: train-ai=n\nContent-signal: ai-train=no\nDisallow: /x\nsite-map: https://e.test/b.xml"), robotstxt.RFC9309)
	if got, want := file.Sitemaps(), []robotstxt.Sitemap{{"https://e.test/a.xml", 1}, {"https://e.test/b.xml", 7}}; !reflect.DeepEqual(got, want) {
		t.Errorf("sitemaps: got %v, want %v", got, want)
	}
	want := []robotstxt.Signal{
		{robotstxt.KeyContentSignal, "search=yes", 2, 0},
		{robotstxt.KeyContentUsage, "train-ai=n", 4, 3},
		{robotstxt.KeyContentSignal, "ai-train=no", 5, 3},
	}
	if got := file.Signals(); !reflect.DeepEqual(got, want) {
		t.Errorf("signals: got %v, want %v", got, want)
	}
}

// Each kind of problem is found, at its line.
func TestProblems(t *testing.T) {
	tests := []struct {
		body string
		want string
	}{
		{"User-agent: *\nDisallow: /\nAllow: /a%20b*$ # fine\n\nSitemap: https://e.test/s.xml\nCrawl-delay: 0.5", ""},
		{"User-agent: GPTBot/1.0\nUser-agent: MJ12bot\nDisallow:\n", ""},
		{" <!DOCTYPE html>\n<p>Disallow: /</p>", "1 html"},
		{"<?xml version='1.0'?>\n<a>", "1 html"},
		{"<!-- x -->\nUser-agent: *\nDisallow: /", "1 no-separator"},
		{"\xFF\xFEU\x00s\x00", "1 encoding"},
		{"User-agent: *\nDisallow: /caf\xe9", "2 not-utf-8"},
		{"User-agent: *\nDisallow: /" + strings.Repeat("é", robotstxt.MaxLine), "2 line-too-long"},
		{"User-agent: *\nDisallow: /a\x00b\nAllow: /\x01", "2 control-byte, 3 control-byte"},
		{"words that say nothing\n: value\nword", "1 no-separator, 2 no-key, 3 no-separator"},
		{"Made-up: x\nNoindex: /x\nHost: e.test", "1 unknown-key, 2 unsupported-key, 3 unsupported-key"},
		{"useragent: *\nDisalow: /\nallows: /x\nsite-map: https://e.test/", "1 misspelt-key, 2 misspelt-key, 3 misspelt-key, 4 misspelt-key"},
		{"User-agent *\nDisallow /x", "1 missing-colon, 2 missing-colon"},
		{"Disallow: /x\nCrawl-delay: 1\nUser-agent: *", "1 outside-group, 2 outside-group"},
		{"User-agent: *\nCrawl-delay: 10\nUser-agent: Bad\nDisallow: /", "3 joined-group"},
		{"User-agent: One, Two\nUser-agent:\nUser-agent: Mozilla/5.0 (One)\nUser-agent: *bot", "1 bad-user-agent, 2 bad-user-agent, 3 bad-user-agent, 4 bad-user-agent"},
		{"User-agent: *\nDisallow: x\nDisallow: https://e.test/x", "2 bad-pattern, 3 bad-pattern"},
		{"User-agent: *\nDisallow: /%\nDisallow: /%20%zz", "2 bad-percent-escape, 3 bad-percent-escape"},
		{"Sitemap: /s.xml\nSitemap: ftp://e.test/\nSitemap:\nSitemap: http://[/", "1 bad-sitemap-url, 2 bad-sitemap-url, 3 bad-sitemap-url, 4 bad-sitemap-url"},
		{"User-agent: *\nCrawl-delay: 5 s", "2 bad-crawl-delay"},
	}
	for _, test := range tests {
		var got []string
		for _, p := range robotstxt.Parse([]byte(test.body), robotstxt.RFC9309).Problems() {
			got = append(got, fmt.Sprint(p.Line, " ", p.Code))
			if len(p.Detail) > 130 {
				t.Errorf("a detail of %d bytes", len(p.Detail))
			}
		}
		if got := strings.Join(got, ", "); got != test.want {
			t.Errorf("%.60q: got %s, want %s", test.body, got, test.want)
		}
	}
	if got := len(robotstxt.Parse([]byte(strings.Repeat("x\n", 1000)), robotstxt.RFC9309).Problems()); got != robotstxt.MaxProblems {
		t.Errorf("%d problems of a thousand are reported", got)
	}
}

// RFC 9309 section 2.5: at least 500 KiB are read, and no rule is cut in half.
func TestCut(t *testing.T) {
	line := "Disallow: /" + strings.Repeat("a", 88) + "\n" // 100 bytes
	whole := strings.Repeat(line, robotstxt.MaxSize/100)
	tests := []struct {
		name, body string
		kept       int
		dropped    bool
	}{
		{"small", line, len(line), false},
		{"just fits", whole, robotstxt.MaxSize, false},
		{"a line over", whole + line, robotstxt.MaxSize, true},
		{"cut inside a line", line[1:] + whole, robotstxt.MaxSize - 1, true},
		{"only a line end over", "#" + whole, robotstxt.MaxSize, true},
		{"carriage returns", "###" + strings.ReplaceAll(whole, "\n", "\r"), robotstxt.MaxSize - 97, true},
		{"the limit falls on a line end", whole[:robotstxt.MaxSize-1] + "x\n", robotstxt.MaxSize, true},
		{"one endless line", strings.Repeat("a", robotstxt.MaxSize+5), robotstxt.MaxSize, true},
	}
	for _, test := range tests {
		kept, dropped := robotstxt.Cut([]byte(test.body))
		if len(kept) != test.kept || dropped != test.dropped {
			t.Errorf("%s: kept %d, dropped %v; want %d, %v", test.name, len(kept), dropped, test.kept, test.dropped)
		}
	}
}

// A question costs no memory: neither for a usual URL nor for one with escapes in normal form.
func TestCheckDoesNotAllocate(t *testing.T) {
	matcher := robotstxt.Parse([]byte(typical), robotstxt.RFC9309).For("ExampleBot", "Other")
	for _, url := range []string{"https://example.com/search/x?y=z#f", "/media/%C3%BC", ""} {
		if n := testing.AllocsPerRun(100, func() { matcher.Check(url) }); n > 0 {
			t.Errorf("%q: %v allocations", url, n)
		}
	}
}

// The agents of a group share its rules: the memory of a file follows its size, not agents times rules.
func TestMemoryIsLinear(t *testing.T) {
	for _, h := range hostile() {
		body := []byte(h.body)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		file := robotstxt.Parse(body, robotstxt.RFC9309)
		runtime.ReadMemStats(&after)
		if got, most := after.TotalAlloc-before.TotalAlloc, uint64(10*len(body)+16<<10); got > most {
			t.Errorf("%s: %d bytes for a file of %d", h.name, got, len(body))
		}
		matcher := file.For("bot-77")
		if got, most := matcher.Size(), 15*len(body)+1<<10; got > most {
			t.Errorf("%s: the matcher holds %d bytes for a file of %d", h.name, got, len(body))
		}
		if got, most := file.Size(), 6*len(body)+1<<10; got > most {
			t.Errorf("%s: the file holds %d bytes of %d", h.name, got, len(body))
		}
	}
}

// Hostile files get their answers, in time: a reading that is not linear would hang this test.
func TestHostileFiles(t *testing.T) {
	want := map[string]bool{"20000 literal rules": false, "20000 wildcard rules": false, "8000 agents, 8000 rules": true,
		"100000 user agents": false, "wildcards with long pieces": true, "nested prefixes": false}
	for _, h := range hostile() {
		for _, mode := range []robotstxt.Mode{robotstxt.RFC9309, robotstxt.Google} {
			file := robotstxt.Parse([]byte(h.body), mode)
			v := file.For("bot-77").Check(h.url)
			if answer, ok := want[h.name]; ok && mode == robotstxt.RFC9309 && v.Allowed != answer {
				t.Errorf("%s: %+v", h.name, v)
			}
			file.Problems()
		}
	}
}
