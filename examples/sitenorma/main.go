// Sitenorma is the reference browser auditor: it loads pages in a real Chrome, politely, and reports on accessibility, SEO,
// technical quality and links (lines S1 to S21 of PROMISES.md).
//
//	sitenorma -demo
//	sitenorma scan    -name ExampleAudit -info-url https://example.com/crawler -report site.html https://example.org/
//	sitenorma audit   -name ExampleAudit -info-url https://example.com/crawler https://example.org/prices
//	sitenorma preview -name ExampleAudit -info-url https://example.com/crawler -out page.png https://example.org/
//	sitenorma links   -name ExampleAudit -info-url https://example.com/crawler -external https://example.org/
//	sitenorma verify  -name ExampleAudit -info-url https://example.com/crawler -state DIR -account ann -method file https://example.org/
//	sitenorma watch   -name ExampleAudit -info-url https://example.com/crawler https://example.org/ https://example.net/
//	sitenorma report  -before monday.jsonl -report site.html,site.sarif tuesday.jsonl
//
// Each command explains itself: sitenorma help scan.
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
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/amblecrawl/amble"
	"github.com/amblecrawl/amble/browser"
	"github.com/amblecrawl/amble/examples/internal/cli"
)

// options are all that a command line can say.
type options struct {
	who      cli.Who
	command  string
	mobile   bool
	html     bool
	proved   bool
	account  string
	method   string
	state    string
	pages    int
	out      string
	report   string
	save     string
	before   string
	lang     string
	external bool
	all      bool
	fail     bool
	demo     bool
	once     bool
	every    time.Duration
	confirm  time.Duration
	slow     time.Duration
	certDays int

	resolver amble.TXTResolver // nil: the system's
}

// command is one thing that the program does.
type command struct {
	args  string // what follows the flags
	least int    // arguments
	most  int
	flags []string
	what  string
	run   func(ctx context.Context, o options, out, progress io.Writer) (int, error)
}

var (
	identity = []string{"name", "info-url", "contact"}
	scanning = append([]string{"mobile", "html", "external", "report", "save", "before", "lang", "fail"}, identity...)
	ladder   = []string{"pages", "proved", "account", "state"}
)

func commands() map[string]command {
	return map[string]command{
		"scan": {"URL", 1, 1, append(append([]string{}, ladder...), scanning...), `Crawls a site in Chrome and audits each page, its links, and the site as a whole (S5).
Without a proof of ownership it sees a few pages (S7): prove it with "sitenorma verify", and name the same -state and
-account here.`, scan},
		"audit": {"URL", 1, 1, scanning, `Audits one page (S5).`, scan},
		"preview": {"URL", 1, 1, append([]string{"mobile", "out"}, identity...), `Takes a picture of a page (S5).`,
			preview},
		"links": {"URL", 1, 1, append(append([]string{"external", "all", "fail", "save", "lang"}, ladder...), identity...), `Reads a site's pages over HTTP and checks what their links, images, scripts and style sheets lead to: each target once,
one request at a time per server (S16), and nothing of a site that was given up (S21). What a server refuses to tell a
crawler is unverifiable, not broken.`, linkCheck},
		"verify": {"URL|sc-domain:NAME", 1, 1, append([]string{"account", "method", "state"}, identity...), `Proves who runs a site (S6). Without -method it says what the owner must put where; with one it looks whether that is
there, and remembers the proof in -state, for scan and links.`, verify},
		"watch": {"URL …", 1, 10_000, append([]string{"every", "confirm", "slow", "cert-days", "once", "state"}, identity...), `Watches whether sites answer: up, slow, down, or with a certificate that runs out. One page of each site is asked for
at a time, robots.txt obeyed; what a server refuses to tell a crawler is unknown, not down. A fault is confirmed by a
second look before it is told. Only changes are told, one a line.`, watch},
		"report": {"RUN.jsonl", 1, 1, []string{"report", "before", "lang"}, `Makes reports of a run that scan saved with -save, without asking the site for anything; with -before also what changed
since an earlier run. Pictures are not saved: they are in the report that scan writes.`, reportRun},
	}
}

func main() {
	o, err := parse(os.Args[1:])
	if err != nil {
		if errors.Is(err, flag.ErrHelp) {
			os.Exit(cli.ExitOK)
		}
		fmt.Fprintln(os.Stderr, err)
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

func flags(o *options) *flag.FlagSet {
	fs := flag.NewFlagSet("sitenorma", flag.ContinueOnError)
	cli.Flags(fs, &o.who.Agent)
	fs.BoolVar(&o.mobile, "mobile", false, "show pages as on an Android phone (S1)")
	fs.BoolVar(&o.html, "html", false, "do without Chrome: judge the HTML that the server sends")
	fs.BoolVar(&o.proved, "proved", false, "you vouch for the owner's proof yourself: more than a few pages (S7)")
	fs.StringVar(&o.account, "account", "", "`name` of the owner's account, for whom the site is proved (S7)")
	fs.StringVar(&o.method, "method", "", "`way` of the proof: meta, file or dns (S6)")
	fs.StringVar(&o.state, "state", "", "`folder` that remembers proofs, how many pages a site was asked for today, and what watch last saw")
	fs.IntVar(&o.pages, "pages", 0, "pages at most; 0: 5 without a proof, 500 with one")
	fs.StringVar(&o.out, "out", "preview.png", "`file` for the picture, .png or .jpg")
	fs.StringVar(&o.report, "report", "", "`files` for reports, with commas between; the ending decides: .html for people, .csv, .sarif, .xml (JUnit)")
	fs.StringVar(&o.save, "save", "", "`file` that keeps the run as JSON Lines, for the command report and for a later -before")
	fs.StringVar(&o.before, "before", "", "`file` of an earlier run: what is new, what is fixed, what is still there")
	fs.BoolVar(&o.external, "external", false, "check links to other sites too")
	fs.BoolVar(&o.all, "all", false, "list redirects, what could not be verified and what was not checked too")
	fs.StringVar(&o.lang, "lang", "en", "`language` of the texts: en, es, fr, de, pt")
	fs.BoolVar(&o.fail, "fail", false, "exit with 1 when a serious or critical fault was found")
	fs.BoolVar(&o.demo, "demo", false, "serve a small site on loopback and scan it")
	fs.BoolVar(&o.once, "once", false, "look at each site once and end; exit with 1 when one is down")
	fs.DurationVar(&o.every, "every", 5*time.Minute, "`time` between two looks at a site, at least 1m")
	fs.DurationVar(&o.confirm, "confirm", 30*time.Second, "`time` after which a fault is looked at again before it is told")
	fs.DurationVar(&o.slow, "slow", 3*time.Second, "a site is slow when its first byte takes longer than this `time`")
	fs.IntVar(&o.certDays, "cert-days", 14, "tell when a certificate has fewer `days` left than this")
	return fs
}

// parse reads the command line. Flags may stand before and after the command.
func parse(args []string) (options, error) {
	var o options
	fs := flags(&o)
	all := commands()
	fs.Usage = func() { usage(fs, all) }
	if err := fs.Parse(args); err != nil {
		return o, err
	}
	if o.demo {
		return o, nil
	}
	if fs.NArg() == 0 {
		fs.Usage()
		return o, errors.New("sitenorma: a command, please; or -demo")
	}
	o.command = fs.Arg(0)
	if o.command == "help" {
		c, ok := all[fs.Arg(1)]
		if !ok {
			fs.Usage()
		} else {
			explain(fs, fs.Arg(1), c)
		}
		return o, flag.ErrHelp
	}
	c, ok := all[o.command]
	if !ok {
		return o, fmt.Errorf("sitenorma: unknown command %q; there are %s", o.command, strings.Join(names(all), ", "))
	}
	fs.Usage = func() { explain(fs, o.command, c) }
	if err := fs.Parse(fs.Args()[1:]); err != nil {
		return o, err
	}
	var foreign error
	fs.Visit(func(f *flag.Flag) {
		if foreign == nil && !slices.Contains(c.flags, f.Name) {
			foreign = fmt.Errorf("sitenorma: %s does not know -%s; see sitenorma help %s", o.command, f.Name, o.command)
		}
	})
	if foreign != nil {
		return o, foreign
	}
	if n := fs.NArg(); n < c.least || n > c.most {
		fs.Usage()
		return o, fmt.Errorf("sitenorma: %s wants %s, not %d arguments", o.command, c.args, n)
	}
	o.who.Args = fs.Args()
	if ext := strings.ToLower(filepath.Ext(o.out)); o.command == "preview" && ext != ".png" && ext != ".jpg" && ext != ".jpeg" {
		return o, fmt.Errorf("sitenorma: -out %s: the picture can be .png, .jpg or .jpeg", o.out)
	}
	if o.command == "report" {
		return o, nil // it asks nobody for anything
	}
	return o, o.settle()
}

// settle checks who runs it, by the sites that are asked for.
func (o *options) settle() error {
	if o.command == "verify" {
		property, err := amble.ParseProperty(o.who.Args[0])
		if err != nil {
			return err
		}
		o.who.Args = []string{property.Seed()}
		defer func() { o.who.Args = []string{property.String()} }()
	}
	return o.who.Settle("sitenorma")
}

func names(all map[string]command) []string {
	var list []string
	for name := range all {
		list = append(list, name)
	}
	slices.Sort(list)
	return list
}

// usage lists the commands.
func usage(fs *flag.FlagSet, all map[string]command) {
	w := fs.Output()
	fmt.Fprint(w, "usage: sitenorma COMMAND [flags] ARGUMENTS\n       sitenorma -demo\n\n")
	for _, name := range names(all) {
		first, _, _ := strings.Cut(strings.ReplaceAll(all[name].what, "\n", " "), ". ")
		fmt.Fprintf(w, "  %-8s %s\n", name, strings.TrimSuffix(first, "."))
	}
	fmt.Fprint(w, `
sitenorma help COMMAND tells more. Exit codes: 0 done; 1 found what -fail or -once asks about; 2 the command line cannot
work; 3 the crawl itself failed; 4 not one page could be read.
`)
}

// explain tells what a command does, and its flags.
func explain(fs *flag.FlagSet, name string, c command) {
	w := fs.Output()
	fmt.Fprintf(w, "usage: sitenorma %s [flags] %s\n\n%s\n\n", name, c.args, c.what)
	own := flag.NewFlagSet(name, flag.ContinueOnError)
	own.SetOutput(w)
	for _, f := range c.flags {
		known := fs.Lookup(f)
		own.Var(known.Value, f, known.Usage)
	}
	own.PrintDefaults()
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
		if o.report == "" {
			f, err := os.CreateTemp("", "sitenorma-demo-*.html")
			if err != nil {
				return 0, err
			}
			if o.report = f.Name(); f.Close() != nil {
				return 0, fmt.Errorf("sitenorma: %s cannot be written", o.report)
			}
		}
		if err := o.settle(); err != nil {
			return 0, err
		}
	}
	if o.who.Agent.Name == "SiteNorma" {
		o.who.Agent.Tokens = []string{"SiteNormaBot", "SiteNorma"} // S3
	}
	return commands()[o.command].run(ctx, o, out, progress)
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
	switch {
	case o.command == "preview":
		r.Screenshot = browser.ScreenshotPolicy{Take: true, Format: pictureFormat(o.out)}
		r.Capture = browser.Capture{NoTree: true, NoHTML: true}
	case strings.Contains(o.report, ".html"):
		r.Screenshot = browser.ScreenshotPolicy{Take: true, Full: true} // spots are marked on it, wherever they are
	}
	return r, nil
}

func pictureFormat(file string) string {
	if strings.EqualFold(filepath.Ext(file), ".png") {
		return "png"
	}
	return "jpeg"
}

// crawler is what the commands share.
func (o options) crawler() *amble.Crawler {
	return &amble.Crawler{
		Agent:   o.who.Agent,
		Fetcher: o.who.Fetcher,
		Limiter: &amble.ServerLimiter{Concurrency: 2, LinkConcurrency: 1}, // S16; S17 to S19 are its defaults
		Budget:  amble.Budget{Pages: 10},                                  // one page, and the redirects to it
	}
}
