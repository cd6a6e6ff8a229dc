package main

import (
	"bytes"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/amblecrawl/amble"
	"github.com/amblecrawl/amble/examples/internal/cli"
)

// TestDemoSite runs the program on the demo's site in process.
func TestDemoSite(t *testing.T) {
	for _, all := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			o, err := parse([]string{"-name", "ExampleLinks", "-info-url", "https://example.com/bot", "https://example.com/"})
			if err != nil {
				t.Fatal(err)
			}
			o.all, o.fetcher = all, amble.HandlerFetcher(demoSite())
			var out, progress bytes.Buffer
			code, err := run(t.Context(), o, &out, &progress)
			if err != nil || code != cli.ExitFindings {
				t.Errorf("code %d, %v", code, err)
			}
			text := out.String()
			for _, want := range []string{
				"(link-broken, 2)", "  https://example.com/news\n    Broken: status 404 Not Found.\n    on https://example.com/\n    on https://example.com/shop\n",
				"https://example.com/logo.png", "https://example.com/shop#opening-hours", "http://<user>@<server>/", "mailto:nobody",
				"1 redirected, 2 broken, 2 unverifiable", "Fragments: 1 found, 1 missing, 0 not known.",
			} {
				if !strings.Contains(text, want) {
					t.Errorf("%q is missing in\n%s", want, text)
				}
			}
			for _, extra := range []string{"(link-redirected, 1)", "301 https://example.com/old > https://example.com/shop", "(link-unverifiable, 2)"} {
				if strings.Contains(text, extra) != all {
					t.Errorf("-all=%v: %q", all, extra)
				}
			}
			if strings.Contains(text, "private") {
				t.Errorf("what was not checked is no finding:\n%s", text)
			}
		})
	}
}
