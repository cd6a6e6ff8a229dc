package robotstxt

import (
	"net/url"
	"strings"
	"unicode/utf8"
)

// Code names a kind of problem. Its text is stable: reports and translations may build on it.
type Code string

const (
	HTML         Code = "html"               // the file is a page or another markup document
	Encoding     Code = "encoding"           // the file is UTF-16, which is not read
	NotUTF8      Code = "not-utf-8"          // octets that are not UTF-8, which the file must be
	TooLong      Code = "line-too-long"      // only the first MaxLine bytes were read
	ControlByte  Code = "control-byte"       // a control character; a NUL ends its line
	NoSeparator  Code = "no-separator"       // no colon, and not two words either
	NoKey        Code = "no-key"             // nothing before the colon
	UnknownKey   Code = "unknown-key"        // ignored: no crawler knows it
	OtherKey     Code = "unsupported-key"    // ignored: only some crawlers follow or once followed it
	Misspelt     Code = "misspelt-key"       // tolerated here, not by every crawler
	MissingColon Code = "missing-colon"      // tolerated here, not by every crawler
	OutsideGroup Code = "outside-group"      // ignored: there is no user-agent line before it
	JoinedGroup  Code = "joined-group"       // the line before it did not end the list of user agents
	BadToken     Code = "bad-user-agent"     // names no product token, or more than one
	BadPattern   Code = "bad-pattern"        // matches nothing: it begins with neither / nor *
	BadEscape    Code = "bad-percent-escape" // a percent sign without two hexadecimal digits
	BadSitemap   Code = "bad-sitemap-url"    // no absolute http or https URL
	BadDelay     Code = "bad-crawl-delay"    // ignored: no decimal number of seconds
)

// MaxProblems is how many problems of a file are reported; what follows is rarely news.
const MaxProblems = 200

// Problem is something that the owner of a site may want to change.
type Problem struct {
	Line   int    // number of the line, from 1
	Code   Code   // what is wrong
	Detail string // the part of the line that it is about, cut to a readable length
}

// Problems returns what is wrong with the file, in the order of its lines and at most MaxProblems of them. Of a file
// that is no robots.txt at all it says only that.
func (f *File) Problems() []Problem {
	c := checker{}
	switch {
	case len(f.records) == 0 && looksLikeMarkup(f.text):
		return []Problem{{Line: 1, Code: HTML, Detail: clip(firstLine(f.text))}}
	case strings.HasPrefix(f.text, "\xFF\xFE"), strings.HasPrefix(f.text, "\xFE\xFF"):
		return []Problem{{Line: 1, Code: Encoding}}
	}
	for line := range f.Lines() {
		c.check(&line)
		if len(c.found) >= MaxProblems {
			return c.found[:MaxProblems]
		}
	}
	return c.found
}

// checker looks for problems, line after line.
type checker struct {
	found  []Problem
	agents bool // the last line that counts was a user-agent line
	other  bool // another line with a key came after it
}

func (c *checker) add(line *Line, code Code, detail string) {
	c.found = append(c.found, Problem{Line: line.Number, Code: code, Detail: clip(detail)})
}

func (c *checker) check(line *Line) {
	if line.Long {
		c.add(line, TooLong, line.Text)
	}
	if line.Zero || strings.IndexFunc(line.Text, isControl) >= 0 {
		c.add(line, ControlByte, line.Text)
	}
	if line.Key == KeyNone {
		switch {
		case line.Empty, line.CommentOnly:
		case strings.HasPrefix(line.Text, ":"):
			c.add(line, NoKey, line.Text)
		default:
			c.add(line, NoSeparator, line.Text)
		}
		return
	}
	if line.MissingColon && line.Key != KeyUnknown {
		c.add(line, MissingColon, line.Text)
	}
	if line.Typo || line.Key != KeyUnknown && len(line.Name) != len(line.Key.String()) {
		c.add(line, Misspelt, line.Name)
	}
	if !utf8.ValidString(line.Value) && !line.Long {
		c.add(line, NotUTF8, line.Value)
	}
	c.checkKey(line)
}

func (c *checker) checkKey(line *Line) {
	switch line.Key {
	case KeyUserAgent:
		if c.agents && c.other {
			c.add(line, JoinedGroup, line.Value)
		}
		if !namesOne(line.Value) {
			c.add(line, BadToken, line.Value)
		}
		c.agents, c.other = true, false
		return
	case KeyAllow, KeyDisallow:
		c.agents = false
		c.checkRule(line)
	case KeySitemap:
		if u, err := url.Parse(line.Value); err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
			c.add(line, BadSitemap, line.Value)
		}
	case KeyCrawlDelay:
		if _, ok := parseDelay(line.Value); !ok {
			c.add(line, BadDelay, line.Value)
		}
		if line.Group == 0 {
			c.add(line, OutsideGroup, line.Text)
		}
	case KeyUnknown:
		if isOtherKey(line.Name) {
			c.add(line, OtherKey, line.Name)
		} else {
			c.add(line, UnknownKey, line.Name)
		}
	}
	c.other = true
}

func (c *checker) checkRule(line *Line) {
	if line.Group == 0 {
		c.add(line, OutsideGroup, line.Text)
	}
	if line.Value == "" {
		return // an empty rule is a way to say that nothing is meant
	}
	if line.Value[0] != '/' && line.Value[0] != '*' {
		c.add(line, BadPattern, line.Value)
	}
	for rest := line.Value; ; rest = rest[1:] {
		i := strings.IndexByte(rest, '%')
		if i < 0 {
			return
		}
		if rest = rest[i:]; !isEscape(rest) {
			c.add(line, BadEscape, rest)
			return
		}
	}
}

// namesOne reports whether the value of a user-agent line is one product token, a version after it allowed, or a star.
// Digits are let pass: names that have them are in wide use.
func namesOne(value string) bool {
	if value == "*" {
		return true
	}
	i := 0
	for i < len(value) && (isTokenByte(value[i]) || isDigit(value[i])) {
		i++
	}
	return i > 0 && (i == len(value) || value[i] == '/' && !strings.ContainsAny(value, " \t,;"))
}

// otherKeys are keys that some crawler follows, or that one did when they were written.
var otherKeys = [...]string{"host", "clean-param", "noindex", "nofollow", "noarchive", "nosnippet", "request-rate",
	"visit-time", "robot-version", "comment", "cache-delay", "license"}

func isOtherKey(name string) bool {
	for _, key := range otherKeys {
		if len(key) == len(name) && equalFold(key, name) {
			return true
		}
	}
	return false
}

// looksLikeMarkup reports whether a text is a page or feed, as servers that answer every URL with a page send it.
func looksLikeMarkup(text string) bool {
	start, end := trim(text, 0, min(len(text), 1024))
	text = text[start:end]
	if text == "" || text[0] != '<' {
		return false
	}
	for _, name := range [...]string{"<!doctype", "<html", "<head", "<body", "<?xml", "<!--", "<script", "<title", "<meta"} {
		if len(text) >= len(name) && equalFold(text[:len(name)], name) {
			return true
		}
	}
	return false
}

func firstLine(text string) string {
	start, end := trim(text, 0, len(text))
	text = text[start:end]
	if i := strings.IndexAny(text, "\r\n"); i >= 0 {
		text = text[:i]
	}
	return text
}

func isControl(r rune) bool { return r < ' ' && r != '\t' || r == 0x7F }

// clip shortens a detail to at most 120 bytes, without splitting a character.
func clip(s string) string {
	const most = 120
	if len(s) <= most {
		return s
	}
	end := most
	for end > most-utf8.UTFMax && !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end] + "…"
}
