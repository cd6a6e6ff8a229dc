package a11y

import (
	_ "embed"
	"encoding/json"
	"sync"
)

// Text is what people read about a rule.
type Text struct {
	Title string `json:"title"` // what must hold, in one line
	Why   string `json:"why"`   // why it matters to people
	Fix   string `json:"fix"`   // how to mend it
}

// Languages that the texts are written in.
func Languages() []string { return []string{"en", "es", "fr", "de", "pt"} }

//go:embed texts.json
var textsJSON []byte

var texts = sync.OnceValue(func() map[string]map[string]Text {
	var m map[string]map[string]Text
	if err := json.Unmarshal(textsJSON, &m); err != nil {
		return nil // TestTexts proves that it cannot happen
	}
	return m
})

// Text returns the rule's texts in a language, in English when they are not written in it.
func (r *Rule) Text(lang string) Text {
	t := texts()[r.ID]
	if out, ok := t[lang]; ok {
		return out
	}
	return t["en"]
}
