package report

import (
	"cmp"
	"encoding/xml"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/amblecrawl/amble"
	"github.com/amblecrawl/amble/analyze/text"
)

type junitSuites struct {
	XMLName  xml.Name     `xml:"testsuites"`
	Tests    int          `xml:"tests,attr"`
	Failures int          `xml:"failures,attr"`
	Suites   []junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	Name      string      `xml:"name,attr"`
	Tests     int         `xml:"tests,attr"`
	Failures  int         `xml:"failures,attr"`
	Errors    int         `xml:"errors,attr"`
	Skipped   int         `xml:"skipped,attr"`
	Time      string      `xml:"time,attr,omitempty"`
	Timestamp string      `xml:"timestamp,attr,omitempty"`
	Cases     []junitCase `xml:"testcase"`
	SystemOut string      `xml:"system-out,omitempty"`
}

type junitCase struct {
	Name    string        `xml:"name,attr"`
	Class   string        `xml:"classname,attr"`
	Failure *junitMessage `xml:"failure"`
	Skipped *junitMessage `xml:"skipped"`
}

type junitMessage struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr,omitempty"`
	Text    string `xml:",chardata"`
}

// WriteJUnit writes the crawl as a suite of tests in the XML that came from Ant's JUnit task and that pipelines read: one
// test a rule. A rule fails when a page failed it with at least the severity least; lesser failures pass, and the output
// names them. Rules are skipped when not one page was analysed: nothing is known then (S20).
func (c *Collector) WriteJUnit(w io.Writer, lang string, least amble.Severity) error {
	t := words(lang)
	suite := junitSuite{Name: c.o.site(c.first)}
	if c.summary != nil && !c.summary.Started.IsZero() {
		suite.Timestamp = c.summary.Started.UTC().Format("2006-01-02T15:04:05")
		suite.Time = fmt.Sprintf("%.3f", c.summary.Took.Round(time.Millisecond).Seconds())
	}
	rules := slices.Clone(c.o.Rules)
	for id, tally := range c.rules {
		if c.known[id] == nil {
			rules = append(rules, tally.rule)
		}
	}
	slices.SortStableFunc(rules, func(a, b amble.Rule) int { return cmp.Compare(a.ID, b.ID) })
	var notes strings.Builder
	for i := range rules {
		r := &rules[i]
		say, _ := c.o.text(r, t.lang)
		one := junitCase{Name: r.ID + ": " + say.Title, Class: suite.Name}
		tally := c.rules[r.ID]
		switch {
		case tally != nil && tally.failed > 0 && tally.severity >= least:
			one.Failure = &junitMessage{Type: tally.severity.String(), Text: c.placesText(tally, say, t.lang),
				Message: t.say("junit.failed", t.number(tally.failed), t.number(tally.pages))}
			suite.Failures++
		case c.clean+c.withPages == 0:
			one.Skipped = &junitMessage{Message: t.say("score.none")}
			suite.Skipped++
		case tally != nil && tally.failed > 0:
			fmt.Fprintf(&notes, "%s (%s): %s\n", r.ID, t.say("severity."+tally.severity.String()),
				t.say("junit.failed", t.number(tally.failed), t.number(tally.pages)))
		}
		suite.Cases = append(suite.Cases, one)
	}
	for _, g := range c.groups() {
		fmt.Fprintf(&notes, "%s: %s\n", t.say("outcome."+g.outcome.String()), t.number(g.count))
	}
	suite.Tests, suite.SystemOut = len(suite.Cases), clean(notes.String())
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	enc := xml.NewEncoder(w)
	enc.Indent("", " ")
	if err := enc.Encode(junitSuites{Tests: suite.Tests, Failures: suite.Failures, Suites: []junitSuite{suite}}); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

// placesText lists the places of a rule.
func (c *Collector) placesText(t *tally, words text.Text, lang string) string {
	var b strings.Builder
	if words.Fix != "" {
		b.WriteString(words.Fix + "\n")
	}
	one := func(p *place) {
		if p.Result != amble.Failed {
			return
		}
		b.WriteString(p.Page)
		if p.Line > 0 {
			fmt.Fprintf(&b, ":%d", p.Line)
		}
		if p.Selector != "" {
			b.WriteString(" " + p.Selector)
		}
		if p.Message != "" {
			b.WriteString(": " + c.o.message(p.Rule, p.Message, lang).Text)
		}
		b.WriteString("\n")
	}
	for i := range t.places {
		one(&t.places[i])
	}
	for _, tg := range t.targets {
		b.WriteString(tg.URL + "\n")
		for i := range tg.Places {
			b.WriteString("  ")
			one(&tg.Places[i])
		}
	}
	return clean(b.String())
}

// clean drops what XML 1.0 cannot hold.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '\t' || r == '\n' || r >= 0x20 && r != 0xfffe && r != 0xffff {
			return r
		}
		return -1
	}, s)
}
