// Package httpfield reads the header fields that tell a crawler when to come back: Retry-After, and what RFC 9111
// says about how long an answer may be kept. The functions are strict: what the grammar does not allow is as if it
// were not there, and no number ever wraps.
package httpfield

import (
	"strings"
	"time"
)

// The three forms of HTTP-date (RFC 9110 section 5.6.7); asctime has two spellings of a day of one digit.
const (
	imfFixdate   = "Mon, 02 Jan 2006 15:04:05 GMT"
	rfc850Date   = "Monday, 02-Jan-06 15:04:05 GMT"
	asctimeDate  = "Mon Jan _2 15:04:05 2006"
	asctimeDate0 = "Mon Jan 02 15:04:05 2006"
)

var dateForms = [...]string{imfFixdate, rfc850Date, asctimeDate, asctimeDate0}

// Date reads an HTTP-date in any of its three forms (RFC 9110 section 5.6.7), in UTC. Names are case-sensitive and
// the zone is GMT. now decides the century of the obsolete two-digit year: a date more than 50 years ahead lies in
// the past. A leap second is the second after. A day of the week that does not fit the date is not held against it.
func Date(value string, now time.Time) (t time.Time, ok bool) {
	s := trimOWS(value)
	if len(s) > len("Wednesday, 02-Jan-06 15:04:05 GMT") {
		return time.Time{}, false
	}
	var leap time.Duration
	if i := strings.Index(s, ":60 "); i >= 0 && i == strings.LastIndexByte(s, ':') {
		s, leap = s[:i]+":59"+s[i+3:], time.Second
	}
	for _, form := range dateForms {
		t, err := time.Parse(form, s)
		if err != nil || !sameButWeekday(t.Format(form), s) {
			continue // time.Parse takes names in any case and days of one digit
		}
		if form == rfc850Date {
			t = century(t, now)
		}
		return t.Add(leap), true
	}
	return time.Time{}, false
}

// sameButWeekday compares what a date is written like with what it should be written like, the weekday aside.
// time.Parse has made sure that the weekday is one, but takes it in any case.
func sameButWeekday(want, got string) bool {
	wantAt, gotAt := strings.IndexAny(want, ", "), strings.IndexAny(got, ", ")
	if gotAt < 0 || want[wantAt:] != got[gotAt:] {
		return false
	}
	for day := time.Sunday; day <= time.Saturday; day++ {
		if name := day.String(); got[:gotAt] == name || got[:gotAt] == name[:3] {
			return true
		}
	}
	return false
}

// century moves a date with a two-digit year into the hundred years that end 50 years from now.
func century(t, now time.Time) time.Time {
	years := now.UTC().Year() - now.UTC().Year()%100 - t.Year() + t.Year()%100
	t = t.AddDate(years, 0, 0)
	if t.After(now.AddDate(50, 0, 0)) {
		return t.AddDate(-100, 0, 0)
	}
	if !t.After(now.AddDate(-50, 0, 0)) {
		return t.AddDate(100, 0, 0)
	}
	return t
}

// trimOWS cuts optional white space (RFC 9110 section 5.6.3): blanks and tabs only.
func trimOWS(s string) string { return strings.Trim(s, " \t") }
