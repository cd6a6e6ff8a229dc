package axe_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"go.uber.org/goleak"

	"github.com/amblecrawl/amble"
	"github.com/amblecrawl/amble/browser"
	"github.com/amblecrawl/amble/browser/axe"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// folder is where npm put axe-core: see .ci/setup. Without it tests are skipped; in CI they fail.
func folder(t testing.TB) string {
	t.Helper()
	dir := os.Getenv("AMBLE_NPM")
	if dir == "" {
		cache, err := os.UserCacheDir()
		if err != nil {
			t.Fatal(err)
		}
		dir = filepath.Join(cache, "amble-npm")
	}
	dir = filepath.Join(dir, "node_modules", "axe-core")
	if _, err := os.Stat(filepath.Join(dir, "axe.min.js")); err != nil {
		missing(t, fmt.Errorf("axe-core is not installed: run .ci/setup test (%w)", err))
	}
	return dir
}

func missing(t testing.TB, err error) {
	t.Helper()
	if os.Getenv("CI") != "" {
		t.Fatal(err)
	}
	t.Skip(err)
}

func load(t testing.TB, file string) *axe.Engine {
	t.Helper()
	e, err := axe.New(os.DirFS(folder(t)), file)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// renderer returns a Renderer for loopback that runs axe-core and is closed with the test.
func renderer(t testing.TB, e *axe.Engine) *browser.Renderer {
	t.Helper()
	if _, err := browser.Find(); err != nil {
		missing(t, err)
	}
	r := &browser.Renderer{Agent: amble.Agent{Name: "AmbleTest", InfoURL: "https://example.com/crawler"}, Addresses: amble.LoopbackOnly(),
		TempDir: t.TempDir(), Scripts: []browser.Script{e.Script()}, Capture: browser.Capture{NoTree: true, NoHTML: true, NoMetrics: true}}
	t.Cleanup(func() {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	})
	return r
}

// isolated makes the browser put each site into a process of its own, as desktop browsers do and the headless shell does
// not by itself.
func isolated(t testing.TB, r *browser.Renderer) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the wrapper is a shell script")
	}
	path, err := browser.Find()
	if err != nil {
		missing(t, err)
	}
	wrapper := filepath.Join(t.TempDir(), "headless-shell") // its name tells the Renderer what it is
	if err := os.WriteFile(wrapper, []byte("#!/bin/sh\nexec '"+path+"' --site-per-process \"$@\"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	r.Path = wrapper
}

func render(t testing.TB, r *browser.Renderer, raw string) *amble.Snapshot {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	u, err := url.Parse(raw)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := r.Fetch(ctx, &amble.Request{URL: u, MaxBytes: -1})
	if err != nil {
		t.Fatal(err)
	}
	if resp.Snapshot == nil {
		t.Fatalf("no snapshot: status %d", resp.Status)
	}
	return resp.Snapshot
}

// found are the selectors of a rule's failures.
func found(rep *axe.Report, rule string) []string {
	var out []string
	for _, f := range rep.Findings {
		if f.Rule == axe.Prefix+rule && f.Result == amble.Failed {
			out = append(out, f.Selector)
		}
	}
	slices.Sort(out)
	return out
}

// bad has one failure that has nothing to do with the page as a whole.
const bad = `<img id="bad" src="data:image/gif;base64,R0lGODlhAQABAAAAACw=">`

// site serves the pages of the tests; frames of "localhost" are of another origin and live in another process.
func site(t testing.TB) string {
	mux := http.NewServeMux()
	page := func(path, body string) {
		mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			switch path {
			case "/csp":
				w.Header().Set("Content-Security-Policy", "default-src 'none'; require-trusted-types-for 'script'")
			case "/sandbox":
				w.Header().Set("Content-Security-Policy", "default-src 'none'; sandbox")
			}
			fmt.Fprint(w, "<!doctype html><html lang=en><title>T</title><main><h1>T</h1>"+strings.ReplaceAll(body, "OTHER", strings.Replace("http://"+r.Host, "127.0.0.1", "localhost", 1))+"</main>")
		})
	}
	page("/plain", bad)
	page("/csp", bad)
	page("/sandbox", bad)
	page("/frames", `<iframe id=near title=near src="/inner"></iframe><iframe id=far title=far src="OTHER/inner"></iframe><div id=host></div>
		<script>host.attachShadow({mode: "open"}).innerHTML = '<iframe id=shaded title=shaded src="/plain"></iframe>'</script>`)
	page("/inner", bad+`<iframe id=deep title=deep src="/plain"></iframe>`)
	page("/hostile", bad+`<script>
		Array.prototype.push = Array.prototype.map = Array.prototype.filter = () => { throw new Error("no") };
		Object.defineProperty(window, "axe", {value: {runPartial: () => ({}), finishRun: () => ({violations: []})}});
		Element.prototype.getAttribute = () => "fine"; Element.prototype.matches = () => false; Document.prototype.querySelectorAll = () => [];
		window.Promise = window.JSON = window.Symbol = undefined; window.getComputedStyle = () => ({}); Node.prototype.contains = () => true;
		window.postMessage = () => { throw new Error("no") };
		new MutationObserver(() => document.querySelector("img")?.setAttribute("alt", "fine")).observe(document.documentElement, {attributes: true, subtree: true});
	</script>`)
	// Chrome's own tree is as before, but each look at styles costs: axe-core takes far longer than it is given.
	page("/endless", bad+`<script>document.querySelector("main").insertAdjacentHTML("beforeend", "<div style='background:#fff'><p style='color:#888'>x<a href=#>y</a></p>".repeat(3000))</script>`)
	page("/hung-frame", bad+`<iframe id=hung title=hung src="OTHER/loop"></iframe>`)
	page("/loop", `<script>onload = () => setTimeout(() => { for (;;); }, 20)</script>`)
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return server.URL
}

// TestPages: axe-core's results reach us from every frame, from a page whose policy forbids all scripts, and from one that
// overrides whatever a script could call (issue, part 6).
func TestPages(t *testing.T) {
	e := load(t, "axe.min.js")
	r, apart, base := renderer(t, e), renderer(t, e), site(t)
	isolated(t, apart)
	for _, test := range []struct {
		path string
		want []string
	}{
		{"/plain", []string{"#bad"}},
		{"/csp", []string{"#bad"}},
		{"/sandbox", []string{"#bad"}},
		{"/hostile", []string{"#bad"}},
		{"/frames", []string{"#far >>> #bad", "#far >>> #deep >>> #bad", "#host >>> #shaded >>> #bad", "#near >>> #bad", "#near >>> #deep >>> #bad"}},
	} {
		snap := render(t, r, base+test.path)
		rep, err := e.Report(snap)
		if err != nil {
			t.Errorf("%s: %v", test.path, err)
			continue
		}
		if test.path == "/frames" {
			other, err := e.Report(render(t, apart, base+test.path))
			if err != nil || !slices.Equal(found(other, "image-alt"), test.want) || len(other.Untested) > 0 {
				t.Errorf("with frames in processes of their own: %+v, %v", other, err)
			}
		}
		if got := found(rep, "image-alt"); !slices.Equal(got, test.want) {
			t.Errorf("%s: images without text at %q, want %q; not tested: %v", test.path, got, test.want, rep.Untested)
		}
		if len(found(rep, "document-title")) > 0 || len(rep.Untested) > 0 {
			t.Errorf("%s: %q; not tested: %v", test.path, found(rep, "document-title"), rep.Untested)
		}
	}
}

// TestDeadline: a page that takes axe-core too long is untested, says so, and harms none that comes after it; the frame of
// another process that hangs costs only itself.
func TestDeadline(t *testing.T) {
	base := site(t)
	slow := load(t, "axe.min.js")
	slow.Timeout = 100 * time.Millisecond // 6,000 elements take it seconds
	r := renderer(t, slow)
	var got []amble.Finding
	page := &amble.Page{URL: base + "/endless", Response: &amble.Response{Snapshot: render(t, r, base+"/endless")}}
	if err := slow.Analyze(context.Background(), page, func(f amble.Finding) { got = append(got, f) }); err != nil {
		t.Fatal(err)
	}
	if len(got) != 1 || got[0].Rule != axe.RunRule || got[0].Result != amble.Untested || !strings.Contains(got[0].Message, "100ms") {
		t.Errorf("findings %+v", got)
	}

	patient := load(t, "axe.min.js")
	patient.Timeout = 20 * time.Second
	r = renderer(t, patient)
	isolated(t, r)
	r.Limits.Settle = 4 * time.Second
	rep, err := patient.Report(render(t, r, base+"/hung-frame"))
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"#bad"}; !slices.Equal(found(rep, "image-alt"), want) || len(rep.Untested) != 1 || !strings.Contains(rep.Untested[0], "iframe") {
		t.Errorf("with a frame that hangs: %q; not tested: %q", found(rep, "image-alt"), rep.Untested)
	}
	rep, err = patient.Report(render(t, r, base+"/plain"))
	if err != nil || !slices.Equal(found(rep, "image-alt"), []string{"#bad"}) {
		t.Errorf("after it: %v, %v", rep, err)
	}
}

// TestTable: what is read off axe-core's source is what it says of itself, in both of its files, and a locale changes the
// texts.
func TestTable(t *testing.T) {
	var said []struct {
		RuleID, Help, Description string
		Tags, ActIDs              []string
		Enabled                   bool
	}
	e := load(t, "axe.min.js")
	script := e.Script()
	script.Run = func(ctx context.Context, top *browser.World) (json.RawMessage, error) {
		return nil, top.Evaluate(ctx, `axe.getRules()`, &said)
	}
	r := renderer(t, e)
	r.Scripts = []browser.Script{script}
	if snap := render(t, r, site(t)+"/plain"); snap.Scripts[axe.World].Problem != "" {
		t.Fatal(snap.Scripts[axe.World].Problem)
	}
	for _, file := range []string{"axe.min.js", "axe.js"} {
		table := load(t, file).Table()
		if len(table) != len(said) {
			t.Errorf("%s: %d rules read, axe-core has %d", file, len(table), len(said))
		}
		for _, s := range said {
			i := slices.IndexFunc(table, func(r axe.Rule) bool { return r.ID == s.RuleID })
			if i < 0 {
				t.Errorf("%s: %s was not read", file, s.RuleID)
				continue
			}
			if r := table[i]; r.Title != s.Help || r.Why != s.Description || !slices.Equal(r.Tags, s.Tags) || !slices.Equal(r.ACT, s.ActIDs) {
				t.Errorf("%s: %+v is not %+v", file, r, s)
			}
		}
	}
	if err := e.Localise(os.DirFS(folder(t)), "locales/es.json"); err != nil {
		t.Fatal(err)
	}
	for _, r := range e.Rules() {
		if r.ID == "axe-image-alt" && (!strings.Contains(r.Title, "alternativ") || !slices.Equal(r.References, []string{"WCAG 2.2 1.1.1", "ACT 23a2a8"})) {
			t.Errorf("in Spanish: %+v", r)
		}
	}
	if err := e.Localise(os.DirFS(folder(t)), "package.json"); !errors.Is(err, amble.ErrConfig) {
		t.Errorf("another file as a locale: %v", err)
	}
}

// TestNew: what is not axe-core, or is too old, is refused with what to do.
func TestNew(t *testing.T) {
	files := fstest.MapFS{"other.js": {Data: []byte("alert(1)")}, "old.js": {Data: []byte("/*! axe v4.2.3 */")}, "odd.js": {Data: []byte("/*! axe v4.9.1 */")}}
	for file, want := range map[string]string{"none.js": "npm install", "other.js": "does not look", "old.js": "too old", "odd.js": "no table"} {
		_, err := axe.New(files, file)
		if !errors.Is(err, amble.ErrConfig) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", file, err)
		}
	}
}
