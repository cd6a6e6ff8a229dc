package robotstxt_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/amblecrawl/amble/internal/robotstxt"
)

// This file holds a second reading of robots.txt: byte by byte, one question at a time, with no thought of speed. The
// tests hold the fast one to it.

// plainLines splits a body as the parser must: any line end, a leading mark skipped, long lines cut.
func plainLines(body []byte) []string {
	mark := []byte{0xEF, 0xBB, 0xBF}
	for len(mark) > 0 && len(body) > 0 && body[0] == mark[0] {
		mark, body = mark[1:], body[1:]
	}
	var lines []string
	var line []byte
	for i, c := range body {
		switch {
		case c == '\n' && i > 0 && body[i-1] == '\r':
		case c == '\n' || c == '\r':
			lines = append(lines, string(line))
			line = nil
		case len(line) < robotstxt.MaxLine:
			line = append(line, c)
		}
	}
	return append(lines, string(line))
}

const plainSpace = " \t\n\v\f\r"

func plainSplit(line string) (name, value string) {
	line, _, _ = strings.Cut(line, "\x00")
	line, _, _ = strings.Cut(line, "#")
	line = strings.Trim(line, plainSpace)
	name, value, ok := strings.Cut(line, ":")
	if !ok {
		words := strings.FieldsFunc(line, func(r rune) bool { return r == ' ' || r == '\t' })
		if len(words) != 2 {
			return "", ""
		}
		name, value = words[0], words[1]
	}
	return strings.Trim(name, plainSpace), strings.Trim(value, plainSpace)
}

func plainKey(name string) string {
	name = strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, name)
	for _, prefix := range []string{"user-agent", "useragent", "user agent"} {
		if strings.HasPrefix(name, prefix) {
			return "agent"
		}
	}
	for _, prefix := range []string{"disallow", "dissallow", "dissalow", "disalow", "diasllow", "disallaw"} {
		if strings.HasPrefix(name, prefix) {
			return "disallow"
		}
	}
	if strings.HasPrefix(name, "allow") {
		return "allow"
	}
	return ""
}

// plainNames reports whether a user-agent value names a token.
func plainNames(value, token string, mode robotstxt.Mode) bool {
	letters := "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_"
	if mode == robotstxt.RFC9309 && strings.ContainsAny(token, "0123456789") {
		letters += "0123456789"
	}
	name := value[:len(value)-len(strings.TrimLeft(value, letters))]
	return token != "" && name != "" && len(name) == len(token) && strings.EqualFold(name, token)
}

// plainSymbols turns a path or pattern into what is compared, one symbol a character; the wildcard is "*" and a literal
// star in the RFC 9309 mode is "\*". The count is the pattern's specificity.
func plainSymbols(s string, mode robotstxt.Mode, pattern bool) (symbols []string, octets int) {
	hex := func(c byte) bool { return strings.IndexByte("0123456789abcdefABCDEF", c) >= 0 }
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '%' && i+2 < len(s) && hex(s[i+1]) && hex(s[i+2]):
			var octet int
			fmt.Sscanf(s[i+1:i+3], "%x", &octet)
			i += 2
			switch decoded := string(rune(octet)); {
			case mode == robotstxt.RFC9309 && octet < 0x80 && strings.Contains("*$", decoded):
				symbols = append(symbols, `\`+decoded)
				octets += 3
			case mode == robotstxt.RFC9309 && octet < 0x80 && strings.Contains("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~", decoded):
				symbols = append(symbols, decoded)
				octets++
			default:
				symbols = append(symbols, strings.Split(fmt.Sprintf("%%%02X", octet), "")...)
				octets += 3
			}
		case s[i] >= 0x80:
			if !pattern && mode == robotstxt.Google {
				symbols = append(symbols, "raw")
				continue
			}
			symbols = append(symbols, strings.Split(fmt.Sprintf("%%%02X", s[i]), "")...)
			octets += 3
		case s[i] == '*' && (!pattern && mode == robotstxt.RFC9309):
			symbols = append(symbols, `\*`)
			octets++
		case s[i] == '$' && mode == robotstxt.RFC9309:
			symbols = append(symbols, `\$`)
			octets++
		default:
			symbols = append(symbols, string(rune(s[i])))
			octets++
		}
	}
	return symbols, octets
}

// plainMatches tries every way in which the pattern may lie over the path.
func plainMatches(path, pattern []string, anchored bool) bool {
	reach := make([]bool, len(path)+1)
	reach[0] = true
	for _, p := range pattern {
		next := make([]bool, len(path)+1)
		for i := range reach {
			if !reach[i] {
				continue
			}
			if p == "*" {
				for j := i; j <= len(path); j++ {
					next[j] = true
				}
			} else if i < len(path) && path[i] == p {
				next[i+1] = true
			}
		}
		reach = next
	}
	if anchored {
		return reach[len(path)]
	}
	return slices.Contains(reach, true)
}

type plainAnswer struct {
	found, allowed bool
	line           int
	octets         int
}

// plainAsk answers for one name: a token or, when it is "*", everybody.
func plainAsk(body []byte, name, path string, mode robotstxt.Mode) plainAnswer {
	answer := plainAnswer{allowed: true}
	symbols, _ := plainSymbols(path, mode, false)
	if mode == robotstxt.Google {
		symbols = strings.Split(path, "") // compared as given; the tests ask for US-ASCII only
	}
	ours, ended := false, true
	for i, line := range plainLines(body) {
		name1, value := plainSplit(line)
		key := plainKey(name1)
		switch key {
		case "agent":
			if ended {
				ours = false
			}
			ended = false
			if name == "*" && (value == "*" || len(value) > 1 && value[0] == '*' && strings.IndexByte(plainSpace, value[1]) >= 0) ||
				name != "*" && plainNames(value, name, mode) {
				ours, answer.found = true, true
			}
		case "allow", "disallow":
			ended = true
			if !ours || value == "" {
				continue
			}
			body, anchored := strings.CutSuffix(value, "$")
			pattern, octets := plainSymbols(body, mode, true)
			if anchored {
				octets++
			}
			matches := plainMatches(symbols, pattern, anchored)
			if !matches && mode == robotstxt.Google && key == "allow" {
				if slash := strings.LastIndexByte(body, '/'); slash >= 0 && strings.HasPrefix(body[slash:], "/index.htm") {
					pattern, octets = plainSymbols(body[:slash+1], mode, true)
					octets++
					matches = plainMatches(symbols, pattern, true)
				}
			}
			if !matches {
				continue
			}
			if octets > answer.octets || octets == answer.octets && key == "allow" && !answer.allowed {
				answer.octets, answer.allowed, answer.line = octets, key == "allow", i+1
			}
		}
	}
	return answer
}

// plainCheck combines the tokens as the rule S3 says.
func plainCheck(body []byte, tokens []string, path string, mode robotstxt.Mode) (allowed bool) {
	named, allowed := false, true
	for _, token := range tokens {
		if answer := plainAsk(body, token, path, mode); token != "*" && answer.found {
			named = true
			allowed = allowed && answer.allowed
		}
	}
	if named {
		return allowed
	}
	return plainAsk(body, "*", path, mode).allowed
}

// plainPath finds the part of a URL that counts, as the written-down cases put it: from the first "/", "?" or ";" after
// the authority up to the fragment, with a slash put before it where there is none.
func plainPath(url string) string {
	url, _, _ = strings.Cut(url, "#")
	rest := strings.TrimPrefix(url, "//")
	if i := strings.Index(rest, "://"); i >= 0 && !strings.ContainsAny(rest[:i], "/?;") {
		rest = rest[i+len("://"):]
	}
	i := strings.IndexAny(rest, "/?;")
	if i < 0 {
		return "/"
	}
	if rest = rest[i:]; rest[0] != '/' {
		rest = "/" + rest
	}
	return rest
}

// compare asks both readings the same question.
func compare(t *testing.T, body []byte, tokens []string, path string, mode robotstxt.Mode) {
	t.Helper()
	got := robotstxt.Parse(body, mode).For(tokens...).Check(path)
	if want := plainCheck(body, tokens, path, mode); got.Allowed != want {
		t.Fatalf("mode %d, tokens %q, path %q: got %+v, the plain reading says %v of\n%q", mode, tokens, path, got, want, body)
	}
	if len(tokens) != 1 {
		return
	}
	answer := plainAsk(body, tokens[0], path, mode)
	if !answer.found {
		answer = plainAsk(body, "*", path, mode)
	}
	if got.Line != answer.line {
		t.Fatalf("mode %d, token %q, path %q: line %d decides (%+v), the plain reading says %d of\n%q", mode, tokens, path, got.Line, got, answer.line, body)
	}
}

// The fast reading and the plain one agree on files put together at random from the pieces that matter.
func TestAgreesWithPlainReading(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	pick := func(from ...string) string { return from[random.IntN(len(from))] }
	pattern := func() string {
		var b strings.Builder
		b.WriteString(pick("/", "/", "/", "*", "", "/a", "x", "$"))
		for range random.IntN(6) {
			b.WriteString(pick("a", "b", "/", "*", "$", "%61", "%2f", "%2F", "%2A", "%24", "é", "%c3%a9", "%", "ab", "index.html", "?", " ", "\x00", "~", "%7E"))
		}
		return b.String()
	}
	for range 8000 {
		var b strings.Builder
		b.WriteString(pick("", "", "", "\xEF\xBB\xBF", "\xEF", "\xEF\x11"))
		for range random.IntN(12) {
			b.WriteString(pick("", "", "", " ", "\t"))
			switch random.IntN(8) {
			case 0, 1, 2:
				b.WriteString(pick("User-agent: ", "user-agent:", "User-agent ", "useragent: ", "user agent : ", "User-Agents: "))
				b.WriteString(pick("One", "Two", "*", "* x", "one/2.0", "One2", "TWO", "One, Two", "*x", "Onetwo", ""))
			case 3, 4, 5:
				b.WriteString(pick("Disallow: ", "disallow:", "Disallow ", "disalow: ", "Disallowed : ") + pattern())
			case 6:
				b.WriteString(pick("Allow: ", "allow:", "Allow ", "ALLOWS: ", " allow\t:") + pattern())
			case 7:
				b.WriteString(pick("", "Sitemap: http://x/", "Crawl-delay: 3", "words", "# User-agent: *", "Dis\x00allow: /", ":", "allow:"))
			}
			b.WriteString(pick("", "", "", " ", "#x", " # x", "\x00y"))
			b.WriteString(pick("\n", "\n", "\n", "\r\n", "\r", "\n\n"))
		}
		body := []byte(b.String())
		var path strings.Builder
		path.WriteString("/")
		for range random.IntN(6) {
			path.WriteString(pick("a", "b", "/", "%61", "%2f", "%2F", "%2A", "*", "$", "%C3%A9", "%c3%a9", "ab", "?", " ", "~", "%7e", "%", "index.html"))
		}
		tokens := [][]string{{"One"}, {"Two"}, {"One2"}, {"One", "Two"}, {"None"}, {}, {"*"}, {"Two", "None", "one2"}}[random.IntN(8)]
		for _, mode := range []robotstxt.Mode{robotstxt.RFC9309, robotstxt.Google} {
			if path := path.String(); !strings.HasPrefix(path, "//") { // two slashes begin an authority
				compare(t, body, tokens, path, mode)
			}
		}
	}
}
