package a11y

import (
	"encoding/json"
	"testing"
)

// TestCriterionNames: every criterion is named in all five languages, and nothing else is.
func TestCriterionNames(t *testing.T) {
	var m map[string]map[string]string
	if err := json.Unmarshal(criteriaJSON, &m); err != nil {
		t.Fatal(err)
	}
	for _, c := range Criteria() {
		for _, lang := range Languages() {
			if c.Title(lang) == "" || lang != "en" && m[c.Number][lang] == "" {
				t.Errorf("%s has no name in %s", c.Number, lang)
			}
		}
	}
	if len(m) != len(Criteria()) {
		t.Errorf("%d names, %d criteria", len(m), len(Criteria()))
	}
}
