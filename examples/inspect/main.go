// Inspect shows how amble reads what sites say: paste a robots.txt, an address, headers or a page, and see what comes of
// it, with the line that decides.
//
//	inspect robots -agent ExampleBot robots.txt /basket/ https://example.com/page?x=1
//	inspect url -base https://example.com/a/ '../b?q=ü' '//EXAMPLE.com:443/%7euser'
//	curl -sI https://example.com/ | inspect header -agent ExampleBot
//	inspect page -url https://example.com/ page.html
//
// FILE may be - for standard input. With -json, which comes after the sub-command like the other flags, the answer is
// JSON. Nothing is fetched. Exit codes: 0 done, 2 bad command line, 3 a file cannot be read.
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/amblecrawl/amble/examples/internal/cli"
)

// tokens are the values of -agent.
type tokens []string

func (t *tokens) String() string     { return strings.Join(*t, ",") }
func (t *tokens) Set(v string) error { *t = append(*t, v); return nil }

// answer is what a sub-command found out: JSON as it stands, or text for a person.
type answer interface{ text(w io.Writer) }

var errUsage = errors.New("usage: inspect robots|url|header|page [-json] …; inspect robots -h tells more")

func main() {
	err := run(os.Args[1:], os.Stdin, os.Stdout, time.Now())
	switch {
	case err == nil || errors.Is(err, flag.ErrHelp):
	case errors.Is(err, errUsage):
		fmt.Fprintln(os.Stderr, err)
		os.Exit(cli.ExitUsage)
	default:
		fmt.Fprintln(os.Stderr, "inspect:", err)
		os.Exit(cli.ExitFailed)
	}
}

func run(args []string, in io.Reader, out io.Writer, now time.Time) error {
	if len(args) == 0 {
		return errUsage
	}
	fs := flag.NewFlagSet("inspect "+args[0], flag.ContinueOnError)
	var agents tokens
	fs.Var(&agents, "agent", "product `token` that robots.txt and directives are read for; may be given more than once")
	google := fs.Bool("google", false, "robots: read as Google does where that differs from RFC 9309")
	base := fs.String("base", "", "url: `address` of the page that holds the links")
	at := fs.String("url", "https://example.com/", "page, header: `address` that the answer came from")
	asJSON := fs.Bool("json", false, "print JSON")
	if err := fs.Parse(args[1:]); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return err
		}
		return fmt.Errorf("%w: %w", errUsage, err)
	}
	if len(agents) == 0 {
		agents = tokens{"ExampleBot"}
	}
	if (args[0] == "robots" || args[0] == "page" || args[0] == "url") && fs.NArg() == 0 {
		return errUsage
	}
	var found answer
	var err error
	switch args[0] {
	case "robots":
		found, err = inspectRobots(fs.Arg(0), fs.Args()[1:], agents, *google, in)
	case "url":
		found = inspectURLs(*base, fs.Args())
	case "header":
		found, err = inspectHeader(fs.Arg(0), *at, agents, in, now)
	case "page":
		found, err = inspectPage(fs.Arg(0), *at, agents, in, now)
	default:
		return errUsage
	}
	if err != nil {
		return err
	}
	if *asJSON {
		e := json.NewEncoder(out)
		e.SetIndent("", "  ")
		e.SetEscapeHTML(false)
		return e.Encode(found)
	}
	found.text(out)
	return nil
}

// readAll reads a file, or standard input for "-" and "".
func readAll(name string, in io.Reader) ([]byte, error) {
	if name == "-" || name == "" {
		return io.ReadAll(in)
	}
	return os.ReadFile(name)
}
