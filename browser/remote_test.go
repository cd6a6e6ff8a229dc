package browser

import (
	"errors"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/target"

	"github.com/amblecrawl/amble"
)

// startEndpoint runs a browser with a debugging port, as somebody else would, and returns its address.
func startEndpoint(t *testing.T) string {
	t.Helper()
	needBrowser(t)
	path, err := Find()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	cmd := exec.Command(path, "--headless", "--remote-debugging-port=0", "--user-data-dir="+dir, "--disable-dev-shm-usage", "about:blank")
	if needsNoSandbox() {
		cmd.Args = append(cmd.Args, "--no-sandbox")
	}
	ownGroup(cmd)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		killGroup(cmd)
		cmd.Wait()
		killLeftovers(dir)
	})
	for range 600 {
		if data, err := os.ReadFile(filepath.Join(dir, "DevToolsActivePort")); err == nil {
			if port, _, ok := strings.Cut(string(data), "\n"); ok {
				return "127.0.0.1:" + port
			}
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Fatal("the browser opened no port")
	return ""
}

// TestEndpoint: a browser that runs already loads pages through the gate, says what cannot be guaranteed with it, and is
// left as it was: running, without our contexts.
func TestEndpoint(t *testing.T) {
	address := startEndpoint(t)
	asked := make(chan string, 100)
	server := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked <- r.Method + " " + r.URL.Path
		html(w, `<!doctype html><title>t</title><h1>Hello</h1><img src=/open.png alt=""><img src=/private.png alt=""><script>fetch("/post", {method: "POST"}).catch(() => {})</script>`)
	}))
	for _, test := range []struct {
		name, endpoint string
		guarded        bool
		says           string
	}{
		{"on this machine", "http://" + address, true, "not started here"},
		// Another name of this machine, which is not known to be it.
		{"elsewhere", "http://" + strings.Replace(address, "127.0.0.1", "0.0.0.0", 1), false, "runs elsewhere"},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := newRenderer(t, func(r *Renderer) { r.Endpoint = test.endpoint })
			gate := &recordingGate{refuse: "/private.png"}
			resp := fetchWith(t, r, server.URL+"/", gate)
			if !strings.Contains(resp.Snapshot.HTML, "Hello") {
				t.Error("no page")
			}
			status := r.Status()
			if status.Guarded != test.guarded || !strings.Contains(strings.Join(status.Unguarded, "\n"), test.says) || !strings.Contains(strings.Join(resp.Snapshot.Problems, "\n"), test.says) {
				t.Errorf("%+v; problems %v", status, resp.Snapshot.Problems)
			}
			for len(asked) > 0 {
				if got := <-asked; got != "GET /" && got != "GET /open.png" {
					t.Errorf("asked for: %s", got)
				}
			}
			if err := r.Close(); err != nil {
				t.Error(err)
			}
			again := newRenderer(t, func(r *Renderer) { r.Endpoint = test.endpoint })
			if _, err := again.Start(t.Context()); err != nil {
				t.Fatal("the browser is gone: ", err)
			}
			contexts, err := cdp.Call(t.Context(), again.chrome.conn.browser, target.GetBrowserContexts, cdp.Empty{})
			if err != nil || len(contexts.BrowserContextIDs) > 0 {
				t.Errorf("contexts are left: %v, %v", contexts, err)
			}
		})
	}
	t.Run("certificates", func(t *testing.T) {
		r := newRenderer(t, func(r *Renderer) { r.Endpoint, r.TrustCertificates = "http://"+address, newAuthority(t).certs() })
		if _, err := r.Start(t.Context()); !errors.Is(err, amble.ErrConfig) {
			t.Error(err)
		}
	})
}
