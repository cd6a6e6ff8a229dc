package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/amblecrawl/amble"
)

// robotsAnswer is how a robots.txt is read.
type robotsAnswer struct {
	Reading    string // "RFC 9309" or "Google"
	Agents     []string
	Verdicts   []robotsVerdict
	Sitemaps   []amble.RobotsLine    `json:",omitempty"`
	Signals    []amble.RobotsLine    `json:",omitempty"`
	CrawlDelay string                `json:",omitempty"`
	Problems   []amble.RobotsProblem `json:",omitempty"`
}

type robotsVerdict struct {
	URL     string
	Allowed bool
	Group   string `json:",omitempty"` // the user-agent line of the group
	Rule    string `json:",omitempty"`
	Line    int    `json:",omitempty"`
	Why     string
}

func inspectRobots(name string, urls []string, agents tokens, google bool, in io.Reader) (answer, error) {
	body, err := readAll(name, in)
	if err != nil {
		return nil, err
	}
	file := amble.ParseRobots(body, google)
	a := &robotsAnswer{Reading: "RFC 9309", Agents: agents, Sitemaps: file.Sitemaps(), Signals: file.Signals(), Problems: file.Problems()}
	if google {
		a.Reading = "Google"
	}
	if d, ok := file.CrawlDelay(agents...); ok {
		a.CrawlDelay = d.String()
	}
	for _, u := range urls {
		v := file.Check(u, agents...)
		a.Verdicts = append(a.Verdicts, robotsVerdict{URL: u, Allowed: v.Allowed, Group: v.Group, Rule: v.Rule, Line: v.Line, Why: v.Why()})
	}
	return a, nil
}

func (a *robotsAnswer) text(w io.Writer) {
	fmt.Fprintf(w, "Read as %s says, for %s\n", a.Reading, strings.Join(a.Agents, " and "))
	for _, v := range a.Verdicts {
		word := "allowed   "
		if !v.Allowed {
			word = "disallowed"
		}
		fmt.Fprintf(w, "%s  %s\n            %s\n", word, v.URL, v.Why)
	}
	if a.CrawlDelay != "" {
		fmt.Fprintf(w, "Crawl-delay %s\n", a.CrawlDelay)
	}
	for _, line := range append(a.Sitemaps, a.Signals...) {
		fmt.Fprintf(w, "line %d: %s: %s\n", line.Line, line.Key, line.Value)
	}
	if len(a.Problems) > 0 {
		fmt.Fprintln(w, "Problems")
	}
	for _, p := range a.Problems {
		fmt.Fprintf(w, "  line %d: %s: %s\n", p.Line, p.Code, p.Detail)
	}
}
