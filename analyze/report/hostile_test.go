package report

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"net/url"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/net/html"

	"github.com/amblecrawl/amble"
)

// hostile are strings that a site may put into every field of a report.
var hostile = []string{
	`</script><script>alert(1)</script>`, `"><img src=x onerror=alert(1)>`, `--></style></textarea></title><svg/onload=alert(1)>`,
	"javascript:alert(1)", "data:text/html,<script>alert(1)</script>", "\u202e\u2066gnp.exe\u2069", "a\x00b", "\xff\xfe\x80", "\x1b[31m\a\b\x7f\u0085",
	"]]>&lt;&#0;", "=HYPERLINK(\"http://evil.test\")", "\t=1", "\r\n=1", "{{.Secret}}", "${x}`", "\u2028\u2029", "\ufffe\uffff", "https://evil.test/%zz|^[x] y#a#b",
	"\ud7ff\ue000\U0010ffff", "%s%n%!d", strings.Repeat("a\u0301", 500), "https://site.test/" + strings.Repeat("x", 1<<20),
}

// hostileCrawl gives pages with findings in which each hostile string stands in each field.
func hostileCrawl(sinks ...Sink) (*amble.Summary, error) {
	sum := &amble.Summary{}
	for i, s := range hostile {
		p := &amble.Page{URL: s, Outcome: amble.OutcomeAnalysed, Reason: s, Meta: &amble.Meta{Title: s, Description: s, Lang: s},
			Findings: []amble.Finding{{Rule: "image-text", URL: s, Target: s, Selector: s, Snippet: s, Message: s, Line: 1, Severity: amble.Serious, Fingerprint: s,
				Evidence: map[string]string{s: s}}, {Rule: s, URL: s, Message: s, Result: amble.CantTell}}}
		if i%3 == 2 {
			p.Outcome, p.Meta, p.Findings = amble.OutcomeBlocked, nil, nil
		}
		for _, sink := range sinks {
			if err := sink.Page(p); err != nil {
				return nil, err
			}
		}
		sum.SiteFindings = append(sum.SiteFindings, amble.Finding{Rule: "answers", URL: s, Target: s, Message: s, Severity: amble.Serious})
	}
	for _, sink := range sinks {
		if err := sink.End(sum); err != nil {
			return nil, err
		}
	}
	return sum, nil
}

// TestHostileStrings: whatever a site says, every report stays well-formed, holds no code, and can be read back.
func TestHostileStrings(t *testing.T) {
	o := Options{Agent: amble.Agent{Name: "ExampleAudit", InfoURL: "https://example.com/crawler"}, Rules: fixedRules{}.Rules()}
	var lines, table, pages, sarif, page, junit bytes.Buffer
	c := NewCollector(o)
	if _, err := hostileCrawl(c, NewJSONL(&lines, o), NewCSV(&table, o, "en"), NewPagesCSV(&pages, o, "en"), NewSARIF(&sarif, o, "en")); err != nil {
		t.Fatal(err)
	}
	if err := c.WriteHTML(&page, "en"); err != nil {
		t.Fatal(err)
	}
	if err := c.WriteJUnit(&junit, "en", amble.Warning); err != nil {
		t.Fatal(err)
	}
	for name, b := range map[string]*bytes.Buffer{"JSONL": &lines, "CSV": &table, "pages": &pages, "SARIF": &sarif, "HTML": &page, "JUnit": &junit} {
		t.Log(name, b.Len())
		if !utf8.Valid(b.Bytes()) {
			t.Errorf("%s is not UTF-8", name)
		}
	}

	root, err := html.Parse(bytes.NewReader(page.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	for n := range root.Descendants() {
		if n.Type == html.ElementNode && (n.Data == "script" || n.Data == "textarea") {
			t.Errorf("the HTML report holds a %s element", n.Data)
		}
		for _, a := range n.Attr {
			if strings.HasPrefix(a.Key, "on") || strings.HasPrefix(strings.ToLower(strings.TrimSpace(a.Val)), "javascript:") && a.Key == "href" || a.Key == "href" && strings.HasPrefix(a.Val, "data:text") {
				t.Errorf("the HTML report holds %s=%.80q", a.Key, a.Val)
			}
		}
	}
	if bytes.ContainsRune(page.Bytes(), 0) {
		t.Error("the HTML report holds a NUL")
	}

	for _, b := range []*bytes.Buffer{&table, &pages} {
		rows, err := csv.NewReader(b).ReadAll()
		if err != nil {
			t.Error(err)
		}
		for _, row := range rows {
			for _, cell := range row {
				if plainCell(cell) != cell {
					t.Errorf("the cell %.80q is a formula", cell)
				}
			}
		}
	}

	for dec := xml.NewDecoder(&junit); ; {
		if _, err := dec.Token(); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal("JUnit:", err)
		}
	}

	var log struct {
		Runs []struct {
			Results []struct {
				Locations []struct {
					PhysicalLocation struct{ ArtifactLocation struct{ URI string } }
				}
			}
		}
	}
	if err := json.Unmarshal(sarif.Bytes(), &log); err != nil {
		t.Fatal("SARIF:", err)
	}
	uri := regexp.MustCompile(`^([A-Za-z0-9._~:/?#@!$&'()*+,;=\[\]-]|%[0-9A-Fa-f]{2})*$`) // RFC 3986 appendix A, as far as characters go
	for _, r := range log.Runs[0].Results {
		for _, l := range r.Locations {
			if u := l.PhysicalLocation.ArtifactLocation.URI; !uri.MatchString(u) || strings.Count(u, "#") > 1 {
				t.Errorf("SARIF: %.80q is no URI reference", u)
			}
		}
	}

	text := bytes.Clone(lines.Bytes())
	run, err := ReadRun(&lines)
	if err != nil {
		t.Fatal("JSONL:", err)
	}
	again, err := ReadRun(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(run, again) {
		t.Error("two readings of one run differ")
	}
	d := Compare(run, again)
	if n := len(d.New) + len(d.Fixed); n > 0 {
		t.Errorf("a run compared with itself has %d differences", n)
	}
	if err := d.WriteText(io.Discard, "de"); err != nil {
		t.Error(err)
	}
}

// TestURIReference: what a browser takes for an address becomes a URI reference, and one that is stays.
func TestURIReference(t *testing.T) {
	for in, want := range map[string]string{
		"https://site.test/a%20b?c=d&e#f": "https://site.test/a%20b?c=d&e#f", "http://[::1]:8080": "http://[::1]:8080", "http://[::1]/[a]": "http://[::1]/%5Ba%5D",
		"https://site.test/a b|c^": "https://site.test/a%20b%7Cc%5E", "https://site.test/é\xff\x00": "https://site.test/%C3%A9%FF%00",
		"https://site.test/%zz%": "https://site.test/%25zz%25", "a#b#c": "a#b%23c", "public/index.html": "public/index.html", "": "",
	} {
		got := uriReference(in)
		if got != want {
			t.Errorf("%q became %q, want %q", in, got, want)
		}
		if _, err := url.Parse(got); err != nil {
			t.Errorf("%q became %q: %v", in, got, err)
		}
	}
}

// TestManyFindings: 100,000 findings on one page and on as many pages are written, counted, and kept within bounds.
func TestManyFindings(t *testing.T) {
	o := Options{Rules: fixedRules{}.Rules()}
	var lines, page bytes.Buffer
	c, j := NewCollector(o), NewJSONL(&lines, o)
	sum := &amble.Summary{}
	one := &amble.Page{URL: "https://site.test/", Outcome: amble.OutcomeAnalysed, Meta: &amble.Meta{}}
	for i := range 50_000 {
		one.Findings = append(one.Findings, amble.Finding{Rule: "image-text", URL: one.URL, Selector: fmt.Sprint("#i", i), Message: "The image has no text.", Severity: amble.Serious, Fingerprint: fmt.Sprint("f", i)})
		sum.SiteFindings = append(sum.SiteFindings, amble.Finding{Rule: "answers", URL: one.URL, Target: fmt.Sprint("https://site.test/", i), Severity: amble.Serious, Fingerprint: fmt.Sprint("g", i)})
	}
	for _, s := range []Sink{c, j} {
		if err := s.Page(one); err != nil {
			t.Fatal(err)
		}
		if err := s.End(sum); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.WriteHTML(&page, "en"); err != nil {
		t.Fatal(err)
	}
	if page.Len() > 5<<20 {
		t.Errorf("the HTML report has %d bytes", page.Len())
	}
	if !strings.Contains(page.String(), "50,000") {
		t.Error("the HTML report does not count all findings")
	}
	run, err := ReadRun(&lines)
	if err != nil {
		t.Fatal(err)
	}
	if d := Compare(run, run); len(d.New)+len(d.Fixed) > 0 || len(d.Still) != 100_000 {
		t.Errorf("compared with itself: %d new, %d fixed, %d still", len(d.New), len(d.Fixed), len(d.Still))
	}
}
