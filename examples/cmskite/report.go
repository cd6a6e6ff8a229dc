package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"time"

	"github.com/amblecrawl/amble"
)

// report is the summary for a person.
type report struct {
	findings map[string][]string // rule: URLs
	answers  map[string][]string // "outcome: reason": URLs that led to no page, as the site says
	skipped  map[string][]string // the same: URLs that were not looked at
	noindex  []string
}

func newReport() *report {
	return &report{findings: make(map[string][]string), answers: make(map[string][]string), skipped: make(map[string][]string)}
}

func (r *report) add(p *amble.Page) {
	for _, f := range p.Findings {
		if f.Result == amble.Failed {
			r.findings[f.Rule] = append(r.findings[f.Rule], p.URL)
		}
	}
	if p.Meta != nil && p.Meta.Robots.NoIndex {
		r.noindex = append(r.noindex, p.URL)
	}
	key := p.Outcome.String()
	if p.Reason != "" {
		key += ": " + p.Reason
	}
	switch p.Outcome {
	case amble.OutcomeAnalysed, amble.OutcomeUnchanged:
	case amble.OutcomeRedirected, amble.OutcomeHTTPError, amble.OutcomeNotHTML:
		r.answers[key] = append(r.answers[key], p.URL)
	default:
		r.skipped[key] = append(r.skipped[key], p.URL)
	}
}

func (r *report) write(w io.Writer, s *amble.Summary) {
	fmt.Fprintf(w, "%d pages read of %d known, in %v; ended: %s\n", s.Outcomes[amble.OutcomeAnalysed], s.URLs(), s.Took.Round(time.Second/10), s.Ended)
	if n := s.Outcomes[amble.OutcomeUnchanged]; n > 0 {
		fmt.Fprintf(w, "%d pages did not change since the last run\n", n)
	}
	for _, sm := range s.Sitemaps {
		if sm.Err != nil {
			fmt.Fprintf(w, "sitemap %s: %v\n", sm.URL, sm.Err)
			continue
		}
		fmt.Fprintf(w, "sitemap %s: %s, %d entries\n", sm.URL, sm.Type, sm.Entries)
		for _, problem := range first(sm.Problems, 5) {
			fmt.Fprintf(w, "  %s\n", problem)
		}
	}
	list(w, "Found", r.findings)
	if len(r.noindex) > 0 {
		list(w, "Not to be indexed, as the pages say", map[string][]string{"noindex": r.noindex})
	}
	list(w, "Listed, but no page", r.answers)
	list(w, "Not analysed, and no fault of the site", r.skipped)
	fmt.Fprintln(w, "\nAsked of the site")
	for _, server := range s.Servers {
		fmt.Fprintf(w, "  %s: %d robots.txt (%v), %d sitemaps, %d pages, %d bytes; at most %d requests in one second\n", server.Origin,
			server.Requests[amble.KindRobots], server.Robots, server.Requests[amble.KindSitemap], server.Requests[amble.KindPage],
			server.Bytes, server.Busiest)
		if server.Throttled > 0 {
			fmt.Fprintf(w, "  it said \"not now\" %d times; the longest wait was %v\n", server.Throttled, server.Waited.Round(time.Second/10))
		}
		if server.GivenUp {
			fmt.Fprintln(w, "  given up: too many pages in a row could not be loaded")
		}
	}
}

// list writes groups of URLs, the largest first, a few of each.
func list(w io.Writer, title string, groups map[string][]string) {
	if len(groups) == 0 {
		return
	}
	fmt.Fprintf(w, "\n%s\n", title)
	keys := slices.SortedFunc(maps.Keys(groups), func(a, b string) int {
		return cmp.Or(cmp.Compare(len(groups[b]), len(groups[a])), cmp.Compare(a, b))
	})
	for _, key := range keys {
		fmt.Fprintf(w, "  %s: %d\n", key, len(groups[key]))
		for _, u := range first(groups[key], 3) {
			fmt.Fprintf(w, "    %s\n", u)
		}
	}
}

func first(list []string, n int) []string { return list[:min(n, len(list))] }
