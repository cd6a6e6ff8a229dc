package analyze

import (
	_ "embed"

	"github.com/amblecrawl/amble/analyze/seo"
	"github.com/amblecrawl/amble/analyze/text"
)

//go:embed messages.json
var messagesJSON []byte

// messages says what findings say in other languages than English.
var messages = text.LazyMessages(messagesJSON)

// Tell implements text.Teller. Messages that package seo has too are the same there.
func (a metadata) Tell(rule, message, lang string) (string, bool) {
	if _, ok := a.Text(rule, lang); !ok {
		return message, false
	}
	if told, ok := messages().Tell(message, lang); ok {
		return told, true
	}
	return seo.Messages().Tell(message, lang)
}
