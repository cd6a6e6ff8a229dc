package conformance

import (
	_ "embed"
	"encoding/json"
	"slices"
	"sync"

	"github.com/amblecrawl/amble/analyze/a11y"
)

// Standard is a catalogue of checks that rest on the success criteria of WCAG.
type Standard struct {
	ID      string // "en-301-549-v3.2.1", "en-301-549-v4.1.1", "rgaa-4.1", "bitv-test"
	Name    string
	Country string // code of the country whose law asks for it; empty for Europe
	Checks  []Check

	rules map[string][]string // the checks that a failure of a rule decides, where criteria alone do not
}

// Check is one entry of a Standard.
type Check struct {
	Number   string   `json:"number"`   // "9.1.4.3", "1.1"
	Criteria []string `json:"criteria"` // of WCAG, that it rests on
}

//go:embed standards.json
var standardsJSON []byte

var standards = sync.OnceValue(func() []Standard {
	out := []Standard{clauses("en-301-549-v3.2.1", a11y.EN301549V321), clauses("en-301-549-v4.1.1", a11y.EN301549V411)}
	var read []struct {
		ID, Name, Country string
		Checks            []Check
		Rules             map[string][]string
	}
	if err := json.Unmarshal(standardsJSON, &read); err != nil {
		return out // TestStandards proves that it cannot happen
	}
	for _, s := range read {
		out = append(out, Standard{ID: s.ID, Name: s.Name, Country: s.Country, Checks: s.Checks, rules: s.Rules})
	}
	return out
})

// clauses makes the clauses about web pages of a version of EN 301 549.
func clauses(id, version string) Standard {
	s := Standard{ID: id, Name: "EN 301 549 " + version}
	for _, c := range a11y.Criteria() {
		if clause := c.Clause(version); clause != "" {
			s.Checks = append(s.Checks, Check{Number: clause, Criteria: []string{c.Number}})
		}
	}
	return s
}

// Standards returns the catalogues that are known. The slice is the caller's; what it holds is shared and must not be
// changed.
func Standards() []Standard { return slices.Clone(standards()) }

// StandardByID returns a catalogue, and whether it is known.
func StandardByID(id string) (Standard, bool) {
	for _, s := range standards() {
		if s.ID == id {
			return s, true
		}
	}
	return Standard{}, false
}

// CheckRow is what is known about one check of a Standard.
type CheckRow struct {
	Check
	Coverage Coverage // ByPeople when no rule is about what it asks for
	Status   Status
	Failing  []string // rules that failed
}

// Standard returns the rows of a catalogue. A check fails when a rule failed that is about just this check, or whose
// criterion only this check rests on; when its criteria failed otherwise, it is Concerned.
func (t *Table) Standard(s Standard) []CheckRow {
	owners := map[string]int{} // checks that rest on a criterion
	for _, c := range s.Checks {
		for _, number := range c.Criteria {
			owners[number]++
		}
	}
	out := make([]CheckRow, 0, len(s.Checks))
	for _, check := range s.Checks {
		row := CheckRow{Check: check}
		for _, number := range check.Criteria {
			criterion, ok := a11y.CriterionByNumber(number)
			if !ok {
				continue
			}
			for _, rule := range criterion.Coverage() {
				if len(s.rules[rule.ID]) == 0 {
					row.add(rule.ID, t.rules[rule.ID], owners[number] == 1)
				}
			}
			if len(check.Criteria) == 1 && owners[number] == 1 {
				row.Coverage = CoverageOf(criterion)
			}
		}
		for _, rule := range a11y.Rules() {
			if slices.Contains(s.rules[rule.ID], check.Number) {
				row.add(rule.ID, t.rules[rule.ID], true)
			}
		}
		out = append(out, row)
	}
	return out
}

func (r *CheckRow) add(rule string, t tally, decides bool) {
	status := t.status()
	if status == Failed && !decides {
		status = Concerned
	}
	r.Status = max(r.Status, status)
	r.Coverage = max(r.Coverage, InPart)
	if status >= Concerned && !slices.Contains(r.Failing, rule) {
		r.Failing = append(r.Failing, rule)
	}
}
