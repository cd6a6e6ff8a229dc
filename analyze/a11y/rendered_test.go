package a11y

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/amblecrawl/amble"
	"github.com/amblecrawl/amble/browser"
)

// TestFaults shows pages of our own in Chrome: faults that users of other engines reported in public, with the right
// answer, and the rules that need a browser. The form is that of TestPages; a title names the report.
func TestFaults(t *testing.T) {
	if testing.Short() {
		t.Skip("needs a browser")
	}
	if _, err := browser.Find(); err != nil {
		t.Skip(err)
	}
	data, err := os.ReadFile(filepath.Join("testdata", "rendered", "faults.txt"))
	if err != nil {
		t.Fatal(err)
	}
	var page string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/page" {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Write([]byte(page))
	}))
	t.Cleanup(server.Close)
	r := newActRenderer(t, amble.Viewport{}, false)
	r.Capture.Accessibility = true
	tried := newActRenderer(t, amble.Viewport{}, false) // for rules about what only trying the page out tells
	tried.Capture.Listeners, tried.Keyboard.Press, tried.Zoom = true, true, true
	byTrying := []string{"focus-visible", "keyboard-trap", "tab-trap", "reflow", "zoom-clip", "character-shortcuts"}
	u, err := url.Parse(server.URL + "/page")
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]map[string]bool{}
	for _, part := range regexp.MustCompile(`(?m)^=== `).Split(string(data), -1)[1:] {
		head, body, _ := strings.Cut(part, "\n")
		rule, rest, _ := strings.Cut(head, " ")
		want, what, _ := strings.Cut(rest, ":")
		if seen[rule] == nil {
			seen[rule] = map[string]bool{}
		}
		seen[rule][want] = true
		t.Run(rule+"/"+want+"/"+strings.TrimSpace(what), func(t *testing.T) {
			page = document(body)
			ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
			defer cancel()
			r := r
			if slices.Contains(byTrying, rule) || strings.HasSuffix(head, "(tried)") {
				r = tried
			}
			resp, err := r.Fetch(ctx, &amble.Request{URL: u, MaxBytes: -1})
			if err != nil {
				t.Fatal(err)
			}
			rep, err := CheckSnapshot(ctx, resp.Snapshot, &Options{Rules: []string{rule}})
			if err != nil {
				t.Fatal(err)
			}
			if o := rep.Outcome(rule); o.Result.String() != want {
				t.Errorf("%s, want %s: %s %+v", o.Result, want, o.Reason, rep.Findings)
			}
		})
	}
	for _, r := range rules {
		if r.Rendered && (!seen[r.ID]["failed"] || !seen[r.ID]["passed"] && !seen[r.ID]["inapplicable"]) {
			t.Errorf("rule %s has no page of our own that fails and one that does not", r.ID)
		}
	}
}

// TestUntestedFrames proves that a frame that could not be read is said to be untested (axe-core 3002).
func TestUntestedFrames(t *testing.T) {
	s := &amble.Snapshot{URL: "http://site.test/", Nodes: []amble.Node{
		{Type: amble.NodeDocument, Parent: -1, Slot: -1, Document: -1},
		{Type: amble.NodeElement, Name: "html", Parent: 0, Slot: -1, Document: -1},
	}, Frames: []amble.Frame{{URL: "http://site.test/", Tested: true, Owner: -1, Parent: -1}, {URL: "http://other.test/", Owner: 1, Reason: "another process"}}}
	rep, err := CheckSnapshot(context.Background(), s, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(rep.Untested) != 1 || !strings.Contains(rep.Untested[0], "other.test") {
		t.Errorf("untested frames: %q", rep.Untested)
	}
	if _, err := CheckSnapshot(context.Background(), &amble.Snapshot{}, nil); err != ErrNoDocument {
		t.Errorf("an empty snapshot gives %v", err)
	}
}
