package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// result is one run of one client.
type result struct {
	cpu, wall time.Duration
	rss       int64 // peak, in bytes
	counts    counts
	err       error
}

// compare runs the clients in turn, round after round.
func compare(args []string) error {
	fs := flag.NewFlagSet("compare", flag.ContinueOnError)
	pages := fs.Int("pages", 5000, "pages of the site")
	rounds := fs.Int("rounds", 3, "runs of each client; medians are reported")
	names := fs.String("clients", "plain,plain-tree,amble,amble-tree,colly,fetchbot,wget,wget2,httrack,linkinator,scrapy,crawlee", "clients, with commas between; the first is the baseline")
	limit := fs.Duration("limit", 5*time.Minute, "longest run of one client")
	zip := fs.Bool("gzip", false, "serve gzip")
	write := fs.String("write", "", "`file` for the table, besides standard output")
	if err := fs.Parse(args); err != nil {
		return err
	}
	results := make(map[string][]result)
	var clients []string
	for name := range strings.SplitSeq(*names, ",") {
		if p, ok := peers[name]; ok {
			if err := p.missing(); err != nil {
				fmt.Fprintf(os.Stderr, "%s is left out: %v\n", name, err)
				continue
			}
		} else if builtin[name] == nil {
			return fmt.Errorf("no client called %q", name)
		}
		clients = append(clients, name)
	}
	for round := range *rounds {
		for _, name := range clients {
			r, err := once(name, *pages, *limit, *zip)
			if err != nil {
				return err
			}
			fmt.Fprintf(os.Stderr, "round %d: %s: %v CPU, %v, %+v %v\n", round+1, name, r.cpu.Round(time.Millisecond), r.wall.Round(time.Millisecond), r.counts, r.err)
			results[name] = append(results[name], r)
		}
	}
	out := io.Writer(os.Stdout)
	if *write != "" {
		f, err := os.Create(*write)
		if err != nil {
			return err
		}
		defer f.Close()
		out = io.MultiWriter(out, f)
	}
	table(out, clients, results, *pages, *rounds)
	return nil
}

// once runs one client against a fresh site and measures its process.
func once(name string, pages int, limit time.Duration, zip bool) (result, error) {
	self, err := os.Executable()
	if err != nil {
		return result{}, err
	}
	server := exec.Command(self, "serve", "-pages", strconv.Itoa(pages), "-gzip="+strconv.FormatBool(zip))
	stdin, err := server.StdinPipe()
	if err != nil {
		return result{}, err
	}
	stdout, err := server.StdoutPipe()
	if err != nil {
		return result{}, err
	}
	if err := server.Start(); err != nil {
		return result{}, err
	}
	defer func() { _ = stdin.Close(); _ = server.Wait() }()
	base, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		return result{}, err
	}
	base = strings.TrimSpace(base)
	cmd := exec.Command(self, "client", name, base+"/p/0", "-pages", strconv.Itoa(pages))
	if p, ok := peers[name]; ok {
		var remove func()
		if cmd, remove, err = p.command(base + "/p/0"); err != nil {
			return result{}, err
		}
		defer remove()
	}
	if peers[name].argv == nil { // what other programs print of dead links is no news
		cmd.Stderr = os.Stderr
	}
	start := time.Now()
	if err := cmd.Start(); err != nil {
		return result{}, err
	}
	timer := time.AfterFunc(limit, func() { _ = cmd.Process.Kill() })
	err = cmd.Wait()
	timer.Stop()
	r := result{wall: time.Since(start), cpu: cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(), err: err}
	if usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		r.rss = usage.Maxrss << 10
	}
	resp, err := http.Get(base + "/_counts")
	if err != nil {
		return r, err
	}
	defer resp.Body.Close()
	return r, json.NewDecoder(resp.Body).Decode(&r.counts)
}

// median is the middle value.
func median[T any, V cmp.Ordered](list []T, of func(T) V) V {
	values := make([]V, 0, len(list))
	for _, v := range list {
		values = append(values, of(v))
	}
	slices.Sort(values)
	return values[len(values)/2]
}

func table(w io.Writer, clients []string, results map[string][]result, pages, rounds int) {
	fmt.Fprintf(w, "%s, %d pages, medians of %d interleaved rounds, on loopback\n\n", time.Now().UTC().Format(time.DateOnly), pages, rounds)
	fmt.Fprintln(w, "| client | CPU ms/page | CPU ratio | pages/s | speed ratio | peak MB | pages | repeated | disallowed |")
	fmt.Fprintln(w, "|---|---|---|---|---|---|---|---|---|")
	cpu := func(r result) time.Duration { return r.cpu }
	wall := func(r result) time.Duration { return r.wall }
	for _, name := range clients {
		list, base := results[name], results[clients[0]]
		c, t := median(list, cpu), median(list, wall)
		last := list[len(list)-1].counts
		fmt.Fprintf(w, "| %s | %.3f | %.2f | %.0f | %.2f | %.0f | %d | %d | %d |\n", name, float64(c.Microseconds())/1000/float64(pages),
			float64(c)/float64(median(base, cpu)), float64(pages)/t.Seconds(), float64(median(base, wall))/float64(t),
			float64(median(list, func(r result) int64 { return r.rss }))/1e6, last.Pages, last.Repeated, last.Disallowed)
	}
}
