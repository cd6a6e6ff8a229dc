// Cmskite is the reference sitemap auditor: it reads the metadata of the pages that a site's owner listed, runs no
// browser, follows no links, and keeps to the budget and pace of a guest (lines C1 to C13 of its promises).
//
//	cmskite -demo
//	cmskite -name ExampleBot -info-url https://example.com/bot -property https://example.org/blog/
//	cmskite -name ExampleBot -info-url https://example.com/bot -property sc-domain:example.org -list pages.txt -json out.jsonl
//
// That the property's owner agreed is for whoever runs it to know (C1): a property that Search Console shows as theirs.
//
// -json writes one record a line for each URL and how it ended; the summary for a person goes to standard output, or
// with "-json -" is left out. With -state a site is read about once a day, and 200 of its pages a day at most, however
// often the program runs; a run that was interrupted is gone on with. Exit codes:
//
//	0  the site was read
//	1  it was read, and something at least as bad as -fail was found
//	2  the command line cannot work
//	3  the run itself failed
//	4  not one page could be read: robots.txt, throttling, a challenge, no sitemap, switched off
//	5  nothing was done: the last run was less than 20 hours ago
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"time"

	"github.com/amblecrawl/amble"
	"github.com/amblecrawl/amble/examples/internal/cli"
)

type options struct {
	agent    amble.Agent
	property string
	list     string
	never    string
	off      string
	state    string
	jsonOut  string
	again    bool
	demo     bool
	fail     *amble.Severity // nil: never
	pages    int
	limit    time.Duration

	fetcher amble.Fetcher // for tests: instead of the network
}

func parse(args []string) (options, error) {
	var o options
	fs := flag.NewFlagSet("cmskite", flag.ContinueOnError)
	cli.Flags(fs, &o.agent)
	fs.StringVar(&o.property, "property", "", "the proved `property`: https://example.com/blog/ or sc-domain:example.com (C1)")
	fs.StringVar(&o.list, "list", "", "`file` with the pages to read, one URL a line, instead of the sitemap (C4); - for standard input")
	fs.StringVar(&o.never, "never", "", "`hosts` never crawled, with commas between (C1)")
	fs.StringVar(&o.off, "off", "", "`file` of sites switched off, one host a line; looked at before and during the run (C1)")
	fs.StringVar(&o.state, "state", "", "`folder` that remembers quotas and what was read, for any number of sites; without it each run stands alone (C7, C10)")
	fs.StringVar(&o.jsonOut, "json", "", "`file` for one JSON record a page; - for standard output")
	fs.BoolVar(&o.again, "again", false, "run although the site was read less than 20 hours ago (C10)")
	fs.Func("fail", "exit with 1 when something of this `severity` or worse is found: info, notice, warning, serious or critical", func(name string) error {
		o.fail = new(amble.Severity)
		return o.fail.UnmarshalText([]byte(name))
	})
	fs.BoolVar(&o.demo, "demo", false, "serve a small site on loopback and read it")
	fs.IntVar(&o.pages, "pages", maxPages, "pages at most, no more than 200 (C7)")
	fs.DurationVar(&o.limit, "time", maxTime, "length of the run at most, no more than 10m (C7)")
	if err := fs.Parse(args); err != nil {
		return o, err
	}
	if fs.NArg() > 0 {
		return o, fmt.Errorf("cmskite: unexpected argument %q; the site goes into -property", fs.Arg(0))
	}
	if !o.demo && o.property == "" {
		return o, fmt.Errorf("cmskite: which site? set -property, or try -demo")
	}
	return o, nil
}

func main() {
	o, err := parse(os.Args[1:])
	if err != nil {
		if err != flag.ErrHelp {
			fmt.Fprintln(os.Stderr, err)
		}
		os.Exit(cli.ExitUsage)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if o.demo {
		shut, err := demo(&o)
		if err != nil {
			cli.Fail(err)
		}
		defer shut()
	}
	code, err := run(ctx, o, os.Stdout, os.Stderr)
	if err != nil {
		cli.Fail(err)
	}
	stop()
	os.Exit(code)
}

// run reads the site and reports. The code says how it went.
func run(ctx context.Context, o options, out, progress io.Writer) (int, error) {
	a, err := newAudit(o)
	if err != nil {
		return 0, err
	}
	defer a.close()
	seeds, err := a.seeds(o)
	if err != nil {
		return 0, err
	}
	records, closeRecords, err := recordWriter(o.jsonOut, out)
	if err != nil {
		return 0, err
	}
	defer closeRecords()
	line := cli.NewProgress(progress)
	report := newReport()
	bad, off := false, false
	defer a.watch(ctx, o.off)()
	sum, err := a.crawler.Each(ctx, func(p *amble.Page) bool {
		line.Page(p)
		report.add(p)
		off = off || errors.Is(p.Err, amble.ErrSwitchedOff)
		if records != nil {
			_ = records.Encode(recordOf(p))
		}
		for _, f := range p.Findings {
			bad = bad || o.fail != nil && f.Result == amble.Failed && f.Severity >= *o.fail
		}
		return true
	}, seeds...)
	line.Done()
	var early *amble.TooSoonError
	if errors.As(err, &early) {
		fmt.Fprintf(progress, "%s was read less than a day ago; the next run is due at %s (-again overrides)\n",
			early.Site, early.Due.UTC().Format(time.RFC3339))
		return cli.ExitNotDue, nil
	}
	if o.jsonOut != "-" {
		report.write(out, sum)
	}
	switch {
	case err != nil:
		return 0, err
	case off:
		fmt.Fprintln(progress, "cmskite: the site was switched off")
		return cli.ExitBlocked, nil
	case sum.Outcomes[amble.OutcomeAnalysed]+sum.Outcomes[amble.OutcomeUnchanged] == 0:
		return cli.ExitBlocked, nil
	case bad:
		return cli.ExitFindings, nil
	}
	return cli.ExitOK, nil
}

func recordWriter(path string, out io.Writer) (*json.Encoder, func(), error) {
	switch path {
	case "":
		return nil, func() {}, nil
	case "-":
		return json.NewEncoder(out), func() {}, nil
	}
	f, err := os.Create(path)
	if err != nil {
		return nil, nil, err
	}
	w := bufio.NewWriter(f)
	return json.NewEncoder(w), func() { _ = w.Flush(); _ = f.Close() }, nil
}

// readList reads one URL a line; blank lines and lines that begin with # are left out.
func readList(path string) ([]string, error) {
	in := os.Stdin
	if path != "-" {
		f, err := os.Open(path)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		in = f
	}
	var urls []string
	scanner := bufio.NewScanner(in)
	scanner.Buffer(nil, 1<<20)
	for scanner.Scan() {
		if text := strings.TrimSpace(scanner.Text()); text != "" && !strings.HasPrefix(text, "#") {
			urls = append(urls, text)
		}
	}
	return urls, scanner.Err()
}
