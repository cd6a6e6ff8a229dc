// Actreport runs the accessibility rules over W3C's ACT test cases, as a browser shows them, and writes the results as
// EARL in JSON-LD: the implementation report that W3C lists a tool by.
//
//	actreport -cases ../shared/a11y/act -out earl.json
//	actreport -cases ../shared/a11y/act -html -rule 23a2a8
//
// The folder holds manifest.json, the cases and their assets. They are served on loopback, and nothing else is reached;
// in the report they have their public addresses. Cases that need media are left out.
package main

import (
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
	"os/signal"
	"path/filepath"
	"strings"
	"time"

	"github.com/amblecrawl/amble"
	"github.com/amblecrawl/amble/analyze/a11y"
	"github.com/amblecrawl/amble/analyze/a11y/earl"
	"github.com/amblecrawl/amble/browser"
	"github.com/amblecrawl/amble/examples/internal/cli"
)

// public is where W3C publishes the cases.
const public = "https://www.w3.org"

// assets is the path below which the cases and their files are served.
const assets = "/WAI/content-assets/wcag-act-rules/"

type options struct {
	cases, out, rule, version string
	html                      bool
}

func main() {
	var o options
	flag.StringVar(&o.cases, "cases", "", "`folder` of the cases, with manifest.json; required")
	flag.StringVar(&o.out, "out", "", "`file` of the report; empty: standard output")
	flag.StringVar(&o.rule, "rule", "", "cases of one ACT `rule` only")
	flag.StringVar(&o.version, "version", "devel", "the tool's `version` in the report")
	flag.BoolVar(&o.html, "html", false, "do without Chrome: judge the HTML that is sent")
	flag.Parse()
	if o.cases == "" || flag.NArg() > 0 {
		flag.Usage()
		os.Exit(cli.ExitUsage)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, o); err != nil {
		fmt.Fprintln(os.Stderr, err)
		stop()
		os.Exit(cli.ExitFailed)
	}
}

// act is one run over the cases.
type act struct {
	options
	files  map[string]string // by the path that a case is served at
	server *httptest.Server
	chrome *browser.Renderer
}

func run(ctx context.Context, o options) error {
	data, err := os.ReadFile(filepath.Join(o.cases, "manifest.json"))
	if err != nil {
		return fmt.Errorf("the folder of the cases is named with -cases: %w", err)
	}
	var m struct {
		Cases []struct {
			RuleID, File, ServePath string
			NeedsMedia              bool
		}
	}
	if err := json.Unmarshal(data, &m); err != nil {
		return fmt.Errorf("manifest.json: %w", err)
	}
	a := &act{options: o, files: map[string]string{}}
	var paths []string
	for _, c := range m.Cases {
		if c.NeedsMedia || o.rule != "" && c.RuleID != o.rule || a.files[c.ServePath] != "" {
			continue
		}
		a.files[c.ServePath] = filepath.Join(o.cases, filepath.FromSlash(c.File))
		paths = append(paths, c.ServePath)
	}
	a.server = httptest.NewServer(a)
	defer a.server.Close()
	if !o.html {
		a.chrome = &browser.Renderer{Agent: amble.Agent{Name: "AmbleACT", InfoURL: "https://example.com/crawler"}, Addresses: amble.LoopbackOnly(),
			Capture: browser.Capture{Styles: a11y.StyleNames(), NoMetrics: true, NoHTML: true}, Screenshot: browser.ScreenshotPolicy{Take: true, Format: "png"}}
		defer a.chrome.Close()
	}
	var reports []*a11y.Report
	for i, path := range paths {
		if i%100 == 0 {
			fmt.Fprintf(os.Stderr, "%d of %d\n", i, len(paths))
		}
		rep, err := a.judge(ctx, path)
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		rep.URL = public + path
		reports = append(reports, rep)
	}
	report := earl.New("amble", o.version, reports...)
	if o.out == "" {
		return report.Write(os.Stdout)
	}
	f, err := os.Create(o.out)
	if err != nil {
		return err
	}
	return errors.Join(report.Write(f), f.Close())
}

// judge runs all rules on a case.
func (a *act) judge(ctx context.Context, path string) (*a11y.Report, error) {
	opts := &a11y.Options{Linked: a.read, StyleSheet: a.read}
	u, err := url.Parse(a.server.URL + path)
	if err != nil {
		return nil, err
	}
	if a.chrome != nil {
		ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
		defer cancel()
		resp, err := a.chrome.Fetch(ctx, &amble.Request{URL: u, MaxBytes: -1})
		if err != nil {
			return nil, err
		}
		opts.ContentType = resp.Header.Get("Content-Type")
		if resp.Snapshot != nil {
			return a11y.CheckSnapshot(ctx, resp.Snapshot, opts)
		}
	}
	// SVG, and pages that send the browser elsewhere at once, are judged as they stand.
	file, err := os.Open(a.files[path])
	if err != nil {
		return nil, err
	}
	defer file.Close()
	body, err := io.ReadAll(file)
	if err != nil {
		return nil, err
	}
	return a11y.CheckHTML(ctx, body, u.String(), mediaType(path), opts)
}

func mediaType(path string) string {
	switch filepath.Ext(path) {
	case ".svg":
		return "image/svg+xml"
	case ".xhtml", ".xml":
		return "application/xhtml+xml"
	}
	return "text/html; charset=utf-8"
}

// ServeHTTP serves the cases and their assets where they say they are.
func (a *act) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if file := a.files[r.URL.Path]; file != "" {
		w.Header().Set("Content-Type", mediaType(r.URL.Path))
		http.ServeFile(w, r, file)
		return
	}
	rest, ok := strings.CutPrefix(r.URL.Path, assets+"test-assets/")
	if !ok {
		http.NotFound(w, r)
		return
	}
	http.ServeFile(w, r, filepath.Join(a.cases, "test-assets", filepath.FromSlash(rest)))
}

// read gives the rules what a page of the cases leads to, or a style sheet, without a request.
func (a *act) read(u string) (string, bool) {
	rest, ok := strings.CutPrefix(u, a.server.URL+assets)
	if !ok {
		return "", false
	}
	if i := strings.IndexAny(rest, "?#"); i >= 0 {
		rest = rest[:i]
	}
	root, err := os.OpenRoot(a.cases) // nothing outside of the folder
	if err != nil {
		return "", false
	}
	defer root.Close()
	data, err := root.ReadFile(filepath.FromSlash(rest))
	return string(data), err == nil
}
