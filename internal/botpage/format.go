package botpage

import (
	"html/template"
	"strconv"
	"strings"
	"time"
)

// format writes numbers and spans of time in one language.
type format struct {
	name             string // of the language, in itself
	decimal, group   string
	ms, s, m, h, d   [2]string // singular and plural
	kilo, mega, giga string
	none             string
}

var formats = map[string]format{
	"en": {name: "English", decimal: ".", group: ",", ms: [2]string{"millisecond", "milliseconds"}, s: [2]string{"second", "seconds"},
		m: [2]string{"minute", "minutes"}, h: [2]string{"hour", "hours"}, d: [2]string{"day", "days"},
		kilo: "KB", mega: "MB", giga: "GB", none: "no limit"},
	"es": {name: "Español", decimal: ",", group: ".", ms: [2]string{"milisegundo", "milisegundos"}, s: [2]string{"segundo", "segundos"},
		m: [2]string{"minuto", "minutos"}, h: [2]string{"hora", "horas"}, d: [2]string{"día", "días"},
		kilo: "kB", mega: "MB", giga: "GB", none: "sin límite"},
	"fr": {name: "Français", decimal: ",", group: "\u202f", ms: [2]string{"milliseconde", "millisecondes"}, s: [2]string{"seconde", "secondes"},
		m: [2]string{"minute", "minutes"}, h: [2]string{"heure", "heures"}, d: [2]string{"jour", "jours"},
		kilo: "ko", mega: "Mo", giga: "Go", none: "sans limite"},
	"de": {name: "Deutsch", decimal: ",", group: ".", ms: [2]string{"Millisekunde", "Millisekunden"}, s: [2]string{"Sekunde", "Sekunden"},
		m: [2]string{"Minute", "Minuten"}, h: [2]string{"Stunde", "Stunden"}, d: [2]string{"Tag", "Tage"},
		kilo: "kB", mega: "MB", giga: "GB", none: "unbegrenzt"},
	"pt": {name: "Português", decimal: ",", group: ".", ms: [2]string{"milissegundo", "milissegundos"}, s: [2]string{"segundo", "segundos"},
		m: [2]string{"minuto", "minutos"}, h: [2]string{"hora", "horas"}, d: [2]string{"dia", "dias"},
		kilo: "kB", mega: "MB", giga: "GB", none: "sem limite"},
}

func (f format) funcs() template.FuncMap {
	return template.FuncMap{"dur": f.duration, "num": f.number, "bytes": f.bytes}
}

// duration writes a span in its largest whole unit.
func (f format) duration(d time.Duration) string {
	if d < 0 {
		return f.none
	}
	for _, unit := range []struct {
		size  time.Duration
		names [2]string
		least time.Duration
	}{{24 * time.Hour, f.d, 48 * time.Hour}, {time.Hour, f.h, time.Hour}, {time.Minute, f.m, time.Minute}, {time.Second, f.s, time.Second}} {
		if d >= unit.least && (d%unit.size == 0 || unit.size == time.Second) {
			return f.count(float64(d)/float64(unit.size), unit.names)
		}
	}
	return f.count(float64(d)/float64(time.Millisecond), f.ms)
}

func (f format) count(n float64, names [2]string) string {
	text := strings.Replace(strconv.FormatFloat(n, 'f', -1, 64), ".", f.decimal, 1)
	if n == 1 {
		return text + "\u00a0" + names[0]
	}
	return text + "\u00a0" + names[1]
}

func (f format) number(n int) string {
	if n < 0 {
		return f.none
	}
	digits := strconv.Itoa(n)
	for i := len(digits) - 3; i > 0 && n >= 10_000; i -= 3 { // four digits are written together in most of the languages
		digits = digits[:i] + f.group + digits[i:]
	}
	return digits
}

func (f format) bytes(n int64) string {
	if n < 0 {
		return f.none
	}
	unit, size := f.kilo, int64(1)<<10
	switch {
	case n >= 1<<30:
		unit, size = f.giga, 1<<30
	case n >= 1<<20:
		unit, size = f.mega, 1<<20
	}
	text := strconv.FormatFloat(float64(n*10/size)/10, 'f', -1, 64)
	return strings.Replace(text, ".", f.decimal, 1) + "\u00a0" + unit
}

// Style is the page's whole style sheet: it loads nothing from anywhere.
const Style = `:root{color-scheme:light dark}
body{margin:0 auto;max-width:44rem;padding:1rem;font:1.0625rem/1.6 system-ui,sans-serif;color:#1a1a1a;background:#fff}
h1{line-height:1.25;font-size:1.75rem}h2{margin-top:2.25rem;line-height:1.3;font-size:1.3rem}h3{font-size:1.0625rem;margin:1.5rem 0 .25rem}
a{color:#0b57a4}a:focus-visible{outline:3px solid;outline-offset:2px}
nav ul{display:flex;flex-wrap:wrap;gap:.25rem 1rem;list-style:none;padding:0;margin:0}nav a,nav span{display:inline-block;padding:.3rem 0}
pre{white-space:pre-wrap;overflow-wrap:anywhere;background:#f1f3f5;border:1px solid #c4cad0;border-radius:.25rem;padding:.6rem .8rem;margin:.5rem 0}
code{font:.95em/1.5 ui-monospace,monospace;overflow-wrap:anywhere}
dl{margin:0}dt{font-weight:600;margin-top:.8rem}dd{margin:0}
@media (prefers-color-scheme:dark){body{color:#e8e8e8;background:#16181a}a{color:#8cc2ff}pre{background:#22262a;border-color:#4a5259}}
`
