package amble

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/fnv"
	"log/slog"
	"sync"

	"github.com/amblecrawl/amble/internal/mask"
)

// analysis drives the Analyzers of a crawl: it decides which may see a page, completes what they report, and keeps
// their trouble away from the crawl.
type analysis struct {
	members   []member
	rendered  bool // some rule needs a rendered page
	resources bool // some rule needs Meta.Resources
	ids       bool // some rule needs Meta.IDs
	outline   bool // some rule needs Page.Outline
	robots    bool // some Analyzer is a RobotsWatcher
	log       *slog.Logger

	mu       sync.Mutex
	failures []AnalyzerError // by member
}

type member struct {
	analyzer Analyzer
	index    int
	rules    map[string]*Rule
	errors   bool // some rule wants to see error answers
	partial  bool // some rule can judge a partial page
}

func newAnalysis(analyzers []Analyzer, log *slog.Logger) *analysis {
	a := &analysis{log: log}
	for i, analyzer := range analyzers {
		m := member{analyzer: analyzer, index: i, rules: make(map[string]*Rule)}
		for _, rule := range analyzer.Rules() {
			m.rules[rule.ID] = &rule
			m.errors = m.errors || rule.Needs&NeedErrors != 0
			m.partial = m.partial || rule.Needs&NeedWhole == 0
			a.rendered = a.rendered || rule.Needs&NeedRendered != 0
			a.resources = a.resources || rule.Needs&NeedResources != 0
			a.ids = a.ids || rule.Needs&NeedIDs != 0
			a.outline = a.outline || rule.Needs&NeedOutline != 0
		}
		if _, ok := analyzer.(RobotsWatcher); ok {
			a.robots = true
		}
		a.members = append(a.members, m)
		a.failures = append(a.failures, AnalyzerError{Analyzer: fmt.Sprintf("%T", analyzer)})
	}
	return a
}

// validateAnalyzers checks the rules' metadata before a crawl starts.
func validateAnalyzers(analyzers []Analyzer, renderer Fetcher, links *LinkCheck) error {
	seen := make(map[string]bool)
	bad := func(format string, args ...any) error {
		return &Error{Op: "analyzers", Kind: ErrConfig, Reason: fmt.Sprintf(format, args...)}
	}
	for i, analyzer := range analyzers {
		if analyzer == nil {
			return bad("Analyzers[%d] is nil", i)
		}
		for _, rule := range analyzer.Rules() {
			switch {
			case rule.ID == "":
				return bad("Analyzers[%d] has a rule without an ID", i)
			case seen[rule.ID]:
				return bad("the rule %s exists twice; each ID belongs to one rule of one Analyzer", rule.ID)
			case rule.Needs&NeedRendered != 0 && renderer == nil:
				return bad("the rule %s needs rendered pages: set Crawler.Renderer (package browser), or leave the Analyzer out", rule.ID)
			case rule.Needs&NeedLinks != 0 && links == nil:
				return bad("the rule %s judges links: set Crawler.Links, or leave the Analyzer out", rule.ID)
			}
			seen[rule.ID] = true
		}
	}
	return nil
}

// run shows a page to every Analyzer that has a rule for it.
func (a *analysis) run(ctx context.Context, p *Page) {
	failed, partial := p.Status >= 400, p.Partial()
	for i := range a.members {
		m := &a.members[i]
		if failed && !m.errors || partial && !m.partial {
			continue
		}
		a.guard(m, func() error {
			return m.analyzer.Analyze(ctx, p, func(f Finding) {
				if a.complete(m, &f, p.URL) && a.may(m.rules[f.Rule], failed, partial) {
					p.Findings = append(p.Findings, f)
				}
			})
		})
	}
	p.tree, p.outline = nil, nil
}

// may keeps a rule from judging what it cannot.
func (a *analysis) may(rule *Rule, failed, partial bool) bool {
	return (!failed || rule.Needs&NeedErrors != 0) && (!partial || rule.Needs&NeedWhole == 0)
}

// link shows the result of a link check to the LinkAnalyzers.
func (a *analysis) link(ctx context.Context, l *LinkResult, report func(Finding)) {
	for i := range a.members {
		m := &a.members[i]
		judge, ok := m.analyzer.(LinkAnalyzer)
		if !ok {
			continue
		}
		a.guard(m, func() error {
			return judge.AnalyzeLink(ctx, l, func(f Finding) {
				if a.complete(m, &f, "") {
					report(f)
				}
			})
		})
	}
}

// finish lets the SiteAnalyzers report.
func (a *analysis) finish(ctx context.Context, report func(Finding)) {
	for i := range a.members {
		m := &a.members[i]
		site, ok := m.analyzer.(SiteAnalyzer)
		if !ok {
			continue
		}
		a.guard(m, func() error {
			return site.Finish(ctx, func(f Finding) {
				if a.complete(m, &f, "") {
					report(f)
				}
			})
		})
	}
}

// maxSnippet is how many characters of a page's source a finding quotes.
const maxSnippet = 300

// complete fills what an Analyzer left out, and masks personal data and secrets in what it quotes (S12). It refuses
// findings of rules that the Analyzer does not declare.
func (a *analysis) complete(m *member, f *Finding, url string) bool {
	rule := m.rules[f.Rule]
	if rule == nil {
		a.fail(m, fmt.Sprintf("a finding of the rule %q, which Rules does not declare", f.Rule))
		a.log.Error("finding of an undeclared rule", "rule", f.Rule, "analyzer", fmt.Sprintf("%T", m.analyzer))
		return false
	}
	if f.Severity == 0 {
		f.Severity = rule.Severity
	}
	if f.URL == "" {
		f.URL = url
	}
	if f.Fingerprint == "" {
		f.Fingerprint = fingerprint(f)
	}
	f.Snippet = mask.Snippet(f.Snippet, maxSnippet)
	f.Message = mask.Text(f.Message)
	if len(f.Evidence) > 0 {
		own := make(map[string]string, len(f.Evidence)) // the Analyzer may keep its own
		for key, value := range f.Evidence {
			own[key] = mask.Text(value)
		}
		f.Evidence = own
	}
	return true
}

// guard runs an Analyzer's code: its errors and panics are logged, counted for Summary.AnalyzerErrors, and end nothing.
func (a *analysis) guard(m *member, work func() error) {
	defer func() {
		if v := recover(); v != nil {
			a.fail(m, "panic: "+fmt.Sprint(v))
			a.log.Error("analyzer panicked", "analyzer", fmt.Sprintf("%T", m.analyzer), "panic", fmt.Sprint(v))
		}
	}()
	if err := work(); err != nil && !errors.Is(err, context.Canceled) { // the end of the run is no fault of the Analyzer's
		a.fail(m, err.Error())
		a.log.Error("analyzer failed", "analyzer", fmt.Sprintf("%T", m.analyzer), "error", err)
	}
}

// fail counts a failure of an Analyzer and keeps the text of its first, masked (S12).
func (a *analysis) fail(m *member, text string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	f := &a.failures[m.index]
	if f.Count++; f.Count == 1 {
		f.First = mask.Snippet(text, maxSnippet)
	}
}

// failed lists the Analyzers that failed.
func (a *analysis) failed() (out []AnalyzerError) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, f := range a.failures {
		if f.Count > 0 {
			out = append(out, f)
		}
	}
	return out
}

// fingerprint names a finding by what stays the same from run to run: rule, page, target and place.
func fingerprint(f *Finding) string {
	h := fnv.New128a()
	for _, part := range []string{f.Rule, f.URL, f.Target, f.Selector} {
		h.Write([]byte(part))
		h.Write([]byte{0})
	}
	return hex.EncodeToString(h.Sum(nil)[:10])
}
