// Sitenorma is the reference browser auditor: it loads pages in a real Chrome, politely, and reports on accessibility, SEO,
// technical quality and links (lines S1 to S21 of its promises).
//
//	sitenorma -demo
//	sitenorma -name ExampleAudit -info-url https://example.com/crawler -report site.html scan https://example.org/
//	sitenorma -name ExampleAudit -info-url https://example.com/crawler audit https://example.org/prices
//	sitenorma -name ExampleAudit -info-url https://example.com/crawler -out page.png preview https://example.org/
//
// scan crawls a site: a few pages, or with -proved as many as -pages says (S7). audit looks at one page. preview takes its
// picture. Without Chrome, -html runs scan and audit over HTTP alone, with less to see.
//
// The exit code is 0 when the work was done, 1 when -fail found a serious fault, 2 for a command line that cannot work, 3
// when the crawl failed, 4 when the site let nothing be seen.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"

	"github.com/amblecrawl/amble"
	"github.com/amblecrawl/amble/browser"
	"github.com/amblecrawl/amble/examples/internal/cli"
)

// What is promised about reach: without proof of ownership a few pages at most (S7).
const (
	unprovedPages = 5
	provedPages   = 500
)

type options struct {
	who      cli.Who
	command  string
	mobile   bool
	html     bool
	proved   bool
	pages    int
	out      string
	report   string
	lang     string
	external bool
	fail     bool
	demo     bool
}

func main() {
	o, err := parse(os.Args[1:])
	if err != nil {
		if !errors.Is(err, flag.ErrHelp) {
			fmt.Fprintln(os.Stderr, err)
		}
		os.Exit(cli.ExitUsage)
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

func parse(args []string) (options, error) {
	var o options
	fs := flag.NewFlagSet("sitenorma", flag.ContinueOnError)
	cli.Flags(fs, &o.who.Agent)
	fs.BoolVar(&o.mobile, "mobile", false, "show pages as on an Android phone (S1)")
	fs.BoolVar(&o.html, "html", false, "do without Chrome: judge the HTML that the server sends")
	fs.BoolVar(&o.proved, "proved", false, "the site's owner has proved it: more than a few pages (S7)")
	fs.IntVar(&o.pages, "pages", 0, "pages at most; 0: 5 without -proved, 500 with it")
	fs.StringVar(&o.out, "out", "preview.png", "`file` for the picture of preview")
	fs.StringVar(&o.report, "report", "", "`file` for the report for people, one HTML file")
	fs.BoolVar(&o.external, "external", false, "check links to other sites too")
	fs.StringVar(&o.lang, "lang", "en", "`language` of the rules' texts: en, es, fr, de, pt")
	fs.BoolVar(&o.fail, "fail", false, "exit with 1 when a serious or critical fault was found")
	fs.BoolVar(&o.demo, "demo", false, "serve a small site on loopback and scan it")
	fs.Usage = func() {
		fmt.Fprintln(fs.Output(), "usage: sitenorma [flags] scan|audit|preview URL")
		fs.PrintDefaults()
	}
	if err := fs.Parse(args); err != nil {
		return o, err
	}
	if o.demo {
		return o, nil
	}
	if fs.NArg() != 2 {
		fs.Usage()
		return o, errors.New("sitenorma: one command and one URL, please; or -demo")
	}
	o.command, o.who.Args = fs.Arg(0), fs.Args()[1:]
	switch o.command {
	case "scan", "audit", "preview":
	default:
		return o, fmt.Errorf("sitenorma: unknown command %q; there are scan, audit and preview", o.command)
	}
	return o, o.who.Settle("sitenorma")
}

// run does what the options say. The code says how it went.
func run(ctx context.Context, o options, out, progress io.Writer) (int, error) {
	if o.demo {
		base, shut, err := demo()
		if err != nil {
			return 0, err
		}
		defer shut()
		o.command, o.proved, o.who.Args = "scan", true, []string{base + "/"}
		if o.who.Agent.Name == "" {
			o.who.Agent.Name, o.who.Agent.InfoURL = "SiteNorma", "https://sitenorma.com/rastreador/" // on loopback only
		}
		if err := o.who.Settle("sitenorma"); err != nil {
			return 0, err
		}
	}
	if o.who.Agent.Name == "SiteNorma" {
		o.who.Agent.Tokens = []string{"SiteNormaBot", "SiteNorma"} // S3
	}
	renderer, err := o.renderer(progress)
	if err != nil {
		return 0, err
	}
	if renderer != nil {
		defer renderer.Close()
	}
	if o.command == "preview" {
		return preview(ctx, o, renderer, out)
	}
	return scan(ctx, o, renderer, out, progress)
}

// renderer starts Chrome, unless -html does without. Where there is none it says so and offers the other form; the demo
// takes it by itself.
func (o *options) renderer(progress io.Writer) (*browser.Renderer, error) {
	if o.html {
		return nil, nil
	}
	if _, err := browser.Find(); err != nil {
		if o.demo {
			fmt.Fprintf(progress, "%v\n\nGoing on without a browser, as with -html.\n", err)
			o.html = true
			return nil, nil
		}
		return nil, fmt.Errorf("%w\n\nOr run with -html, which judges the HTML that the server sends", err)
	}
	r := &browser.Renderer{Agent: o.who.Agent, Mobile: o.mobile, Addresses: o.who.Fetcher.Addresses,
		Banners: browser.BannerPolicy{Mode: browser.BannerRefuse}} // S9: never by consent
	if o.command == "preview" {
		r.Screenshot = browser.ScreenshotPolicy{Take: true, Format: pictureFormat(o.out)}
		r.Capture = browser.Capture{NoTree: true, NoHTML: true}
	}
	return r, nil
}

func pictureFormat(file string) string {
	if strings.HasSuffix(file, ".png") {
		return "png"
	}
	return "jpeg"
}

// crawler is what scan, audit and preview share.
func (o options) crawler(renderer *browser.Renderer) *amble.Crawler {
	c := &amble.Crawler{
		Agent:   o.who.Agent,
		Fetcher: o.who.Fetcher,
		Limiter: &amble.ServerLimiter{Concurrency: 2, LinkConcurrency: 1}, // S16; S17 to S19 are its defaults
		Budget:  amble.Budget{Pages: o.budget()},                          // S7
	}
	if renderer != nil {
		c.Renderer = renderer
	}
	return c
}

func (o options) budget() int {
	switch limit := map[bool]int{false: unprovedPages, true: provedPages}[o.proved]; {
	case o.command != "scan":
		return 10 // one page, and the redirects to it
	case o.pages > 0:
		return min(o.pages, limit)
	default:
		return limit
	}
}
