package amble

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
)

// BenchmarkFetch compares the fetcher with net/http's bare client on the same server: pages of 20 KB over one kept
// connection.
func BenchmarkFetch(b *testing.B) {
	page := []byte(strings.Repeat("<p>a page with <a href=\"/x\">links</a></p>\n", 480))
	packed := gz(string(page))
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/gzip" {
			w.Header().Set("Content-Encoding", "gzip")
			w.Write(packed)
			return
		}
		w.Write(page)
	}))
	defer site.Close()
	b.Run("net-http", func(b *testing.B) {
		client := &http.Client{Transport: &http.Transport{DisableCompression: true}}
		defer client.CloseIdleConnections()
		b.ReportAllocs()
		for b.Loop() {
			resp, err := client.Get(site.URL)
			if err != nil {
				b.Fatal(err)
			}
			io.Copy(io.Discard, resp.Body)
			resp.Body.Close()
		}
	})
	for _, path := range []string{"/", "/gzip"} {
		b.Run("amble"+strings.ReplaceAll(path, "/", "-"), func(b *testing.B) {
			f := &HTTPFetcher{Addresses: LoopbackOnly()}
			defer f.CloseIdleConnections()
			u := mustURL(b, site.URL+path)
			req := &Request{URL: u, MaxBytes: 1 << 20, Header: http.Header{"User-Agent": {"ExampleAudit/1.0"}}}
			b.ReportAllocs()
			for b.Loop() {
				r, err := f.Fetch(b.Context(), req)
				if err != nil || len(r.Body) != len(page) {
					b.Fatal(err)
				}
				r.Release()
			}
		})
	}
}

func mustURL(t testing.TB, raw string) *url.URL {
	t.Helper()
	u, err := url.Parse(raw)
	if err != nil {
		t.Fatal(err)
	}
	return u
}
