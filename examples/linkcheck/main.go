// Linkcheck crawls a site and tells which links, images, scripts and style sheets of its pages are broken, each once with
// the pages that name it:
//
//	go run ./examples/linkcheck -name ExampleLinks -info-url https://example.com/crawler https://example.com/
//	go run ./examples/linkcheck -demo
//
// It ends with 1 when something is broken. What a server refuses to tell a crawler is counted as unverifiable, and is
// listed with -all.
package main

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"

	"github.com/amblecrawl/amble"
	"github.com/amblecrawl/amble/analyze/links"
	"github.com/amblecrawl/amble/examples/internal/cli"
)

type options struct {
	who     cli.Who
	fetcher amble.Fetcher
	check   *amble.LinkCheck
	pages   int
	all     bool
	demo    bool
	lang    string
}

func main() {
	o, err := parse(os.Args[1:])
	if err != nil {
		cli.Fail(err)
	}
	if o.demo {
		shut, err := demo(o)
		if err != nil {
			cli.Fail(err)
		}
		defer shut()
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	code, err := run(ctx, o, os.Stdout, os.Stderr)
	if err != nil {
		cli.Fail(err)
	}
	stop()
	os.Exit(code)
}

func parse(args []string) (*options, error) {
	o := &options{check: &amble.LinkCheck{}}
	fs := flag.NewFlagSet("linkcheck", flag.ExitOnError)
	cli.Flags(fs, &o.who.Agent)
	fs.IntVar(&o.pages, "pages", 1000, "at most so many `pages` are read for their links")
	fs.BoolVar(&o.check.SkipExternal, "internal", false, "check links within the site only")
	fs.BoolVar(&o.check.SkipFiles, "no-files", false, "leave images, scripts and style sheets out")
	fs.BoolVar(&o.check.SkipFragments, "no-fragments", false, "do not look whether pages have the places that links lead to")
	fs.IntVar(&o.check.Referrers, "referrers", 3, "list so many of the pages that name a target")
	fs.BoolVar(&o.all, "all", false, "list redirects and what could not be verified too")
	fs.StringVar(&o.lang, "lang", "en", "`language` of the rules: en, es, fr, de or pt")
	fs.BoolVar(&o.demo, "demo", false, "check a small site on loopback that this program serves")
	fs.Usage = func() {
		fmt.Fprintln(fs.Output(), "usage: linkcheck -name NAME -info-url URL [flags] URL …")
		fs.PrintDefaults()
	}
	_ = fs.Parse(args)
	if o.who.Args = fs.Args(); o.demo {
		return o, nil
	}
	if len(o.who.Args) == 0 {
		fs.Usage()
		os.Exit(cli.ExitUsage)
	}
	return o, o.settle()
}

func (o *options) settle() error {
	err := o.who.Settle("linkcheck")
	o.fetcher = o.who.Fetcher
	return err
}

func run(ctx context.Context, o *options, out, progress io.Writer) (code int, err error) {
	line := cli.NewProgress(progress)
	judge := &links.Analyzer{Language: o.lang}
	crawler := &amble.Crawler{
		Agent: o.who.Agent, Fetcher: o.fetcher, Links: o.check, Analyzers: []amble.Analyzer{judge},
		Budget: amble.Budget{Pages: o.pages}, Discover: amble.DiscoverLinks | amble.DiscoverSitemaps,
	}
	if o.demo {
		crawler.Limiter = &amble.ServerLimiter{Pace: -1, Concurrency: -1}
	}
	read := 0
	sum, err := crawler.Each(ctx, func(p *amble.Page) bool {
		if p.Outcome == amble.OutcomeAnalysed {
			read++
		}
		line.Page(p)
		return true
	}, o.who.Args...)
	line.Done()
	if err != nil {
		return 0, err
	}
	broken := write(out, o, judge, sum.SiteFindings)
	fmt.Fprintf(out, "%d pages read. %s\n", read, told(sum.Links))
	switch {
	case read == 0:
		return cli.ExitBlocked, nil
	case broken > 0:
		return cli.ExitFindings, nil
	}
	return cli.ExitOK, nil
}

// write lists the findings by rule, then by how many pages name the target. It returns how many are failures that a
// reader of the site would meet.
func write(out io.Writer, o *options, judge *links.Analyzer, findings []amble.Finding) (broken int) {
	for _, rule := range judge.Rules() {
		var list []amble.Finding
		for _, f := range findings {
			if f.Rule == rule.ID && (o.all || f.Result == amble.Failed && f.Rule != links.Redirected) {
				list = append(list, f)
			}
			if f.Rule == rule.ID && f.Result == amble.Failed && f.Rule != links.Redirected {
				broken++
			}
		}
		if len(list) == 0 {
			continue
		}
		slices.SortStableFunc(list, func(a, b amble.Finding) int {
			return cmp.Or(cmp.Compare(len(b.Evidence["pages"]), len(a.Evidence["pages"])), cmp.Compare(b.Evidence["pages"], a.Evidence["pages"]),
				cmp.Compare(a.Target, b.Target))
		})
		fmt.Fprintf(out, "%s (%s, %d)\n%s\n\n", rule.Title, rule.ID, len(list), rule.Fix)
		for _, f := range list {
			fmt.Fprintf(out, "  %s\n    %s\n", f.Target, f.Message)
			if chain := f.Evidence["chain"]; chain != "" {
				fmt.Fprintf(out, "    %s\n", chain)
			}
			pages := strings.Split(f.Evidence["referrers"], "\n")
			for _, page := range pages {
				fmt.Fprintf(out, "    on %s\n", page)
			}
			if more := f.Evidence["pages"]; more != fmt.Sprint(len(pages)) {
				fmt.Fprintf(out, "    … on %s pages in all\n", more)
			}
		}
		fmt.Fprintln(out)
	}
	return broken
}

// told sums up in one line, with what was not checked: nobody shall take silence for "all is well".
func told(l *amble.LinkSummary) string {
	if l == nil {
		return "No link was checked."
	}
	parts := make([]string, 0, 5)
	for _, v := range []amble.LinkVerdict{amble.LinkOK, amble.LinkRedirected, amble.LinkBroken, amble.LinkUnverifiable, amble.LinkNotChecked} {
		parts = append(parts, fmt.Sprintf("%d %v", l.Verdicts[v], v))
	}
	text := fmt.Sprintf("%d targets of %d references: %s; %d requests.", l.Targets, l.References, strings.Join(parts, ", "), l.Requests)
	if l.Fragments == nil {
		return text + " Fragments were not looked at."
	}
	return text + fmt.Sprintf(" Fragments: %d found, %d missing, %d not known.", l.Fragments[amble.LinkOK], l.Fragments[amble.LinkBroken],
		l.Fragments[amble.LinkNotChecked]+l.Fragments[amble.LinkUnverifiable])
}
