package links

import (
	_ "embed"

	"github.com/amblecrawl/amble/analyze/text"
)

//go:embed messages.json
var messagesJSON []byte

// messages says what findings say in other languages than English.
var messages = text.LazyMessages(messagesJSON)

// Tell implements text.Teller: the message of one of this package's findings in another language.
func (a *Analyzer) Tell(rule, message, lang string) (string, bool) {
	if _, ok := a.Text(rule, lang); !ok {
		return message, false
	}
	return messages().Tell(message, lang)
}
