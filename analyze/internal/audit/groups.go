package audit

import (
	"encoding/hex"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"

	"github.com/amblecrawl/amble"
)

// Groups gathers findings that many pages show: one per rule and target, with the first pages that showed it. It is not
// safe for concurrent use.
type Groups struct {
	found map[key]*Group
	order []*Group
}

// Group is a finding under way.
type Group struct {
	Finding amble.Finding
	Count   int // how often it was met
	Pages   []string
}

const (
	maxGroups = 1 << 20
	maxPages  = 10 // pages named in a finding
)

// Has reports whether there is a finding of the rule on the target.
func (g *Groups) Has(rule, target string) bool { return g.found[key{rule, target}] != nil }

// Add adds to the finding of a rule on a target, and returns it. page is where it was met.
func (g *Groups) Add(rule, target, page string, result amble.Result, message string, evidence ...string) *Group {
	k := key{rule, target}
	f := g.found[k]
	if f == nil {
		if len(g.order) >= maxGroups {
			return &Group{}
		}
		if g.found == nil {
			g.found = make(map[key]*Group)
		}
		f = &Group{Finding: amble.Finding{Rule: rule, Result: result, URL: page, Target: target, Message: message,
			Evidence: Pairs(evidence), Fingerprint: fingerprint(rule, target)}}
		g.found[k] = f
		g.order = append(g.order, f)
	}
	f.Count++
	if len(f.Pages) < maxPages && !slices.Contains(f.Pages, page) {
		f.Pages = append(f.Pages, page)
	}
	return f
}

// Report hands out what was gathered, in order of the first meeting, and forgets it.
func (g *Groups) Report(report func(amble.Finding)) {
	for _, f := range g.order {
		if len(f.Pages) > 0 {
			if f.Finding.Evidence == nil {
				f.Finding.Evidence = make(map[string]string)
			}
			f.Finding.Evidence["pages"] = strings.Join(f.Pages, " ")
			f.Finding.Evidence["count"] = fmt.Sprint(max(f.Count, len(f.Pages)))
		}
		report(f.Finding)
	}
	*g = Groups{}
}

// fingerprint is that of a rule and target: the pages where it was met change more often.
func fingerprint(rule, target string) string {
	h := fnv.New128a()
	h.Write([]byte(rule + "\x00" + target))
	return hex.EncodeToString(h.Sum(nil)[:10])
}
