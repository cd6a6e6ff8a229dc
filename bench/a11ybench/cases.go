package a11ybench

import (
	"bufio"
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
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	_ "embed"

	"github.com/amblecrawl/amble"
	"github.com/amblecrawl/amble/analyze/a11y"
	"github.com/amblecrawl/amble/browser"
	"github.com/amblecrawl/amble/browser/axe"
)

//go:embed peers/alfa.mjs
var alfaProgram []byte

// manifest is W3C's index of test cases, as far as it is read here.
type manifest struct {
	Rules []struct{ ID, Name string }
	Cases []testCase
}

type testCase struct {
	ID, RuleID, Expected, File, ServePath string
	NeedsMedia                            bool
}

// seen is what the engines said about a case: whether a rule of theirs that is about the case's ACT rule failed, and why
// one of them said nothing.
type seen struct {
	testCase
	failed map[string]bool // by engine
	errs   map[string]string
	left   bool // not a page that a browser renders as HTML: left out for all
}

func casesMain(args []string) error {
	fs := flag.NewFlagSet("a11y cases", flag.ContinueOnError)
	dir := fs.String("cases", defaultCases(), "`folder` of W3C's test cases, with manifest.json")
	folder := fs.String("peers", DefaultFolder(), "`folder` that the other engines are installed in")
	only := fs.String("rule", "", "one ACT `rule` only")
	write := fs.String("write", "", "`file` for the tables, besides standard output")
	if err := fs.Parse(args); err != nil {
		return err
	}
	var m manifest
	data, err := os.ReadFile(filepath.Join(*dir, "manifest.json"))
	if err != nil {
		return fmt.Errorf("the cases are read from a folder; name it with -cases: %w", err)
	}
	if err := json.Unmarshal(data, &m); err != nil {
		return err
	}
	b := &caseBench{dir: *dir, folder: *folder, seen: map[string]*seen{}}
	for _, c := range m.Cases {
		if !c.NeedsMedia && (*only == "" || c.RuleID == *only) {
			b.cases = append(b.cases, c)
		}
	}
	if err := b.run(context.Background()); err != nil {
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
	b.table(out, len(m.Rules))
	return nil
}

func defaultCases() string {
	root := os.Getenv("AMBLE_CASES")
	return filepath.Join(cmp.Or(root, filepath.Join("..", "..", "shared")), "a11y", "act")
}

// caseBench is one comparison over the cases.
type caseBench struct {
	dir, folder string
	cases       []testCase
	axe         *axe.Engine
	server      *httptest.Server

	mu    sync.Mutex
	seen  map[string]*seen
	pages bytes.Buffer // for Alfa
	alfa  map[string]map[string]string
}

// run renders each case once, for all engines.
func (b *caseBench) run(ctx context.Context) error {
	var err error
	if b.axe, err = axeEngine(b.folder); err != nil {
		return err
	}
	b.axe.Experimental = true
	alfa, err := alfaScript(b.folder)
	if err != nil {
		return err
	}
	b.server = httptest.NewServer(b)
	defer b.server.Close()
	wide, pictured, narrow := newRenderer(amble.Viewport{}), newRenderer(amble.Viewport{}), newRenderer(amble.Viewport{Width: 640, Height: 512, Scale: 1})
	pictured.Screenshot = browser.ScreenshotPolicy{Take: true, Format: "png"} // for text on images
	for _, r := range []*browser.Renderer{wide, pictured, narrow} {
		r.Scripts = []browser.Script{b.axe.Script(), alfa}
		defer r.Close()
	}
	todo := make(chan testCase)
	var workers sync.WaitGroup
	for range 2 {
		workers.Go(func() {
			for c := range todo {
				r := wide
				switch c.RuleID {
				case "59br37": // what the rule asks for
					r = narrow
				case "afw4f7", "09o5cg":
					r = pictured
				}
				if err := b.render(ctx, r, c); err != nil {
					fmt.Fprintln(os.Stderr, c.ID, err)
				}
			}
		})
	}
	for i, c := range b.cases {
		if i%50 == 0 {
			fmt.Fprintf(os.Stderr, "%d of %d\n", i, len(b.cases))
		}
		todo <- c
	}
	close(todo)
	workers.Wait()
	return b.judgeAlfa(ctx)
}

// ServeHTTP serves the cases and their assets at the paths that they ask for; everything else is not found.
func (b *caseBench) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	for _, c := range b.cases {
		if c.ServePath == r.URL.Path {
			http.ServeFile(w, r, filepath.Join(b.dir, filepath.FromSlash(c.File)))
			return
		}
	}
	if rest, ok := strings.CutPrefix(r.URL.Path, "/WAI/content-assets/wcag-act-rules/test-assets/"); ok {
		http.ServeFile(w, r, filepath.Join(b.dir, "test-assets", filepath.FromSlash(rest)))
		return
	}
	http.NotFound(w, r)
}

// asset reads what a link or style sheet of a case leads to, as a crawl has read it already.
func (b *caseBench) asset(u string) (string, bool) {
	rest, ok := strings.CutPrefix(u, b.server.URL+"/WAI/content-assets/wcag-act-rules/")
	if !ok {
		return "", false
	}
	if i := strings.IndexAny(rest, "?#"); i >= 0 {
		rest = rest[:i]
	}
	data, err := os.ReadFile(filepath.Join(b.dir, filepath.FromSlash(rest)))
	return string(data), err == nil
}

func (b *caseBench) render(ctx context.Context, r *browser.Renderer, c testCase) error {
	s := &seen{testCase: c, failed: map[string]bool{}, errs: map[string]string{}}
	b.mu.Lock()
	b.seen[c.ID] = s
	b.mu.Unlock()
	u, err := url.Parse(b.server.URL + c.ServePath)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	resp, err := r.Fetch(ctx, &amble.Request{URL: u, MaxBytes: -1})
	if err != nil {
		s.left = true
		return err
	}
	if resp.Snapshot == nil {
		s.left = true
		return nil
	}
	rep, err := a11y.CheckSnapshot(ctx, resp.Snapshot, &a11y.Options{ContentType: resp.Header.Get("Content-Type"), Linked: b.asset, StyleSheet: b.asset})
	if err != nil {
		s.errs["amble"] = err.Error()
	} else {
		for _, rule := range a11y.ByACT(c.RuleID) {
			if rep.Outcome(rule.ID).Result == amble.Failed {
				s.failed["amble"] = true
			}
		}
	}
	theirs, err := b.axe.Report(resp.Snapshot)
	if err != nil {
		s.errs["axe-core"] = err.Error()
	} else {
		for _, o := range theirs.Outcomes {
			if o.Result == amble.Failed && slices.Contains(o.Rule.ACT, c.RuleID) {
				s.failed["axe-core, all rules"] = true
				if !o.Rule.Off {
					s.failed["axe-core"] = true
				}
			}
		}
	}
	page := resp.Snapshot.Scripts[alfaWorld]
	if page.Problem != "" {
		s.errs["Alfa"] = page.Problem
		return nil
	}
	line, err := json.Marshal(map[string]any{"id": c.ID, "url": u.String(), "width": resp.Snapshot.Viewport.Width, "height": resp.Snapshot.Viewport.Height, "document": json.RawMessage(page.JSON)})
	if err != nil {
		return err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.pages.Write(append(line, '\n'))
	return nil
}

// judgeAlfa runs Alfa's rules over what was written down of the pages.
func (b *caseBench) judgeAlfa(ctx context.Context) error {
	program := filepath.Join(b.folder, "alfa.mjs")
	if err := os.WriteFile(program, alfaProgram, 0o644); err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, "node", program)
	cmd.Stdin, cmd.Stderr = &b.pages, os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("running Alfa: %w", err)
	}
	b.alfa = map[string]map[string]string{}
	lines := bufio.NewScanner(bytes.NewReader(out))
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var answer struct {
			ID    string
			Rules map[string]string
			Error string
		}
		if err := json.Unmarshal(lines.Bytes(), &answer); err != nil {
			return err
		}
		s := b.seen[answer.ID]
		if s == nil {
			return errors.New("an answer of Alfa is about a page that it was not asked about")
		}
		if answer.Error != "" {
			s.errs["Alfa"] = answer.Error
		}
		b.alfa[answer.ID] = answer.Rules
		for rule, outcome := range answer.Rules {
			if outcome == "failed" && slices.Contains(alfaACT[rule], s.RuleID) {
				s.failed["Alfa"] = true
			}
		}
	}
	return lines.Err()
}
