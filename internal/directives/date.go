package directives

import (
	"strings"
	"time"
)

// ParseDate reads a date of unavailable_after: RFC 822 (with the four-digit year of RFC 1123), RFC 850, ISO 8601, or
// asctime. A date without a zone is in UTC; without a time, at midnight. The weekday is not checked.
func ParseDate(s string) (time.Time, bool) {
	if len(s) > 100 {
		return time.Time{}, false
	}
	s = strings.Join(strings.FieldsFunc(s, isSpace), " ")
	s = withoutWeekday(s)
	offset := 0
	if strings.ContainsAny(s, ":Tt ") {
		var ok bool
		if s, offset, ok = cutZone(s); !ok {
			return time.Time{}, false
		}
	}
	if len(s) > 10 && (s[10] == 't' || s[10] == ' ') && s[4] == '-' {
		s = s[:10] + "T" + s[11:]
	}
	for _, layout := range layouts {
		if t, err := time.Parse(layout, s); err == nil {
			return t.Add(-time.Duration(offset) * time.Second).UTC(), true
		}
	}
	return time.Time{}, false
}

// layouts are tried in order, on a date without weekday and zone. A fraction of a second is understood by time.Parse.
var layouts = []string{
	"2006-01-02", "2006-01-02T15:04:05", "2006-01-02T15:04", "2006-01-02T15",
	"20060102", "20060102T150405", "20060102T1504", "2006-01",
	"2 Jan 2006 15:04:05", "2 Jan 06 15:04:05", "2 Jan 2006 15:04", "2 Jan 06 15:04", "2 Jan 2006", "2 Jan 06",
	"2-Jan-06 15:04:05", "2-Jan-2006 15:04:05", "2-Jan-06 15:04", "2-Jan-2006 15:04", "2-Jan-06", "2-Jan-2006",
	"2 January 2006 15:04:05", "2 January 2006",
	"Jan 2 15:04:05 2006",
}

// withoutWeekday takes a weekday, short or long, and the comma after it off the front.
func withoutWeekday(s string) string {
	end := strings.IndexAny(s, ", ")
	if end < 3 {
		return s
	}
	word := strings.ToLower(s[:end])
	for d := time.Sunday; d <= time.Saturday; d++ {
		name := strings.ToLower(d.String())
		if word == name || word == name[:3] {
			return strings.TrimLeft(s[end:], ", ")
		}
	}
	return s
}

// zones holds the zone names of RFC 822, and others that are seen and mean one thing only, in hours.
var zones = map[string]int{
	"z": 0, "ut": 0, "utc": 0, "gmt": 0, "est": -5, "edt": -4, "cst": -6, "cdt": -5, "mst": -7, "mdt": -6, "pst": -8, "pdt": -7,
	"wet": 0, "west": 1, "cet": 1, "cest": 2, "eet": 2, "eest": 3, "msk": 3, "jst": 9,
}

// cutZone takes the zone off the end and gives its offset from UTC in seconds. A date without one is in UTC. It fails
// for a zone that is unknown: a guess could be hours wrong.
func cutZone(s string) (rest string, offset int, ok bool) {
	end := len(s)
	for end > 0 && ('a' <= s[end-1]|0x20 && s[end-1]|0x20 <= 'z') {
		end--
	}
	if end < len(s) {
		name := strings.ToLower(s[end:])
		hours, known := zones[name]
		if known {
			return strings.TrimRight(s[:end], " "), hours * 3600, true
		}
		return s, 0, false
	}
	sign := strings.LastIndexAny(s, "+-")
	clock := strings.IndexAny(s, ":Tt")
	if sign < 0 || clock < 0 || sign < clock {
		return s, 0, true
	}
	digits := strings.Replace(s[sign+1:], ":", "", 1)
	if len(digits) == 2 {
		digits += "00"
	}
	t, err := time.Parse("1504", digits)
	if err != nil {
		return s, 0, false
	}
	offset = t.Hour()*3600 + t.Minute()*60
	if s[sign] == '-' {
		offset = -offset
	}
	return strings.TrimRight(s[:sign], " "), offset, true
}
