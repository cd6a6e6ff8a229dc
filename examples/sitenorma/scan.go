package main

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/amblecrawl/amble"
	"github.com/amblecrawl/amble/analyze/report"
	"github.com/amblecrawl/amble/examples/internal/cli"
)

// scan crawls a site, or looks at one page for audit, and prints what was found by rule.
func scan(ctx context.Context, o options, out, progress io.Writer) (int, error) {
	renderer, err := o.renderer(progress)
	if err != nil {
		return 0, err
	}
	c := o.crawler()
	if renderer != nil {
		defer renderer.Close()
		c.Renderer = renderer
	}
	c.Analyzers = o.audits()
	c.Links = &amble.LinkCheck{SkipExternal: !o.external} // S5; at S16's pace, and not at all where S21 gave the site up
	reason := "one page"
	if o.command == "audit" {
		c.Discover = amble.DiscoverNothing
	} else {
		var shut func()
		if reason, shut, err = o.climb(ctx, c); err != nil {
			return 0, err
		}
		defer shut()
	}
	options := report.Options{Agent: o.who.Agent, Rules: report.RulesOf(c.Analyzers...), Texts: report.TextsOf(c.Analyzers...),
		Messages: report.MessagesOf(c.Analyzers...)}
	files, err := o.open(options)
	if err != nil {
		return 0, err
	}
	defer files.close()
	if files.run != nil {
		c.Links.Report = files.run.Link
	}
	line := cli.NewProgress(progress)
	printed := newPrinter(options.Rules)
	sum, err := report.Each(ctx, c, o.who.Args, append(files.sinks, progressSink{line}, printed)...)
	line.Done()
	if err != nil {
		return 0, err
	}
	printed.write(out, sum)
	fmt.Fprintf(out, "\nReach: %s\n", reason)
	var agents []string
	if renderer != nil {
		status := renderer.Status()
		agents = append(agents, fmt.Sprintf("that of %s with %q at its end", status.Version, o.who.Agent.Suffix())) // S1
		fmt.Fprintf(out, "\nLoaded in %s", status.Version)
		if !status.Sandbox {
			fmt.Fprint(out, ", without its sandbox: run as an ordinary user to have it")
		}
		fmt.Fprintln(out)
	}
	if err := files.finish(o.before, out, agents...); err != nil {
		return 0, err
	}
	switch {
	case sum.Outcomes[amble.OutcomeAnalysed] == 0:
		return cli.ExitBlocked, nil
	case o.fail && printed.serious():
		return cli.ExitFindings, nil
	}
	return cli.ExitOK, nil
}

// needsPicture makes the crawl load a page in the browser and reports nothing.
type needsPicture struct{}

func (needsPicture) Rules() []amble.Rule {
	return []amble.Rule{{ID: "preview", Title: "The page is shown", Needs: amble.NeedRendered}}
}

func (needsPicture) Analyze(context.Context, *amble.Page, func(amble.Finding)) error { return nil }

// preview saves a page's picture (S5).
func preview(ctx context.Context, o options, out, progress io.Writer) (int, error) {
	renderer, err := o.renderer(progress)
	if err != nil {
		return 0, err
	}
	defer renderer.Close()
	c := o.crawler()
	c.Renderer, c.Discover = renderer, amble.DiscoverNothing
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
