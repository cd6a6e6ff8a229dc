package a11y

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/amblecrawl/amble"
)

// TestPages runs our own pages. Each file of testdata/pages holds pages parted by lines that begin with "=== ", which
// name the rule and the outcome that is expected: "=== link-name failed: an empty link". Every page is judged also
// inside of a declarative shadow root, in a srcdoc frame, and hidden; wrapped says what is expected then.
func TestPages(t *testing.T) {
	files, err := filepath.Glob("testdata/pages/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("no pages", err)
	}
	seen := map[string]map[string]bool{}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, part := range regexp.MustCompile(`(?m)^=== `).Split(string(data), -1)[1:] {
			head, html, _ := strings.Cut(part, "\n")
			rule, rest, _ := strings.Cut(head, " ")
			want, what, _ := strings.Cut(rest, ":")
			if seen[rule] == nil {
				seen[rule] = map[string]bool{}
			}
			seen[rule][want] = true
			title := rule + "/" + want + "/" + strings.TrimSpace(what)
			t.Run(title, func(t *testing.T) { expect(t, rule, document(html), want) })
			for _, w := range wrappers {
				if page, ok := w.wrap(rule, html); ok {
					t.Run(title+" "+w.name, func(t *testing.T) { expect(t, rule, page, wrapped(rule, w.name, want, html)) })
				}
			}
		}
	}
	for _, r := range rules {
		if r.Rendered {
			continue
		}
		if !seen[r.ID]["failed"] || !seen[r.ID]["passed"] && !seen[r.ID]["inapplicable"] {
			t.Errorf("rule %s has no page of our own that fails and one that does not", r.ID)
		}
	}
}

// expect judges a page. "not failed" stands for all outcomes but one.
func expect(t *testing.T, rule, page, want string) {
	t.Helper()
	got := outcomeOf(t, rule, page)
	if got.Result.String() != want && (want != "not failed" || got.Result == amble.Failed) {
		t.Errorf("%s: %s, want %s\n%s\n%s", rule, got.Result, want, got.Reason, page)
	}
}

// wrappers put a page into another. Whole documents have no place in a shadow tree or in a hidden element.
var wrappers = []struct {
	name string
	wrap func(rule, html string) (page string, ok bool)
}{
	{"in a shadow root", func(rule, html string) (string, bool) {
		return document(`<div id="host"><template shadowrootmode="open">` + html + `</template></div>`), !strings.HasPrefix(html, "<!DOCTYPE")
	}},
	{"in a frame", func(rule, html string) (string, bool) {
		return document(`<main><h1>Page</h1><iframe title="frame" srcdoc="` + strings.NewReplacer("&", "&amp;", `"`, "&quot;").Replace(document(html)) + `"></iframe></main>`), true
	}},
	{"hidden", func(rule, html string) (string, bool) {
		around := "" // what a page needs to be a good one
		if slices.Contains(pageLevel, rule) {
			around = `<main><h1>Page</h1></main>`
		}
		return document(around + `<div style="display:none">` + html + `</div>`), !strings.HasPrefix(html, "<!DOCTYPE")
	}},
}

func document(body string) string {
	if strings.HasPrefix(body, "<!DOCTYPE") {
		return body
	}
	return `<!DOCTYPE html><html lang="en"><head><title>Page</title></head><body>` + body + `</body></html>`
}

func outcomeOf(t *testing.T, rule, page string) Outcome {
	t.Helper()
	rep, err := CheckHTML(context.Background(), []byte(page), "http://site.test/page", "text/html", &Options{Rules: []string{rule}, Linked: linkedPages})
	if err != nil {
		t.Fatal(err)
	}
	return rep.Outcome(rule)
}

// linkedPages are the pages that pages of the tests link to.
func linkedPages(u string) (string, bool) {
	data, err := os.ReadFile(filepath.Join("testdata", "linked", filepath.Base(strings.TrimPrefix(u, "http://site.test/"))))
	return string(data), err == nil
}

// TestTexts proves that each rule has texts in all languages, and that no text is left without a rule.
func TestTexts(t *testing.T) {
	all := texts()
	if len(all) == 0 {
		t.Fatal("texts.json cannot be read")
	}
	known := map[string]bool{}
	for i := range rules {
		r := &rules[i]
		known[r.ID] = true
		for _, lang := range Languages() {
			x, ok := all[r.ID][lang]
			if !ok || x.Title == "" || x.Why == "" || x.Fix == "" {
				t.Errorf("rule %s has no whole text in %q", r.ID, lang)
			}
		}
	}
	for id := range all {
		if !known[id] {
			t.Errorf("text for %q, which is no rule", id)
		}
	}
}

// TestFindings proves that a failure carries a selector, a snippet and the reason, and that hidden values stay hidden.
func TestFindings(t *testing.T) {
	rep, err := CheckHTML(context.Background(), []byte(document(`<main><p>Text</p><p><input value="secret"></p><div id="h"><template shadowrootmode="open"><button></button></template></div></main>`)), "http://site.test/", "", nil)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"field-name": "body > main:nth-child(1) > p:nth-child(2) > input:nth-child(1)", "button-name": "#h >>> button:nth-child(1)"}
	for _, f := range rep.Findings {
		if f.Result != amble.Failed {
			continue
		}
		if w, ok := want[f.Rule]; ok {
			if f.Selector != w {
				t.Errorf("%s: selector %q, want %q", f.Rule, f.Selector, w)
			}
			if strings.Contains(f.Snippet, "secret") || f.Snippet == "" || f.Message == "" {
				t.Errorf("%s: %+v", f.Rule, f)
			}
			delete(want, f.Rule)
		}
	}
	if len(want) > 0 {
		t.Errorf("not reported: %v", want)
	}
}
