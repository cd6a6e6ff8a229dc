package siteguard_test

import (
	"flag"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/amblecrawl/amble"
	"github.com/amblecrawl/amble/ambletest"
	"github.com/amblecrawl/amble/examples/siteguard"
)

var update = flag.Bool("update", false, "accept what siteguard finds")

// TestFolder is all that a site needs: its old faults are in the baseline, new ones fail the build.
func TestFolder(t *testing.T) {
	siteguard.Guard{Baseline: "testdata/siteguard.json", Update: *update}.Folder(t, "testdata/public")
}

// TestHandler guards a site that a program serves.
func TestHandler(t *testing.T) {
	site := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/" {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, `<!doctype html><html lang="en"><title>Hello</title><meta name="description" content="d"><main><h1>Hello</h1></main></html>`)
	})
	siteguard.Guard{}.Handler(t, site)
}

// recorder is a test that notes instead of failing.
type recorder struct {
	testing.TB
	errors, logs []string
}

func (r *recorder) Helper() {}
func (r *recorder) Errorf(format string, args ...any) {
	r.errors = append(r.errors, fmt.Sprintf(format, args...))
}
func (r *recorder) Logf(format string, args ...any) {
	r.logs = append(r.logs, fmt.Sprintf(format, args...))
}

func (r *recorder) Fatalf(format string, args ...any) {
	r.Errorf(format, args...)
	panic(r)
}

// guard runs a Guard over a site and returns what it said.
func guard(t *testing.T, g siteguard.Guard, h http.Handler) *recorder {
	r := &recorder{TB: t}
	func() {
		defer func() {
			if v := recover(); v != nil && v != r {
				panic(v)
			}
		}()
		g.Handler(r, h)
	}()
	return r
}

func page(body string) string {
	return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>T</title><meta name="description" content="d"></head><body><main><h1>H</h1>` +
		body + `</main></body></html>`
}

// TestOnlyNewFindingsFail walks a site through its life: accepted faults stay silent, also when they move; new ones fail;
// mended ones are told.
func TestOnlyNewFindingsFail(t *testing.T) {
	file := filepath.Join(t.TempDir(), "sub", "baseline.json")
	g := siteguard.Guard{Baseline: file, Ignore: []string{"a11y-region"}}
	fault, other := `<img src="a.png">`, `<img src="b.png">`
	site := func(body string) http.Handler {
		return ambletest.NewSite().Page("/", page(body)).Serve("/a.png", "image/png", "a").Serve("/b.png", "image/png", "b")
	}

	if r := guard(t, g, site(fault)); len(r.errors) != 1 || !strings.Contains(r.errors[0], "a11y-image-name") || !strings.Contains(r.errors[0], "To mend") {
		t.Errorf("without a baseline: %q", r.errors)
	}
	g.Update = true
	if r := guard(t, g, site(fault)); len(r.errors) != 0 {
		t.Errorf("update: %q", r.errors)
	}
	first, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	guard(t, g, site(fault))
	if again, _ := os.ReadFile(file); string(again) != string(first) {
		t.Error("the same site gives another baseline")
	}
	g.Update = false
	if r := guard(t, g, site(fault)); len(r.errors) != 0 {
		t.Errorf("accepted: %q", r.errors)
	}
	if r := guard(t, g, site("<p>New words above.</p>"+fault)); len(r.errors) != 0 {
		t.Errorf("moved: %q", r.errors)
	}
	if r := guard(t, g, site(fault+other)); len(r.errors) != 1 || !strings.Contains(r.errors[0], "b.png") {
		t.Errorf("a new one: %q", r.errors)
	}
	if r := guard(t, g, site(fault+fault)); len(r.errors) != 1 {
		t.Errorf("one more of the same: %q", r.errors)
	}
	if r := guard(t, g, site("")); len(r.errors) != 0 || !strings.Contains(strings.Join(r.logs, "\n"), "no longer there") {
		t.Errorf("mended: %q %q", r.errors, r.logs)
	}
	if r := guard(t, g, site(fault+`<a href="/gone">Gone</a>`)); len(r.errors) != 1 || !strings.Contains(r.errors[0], "/: link-broken") {
		t.Errorf("a dead link: %q", r.errors)
	}
	g.Least = amble.Critical + 1
	if r := guard(t, g, site(other)); len(r.errors) != 0 {
		t.Errorf("least: %q", r.errors)
	}
	if err := os.WriteFile(file, []byte("{}"), 0o644); err != nil {
		t.Fatal(err)
	}
	if r := guard(t, g, site(fault)); len(r.errors) != 1 || !strings.Contains(r.errors[0], "no baseline") {
		t.Errorf("a damaged baseline: %q", r.errors)
	}
}

// TestNothingAnalysedFails proves that a site that cannot be read does not pass.
func TestNothingAnalysedFails(t *testing.T) {
	closed := ambletest.NewSite().Robots("User-agent: *\nDisallow: /\n").Page("/", page(""))
	if r := guard(t, siteguard.Guard{}, closed); len(r.errors) != 1 || !strings.Contains(strings.Join(r.logs, "\n"), "disallowed") {
		t.Errorf("%q %q", r.errors, r.logs)
	}
}

// TestReport proves that the report for people is written.
func TestReport(t *testing.T) {
	file := filepath.Join(t.TempDir(), "report.html")
	guard(t, siteguard.Guard{HTML: file}, ambletest.NewSite().Page("/", page(`<img src="a.png">`)))
	if body, err := os.ReadFile(file); err != nil || !strings.Contains(string(body), "a11y-image-name") {
		t.Errorf("no report: %v", err)
	}
}
