// Politeness judges a crawler, anybody's, by what it does to scripted sites on loopback: whether it obeys robots.txt,
// keeps its pace, backs off when asked, says who it is, and stays where it was sent. The crawler is a command line in
// which {url} stands for the site:
//
//	politeness -- wget --recursive --level=3 --quiet --directory-prefix=/tmp/out {url}
//	politeness -pace 1s -- quickstart {url}
//
// The crawler's output goes to standard error with -v. Exit codes: 0 all rules kept, 1 some broken, 2 bad command line.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/amblecrawl/amble"
	"github.com/amblecrawl/amble/ambletest"
	"github.com/amblecrawl/amble/examples/internal/cli"
)

func main() {
	var claims ambletest.Claims
	flag.DurationVar(&claims.Pace, "pace", 0, "the least `time` between two requests that the crawler claims to keep; 0: none is claimed")
	flag.StringVar(&claims.Token, "token", "", "the crawler's product `token` in robots.txt; empty: as its user agent says")
	flag.DurationVar(&claims.Time, "time", time.Minute, "the `time` after which one run is ended")
	flag.IntVar(&claims.AtOnce, "at-once", 4, "`sites` crawled at the same time")
	asJSON := flag.Bool("json", false, "print JSON")
	verbose := flag.Bool("v", false, "show the crawler's output, and the log of each site that it was rude to")
	flag.Parse()
	if !strings.Contains(strings.Join(flag.Args(), " "), "{url}") {
		fmt.Fprintln(os.Stderr, "politeness: name the crawler's command line, with {url} where the site goes: politeness -- wget -r {url}")
		os.Exit(cli.ExitUsage)
	}
	if _, err := exec.LookPath(flag.Arg(0)); err != nil {
		fmt.Fprintf(os.Stderr, "politeness: cannot start %s: %v\n", flag.Arg(0), err)
		os.Exit(cli.ExitUsage)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	judged := ambletest.Judge(ctx, claims, func(ctx context.Context, site string) error {
		return command(ctx, flag.Args(), site, *verbose)
	})
	if *asJSON {
		encoder := json.NewEncoder(os.Stdout)
		encoder.SetIndent("", "  ")
		_ = encoder.Encode(judged)
	} else {
		table(judged, *verbose)
	}
	for _, j := range judged {
		if j.Result == amble.Failed {
			stop()
			os.Exit(cli.ExitFindings)
		}
	}
}

// command runs the crawler. What it exits with is not held against it.
func command(ctx context.Context, args []string, site string, verbose bool) error {
	own := make([]string, len(args))
	for i, arg := range args {
		own[i] = strings.ReplaceAll(arg, "{url}", site)
	}
	cmd := exec.CommandContext(ctx, own[0], own[1:]...)
	cmd.WaitDelay = time.Second
	if verbose {
		cmd.Stdout, cmd.Stderr = os.Stderr, os.Stderr
	}
	return cmd.Run()
}

func table(judged []ambletest.Judgement, verbose bool) {
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	counts := map[amble.Result]int{}
	for _, j := range judged {
		counts[j.Result]++
		fmt.Fprintf(w, "%v\t%s\t%s\t%s\n", j.Result, j.Rule, j.Title, j.Detail)
	}
	_ = w.Flush()
	fmt.Printf("%d kept, %d broken, %d to be judged by a person, %d not tried\n", counts[amble.Passed], counts[amble.Failed],
		counts[amble.CantTell], counts[amble.Untested])
	for _, j := range judged {
		if verbose && j.Result == amble.Failed {
			fmt.Printf("\n%s\n", j.Rule)
			for _, a := range j.Log {
				fmt.Println(" ", a)
			}
		}
	}
}
