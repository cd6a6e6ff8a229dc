// Package cli holds what the example programs share: who runs them, and how they end.
package cli

import (
	"errors"
	"flag"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"os"

	"github.com/amblecrawl/amble"
)

// The exit codes of the examples.
const (
	ExitOK       = 0 // the work was done
	ExitFindings = 1 // the work was done, and something was found that -fail asks to fail on
	ExitUsage    = 2 // the command line cannot work
	ExitFailed   = 3 // the crawl itself failed
	ExitBlocked  = 4 // not one page could be read: robots.txt, throttling, a challenge, no sitemap
	ExitNotDue   = 5 // nothing was done: it is too soon after the last run
)

// Who is the answer to "who runs this?".
type Who struct {
	Agent   amble.Agent
	Fetcher *amble.HTTPFetcher // lets loopback in when only loopback is asked for
	Args    []string           // the URLs
}

// Flags registers -name, -info-url and -contact.
func Flags(fs *flag.FlagSet, agent *amble.Agent) {
	fs.StringVar(&agent.Name, "name", "", "`name` of your crawler, one word, such as ExampleAudit; required away from loopback")
	fs.StringVar(&agent.InfoURL, "info-url", "", "`address` of a page that tells site owners who you are and how to stop you; required away from loopback")
	fs.StringVar(&agent.Contact, "contact", "", "`mailbox` of the operator, sent as From")
}

// Identity parses the command line of a program that takes URLs. It ends the program when that cannot work.
func Identity(program, args string) Who {
	var who Who
	fs := flag.NewFlagSet(program, flag.ExitOnError)
	Flags(fs, &who.Agent)
	fs.Usage = func() {
		fmt.Fprintf(fs.Output(), "usage: %s -name NAME -info-url URL %s\n", program, args)
		fs.PrintDefaults()
	}
	_ = fs.Parse(os.Args[1:])
	if who.Args = fs.Args(); len(who.Args) == 0 {
		fs.Usage()
		os.Exit(ExitUsage)
	}
	if err := who.Settle(program); err != nil {
		Fail(err)
	}
	return who
}

// Settle checks the identity. Only where every URL is on this machine's loopback may it be left out; the fetcher then
// reaches loopback and nothing else.
func (w *Who) Settle(program string) error {
	w.Fetcher = &amble.HTTPFetcher{}
	if OnLoopback(w.Args) {
		w.Fetcher.Addresses = amble.LoopbackOnly()
		if w.Agent.Name == "" {
			w.Agent.Name = "AmbleExample"
		}
		if w.Agent.InfoURL == "" {
			w.Agent.InfoURL = "http://127.0.0.1/" + program
		}
	}
	if w.Agent.Name == "" || w.Agent.InfoURL == "" {
		return fmt.Errorf("%s: say who runs this with -name and -info-url: away from loopback nobody is asked for anything without", program)
	}
	return w.Agent.Validate()
}

// OnLoopback reports whether every URL leads to this machine's loopback, by address or by the name localhost.
func OnLoopback(urls []string) bool {
	for _, raw := range urls {
		u, err := url.Parse(raw)
		if err != nil {
			return false
		}
		addr, err := netip.ParseAddr(u.Hostname())
		if u.Hostname() != "localhost" && (err != nil || !addr.IsLoopback()) {
			return false
		}
	}
	return len(urls) > 0
}

// Fail prints an error and ends the program with the code that fits.
func Fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	if errors.Is(err, amble.ErrConfig) || errors.Is(err, amble.ErrNoIdentity) {
		os.Exit(ExitUsage)
	}
	os.Exit(ExitFailed)
}

// Listen opens a port of loopback for a demo's site.
func Listen() (net.Listener, error) { return net.Listen("tcp", "127.0.0.1:0") }
