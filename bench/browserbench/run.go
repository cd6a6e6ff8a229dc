package browserbench

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/amblecrawl/amble/browser"
)

// options are those of a comparison.
type options struct {
	pages, auditPages, tabs, nodes, rounds int
	clients                                string
	chrome, peers, record, write           string
	limit                                  time.Duration
	verbose                                bool
}

// result is one run of one client. It is a line of the record.
type result struct {
	Client string
	Date   string
	Chrome string
	Pages  int
	Tabs   int
	Nodes  int
	CPU    time.Duration
	Own    time.Duration
	Wall   time.Duration
	Peak   int64
	Counts Counts
	Error  string `json:",omitempty"`
}

// Main compares the clients, round after round, and prints the tables. Its arguments are flags.
func Main(args []string) error {
	var o options
	fs := flag.NewFlagSet("browser", flag.ContinueOnError)
	fs.IntVar(&o.pages, "pages", 24, "pages that are read")
	fs.IntVar(&o.auditPages, "audit-pages", 6, "pages that are audited")
	fs.IntVar(&o.tabs, "tabs", 2, "pages at once")
	fs.IntVar(&o.nodes, "nodes", 300, "elements that the scripts of each page add, about")
	fs.IntVar(&o.rounds, "rounds", 3, "runs of each client; 0 prints the tables of the record")
	fs.StringVar(&o.clients, "clients", "all", "clients, with commas between")
	fs.StringVar(&o.chrome, "chrome", "", "the browser's `program`, for all; empty: the one that amble finds")
	fs.StringVar(&o.peers, "peers", DefaultFolder(), "`folder` of the Node packages (make bench-peers)")
	fs.StringVar(&o.record, "record", "", "`file` to which each run is added, and whose runs count in the tables")
	fs.StringVar(&o.write, "write", "", "`file` for the tables, besides standard output")
	fs.DurationVar(&o.limit, "limit", 4*time.Minute, "longest run of one client")
	fs.BoolVar(&o.verbose, "v", false, "tell what the browser did")
	growing := fs.Int("growth", 0, "instead: load so many pages with the clients that are named, and tell how memory grew")
	if err := fs.Parse(args); err != nil {
		return err
	}
	if o.chrome == "" {
		found, err := browser.Find()
		if err != nil {
			return err
		}
		o.chrome = found
	}
	chosen, err := o.choose()
	if err != nil {
		return err
	}
	if *growing > 0 {
		return o.growth(os.Stdout, chosen, *growing)
	}
	results, err := readRecord(o.record)
	if err != nil {
		return err
	}
	for round := range o.rounds {
		for _, c := range chosen {
			r, m, err := o.once(c, o.pagesOf(c))
			if err != nil {
				return err
			}
			fmt.Fprintf(os.Stderr, "round %d: %-14s %6.2f CPU s (client %.2f), %6.2f s, %4d MB, %d requests %s\n", round+1, c.name,
				r.CPU.Seconds(), r.Own.Seconds(), r.Wall.Seconds(), r.Peak>>20, r.Counts.Requests, r.Error)
			if o.verbose {
				fmt.Fprintf(os.Stderr, "  %v\n", m.usage.Kinds)
			}
			results = append(results, r)
			if err := addRecord(o.record, r); err != nil {
				return err
			}
		}
	}
	out := io.Writer(os.Stdout)
	if o.write != "" {
		f, err := os.Create(o.write)
		if err != nil {
			return err
		}
		defer f.Close()
		out = io.MultiWriter(out, f)
	}
	return tables(out, results)
}

func (o options) pagesOf(c client) int {
	if c.audit {
		return o.auditPages
	}
	return o.pages
}

// choose returns the clients to run. Those that are not installed are left out, when all are asked for.
func (o options) choose() ([]client, error) {
	var out []client
	if o.clients == "all" {
		for _, c := range clients {
			if err := c.missing(o.peers); err != nil {
				fmt.Fprintf(os.Stderr, "%s is left out: %v\n", c.name, err)
				continue
			}
			out = append(out, c)
		}
		return out, nil
	}
	for name := range strings.SplitSeq(o.clients, ",") {
		c, err := clientOf(name)
		if err == nil {
			err = c.missing(o.peers)
		}
		if err != nil {
			return nil, err
		}
		out = append(out, c)
	}
	return out, nil
}

// once runs a client against a fresh site.
func (o options) once(c client, pages int) (result, measured, error) {
	site := NewSite(pages, o.nodes)
	base, shut, err := site.Serve()
	if err != nil {
		return result{}, measured{}, err
	}
	defer shut()
	argv, err := c.command(o, base, pages)
	if err != nil {
		return result{}, measured{}, err
	}
	u, err := Measure(argv, o.limit, os.Stderr)
	if err != nil {
		return result{}, measured{}, err
	}
	r := result{Client: c.name, Date: time.Now().UTC().Format(time.DateOnly), Chrome: o.chrome, Pages: pages, Tabs: o.tabs, Nodes: o.nodes,
		CPU: u.CPU, Own: u.Own, Wall: u.Wall, Peak: u.Peak, Counts: site.Counts()}
	switch {
	case u.Exit != 0:
		r.Error = fmt.Sprintf("exit code %d", u.Exit)
	case r.Counts.Unique < pages:
		r.Error = fmt.Sprintf("asked for %d pages of %d", r.Counts.Unique, pages)
	}
	return r, measured{u, site.Visits()}, nil
}

// measured is what a run tells besides its result.
type measured struct {
	usage  Usage
	visits []Visit
}

// command is how a client is called.
func (c client) command(o options, base string, pages int) ([]string, error) {
	if c.node != "" {
		script, err := writeScript(o.peers, c.node)
		return []string{"node", script, base, strconv.Itoa(pages), strconv.Itoa(o.tabs), o.chrome}, err
	}
	self, err := os.Executable()
	argv := []string{self, ClientCommand, c.name, base, "-pages", strconv.Itoa(pages), "-tabs", strconv.Itoa(o.tabs), "-chrome", o.chrome}
	if o.verbose {
		argv = append(argv, "-v")
	}
	return argv, err
}

func readRecord(name string) ([]result, error) {
	if name == "" {
		return nil, nil
	}
	f, err := os.Open(name)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var out []result
	for d := json.NewDecoder(f); ; {
		var r result
		if err := d.Decode(&r); err == io.EOF {
			return out, nil
		} else if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		out = append(out, r)
	}
}

func addRecord(name string, r result) error {
	if name == "" {
		return nil
	}
	f, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	return errors.Join(json.NewEncoder(f).Encode(r), f.Close())
}
