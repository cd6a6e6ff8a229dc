package amble

import (
	"net/url"
	"time"

	"github.com/amblecrawl/amble/internal/robotstxt"
)

// RobotsFile is a parsed robots.txt. It is immutable and safe for concurrent use.
type RobotsFile struct {
	file *robotstxt.File
	cut  bool
}

// ParseRobots reads a robots.txt, whatever its bytes: what is no rule is reported by Problems. At most 500 KiB are read,
// cut at a line's end (RFC 9309 section 2.5). google chooses Google's reading where it differs from the standard's.
func ParseRobots(body []byte, google bool) *RobotsFile {
	mode := robotstxt.RFC9309
	if google {
		mode = robotstxt.Google
	}
	kept, cut := robotstxt.Cut(body)
	return &RobotsFile{robotstxt.Parse(kept, mode), cut}
}

// Check answers for a URL and product tokens as S3 says: where groups of several tokens exist, each must allow the URL;
// where one exists, it decides alone; where none does, the general group. Unlike a RobotsPolicy it knows nothing of
// fetching: State is RobotsRules, and /robots.txt is a path like others.
func (f *RobotsFile) Check(rawURL string, tokens ...string) Verdict {
	return f.For(tokens...)(rawURL)
}

// For prepares Check for many URLs and the same tokens. What it returns is safe for concurrent use.
func (f *RobotsFile) For(tokens ...string) func(rawURL string) Verdict {
	rules := f.file.For(tokens...)
	return func(rawURL string) Verdict { return robotsVerdict(rules, f.file.Mode(), rawURL) }
}

// Cut reports whether the file is longer than 500 KiB, which is all that is read of it (RFC 9309 section 2.5).
func (f *RobotsFile) Cut() bool { return f.cut }

// RobotsLine is a line of robots.txt that carries a value.
type RobotsLine struct {
	Key   string // "sitemap", "crawl-delay", "content-usage", "content-signal"
	Value string // as written
	Line  int    // from 1
}

// Sitemaps returns the Sitemap lines as written, in order.
func (f *RobotsFile) Sitemaps() []RobotsLine {
	var out []RobotsLine
	for _, s := range f.file.Sitemaps() {
		out = append(out, RobotsLine{Key: "sitemap", Value: s.URL, Line: s.Line})
	}
	return out
}

// Signals returns the Content-Usage and Content-Signal lines. They say what may be done with content; an audit reports
// them.
func (f *RobotsFile) Signals() []RobotsLine {
	var out []RobotsLine
	for _, s := range f.file.Signals() {
		out = append(out, RobotsLine{Key: s.Key.String(), Value: s.Value, Line: s.Line})
	}
	return out
}

// CrawlDelay returns the Crawl-delay that applies to the tokens, the longest where several do, and whether there is one.
func (f *RobotsFile) CrawlDelay(tokens ...string) (time.Duration, bool) {
	d, ok := f.file.For(tokens...).Delay()
	return d.Wait, ok
}

// RobotsProblem is something that a site's owner may want to mend.
type RobotsProblem struct {
	Line   int    // from 1
	Code   string // stable, such as "unknown-key" or "outside-group"
	Detail string // the part of the line concerned
}

// Problems returns what is wrong with the file, at most 200 of them.
func (f *RobotsFile) Problems() []RobotsProblem {
	var out []RobotsProblem
	for _, p := range f.file.Problems() {
		out = append(out, RobotsProblem{Line: p.Line, Code: string(p.Code), Detail: p.Detail})
	}
	return out
}

func robotsVerdict(m *robotstxt.Matcher, mode robotstxt.Mode, target string) Verdict {
	if mode == robotstxt.Google {
		target = robotstxt.Escape(target)
	}
	v := m.Check(target)
	out := Verdict{Allowed: v.Allowed, State: RobotsRules, Token: v.Token, Group: v.Group, Rule: v.Rule, Line: v.Line}
	if d, ok := m.Delay(); ok {
		out.Delay = d.Wait
	}
	return out
}

// robotsURL is where an origin has its file: one for each scheme, host and port (RFC 9309 section 2.3).
func robotsURL(u *url.URL) *url.URL {
	return &url.URL{Scheme: u.Scheme, Host: u.Host, Path: "/robots.txt"}
}
