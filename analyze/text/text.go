// Package text holds what people read about rules: titles, explanations and fixes, as data in several languages.
package text

import (
	"encoding/json"
	"fmt"
	"slices"
)

// Text is what people read about a rule.
type Text struct {
	Title string `json:"title"` // what must hold, in one line
	Why   string `json:"why"`   // why it matters
	Fix   string `json:"fix"`   // how to mend it
}

// Catalog holds texts by rule and language.
type Catalog map[string]map[string]Text

// Source may be implemented by an Analyzer whose rules have texts in several languages.
type Source interface {
	// Text returns a rule's texts in a language, in English where there are none in it. ok is false for a rule that
	// the Analyzer does not have. Safe for concurrent use.
	Text(rule, lang string) (t Text, ok bool)
}

// Languages returns the languages that every catalog of this module is written in, English first.
func Languages() []string { return []string{"en", "es", "fr", "de", "pt"} }

// Parse reads a catalog from JSON: {"rule": {"en": {"title": …, "why": …, "fix": …}}}.
func Parse(data []byte) (Catalog, error) {
	var c Catalog
	if err := json.Unmarshal(data, &c); err != nil {
		return nil, fmt.Errorf("texts: %w", err)
	}
	return c, nil
}

// Text returns a rule's texts in a language, in English where there are none in it.
func (c Catalog) Text(rule, lang string) (Text, bool) {
	if t, ok := c[rule][lang]; ok {
		return t, true
	}
	t, ok := c[rule]["en"]
	return t, ok
}

// Missing lists what a catalog lacks for the given rules, and texts of rules that are none; empty when it is complete.
func (c Catalog) Missing(rules []string) (missing []string) {
	for _, rule := range rules {
		for _, lang := range Languages() {
			if t := c[rule][lang]; t.Title == "" || t.Why == "" || t.Fix == "" {
				missing = append(missing, rule+" in "+lang)
			}
		}
	}
	for rule := range c {
		if !slices.Contains(rules, rule) {
			missing = append(missing, "a rule for the text "+rule)
		}
	}
	slices.Sort(missing)
	return missing
}
