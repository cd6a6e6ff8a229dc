package report

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/text/language"
	"golang.org/x/text/message"
	"golang.org/x/text/number"

	"github.com/amblecrawl/amble/analyze/text"
)

// Languages are those that the reports' own texts are written in.
func Languages() []string { return text.Languages() }

//go:embed texts.json
var textsJSON []byte

// texts maps a key to its text in each of Languages, in that order.
var texts = sync.OnceValue(func() map[string][5]string {
	var m map[string][5]string
	if err := json.Unmarshal(textsJSON, &m); err != nil {
		return nil // TestTexts proves that it cannot happen
	}
	return m
})

// wording says things in one language.
type wording struct {
	lang  string
	index int
	print *message.Printer
}

// words returns the wording of a language: English when the texts are not written in it. A region is ignored: "pt-BR" is
// Portuguese.
func words(lang string) *wording {
	base := lang
	if len(base) > 2 && (base[2] == '-' || base[2] == '_') {
		base = base[:2]
	}
	i := slices.Index(Languages(), base)
	if i < 0 {
		i, base = 0, "en"
	}
	return &wording{base, i, message.NewPrinter(language.Make(base))}
}

// say returns a text; args fill its places %[1]s, %[2]s, ….
func (t *wording) say(key string, args ...any) string {
	s := texts()[key][t.index]
	if s == "" {
		return key
	}
	for i, arg := range args {
		s = strings.ReplaceAll(s, fmt.Sprintf("%%[%d]s", i+1), fmt.Sprint(arg))
	}
	return s
}

func (t *wording) number(n int) string { return t.print.Sprint(number.Decimal(n)) }

// decimal writes a number with at most one digit after the point.
func (t *wording) decimal(f float64) string {
	return t.print.Sprint(number.Decimal(f, number.MaxFractionDigits(1)))
}

func (t *wording) percent(f float64) string {
	return t.print.Sprint(number.Percent(f, number.MaxFractionDigits(0)))
}

func (t *wording) bytes(n int64) string {
	switch {
	case n >= 1e9:
		return t.decimal(float64(n)/1e9) + " GB"
	case n >= 1e6:
		return t.decimal(float64(n)/1e6) + " MB"
	case n >= 1e3:
		return t.decimal(float64(n)/1e3) + " kB"
	}
	return t.number(int(n)) + " B"
}

func (t *wording) duration(d time.Duration) string {
	switch {
	case d >= time.Hour:
		return fmt.Sprintf("%d h %d min", d/time.Hour, d%time.Hour/time.Minute)
	case d >= time.Minute:
		return fmt.Sprintf("%d min %d s", d/time.Minute, d%time.Minute/time.Second)
	}
	return t.decimal(d.Seconds()) + " s"
}

// stamp writes a time in the one form that reads the same in all languages.
func stamp(at time.Time) string { return at.UTC().Format("2006-01-02 15:04:05 UTC") }
