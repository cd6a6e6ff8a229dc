package main

import (
	"fmt"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/amblecrawl/amble/examples/internal/cli"
)

// demo serves a small site on loopback, with what an auditor meets: faults, rules in robots.txt, a challenge, a server
// that says "not now" once, and a trap.
func demo() (base string, shut func(), err error) {
	l, err := cli.Listen()
	if err != nil {
		return "", nil, err
	}
	server := &http.Server{Handler: demoSite(), ReadHeaderTimeout: 5 * time.Second}
	go func() { _ = server.Serve(l) }()
	return "http://" + l.Addr().String(), func() { _ = server.Close() }, nil
}

func demoSite() http.Handler {
	mux := http.NewServeMux()
	page := func(body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			fmt.Fprint(w, body)
		}
	}
	mux.HandleFunc("/robots.txt", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, "User-agent: SiteNormaBot\nDisallow: /carrito/\n\nUser-agent: SiteNorma\nDisallow: /intern/\n\nUser-agent: *\nDisallow: /\n")
	})
	mux.HandleFunc("/{$}", page(demoHome))
	mux.HandleFunc("/contact", page(demoContact))
	mux.HandleFunc("/carrito/", page("<title>Basket</title>"))
	mux.HandleFunc("/intern/", page("<title>Intern</title>"))
	mux.HandleFunc("/style.css", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/css")
		fmt.Fprint(w, "body { font: 16px sans-serif; margin: 2rem } .pale { color: #aaa; background: #fff }")
	})
	mux.HandleFunc("/guarded", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		w.Header().Set("Cf-Mitigated", "challenge")
		w.WriteHeader(http.StatusForbidden)
		fmt.Fprint(w, "<title>One moment</title>")
	})
	var asked atomic.Int32
	mux.HandleFunc("/busy", func(w http.ResponseWriter, r *http.Request) {
		if asked.Add(1) == 1 {
			w.Header().Set("Retry-After", "3")
			http.Error(w, "not now", http.StatusTooManyRequests)
			return
		}
		page(demoBusy)(w, r)
	})
	mux.HandleFunc("/calendar/", func(w http.ResponseWriter, r *http.Request) {
		page(fmt.Sprintf("<!doctype html><html lang=en><title>Day</title><main><h1>Day</h1><a href=%q>next day</a></main>", r.URL.Path+"next/"))(w, r)
	})
	return mux
}

const demoHome = `<!doctype html><html lang="en"><head><title>The demo shop</title><link rel="stylesheet" href="/style.css">
<meta name="viewport" content="width=device-width, initial-scale=1"></head><body><main><h1>The demo shop</h1>
<p class="pale">This text is too pale to be read by many.</p>
<img src="/style.css" width="10" height="10">
<p><a href="/contact">Contact</a> <a href="/busy">Busy</a> <a href="/guarded">Guarded</a> <a href="/carrito/">Basket</a>
<a href="/intern/">Intern</a> <a href="/calendar/">Calendar</a> <a href="/contact"></a></p></main></body></html>`

const demoContact = `<!doctype html><html><head><title>Contact</title><meta name="viewport" content="width=device-width, user-scalable=no"></head>
<body><h1>Contact</h1><form action="/send" method="post"><input name="email"><button></button></form></body></html>`

const demoBusy = `<!doctype html><html lang="en"><head><title>Busy</title></head><body><main><h1>Busy</h1><p>Here at last.</p></main></body></html>`
