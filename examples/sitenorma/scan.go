package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"time"

	"github.com/amblecrawl/amble"
	"github.com/amblecrawl/amble/analyze/a11y"
	"github.com/amblecrawl/amble/analyze/links"
	"github.com/amblecrawl/amble/analyze/report"
	"github.com/amblecrawl/amble/analyze/seo"
	"github.com/amblecrawl/amble/analyze/tech"
	"github.com/amblecrawl/amble/browser"
	"github.com/amblecrawl/amble/examples/internal/cli"
)

// scan crawls a site, or looks at one page for audit, and prints what was found by rule.
func scan(ctx context.Context, o options, renderer *browser.Renderer, out, progress io.Writer) (int, error) {
	c := o.crawler(renderer)
	c.Analyzers = []amble.Analyzer{
		&a11y.Analyzer{Rendered: renderer != nil, Language: o.lang},
		seo.New(o.who.Agent),
		tech.New(),
		&links.Analyzer{Language: o.lang},
	}
	c.Links = &amble.LinkCheck{SkipExternal: !o.external} // S5; at S16's pace, and not at all where S21 gave the site up
	if o.command == "audit" {
		c.Discover = amble.DiscoverNothing
	}
	options := report.Options{Agent: o.who.Agent, Rules: report.RulesOf(c.Analyzers...), Texts: report.TextsOf(c.Analyzers...)}
	rules := make(map[string]amble.Rule, len(options.Rules))
	for _, rule := range options.Rules {
		rules[rule.ID] = rule
	}
	collector := report.NewCollector(options)
	line := cli.NewProgress(progress)
	found := make(map[string][]amble.Finding)
	skipped := make(map[string][]string)
	sum, err := c.Each(ctx, func(p *amble.Page) bool {
		line.Page(p)
		_ = collector.Page(p) // it returns no error
		for _, f := range p.Findings {
			if f.Result == amble.Failed {
				found[f.Rule] = append(found[f.Rule], f)
			}
		}
		switch p.Outcome {
		case amble.OutcomeAnalysed, amble.OutcomeOutOfScope, amble.OutcomeRedirected:
		default:
			key := p.Outcome.String()
			if p.Reason != "" {
				key += ": " + p.Reason
			}
			skipped[key] = append(skipped[key], p.URL)
		}
		return true
	}, o.who.Args...)
	line.Done()
	if err != nil {
		return 0, err
	}
	for _, f := range sum.SiteFindings {
		if f.Result == amble.Failed {
			found[f.Rule] = append(found[f.Rule], f)
		}
	}
	write(out, sum, rules, found, skipped)
	if o.report != "" {
		if err := save(o, collector, sum, out); err != nil {
			return 0, err
		}
	}
	if renderer != nil {
		status := renderer.Status()
		fmt.Fprintf(out, "\nLoaded in %s", status.Version)
		if !status.Sandbox {
			fmt.Fprint(out, ", without its sandbox: run as an ordinary user to have it")
		}
		fmt.Fprintln(out)
	}
	switch {
	case sum.Outcomes[amble.OutcomeAnalysed] == 0:
		return cli.ExitBlocked, nil
	case o.fail && serious(rules, found):
		return cli.ExitFindings, nil
	}
	return cli.ExitOK, nil
}

// save writes the report for people.
func save(o options, collector *report.Collector, sum *amble.Summary, out io.Writer) error {
	if err := collector.End(sum); err != nil {
		return err
	}
	f, err := os.Create(o.report)
	if err != nil {
		return err
	}
	if err := errors.Join(collector.WriteHTML(f, o.lang), f.Close()); err != nil {
		return err
	}
	fmt.Fprintf(out, "\nThe report is in %s\n", o.report)
	return nil
}

func serious(rules map[string]amble.Rule, found map[string][]amble.Finding) bool {
	for id := range found {
		if rules[id].Severity >= amble.Serious {
			return true
		}
	}
	return false
}

// write prints the summary for a person: the weightiest rules first, three examples of each.
func write(w io.Writer, s *amble.Summary, rules map[string]amble.Rule, found map[string][]amble.Finding, skipped map[string][]string) {
	fmt.Fprintf(w, "%d pages analysed of %d known, in %v; ended: %s\n", s.Outcomes[amble.OutcomeAnalysed], s.URLs(), s.Took.Round(time.Second/10), s.Ended)
	ids := slices.SortedFunc(maps.Keys(found), func(a, b string) int {
		return cmp.Or(cmp.Compare(rules[b].Severity, rules[a].Severity), cmp.Compare(len(found[b]), len(found[a])), cmp.Compare(a, b))
	})
	for _, id := range ids {
		rule := rules[id]
		fmt.Fprintf(w, "\n%s (%s, %d): %s\n", id, rule.Severity, len(found[id]), rule.Title)
		if len(rule.References) > 0 {
			fmt.Fprintf(w, "  %v\n", rule.References)
		}
		for _, f := range found[id][:min(3, len(found[id]))] {
			fmt.Fprintf(w, "  %s %s %s\n", f.URL, f.Selector, f.Message)
		}
	}
	if len(skipped) > 0 {
		fmt.Fprintln(w, "\nNot analysed, and no fault of the site")
		for _, key := range slices.Sorted(maps.Keys(skipped)) {
			fmt.Fprintf(w, "  %s: %d, such as %s\n", key, len(skipped[key]), skipped[key][0])
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

// needsPicture makes the crawl load a page in the browser and reports nothing.
type needsPicture struct{}

func (needsPicture) Rules() []amble.Rule {
	return []amble.Rule{{ID: "preview", Title: "The page is shown", Needs: amble.NeedRendered}}
}

func (needsPicture) Analyze(context.Context, *amble.Page, func(amble.Finding)) error { return nil }

// preview saves a page's picture (S5).
func preview(ctx context.Context, o options, renderer *browser.Renderer, out io.Writer) (int, error) {
	if renderer == nil {
		return 0, fmt.Errorf("sitenorma: a picture needs Chrome; leave -html out: %w", amble.ErrConfig)
	}
	c := o.crawler(renderer)
	c.Discover = amble.DiscoverNothing
	c.Analyzers = []amble.Analyzer{needsPicture{}}
	code := cli.ExitBlocked
	for p, err := range c.Pages(ctx, o.who.Args...) {
		if err != nil {
			return 0, err
		}
		if p.Outcome != amble.OutcomeAnalysed || p.Response == nil || p.Response.Snapshot == nil {
			fmt.Fprintf(out, "%s: %s %s\n", p.URL, p.Outcome, p.Reason)
			continue
		}
		if len(p.Response.Snapshot.Screenshot) == 0 {
			fmt.Fprintf(out, "%s: no picture: %v\n", p.URL, p.Response.Snapshot.Problems)
			continue
		}
		if err := os.WriteFile(o.out, p.Response.Snapshot.Screenshot, 0o644); err != nil {
			return 0, err
		}
		fmt.Fprintf(out, "%s: %s\n", p.URL, o.out)
		code = cli.ExitOK
	}
	return code, nil
}
