package browser

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
)

// TestIdentity: every request of a page says the same: the browser's true version, no word Headless, our name at the end,
// client hints that agree, the language list; in frames of other sites and in workers too, and to the page's scripts (S1).
func TestIdentity(t *testing.T) {
	for _, mobile := range []bool{false, true} {
		t.Run(fmt.Sprintf("mobile=%v", mobile), func(t *testing.T) {
			var mu sync.Mutex
			seen := map[string]http.Header{}
			server := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				mu.Lock()
				seen[r.URL.Path] = r.Header.Clone()
				mu.Unlock()
				switch r.URL.Path {
				case "/":
					other := strings.Replace(r.Host, "127.0.0.1", "localhost", 1)
					html(w, `<!doctype html><meta name=viewport content="width=device-width"><iframe src="http://%s/frame"></iframe><img src=/img><pre id=out></pre><script>
						new Worker("/worker.js").onmessage = e => { out.textContent = JSON.stringify([navigator.userAgent, e.data, navigator.languages, navigator.maxTouchPoints, innerWidth, devicePixelRatio, navigator.userAgentData && navigator.userAgentData.mobile, navigator.webdriver]) };</script>`, other)
				case "/frame":
					html(w, `<script>fetch('/from-frame?' + encodeURIComponent(navigator.userAgent))</script>`)
				case "/worker.js":
					w.Header().Set("Content-Type", "text/javascript")
					fmt.Fprint(w, "fetch('/from-worker'); postMessage(navigator.userAgent)")
				}
			}))
			r := newRenderer(t, func(r *Renderer) { r.Mobile = mobile })
			resp, err := fetchPage(t, r, server.URL+"/")
			if err != nil {
				t.Fatal(err)
			}
			_, version, _ := strings.Cut(r.Status().Version, "/")
			mu.Lock()
			defer mu.Unlock()
			for _, path := range []string{"/", "/frame", "/img", "/worker.js", "/from-frame", "/from-worker"} {
				h := seen[path]
				ua := h.Get("User-Agent")
				if !strings.HasSuffix(ua, " AmbleTest/1.0 (+https://example.com/crawler)") || strings.Contains(ua, "Headless") || !strings.Contains(ua, "Chrome/"+version) || strings.Contains(ua, "Android") != mobile {
					t.Errorf("%s: user agent %q", path, ua)
				}
				if got := h.Get("Accept-Language"); got != "es-ES,es;q=0.9" {
					t.Errorf("%s: languages %q", path, got)
				}
				if hint := h.Get("Sec-Ch-Ua-Mobile"); path != "/from-worker" && path != "/worker.js" && hint != map[bool]string{false: "?0", true: "?1"}[mobile] {
					t.Errorf("%s: mobile hint %q", path, hint)
				}
			}
			i := strings.Index(resp.Snapshot.HTML, "<pre id=\"out\">")
			told := resp.Snapshot.HTML[i:]
			if strings.Contains(told, "Headless") || strings.Count(told, "AmbleTest/1.0") != 2 || !strings.Contains(told, `["es-ES","es"]`) {
				t.Errorf("scripts are told %s", told)
			}
			if mobile != strings.Contains(told, ",5,412,2.625,true,true]") {
				t.Errorf("scripts are told %s", told)
			}
		})
	}
}
