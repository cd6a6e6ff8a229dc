package main

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestReport: the command writes one subject for each case, at its public address, with an assertion of each rule that
// names outcome and success criteria, and leaves out what needs media. The cases are of our own.
func TestReport(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"manifest.json": `{"cases": [
			{"ruleId": "23a2a8", "file": "cases/a.html", "servePath": "/WAI/content-assets/wcag-act-rules/testcases/23a2a8/a.html"},
			{"ruleId": "b5c3f8", "file": "cases/b.html", "servePath": "/WAI/content-assets/wcag-act-rules/testcases/b5c3f8/b.html"},
			{"ruleId": "eac66b", "needsMedia": true, "file": "cases/c.html", "servePath": "/WAI/content-assets/wcag-act-rules/testcases/eac66b/c.html"}]}`,
		"cases/a.html": `<!doctype html><html lang="en"><title>A</title><img src="/a.png">`,
		"cases/b.html": `<!doctype html><html><title>B</title><p>Text`,
	} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	out := filepath.Join(dir, "earl.json")
	if err := run(context.Background(), options{cases: dir, out: out, html: true, version: "1"}); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	var report struct {
		Graph []struct {
			Source     string
			Assertions []struct {
				Result struct{ Outcome string }
				Test   struct {
					Title    string
					IsPartOf []string
				}
			}
		} `json:"@graph"`
	}
	if err := json.Unmarshal(data, &report); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"https://www.w3.org/WAI/content-assets/wcag-act-rules/testcases/23a2a8/a.html": "image-name earl:failed WCAG2:non-text-content",
		"https://www.w3.org/WAI/content-assets/wcag-act-rules/testcases/b5c3f8/b.html": "html-lang earl:failed WCAG2:language-of-page"}
	if len(report.Graph) != len(want) {
		t.Fatalf("%d subjects", len(report.Graph))
	}
	for _, s := range report.Graph {
		found := false
		for _, a := range s.Assertions {
			found = found || a.Test.Title+" "+a.Result.Outcome+" "+strings.Join(a.Test.IsPartOf, " ") == want[s.Source]
		}
		if !found {
			t.Errorf("%s lacks %q", s.Source, want[s.Source])
		}
	}
	if err := run(context.Background(), options{cases: t.TempDir()}); err == nil || !strings.Contains(err.Error(), "-cases") {
		t.Errorf("without cases: %v", err)
	}
}
