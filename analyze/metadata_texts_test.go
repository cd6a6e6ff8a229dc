package analyze

import (
	"testing"

	"github.com/amblecrawl/amble/analyze/text"
)

// TestMetadataTexts proves that every rule is told in every language.
func TestMetadataTexts(t *testing.T) {
	for _, r := range metadataRules {
		for _, lang := range text.Languages() {
			if got, ok := (metadata{}).Text(r.ID, lang); !ok || got.Title == "" || got.Why == "" || got.Fix == "" || lang != "en" && got.Why == r.Explanation {
				t.Errorf("%s has no texts in %s", r.ID, lang)
			}
		}
	}
	if _, ok := (metadata{}).Text("title-long", "es"); ok {
		t.Error("a text of a rule that is not ours")
	}
}
