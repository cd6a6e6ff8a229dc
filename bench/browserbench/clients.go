package browserbench

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"runtime/pprof"

	"github.com/amblecrawl/amble"
	"github.com/amblecrawl/amble/browser"
)

// job is what a client is told to do: load the first pages of the site and read the HTML of each as it stands.
type job struct {
	base    string
	pages   int
	tabs    int
	chrome  string // the program
	verbose bool
}

func (j job) urls() []string {
	out := make([]string, j.pages)
	for i := range out {
		out[i] = fmt.Sprintf("%s/page/%d", j.base, i)
	}
	return out
}

// scriptsRan is in each page's HTML once its scripts ran.
const scriptsRan = `class="row r1"`

// client is a program that is compared.
type client struct {
	name  string
	about string
	audit bool // audits pages instead of reading them
	run   func(context.Context, job) error
	node  string // the script in peers/ instead
}

// clients are in the order of the table; the first of each kind is what ratios are taken to.
var clients = []client{
	{name: "chromedp", about: "a plain loop: a context for each page", run: plainChromedp},
	{name: "amble-fresh", about: "a context for each page, all gates, HTML", run: ambleCrawl(func(_ *amble.Crawler, r *browser.Renderer) { r.FreshPages = true })},
	{name: "amble", about: "a context a site, all gates, HTML", run: ambleCrawl(func(*amble.Crawler, *browser.Renderer) {})},
	{name: "amble-default", about: "the same with a Renderer's own Capture", run: ambleCrawl(func(_ *amble.Crawler, r *browser.Renderer) { r.Capture = browser.Capture{} })},
	{name: "amble-capture", about: "the same with the accessibility tree", run: ambleCrawl(func(_ *amble.Crawler, r *browser.Renderer) {
		r.Capture = browser.Capture{Accessibility: true}
	})},
	{name: "puppeteer", about: "puppeteer-core, a context for each page", node: "puppeteer.mjs"},
	{name: "playwright", about: "playwright-core, a context for each page", node: "playwright.mjs"},
	{name: "crawlee", about: "Crawlee's PlaywrightCrawler, incognito pages", node: "crawlee.mjs"},
	{name: "amble-audit", about: "all analysers, links checked", audit: true, run: ambleCrawl(wholeAudit)},
	{name: "pa11y-ci", about: "axe", audit: true, node: "pa11y.mjs"},
	{name: "lighthouse", about: "its default categories, no picture of the page", audit: true, node: "lighthouse.mjs"},
}

func clientOf(name string) (client, error) {
	for _, c := range clients {
		if c.name == name {
			return c, nil
		}
	}
	return client{}, fmt.Errorf("no client called %q", name)
}

// ClientCommand is the first argument of a process that is a Go client.
const ClientCommand = "browser-client"

// ClientMain is a Go client: its arguments are its name, the site's address and flags.
func ClientMain(args []string) error {
	if len(args) < 2 {
		return errors.New("usage: " + ClientCommand + " NAME URL [flags]")
	}
	c, err := clientOf(args[0])
	if err != nil {
		return err
	}
	if c.run == nil {
		return fmt.Errorf("%s is no Go client", c.name)
	}
	j := job{base: args[1]}
	fs := flag.NewFlagSet(ClientCommand, flag.ContinueOnError)
	fs.IntVar(&j.pages, "pages", 24, "pages to load")
	fs.IntVar(&j.tabs, "tabs", 2, "pages at once")
	fs.StringVar(&j.chrome, "chrome", "", "the browser's `program`")
	fs.BoolVar(&j.verbose, "v", false, "tell what the browser did")
	cpu := fs.String("cpuprofile", "", "`file` for a CPU profile")
	mem := fs.String("memprofile", "", "`file` for a heap profile")
	if err := fs.Parse(args[2:]); err != nil {
		return err
	}
	if *cpu != "" {
		f, err := os.Create(*cpu)
		if err != nil {
			return err
		}
		defer f.Close()
		if err := pprof.StartCPUProfile(f); err != nil {
			return err
		}
		defer pprof.StopCPUProfile()
	}
	err = c.run(context.Background(), j)
	if *mem != "" {
		f, createErr := os.Create(*mem)
		if createErr != nil {
			return errors.Join(err, createErr)
		}
		err = errors.Join(err, pprof.WriteHeapProfile(f), f.Close())
	}
	return err
}
