package browser

import (
	"compress/gzip"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/amblecrawl/amble"
)

// TestDocumentAnswer shows what becomes of each kind of answer: only a page is rendered, a redirect is an answer.
func TestDocumentAnswer(t *testing.T) {
	var ran atomic.Int32 // scripts of pages that must not run
	mux := http.NewServeMux()
	mux.HandleFunc("/ran", func(http.ResponseWriter, *http.Request) { ran.Add(1) })
	mux.HandleFunc("/page", func(w http.ResponseWriter, r *http.Request) { html(w, "<title>t</title><h1>Hello</h1>") })
	mux.HandleFunc("/gzip", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		w.Header().Set("Content-Encoding", "gzip")
		z := gzip.NewWriter(w)
		fmt.Fprint(z, "<title>t</title><h1>Hello</h1>")
		z.Close()
	})
	mux.HandleFunc("/moved", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "/page", http.StatusMovedPermanently)
	})
	mux.HandleFunc("/refresh", func(w http.ResponseWriter, r *http.Request) {
		html(w, `<meta http-equiv=refresh content="0; url=/page?a=b">`)
	})
	mux.HandleFunc("/script", func(w http.ResponseWriter, r *http.Request) { html(w, `<script>location.href = "/page#x"</script>`) })
	mux.HandleFunc("/reload", func(w http.ResponseWriter, r *http.Request) {
		html(w, `<h1>Here</h1><script>location.reload()</script>`)
	})
	mux.HandleFunc("/submit", func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			ran.Add(1)
		}
		html(w, `<form method=post><input name=a></form><script>document.forms[0].submit()</script>`)
	})
	mux.HandleFunc("/missing", func(w http.ResponseWriter, r *http.Request) {
		http.Error(w, "<script>fetch('/ran')</script>", http.StatusNotFound)
	})
	mux.HandleFunc("/slow-down", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Retry-After", "7")
		w.WriteHeader(http.StatusTooManyRequests)
	})
	mux.HandleFunc("/login", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("WWW-Authenticate", `Basic realm="x"`)
		w.WriteHeader(http.StatusUnauthorized)
	})
	mux.HandleFunc("/challenge", func(w http.ResponseWriter, r *http.Request) {
		html(w, `<script id="anubis_version" type="application/json">"1"</script><script id="anubis_challenge" type="application/json">{"rules":{}}</script><script id="anubis-main">fetch('/ran')</script>`)
	})
	mux.HandleFunc("/image", func(w http.ResponseWriter, r *http.Request) { w.Header().Set("Content-Type", "image/png") })
	mux.HandleFunc("/download", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Disposition", `attachment; filename="a.html"`)
		html(w, "<h1>x</h1>")
	})
	mux.HandleFunc("/nothing", func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusNoContent) })
	mux.HandleFunc("/huge", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		for range 200 {
			if _, err := fmt.Fprint(w, strings.Repeat("<p>much more", 50_000)); err != nil {
				return
			}
		}
	})
	mux.HandleFunc("/broken", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", "1000")
		html(w, "<h1>half")
	})
	mux.HandleFunc("/closed", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })
	server := serve(t, mux)
	r := newRenderer(t, func(r *Renderer) { r.Limits.Document = 1 << 20 })

	for _, test := range []struct {
		path     string
		status   int
		rendered bool
		location string
		cut      amble.Cut
	}{
		{"/page", 200, true, "", amble.CutNone},
		{"/gzip", 200, true, "", amble.CutNone},
		{"/moved", 301, false, "/page", amble.CutNone},
		{"/refresh", 302, false, server.URL + "/page?a=b", amble.CutUnwanted},
		{"/script", 302, false, server.URL + "/page#x", amble.CutUnwanted},
		{"/reload", 200, true, "", amble.CutNone},
		{"/submit", 200, true, "", amble.CutNone},
		{"/missing", 404, false, "", amble.CutNone},
		{"/slow-down", 429, false, "", amble.CutNone},
		{"/login", 401, false, "", amble.CutNone},
		{"/challenge", 200, false, "", amble.CutNone},
		{"/image", 200, false, "", amble.CutNone},
		{"/download", 200, false, "", amble.CutNone},
		{"/nothing", 204, false, "", amble.CutNone},
		{"/huge", 200, false, "", amble.CutLimit},
		{"/broken", 200, false, "", amble.CutBroken},
	} {
		t.Run(strings.TrimPrefix(test.path, "/"), func(t *testing.T) {
			resp, err := fetchPage(t, r, server.URL+test.path)
			if err != nil {
				t.Fatal(err)
			}
			if resp.Status != test.status || (resp.Snapshot != nil) != test.rendered || resp.Header.Get("Location") != test.location || resp.Cut != test.cut {
				t.Errorf("got status %d, rendered %v, location %q, cut %d; want %+v", resp.Status, resp.Snapshot != nil, resp.Header.Get("Location"), resp.Cut, test)
			}
			if test.rendered && len(resp.Body) == 0 {
				t.Error("the first answer's body is missing")
			}
		})
	}
	t.Run("closed", func(t *testing.T) {
		_, err := fetchPage(t, r, server.URL+"/closed")
		if !errors.Is(err, amble.ErrUnreachable) {
			t.Error(err)
		}
	})
	t.Run("refused", func(t *testing.T) {
		gone := httptest.NewServer(nil)
		gone.Close()
		_, err := fetchPage(t, r, gone.URL)
		if f, ok := errors.AsType[*amble.FetchError](err); !ok || f.Trouble != amble.TroubleRefused {
			t.Error(err)
		}
	})
	if n := ran.Load(); n > 0 {
		t.Errorf("%d requests by pages that must not run, or by a form", n)
	}
}
