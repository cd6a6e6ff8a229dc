package main

import (
	"bytes"
	"context"
	"fmt"
	"image/png"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

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
		"Accessibility by WCAG criterion", "3.1.1 Language of Page (A): a11y-html-lang 1",
	}
	for name, test := range map[string]struct {
		o    options
		want []string
	}{
		"html":   {options{demo: true, html: true}, nil},
		"chrome": {options{demo: true}, []string{"a11y-image-name", "a11y-link-name", "a11y-contrast (serious", "2 resource", "Loaded in Chrome/", "1.4.3 Contrast (Minimum) (AA): a11y-contrast 1"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if !test.o.html {
				needChrome(t)
			}
			var out bytes.Buffer
			test.o.report, test.o.lang = filepath.Join(t.TempDir(), "demo.html"), "en"
			code, err := run(t.Context(), test.o, &out, io.Discard)
			if err != nil || code != cli.ExitOK {
				t.Fatalf("code %d, %v\n%s", code, err, out.String())
			}
			checkReport(t, test.o)
			for _, text := range append(test.want, both...) {
				if !strings.Contains(out.String(), text) {
					t.Errorf("%q is not in the output:\n%s", text, out.String())
				}
			}
		})
	}
}

// checkReport proves that the demo's report groups accessibility by criterion, and that a scan in Chrome marks spots.
func checkReport(t *testing.T, o options) {
	t.Helper()
	body, err := os.ReadFile(o.report)
	if err != nil {
		t.Fatal(err)
	}
	text := string(body)
	if dir := os.Getenv("AMBLE_REPORT_OUT"); dir != "" {
		_ = os.WriteFile(filepath.Join(dir, "sitenorma-demo.html"), body, 0o644)
	}
	for _, want := range []string{`id="criteria"`, "3.1.1 <span>Language of Page</span>", "(level A)"} {
		if !strings.Contains(text, want) {
			t.Errorf("the report lacks %q", want)
		}
	}
	if n := strings.Count(text, `src="data:image/jpeg;base64,`); !o.html && n < 3 || o.html && n > 0 {
		t.Errorf("%d pictures of spots", n)
	}
	if len(body) > 5<<20 {
		t.Errorf("the report has %d bytes", len(body))
	}
}

// do runs a command line.
func do(t *testing.T, change func(*options), args ...string) (code int, out string) {
	t.Helper()
	o, err := parse(args)
	if err != nil {
		t.Fatalf("%v: %v", args, err)
	}
	if change != nil {
		change(&o)
	}
	var text bytes.Buffer
	if code, err = run(t.Context(), o, &text, io.Discard); err != nil {
		t.Fatalf("%v: %v\n%s", args, err, text.String())
	}
	return code, text.String()
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
	if code, out := do(t, nil, "preview", "-name", "SiteNorma", "-info-url", "https://amble.test/", "-mobile", "-out", file, base+"/"); code != cli.ExitOK {
		t.Fatalf("code %d: %s", code, out)
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

// TestSaveAndReport saves two audits of a page that changes between them, and makes every report of the files.
func TestSaveAndReport(t *testing.T) {
	t.Parallel()
	var fixed atomic.Bool
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/" {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		if fixed.Load() {
			fmt.Fprint(w, `<!doctype html><html lang="en"><title>A page that was mended</title><main><h1>Mended</h1></main></html>`)
		} else {
			fmt.Fprint(w, `<!doctype html><html><title>A page that was mended</title><main><h1>Mended</h1></main></html>`)
		}
	}))
	defer server.Close()
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	if code, out := do(t, nil, "audit", "-html", "-save", in("a.jsonl"), server.URL+"/"); code != cli.ExitOK || !strings.Contains(out, "a11y-html-lang") {
		t.Fatalf("code %d: %s", code, out)
	}
	fixed.Store(true)
	_, out := do(t, nil, "audit", "-html", "-save", in("b.jsonl"), "-before", in("a.jsonl"), "-report", in("b.html"), server.URL+"/")
	if !strings.Contains(out, "- [serious] a11y-html-lang") {
		t.Errorf("what is fixed is not told:\n%s", out)
	}
	files := []string{in("r.html"), in("r.csv"), in("r.sarif"), in("r.xml")}
	code, out := do(t, nil, "report", "-before", in("a.jsonl"), "-lang", "es", "-report", strings.Join(files, ","), in("b.jsonl"))
	if code != cli.ExitOK || !strings.Contains(out, "- [serious] a11y-html-lang") {
		t.Errorf("code %d: %s", code, out)
	}
	for i, want := range []string{`<h2 id="diff">Desde la pasada anterior`, "canonical", `"version":"2.1.0"`, "<testsuites"} {
		body, err := os.ReadFile(files[i])
		if err != nil || !strings.Contains(string(body), want) {
			t.Errorf("%s: %v, or it lacks %q", files[i], err, want)
		}
	}
	for _, args := range [][]string{{"report", in("b.jsonl")}, {"report", "-report", in("x.doc"), in("b.jsonl")}, {"report", "-report", in("x.html"), in("none.jsonl")},
		{"report", "-report", in("x.html"), in("r.csv")}} {
		o, err := parse(args)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := run(t.Context(), o, io.Discard, io.Discard); err == nil {
			t.Errorf("%v worked", args)
		}
	}
}

// txt answers look-ups of names.
type txt map[string][]string

func (r txt) LookupTXT(_ context.Context, name string) ([]string, error) {
	if list, ok := r[strings.TrimSuffix(name, ".")]; ok {
		return list, nil
	}
	return nil, &net.DNSError{Err: "no such host", Name: name, IsNotFound: true}
}

// TestS6ProofOpensTheSite proves a site by each method, and shows that a scan then may see more than a few pages (S6, S7).
func TestS6ProofOpensTheSite(t *testing.T) {
	t.Parallel()
	var put sync.Map // by path
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, ok := put.Load(r.URL.Path)
		if !ok {
			http.NotFound(w, r)
			return
		}
		fmt.Fprint(w, body)
	}))
	defer server.Close()
	home := strings.Replace(server.URL, "127.0.0.1", "localhost", 1) + "/"
	put.Store("/", "<!doctype html><title>t</title>")
	state := t.TempDir()
	args := func(method string) []string {
		return []string{"verify", "-account", "ann", "-state", state, "-method", method, home}
	}
	code, how := do(t, nil, args("")...)
	if code != cli.ExitOK {
		t.Fatal(how)
	}
	after := func(mark string) string { // the line after the one that holds a mark
		_, rest, _ := strings.Cut(how, mark)
		_, rest, _ = strings.Cut(rest, "\n")
		line, _, _ := strings.Cut(rest, "\n")
		return strings.TrimSpace(line)
	}
	if code, out := do(t, nil, args("meta")...); code != cli.ExitFindings || !strings.Contains(out, "Not proved") {
		t.Errorf("proved without a proof: %d %s", code, out)
	}
	reach := func(account string) string {
		_, out := do(t, nil, "links", "-state", state, "-account", account, "-pages", "1", home)
		return out
	}
	if out := reach("ann"); !strings.Contains(out, "Reach: nobody has proved") {
		t.Errorf("without a proof: %s", out)
	}
	put.Store("/", "<!doctype html><head>"+after("-method meta")+"<title>t</title>")
	_, rest, _ := strings.Cut(how, "put a file at "+strings.TrimSuffix(home, "/"))
	path, _, _ := strings.Cut(rest, " ")
	put.Store(path, after("-method file"))
	dns := after("-method dns")
	for _, method := range []string{"meta", "file", "dns"} {
		code, out := do(t, func(o *options) { o.resolver = txt{"_ambleexample-challenge.localhost": {dns}} }, args(method)...)
		if code != cli.ExitOK || !strings.Contains(out, "Proved: "+home+" is ann's, by "+method) {
			t.Errorf("%s: code %d: %s", method, code, out)
		}
	}
	if out := reach("ann"); !strings.Contains(out, "Reach: proved by dns") {
		t.Errorf("with a proof: %s", out)
	}
	if out := reach("bob"); !strings.Contains(out, "Reach: nobody has proved") {
		t.Errorf("another account: %s", out)
	}
}

// TestLinks proves that each target gets one of the five verdicts, and that what is refused is not called broken (S5, S16).
func TestLinks(t *testing.T) {
	t.Parallel()
	mux := http.NewServeMux()
	mux.HandleFunc("/{$}", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `<!doctype html><html lang=en><title>t</title><a href="/gone">1</a><a href="/members">2</a><a href="/moved">3</a><a href="/private">4</a><a href="/#nowhere">5</a><a href="/gone">6</a>`)
	})
	mux.HandleFunc("/robots.txt", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "User-agent: *\nDisallow: /private\n") })
	mux.HandleFunc("/members", func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "members only", http.StatusForbidden) })
	mux.Handle("/moved", http.RedirectHandler("/", http.StatusMovedPermanently))
	server := httptest.NewServer(mux)
	defer server.Close()
	code, out := do(t, nil, "links", "-all", "-fail", server.URL+"/")
	if code != cli.ExitFindings {
		t.Errorf("code %d", code)
	}
	for _, want := range []string{"1 broken 1 unverifiable 1 not-checked 1 redirected 1 ok", "0 there, 1 missing, 0 not known", server.URL + "/gone\n    gone status 404 Not Found\n    on " + server.URL + "/\n",
		"refused status 403 Forbidden", "disallowed robots.txt line 2", "301 " + server.URL + "/moved > " + server.URL + "/"} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is missing in\n%s", want, out)
		}
	}
}

func TestAwayFromLoopbackItAsksWhoRunsIt(t *testing.T) {
	for _, args := range [][]string{
		{"scan", "https://example.com/"},
		{"-name", "X", "scan", "https://example.com/"},
		{"-info-url", "https://x.test/", "scan", "https://example.com/"},
		{"audit", "https://example.com/"}, {"preview", "https://example.com/"}, {"links", "https://example.com/"},
		{"watch", "http://127.0.0.1/", "https://example.com/"}, {"verify", "-account", "a", "-state", "s", "https://example.com/"},
		{"verify", "sc-domain:example.com"}, {"verify", "https://example.com/?a"},
		{"scan"}, {"dance", "http://127.0.0.1/"}, {}, {"help", "scan"}, {"scan", "-h"}, {"links", "-mobile", "http://127.0.0.1/"},
		{"scan", "http://127.0.0.1/", "http://127.0.0.1/2"},
	} {
		if _, err := parse(args); err == nil {
			t.Errorf("%v was taken", args)
		}
	}
	for _, args := range [][]string{
		{"-name", "X", "-info-url", "https://x.test/", "scan", "https://example.com/"},
		{"scan", "-name", "X", "-info-url", "https://x.test/", "https://example.com/"},
		{"verify", "-name", "X", "-info-url", "https://x.test/", "sc-domain:example.com"},
		{"report", "-report", "x.html", "run.jsonl"}, // it asks nobody
	} {
		if _, err := parse(args); err != nil {
			t.Errorf("%v: %v", args, err)
		}
	}
}

func TestS7WithoutProofAFewPages(t *testing.T) {
	for _, test := range []struct {
		o    options
		want int
	}{
		{options{}, 5}, {options{pages: 100}, 5}, {options{pages: 3}, 3}, {options{proved: true}, 500}, {options{proved: true, pages: 9000}, 500},
	} {
		c := test.o.crawler()
		if _, _, err := test.o.climb(t.Context(), c); err != nil || c.Budget.Pages != test.want {
			t.Errorf("%+v: %v, %d pages, want %d", test.o, err, c.Budget.Pages, test.want)
		}
	}
}
