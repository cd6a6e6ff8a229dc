package seo_test

import (
	"testing"

	"github.com/amblecrawl/amble"
	"github.com/amblecrawl/amble/analyze/seo"
	"github.com/amblecrawl/amble/analyze/text"
)

// TestTextsAreComplete: every rule has its texts in all languages, and no text is without a rule.
func TestTextsAreComplete(t *testing.T) {
	var ids []string
	for _, r := range seo.New(amble.Agent{}).Rules() {
		ids = append(ids, r.ID)
		if r.Title == "" || r.HelpURL == "" {
			t.Errorf("%s has no title or no help", r.ID)
		}
	}
	for _, missing := range seo.Texts().Missing(ids) {
		t.Errorf("missing: %s", missing)
	}
	var _ text.Source = (*seo.Analyzer)(nil)
}
