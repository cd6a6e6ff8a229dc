package mask

import (
	"bytes"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"unicode/utf8"
)

// Personal data and secrets are masked, what a report needs stays (S12).
func TestSnippets(t *testing.T) {
	for _, row := range [][2]string{
		{`<a href="mailto:ann@example.com">ann@example.com</a>`, `<a href="mailto:[e-mail]">[e-mail]</a>`},
		{`<a href="?to=ann%40example.com">`, `<a href="?to=[e-mail]">`},
		{`write to ann&#64;example.com or josé.ñ@bücher.example`, `write to [e-mail] or [e-mail]`},
		{`<img srcset="logo@2x.png 2x">`, `<img srcset="logo@2x.png 2x">`},
		{`<a href="tel:+34600123456">+34 600 123 456</a>`, `<a href="tel:[number]">[number]</a>`},
		{`Call 06 12 34 56 78, (212) 555-0123 or 600123456.`, `Call [number], [number] or [number].`},
		{`Tel. 030/1234567-89`, `Tel. [number]`},
		{`card 4111 1111 1111 1111`, `card [number]`},
		{`<time datetime="2026-01-02">2026-01-02 10:20:30</time> 31.12.2025`, `<time datetime="2026-01-02">2026-01-02 10:20:30</time> 31.12.2025`},
		{`<path d="M1 2 3 4 5 6 7 8 9 10 11 12"/>`, `<path d="M1 2 3 4 5 6 7 8 9 10 11 12"/>`},
		{`192.168.100.200 width="1200" height="800" 0.1234567891`, `192.168.100.200 width="1200" height="800" 0.1234567891`},
		{`<img width="100000" src="/2024/01/1234567890.jpg">`, `<img width="100000" src="/2024/01/1234567890.jpg">`},
		{`<a href="/x?page=2&amp;lang=es&amp;token=abc">`, `<a href="/x?page=2&amp;lang=es&amp;token=[masked]">`},
		{`<a href="/x?q=red+shoes&sort=price-asc#top">`, `<a href="/x?q=red+shoes&sort=price-asc#top">`},
		{`/o?order=12345678&x=9f86d081884c7d659a2f`, `/o?order=[masked]&x=[masked]`},
		{`/r#access_token=abc.def&state=1`, `/r#access_token=[masked]&state=[masked]`},
		{`https://ann:pw@example.com/`, `https://[masked]@example.com/`},
		{`<input type="hidden" name="csrf" value="abc"> <input name=n value=Ann>`, `<input type="hidden" name="csrf" value="[masked]"> <input name=n value="[masked]">`},
		{`<meta name="csrf-token" content="q">`, `<meta name="csrf-token" content="q">`},
		{`<script nonce="r4nd0m">`, `<script nonce="[masked]">`},
		{`{"apiKey":"AIza123","a":1}`, `{"apiKey":"[masked]","a":1}`},
		{`Authorization: Basic YW5uOnB3`, `Authorization: [masked]`},
		{`eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhbm4ifQ.c2ln`, `[masked]`},
		{`<h1>Hello</h1>`, `<h1>Hello</h1>`},
		{``, ``},
	} {
		if got := Snippet(row[0], 200); got != row[1] {
			t.Errorf("%s\n got %s\nwant %s", row[0], got, row[1])
		}
	}
}

// A snippet is short, and a secret at its end is not cut in half and so missed.
func TestSnippetsAreShort(t *testing.T) {
	for _, s := range []string{strings.Repeat("ä", 1000), strings.Repeat("x", 90) + " ann@example.com", strings.Repeat("x", 100_000)} {
		got := Snippet(s, 100)
		if utf8.RuneCountInString(got) > 100 || !utf8.ValidString(got) || strings.Contains(got, "ann@") {
			t.Errorf("%d characters: %s", utf8.RuneCountInString(got), got)
		}
	}
}

func TestLogsHoldNoSecret(t *testing.T) {
	var b bytes.Buffer
	log := slog.New(Handler(slog.NewTextHandler(&b, &slog.HandlerOptions{Level: slog.LevelDebug})))
	log = log.With("authorization", "Basic HIDEME", "url", "https://u:HIDEME@h/?token=HIDEME").WithGroup("g")
	log.Debug("asked for https://h/?sid=HIDEME", "error", errors.New("GET /?key=HIDEME: refused"), "n", 3,
		slog.Group("x", "cookie", "HIDEME"), "header", http.Header{"Authorization": {"HIDEME"}}, "session", []byte("HIDEME"))
	if got := b.String(); strings.Contains(got, "HIDEME") || !strings.Contains(got, "refused") || !strings.Contains(got, "g.n=3") {
		t.Error(got)
	}
}

func FuzzSnippet(f *testing.F) {
	f.Add(`<a href="mailto:ann@example.com?token=1">+34 600 123 456</a>`)
	f.Fuzz(func(t *testing.T, s string) {
		got := Snippet(s, 50)
		if utf8.RuneCountInString(got) > 50 {
			t.Errorf("%d characters of %q", utf8.RuneCountInString(got), s)
		}
	})
}

func BenchmarkSnippet(b *testing.B) {
	const s = `<a class="button primary" href="/shop/item?page=2&amp;lang=es" title="Buy this">Buy this</a>`
	for b.Loop() {
		Snippet(s, 200)
	}
}
