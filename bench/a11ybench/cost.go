package a11ybench

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/net/html"

	"github.com/amblecrawl/amble"
	"github.com/amblecrawl/amble/analyze/a11y"
	"github.com/amblecrawl/amble/bench/browserbench"
	"github.com/amblecrawl/amble/browser"
)

// ClientCommand is the first argument of a process that is one engine at work.
const ClientCommand = "a11y-client"

// costEngines are the rows: loading the pages alone is what the others are judged above.
var costEngines = []string{"load", "amble", "axe-core", "axe-core by browser/axe"}

func costMain(args []string) error {
	fs := flag.NewFlagSet("a11y cost", flag.ContinueOnError)
	docs := fs.String("docs", "/usr/share/doc/debian-handbook/html", "`folder` of HTML pages")
	nodes := fs.Int("nodes", 2300, "nodes (elements and texts) that the pages have, give or take a fifth")
	pages := fs.Int("pages", 10, "how many of them; 0: the huge page only")
	rounds := fs.Int("rounds", 3, "runs of each engine; medians are reported")
	huge := fs.Int("huge", 30_000, "nodes of the huge page, which is loaded three times in a run; 0: none")
	names := fs.String("engines", strings.Join(costEngines, ","), "engines to run, with commas between")
	folder := fs.String("peers", DefaultFolder(), "`folder` that axe-core is installed in")
	write := fs.String("write", "", "`file` for the tables, besides standard output")
	if err := fs.Parse(args); err != nil {
		return err
	}
	if _, err := axeEngine(*folder); err != nil {
		return err
	}
	engines := strings.Split(*names, ",")
	list, source, err := choosePages(*docs, *nodes, *pages)
	if err != nil {
		return err
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
	files := http.FileServer(http.Dir(*docs))
	huges, count := hugePage(source, *huge)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/huge.html") {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			w.Write(huges)
			return
		}
		files.ServeHTTP(w, r)
	}))
	defer server.Close()
	fmt.Fprintf(out, "%s: CPU of the browser's tree of processes and the client, medians of %d interleaved runs\n\n", time.Now().UTC().Format(time.DateOnly), *rounds)
	if len(list) > 0 {
		err = costTable(out, fmt.Sprintf("%d pages of about %d nodes", len(list), *nodes), server.URL, *folder, list, engines, *rounds)
	}
	if err != nil {
		return err
	}
	if *huge > 0 {
		page := "en-US/huge.html"
		return costTable(out, fmt.Sprintf("one page of %d nodes", count), server.URL, *folder, []string{page, page, page}, engines, *rounds)
	}
	return nil
}

// choosePages returns pages of about as many nodes, by their addresses, and the source of the first.
func choosePages(dir string, nodes, pages int) (list []string, first []byte, err error) {
	var files []string
	err = filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() && strings.HasSuffix(path, ".html") && filepath.Base(path) != "index.html" { // which is served as its folder
			files = append(files, path)
		}
		return err
	})
	if err != nil {
		return nil, nil, fmt.Errorf("the pages of debian-handbook, or a folder named with -docs, are needed: %w", err)
	}
	// English first, which is what the figures are about; then the other languages.
	slices.SortStableFunc(files, func(a, b string) int {
		english := func(s string) int {
			if strings.Contains(s, "en-US") {
				return 0
			}
			return 1
		}
		return cmp.Or(cmp.Compare(english(a), english(b)), strings.Compare(a, b))
	})
	for _, path := range files {
		data, err := os.ReadFile(path)
		if err != nil {
			return nil, nil, err
		}
		if n := countNodes(data); n < nodes*4/5 || n > nodes*6/5 {
			continue
		}
		if first == nil {
			first = data
		}
		rel, err := filepath.Rel(dir, path)
		if err != nil {
			return nil, nil, err
		}
		if len(list) == pages {
			break
		}
		list = append(list, filepath.ToSlash(rel))
	}
	if first == nil {
		return nil, nil, fmt.Errorf("no page in %s has about %d nodes", dir, nodes)
	}
	return list, first, nil
}

// countNodes counts elements and texts.
func countNodes(page []byte) int {
	root, err := html.Parse(bytes.NewReader(page))
	if err != nil {
		return 0
	}
	n := 0
	for d := range root.Descendants() {
		if d.Type == html.ElementNode || d.Type == html.TextNode {
			n++
		}
	}
	return n
}

// hugePage repeats what a page's body holds until it has that many nodes.
func hugePage(page []byte, nodes int) ([]byte, int) {
	from, to := bytes.Index(page, []byte("<body")), bytes.LastIndex(page, []byte("</body>"))
	if nodes == 0 || from < 0 || to < from {
		return page, 0
	}
	from += bytes.IndexByte(page[from:], '>') + 1
	body := page[from:to]
	each := max(1, countNodes(body)-3) // without html, head and body, which the parser adds
	times := (nodes + each - 1) / each
	out := slices.Concat(page[:from], bytes.Repeat(body, times), page[to:])
	return out, countNodes(out)
}

func costTable(w io.Writer, title, base, folder string, pages, engines []string, rounds int) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	cpu, own := map[string][]float64{}, map[string][]float64{}
	for round := range rounds {
		for _, engine := range engines {
			u, err := browserbench.Measure(append([]string{self, ClientCommand, engine, folder, base}, pages...), 5*time.Minute, os.Stderr)
			if err != nil {
				return err
			}
			if u.Exit != 0 {
				return fmt.Errorf("%s ended with exit code %d", engine, u.Exit)
			}
			fmt.Fprintf(os.Stderr, "round %d: %s: %v CPU, %v\n", round+1, engine, u.CPU.Round(time.Millisecond), u.Wall.Round(time.Millisecond))
			cpu[engine] = append(cpu[engine], u.CPU.Seconds()/float64(len(pages)))
			own[engine] = append(own[engine], u.Own.Seconds()/float64(len(pages)))
		}
	}
	load, theirs := middle(cpu["load"]), middle(cpu["axe-core"])
	fmt.Fprintf(w, "| %s | CPU s a page, all | client | of the engine | ratio to axe-core | runs |\n|---|---|---|---|---|---|\n", title)
	for _, engine := range engines {
		var runs []string
		for _, c := range cpu[engine] {
			runs = append(runs, strconv.FormatFloat(c, 'f', 3, 64))
		}
		ratio := "–"
		if net := theirs - load; net > 0 {
			ratio = strconv.FormatFloat((middle(cpu[engine])-load)/net, 'f', 2, 64)
		}
		fmt.Fprintf(w, "| %s | %.3f | %.3f | %.3f | %s | %s |\n", engine, middle(cpu[engine]), middle(own[engine]), middle(cpu[engine])-load, ratio, strings.Join(runs, " "))
	}
	fmt.Fprintln(w)
	return nil
}

// middle is the median; 0 of nothing.
func middle(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	list := slices.Clone(values)
	slices.Sort(list)
	return list[len(list)/2]
}

// ClientMain is one engine at work: its arguments are the engine, axe-core's folder, the site and the pages.
func ClientMain(args []string) error {
	if len(args) < 4 {
		return errors.New("usage: " + ClientCommand + " ENGINE FOLDER SITE PAGE…")
	}
	engine, folder, base, pages := args[0], args[1], args[2], args[3:]
	r := newRenderer(amble.Viewport{})
	r.Tabs, r.Capture.NoTree = 1, engine != "amble"
	switch engine {
	case "axe-core":
		source, err := os.ReadFile(filepath.Join(folder, "node_modules", "axe-core", "axe.min.js"))
		if err != nil {
			return err
		}
		// The usual way, at its least cost: put into the page that is loaded, run, and only counts brought back.
		r.Scripts = []browser.Script{{Name: "axe", Timeout: time.Minute, Run: func(ctx context.Context, top *browser.World) (json.RawMessage, error) {
			if err := top.Evaluate(ctx, "void "+string(source), nil); err != nil {
				return nil, err
			}
			var found int
			err := top.Evaluate(ctx, `axe.run(document, {resultTypes: ['violations', 'incomplete']}).then(r => r.violations.length + r.incomplete.length + r.passes.length)`, &found)
			if err == nil && found == 0 {
				err = errors.New("axe-core looked at nothing")
			}
			return nil, err
		}}}
	case "axe-core by browser/axe":
		e, err := axeEngine(folder)
		if err != nil {
			return err
		}
		r.Scripts = []browser.Script{e.Script()}
	}
	defer r.Close()
	ctx := context.Background()
	for _, page := range pages {
		u, err := url.Parse(base + "/" + page)
		if err != nil {
			return err
		}
		resp, err := r.Fetch(ctx, &amble.Request{URL: u, MaxBytes: -1})
		if err != nil {
			return err
		}
		if resp.Snapshot == nil {
			return fmt.Errorf("%s was not rendered: status %d", page, resp.Status)
		}
		for name, s := range resp.Snapshot.Scripts {
			if s.Problem != "" {
				return fmt.Errorf("%s: %s", name, s.Problem)
			}
		}
		if engine != "amble" {
			continue
		}
		start := time.Now()
		rep, err := a11y.CheckSnapshot(ctx, resp.Snapshot, nil)
		if err != nil {
			return err
		}
		if len(rep.Outcomes) == 0 {
			return errors.New("amble looked at nothing")
		}
		if len(resp.Snapshot.Nodes) > 20_000 {
			fmt.Fprintf(os.Stderr, "amble: the rules took %v for %d nodes\n", time.Since(start).Round(time.Millisecond), len(resp.Snapshot.Nodes))
		}
	}
	return nil
}
