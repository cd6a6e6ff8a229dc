package ambletest

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"time"
	"unsafe"

	"github.com/amblecrawl/amble"
	"github.com/amblecrawl/amble/analyze"
)

func TestMetadataKeepsTheContract(t *testing.T) {
	TestAnalyzer(t, func() amble.Analyzer { return analyze.Metadata(agent) })
}

// analyzerFunc has the rule "r", or rules.
type analyzerFunc struct {
	rules func() []amble.Rule
	fn    func(ctx context.Context, p *amble.Page, report func(amble.Finding)) error
}

func (a analyzerFunc) Rules() []amble.Rule {
	if a.rules != nil {
		return a.rules()
	}
	return []amble.Rule{{ID: "r", Title: "A rule"}}
}

func (a analyzerFunc) Analyze(ctx context.Context, p *amble.Page, report func(amble.Finding)) error {
	return a.fn(ctx, p, report)
}

func TestAnalyzerSuiteFindsBrokenPromises(t *testing.T) {
	subject := func(fn func(ctx context.Context, p *amble.Page, report func(amble.Finding)) error) analyzerSubject {
		return analyzerSubject{func() amble.Analyzer { return analyzerFunc{fn: fn} }, []string{"<title>a</title>", "<title>b</title>"}}
	}
	var calls atomic.Int64
	var kept []*amble.Page
	wantBroken(t, analyzerPromises, map[string]analyzerSubject{
		"the rules are described, and stay the same": {func() amble.Analyzer {
			return analyzerFunc{rules: func() []amble.Rule {
				return []amble.Rule{{ID: "r" + strings.Repeat("x", int(calls.Add(1))), Title: "A rule"}}
			}, fn: func(context.Context, *amble.Page, func(amble.Finding)) error { return nil }}
		}, nil},
		"no page makes it panic or fail": subject(func(_ context.Context, p *amble.Page, _ func(amble.Finding)) error {
			_ = p.Meta.Title // nil on a page without metadata
			return nil
		}),
		"only declared rules are reported, on the page at hand": subject(func(_ context.Context, _ *amble.Page, report func(amble.Finding)) error {
			report(amble.Finding{Rule: "other", URL: "https://elsewhere.test/"})
			return nil
		}),
		"the same page gives the same findings": subject(func(_ context.Context, _ *amble.Page, report func(amble.Finding)) error {
			if calls.Add(1)%2 == 0 {
				report(amble.Finding{Rule: "r"})
			}
			return nil
		}),
		"it is safe for concurrent use": func() analyzerSubject {
			var inside atomic.Int64 // stands in for a shared buffer, without being a race
			return subject(func(_ context.Context, _ *amble.Page, report func(amble.Finding)) error {
				if inside.Add(1) > 1 {
					report(amble.Finding{Rule: "r"})
				}
				time.Sleep(10 * time.Millisecond)
				inside.Add(-1)
				return nil
			})
		}(),
		"an ended context ends the work": subject(func(ctx context.Context, _ *amble.Page, _ func(amble.Finding)) error {
			if ctx.Err() != nil {
				panic("stopped in the middle")
			}
			return nil
		}),
		"the page and its body are not kept": subject(func(_ context.Context, p *amble.Page, _ func(amble.Finding)) error {
			kept = append(kept, p)
			return nil
		}),
		"findings do not share the body's memory": subject(func(_ context.Context, p *amble.Page, report func(amble.Finding)) error {
			b := p.Response.Body
			report(amble.Finding{Rule: "r", Snippet: unsafe.String(unsafe.SliceData(b), len(b))})
			return nil
		}),
	})
}

// emptyTitles has a finding with a line for each empty h1, and one without for an empty title.
var emptyTitles = analyzerFunc{
	rules: func() []amble.Rule {
		return []amble.Rule{{ID: "h1-empty", Title: "No heading is empty"}, {ID: "title-empty", Title: "The title is not empty"}}
	},
	fn: func(_ context.Context, p *amble.Page, report func(amble.Finding)) error {
		for i, line := range strings.Split(string(p.Response.Body), "\n") {
			if strings.Contains(line, "<h1></h1>") {
				report(amble.Finding{Rule: "h1-empty", Line: i + 1})
			}
		}
		if p.Meta.Title == "" {
			report(amble.Finding{Rule: "title-empty"})
		} else {
			report(amble.Finding{Rule: "title-empty", Result: amble.Passed})
		}
		return nil
	},
}

func TestExpectReadsWhatThePagesWant(t *testing.T) {
	Expect(t, emptyTitles, fstest.MapFS{
		"good.html":  {Data: []byte("<!doctype html>\n<title>x</title>\n<h1>x</h1>\n")},
		"bad.html":   {Data: []byte("<!doctype html><!-- want \"title-empty\" -->\n<h1>x</h1>\n<h1></h1> <!-- want \"h1-empty\" -->\n")},
		"named.html": {Data: []byte("<!doctype html>\n<title>x</title><!-- want passed \"title-empty\" -->\n")},
		"notes.txt":  {Data: []byte("<h1></h1>")},
	})
}

func TestExpectSaysWhatDiffers(t *testing.T) {
	for name, page := range map[string]string{
		"unexpected":     "<!doctype html>\n<title>x</title>\n<h1></h1>\n",
		"missing":        "<!doctype html>\n<title>x</title>\n<h1>x</h1><!-- want \"h1-empty\" -->\n",
		"another line":   "<!doctype html>\n<title>x</title><!-- want \"h1-empty\" -->\n<h1></h1>\n",
		"another result": "<!doctype html>\n<title>x</title><!-- want cantTell \"title-empty\" -->\n",
		"no rule":        "<!doctype html>\n<title>x</title><!-- want title-empty -->\n",
		"no result":      "<!doctype html>\n<title>x</title><!-- want maybe \"title-empty\" -->\n",
	} {
		t.Run(name, func(t *testing.T) {
			wantFails(t, func(w testing.TB) { Expect(w, emptyTitles, fstest.MapFS{"p.html": {Data: []byte(page)}}) })
		})
	}
	wantFails(t, func(w testing.TB) { Expect(w, emptyTitles, fstest.MapFS{}) })
}
