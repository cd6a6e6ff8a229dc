package conformance

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/amblecrawl/amble/analyze/a11y"
)

//go:embed texts.json
var textsJSON []byte

// texts are all words, by key and language.
var texts = sync.OnceValue(func() map[string]map[string]string {
	var m map[string]map[string]string
	if err := json.Unmarshal(textsJSON, &m); err != nil {
		return nil // TestTexts proves that it cannot happen
	}
	return m
})

// say returns a text in a language, in English when it is not written in it.
func say(lang, key string) string {
	if t := texts()[key][lang]; t != "" {
		return t
	}
	return texts()[key]["en"]
}

// titles are what rules ask for, in a language.
func titles(ids []string, lang string) string {
	var out []string
	for _, r := range a11y.Rules() {
		for _, id := range ids {
			if r.ID == id {
				out = append(out, r.Text(lang).Title)
			}
		}
	}
	return strings.Join(out, "; ")
}

// WriteMarkdown writes the rows by success criterion as a table for people, in one of the five languages: criterion,
// level, what is known, how much of it the rules judge, and what failed.
func (t *Table) WriteMarkdown(w io.Writer, lang string) error {
	out := &writer{w: w}
	out.head(t, "WCAG 2.2", lang, "level")
	for _, r := range t.Rows {
		out.line(r.Criterion.Number+" "+r.Criterion.Title(lang), r.Criterion.Level, say(lang, "status."+r.Status.String()), say(lang, "coverage.short."+r.Coverage.String()), titles(r.Failing, lang))
	}
	out.print("\n%s\n", say(lang, "honest"))
	return out.err
}

// WriteStandard writes the rows of a catalogue in the same way.
func (t *Table) WriteStandard(w io.Writer, s Standard, lang string) error {
	out := &writer{w: w}
	out.head(t, s.Name, lang, "criteria")
	for _, r := range t.Standard(s) {
		out.line(r.Number, strings.Join(r.Criteria, ", "), say(lang, "status."+r.Status.String()), say(lang, "coverage.short."+r.Coverage.String()), titles(r.Failing, lang))
	}
	out.print("\n%s\n", say(lang, "honest"))
	return out.err
}

// writer keeps the first error.
type writer struct {
	w   io.Writer
	err error
}

func (w *writer) print(format string, args ...any) {
	if w.err == nil {
		_, w.err = fmt.Fprintf(w.w, format, args...)
	}
}

func (w *writer) head(t *Table, title, lang, second string) {
	w.print("# %s\n\n%s\n\n", title, fmt.Sprintf(say(lang, "acr.methods"), t.Pages, t.Rendered))
	w.line(say(lang, "column.criterion"), say(lang, "column."+second), say(lang, "column.status"), say(lang, "column.coverage"), say(lang, "column.failing"))
	w.print("|---|---|---|---|---|\n")
}

func (w *writer) line(cells ...string) {
	for i, c := range cells {
		cells[i] = strings.ReplaceAll(strings.ReplaceAll(c, "|", `\|`), "\n", " ")
	}
	w.print("| %s |\n", strings.Join(cells, " | "))
}
