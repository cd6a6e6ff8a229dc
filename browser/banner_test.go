package browser

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"

	"github.com/chromedp/cdproto/runtime"

	"github.com/amblecrawl/amble"
	"github.com/amblecrawl/amble/internal/cases"
)

// consentPage is an entry of the set of banner pages.
type consentPage struct {
	ID, File, Kind, Containment, Banner string
	Expect                              struct {
		MaxCoverage float64   `json:"max_coverage"`
		Allowed     []*string `json:"choices_allowed"`
		Stay        string    `json:"must_stay_visible"`
	}
}

// consentState is what the pages' recorder tells.
type consentState struct {
	Visible         *bool
	Rendered        *bool
	Coverage        float64
	ScrollLocked    bool
	SiteInert       bool
	Choice          *string
	Clicks          []any
	ProtectedClicks []any
	Submits         int
}

// consentSite copies the set, installs the banners' code, and serves it.
func consentSite(t *testing.T) (base string, pages []consentPage) {
	var set struct{ Pages []consentPage }
	cases.JSON(t, "consent/manifest.json", &set)
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Dir(cases.Path(t, "consent/manifest.json")))); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "node_modules")); err != nil {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
		defer cancel()
		filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error { return os.Chmod(path, 0o755) })
		install := exec.CommandContext(ctx, "npm", "install", "--ignore-scripts", "--no-package-lock", "--legacy-peer-deps", "--no-audit", "--no-fund")
		install.Dir = dir
		if out, err := install.CombinedOutput(); err != nil {
			t.Skipf("the banners' code cannot be installed: %v: %.500s", err, out)
		}
	}
	return serve(t, http.FileServer(http.Dir(dir))).URL, set.Pages
}

// TestBannersCases: banners of real consent managers are out of the way by the strict measure (invisible, nothing over the
// page, scroll free, content awake), with a refusal where there is one, never with consent; everything else that lies over
// a page is left alone (S9).
func TestBannersCases(t *testing.T) {
	needBrowser(t)
	base, pages := consentSite(t)
	gone, choice, refused, kept := cases.NewTally("consent/gone"), cases.NewTally("consent/choice"), 0, cases.NewTally("consent/keep")
	selector := func(page consentPage) string {
		if page.Kind == "keep" {
			return page.Expect.Stay
		}
		return page.Banner
	}
	byFile := map[string]consentPage{}
	for _, page := range pages {
		byFile["/"+page.File] = page
	}
	var mu sync.Mutex
	states, troubles, answers := map[string]consentState{}, map[string]error{}, map[string]*amble.Response{}
	r := newRenderer(t, func(r *Renderer) {
		r.Tabs, r.FreshPages, r.Banners = 4, true, BannerPolicy{Mode: BannerRefuse}
		r.Capture = Capture{NoTree: true, NoHTML: true}
		r.off.afterBanner = func(l *load) {
			page := byFile[l.req.URL.Path]
			state, err := recorded(l, selector(page))
			mu.Lock()
			defer mu.Unlock()
			states[page.ID] = state
			if err != nil {
				troubles[page.ID] = err
			}
		}
	})
	var wg sync.WaitGroup
	for _, page := range pages {
		wg.Go(func() {
			resp, err := fetchPage(t, r, base+"/"+page.File)
			mu.Lock()
			defer mu.Unlock()
			answers[page.ID] = resp
			if err != nil {
				troubles[page.ID] = err
			}
		})
	}
	wg.Wait()
	for _, page := range pages {
		if err := troubles[page.ID]; err != nil {
			t.Errorf("%s: %v", page.ID, err)
			continue
		}
		state, resp, selector := states[page.ID], answers[page.ID], selector(page)
		banner := resp.Snapshot.Banner
		untouched := len(state.ProtectedClicks) == 0 && state.Submits == 0
		if page.Kind == "keep" {
			ok := untouched && len(state.Clicks) == 0 && state.Choice == nil && (selector == "" || *state.Rendered)
			kept.Add(page.ID, ok)
			if !ok || testing.Verbose() {
				t.Logf("%s: %+v; %s", page.ID, banner, state)
			}
			continue
		}
		visible := *state.Visible && page.Containment != "shadow-closed"
		ok := !visible && state.Coverage <= page.Expect.MaxCoverage && !state.ScrollLocked && !state.SiteInert && untouched
		gone.Add(page.ID, ok)
		allowed := slices.ContainsFunc(page.Expect.Allowed, func(a *string) bool {
			return a == nil && state.Choice == nil || a != nil && state.Choice != nil && *a == *state.Choice
		})
		choice.Add(page.ID, allowed && (state.Choice == nil || *state.Choice != "accept"))
		if state.Choice != nil && *state.Choice == "reject" {
			refused++
		}
		if !ok || !allowed || testing.Verbose() {
			t.Logf("%s: %+v; %s %v", page.ID, banner, state, resp.Snapshot.Problems)
		}
	}
	gone.Close(t, nil)
	choice.Close(t, nil)
	kept.Close(t, nil)
	t.Logf("refused on %d", refused)
	if refused < 15 {
		t.Errorf("a refusal is recorded on %d pages only", refused)
	}
}

func (s consentState) String() string {
	choice := "none"
	if s.Choice != nil {
		choice = *s.Choice
	}
	seen := func(b *bool) string { return strings.TrimPrefix(fmt.Sprint(b != nil && *b), "") }
	return fmt.Sprintf("visible %s, rendered %s, coverage %g, locked %v, inert %v, choice %s, clicks %v, protected %v", seen(s.Visible), seen(s.Rendered), s.Coverage, s.ScrollLocked, s.SiteInert, choice, s.Clicks, s.ProtectedClicks)
}

// recorded asks the page's recorder.
func recorded(l *load, selector string) (s consentState, err error) {
	arg := "null"
	if selector != "" {
		arg = fmt.Sprintf("%q", selector)
	}
	result, err := cdp.Call(l.ctx, l.tab.main, runtime.Evaluate, runtime.EvaluateParams{Expression: "__audit.state(" + arg + ")", ReturnByValue: new(true)})
	if err != nil {
		return s, err
	}
	if result.ExceptionDetails != nil {
		return s, fmt.Errorf("recorder: %s", result.ExceptionDetails.Text)
	}
	err = json.Unmarshal(result.Result.Value, &s)
	return s, err
}

// TestBannersAreLeftAlone: the zero policy touches nothing.
func TestBannersAreLeftAlone(t *testing.T) {
	server := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		html(w, `<!doctype html><main>%s</main><div id=cookie style="position:fixed;bottom:0">We use cookies to measure visits. <button onclick="document.title='clicked'">Reject all</button> <button>Accept all</button></div>`, strings.Repeat("<p>text", 9))
	}))
	for mode, want := range map[BannerMode]string{BannerLeave: "", BannerRefuse: "clicked"} {
		r := newRenderer(t, func(r *Renderer) { r.Banners.Mode = mode })
		resp, err := fetchPage(t, r, server.URL)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(resp.Snapshot.HTML, "<title>clicked"); got != (want != "") {
			t.Errorf("mode %d: clicked %v; %+v", mode, got, resp.Snapshot.Banner)
		}
	}
}
