package a11y

import (
	_ "embed"
	"encoding/json"
	"strings"
	"sync"

	"github.com/amblecrawl/amble/analyze/text"
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

// Text implements text.Source: it knows the rules by the ids that the Analyzer reports.
func (*Analyzer) Text(rule, lang string) (text.Text, bool) {
	id := strings.TrimPrefix(rule, "a11y-")
	for i := range rules {
		if rules[i].ID == id && id != rule {
			return text.Text(rules[i].Text(lang)), true
		}
	}
	return text.Text{}, false
}
