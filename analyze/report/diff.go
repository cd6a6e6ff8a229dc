package report

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
)

// Diff is what changed between two runs of a site.
type Diff struct {
	New   []FindingRecord `json:"new"`
	Fixed []FindingRecord `json:"fixed"` // as the old run had them
	Still []FindingRecord `json:"still"` // as the new run has them
	// Unknown are findings of one run that the other could not have had: the page was not analysed there, or the rule
	// was not run. They are neither new nor fixed (S20).
	Unknown []UnknownFinding `json:"unknown"`
}

// UnknownFinding is a finding that cannot be compared.
type UnknownFinding struct {
	FindingRecord
	Only string `json:"only"` // "old" or "new": the run that has it
	Why  string `json:"why"`  // "not analysed: blocked", "not seen", "the rule was not run"
}

// Compare compares two runs by fingerprint. Only failures count. A finding whose fingerprint is gone while another with
// the same rule, page, target and snippet has come is the same one: it moved within its page.
//
// A finding of one run alone is new or fixed only when the other run could judge it: its rule was run there and its page
// was analysed; for findings over the whole site, every page of the run that it names; for links, the target was neither
// left unchecked nor unverifiable. A page that a conditional request found unchanged keeps its findings.
func Compare(before, after *Run) *Diff {
	d := &Diff{}
	gone, came, still := match(failures(before.Findings), failures(after.Findings))
	d.Still = still
	for _, f := range gone {
		switch why, kept := after.judges(&f, before); {
		case kept:
			d.Still = append(d.Still, f)
		case why == "":
			d.Fixed = append(d.Fixed, f)
		default:
			d.Unknown = append(d.Unknown, UnknownFinding{f, "old", why})
		}
	}
	for _, f := range came {
		if why, _ := before.judges(&f, after); why == "" {
			d.New = append(d.New, f)
		} else {
			d.Unknown = append(d.Unknown, UnknownFinding{f, "new", why})
		}
	}
	return d
}

// Match compares two lists of findings by themselves, where every page was analysed in both: what is gone, what came, and
// what is in both, as the second has it.
func Match(before, after []FindingRecord) (gone, came, still []FindingRecord) {
	return match(failures(before), failures(after))
}

func failures(list []FindingRecord) []FindingRecord {
	out := make([]FindingRecord, 0, len(list))
	for _, f := range list {
		if f.Result == "failed" {
			out = append(out, f)
		}
	}
	return out
}

// match pairs findings: by fingerprint first, then what is left by content. Each is paired once.
func match(before, after []FindingRecord) (gone, came, still []FindingRecord) {
	pair := func(key func(*FindingRecord) string) {
		have := make(map[string]int)
		for i := range before {
			have[key(&before[i])]++
		}
		paired := make(map[string]int)
		after = slices.DeleteFunc(after, func(f FindingRecord) bool {
			k := key(&f)
			if have[k] == 0 {
				return false
			}
			have[k]--
			paired[k]++
			still = append(still, f)
			return true
		})
		before = slices.DeleteFunc(before, func(f FindingRecord) bool {
			k := key(&f)
			if paired[k] == 0 {
				return false
			}
			paired[k]--
			return true
		})
	}
	pair(func(f *FindingRecord) string { return f.Fingerprint })
	pair(func(f *FindingRecord) string {
		return f.Rule + "\x00" + f.Page + "\x00" + f.Target + "\x00" + f.Snippet
	})
	return before, after, still
}

// judges tells why the run could not have had a finding of another; "" when it could. kept: the run took its page over
// unchanged, so that the finding still holds.
func (run *Run) judges(f *FindingRecord, other *Run) (why string, kept bool) {
	rule := -1
	for i := range run.Header.Rules {
		if run.Header.Rules[i].ID == f.Rule {
			rule = i
			break
		}
	}
	if rule < 0 {
		return "the rule was not run", false
	}
	needs := run.Header.Rules[rule].Needs
	errorsToo, whole := slices.Contains(needs, "errors"), slices.Contains(needs, "site")
	named := []string{}
	if f.Page != "" {
		named = append(named, f.Page)
	}
	if slices.Contains(needs, "links") {
		if run.Summary == nil || run.Summary.Links == nil {
			return "links were not checked", false
		}
		if l := run.Links[f.Target]; l.Verdict == "unverifiable" || l.Verdict == "not-checked" {
			return "link not checked: " + l.Problem, false
		}
	}
	if whole || f.Site {
		if run.Summary == nil {
			return "that run was cut off", false
		}
		for _, s := range append([]string{f.Target}, values(f.Evidence)...) {
			if _, ok := other.Pages[s]; ok {
				named = append(named, s)
			}
		}
	}
	for _, u := range named {
		p, ok := run.Pages[u]
		switch {
		case !ok:
			if _, page := other.Pages[u]; !page {
				continue // no page at all, but a server or a file
			}
			return "not seen", false
		case p.Outcome == "unchanged":
			return "not analysed: unchanged", true
		case p.Outcome == "analysed" || errorsToo && p.Outcome == "http-error":
		default:
			return "not analysed: " + p.Outcome, false
		}
	}
	return "", false
}

// values returns the lines of all evidence.
func values(m map[string]string) []string {
	out := make([]string, 0, len(m))
	for _, v := range m {
		out = append(out, strings.Split(v, "\n")...)
	}
	return out
}

// WriteJSON writes the comparison as one JSON object.
func (d *Diff) WriteJSON(w io.Writer) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", " ")
	return enc.Encode(d)
}

// WriteText writes the comparison for a person: counts, what is new and what is fixed. Languages are those of Languages.
func (d *Diff) WriteText(w io.Writer, lang string) error {
	t := words(lang)
	p := &printer{w: w}
	p.line("%s: %s", t.say("diff.new"), t.number(len(d.New)))
	p.findings(d.New, "+")
	p.line("%s: %s", t.say("diff.fixed"), t.number(len(d.Fixed)))
	p.findings(d.Fixed, "-")
	p.line("%s: %s", t.say("diff.still"), t.number(len(d.Still)))
	p.line("%s: %s", t.say("diff.unknown"), t.number(len(d.Unknown)))
	for _, u := range d.Unknown {
		p.line("  ? %s %s (%s)", u.Rule, u.Page, u.Why)
	}
	return p.err
}

// printer writes lines until the first error.
type printer struct {
	w   io.Writer
	err error
}

func (p *printer) line(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.w, format+"\n", args...)
	}
}

func (p *printer) findings(list []FindingRecord, mark string) {
	for _, f := range list {
		where := f.Page
		if f.Target != "" {
			where += " -> " + f.Target
		}
		if f.Selector != "" {
			where += " " + f.Selector
		}
		p.line("  %s [%s] %s: %s", mark, f.Severity, f.Rule, where)
		if f.Message != "" {
			p.line("      %s", f.Message)
		}
	}
}
