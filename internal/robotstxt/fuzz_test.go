package robotstxt_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/amblecrawl/amble/internal/robotstxt"
)

// No bytes make the parser or the matcher fail, and what they say holds together whatever they are given.
func FuzzParse(f *testing.F) {
	f.Add([]byte(typical), "/search?q=x")
	f.Add([]byte("User-agent: a\r\nUser-agent: b\r\nDisallow: /*x$\r\n\r\nUser-agent: *\rAllow: /%7e%2A\n"), "https://example.com/%7Ex#y")
	f.Add([]byte("\xEF\xBB\xBFuser agent *\ndisalow /\x00\nCrawl-delay: 1.5\nContent-Signal: a=b\n:\n"), "")
	f.Add([]byte("user-agent:*\ndisallow:/a/b\ndisallow:/?\ndisallow:/;"), "//u:p@x?://a/b;c")
	f.Add([]byte("user-agent:*\nallow:/index.html\ndisallow:/\xff%e9%24$\nnoindex:/"), "?*$%2a%24")
	f.Fuzz(func(t *testing.T, body []byte, url string) {
		for _, mode := range []robotstxt.Mode{robotstxt.RFC9309, robotstxt.Google} {
			file := robotstxt.Parse(body, mode)
			lines := map[int]robotstxt.Line{}
			for line := range file.Lines() {
				if line.Number != len(lines)+1 {
					t.Fatalf("line %d follows line %d", line.Number, len(lines))
				}
				lines[line.Number] = line
			}
			if got := len(file.Problems()); got > robotstxt.MaxProblems {
				t.Fatalf("%d problems", got)
			}
			file.Sitemaps()
			file.Signals()
			file.Delays()
			checkVerdict(t, lines, file.For().Check(url))
			both := file.For("a", "b")
			verdict := both.Check(url)
			checkVerdict(t, lines, verdict)
			allowed := true
			for _, one := range both.CheckEach(url) {
				checkVerdict(t, lines, one)
				allowed = allowed && one.Allowed
			}
			if verdict.Allowed != allowed {
				t.Fatalf("%+v, but each group says %v", verdict, both.CheckEach(url))
			}
			if mode == robotstxt.RFC9309 {
				if escaped := both.Check(robotstxt.Escape(url)); escaped != verdict {
					t.Fatalf("escaping the URL turns %+v into %+v", verdict, escaped)
				}
			}
			if short := both.Check("http://host" + plainPath(url)); short != verdict {
				t.Fatalf("the path %q alone turns %+v into %+v", plainPath(url), verdict, short)
			}
			sameWithLineEnds(t, body, url, mode)
			if path := "/" + strings.Trim(url, "/"); len(body) < 4096 && len(path) < 256 && isASCII(path) && !strings.ContainsAny(path, "#\x00") {
				compare(t, body, []string{"a"}, path, mode)
				compare(t, body, []string{"a", "b2"}, path, mode)
			}
		}
	})
}

// checkVerdict holds a verdict to the lines that it names.
func checkVerdict(t *testing.T, lines map[int]robotstxt.Line, v robotstxt.Verdict) {
	t.Helper()
	if v.Rule == "" && (!v.Allowed || v.Line != 0) {
		t.Fatalf("a refusal or a line without a rule: %+v", v)
	}
	if v.Agent != 0 && (lines[v.Agent].Key != robotstxt.KeyUserAgent || lines[v.Agent].Value != v.Group) {
		t.Fatalf("%+v names the user-agent line %+v", v, lines[v.Agent])
	}
	if v.Line == 0 {
		return
	}
	rule := lines[v.Line]
	if want := map[bool]robotstxt.Key{true: robotstxt.KeyAllow, false: robotstxt.KeyDisallow}[v.Allowed]; rule.Key != want {
		t.Fatalf("%+v names the rule %+v", v, rule)
	}
	if !strings.HasPrefix(v.Rule, rule.Name) || !strings.HasSuffix(v.Rule, rule.Value) || !strings.HasPrefix(rule.Text, v.Rule) {
		t.Fatalf("%q is not how line %+v is written", v.Rule, rule)
	}
	if lines[v.Agent].Group != rule.Group {
		t.Fatalf("%+v joins lines of two groups, %d and %d", v, lines[v.Agent].Group, rule.Group)
	}
}

// sameWithLineEnds holds that CRLF and CR mean what LF means.
func sameWithLineEnds(t *testing.T, body []byte, url string, mode robotstxt.Mode) {
	t.Helper()
	if bytes.IndexByte(body, '\r') >= 0 {
		return
	}
	want := fmt.Sprint(robotstxt.Parse(body, mode).For("a").Check(url))
	for _, end := range []string{"\r\n", "\r"} {
		other := robotstxt.Parse(bytes.ReplaceAll(body, []byte("\n"), []byte(end)), mode)
		if got := fmt.Sprint(other.For("a").Check(url)); got != want {
			t.Fatalf("with line end %q: %s, with LF: %s", end, got, want)
		}
	}
}

func isASCII(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return r >= 0x80 }) < 0
}
