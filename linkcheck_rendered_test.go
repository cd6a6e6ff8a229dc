package amble

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// needRendered is an Analyzer whose one rule needs rendered pages.
type needRendered struct{}

func (needRendered) Rules() []Rule { return []Rule{{ID: "shown", Needs: NeedRendered}} }

func (needRendered) Analyze(context.Context, *Page, func(Finding)) error { return nil }

// TestLinksOfRenderedPages: where a browser loaded a page, the links that its scripts left are checked (S5, S8).
func TestLinksOfRenderedPages(t *testing.T) {
	const source = `<!doctype html><title>T</title><a href="/removed">a</a><a href="/kept">b</a>`
	site := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		switch r.URL.Path {
		case "/", "/kept", "/removed":
			fmt.Fprint(w, source)
		default:
			http.NotFound(w, r)
		}
	})
	plain := HandlerFetcher(site)
	renderer := FetcherFunc(func(ctx context.Context, req *Request) (*Response, error) {
		resp, err := plain.Fetch(ctx, req)
		if err == nil {
			html := strings.Replace(source, `<a href="/removed">a</a>`, `<base href="/b/"><a href="added">ü</a><img src="/gone.png" alt="">`, 1)
			resp.Snapshot = &Snapshot{URL: req.URL.String(), HTML: html}
		}
		return resp, err
	})
	c := &Crawler{Fetcher: plain, Renderer: renderer, Limiter: fast(), Analyzers: []Analyzer{needRendered{}}, Budget: Budget{Pages: 1}}
	got, _ := checkLinks(t, c, "https://site.test/")
	wantLinks(t, got, map[string]string{"https://site.test/b/added": "broken gone", "https://site.test/gone.png": "broken gone", "https://site.test/kept": "ok"})
	if got["https://site.test/removed"] != nil {
		t.Error("a link that scripts removed was checked")
	}
}
