// Package audit is what the built-in audits share: rules as data with their texts, a page under judgement, and findings
// that many pages show and that are reported once.
package audit

import (
	"sync"

	"github.com/amblecrawl/amble"
	"github.com/amblecrawl/amble/analyze/text"
)

// Rule is a check as data; its texts are in a catalog.
type Rule struct {
	id        string
	severity  amble.Severity
	certainty amble.Certainty
	needs     amble.Needs
	help      string
	refs      []string
}

// NewRule gives a row of a table of rules.
func NewRule(id string, severity amble.Severity, certainty amble.Certainty, needs amble.Needs, help string, refs ...string) Rule {
	return Rule{id, severity, certainty, needs, help, refs}
}

// Rules gives the rules with their English texts.
func Rules(table []Rule, texts text.Catalog) []amble.Rule {
	out := make([]amble.Rule, 0, len(table))
	for _, r := range table {
		t, _ := texts.Text(r.id, "en")
		out = append(out, amble.Rule{ID: r.id, Title: t.Title, Explanation: t.Why, Fix: t.Fix, HelpURL: r.help,
			References: r.refs, Severity: r.severity, Certainty: r.certainty, Needs: r.needs})
	}
	return out
}

// Texts gives a catalog that is read when it is first asked for. Each audit's test proves that its JSON can be read.
func Texts(data []byte) func() text.Catalog {
	return sync.OnceValue(func() text.Catalog {
		c, err := text.Parse(data)
		if err != nil {
			return nil
		}
		return c
	})
}
