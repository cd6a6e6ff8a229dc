package analyze_test

import (
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/amblecrawl/amble"
	"github.com/amblecrawl/amble/analyze/links"
	"github.com/amblecrawl/amble/analyze/seo"
	"github.com/amblecrawl/amble/analyze/tech"
)

// TestCatalogueIsCovered reads CATALOGUE.md: each check of the catalogue is there with its rules, which exist, or with the
// reason why there is none; and each rule of seo, tech and links stands behind some check.
func TestCatalogueIsCovered(t *testing.T) {
	text, err := os.ReadFile("CATALOGUE.md")
	if err != nil {
		t.Fatal(err)
	}
	known, named := make(map[string]bool), make(map[string]bool)
	for _, a := range []amble.Analyzer{seo.New(amble.Agent{Name: "AmbleTest"}), tech.New(), &links.Analyzer{}} {
		for _, r := range a.Rules() {
			known[r.ID] = true
		}
	}
	rows := 0
	code := regexp.MustCompile("`([a-z0-9-]+)`")
	for line := range strings.SplitSeq(string(text), "\n") {
		cells := strings.Split(line, "|")
		if len(cells) != 4 || strings.HasPrefix(line, "|---") || strings.Contains(line, "| rules |") {
			continue
		}
		rows++
		found := code.FindAllStringSubmatch(cells[2], -1)
		if len(found) == 0 && !strings.HasPrefix(strings.TrimSpace(cells[2]), "none: ") {
			t.Errorf("neither rules nor a reason: %s", line)
		}
		for _, m := range found {
			named[m[1]] = true
			if !known[m[1]] {
				t.Errorf("no such rule: %s", line)
			}
		}
	}
	if rows < 139 {
		t.Errorf("%d rows", rows)
	}
	for _, id := range slices.Sorted(maps.Keys(known)) {
		if !named[id] {
			t.Errorf("CATALOGUE.md lacks the rule %s", id)
		}
	}
}
