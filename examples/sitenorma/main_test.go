package main

import (
	"bytes"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/amblecrawl/amble"
	"github.com/amblecrawl/amble/browser"
	"github.com/amblecrawl/amble/examples/internal/cli"
)

func needChrome(t *testing.T) {
	t.Helper()
	if _, err := browser.Find(); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
}

// TestDemo runs the demo in Chrome and over HTTP alone: what is promised about a site's rules, challenges, refusals and
// traps must show in what is printed.
func TestDemo(t *testing.T) {
	both := []string{
		"a11y-html-lang", "lang-missing",
		"disallowed: robots.txt line 2: Disallow: /carrito/ (user-agent: SiteNormaBot)", // S3, S15
		"disallowed: robots.txt line 5: Disallow: /intern/ (user-agent: SiteNorma)",
		"blocked: cloudflare challenge",  // S11
		`it said "not now" 1 times`,      // S17
		"over-budget: repeated: \"/next", // a trap
	}
	for name, test := range map[string]struct {
		o    options
		want []string
	}{
		"html":   {options{demo: true, html: true}, nil},
		"chrome": {options{demo: true}, []string{"a11y-image-name", "a11y-link-name", "a11y-contrast (serious", "2 resource", "Loaded in Chrome/"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if !test.o.html {
				needChrome(t)
			}
			var out bytes.Buffer
			code, err := run(t.Context(), test.o, &out, io.Discard)
			if err != nil || code != cli.ExitOK {
				t.Fatalf("code %d, %v\n%s", code, err, out.String())
			}
			for _, text := range append(test.want, both...) {
				if !strings.Contains(out.String(), text) {
					t.Errorf("%q is not in the output:\n%s", text, out.String())
				}
			}
		})
	}
}

func TestPreviewIsAPicture(t *testing.T) {
	needChrome(t)
	t.Parallel()
	base, shut, err := demo()
	if err != nil {
		t.Fatal(err)
	}
	defer shut()
	file := filepath.Join(t.TempDir(), "p.png")
	o := options{command: "preview", out: file, mobile: true, who: cli.Who{Agent: amble.Agent{Name: "SiteNorma", InfoURL: "https://amble.test/"}, Args: []string{base + "/"}}}
	if err := o.who.Settle("sitenorma"); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if code, err := run(t.Context(), o, &out, io.Discard); err != nil || code != cli.ExitOK {
		t.Fatalf("code %d, %v: %s", code, err, out.String())
	}
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if picture, err := png.Decode(f); err != nil || picture.Bounds().Dx() < 400 {
		t.Errorf("%v", err)
	}
}

func TestAwayFromLoopbackItAsksWhoRunsIt(t *testing.T) {
	for _, args := range [][]string{
		{"scan", "https://example.com/"},
		{"-name", "X", "scan", "https://example.com/"},
		{"-info-url", "https://x.test/", "scan", "https://example.com/"},
		{"scan"}, {"dance", "http://127.0.0.1/"}, {},
	} {
		if _, err := parse(args); err == nil {
			t.Errorf("%v was taken", args)
		}
	}
	if _, err := parse([]string{"-name", "X", "-info-url", "https://x.test/", "scan", "https://example.com/"}); err != nil {
		t.Error(err)
	}
}

func TestS7WithoutProofAFewPages(t *testing.T) {
	for _, test := range []struct {
		o    options
		want int
	}{
		{options{command: "scan"}, 5}, {options{command: "scan", pages: 100}, 5}, {options{command: "scan", pages: 3}, 3},
		{options{command: "scan", proved: true}, 500}, {options{command: "scan", proved: true, pages: 9000}, 500},
	} {
		if got := test.o.budget(); got != test.want {
			t.Errorf("%+v: %d pages, want %d", test.o, got, test.want)
		}
	}
}
