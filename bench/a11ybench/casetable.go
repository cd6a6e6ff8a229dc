package a11ybench

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/amblecrawl/amble/analyze/a11y"
)

// engines are the rows of the table.
var engines = []string{"amble", "axe-core", "axe-core, all rules", "Alfa"}

// mapped tells whether an engine has a rule about an ACT rule.
func (b *caseBench) mapped(engine, act string) bool {
	switch engine {
	case "amble":
		return len(a11y.ByACT(act)) > 0
	case "Alfa":
		for _, ids := range alfaACT {
			if slices.Contains(ids, act) {
				return true
			}
		}
		return false
	}
	for _, r := range b.axe.Table() {
		if slices.Contains(r.ACT, act) && (!r.Off || engine != "axe-core") {
			return true
		}
	}
	return false
}

// score is one engine's row.
type score struct {
	rules, consistent                   int
	found, failed, foundIn, failedIn    int // of all cases that must fail, and of those of rules that it has
	wrong, clean                        int // false positives, of all cases that must not fail
	missedCases, wrongCases, brokenDown []string
}

// table prints what each engine found. A case that must fail counts as found when a rule about its ACT rule failed; a case
// that must not fail counts as a false positive when one did. A rule is consistent when all its cases are right, as W3C
// counts it; cantTell counts as not failed.
func (b *caseBench) table(w io.Writer, rules int) {
	var list []*seen
	var left []string
	for _, s := range b.seen {
		if s.left {
			left = append(left, s.ID)
			continue
		}
		list = append(list, s)
	}
	slices.SortFunc(list, func(a, c *seen) int { return strings.Compare(a.ID, c.ID) })
	scores := map[string]*score{}
	for _, engine := range engines {
		sc := &score{}
		scores[engine] = sc
		good := map[string]bool{}
		for _, s := range list {
			if _, ok := good[s.RuleID]; !ok && b.mapped(engine, s.RuleID) {
				good[s.RuleID] = true
				sc.rules++
			}
			in := b.mapped(engine, s.RuleID)
			if why := s.errs[engine]; why != "" {
				sc.brokenDown = append(sc.brokenDown, s.ID+": "+why)
			}
			switch failed := s.failed[engine]; {
			case s.Expected == "failed":
				sc.failed++
				if in {
					sc.failedIn++
				}
				if failed {
					sc.found++
					sc.foundIn++
				} else if in {
					sc.missedCases = append(sc.missedCases, s.ID)
					good[s.RuleID] = false
				}
			default:
				sc.clean++
				if failed {
					sc.wrong++
					sc.wrongCases = append(sc.wrongCases, s.ID)
					good[s.RuleID] = false
				}
			}
		}
		for _, ok := range good {
			if ok {
				sc.consistent++
			}
		}
	}
	fmt.Fprintf(w, "%s: W3C's ACT cases, %d of them in one Chrome; left out for all: those that need media, and %d that are not shown as HTML (SVG, or they send the browser elsewhere at once)\n\n", time.Now().UTC().Format(time.DateOnly), len(list), len(left))
	fmt.Fprintln(w, "| engine | failed cases found | of rules that it has | false positives | ACT rules it has | of these consistent |")
	fmt.Fprintln(w, "|---|---|---|---|---|---|")
	for _, engine := range engines {
		sc := scores[engine]
		fmt.Fprintf(w, "| %s | %d of %d | %d of %d | %d of %d | %d of %d | %d |\n", engine, sc.found, sc.failed, sc.foundIn, sc.failedIn, sc.wrong, sc.clean, sc.rules, rules, sc.consistent)
	}
	slices.Sort(left)
	fmt.Fprintf(w, "\nLeft out: %s\n", shortIDs(left))
	for _, engine := range engines {
		sc := scores[engine]
		fmt.Fprintf(w, "%s: false positives: %s\n", engine, shortIDs(sc.wrongCases))
		fmt.Fprintf(w, "%s: missed in rules that it has: %s\n", engine, shortIDs(sc.missedCases))
		if len(sc.brokenDown) > 0 {
			fmt.Fprintf(w, "%s: gave no answer for %s\n", engine, strings.Join(sc.brokenDown, "; "))
		}
	}
	for _, s := range list {
		if s.Expected != "failed" || s.failed["amble"] {
			continue
		}
		for _, engine := range engines[1:] {
			if s.failed[engine] {
				fmt.Fprintf(w, "only others find %s: %s\n", s.ID, engine)
			}
		}
	}
	b.unmapped(w, list)
}

func shortIDs(ids []string) string {
	if len(ids) == 0 {
		return "none"
	}
	for i, id := range ids {
		rule, rest, _ := strings.Cut(id, "/")
		ids[i] = rule + "/" + rest[:min(8, len(rest))]
	}
	return strings.Join(ids, " ")
}

// unmapped names rules of Alfa that would fit an ACT rule that they are not mapped to without one false positive, so that
// the mapping, which is ours, can be seen to be fair.
func (b *caseBench) unmapped(w io.Writer, list []*seen) {
	type pair struct{ rule, act string }
	hits, wrong := map[pair]int{}, map[pair]int{}
	for _, s := range list {
		for rule, outcome := range b.alfa[s.ID] {
			if outcome != "failed" {
				continue
			}
			if s.Expected == "failed" {
				hits[pair{rule, s.RuleID}]++
			} else {
				wrong[pair{rule, s.RuleID}]++
			}
		}
	}
	var out []string
	for p, n := range hits {
		if wrong[p] == 0 && !slices.Contains(alfaACT[p.rule], p.act) {
			out = append(out, fmt.Sprintf("%s for %s (%d)", p.rule, p.act, n))
		}
	}
	slices.Sort(out)
	fmt.Fprintf(w, "Alfa's rules that fail in cases of ACT rules which they are not about, and in none that must not fail: %s\n", orNone(out))
}

func orNone(list []string) string {
	if len(list) == 0 {
		return "none"
	}
	return strings.Join(list, ", ")
}
