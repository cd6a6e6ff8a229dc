package main

import (
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/amblecrawl/amble/examples/internal/cli"
)

// demo serves a small site on loopback and points the options at it.
func demo(o *options) (shut func(), err error) {
	l, err := cli.Listen()
	if err != nil {
		return nil, err
	}
	server := &http.Server{Handler: demoSite(), ReadHeaderTimeout: 5 * time.Second}
	go func() { _ = server.Serve(l) }()
	o.who.Args = []string{"http://" + l.Addr().String() + "/"}
	return func() { _ = server.Close() }, o.settle()
}

// demoSite has one of each: what is fine, moved, gone, guarded, forbidden, and what is no address at all.
func demoSite() http.Handler {
	mux := http.NewServeMux()
	page := func(body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			fmt.Fprint(w, "<!doctype html><html lang=en><title>Demo</title>", body)
		}
	}
	mux.HandleFunc("/{$}", page(`<link rel=stylesheet href="/style.css"><img src="/logo.png" alt="Logo">
		<a href="/shop">Shop</a> <a href="/shop#prices">Prices</a> <a href="/shop#opening-hours">Opening hours</a>
		<a href="/news">News</a> <a href="/old">Old</a> <a href="/members">Members</a> <a href="/wall">Wall</a>
		<a href="/private">Private</a> <a href="http://<user>@<server>/">Template</a> <a href="mailto:nobody">Mail</a> <a href="tel:+34-600-123-456">Call</a>`))
	mux.HandleFunc("/shop", page(`<h2 id="prices">Prices</h2><a href="/news">News</a><a href="/">Home</a>`))
	mux.HandleFunc("/robots.txt", func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "User-agent: *\nDisallow: /private\n") })
	mux.HandleFunc("/style.css", func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Content-Type", "text/css") })
	mux.Handle("/old", http.RedirectHandler("/shop", http.StatusMovedPermanently))
	mux.HandleFunc("/members", func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "members only", http.StatusForbidden) })
	mux.HandleFunc("/wall", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Cf-Mitigated", "challenge")
		http.Error(w, "one moment", http.StatusForbidden)
	})
	return mux
}
