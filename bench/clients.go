package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"runtime/pprof"
	"strings"
	"sync"

	"golang.org/x/net/html"

	"github.com/amblecrawl/amble"
)

// builtin are the clients that this program itself is.
var builtin = map[string]func(start string, pages int) error{
	"plain":      func(start string, pages int) error { return plain(start, pages, tokenize) },
	"plain-tree": func(start string, pages int) error { return plain(start, pages, parseTree) },
	"amble":      func(start string, pages int) error { return crawl(start, pages) },
	"amble-tree": func(start string, pages int) error { return crawl(start, pages, treeUser{}) },
	"colly":      collyCrawl,
	"fetchbot":   fetchbotCrawl,
}

func client(args []string) error {
	if len(args) < 2 {
		return errors.New("usage: bench client NAME URL [flags]")
	}
	fs := flag.NewFlagSet("client", flag.ContinueOnError)
	pages := fs.Int("pages", 5000, "pages of the site")
	cpu := fs.String("cpuprofile", "", "`file` for a CPU profile")
	mem := fs.String("memprofile", "", "`file` for a heap profile")
	if err := fs.Parse(args[2:]); err != nil {
		return err
	}
	run, ok := builtin[args[0]]
	if !ok {
		return fmt.Errorf("no client called %q", args[0])
	}
	if *cpu != "" {
		f, err := os.Create(*cpu)
		if err != nil {
			return err
		}
		defer f.Close()
		if err := pprof.StartCPUProfile(f); err != nil {
			return err
		}
		defer pprof.StopCPUProfile()
	}
	err := run(args[1], *pages)
	if *mem != "" {
		f, cerr := os.Create(*mem)
		if cerr != nil {
			return cerr
		}
		defer f.Close()
		err = errors.Join(err, pprof.WriteHeapProfile(f))
	}
	return err
}

const workers = 8

// crawl is amble with every gate on, limits so high that they never wait, and the metadata of each page.
func crawl(start string, pages int, analyzers ...amble.Analyzer) error {
	c := &amble.Crawler{
		Agent:     amble.Agent{Name: "AmbleBench", InfoURL: "https://amble.test/bench"},
		Fetcher:   &amble.HTTPFetcher{Addresses: amble.LoopbackOnly(), MaxIdlePerHost: workers},
		Limiter:   &amble.ServerLimiter{Pace: -1, Concurrency: -1},
		Budget:    amble.Budget{Pages: amble.Unlimited, URLs: amble.Unlimited, Bytes: amble.Unlimited},
		Workers:   workers,
		Analyzers: analyzers,
	}
	sum, err := c.Run(context.Background(), start)
	if err != nil {
		return err
	}
	if got := sum.Outcomes[amble.OutcomeAnalysed]; got != pages {
		return fmt.Errorf("%d pages analysed of %d: %v", got, pages, sum.Outcomes)
	}
	return nil
}

// treeUser asks for the tree of each page, as many analysers do.
type treeUser struct{}

func (treeUser) Rules() []amble.Rule {
	return []amble.Rule{{ID: "tree", Title: "The page has a tree", Needs: amble.NeedTree}}
}

func (treeUser) Analyze(_ context.Context, p *amble.Page, _ func(amble.Finding)) error {
	p.Tree()
	return nil
}

// plain is the least that a Go program can do: fetch, read links and metadata, ask for what is new. It has no robots.txt,
// no scope but the host, no pace, no guard and no outcomes.
func plain(start string, pages int, extract func(body []byte) []string) error {
	base, err := url.Parse(start)
	if err != nil {
		return err
	}
	var (
		mu      sync.Mutex
		cond    = sync.NewCond(&mu)
		known   = map[string]bool{start: true}
		queue   = []string{start}
		pending = 1
		got     int
		client  = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: workers}}
		group   sync.WaitGroup
	)
	work := func() {
		var buf bytes.Buffer
		for {
			mu.Lock()
			for len(queue) == 0 && pending > 0 {
				cond.Wait()
			}
			if pending == 0 {
				mu.Unlock()
				return
			}
			target := queue[0]
			queue = queue[1:]
			mu.Unlock()
			var links []string
			page := false
			if resp, err := client.Get(target); err == nil {
				buf.Reset()
				_, _ = io.Copy(&buf, resp.Body)
				_ = resp.Body.Close()
				if page = resp.StatusCode == http.StatusOK && strings.HasPrefix(resp.Request.URL.Path, "/p/"); page {
					at := resp.Request.URL
					for _, href := range extract(buf.Bytes()) {
						if u, err := at.Parse(href); err == nil && u.Host == base.Host && !strings.HasPrefix(u.Path, "/private/") {
							u.Fragment = ""
							links = append(links, u.String())
						}
					}
				}
			}
			mu.Lock()
			if page {
				got++
			}
			for _, link := range links {
				if !known[link] {
					known[link] = true
					queue = append(queue, link)
					pending++
				}
			}
			pending--
			cond.Broadcast()
			mu.Unlock()
		}
	}
	for range workers {
		group.Go(work)
	}
	group.Wait()
	if got < pages {
		return fmt.Errorf("%d pages of %d", got, pages)
	}
	return nil
}

// meta is what the plain client keeps of a page, so that the work is the same.
type meta struct {
	title, description, canonical, robots, lang string
	h1, types                                   []string
}

// tokenize reads a page in one pass with the tokenizer.
func tokenize(body []byte) []string {
	var (
		m     meta
		links []string
		into  *string
		text  strings.Builder
		ld    bool
		z     = html.NewTokenizer(bytes.NewReader(body))
	)
	for {
		switch z.Next() {
		case html.ErrorToken:
			return links
		case html.TextToken:
			switch {
			case into != nil:
				text.Write(z.Text())
			case ld:
				var v struct {
					Type string `json:"@type"`
				}
				if json.Unmarshal(z.Text(), &v) == nil {
					m.types = append(m.types, v.Type)
				}
			}
		case html.EndTagToken:
			if into != nil {
				*into = text.String()
				into = nil
			}
			ld = false
		case html.StartTagToken, html.SelfClosingTagToken:
			name, more := z.TagName()
			tag := string(name)
			var href, rel, metaName, content, kind string
			switch tag {
			case "a", "link", "meta", "script", "html":
				for more {
					var key, value []byte
					key, value, more = z.TagAttr()
					switch string(key) {
					case "href":
						href = string(value)
					case "rel":
						rel = string(value)
					case "name":
						metaName = string(value)
					case "content":
						content = string(value)
					case "type":
						kind = string(value)
					case "lang":
						m.lang = string(value)
					}
				}
			}
			switch tag {
			case "a":
				if href != "" {
					links = append(links, href)
				}
			case "link":
				if rel == "canonical" {
					m.canonical = href
				}
			case "meta":
				switch metaName {
				case "description":
					m.description = content
				case "robots":
					m.robots = content
				}
			case "script":
				ld = kind == "application/ld+json"
			case "title":
				text.Reset()
				into = &m.title
			case "h1":
				text.Reset()
				m.h1 = append(m.h1, "")
				into = &m.h1[len(m.h1)-1]
			}
		}
	}
}

// parseTree reads a page with the full tree.
func parseTree(body []byte) []string {
	var links []string
	doc, err := html.Parse(bytes.NewReader(body))
	if err != nil {
		return nil
	}
	for n := range doc.Descendants() {
		if n.Type == html.ElementNode && n.Data == "a" {
			for _, attr := range n.Attr {
				if attr.Key == "href" {
					links = append(links, attr.Val)
				}
			}
		}
	}
	return links
}
