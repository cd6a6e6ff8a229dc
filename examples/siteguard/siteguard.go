// Package siteguard audits a website inside go test, in process and without a network: an http.Handler, or a folder of
// built HTML. The test fails on findings that the baseline file does not know, so that a site with old faults gets no new
// ones. Copy it, or import it:
//
//	var update = flag.Bool("update", false, "accept what siteguard finds")
//
//	func TestSite(t *testing.T) {
//		siteguard.Guard{Baseline: "testdata/siteguard.json", Update: *update}.Folder(t, "public")
//	}
//
// "go test -run TestSite -update" writes the baseline: commit it. What is mended since is told, and fails nothing.
package siteguard

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/amblecrawl/amble"
	"github.com/amblecrawl/amble/ambletest"
	"github.com/amblecrawl/amble/analyze"
	"github.com/amblecrawl/amble/analyze/a11y"
	"github.com/amblecrawl/amble/analyze/links"
	"github.com/amblecrawl/amble/analyze/report"
)

// Guard says what is audited and what fails. The zero value runs the built-in rules and fails on every finding.
type Guard struct {
	Baseline  string           // file of known findings; empty: none is known
	Update    bool             // write the Baseline instead of failing
	Analyzers []amble.Analyzer // nil: Defaults
	Seeds     []string         // paths to start from; nil: "/" of a handler, every HTML file of a folder
	Ignore    []string         // ids of rules that do not count
	Least     amble.Severity   // findings of lesser severity do not count
	Pages     int              // at most so many are crawled; 0: 10,000
	HTML      string           // file for a report for people; empty: none
}

// Defaults are the rules that run when Guard.Analyzers is nil: metadata, accessibility of the HTML, and what links,
// images, scripts and style sheets of the site lead to; other sites are not asked. Package seo has many more rules about
// search engines: use seo.New instead of analyze.Metadata for them.
func Defaults() []amble.Analyzer {
	return []amble.Analyzer{analyze.Metadata(amble.Agent{Name: "siteguard"}), &a11y.Analyzer{FailuresOnly: true}, &links.Analyzer{}}
}

// Handler audits a site that is served by h.
func (g Guard) Handler(t testing.TB, h http.Handler) {
	t.Helper()
	if g.Seeds == nil {
		g.Seeds = []string{"/"}
	}
	g.run(t, h)
}

// Folder audits the files below dir as a web server would serve them: "shop/index.html" is the page /shop/. Every HTML
// file is audited, linked or not.
func (g Guard) Folder(t testing.TB, dir string) {
	t.Helper()
	root := os.DirFS(dir)
	if g.Seeds == nil {
		var err error
		if g.Seeds, err = pagesOf(root); err != nil || len(g.Seeds) == 0 {
			t.Fatalf("siteguard: %s holds no .html file (%v); build the site first", dir, err)
		}
	}
	g.run(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/") {
			if _, err := fs.Stat(root, strings.TrimPrefix(path.Join(r.URL.Path, "index.html"), "/")); err != nil {
				http.NotFound(w, r) // no listings: they are no pages of the site
				return
			}
		}
		http.FileServerFS(root).ServeHTTP(w, r)
	}))
}

func pagesOf(root fs.FS) (paths []string, err error) {
	err = fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || path.Ext(name) != ".html" && path.Ext(name) != ".htm" {
			return err
		}
		if dir, file := path.Split(name); file == "index.html" {
			name = dir
		}
		paths = append(paths, (&url.URL{Path: "/" + name}).String())
		return nil
	})
	return paths, err
}

// run crawls, compares and fails.
func (g Guard) run(t testing.TB, h http.Handler) {
	t.Helper()
	c := ambletest.Crawler(t, h)
	c.Budget.Pages = cmp.Or(g.Pages, 10_000)
	if c.Analyzers = g.Analyzers; c.Analyzers == nil {
		c.Analyzers = Defaults()
	}
	c.Links = &amble.LinkCheck{SkipExternal: true, RetryAfter: time.Millisecond} // in process nothing gets better by waiting
	options := report.Options{Agent: c.Agent, Rules: report.RulesOf(c.Analyzers...)}
	found := &collected{guard: g}
	people := report.NewCollector(options)
	seeds := make([]string, 0, len(g.Seeds))
	for _, s := range g.Seeds {
		seeds = append(seeds, strings.TrimSuffix(ambletest.Base, "/")+"/"+strings.TrimPrefix(s, "/"))
	}
	if _, err := report.Each(t.Context(), c, seeds, found, people); err != nil {
		t.Fatalf("siteguard: the audit did not end well: %v", err)
	}
	if g.HTML != "" {
		if err := writeHTML(g.HTML, people); err != nil {
			t.Errorf("siteguard: %v", err)
		}
	}
	for _, why := range found.unseen {
		t.Logf("siteguard: not analysed: %s", why)
	}
	if found.analysed == 0 {
		t.Errorf("siteguard: not one page could be analysed")
	}
	if g.Update && g.Baseline != "" {
		if err := writeBaseline(g.Baseline, found.list); err != nil {
			t.Fatalf("siteguard: %v", err)
		}
		t.Logf("siteguard: %s now holds %d findings", g.Baseline, len(found.list))
		return
	}
	g.judge(t, options, found.list)
}

// most is how many new findings are told one by one.
const most = 50

func (g Guard) judge(t testing.TB, options report.Options, list []report.FindingRecord) {
	t.Helper()
	known, err := readBaseline(g.Baseline)
	if err != nil {
		t.Fatalf("siteguard: %v", err)
	}
	gone, came, _ := report.Match(known, list)
	for i, f := range came {
		if i == most {
			t.Errorf("siteguard: and %d more", len(came)-most)
			break
		}
		t.Errorf("%s", describe(&f, options.Rules))
	}
	if len(came) > 0 && g.Baseline != "" {
		t.Logf("siteguard: mend what is new, or accept it with Update (go test -update) into %s", g.Baseline)
	}
	if len(gone) > 0 {
		t.Logf("siteguard: %d findings of %s are no longer there; write it anew with Update", len(gone), g.Baseline)
	}
}

func describe(f *report.FindingRecord, rules []amble.Rule) string {
	var b strings.Builder
	page := "/" + strings.TrimPrefix(f.Page, ambletest.Base)
	fmt.Fprintf(&b, "%s: %s (%s)", page, f.Rule, f.Severity)
	if f.Target != "" {
		b.WriteString("\n  about " + f.Target)
	}
	if f.Message != "" {
		b.WriteString("\n  " + f.Message)
	}
	if f.Selector != "" {
		b.WriteString("\n  at " + f.Selector)
	}
	if f.Snippet != "" {
		b.WriteString("\n  " + f.Snippet)
	}
	for i := range rules {
		if rules[i].ID == f.Rule && rules[i].Fix != "" {
			b.WriteString("\n  To mend: " + rules[i].Fix)
		}
	}
	return b.String()
}

// collected is a report.Sink that keeps what counts.
type collected struct {
	guard    Guard
	list     []report.FindingRecord
	analysed int
	unseen   []string
}

// Page implements report.Sink.
func (c *collected) Page(p *amble.Page) error {
	c.add(p.Findings)
	switch p.Outcome {
	case amble.OutcomeAnalysed:
		c.analysed++
	case amble.OutcomeRedirected, amble.OutcomeHTTPError, amble.OutcomeNotHTML, amble.OutcomeOutOfScope, amble.OutcomeBadURL:
	default:
		c.unseen = append(c.unseen, fmt.Sprintf("%s: %v: %s", p.URL, p.Outcome, p.Reason))
	}
	return nil
}

// End implements report.Sink.
func (c *collected) End(s *amble.Summary) error {
	c.add(s.SiteFindings)
	return nil
}

func (c *collected) add(list []amble.Finding) {
	list = slices.DeleteFunc(slices.Clone(list), func(f amble.Finding) bool {
		return f.Result != amble.Failed || f.Severity < c.guard.Least || slices.Contains(c.guard.Ignore, f.Rule)
	})
	c.list = append(c.list, report.FindingRecords(list)...)
}

// baseline is the file of known findings.
type baseline struct {
	Schema   string  `json:"schema"`
	Findings []known `json:"findings"`
}

// known is one accepted finding: enough to know it again, by fingerprint or, where it has moved within its page, by what
// it says.
type known struct {
	Page        string `json:"page"`
	Rule        string `json:"rule"`
	Target      string `json:"target,omitempty"`
	Snippet     string `json:"snippet,omitempty"`
	Fingerprint string `json:"fingerprint"`
}

const baselineSchema = "siteguard/1"

func readBaseline(file string) ([]report.FindingRecord, error) {
	if file == "" {
		return nil, nil
	}
	body, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil // the first run: nothing is accepted yet
	}
	if err != nil {
		return nil, err
	}
	var b baseline
	if err := json.Unmarshal(body, &b); err != nil || b.Schema != baselineSchema {
		return nil, fmt.Errorf("%s is no baseline (%q, %v); write it anew with Update", file, b.Schema, err)
	}
	var out []report.FindingRecord
	for _, k := range b.Findings {
		out = append(out, report.FindingRecord{Page: k.Page, Rule: k.Rule, Target: k.Target, Snippet: k.Snippet,
			Fingerprint: k.Fingerprint, Result: amble.Failed.String()})
	}
	return out, nil
}

// writeBaseline writes the findings in an order of their own, so that a change shows as one line.
func writeBaseline(file string, list []report.FindingRecord) error {
	b := baseline{Schema: baselineSchema, Findings: []known{}}
	for _, f := range list {
		b.Findings = append(b.Findings, known{f.Page, f.Rule, f.Target, f.Snippet, f.Fingerprint})
	}
	slices.SortFunc(b.Findings, func(a, b known) int {
		return cmp.Or(cmp.Compare(a.Page, b.Page), cmp.Compare(a.Rule, b.Rule), cmp.Compare(a.Target, b.Target),
			cmp.Compare(a.Fingerprint, b.Fingerprint))
	})
	var text strings.Builder
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", " ")
	if err := enc.Encode(b); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	return os.WriteFile(file, []byte(text.String()), 0o644)
}

func writeHTML(file string, c *report.Collector) (err error) {
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	return c.WriteHTML(f, "en")
}
