package axe

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/amblecrawl/amble"
)

var _ amble.Analyzer = (*Engine)(nil)

// Outcome is what one of axe-core's rules said about a page.
type Outcome struct {
	Rule     Rule
	Result   amble.Result
	Elements int
}

// Report is what axe-core said about a page.
type Report struct {
	Version  string // of axe-core
	Outcomes []Outcome
	Findings []amble.Finding // failures, and what a person must judge
	Untested []string        // frames that were not looked at, with the reason
}

// ErrNoAnswer: a snapshot holds no answer of axe-core.
var ErrNoAnswer = errors.New("axe: the snapshot holds no answer of axe-core: add Engine.Script to Renderer.Scripts")

// Report reads axe-core's answer off a snapshot. The error matches ErrNoAnswer when it was not run, and says why when it
// did not end.
func (e *Engine) Report(s *amble.Snapshot) (*Report, error) {
	if s == nil {
		return nil, ErrNoAnswer
	}
	result, ok := s.Scripts[World]
	if !ok {
		return nil, ErrNoAnswer
	}
	if result.Problem != "" {
		return nil, fmt.Errorf("axe: %s", result.Problem)
	}
	var a answer
	if err := json.Unmarshal(result.JSON, &a); err != nil {
		return nil, fmt.Errorf("axe: its answer cannot be read: %w", err)
	}
	rep := &Report{Version: a.Version, Untested: a.Untested}
	for _, group := range []struct {
		result amble.Result
		rules  []ruleAnswer
	}{{amble.Failed, a.Failed}, {amble.CantTell, a.CantTell}, {amble.Passed, a.Passed}, {amble.Inapplicable, a.Inapplicable}} {
		for _, ra := range group.rules {
			rule, known := e.rule(ra.ID)
			rep.Outcomes = append(rep.Outcomes, Outcome{Rule: rule, Result: group.result, Elements: ra.Elements})
			rep.Findings = append(rep.Findings, findings(rule, known, group.result, ra, s.URL)...)
		}
	}
	return rep, nil
}

func (e *Engine) rule(id string) (Rule, bool) {
	if i := slices.IndexFunc(e.rules, func(r Rule) bool { return r.ID == id }); i >= 0 {
		return e.rules[i], true
	}
	return Rule{ID: id, Title: id, Severity: amble.Warning}, false
}

func findings(rule Rule, known bool, result amble.Result, ra ruleAnswer, url string) []amble.Finding {
	var out []amble.Finding
	for _, n := range ra.Nodes {
		f := amble.Finding{Rule: Prefix + rule.ID, Result: result, Severity: rule.Severity, URL: url, Selector: n.Target, Snippet: n.HTML,
			Message: strings.Join(n.Messages, "; "), Evidence: map[string]string{}}
		for k, v := range n.Evidence {
			f.Evidence[k] = v
		}
		if n.Impact != "" {
			f.Severity = severity(n.Impact)
		}
		if result == amble.CantTell {
			f.Severity = amble.Notice
		}
		if len(rule.Criteria) > 0 {
			f.Evidence["criteria"] = strings.Join(rule.Criteria, " ")
		}
		if !known {
			f.Rule, f.Message = RunRule, rule.ID+": "+f.Message
		}
		out = append(out, f)
	}
	return out
}

// Rules returns those of axe-core's rules that run.
func (e *Engine) Rules() []amble.Rule {
	out := []amble.Rule{{ID: RunRule, Title: "axe-core looked at the whole page", Severity: amble.Info, Needs: amble.NeedRendered,
		Explanation: "What it could not look at was not tested by it.", Fix: "Look at these parts by other means, or give it more time."}}
	for _, r := range e.rules {
		if !e.wanted(r) {
			continue
		}
		ar := amble.Rule{ID: Prefix + r.ID, Title: r.Title, Explanation: r.Why, Severity: r.Severity, Needs: amble.NeedRendered,
			HelpURL: "https://dequeuniversity.com/rules/axe/" + e.minor() + "/" + r.ID}
		for _, c := range r.Criteria {
			ar.References = append(ar.References, "WCAG 2.2 "+c)
		}
		for _, id := range r.ACT {
			ar.References = append(ar.References, "ACT "+id)
		}
		if len(r.Criteria) == 0 {
			ar.Certainty = amble.Doubt
		}
		out = append(out, ar)
	}
	return out
}

// minor is the version without its last part: the help pages have one address for all of them.
func (e *Engine) minor() string {
	parts := strings.SplitN(e.version, ".", 3)
	return strings.Join(parts[:min(2, len(parts))], ".")
}

func (e *Engine) wanted(r Rule) bool {
	switch {
	case len(e.Only) > 0:
		return slices.Contains(e.Only, r.ID)
	case len(e.Tags) > 0 && !slices.ContainsFunc(e.Tags, func(t string) bool { return slices.Contains(r.Tags, t) }):
		return false
	}
	return !r.Off || e.Experimental
}

// Analyze reports what axe-core found on a page.
func (e *Engine) Analyze(_ context.Context, p *amble.Page, report func(amble.Finding)) error {
	if p.Response == nil || p.Response.Snapshot == nil {
		return nil
	}
	untested := func(why string) {
		report(amble.Finding{Rule: RunRule, Result: amble.Untested, Severity: amble.Info, URL: p.URL, Message: why})
	}
	rep, err := e.Report(p.Response.Snapshot)
	if errors.Is(err, ErrNoAnswer) {
		return err
	}
	if err != nil {
		untested(err.Error())
		return nil
	}
	for _, f := range rep.Findings {
		f.URL = p.URL
		report(f)
	}
	for _, why := range rep.Untested {
		untested(why)
	}
	return nil
}
