package ambletest

import (
	"cmp"
	"fmt"
	"io/fs"
	"net/http"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/amblecrawl/amble"
)

// Expect shows each .html file of fsys to an Analyzer and compares its findings with what the files themselves expect,
// in comments:
//
//	<h1></h1> <!-- want "heading-empty" -->
//	<img src="x.png"> <!-- want "image-alt" "image-size" -->
//	<p>…</p> <!-- want cantTell "contrast" -->
//
// Without a word before it, a rule is expected to fail; passed, cantTell, inapplicable and untested may be named. A
// finding that knows its line must stand on the line of its comment; one that does not may be expected anywhere in the
// file. Every failure must be expected; other results are looked at only where the file names one. The comments are
// part of the pages that the Analyzer sees.
func Expect(t testing.TB, a amble.Analyzer, fsys fs.FS) {
	t.Helper()
	files := 0
	err := fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || path.Ext(name) != ".html" {
			return err
		}
		body, err := fs.ReadFile(fsys, name)
		if err == nil {
			files++
			expectFile(t, a, name, body)
		}
		return err
	})
	if err != nil {
		t.Errorf("reading the pages: %v", err)
	}
	if files == 0 {
		t.Error("there is no .html file")
	}
}

// wanted is an expectation.
type wanted struct {
	rule   string
	result amble.Result
	line   int
	met    bool
}

var (
	wantComment = regexp.MustCompile(`<!--\s*want\s+([^>]*?)\s*-->`)
	wantRule    = regexp.MustCompile(`(\w+)?\s*"([^"]*)"`)
)

func wants(name string, body []byte) ([]wanted, error) {
	var out []wanted
	for i, line := range strings.Split(string(body), "\n") {
		for _, comment := range wantComment.FindAllStringSubmatch(line, -1) {
			rules := wantRule.FindAllStringSubmatch(comment[1], -1)
			if len(rules) == 0 {
				return nil, fmt.Errorf("%s:%d: no rule in %s", name, i+1, comment[0])
			}
			for _, r := range rules {
				result, ok := results[r[1]]
				if !ok {
					return nil, fmt.Errorf("%s:%d: %q is no result", name, i+1, r[1])
				}
				out = append(out, wanted{rule: r[2], result: result, line: i + 1})
			}
		}
	}
	return out, nil
}

var results = map[string]amble.Result{"": amble.Failed, "failed": amble.Failed, "passed": amble.Passed, "cantTell": amble.CantTell,
	"inapplicable": amble.Inapplicable, "untested": amble.Untested}

func expectFile(t testing.TB, a amble.Analyzer, name string, body []byte) {
	t.Helper()
	want, err := wants(name, body)
	if err != nil {
		t.Error(err)
		return
	}
	u := &url.URL{Scheme: "https", Host: "site.test", Path: "/" + name}
	header := http.Header{"Content-Type": {"text/html; charset=utf-8"}}
	now := time.Now()
	p := &amble.Page{URL: u.String(), Status: http.StatusOK, Fetched: now,
		Response: &amble.Response{URL: u, Status: http.StatusOK, Proto: "HTTP/1.1", Header: header, Body: body, Sent: now},
		Meta:     amble.ParseMeta(body, u, header, agent.ProductTokens(), now)}
	found, err := analyzePage(t.Context(), t, a, p)
	if err != nil {
		t.Errorf("%s: %v", name, err)
	}
	// Those that know their line choose first.
	slices.SortStableFunc(found, func(a, b amble.Finding) int { return cmp.Compare(min(b.Line, 1), min(a.Line, 1)) })
	for _, f := range found {
		i := slices.IndexFunc(want, func(w wanted) bool {
			return !w.met && w.rule == f.Rule && w.result == f.Result && (f.Line == 0 || f.Line == w.line)
		})
		switch {
		case i >= 0:
			want[i].met = true
		case f.Result == amble.Failed:
			t.Errorf("%s:%d: unexpected %q: %s", name, f.Line, f.Rule, f.Message)
		}
	}
	for _, w := range want {
		if !w.met {
			t.Errorf("%s:%d: no finding %v %q", name, w.line, w.result, w.rule)
		}
	}
}
