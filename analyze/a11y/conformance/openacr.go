package conformance

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/amblecrawl/amble"
)

// ACR is what a draft of an accessibility conformance report is told beside the findings.
type ACR struct {
	Product string // the site's name; required
	Version string
	Author  Contact // who publishes the report; Email is required
	Vendor  Contact
	Date    time.Time // of the report; zero: none
	// Language of the remarks: "en", "es", "fr", "de", "pt". "": English.
	Language string
}

// Contact is a person or company in a report.
type Contact struct {
	Name    string `json:"name,omitempty"`
	Company string `json:"company_name,omitempty"`
	Email   string `json:"email,omitempty"`
	Website string `json:"website,omitempty"`
}

// The words of OpenACR that a machine may use. It may never say "supports" or "not-applicable".
const (
	PartiallySupports = "partially-supports"
	DoesNotSupport    = "does-not-support"
	NotEvaluated      = "not-evaluated"
)

// Adherence is OpenACR's word for a row, of a site of so many judged pages: does-not-support when more than half of them
// fail, partially-supports when some do, and otherwise not-evaluated: that nothing was found proves nothing.
func (r Row) Adherence(pages int) string {
	switch {
	case r.FailedPages == 0:
		return NotEvaluated
	case 2*r.FailedPages > pages:
		return DoesNotSupport
	}
	return PartiallySupports
}

type acrFile struct {
	Title      string                `json:"title"`
	Product    acrProduct            `json:"product"`
	Author     Contact               `json:"author"`
	Vendor     *Contact              `json:"vendor,omitempty"`
	ReportDate string                `json:"report_date,omitempty"`
	Notes      string                `json:"notes"`
	Methods    string                `json:"evaluation_methods_used"`
	Catalog    string                `json:"catalog"`
	Chapters   map[string]acrChapter `json:"chapters"`
}

type acrProduct struct {
	Name    string `json:"name"`
	Version string `json:"version,omitempty"`
}

type acrChapter struct {
	Criteria []acrCriterion `json:"criteria"`
}

type acrCriterion struct {
	Num        string         `json:"num"`
	Components []acrComponent `json:"components"`
}

type acrComponent struct {
	Name      string       `json:"name"`
	Adherence acrAdherence `json:"adherence"`
}

type acrAdherence struct {
	Level string `json:"level"`
	Notes string `json:"notes"`
}

// acrChapters are OpenACR's names for the levels.
var acrChapters = map[string]string{"A": "success_criteria_level_a", "AA": "success_criteria_level_aa", "AAA": "success_criteria_level_aaa"}

// WriteOpenACR writes a draft of a conformance report by WCAG 2.2 in the form of OpenACR, as JSON, which is YAML too. Each
// criterion says why it is what it is, and that people must judge what is not evaluated before the report is published.
// The error matches amble.ErrConfig when the product or the author's address is missing.
func (t *Table) WriteOpenACR(w io.Writer, a ACR) error {
	if a.Product == "" || a.Author.Email == "" {
		return &amble.Error{Op: "openacr", Kind: amble.ErrConfig, Reason: "OpenACR asks for the product's name and the author's e-mail address: set ACR.Product and ACR.Author.Email"}
	}
	f := acrFile{
		Title: fmt.Sprintf(say(a.Language, "acr.title"), a.Product), Product: acrProduct{a.Product, a.Version}, Author: a.Author,
		Notes: say(a.Language, "acr.draft"), Methods: fmt.Sprintf(say(a.Language, "acr.methods"), t.Pages, t.Rendered),
		Catalog: "2.5-edition-wcag-2.2-en", Chapters: map[string]acrChapter{},
	}
	if a.Vendor != (Contact{}) {
		f.Vendor = &a.Vendor
	}
	if !a.Date.IsZero() {
		f.ReportDate = a.Date.Format(time.DateOnly)
	}
	for _, r := range t.Rows {
		chapter := f.Chapters[acrChapters[r.Criterion.Level]]
		chapter.Criteria = append(chapter.Criteria, acrCriterion{r.Criterion.Number, []acrComponent{{"web", acrAdherence{r.Adherence(t.Pages), t.remark(r, a.Language)}}}})
		f.Chapters[acrChapters[r.Criterion.Level]] = chapter
	}
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	if err := enc.Encode(f); err != nil {
		return fmt.Errorf("openacr: writing the draft: %w", err)
	}
	return nil
}

// remark is why a criterion is what it is.
func (t *Table) remark(r Row, lang string) string {
	var parts []string
	switch r.Status {
	case Failed:
		parts = append(parts, fmt.Sprintf(say(lang, "remark.failed"), r.FailedPages, t.Pages, titles(r.Failing, lang)))
	case Review:
		parts = append(parts, fmt.Sprintf(say(lang, "remark.review"), r.ReviewPages, t.Pages))
	case NothingFound:
		parts = append(parts, say(lang, "remark.nothing"))
	}
	parts = append(parts, say(lang, "coverage."+r.Coverage.String()))
	if r.Coverage != ByPeople && r.Status == NotJudged {
		parts = append(parts, say(lang, "remark.notrun"))
	}
	return strings.Join(parts, " ")
}
