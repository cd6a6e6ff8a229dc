package seo

import (
	"testing"

	"github.com/amblecrawl/amble/analyze/internal/sentences"
	"github.com/amblecrawl/amble/analyze/text"
)

// TestMessages proves that every message that a rule reports can be told in every language.
func TestMessages(t *testing.T) {
	m, err := text.ParseMessages(messagesJSON)
	if err != nil {
		t.Fatal(err)
	}
	sentences.Check(t, m, "rules.go")
}
