package ambletest

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"weak"

	"github.com/amblecrawl/amble"
)

// TestAnalyzer checks that an Analyzer keeps the promises of [amble.Analyzer]. newAnalyzer makes one; it is called once
// for each promise. Pages of the caller's own, on which the Analyzer has something to say, may be added to the suite's:
// HTML, one page each.
func TestAnalyzer(t *testing.T, newAnalyzer func() amble.Analyzer, pages ...string) {
	subject := analyzerSubject{newAnalyzer, append(slices.Clone(hardPages()), pages...)}
	checkAll(t, analyzerPromises, func(*testing.T) analyzerSubject { return subject })
}

type analyzerSubject struct {
	make  func() amble.Analyzer
	pages []string
}

var analyzerPromises = []promise[analyzerSubject]{
	{"the rules are described, and stay the same", checkRules},
	{"no page makes it panic or fail", checkHardPages},
	{"only declared rules are reported, on the page at hand", checkDeclared},
	{"the same page gives the same findings", checkRepeatable},
	{"it is safe for concurrent use", checkAnalyzeConcurrent},
	{"an ended context ends the work", checkAnalyzeContext},
	{"the page and its body are not kept", checkNotKept},
	{"findings do not share the body's memory", checkNotShared},
}

// hardPages are pages that trip up the careless.
func hardPages() []string {
	return []string{
		"", " ", "<", "<!doctype html>", "\x00\xff\xfe", "plain text, no markup", "<title>", "<a href=",
		"<!doctype html><title>Plain</title><h1>Plain</h1><p>A page like others, with <a href='/x'>a link</a>.</p><img src=x.png>",
		"<!doctype html><meta name=robots content='noindex,,nofollow:'><link rel=canonical href='http://[bad'><html lang='no such'>",
		"<!doctype html>" + strings.Repeat("<div>", 3000),
		"<!doctype html>" + strings.Repeat("<a href='/x' href='/y'>x</a><img alt>", 2000),
		"<table><form><select><svg><math></p><frameset><body onload=x>", "\xef\xbb\xbf<html><head><noscript><title>x",
	}
}

// pageOf makes an analysed page as a crawl would.
func pageOf(i int, body string) *amble.Page {
	raw := fmt.Sprintf("https://site.test/page-%d", i)
	u, _ := url.Parse(raw)
	header := http.Header{"Content-Type": {"text/html; charset=utf-8"}}
	b := []byte(body)
	sent := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	return &amble.Page{
		URL: raw, Status: http.StatusOK, Attempts: 1, Fetched: sent,
		Response: &amble.Response{URL: u, Status: http.StatusOK, Proto: "HTTP/1.1", Header: header, Body: b, Sent: sent},
		Meta:     amble.ParseMeta(b, u, header, agent.ProductTokens(), sent),
	}
}

// analyzePage shows a page to an Analyzer. It gives up on one that hangs.
func analyzePage(ctx context.Context, t testing.TB, a amble.Analyzer, p *amble.Page) (found []amble.Finding, err error) {
	t.Helper()
	done := make(chan error, 1)
	var mu sync.Mutex
	go func() {
		defer func() {
			if v := recover(); v != nil {
				done <- fmt.Errorf("panic: %v", v)
			}
		}()
		done <- a.Analyze(ctx, p, func(f amble.Finding) {
			mu.Lock()
			defer mu.Unlock()
			found = append(found, f)
		})
	}()
	select {
	case err := <-done:
		mu.Lock()
		defer mu.Unlock()
		return found, err
	case <-time.After(hang):
		t.Fatalf("Analyze of %s did not return within %v", p.URL, hang)
		return nil, nil
	}
}

func checkRules(t testing.TB, s analyzerSubject) {
	a := s.make()
	rules := a.Rules()
	if len(rules) == 0 {
		t.Error("there are no rules")
	}
	seen := make(map[string]bool)
	for _, r := range rules {
		if r.ID == "" || r.Title == "" {
			t.Errorf("a rule lacks its ID or title: %+v", r)
		}
		if seen[r.ID] {
			t.Errorf("two rules are called %s", r.ID)
		}
		seen[r.ID] = true
	}
	for i, body := range s.pages {
		_, _ = analyzePage(t.Context(), t, a, pageOf(i, body))
	}
	if !reflect.DeepEqual(a.Rules(), rules) || !reflect.DeepEqual(s.make().Rules(), rules) {
		t.Error("the rules change from call to call")
	}
}

func checkHardPages(t testing.TB, s analyzerSubject) {
	a := s.make()
	for i, body := range s.pages {
		if _, err := analyzePage(t.Context(), t, a, pageOf(i, body)); err != nil {
			t.Errorf("page %d (%.40q): %v", i, body, err)
		}
	}
	bare := pageOf(0, "")
	bare.Response, bare.Meta = nil, nil
	if _, err := analyzePage(t.Context(), t, a, bare); err != nil {
		t.Errorf("a page without answer and metadata: %v", err)
	}
}

func checkDeclared(t testing.TB, s analyzerSubject) {
	a := s.make()
	declared, shown := make(map[string]bool), make(map[string]bool)
	for _, r := range a.Rules() {
		declared[r.ID] = true
	}
	check := func(f amble.Finding, at string) {
		if !declared[f.Rule] {
			t.Errorf("the rule %q of a finding is not among Rules", f.Rule)
		}
		if f.URL != "" && !shown[f.URL] || at != "" && f.URL != "" && f.URL != at {
			t.Errorf("a finding is about %s, which is not the page at hand", f.URL)
		}
	}
	for i, body := range s.pages {
		p := pageOf(i, body)
		shown[p.URL] = true
		found, _ := analyzePage(t.Context(), t, a, p)
		for _, f := range found {
			check(f, p.URL)
		}
	}
	if site, ok := a.(amble.SiteAnalyzer); ok {
		if err := site.Finish(t.Context(), func(f amble.Finding) { check(f, "") }); err != nil {
			t.Errorf("Finish: %v", err)
		}
	}
}

// keys are findings in an order of their own, for comparison.
func keys(found []amble.Finding) []string {
	var out []string
	for _, f := range found {
		out = append(out, fmt.Sprintf("%+v", f))
	}
	slices.Sort(out)
	return out
}

func checkRepeatable(t testing.TB, s analyzerSubject) {
	a := s.make()
	for i, body := range s.pages {
		first, _ := analyzePage(t.Context(), t, a, pageOf(i, body))
		again, _ := analyzePage(t.Context(), t, a, pageOf(i, body))
		if !slices.Equal(keys(first), keys(again)) {
			t.Errorf("page %d (%.40q) gave %v, then %v", i, body, keys(first), keys(again))
		}
	}
}

func checkAnalyzeConcurrent(t testing.TB, s analyzerSubject) {
	want := make([][]string, len(s.pages))
	alone := s.make()
	for i, body := range s.pages {
		found, _ := analyzePage(t.Context(), t, alone, pageOf(i, body))
		want[i] = keys(found)
	}
	a := s.make()
	var wg sync.WaitGroup
	for range 4 {
		for i, body := range s.pages {
			wg.Go(func() {
				var found []amble.Finding
				err := a.Analyze(t.Context(), pageOf(i, body), func(f amble.Finding) { found = append(found, f) })
				if err != nil || !slices.Equal(keys(found), want[i]) {
					t.Errorf("page %d (%.40q) beside others: %v, %v; alone: %v", i, body, keys(found), err, want[i])
				}
			})
		}
	}
	wg.Wait()
}

func checkAnalyzeContext(t testing.TB, s analyzerSubject) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	a := s.make()
	for i, body := range s.pages {
		if _, err := analyzePage(ctx, t, a, pageOf(i, body)); err != nil && !errors.Is(err, context.Canceled) {
			t.Errorf("with an ended context page %d gave %v", i, err)
		}
	}
}

func checkNotKept(t testing.TB, s analyzerSubject) {
	a := s.make()
	var refs []weak.Pointer[amble.Page]
	var bodies []weak.Pointer[byte]
	done := make(chan bool)
	go func() { // its stack goes with it
		defer close(done)
		for i, body := range s.pages {
			p := pageOf(i, body+strings.Repeat(" ", 64))
			_ = a.Analyze(t.Context(), p, func(amble.Finding) {})
			refs = append(refs, weak.Make(p))
			bodies = append(bodies, weak.Make(&p.Response.Body[0]))
		}
	}()
	<-done
	for range 3 {
		runtime.GC()
	}
	for i := range refs {
		if refs[i].Value() != nil || bodies[i].Value() != nil {
			t.Errorf("page %d, or its body, is still held after Analyze", i)
		}
	}
	runtime.KeepAlive(a)
}

func checkNotShared(t testing.TB, s analyzerSubject) {
	a := s.make()
	for i, body := range s.pages {
		p := pageOf(i, body)
		found, _ := analyzePage(t.Context(), t, a, p)
		before := keys(found)
		for j := range p.Response.Body { // as a buffer that is used again
			p.Response.Body[j] = '!'
		}
		if after := keys(found); !slices.Equal(before, after) {
			t.Errorf("page %d: the findings changed with the body's buffer: %v, then %v", i, before, after)
		}
	}
}
