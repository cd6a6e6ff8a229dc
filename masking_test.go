package amble

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
)

// leaky quotes everything it sees, fails and panics with it.
type leaky struct{}

func (leaky) Rules() []Rule { return []Rule{{ID: "leak"}} }

func (leaky) Analyze(_ context.Context, p *Page, report func(Finding)) error {
	report(Finding{Rule: "leak", Snippet: strings.Repeat("x", 100) + string(p.Response.Body) + strings.Repeat("y", 1000),
		Message: "see ann@example.com", Evidence: map[string]string{"href": "/x?token=HIDEME"}})
	if strings.Contains(p.URL, "panic") {
		panic("at " + p.URL)
	}
	return fmt.Errorf("reading %s: %w", p.URL, errors.New("Authorization: Bearer HIDEME-HIDEME"))
}

// Findings quote little, and no personal data (S12).
func TestFindingsAreMasked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := pages(map[string]string{"/": `<p>ann@example.com <a href="tel:+34600123456">+34 600 123 456</a> <a href="/x?sid=HIDEME">x</a>`})
		got, _ := crawl(t, &Crawler{Fetcher: s, Analyzers: []Analyzer{leaky{}}}, "https://a.test/")
		f := got["https://a.test/"].Findings[0]
		text := fmt.Sprint(f)
		for _, leak := range []string{"ann@", "600", "HIDEME"} {
			if strings.Contains(text, leak) {
				t.Errorf("%s in %s", leak, text)
			}
		}
		if n := len([]rune(f.Snippet)); n > maxSnippet || !strings.Contains(f.Snippet, "[e-mail]") {
			t.Errorf("%d characters: %s", n, f.Snippet)
		}
	})
}

// A log at any level holds no secret: no token of a query, no credential, no key, whatever fails (S12).
func TestLogsHoldNoSecret(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var b bytes.Buffer
		key := testKey(3)
		s := pages(map[string]string{"/": links("/panic?token=HIDEME", "/y?session_id=HIDEME"), "/panic?token=HIDEME": links(), "/y?session_id=HIDEME": links()})
		c := &Crawler{Fetcher: s, Analyzers: []Analyzer{leaky{}}, Logger: slog.New(slog.NewTextHandler(&b, &slog.HandlerOptions{Level: slog.LevelDebug - 10})),
			Signer: &BotSigner{Agent: "https://bot.example", Keys: []SigningKey{key}}}
		got, _ := crawl(t, c, "https://a.test/", "https://u:HIDEME@a.test/z")
		for _, leak := range []string{"HIDEME", "ann@", fmt.Sprintf("%x", []byte(key.Private)), string(key.Private)} {
			if strings.Contains(b.String(), leak) {
				t.Errorf("%q in %s", leak, b.String())
			}
		}
		if n := strings.Count(b.String(), "analyzer"); n < 3 || !strings.Contains(b.String(), "panicked") {
			t.Errorf("the log does not tell what happened: %s", b.String())
		}
		if got["https://a.test/y?session_id=HIDEME"] == nil {
			t.Error("the pages' own URLs must stay as they are")
		}
	})
}
