package a11y

import (
	"context"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/amblecrawl/amble"
)

// wholePages reads pages parted by lines that begin with "=== ".
func wholePages(t *testing.T, name string) (titles, pages []string) {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range regexp.MustCompile(`(?m)^=== `).Split(string(data), -1)[1:] {
		title, html, _ := strings.Cut(part, "\n")
		if !strings.HasPrefix(html, "<!DOCTYPE") {
			html = "<main><h1>Page</h1>" + html + "</main>"
		}
		titles, pages = append(titles, title), append(pages, document(html))
	}
	return titles, pages
}

// TestGoodWidgetsDoNotFail: no rule fails a page that is built as the patterns for widgets and the standards say.
func TestGoodWidgetsDoNotFail(t *testing.T) {
	titles, pages := wholePages(t, "testdata/whole/good.txt")
	for i, title := range titles {
		rep, err := CheckHTML(context.Background(), []byte(pages[i]), "https://site.test/page", "text/html", nil)
		if err != nil {
			t.Fatal(title, err)
		}
		for _, f := range rep.Findings {
			if f.Result == amble.Failed {
				t.Errorf("%s: %s: %s %s", title, f.Rule, f.Message, f.Snippet)
			}
		}
	}
	t.Logf("%d pages", len(pages))
}

// TestBrokenWidgetsFail: each of the pages has one fault, which its title names, and no other of accessibility.
func TestBrokenWidgetsFail(t *testing.T) {
	titles, pages := wholePages(t, "testdata/whole/broken.txt")
	for i, title := range titles {
		want, _, _ := strings.Cut(title, ":")
		rep, err := CheckHTML(context.Background(), []byte(pages[i]), "https://site.test/page", "text/html", nil)
		if err != nil {
			t.Fatal(title, err)
		}
		var got []string
		for _, f := range rep.Findings {
			if f.Result == amble.Failed && !slices.Contains(got, f.Rule) {
				got = append(got, f.Rule)
			}
		}
		if !slices.Equal(got, strings.Fields(want)) {
			t.Errorf("%s: got %v", title, got)
		}
	}
	t.Logf("%d pages", len(pages))
}
