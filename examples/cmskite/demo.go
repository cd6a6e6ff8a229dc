package main

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/amblecrawl/amble/examples/internal/cli"
)

// demo serves a small site on loopback and points the options at it. It has what a guest meets: rules in robots.txt, a
// sitemap index, a redirect, a page that is not to be indexed, a dead entry, one "not now", and a challenge.
func demo(o *options) (shut func(), err error) {
	l, err := cli.Listen()
	if err != nil {
		return nil, err
	}
	base := "http://" + l.Addr().String()
	server := &http.Server{Handler: demoSite(base), ReadHeaderTimeout: 5 * time.Second}
	go func() { _ = server.Serve(l) }()
	o.property = base + "/"
	if o.agent.Name == "" {
		o.agent.Name, o.agent.InfoURL = "CMSKiteBot", "https://cmskite.com/bot" // on loopback only
	}
	return func() { _ = server.Close() }, nil
}

func demoSite(base string) http.Handler {
	mux := http.NewServeMux()
	text := func(kind, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", kind)
			fmt.Fprint(w, strings.ReplaceAll(body, "BASE", base))
		}
	}
	mux.HandleFunc("/robots.txt", text("text/plain; charset=utf-8", demoRobots))
	mux.HandleFunc("/sitemap.xml", text("application/xml", demoIndex))
	mux.HandleFunc("/sitemap-pages.xml", text("application/xml", demoSitemap))
	for path, body := range demoPages {
		mux.HandleFunc(path, text("text/html; charset=utf-8", body))
	}
	mux.Handle("/old", http.RedirectHandler("/about", http.StatusMovedPermanently))
	asked := make(chan struct{}, 1)
	mux.HandleFunc("/busy", func(w http.ResponseWriter, r *http.Request) {
		select {
		case asked <- struct{}{}: // the first time
			w.Header().Set("Retry-After", "3")
			http.Error(w, "not now", http.StatusTooManyRequests)
		default:
			text("text/html; charset=utf-8", demoPages["/about"])(w, r)
		}
	})
	mux.HandleFunc("/guarded", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		w.Header().Set("Cf-Mitigated", "challenge")
		w.WriteHeader(http.StatusForbidden)
		fmt.Fprint(w, "<title>One moment</title>")
	})
	return mux
}

const demoRobots = `User-agent: CMSKiteBot
Disallow: /private/
Allow: /private/open

User-agent: *
Disallow: /

Sitemap: BASE/sitemap.xml
`

const demoIndex = `<?xml version="1.0" encoding="UTF-8"?>
<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
<sitemap><loc>BASE/sitemap-pages.xml</loc></sitemap>
</sitemapindex>
`

const demoSitemap = `<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
<url><loc>BASE/</loc><lastmod>2026-01-02</lastmod></url>
<url><loc>BASE/about</loc></url>
<url><loc>BASE/draft</loc></url>
<url><loc>BASE/old</loc></url>
<url><loc>BASE/gone</loc></url>
<url><loc>BASE/busy</loc></url>
<url><loc>BASE/guarded</loc></url>
<url><loc>BASE/private/plans</loc></url>
<url><loc>BASE/private/open</loc></url>
</urlset>
`

var demoPages = map[string]string{
	"/{$}": `<!doctype html><html lang="en"><head><title>A small site</title>
<meta name="description" content="Served for the demo."><link rel="canonical" href="BASE/">
<script type="application/ld+json">{"@context":"https://schema.org","@type":"WebSite","name":"A small site"}</script>
</head><body><h1>A small site</h1><a href="/about">About</a> <a href="https://example.com/" rel="nofollow">Elsewhere</a></body></html>`,
	"/about": `<!doctype html><html lang="en"><head><title>About</title><link rel="canonical" href="BASE/about"></head>
<body><h1>About</h1><a href="/">Home</a></body></html>`,
	"/draft": `<!doctype html><html lang="en"><head><title>Draft</title><meta name="cmskitebot" content="noindex, nofollow"></head>
<body><h1>Draft</h1></body></html>`,
	"/private/open":  `<!doctype html><html><head><title>Open</title></head><body><h1>Open</h1></body></html>`,
	"/private/plans": `<!doctype html><title>Plans</title>`,
}
