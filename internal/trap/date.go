package trap

import (
	"fmt"
	"strings"
	"time"
)

// date is a date found in a URL, and where: the bytes that a family of URLs does not share. Month and day are 0 where
// the URL does not say them.
type date struct {
	year, month, day int
	found            bool
	sure             bool    // it can hardly be anything else
	inPath           span    // bytes of the path
	values           [3]span // bytes of the query that hold the values
}

type span struct{ from, to int }

// after reports whether the whole of the date lies after a time.
func (d date) after(t time.Time) bool {
	if d.year != t.Year() || d.month == 0 {
		return d.year > t.Year()
	}
	if d.month != int(t.Month()) || d.day == 0 {
		return d.month > int(t.Month())
	}
	return d.day > t.Day()
}

func (d date) String() string {
	switch {
	case d.month == 0:
		return fmt.Sprintf("%04d", d.year)
	case d.day == 0:
		return fmt.Sprintf("%04d-%02d", d.year, d.month)
	}
	return fmt.Sprintf("%04d-%02d-%02d", d.year, d.month, d.day)
}

// findDate looks in the query first: a calendar's parameter decides what its page shows.
//
// "/4521/12" may be page 12 of topic 4521, and "x=1&y=2045" a place on a map. What is not certainly a date counts as one
// only between 1900 and the last year given, so that it can lead to no more than a few dates ahead.
func findDate(path, query string, lastYear int) date {
	for _, d := range [...]date{dateInQuery(query), dateInPath(path)} {
		if d.found && (d.sure || 1900 <= d.year && d.year <= lastYear) {
			return d
		}
	}
	return date{}
}

// dateInPath knows "/2031/05", "/2031/05/17", "/2031-05" and "/2031-05-17", also with an extension (".html"). They are
// certain with a day, at the start of the path, and behind a segment that speaks of calendars.
func dateInPath(path string) date {
	for start := 0; start < len(path); {
		if path[start] == '/' {
			start++
			continue
		}
		end := endOfSegment(path, start)
		segment := trimExtension(path[start:end])
		if y, m, day, ok := dashed(segment); ok {
			d := date{year: y, month: m, day: day, found: true, inPath: span{start, start + len(segment)}}
			d.sure = day > 0 || isCalendar(path[:start])
			return d
		}
		if y, ok := number(segment, 4, 4); ok && end < len(path) {
			monthEnd := endOfSegment(path, end+1)
			if m, ok := number(trimExtension(path[end+1:monthEnd]), 2, 2); ok && 1 <= m && m <= 12 {
				d := date{year: y, month: m, found: true, inPath: span{start, monthEnd}}
				if monthEnd < len(path) {
					dayEnd := endOfSegment(path, monthEnd+1)
					if day, ok := number(trimExtension(path[monthEnd+1:dayEnd]), 2, 2); ok && 1 <= day && day <= 31 {
						d.day, d.inPath.to = day, dayEnd
					}
				}
				d.sure = d.day > 0 || start == 1 || isCalendar(path[:start])
				return d
			}
		}
		start = end
	}
	return date{}
}

func isCalendar(path string) bool {
	path = strings.ToLower(path)
	for _, stem := range [...]string{"calend", "kalend", "event", "agenda", "archiv", "termin", "schedul", "month", "veranstalt"} {
		if strings.Contains(path, stem) {
			return true
		}
	}
	return false
}

// dateInQuery knows any value "2031-05" or "2031-05-17" (also with slashes or with a time behind), values "203105" and
// "20310517" of parameters named for a date, and parameters named year, month and day in a few languages. They are
// certain with a day, and where the name says a date in more than one letter.
func dateInQuery(query string) (d date) {
	for p := range parameters(query) {
		value := query[p.value.from:p.value.to]
		kind, long := nameKind(query[p.name.from:p.name.to])
		if y, m, day, ok := dashed(value); ok {
			return date{year: y, month: m, day: day, found: true, sure: day > 0 || kind != "", values: [3]span{p.value}}
		}
		switch kind {
		case "date":
			if y, m, day, ok := compact(value); ok {
				return date{year: y, month: m, day: day, found: true, sure: true, values: [3]span{p.value}}
			}
		case "year":
			if y, ok := number(value, 4, 4); ok {
				d.year, d.found, d.sure, d.values[0] = y, true, long, p.value
			}
		case "month":
			if m, ok := number(value, 1, 2); ok && 1 <= m && m <= 12 {
				d.month, d.values[1] = m, p.value
			}
		case "day":
			if day, ok := number(value, 1, 2); ok && 1 <= day && day <= 31 {
				d.day, d.values[2] = day, p.value
			}
		}
	}
	switch {
	case !d.found, d.month == 0 && !d.sure:
		return date{}
	case d.month == 0:
		d.day, d.values[2] = 0, span{}
	}
	return d
}

// nameKind tells what a parameter's name says of its value, and whether in more than one letter. Of a name in parts ("cal_year", "tribe-bar-date",
// "filter[month]") the last part counts.
func nameKind(name string) (kind string, long bool) {
	name = strings.TrimRight(name, "]")
	name = strings.TrimSuffix(strings.TrimSuffix(name, "%5D"), "%5d")
	if i := strings.LastIndexAny(name, "-_[.:"); i >= 0 {
		name = name[i+1:]
	} else if i := max(strings.LastIndex(name, "%5B"), strings.LastIndex(name, "%5b")); i >= 0 {
		name = name[i+3:]
	}
	long = len(name) > 1
	switch {
	case is(name, "year", "yr", "y", "jahr", "ano", "anio", "annee", "anno", "jaar", "rok"):
		return "year", long
	case is(name, "month", "mon", "mo", "m", "monat", "mes", "mois", "mese", "maand"):
		return "month", long
	case is(name, "day", "d", "tag", "dia", "jour", "giorno", "dag"):
		return "day", long
	case is(name, "date", "datum", "fecha", "cal", "calendar", "when", "week"):
		return "date", long
	}
	return "", false
}

func is(name string, any ...string) bool {
	for _, a := range any {
		if strings.EqualFold(name, a) {
			return true
		}
	}
	return false
}

// dashed reads "2031-05" and "2031-05-17", with "-", "/" or "%2F", and drops a time behind a T, a space or "+".
func dashed(s string) (year, month, day int, ok bool) {
	if len(s) < 6 || s[4] != '-' && s[4] != '/' && s[4] != '%' {
		return 0, 0, 0, false
	}
	separator := s[4:5]
	if separator == "%" {
		if separator = s[4:min(7, len(s))]; !strings.EqualFold(separator, "%2f") {
			return 0, 0, 0, false
		}
	}
	if year, ok = number(s[:4], 4, 4); !ok {
		return 0, 0, 0, false
	}
	first, rest, hasDay := strings.Cut(s[4+len(separator):], separator)
	if month, ok = number(first, 1, 2); !ok || month < 1 || month > 12 {
		return 0, 0, 0, false
	}
	if !hasDay {
		return year, month, 0, true
	}
	if i := strings.IndexAny(rest, "Tt+ %"); i > 0 {
		rest = rest[:i]
	}
	day, ok = number(rest, 1, 2)
	return year, month, day, ok && 1 <= day && day <= 31
}

// compact reads "203105" and "20310517".
func compact(s string) (year, month, day int, ok bool) {
	if _, ok = number(s, 6, 8); !ok || len(s) == 7 {
		return 0, 0, 0, false
	}
	year, _ = number(s[:4], 4, 4)
	month, _ = number(s[4:6], 2, 2)
	if month < 1 || month > 12 {
		return 0, 0, 0, false
	}
	if len(s) == 6 {
		return year, month, 0, true
	}
	day, _ = number(s[6:], 2, 2)
	return year, month, day, 1 <= day && day <= 31
}

// number reads a decimal number of so many digits.
func number(s string, least, most int) (int, bool) {
	if len(s) < least || len(s) > most {
		return 0, false
	}
	n := 0
	for i := 0; i < len(s); i++ {
		if s[i] < '0' || s[i] > '9' {
			return 0, false
		}
		n = n*10 + int(s[i]-'0')
	}
	return n, true
}

func endOfSegment(path string, start int) int {
	if start > len(path) {
		return len(path)
	}
	if i := strings.IndexByte(path[start:], '/'); i >= 0 {
		return start + i
	}
	return len(path)
}

func trimExtension(segment string) string {
	if i := strings.LastIndexByte(segment, '.'); i > 0 && len(segment)-i <= 6 {
		return segment[:i]
	}
	return segment
}
