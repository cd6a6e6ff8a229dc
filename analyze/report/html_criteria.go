package report

import (
	_ "embed"
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/amblecrawl/amble"
	"github.com/amblecrawl/amble/analyze/a11y"
)

// criterionTally is what is kept of a success criterion of WCAG.
type criterionTally struct {
	failed, cantTell, pages int
	last                    string // the page counted last
}

// criterionView is a row of the table of criteria.
type criterionView struct {
	Number, Name, NameLang, Level string
	Rules                         int // rules that look at it
	Failed, Pages, CantTell       int
	Failing                       []pageRule
}

var wcagReference = regexp.MustCompile(`^WCAG \d\.\d (\d\.\d\.\d+)\b`)

// criteriaOf maps rules to the success criteria that their references name. Where a rule of package a11y looks at a
// criterion, other packages' rules that touch it too are left out: they would count the same fault twice.
func criteriaOf(rules []amble.Rule) map[string][]string {
	own := make(map[string]bool) // criteria that package a11y looks at
	of := make(map[string][]string)
	for i := range rules {
		r := &rules[i]
		for _, ref := range r.References {
			if m := wcagReference.FindStringSubmatch(ref); m != nil && !slices.Contains(of[r.ID], m[1]) {
				of[r.ID] = append(of[r.ID], m[1])
				own[m[1]] = own[m[1]] || strings.HasPrefix(r.ID, a11yPrefix)
			}
		}
	}
	for id, numbers := range of {
		if !strings.HasPrefix(id, a11yPrefix) {
			of[id] = slices.DeleteFunc(numbers, func(number string) bool { return own[number] })
		}
	}
	return of
}

// a11yPrefix begins the ids of package a11y's rules.
const a11yPrefix = "a11y-"

// countCriteria counts a finding for the criteria that its rule belongs to.
func (c *Collector) countCriteria(f *amble.Finding, r *amble.Rule) {
	for _, number := range c.criteriaOf[r.ID] {
		t := c.criteria[number]
		if t == nil {
			t = &criterionTally{}
			c.criteria[number] = t
		}
		if f.Result == amble.CantTell {
			t.cantTell++
			continue
		}
		t.failed++
		if f.URL != t.last {
			t.last = f.URL
			t.pages++
		}
	}
}

// criteriaView groups what was found by success criterion, in WCAG's order: those with failures, then those that a person
// must judge. Of the others it is only said how many were looked at: a criterion without failures is not proven met.
func (c *Collector) criteriaView(v *view, t *wording) {
	if c.clean+c.withPages == 0 {
		return
	}
	rows := make(map[string]*criterionView)
	var numbers []string
	for i := range c.o.Rules {
		r := &c.o.Rules[i]
		for _, number := range c.criteriaOf[r.ID] {
			row := rows[number]
			if row == nil {
				row = &criterionView{Number: number}
				row.Name, row.NameLang = criterionName(number, t)
				if known, ok := a11y.CriterionByNumber(number); ok {
					row.Level = known.Level
				}
				rows[number] = row
				numbers = append(numbers, number)
			}
			row.Rules++
			if tl := c.rules[r.ID]; tl != nil && tl.failed > 0 {
				text, in := c.o.text(r, t.lang)
				s := min(tl.severity, amble.Critical)
				row.Failing = append(row.Failing, pageRule{anchor(r.ID), text.Title, other(in, t.lang), s.String(), marks[s],
					t.say("severity." + s.String()), tl.failed})
			}
		}
	}
	slices.SortFunc(numbers, compareNumbers)
	for _, number := range numbers {
		row, tally := rows[number], c.criteria[number]
		if tally == nil {
			v.CriteriaQuiet = append(v.CriteriaQuiet, *row)
			continue
		}
		row.Failed, row.Pages, row.CantTell = tally.failed, tally.pages, tally.cantTell
		v.Criteria = append(v.Criteria, *row)
	}
	v.CriteriaAll = len(numbers)
}

// compareNumbers orders "1.4.3" before "1.4.12".
func compareNumbers(a, b string) int {
	x, y := strings.Split(a, "."), strings.Split(b, ".")
	for i := range min(len(x), len(y)) {
		m, _ := strconv.Atoi(x[i])
		n, _ := strconv.Atoi(y[i])
		if m != n {
			return m - n
		}
	}
	return len(x) - len(y)
}

//go:embed criteria.json
var criteriaJSON []byte

// criterionNames maps a criterion's number to its name in each of Languages, in that order.
var criterionNames = sync.OnceValue(func() map[string][5]string {
	var m map[string][5]string
	if err := json.Unmarshal(criteriaJSON, &m); err != nil {
		return nil // TestCriterionNames proves that it cannot happen
	}
	return m
})

// criterionName returns a criterion's name, and its language where that is not the report's.
func criterionName(number string, t *wording) (name, lang string) {
	if name = criterionNames()[number][t.index]; name != "" {
		return name, ""
	}
	if c, ok := a11y.CriterionByNumber(number); ok {
		return c.Name, other("en", t.lang)
	}
	return "", ""
}
