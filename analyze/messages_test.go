package analyze

import (
	"os"
	"regexp"
	"testing"

	"github.com/amblecrawl/amble/analyze/seo"
	"github.com/amblecrawl/amble/analyze/text"
)

// TestMessages proves that every message of Metadata can be told in every language.
func TestMessages(t *testing.T) {
	m, err := text.ParseMessages(messagesJSON)
	if err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile("metadata.go")
	if err != nil {
		t.Fatal(err)
	}
	calls := regexp.MustCompile(`\tfail\(.*?"([A-Z][^"]* [^"]*)"`).FindAllSubmatch(source, -1)
	if len(calls) < 15 {
		t.Fatalf("%d calls of fail were found", len(calls))
	}
	for _, call := range calls {
		if key := text.Key(string(call[1])); !m.Knows(key) && !seo.Messages().Knows(key) {
			t.Errorf("messages.json does not say in other languages: %s", key)
		}
	}
}
