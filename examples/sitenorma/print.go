package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/amblecrawl/amble"
	"github.com/amblecrawl/amble/analyze/a11y"
)

// printer keeps what a scan prints: findings by rule with three examples, and what was not analysed.
type printer struct {
	rules   map[string]amble.Rule
	found   map[string]*examples
	skipped map[string]*examples
}

type examples struct {
	count int
	first []string
}

func (e *examples) add(format string, args ...any) {
	if e.count++; len(e.first) < 3 {
		e.first = append(e.first, fmt.Sprintf(format, args...))
	}
}

func newPrinter(rules []amble.Rule) *printer {
	p := &printer{rules: make(map[string]amble.Rule), found: make(map[string]*examples), skipped: make(map[string]*examples)}
	for _, rule := range rules {
		p.rules[rule.ID] = rule
	}
	return p
}

// Page implements report.Sink.
func (p *printer) Page(page *amble.Page) error {
	p.add(page.Findings)
	switch page.Outcome {
	case amble.OutcomeAnalysed, amble.OutcomeOutOfScope, amble.OutcomeRedirected:
		return nil
	}
	key := page.Outcome.String()
	if page.Reason != "" {
		key += ": " + page.Reason
	}
	at(p.skipped, key).add("%s", page.URL)
	return nil
}

// End implements report.Sink.
func (p *printer) End(s *amble.Summary) error {
	p.add(s.SiteFindings)
	return nil
}

func (p *printer) add(list []amble.Finding) {
	for _, f := range list {
		if f.Result == amble.Failed {
			where := f.URL
			if f.Target != "" && f.Target != f.URL {
				where += " -> " + f.Target
			}
			at(p.found, f.Rule).add("%s %s %s", where, f.Selector, f.Message)
		}
	}
}

func at(m map[string]*examples, key string) *examples {
	if m[key] == nil {
		m[key] = &examples{}
	}
	return m[key]
}

func (p *printer) serious() bool {
	for id := range p.found {
		if p.rules[id].Severity >= amble.Serious {
			return true
		}
	}
	return false
}

// write prints the summary for a person: the weightiest rules first, then accessibility by success criterion.
func (p *printer) write(w io.Writer, s *amble.Summary) {
	fmt.Fprintf(w, "%d pages analysed of %d known, in %v; ended: %s\n", s.Outcomes[amble.OutcomeAnalysed], s.URLs(), s.Took.Round(time.Second/10), s.Ended)
	ids := slices.SortedFunc(maps.Keys(p.found), func(a, b string) int {
		return cmp.Or(cmp.Compare(p.rules[b].Severity, p.rules[a].Severity), cmp.Compare(p.found[b].count, p.found[a].count), cmp.Compare(a, b))
	})
	for _, id := range ids {
		rule := p.rules[id]
		fmt.Fprintf(w, "\n%s (%s, %d): %s\n", id, rule.Severity, p.found[id].count, rule.Title)
		if len(rule.References) > 0 {
			fmt.Fprintf(w, "  %v\n", rule.References)
		}
		for _, example := range p.found[id].first {
			fmt.Fprintf(w, "  %s\n", example)
		}
		if more := p.found[id].count - len(p.found[id].first); more > 0 {
			fmt.Fprintf(w, "  and %d more\n", more)
		}
	}
	p.criteria(w, ids)
	if len(p.skipped) > 0 {
		fmt.Fprintln(w, "\nNot analysed")
		for _, key := range slices.Sorted(maps.Keys(p.skipped)) {
			fmt.Fprintf(w, "  %s: %d, such as %s\n", key, p.skipped[key].count, p.skipped[key].first[0])
		}
	}
	fmt.Fprintln(w, "\nAsked of the servers")
	for _, server := range s.Servers {
		fmt.Fprintf(w, "  %s:", server.Origin)
		for _, kind := range slices.Sorted(maps.Keys(server.Requests)) {
			fmt.Fprintf(w, " %d %s", server.Requests[kind], kind)
		}
		if server.Throttled > 0 {
			fmt.Fprintf(w, "; it said \"not now\" %d times, the longest wait was %v", server.Throttled, server.Waited.Round(time.Second/10))
		}
		fmt.Fprintln(w)
	}
}

var criterion = regexp.MustCompile(`^WCAG \d\.\d (\d\.\d\.\d+)$`)

// criteria prints which success criteria of WCAG were found broken, and by which rules.
func (p *printer) criteria(w io.Writer, ids []string) {
	broken := make(map[string][]string)
	for _, id := range ids {
		for _, ref := range p.rules[id].References {
			if m := criterion.FindStringSubmatch(ref); m != nil && strings.HasPrefix(id, "a11y-") {
				broken[m[1]] = append(broken[m[1]], fmt.Sprintf("%s %d", id, p.found[id].count))
			}
		}
	}
	if len(broken) == 0 {
		return
	}
	fmt.Fprintln(w, "\nAccessibility by WCAG criterion")
	for _, c := range a11y.Criteria() {
		if rules := broken[c.Number]; len(rules) > 0 {
			fmt.Fprintf(w, "  %s %s (%s): %s\n", c.Number, c.Name, c.Level, strings.Join(rules, ", "))
		}
	}
}
