package tech_test

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/amblecrawl/amble"
	"github.com/amblecrawl/amble/browser"
)

// noise is a PNG of squares in colours that cannot be compressed: three bytes a square.
func noise(w, h, square int) []byte {
	m := image.NewNRGBA(image.Rect(0, 0, w, h))
	r := rand.New(rand.NewPCG(1, 2))
	for y := 0; y < h; y += square {
		for x := 0; x < w; x += square {
			c := image.NewUniform(color.NRGBA{uint8(r.Uint32()), uint8(r.Uint32()), uint8(r.Uint32()), 255})
			draw.Draw(m, image.Rect(x, y, x+square, y+square), c, image.Point{}, draw.Src)
		}
	}
	var b bytes.Buffer
	if err := png.Encode(&b, m); err != nil {
		panic(err)
	}
	return b.Bytes()
}

// renderedRules are those that judge what a browser saw. The last three depend on how fast the machine is: that they are
// found where they must be is tested, not that they are silent.
var (
	renderedRules = []string{"console-error", "file-failed", "file-large", "file-not-cached", "img-large", "img-oversized", "img-format",
		"page-heavy", "render-blocking", "rendered-title", "rendered-canonical", "rendered-noindex", "rendered-links", "rendered-text"}
	timedRules = []string{"lcp-slow", "cls-high", "long-tasks"}
)

// chromePages are pages that plant each fault of a rendered page once, and twins that are right.
var chromePages = []struct {
	path, head, body string
	want             []string
}{
	{"/right", `<script src="/cached.js" defer></script><link rel="canonical" href="/right">`,
		`<img src="/small.png" width="60" height="60" alt="A picture"><script>console.warn("old");document.body.append("and a little more")</script>`, nil},
	{"/console", "", `<script>undefinedFunction()</script>`, []string{"console-error"}},
	{"/failed", "", `<img src="/gone.png" alt="A picture" width="10" height="10">`, []string{"file-failed"}},
	{"/large", `<script src="/large.js" defer></script>`, "", []string{"file-large"}},
	{"/stale", `<script src="/stale.js" defer></script>`, "", []string{"file-not-cached"}},
	{"/format", "", `<img src="/middle.png" alt="A picture" width="170" height="170">`, []string{"img-format"}},
	{"/picture", "", `<img src="/big.png" alt="A picture" width="220" height="220">`, []string{"img-format", "img-large"}},
	{"/box", "", `<img src="/box.png" alt="A picture" width="40" height="40">`, []string{"img-oversized"}},
	{"/box-right", "", `<img src="/box.png" alt="A picture" width="110" height="110">`, nil},
	{"/heavy", strings.Repeat(`<script src="/half.js?N" defer></script>`, 8), "", []string{"page-heavy"}},
	{"/blocking", `<script src="/cached.js"></script>`, "", []string{"render-blocking"}},
	{"/title", "", `<script>document.title = "Another bakery"</script>`, []string{"rendered-title"}},
	{"/canonical", `<link rel="canonical" href="/a">`, `<script>document.querySelector("[rel=canonical]").href = "/b"</script>`, []string{"rendered-canonical"}},
	{"/noindex", "", `<script>document.head.insertAdjacentHTML("beforeend", "<meta name=robots content=noindex>")</script>`, []string{"rendered-noindex"}},
	{"/links", "", `<script>for (let i = 0; i < 12; i++) document.body.insertAdjacentHTML("beforeend", "<a href=/x" + i + ">x</a>")</script>`, []string{"rendered-links"}},
	{"/text", "", `<script>document.body.append(" more bread".repeat(100))</script>`, []string{"rendered-text"}},
	{"/paint", "", `<img src="/late.png" alt="A picture" width="600" height="400">`, []string{"lcp-slow"}},
	{"/shift", "", `<script>setTimeout(() => document.body.insertAdjacentHTML("afterbegin", "<div style='height:400px'></div>"), 200)</script>`, []string{"cls-high"}},
	{"/busy", "", `<script>setTimeout(() => { const end = Date.now() + 900; while (Date.now() < end); }, 50)</script>`, []string{"long-tasks"}},
}

func serveChromePages(w http.ResponseWriter, r *http.Request) {
	files := map[string]func() []byte{
		"/small.png": func() []byte { return noise(60, 60, 1) }, "/middle.png": func() []byte { return noise(150, 150, 1) },
		"/big.png": func() []byte { return noise(200, 200, 1) }, "/box.png": func() []byte { return noise(100, 100, 1) },
		"/late.png":  func() []byte { time.Sleep(3 * time.Second); return noise(600, 400, 6) },
		"/cached.js": func() []byte { return []byte("1;") }, "/stale.js": func() []byte { return []byte("1;") },
		"/large.js": func() []byte { return []byte("//" + strings.Repeat("x", 600<<10)) },
		"/half.js":  func() []byte { return []byte("//" + strings.Repeat("x", 480<<10)) },
	}
	if file, ok := files[r.URL.Path]; ok {
		if r.URL.Path != "/stale.js" {
			w.Header().Set("Cache-Control", "max-age=3600")
		}
		w.Header().Set("Content-Type", "text/javascript")
		if strings.HasSuffix(r.URL.Path, ".png") {
			w.Header().Set("Content-Type", "image/png")
		}
		_, _ = w.Write(file())
		return
	}
	for _, p := range chromePages {
		if p.path == r.URL.Path {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			head := p.head
			for i := 0; strings.Contains(head, "?N"); i++ {
				head = strings.Replace(head, "?N", fmt.Sprint("?", i), 1)
			}
			fmt.Fprintf(w, "<!DOCTYPE html><html lang=en><head>%s<link rel=icon href=data:,>%s</head><body><h1>Bread</h1><p>%s</p>%s</body></html>",
				goodHead, head, strings.Repeat("bread and cake ", 30), p.body)
			return
		}
	}
	http.NotFound(w, r)
}

// TestInChrome loads the pages in a real browser: each rule about rendered pages finds its fault and nothing else.
func TestInChrome(t *testing.T) {
	if _, err := browser.Find(); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	server := httptest.NewServer(http.HandlerFunc(serveChromePages))
	defer server.Close()
	r := &browser.Renderer{Agent: amble.Agent{Name: "AmbleTest", InfoURL: "https://amble.test/"}, Addresses: amble.LoopbackOnly(), TempDir: t.TempDir(),
		Limits: browser.Limits{Quiet: time.Second}} // a busy machine runs timers late
	defer func() {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	}()
	found := make(map[string]bool)
	for _, p := range chromePages {
		t.Run(p.path[1:], func(t *testing.T) {
			u, err := url.Parse(server.URL + p.path)
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
			defer cancel()
			resp, err := r.Fetch(ctx, &amble.Request{URL: u, MaxBytes: -1})
			if err != nil {
				t.Fatal(err)
			}
			defer resp.Release()
			page := &amble.Page{URL: u.String(), Status: resp.Status, Response: resp}
			page.Meta = amble.MetaOptions{Resources: true}.Parse(resp.Body, u, resp.Header)
			var got []string
			for _, rule := range failed(judge(t, page)) {
				timed := slices.Contains(timedRules, rule)
				if slices.Contains(renderedRules, rule) || timed && slices.Contains(p.want, rule) {
					got = append(got, rule)
					found[rule] = true
				}
			}
			if !slices.Equal(got, p.want) {
				t.Errorf("got %v, want %v; settled %+v, metrics %+v", got, p.want, resp.Snapshot.Settled, resp.Snapshot.Metrics)
				for _, x := range resp.Snapshot.Requests {
					t.Logf("%+v", x)
				}
			}
		})
	}
	for _, rule := range slices.Concat(renderedRules, timedRules) {
		if !found[rule] {
			t.Errorf("%s was found on no page", rule)
		}
	}
}
