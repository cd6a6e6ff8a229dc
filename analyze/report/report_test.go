package report

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"errors"
	"flag"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"golang.org/x/net/html"

	"github.com/amblecrawl/amble"
	"github.com/amblecrawl/amble/ambletest"
	"github.com/amblecrawl/amble/analyze"
	"github.com/amblecrawl/amble/analyze/a11y"
	"github.com/amblecrawl/amble/analyze/links"
	"github.com/amblecrawl/amble/analyze/seo"
	"github.com/amblecrawl/amble/analyze/tech"
)

var update = flag.Bool("update", false, "write the golden files anew")

// demoSite has a bit of everything: faults, hostile texts, refusals, errors.
func demoSite() *ambletest.Site {
	return ambletest.NewSite().
		Robots("User-agent: *\nDisallow: /private/\nCrawl-delay: 2\n").
		Page("/", `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Home</title><meta name="description" content="d">
<link rel="canonical" href="/"></head><body><main><h1>Home</h1>
<a href="/shop">Shop</a> <a href="/formula">Formula</a> <a href="/old">Old</a> <a href="/gone">Gone</a> <a href="/private/x">Private</a>
<a href="/busy">Busy</a> <a href="/file.pdf">File</a> <a href="/clean">Clean</a></main></body></html>`).
		Page("/clean", `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Clean</title><meta name="description" content="d">
</head><body><main><h1>Clean</h1></main></body></html>`).
		Page("/shop", `<!doctype html><html><head><meta charset="utf-8"><title></title></head><body><main><img src="a.png"><img src="b.png">
<a href="/"></a><h3>Deep</h3></main></body></html>`).
		Page("/formula", `<!doctype html><html lang="jp"><head><meta charset="utf-8"><title>=HYPERLINK("http://evil.test")</title>
<title>&lt;script&gt;alert(1)&lt;/script&gt;</title><meta name="robots" content="noindex"></head><body><main><h1>F</h1></main></body></html>`).
		Redirect("/old", "/clean").
		Status("/gone", 404).
		Serve("/file.pdf", "application/pdf", "%PDF-1.4").
		Refuse("/busy", -1, 429, "5")
}

// fixedRules is an Analyzer of the tests' own: what it finds changes only when the reports do.
type fixedRules struct{}

func (fixedRules) Rules() []amble.Rule {
	return []amble.Rule{
		{ID: "image-text", Title: "Images have a text", Explanation: "Who cannot see it hears nothing.", Fix: "Add alt.", Severity: amble.Critical,
			HelpURL: "https://rules.test/image-text", References: []string{"WCAG 2.2 1.1.1", "WCAG 2.2 1.1.1"}, Needs: amble.NeedTree},
		{ID: "title-empty", Title: "The page has a title", Severity: amble.Serious, Needs: amble.NeedMeta | amble.NeedWhole},
		{ID: "titles", Title: "There is one title", Severity: amble.Warning, Certainty: amble.Doubt, Needs: amble.NeedMeta},
		{ID: "describe", Title: "The page is described", Severity: amble.Notice, Certainty: amble.Opportunity, HelpURL: "not a URL"},
		{ID: "reading-order", Title: "The order makes sense", Severity: amble.Notice},
		{ID: "answers", Title: "Links lead somewhere", Severity: amble.Serious, Needs: amble.NeedErrors | amble.NeedSite},
	}
}

func (fixedRules) Analyze(_ context.Context, p *amble.Page, report func(amble.Finding)) error {
	if p.Meta == nil {
		return nil
	}
	if p.Meta.Title == "" {
		report(amble.Finding{Rule: "title-empty", Message: "The title is empty.", Line: 1})
	}
	if p.Meta.Titles > 1 {
		report(amble.Finding{Rule: "titles", Message: "Two titles.", Snippet: p.Meta.Title})
	}
	if p.Meta.Description == "" {
		report(amble.Finding{Rule: "describe"})
	}
	if strings.HasSuffix(p.URL, "/shop") {
		for i := 1; i < 3; i++ {
			report(amble.Finding{Rule: "image-text", Selector: fmt.Sprintf("main > img:nth-child(%d)", i), Line: 1, Snippet: "<img>",
				Message: "The image has no text.", Evidence: map[string]string{"box": "1,2 3×4"}})
		}
		report(amble.Finding{Rule: "reading-order", Result: amble.CantTell, Selector: "main", Message: "A person must judge."})
	}
	return nil
}

func (fixedRules) Finish(_ context.Context, report func(amble.Finding)) error {
	report(amble.Finding{Rule: "answers", URL: ambletest.Base, Target: ambletest.Base + "gone", Message: "The link leads to 404."})
	return nil
}

type demo struct {
	options Options
	html    *Collector
	summary *amble.Summary
	lines   string
	csv     string
	pages   string
	sarif   string
}

// crawlDemo crawls the demo site in virtual time, so that every file comes out the same.
func crawlDemo(t *testing.T, lang string, analyzers ...amble.Analyzer) (d *demo) {
	synctest.Test(t, func(t *testing.T) {
		c := ambletest.Crawler(t, demoSite())
		c.Workers = 1
		c.Limiter = &amble.ServerLimiter{Backoff: amble.Backoff{Jitter: -1}}
		c.Agent.Version, c.Agent.Contact = "1.2", "crawl@site.test"
		c.Links = &amble.LinkCheck{}
		if c.Analyzers = analyzers; analyzers == nil {
			c.Analyzers = []amble.Analyzer{fixedRules{}}
		}
		d = &demo{options: Options{Agent: c.Agent, Rules: RulesOf(c.Analyzers...), Texts: TextsOf(c.Analyzers...),
			Messages: MessagesOf(c.Analyzers...)}}
		var lines, table, pages, sarif bytes.Buffer
		d.html = NewCollector(d.options)
		writer := NewJSONL(&lines, d.options)
		c.Links.Report = writer.Link
		var err error
		d.summary, err = Each(t.Context(), c, []string{ambletest.Base}, d.html, writer, NewCSV(&table, d.options, lang),
			NewPagesCSV(&pages, d.options, lang), NewSARIF(&sarif, d.options, lang))
		if err != nil {
			t.Fatal(err)
		}
		d.lines, d.csv, d.pages, d.sarif = lines.String(), table.String(), pages.String(), sarif.String()
	})
	return d
}

// TestHTMLIsClean proves that the report, in every language, breaks none of our own accessibility rules and loads nothing.
func TestHTMLIsClean(t *testing.T) {
	d := crawlDemo(t, "de", fixedRules{}, seo.New(amble.Agent{}), tech.New(), &a11y.Analyzer{AssumeVisible: true}, &links.Analyzer{})
	shown := make(map[string][]byte)
	for _, lang := range Languages() {
		var out bytes.Buffer
		if err := d.html.WriteHTML(&out, lang); err != nil {
			t.Fatal(err)
		}
		if lang == "en" || lang == "de" { // the shortest words and the longest
			shown[lang] = out.Bytes()
		}
		if dir := os.Getenv("AMBLE_REPORT_OUT"); dir != "" {
			_ = os.WriteFile(filepath.Join(dir, "demo-"+lang+".html"), out.Bytes(), 0o644)
		}
		checkAccessible(t, lang, out.Bytes())
		checkSelfContained(t, lang, out.Bytes())
	}
	checkInChrome(t, shown)
}

func checkAccessible(t *testing.T, lang string, body []byte) {
	t.Helper()
	rep, err := a11y.CheckHTML(t.Context(), body, "https://report.test/", "text/html; charset=utf-8", nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range rep.Findings {
		if f.Result == amble.Failed {
			t.Errorf("%s: %s %s %s: %s", lang, f.Rule, f.Selector, f.Snippet, f.Message)
		}
	}
}

func checkSelfContained(t *testing.T, lang string, body []byte) {
	t.Helper()
	doc, err := html.Parse(bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	ids, targets := map[string]bool{}, []string{}
	for n := range doc.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		if slices.Contains([]string{"script", "iframe", "object", "embed", "link", "form", "base"}, n.Data) {
			t.Errorf("%s: a %s element", lang, n.Data)
		}
		for _, a := range n.Attr {
			switch {
			case strings.HasPrefix(a.Key, "on"):
				t.Errorf("%s: an attribute %s", lang, a.Key)
			case a.Key == "src" && !strings.HasPrefix(a.Val, "data:image/"), a.Key == "srcset":
				t.Errorf("%s: loads %s", lang, a.Val)
			case a.Key == "href" && strings.HasPrefix(a.Val, "#"):
				targets = append(targets, a.Val[1:])
			case a.Key == "href" && !strings.HasPrefix(a.Val, "http"):
				t.Errorf("%s: a link to %s", lang, a.Val)
			case a.Key == "id":
				ids[a.Val] = true
			}
		}
	}
	for _, id := range targets {
		if !ids[id] {
			t.Errorf("%s: a link to #%s, which is not there", lang, id)
		}
	}
	text := string(body)
	for _, bad := range []string{"ZgotmplZ", "url(", "@import", "%!", "<no value>", "<script>alert"} {
		if strings.Contains(text, bad) {
			t.Errorf("%s: the report holds %q", lang, bad)
		}
	}
}

// TestTextsComplete proves that every text the reports use is written in all five languages, with the same verbs, that
// none is left over, and that every value of every closed set has its word.
func TestTextsComplete(t *testing.T) {
	verbs := regexp.MustCompile(`%\[\d\]s`)
	for key, list := range texts() {
		want := verbs.FindAllString(list[0], -1)
		slices.Sort(want)
		for i, text := range list {
			if strings.TrimSpace(text) == "" {
				t.Errorf("%s is missing in %s", key, Languages()[i])
			}
			got := verbs.FindAllString(text, -1)
			slices.Sort(got)
			if !slices.Equal(got, want) {
				t.Errorf("%s in %s has the verbs %v, want %v", key, Languages()[i], got, want)
			}
		}
	}
	used := map[string]bool{}
	for pattern, files := range map[string]string{`\bt "([a-z0-9A-Z.]+)"`: "*.tmpl", `(?:say|add)\("([a-z0-9A-Z.]+)"`: "*.go", `"(col\.[a-z]+)"`: "csv.go"} {
		paths, _ := filepath.Glob(files)
		for _, path := range paths {
			body, err := os.ReadFile(path)
			if err != nil || strings.HasSuffix(path, "_test.go") {
				continue
			}
			for _, m := range regexp.MustCompile(pattern).FindAllStringSubmatch(string(body), -1) {
				used[m[1]] = true
			}
		}
	}
	set := func(prefix string, name func(int) string, known func(string) bool) {
		for i := 0; name(i) != "unknown"; i++ {
			if n := name(i); n != "" && (known == nil || known(n)) {
				used[prefix+n] = true
			}
		}
	}
	set("outcome.", func(i int) string { return amble.Outcome(i).String() }, nil)
	set("why.", func(i int) string { return amble.Outcome(i).String() }, func(n string) bool { return n != "analysed" })
	set("severity.", func(i int) string { return amble.Severity(i).String() }, nil)
	set("certainty.", func(i int) string { return amble.Certainty(i).String() }, nil)
	set("result.", func(i int) string { return amble.Result(i).String() }, nil)
	set("kind.", func(i int) string { return amble.Kind(i).String() }, nil)
	set("verdict.", func(i int) string { return amble.LinkVerdict(i).String() }, nil)
	set("robots.", func(i int) string { return amble.RobotsState(i).String() }, nil)
	for key := range used {
		if strings.HasSuffix(key, ".") {
			continue // the head of a set
		}
		if _, ok := texts()[key]; !ok {
			t.Errorf("the text %s is used and not written", key)
		}
	}
	for key := range texts() {
		if !used[key] {
			t.Errorf("the text %s is written and not used", key)
		}
	}
}

// TestRuleTextsComplete proves that every rule of every Analyzer of ours is told in every language.
func TestRuleTextsComplete(t *testing.T) {
	for _, a := range []amble.Analyzer{analyze.Metadata(amble.Agent{}), seo.New(amble.Agent{}), tech.New(), &a11y.Analyzer{Rendered: true}, &links.Analyzer{}} {
		say := TextsOf(a)
		for _, r := range a.Rules() {
			for _, lang := range Languages() {
				got, ok := say(r.ID, lang)
				if !ok || got.Title == "" || got.Why == "" || got.Fix == "" {
					t.Errorf("%s is not told in %s: %+v", r.ID, lang, got)
				}
				if english, _ := say(r.ID, "en"); lang != "en" && got == english {
					t.Errorf("%s is told in English only", r.ID)
				}
			}
		}
	}
}

// FuzzReadRun proves that no file makes the reader fail but with an error, and that what it reads can be compared.
func FuzzReadRun(f *testing.F) {
	f.Add(`{"type":"header","schema":"amble-report/1","rules":[{"id":"r","needs":["site"]}]}` + "\n" + `{"type":"page","url":"a","outcome":"analysed"}` +
		"\n" + `{"type":"finding","rule":"r","result":"failed","page":"a","evidence":{"x":"a"}}` + "\n" + `{"type":"summary"}`)
	f.Add(`{"type":"header","schema":"amble-report/1"}` + "\n{}\n" + `{"type":"finding","rule":"r","result":"failed"}`)
	f.Fuzz(func(t *testing.T, in string) {
		run, err := ReadRun(strings.NewReader(in))
		if err != nil {
			return
		}
		if d := Compare(run, run); len(d.New)+len(d.Fixed)+len(d.Unknown) != 0 {
			t.Errorf("a run differs from itself: %+v", d)
		}
	})
}

// FuzzPlainCell proves that no cell is left a formula.
func FuzzPlainCell(f *testing.F) {
	f.Add("=1+1")
	f.Add(" \u3000@x")
	f.Fuzz(func(t *testing.T, in string) {
		if out := plainCell(in); plainCell(out) != out {
			t.Errorf("%q became %q, which is still one", in, out)
		}
	})
}

// TestKinds proves that every kind of request is told.
func TestKinds(t *testing.T) {
	for i := 0; amble.Kind(i).String() != "unknown"; i++ {
		if !slices.Contains(kinds, amble.Kind(i)) {
			t.Errorf("requests of kind %v are not told", amble.Kind(i))
		}
	}
}

// TestSARIF checks what the standard demands of the parts that are written.
func TestSARIF(t *testing.T) {
	var log struct {
		Version string
		Runs    []struct {
			Tool struct {
				Driver struct {
					Name  string
					Rules []struct {
						ID               string
						ShortDescription struct{ Text string }
						Properties       struct{ Tags []string }
					}
				}
			}
			Results []struct {
				RuleID       string
				RuleIndex    *int
				Kind, Level  string
				Message      struct{ Text string }
				Locations    []any
				PartialFinge map[string]string `json:"partialFingerprints"`
			}
			Invocations []struct {
				ExecutionSuccessful        *bool
				ToolExecutionNotifications []any
			}
		}
	}
	if err := json.Unmarshal([]byte(crawlDemo(t, "de").sarif), &log); err != nil {
		t.Fatal(err)
	}
	if log.Version != "2.1.0" || len(log.Runs) != 1 {
		t.Fatalf("version %q, %d runs", log.Version, len(log.Runs))
	}
	run := log.Runs[0]
	if run.Tool.Driver.Name == "" || len(run.Invocations) != 1 || run.Invocations[0].ExecutionSuccessful == nil {
		t.Error("the driver's name or executionSuccessful is missing")
	}
	if len(run.Invocations[0].ToolExecutionNotifications) == 0 {
		t.Error("pages that were not analysed are not told")
	}
	for _, r := range run.Tool.Driver.Rules {
		if r.ID == "" || r.ShortDescription.Text == "" {
			t.Errorf("rule %q lacks id or text", r.ID)
		}
		if len(unique(r.Properties.Tags)) != len(r.Properties.Tags) {
			t.Errorf("rule %s has a tag twice", r.ID)
		}
	}
	if len(run.Results) == 0 {
		t.Fatal("no results")
	}
	for _, r := range run.Results {
		if r.RuleIndex == nil || run.Tool.Driver.Rules[*r.RuleIndex].ID != r.RuleID || r.Message.Text == "" || r.PartialFinge["amble/v1"] == "" {
			t.Errorf("result of %s: index, message or fingerprint", r.RuleID)
		}
		if r.Kind != "fail" && r.Level != "none" { // section 3.27.9
			t.Errorf("kind %s with level %s", r.Kind, r.Level)
		}
	}
}

// TestCSVFormulas proves that no cell is run by a spreadsheet (RFC 4180 form, formula injection).
func TestCSVFormulas(t *testing.T) {
	for in, want := range map[string]string{
		"=1+1": "'=1+1", "+49 30": "'+49 30", "-2+3": "'-2+3", "@SUM(A1)": "'@SUM(A1)", "\t=1": "'\t=1", "\r=1": "'\r=1", " =1": "' =1",
		"\uff1d1": "'\uff1d1", "-12": "-12", "+1.5": "+1.5", "plain": "plain", "": "", "a=b": "a=b", "\u00a0=1": "'\u00a0=1", "-inf(": "'-inf(",
		" \t=1": "' \t=1", "\u200b=1": "'\u200b=1", "\ufeff@x": "'\ufeff@x", "\u202e=1": "'\u202e=1", "\v=1": "'\v=1", "\xff=1": "'\xff=1", "\u2003+x": "'\u2003+x",
	} {
		if got := plainCell(in); got != want {
			t.Errorf("%q became %q, want %q", in, got, want)
		}
	}
	d := crawlDemo(t, "fr")
	for name, table := range map[string]string{"findings": d.csv, "pages": d.pages} {
		if strings.Count(table, "\n") != strings.Count(table, "\r\n") {
			t.Errorf("%s: a line that does not end in CRLF", name)
		}
		rows, err := csv.NewReader(strings.NewReader(table)).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range rows {
			for _, cell := range row {
				if plainCell(cell) != cell {
					t.Errorf("%s: the cell %q is a formula", name, cell)
				}
			}
		}
	}
}

func TestJUnit(t *testing.T) {
	d := crawlDemo(t, "pt")
	var out bytes.Buffer
	if err := d.html.WriteJUnit(&out, "pt", amble.Warning); err != nil {
		t.Fatal(err)
	}
	var suites junitSuites
	if err := xml.Unmarshal(out.Bytes(), &suites); err != nil {
		t.Fatal(err)
	}
	s := suites.Suites[0]
	failed := 0
	for _, c := range s.Cases {
		if c.Failure != nil {
			failed++
		}
	}
	if s.Tests != len(s.Cases) || s.Failures != failed || failed == 0 || s.Skipped != 0 {
		t.Errorf("%d tests, %d failures, %d skipped; counted %d and %d", s.Tests, s.Failures, s.Skipped, len(s.Cases), failed)
	}
}

// TestReadBack proves that JSONL and ReadRun agree, that what is unknown is skipped, and that a cut file is known as such.
func TestReadBack(t *testing.T) {
	d := crawlDemo(t, "en")
	run, err := ReadRun(strings.NewReader(d.lines))
	if err != nil {
		t.Fatal(err)
	}
	if run.Summary == nil || len(run.Pages) != d.summary.URLs() || len(run.Findings) == 0 {
		t.Fatalf("read back %d pages of %d, %d findings", len(run.Pages), d.summary.URLs(), len(run.Findings))
	}
	future := strings.Replace(d.lines, "\n", "\n"+`{"type":"picture","x":1}`+"\n", 1)
	again, err := ReadRun(strings.NewReader(future))
	if err != nil || !reflect.DeepEqual(run, again) {
		t.Errorf("a record of an unknown type disturbs: %v", err)
	}
	cut, err := ReadRun(strings.NewReader(d.lines[:len(d.lines)-20]))
	if err != nil || cut.Summary != nil && cut.Summary.Estimate.Known != 0 {
		t.Errorf("a cut file: %v, %+v", err, cut)
	}
	for _, bad := range []string{"", "{}\n", `{"type":"header","schema":"amble-report/99"}` + "\n", "x"} {
		if _, err := ReadRun(strings.NewReader(bad)); !errors.Is(err, ErrSchema) {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

// TestCollectorIsBounded proves that what is kept depends on the Limits, not on the site.
func TestCollectorIsBounded(t *testing.T) {
	c := NewCollector(Options{Limits: Limits{Places: 3, Pages: 5, Skipped: 2}})
	for i := range 5000 {
		u := fmt.Sprintf("https://site.test/%d", i)
		p := &amble.Page{URL: u, Outcome: amble.OutcomeAnalysed}
		for range 3 {
			p.Findings = append(p.Findings, amble.Finding{Rule: "r", URL: u, Severity: amble.Serious},
				amble.Finding{Rule: "l", URL: u, Target: fmt.Sprintf("https://other.test/%d", i), Severity: amble.Warning})
		}
		_ = c.Page(p)
		_ = c.Page(&amble.Page{URL: u + "?x", Outcome: amble.OutcomeDisallowed, Reason: "robots.txt"})
	}
	_ = c.End(&amble.Summary{})
	r, l := c.rules["r"], c.rules["l"]
	if len(r.places) != 3 || len(l.targets) != 3 || len(l.byTarget) != 3 || len(c.pages) != 5 || len(c.skipped[amble.OutcomeDisallowed].list) != 2 {
		t.Errorf("kept %d places, %d targets, %d pages", len(r.places), len(l.targets), len(c.pages))
	}
	if r.failed != 15000 || r.pages != 5000 || c.skipped[amble.OutcomeDisallowed].count != 5000 {
		t.Errorf("counted %d findings, %d pages", r.failed, r.pages)
	}
}

// TestShots proves that a spot of a screenshot is cut out and outlined, whatever its place, and that nonsense is ignored.
func TestShots(t *testing.T) {
	img := image.NewRGBA(image.Rect(0, 0, 1280, 3000))
	for i := range img.Pix {
		img.Pix[i] = 0xff
	}
	var buf bytes.Buffer
	if err := png.Encode(&buf, img); err != nil {
		t.Fatal(err)
	}
	s := &amble.Snapshot{Viewport: amble.Viewport{Width: 640, Height: 480}, Screenshot: buf.Bytes()} // two pixels a CSS pixel
	p := &picture{snapshot: s}
	for _, box := range []string{"10,20 30×40", "0,0 640×1500", "600,1480 100×100", "-5,-5 20×20"} {
		got := p.spot(box)
		if got == nil {
			t.Fatalf("%s: no picture", box)
		}
		if got.Width > shotWidth || got.Height > shotHeight || !strings.HasPrefix(string(got.Data), "data:image/jpeg;base64,") {
			t.Errorf("%s: %d×%d", box, got.Width, got.Height)
		}
	}
	for _, box := range []string{"", "x", "10,20 0×0", "5000,5000 10×10", "NaN,0 10×10", "1e300,1e300 1e300×1e300"} {
		if got := p.spot(box); got != nil {
			t.Errorf("%q: a picture", box)
		}
	}
	if (&picture{snapshot: &amble.Snapshot{Viewport: s.Viewport, Screenshot: []byte("no picture")}}).spot("1,1 2×2") != nil {
		t.Error("a picture of nothing")
	}
	barred := &picture{snapshot: &amble.Snapshot{Viewport: amble.Viewport{Width: 1295, Height: 800, Scale: 1}, Screenshot: buf.Bytes()}}
	if barred.spot("10,2900 30×40") == nil || barred.scale != 1 {
		t.Errorf("a picture without the scroll bar is stretched by %v", barred.scale)
	}
	out := image.NewRGBA(image.Rect(0, 0, 20, 20))
	outline(out, image.Rect(5, 5, 15, 15), 2, color.White)
	if _, _, _, a := out.At(5, 10).RGBA(); a == 0 {
		t.Error("no line is drawn")
	}
	if _, _, _, a := out.At(10, 10).RGBA(); a != 0 {
		t.Error("the spot is covered")
	}
}

// failingWriter fails after n bytes.
type failingWriter struct{ n int }

func (w *failingWriter) Write(b []byte) (int, error) {
	if w.n -= len(b); w.n < 0 {
		return 0, io.ErrShortWrite
	}
	return len(b), nil
}

// TestSinkErrors proves that a full disk ends the crawl with its own error.
func TestSinkErrors(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := ambletest.Crawler(t, demoSite())
		c.Analyzers = []amble.Analyzer{analyze.Metadata(c.Agent)}
		o := Options{Agent: c.Agent, Rules: RulesOf(c.Analyzers...)}
		for name, sink := range map[string]Sink{"jsonl": NewJSONL(&failingWriter{10}, o), "csv": NewCSV(&failingWriter{10}, o, "en"),
			"sarif": NewSARIF(&failingWriter{10}, o, "en")} {
			if _, err := Each(context.Background(), c, []string{ambletest.Base + "clean"}, sink); !errors.Is(err, io.ErrShortWrite) {
				t.Errorf("%s: %v", name, err)
			}
		}
	})
}

// TestMessagesAreTold proves that what our Analyzers find at a place is told in the language of each report.
func TestMessagesAreTold(t *testing.T) {
	d := crawlDemo(t, "de", seo.New(amble.Agent{}), tech.New(), &a11y.Analyzer{AssumeVisible: true}, &links.Analyzer{})
	run, err := ReadRun(strings.NewReader(d.lines))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range run.Findings {
		for _, lang := range Languages()[1:] {
			if got := d.options.message(f.Rule, f.Message, lang); got.Lang != "" || got.Text == f.Message {
				t.Errorf("%s in %s: %q became %q", f.Rule, lang, f.Message, got.Text)
			}
		}
	}
	if len(run.Findings) < 20 {
		t.Errorf("only %d findings", len(run.Findings))
	}
	var junit bytes.Buffer
	if err := d.html.WriteJUnit(&junit, "de", amble.Warning); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"csv": d.csv, "sarif": d.sarif, "junit": junit.String()} {
		if english := "The html element has no lang"; strings.Contains(text, english) || !strings.Contains(text, "Das html-Element hat") {
			t.Errorf("%s speaks English", name)
		}
	}
}

// TestCriterionNames proves that every success criterion that a rule looks at has its name in every language.
func TestCriterionNames(t *testing.T) {
	names := criterionNames()
	for _, c := range a11y.Criteria() {
		list := names[c.Number]
		for i, name := range list {
			if len(c.Coverage()) > 0 && name == "" {
				t.Errorf("%s has no name in %s", c.Number, Languages()[i])
			}
		}
		if list[0] != "" && list[0] != c.Name {
			t.Errorf("%s is called %q, not %q", c.Number, c.Name, list[0])
		}
	}
	if len(names) == 0 {
		t.Fatal("criteria.json cannot be read")
	}
}

// TestReplay proves that a file gives the same reports as the crawl that wrote it, byte by byte; only pictures are lost.
func TestReplay(t *testing.T) {
	o, pages, links, sum := fixture()
	lines := []byte{}
	write := func(o Options, play func(writer *JSONL, sinks ...Sink)) map[string]string {
		var jsonl, table, list, sarif, junit, html bytes.Buffer
		people, writer := NewCollector(o), NewJSONL(&jsonl, o)
		play(writer, people, writer, NewCSV(&table, o, "fr"), NewPagesCSV(&list, o, "fr"), NewSARIF(&sarif, o, "fr"))
		if err := errors.Join(people.WriteJUnit(&junit, "fr", amble.Serious), people.WriteHTML(&html, "fr")); err != nil {
			t.Fatal(err)
		}
		lines = jsonl.Bytes()
		return map[string]string{"jsonl": jsonl.String(), "csv": table.String(), "pages": list.String(), "sarif": sarif.String(),
			"junit": junit.String(), "html": html.String()}
	}
	first := write(o, func(writer *JSONL, sinks ...Sink) {
		for _, s := range sinks {
			for _, p := range pages {
				if err := s.Page(p); err != nil {
					t.Fatal(err)
				}
			}
		}
		for _, l := range links {
			writer.Link(l)
		}
		for _, s := range sinks {
			if err := s.End(sum); err != nil {
				t.Fatal(err)
			}
		}
	})
	run, err := ReadRun(bytes.NewReader(lines))
	if err != nil {
		t.Fatal(err)
	}
	back := run.Options()
	back.Agent.Contact = o.Agent.Contact
	second := write(back, func(_ *JSONL, sinks ...Sink) {
		if err := run.Replay(sinks...); err != nil {
			t.Fatal(err)
		}
	})
	for name, want := range first {
		if got := second[name]; got != want {
			g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
			for i := range g {
				if i >= len(w) || g[i] != w[i] {
					t.Errorf("%s differs from line %d on:\ngot  %s\nwant %s", name, i+1, g[i], strings.Join(w[min(i, len(w)):min(i+1, len(w))], ""))
					break
				}
			}
		}
	}
	cut := &Run{Header: run.Header}
	people := NewCollector(cut.Options())
	if err := cut.Replay(people); err != nil || people.summary.Ended == "done" {
		t.Errorf("a file that was cut off: %v, %+v", err, people.summary)
	}
}

// TestNeedNames proves that each need has its own name in the schema, and is read back.
func TestNeedNames(t *testing.T) {
	for n, want := range map[amble.Needs]string{amble.NeedMeta: "meta", amble.NeedTree: "tree", amble.NeedRendered: "rendered", amble.NeedWhole: "whole",
		amble.NeedErrors: "errors", amble.NeedSite: "site", amble.NeedResources: "resources", amble.NeedIDs: "ids", amble.NeedLinks: "links"} {
		if got := needNames(n); len(got) != 1 || got[0] != want || needsOf(got) != n {
			t.Errorf("%v is called %v and read as %v, want %s", n, got, needsOf(got), want)
		}
	}
}

// TestSinceInHTML proves that the report tells what is new, what is fixed and what is still there since an earlier run.
func TestSinceInHTML(t *testing.T) {
	read := func(change func(string) string) *Run {
		run, err := ReadRun(strings.NewReader(change(crawlDemo(t, "en").lines)))
		if err != nil {
			t.Fatal(err)
		}
		return run
	}
	after := read(func(s string) string { return s })
	before := read(func(s string) string { return s })
	var gone FindingRecord
	for i, f := range before.Findings {
		if f.Rule == "titles" {
			before.Findings[i].Fingerprint, before.Findings[i].Snippet = "other", "another title"
			gone = before.Findings[i]
		}
	}
	if gone.Rule == "" {
		t.Fatal("the demo has no such finding")
	}
	d := Compare(before, after)
	if len(d.New) != 1 || len(d.Fixed) != 1 || len(d.Still) == 0 {
		t.Fatalf("%d new, %d fixed, %d still", len(d.New), len(d.Fixed), len(d.Still))
	}
	people := NewCollector(after.Options())
	if err := after.Replay(people); err != nil {
		t.Fatal(err)
	}
	people.Since(before, after)
	for _, lang := range Languages() {
		var out bytes.Buffer
		if err := people.WriteHTML(&out, lang); err != nil {
			t.Fatal(err)
		}
		w := words(lang)
		for _, want := range []string{`<h2 id="diff">` + w.say("diff.title"), "<dt>" + w.say("diff.new") + "</dt><dd>1</dd>", "<dt>" + w.say("diff.fixed") + "</dt><dd>1</dd>",
			"<dt>" + w.say("diff.still") + "</dt><dd>" + w.number(len(d.Still)) + "</dd>", "another title"} {
			if !strings.Contains(out.String(), want) {
				t.Errorf("%s: %q is missing", lang, want)
			}
		}
		checkAccessible(t, lang, out.Bytes())
		checkSelfContained(t, lang, out.Bytes())
	}
}
