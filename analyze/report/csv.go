package report

import (
	"encoding/csv"
	"io"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/amblecrawl/amble"
)

// CSV writes a table for spreadsheets (RFC 4180, UTF-8): one row a finding, or one a page. Cells that a spreadsheet would
// take for a formula begin with an apostrophe. It keeps nothing.
type CSV struct {
	out   *csv.Writer
	o     Options
	known map[string]*amble.Rule
	lang  string
	pages bool
	begun bool
	err   error
}

// NewCSV returns a Sink that writes a row for each failure and each finding that a person must judge. Column names and
// rule titles are in the language, and messages as far as Options.Messages knows them.
func NewCSV(w io.Writer, o Options, lang string) *CSV {
	out := csv.NewWriter(w)
	out.UseCRLF = true
	return &CSV{out: out, o: o, known: o.index(), lang: lang}
}

// NewPagesCSV returns a Sink that writes a row for each URL and how it ended.
func NewPagesCSV(w io.Writer, o Options, lang string) *CSV {
	c := NewCSV(w, o, lang)
	c.pages = true
	return c
}

// Page implements Sink.
func (c *CSV) Page(p *amble.Page) error {
	c.begin()
	if c.pages {
		c.page(p)
		return c.err
	}
	for i := range p.Findings {
		c.finding(&p.Findings[i])
	}
	return c.err
}

// End implements Sink.
func (c *CSV) End(s *amble.Summary) error {
	c.begin()
	for i := range s.SiteFindings {
		if !c.pages {
			c.finding(&s.SiteFindings[i])
		}
	}
	c.out.Flush()
	if c.err == nil {
		c.err = c.out.Error()
	}
	return c.err
}

func (c *CSV) begin() {
	if c.begun {
		return
	}
	c.begun = true
	t := words(c.lang)
	columns := []string{"col.rule", "col.title", "col.severity", "col.certainty", "col.result", "col.page", "col.target", "col.selector",
		"col.line", "col.message", "col.snippet", "col.fingerprint"}
	if c.pages {
		columns = []string{"col.page", "col.outcome", "col.reason", "col.status", "col.redirect", "col.points", "col.failures",
			"col.title", "col.description", "col.lang", "col.indexable", "col.depth", "col.referrer", "col.ms", "col.bytes"}
	}
	for i, key := range columns {
		columns[i] = t.say(key)
	}
	c.row(columns)
}

func (c *CSV) page(p *amble.Page) {
	t, r := words(c.lang), pageRecord(p, c.known)
	points, indexable := "", ""
	if r.Points != nil {
		points = strconv.FormatFloat(*r.Points, 'f', -1, 64)
	}
	if r.Indexable != nil {
		indexable = t.say("no")
		if *r.Indexable {
			indexable = t.say("yes")
		}
	}
	c.row([]string{r.URL, t.say("outcome." + r.Outcome), r.Reason, count(r.Status), r.Redirect, points, strconv.Itoa(r.Failures), r.Title,
		r.Description, r.Lang, indexable, strconv.Itoa(r.Depth), r.Referrer, count(int(r.TotalMS)), count(int(r.EncodedBytes))})
}

func (c *CSV) finding(f *amble.Finding) {
	if f.Result != amble.Failed && f.Result != amble.CantTell {
		return
	}
	t := words(c.lang)
	rule := amble.Rule{ID: f.Rule}
	if r := c.known[f.Rule]; r != nil {
		rule = *r
	}
	text, _ := c.o.text(&rule, t.lang)
	c.row([]string{f.Rule, text.Title, t.say("severity." + f.Severity.String()), t.say("certainty." + rule.Certainty.String()),
		t.say("result." + f.Result.String()), f.URL, f.Target, f.Selector, count(f.Line), c.o.message(f.Rule, f.Message, t.lang).Text, f.Snippet, f.Fingerprint})
}

func count(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}

func (c *CSV) row(cells []string) {
	if c.err != nil {
		return
	}
	for i, s := range cells {
		cells[i] = plainCell(strings.ToValidUTF8(s, "\ufffd"))
	}
	c.err = c.out.Write(cells)
}

// unseenRune tells of blanks, controls and marks of format, which a spreadsheet may drop.
func unseenRune(r rune) bool {
	return unicode.IsSpace(r) || unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == utf8.RuneError
}

// plainCell keeps a spreadsheet from running a cell as a formula: those that begin, after blanks and what
// nobody sees, with = + - @ or their full-width forms, and those that begin with a tab or a line break. Plain numbers stay as they are.
func plainCell(s string) string {
	if s == "" {
		return s
	}
	if strings.ContainsRune("\t\r\n\x00", rune(s[0])) {
		return "'" + s
	}
	first, _ := utf8.DecodeRuneInString(strings.TrimLeftFunc(s, unseenRune))
	if strings.ContainsRune("=+-@\uff1d\uff0b\uff0d\uff20", first) {
		if _, err := strconv.ParseFloat(s, 64); err != nil {
			return "'" + s
		}
	}
	return s
}
