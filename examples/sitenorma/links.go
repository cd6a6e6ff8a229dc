package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/amblecrawl/amble"
	"github.com/amblecrawl/amble/analyze/links"
	"github.com/amblecrawl/amble/analyze/report"
	"github.com/amblecrawl/amble/examples/internal/cli"
)

// verdicts in the order in which they are told.
var verdicts = []amble.LinkVerdict{amble.LinkBroken, amble.LinkUnverifiable, amble.LinkNotChecked, amble.LinkRedirected, amble.LinkOK}

// linkCheck reads a site's pages and tells what their links lead to (S5, S16, S21).
func linkCheck(ctx context.Context, o options, out, progress io.Writer) (int, error) {
	c := o.crawler()
	c.Analyzers = []amble.Analyzer{&links.Analyzer{Language: o.lang}}
	reason, shut, err := o.climb(ctx, c)
	if err != nil {
		return 0, err
	}
	defer shut()
	options := report.Options{Agent: o.who.Agent, Rules: report.RulesOf(c.Analyzers...), Texts: report.TextsOf(c.Analyzers...)}
	var sinks []report.Sink
	var saved *report.JSONL
	if o.save != "" {
		f, err := os.Create(o.save)
		if err != nil {
			return 0, err
		}
		defer f.Close()
		saved = report.NewJSONL(f, options)
		sinks = append(sinks, saved)
	}
	found := make(map[amble.LinkVerdict][]amble.LinkResult)
	c.Links = &amble.LinkCheck{SkipExternal: !o.external, Report: func(r *amble.LinkResult) {
		if saved != nil {
			saved.Link(r)
		}
		if r.Verdict != amble.LinkOK && (r.Verdict == amble.LinkBroken || o.all) {
			found[r.Verdict] = append(found[r.Verdict], *r)
		}
	}}
	line := cli.NewProgress(progress)
	sum, err := report.Each(ctx, c, o.who.Args, append(sinks, progressSink{line})...)
	line.Done()
	if err != nil {
		return 0, err
	}
	writeLinks(out, o, sum, found)
	fmt.Fprintf(out, "\nReach: %s\n", reason)
	switch {
	case sum.Outcomes[amble.OutcomeAnalysed] == 0:
		return cli.ExitBlocked, nil
	case o.fail && len(found[amble.LinkBroken]) > 0:
		return cli.ExitFindings, nil
	}
	return cli.ExitOK, nil
}

func writeLinks(out io.Writer, o options, sum *amble.Summary, found map[amble.LinkVerdict][]amble.LinkResult) {
	fmt.Fprintf(out, "%d pages read; ended: %s\n", sum.Outcomes[amble.OutcomeAnalysed], sum.Ended)
	if sum.Links == nil {
		fmt.Fprintln(out, "No link was checked: the crawl ended before, or the site was given up.")
		return
	}
	fmt.Fprintf(out, "%d targets of %d references, %d requests:", sum.Links.Targets, sum.Links.References, sum.Links.Requests)
	for _, v := range verdicts {
		fmt.Fprintf(out, " %d %s", sum.Links.Verdicts[v], v)
	}
	fmt.Fprintf(out, ".\nPlaces in pages: %d there, %d missing, %d not known.\n", sum.Links.Fragments[amble.LinkOK],
		sum.Links.Fragments[amble.LinkBroken], sum.Links.Fragments[amble.LinkUnverifiable]+sum.Links.Fragments[amble.LinkNotChecked])
	if !o.external {
		fmt.Fprintln(out, "Links to other sites were not checked; -external does.")
	}
	for _, v := range verdicts {
		list := found[v]
		if len(list) == 0 {
			continue
		}
		slices.SortStableFunc(list, func(a, b amble.LinkResult) int { return b.Pages - a.Pages })
		fmt.Fprintf(out, "\n%s\n", v)
		for _, r := range list {
			target := r.URL
			if r.Fragment != "" {
				target += "#" + r.Fragment
			}
			fmt.Fprintf(out, "  %s\n", target)
			if why := strings.TrimSpace(string(r.Problem) + " " + r.Reason); why != "" {
				fmt.Fprintf(out, "    %s\n", why)
			}
			if chain := links.Chain(&r); chain != "" {
				fmt.Fprintf(out, "    %s\n", chain)
			}
			for i, page := range r.Referrers {
				if i == 3 {
					fmt.Fprintf(out, "    … %d pages in all\n", r.Pages)
					break
				}
				fmt.Fprintf(out, "    on %s\n", page)
			}
		}
	}
}

// progressSink shows how far a crawl is.
type progressSink struct{ line *cli.Progress }

func (p progressSink) Page(page *amble.Page) error { p.line.Page(page); return nil }
func (p progressSink) End(*amble.Summary) error    { return nil }
