package httpsig

import (
	"testing"

	"github.com/amblecrawl/amble/internal/urlkey"
)

// A path that net/http can only send in absolute form is signed as the path that it is (RFC 9421 section 2.2).
func TestPathOfAnAbsoluteFormTarget(t *testing.T) {
	for _, raw := range []string{"https://example.com//a|b?q=1", "https://example.com/a|b?q=1", "https://example.com//a?q=1"} {
		key, err := urlkey.Parse(raw)
		if err != nil {
			t.Fatal(err)
		}
		m := &Message{Method: "GET", URL: key.URL()}
		for name, want := range map[string]string{"@path": key.Path(), "@query": "?q=1", "@target-uri": raw} {
			got, err := m.value(Item{Value: name})
			if err != nil || got != want {
				t.Errorf("%s of %s: %q, %v", name, raw, got, err)
			}
		}
	}
}
