package main

import (
	"bytes"
	"io"
	"net/http"
	"strings"
	"sync"

	"github.com/PuerkitoBio/fetchbot"
)

// fetchbotCrawl is fetchbot with robots.txt on. It reads no pages and knows no duplicates, so that both are ours, as in the
// plain client; it asks one server one thing at a time.
func fetchbotCrawl(start string, _ int) error {
	var (
		mu      sync.Mutex
		known   = map[string]bool{start: true}
		pending = 1
		queue   *fetchbot.Queue
	)
	done := func() {
		mu.Lock()
		defer mu.Unlock()
		if pending--; pending == 0 {
			go func() { _ = queue.Close() }()
		}
	}
	f := fetchbot.New(fetchbot.HandlerFunc(func(ctx *fetchbot.Context, resp *http.Response, err error) {
		defer done()
		if err != nil {
			return
		}
		defer resp.Body.Close()
		var buf bytes.Buffer
		_, _ = io.Copy(&buf, resp.Body)
		at := resp.Request.URL
		if resp.StatusCode != http.StatusOK || !strings.HasPrefix(at.Path, "/p/") {
			return
		}
		for _, href := range tokenize(buf.Bytes()) {
			u, err := at.Parse(href)
			if err != nil || u.Host != at.Host {
				continue
			}
			u.Fragment = ""
			link := u.String()
			mu.Lock()
			fresh := !known[link]
			if fresh {
				known[link] = true
				pending++
			}
			mu.Unlock()
			if fresh {
				if _, err := queue.SendStringGet(link); err != nil {
					done()
				}
			}
		}
	}))
	f.CrawlDelay = 0
	f.AutoClose = false
	queue = f.Start()
	if _, err := queue.SendStringGet(start); err != nil {
		return err
	}
	queue.Block()
	return nil
}
