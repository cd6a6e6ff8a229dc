// Bench runs the same crawl with amble, with plain Go programs that do nothing else, and with other crawlers, one process
// each, interleaved, and prints what each cost as a ratio to the plain Go baseline.
//
//	go run . compare -pages 5000 -rounds 3
//	go run . compare -clients plain,amble,colly,wget,wget2 -write RESULTS.md
//	go run . client amble http://127.0.0.1:8080/p/0 -pages 5000 -cpuprofile cpu.prof
//	go run . browser -rounds 3      # pages loaded in Chrome: package browserbench
//	go run . a11y cases             # accessibility beside axe-core and Alfa: package a11ybench
//
// The site is made up, served on loopback by a process of its own, and counts what it is asked for: a client that did not
// fetch every page once has not done the same work, and the table says so.
package main

import (
	"fmt"
	"os"

	"github.com/amblecrawl/amble/bench/a11ybench"
	"github.com/amblecrawl/amble/bench/browserbench"
)

func main() {
	if len(os.Args) < 2 {
		usage()
	}
	var err error
	switch args := os.Args[2:]; os.Args[1] {
	case "serve":
		err = serve(args)
	case "client":
		err = client(args)
	case "compare":
		err = compare(args)
	case "browser":
		err = browserbench.Main(args)
	case "browser-peers":
		err = browserbench.Install(browserbench.DefaultFolder())
	case "a11y":
		err = a11ybench.Main(args)
	case a11ybench.ClientCommand:
		err = a11ybench.ClientMain(args)
	case "a11y-peers":
		err = a11ybench.Install(a11ybench.DefaultFolder())
	case browserbench.ClientCommand:
		err = browserbench.ClientMain(args)
	case browserbench.MeasureCommand:
		err = browserbench.MeasureMain(args)
	default:
		usage()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func usage() {
	fmt.Fprintln(os.Stderr, "usage: bench compare|client|serve|browser|browser-client|browser-peers|a11y|a11y-peers [flags]")
	os.Exit(2)
}
