package urlkey

import (
	"slices"
	"testing"

	"github.com/amblecrawl/amble/internal/cases"
)

func TestCasesURL(t *testing.T) {
	var set struct {
		Cases []struct {
			ID      string   `json:"id"`
			Base    string   `json:"base"`
			Href    string   `json:"href"`
			Expect  string   `json:"expect"`
			Invalid bool     `json:"invalid"`
			AlsoOK  []string `json:"also_ok"`
		} `json:"cases"`
	}
	cases.JSON(t, "seo/url-cases.json", &set)
	tally := cases.NewTally("url")
	for _, c := range set.Cases {
		var base URL
		var err error
		if c.Base != "" {
			base, err = Parse(c.Base)
		}
		var u URL
		if err == nil {
			u, err = Resolve(base, c.Href)
		}
		ok := err == nil && !c.Invalid && (u.Href() == c.Expect || slices.Contains(c.AlsoOK, u.Href())) ||
			err != nil && c.Invalid
		if !ok {
			t.Logf("%s: %q on %q: got %q, %v; want %q", c.ID, c.Href, c.Base, u.Href(), err, c.Expect)
		}
		tally.Add(c.ID, ok)
	}
	tally.Close(t, nil)
}
