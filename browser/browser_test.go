package browser

import (
	"context"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"

	"github.com/amblecrawl/amble"
)

var testAgent = amble.Agent{Name: "AmbleTest", InfoURL: "https://example.com/crawler", Language: "es-ES,es;q=0.9"}

// needBrowser skips a test when the machine has no browser; in CI it fails.
func needBrowser(t testing.TB) {
	t.Helper()
	if _, err := Find(); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
}

// eachBrowser runs a test with the browser that Find prefers, the headless shell, and with a full one. In CI both must be
// there.
func eachBrowser(t *testing.T, f func(t *testing.T, path string)) {
	t.Helper()
	for name, programs := range map[string][]string{"shell": {"chromium-headless-shell", "chrome-headless-shell", "headless_shell"}, "full": {"chromium", "google-chrome", "chromium-browser"}} {
		t.Run(name, func(t *testing.T) {
			for _, program := range programs {
				if path, err := executable(program); err == nil {
					f(t, path)
					return
				}
			}
			if os.Getenv("CI") != "" {
				t.Fatalf("none of %v is installed (make setup)", programs)
			}
			t.Skipf("none of %v is installed", programs)
		})
	}
}

// quiet is the log of servers whose clients break off.
var quiet = log.New(io.Discard, "", 0)

// newRenderer returns a Renderer for loopback that is closed with the test.
func newRenderer(t testing.TB, set func(*Renderer)) *Renderer {
	t.Helper()
	needBrowser(t)
	r := &Renderer{Agent: testAgent, Addresses: amble.LoopbackOnly(), TempDir: t.TempDir()}
	if set != nil {
		set(r)
	}
	t.Cleanup(func() {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	})
	return r
}

func serve(t testing.TB, h http.Handler) *httptest.Server {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	return server
}

func html(w http.ResponseWriter, format string, args ...any) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	fmt.Fprintf(w, format, args...)
}

func fetchPage(t testing.TB, r *Renderer, raw string) (*amble.Response, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	u, err := url.Parse(raw)
	if err != nil {
		t.Fatal(err)
	}
	return r.Fetch(ctx, &amble.Request{URL: u, MaxBytes: -1})
}

func mustURL(raw string) *url.URL {
	u, err := url.Parse(raw)
	if err != nil {
		panic(err)
	}
	return u
}

var (
	pageCrash = page.Crash
	empty     = cdp.Empty{}
)
