package report

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"testing"
	"time"

	"github.com/amblecrawl/amble"
	"github.com/amblecrawl/amble/analyze/a11y"
	"github.com/amblecrawl/amble/browser"
)

// views are the windows that a report is shown in.
var views = map[string]amble.Viewport{"desktop": {Width: 1280, Height: 900, Scale: 1}, "phone": {Width: 390, Height: 844, Scale: 1}}

// checkInChrome shows reports in a real Chrome, on a desktop and on a phone, and proves that none of our own accessibility
// rules fails there (contrast, target sizes, text that is cut off among them), that nothing is wider than the window, and
// that nothing is loaded or complained about.
func checkInChrome(t *testing.T, reports map[string][]byte) {
	t.Helper()
	if _, err := browser.Find(); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		if _, err := w.Write(reports[r.URL.Path[1:]]); err != nil {
			t.Log(err)
		}
	}))
	defer server.Close()
	for view, port := range views {
		r := &browser.Renderer{Agent: amble.Agent{Name: "AmbleTest", InfoURL: "https://amble.test/"}, Addresses: amble.LoopbackOnly(),
			TempDir: t.TempDir(), Viewport: port, Capture: browser.Capture{Styles: a11y.StyleNames(), Accessibility: true, NoHTML: true}}
		for name := range reports {
			t.Run(name+"/"+view, func(t *testing.T) { checkShown(t, r, server.URL+"/"+name, port) })
		}
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	}
}

func checkShown(t *testing.T, r *browser.Renderer, at string, port amble.Viewport) {
	u, err := url.Parse(at)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	resp, err := r.Fetch(ctx, &amble.Request{URL: u, MaxBytes: -1})
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Release()
	s := resp.Snapshot
	rep, err := a11y.CheckSnapshot(ctx, s, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i, f := range rep.Findings {
		if f.Result == amble.Failed {
			t.Errorf("%s %s %s: %s %v", f.Rule, f.Selector, f.Snippet, f.Message, f.Evidence)
		}
		if i > 200 {
			break
		}
	}
	for i := range s.Nodes {
		n := &s.Nodes[i]
		if n.Type == amble.NodeElement && n.Rendered && n.Pseudo == "" && n.Box.W > 1 && n.Box.X+n.Box.W > float64(port.Width)+1 {
			t.Errorf("%s reaches to %.0f of %d pixels", describe(n), n.Box.X+n.Box.W, port.Width)
			break
		}
	}
	for _, m := range s.Console {
		t.Errorf("the console says %s: %s", m.Level, m.Text)
	}
	for _, x := range s.Requests {
		if x.URL != at && x.Problem == "" && !isIcon(x.URL) && x.URL[:5] != "data:" {
			t.Errorf("it loads %s", x.URL)
		}
	}
}

func isIcon(u string) bool { return len(u) > 12 && u[len(u)-12:] == "/favicon.ico" }

func describe(n *amble.Node) string {
	class, _ := n.Attr("class")
	return fmt.Sprintf("<%s class=%q>", n.Name, class)
}
