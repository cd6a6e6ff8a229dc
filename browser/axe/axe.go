// Package axe runs axe-core, which the user brings, beside or instead of amble's own accessibility rules, and gives its
// results as findings. Nothing of axe-core is part of this module: it is read from a file or an fs.FS, such as the folder
// that npm installs.
//
//	engine, err := axe.New(os.DirFS("node_modules/axe-core"), "axe.min.js")
//	renderer.Scripts = []browser.Script{engine.Script()}
//	crawler.Analyzers = []amble.Analyzer{engine}
//
// It is registered once for each tab and runs in a JavaScript world of its own in every frame, those of other origins
// included, with a deadline: no page can change what it says, no content security policy stops it, and no page can keep it
// for longer. It sends no requests, unless Experimental is set.
package axe

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/amblecrawl/amble"
)

// Engine is axe-core, ready for use. Its fields must not be changed after Script or Rules was called. It is safe for
// concurrent use.
type Engine struct {
	// Only names rules, by axe-core's ids, and Tags sets of rules, such as "wcag2a". Both empty: axe-core's own choice.
	Only, Tags []string

	// Experimental runs also what axe-core leaves off by itself. Rules among them read style sheets of other origins again.
	Experimental bool

	// Timeout is how long axe-core may take for a page, all frames together. 0: 10 seconds.
	Timeout time.Duration

	// MaxElements bounds what is listed for one rule on one page. 0: 100. Outcome.Elements still counts all.
	MaxElements int

	source  string
	version string
	rules   []Rule
}

// Rule is one of axe-core's rules, as its own table describes it.
type Rule struct {
	ID       string // axe-core's, "image-alt"
	Title    string
	Why      string
	Tags     []string
	Criteria []string // success criteria of WCAG, "1.1.1"
	ACT      []string // ids of ACT rules
	Severity amble.Severity
	Off      bool // not run unless it is asked for
}

// Prefix is set before axe-core's rule ids in findings: "axe-image-alt".
const Prefix = "axe-"

// RunRule is the rule whose findings, with the result Untested, say what axe-core could not look at, and why. Its findings
// of other results are those of rules that are not in axe-core's table.
const RunRule = Prefix + "run"

// maxSource bounds the file; axe-core has less than 2 MB.
const maxSource = 16 << 20

// prelude makes axe-core work where scripts are switched off (a sandbox): timers do not run there, promises do.
const prelude = `try {
	const probe = document.createElement('div');
	probe.innerHTML = '<noscript><b></b></noscript>';
	if (probe.querySelector('b')) globalThis.setTimeout = f => { Promise.resolve().then(f); return 0; };
} catch {}
`

// New reads axe-core from a file. The error says what to do when it is not there, is something else, or is older than 4.3,
// the first that can be run frame by frame.
func New(fsys fs.FS, file string) (*Engine, error) {
	fail := func(err error, format string, args ...any) (*Engine, error) {
		return nil, &amble.Error{Op: "axe", Kind: amble.ErrConfig, Reason: fmt.Sprintf(format, args...), Err: err}
	}
	info, err := fs.Stat(fsys, file)
	if err != nil {
		return fail(err, "%s cannot be read: install axe-core (npm install axe-core) and give its folder", file)
	}
	if info.Size() > maxSource {
		return fail(nil, "%s is too large to be axe-core", file)
	}
	source, err := fs.ReadFile(fsys, file)
	if err != nil {
		return fail(err, "%s cannot be read", file)
	}
	e := &Engine{source: prelude + string(source)}
	m := versionPattern.FindSubmatch(source[:min(len(source), 2000)])
	if m == nil {
		return fail(nil, "%s does not look like axe-core: its first lines name no version", file)
	}
	e.version = string(m[1])
	major, minor := atoi(m[2]), atoi(m[3])
	if major < 4 || major == 4 && minor < 3 {
		return fail(nil, "axe-core %s is too old: 4.3 or later is needed", e.version)
	}
	if e.rules = table(e.source); len(e.rules) == 0 {
		return fail(nil, "%s has no table of rules that can be read: use axe.js or axe.min.js as published", file)
	}
	return e, nil
}

// Localise gives axe-core's texts in another language, read from one of the locale files that come with it, such as
// "locales/es.json". It must be called before Script and Rules.
func (e *Engine) Localise(fsys fs.FS, file string) error {
	data, err := fs.ReadFile(fsys, file)
	if err != nil {
		return &amble.Error{Op: "axe", Kind: amble.ErrConfig, Reason: file + " cannot be read", Err: err}
	}
	var locale struct {
		Lang  string
		Rules map[string]struct{ Description, Help string }
	}
	if err := json.Unmarshal(data, &locale); err != nil || locale.Lang == "" {
		return &amble.Error{Op: "axe", Kind: amble.ErrConfig, Reason: file + " is not a locale file of axe-core", Err: err}
	}
	e.source += "\n;axe.configure({locale: " + string(data) + "});"
	for i := range e.rules {
		if t, ok := locale.Rules[e.rules[i].ID]; ok {
			e.rules[i].Title, e.rules[i].Why = cmp.Or(t.Help, e.rules[i].Title), cmp.Or(t.Description, e.rules[i].Why)
		}
	}
	return nil
}

// Version of axe-core, "4.14.1".
func (e *Engine) Version() string { return e.version }

// Table returns axe-core's rules, those that are off by default included, in its order.
func (e *Engine) Table() []Rule { return slices.Clone(e.rules) }

var (
	versionPattern = regexp.MustCompile(`\baxe v((\d+)\.(\d+)\.\d+[\w.-]*)`)
	// A rule of the table, and its texts: both the plain and the minified file are written by a program, in one way.
	rulePattern   = regexp.MustCompile(`\bid:\s*['"]([a-z0-9-]+)['"],([^{}]*?)\btags:\s*\[([^\]]*)\]([^{}]*?)\b(?:all|any|none):`)
	textPattern   = regexp.MustCompile(`['"]?([a-z0-9-]+)['"]?:\s*\{\s*description:\s*("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'),\s*help:\s*("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')`)
	actPattern    = regexp.MustCompile(`actIds:\s*\[([^\]]*)\]`)
	impactPattern = regexp.MustCompile(`impact:\s*['"](\w+)['"]`)
	offPattern    = regexp.MustCompile(`enabled:\s*(false|!1)`)
	wordPattern   = regexp.MustCompile(`['"]([^'"]+)['"]`)
)

// table reads the rules off axe-core's source, so that they are known before a browser runs.
func table(source string) []Rule {
	type texts struct{ why, title string }
	said := map[string]texts{}
	for _, m := range textPattern.FindAllStringSubmatch(source, -1) {
		said[m[1]] = texts{unquote(m[2]), unquote(m[3])}
	}
	var out []Rule
	for _, m := range rulePattern.FindAllStringSubmatch(source, -1) {
		t, ok := said[m[1]]
		if !ok {
			continue // a check
		}
		rest := m[2] + m[4]
		r := Rule{ID: m[1], Title: t.title, Why: t.why, Tags: words(m[3]), Severity: amble.Warning}
		if a := actPattern.FindStringSubmatch(rest); a != nil {
			r.ACT = words(a[1])
		}
		if i := impactPattern.FindStringSubmatch(rest); i != nil {
			r.Severity = severity(i[1])
		}
		r.Off = offPattern.MatchString(rest) || slices.Contains(r.Tags, "experimental")
		r.Criteria = criteria(r.Tags)
		out = append(out, r)
	}
	return out
}

func words(list string) []string {
	var out []string
	for _, m := range wordPattern.FindAllStringSubmatch(list, -1) {
		out = append(out, m[1])
	}
	return out
}

// unquote reads a JavaScript string of the simple kind that the table has.
func unquote(s string) string {
	s = s[1 : len(s)-1]
	return strings.NewReplacer(`\"`, `"`, `\'`, `'`, `\\`, `\`, `\n`, " ").Replace(s)
}

// criterionTag is a tag that names a success criterion: "wcag1410" is 1.4.10.
var criterionTag = regexp.MustCompile(`^wcag(\d)(\d)(\d{1,2})$`)

// criteria are the success criteria among a rule's tags.
func criteria(tags []string) []string {
	var out []string
	for _, t := range tags {
		if m := criterionTag.FindStringSubmatch(t); m != nil {
			out = append(out, m[1]+"."+m[2]+"."+m[3])
		}
	}
	return out
}

// severity maps axe-core's impact.
func severity(impact string) amble.Severity {
	switch impact {
	case "critical":
		return amble.Critical
	case "serious":
		return amble.Serious
	case "minor":
		return amble.Notice
	}
	return amble.Warning
}

func atoi(b []byte) int {
	n, err := strconv.Atoi(string(b))
	if err != nil {
		return 0
	}
	return n
}
