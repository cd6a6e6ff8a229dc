package sitemapxml

import (
	"strings"
	"time"
)

// parseW3C reads a datetime of the W3C profile of ISO 8601 (https://www.w3.org/TR/NOTE-datetime) strictly, in its six
// forms. zoned is false for the forms without a time, which name no time zone either; they are read as the start of the
// year, month or day in UTC.
func parseW3C(s string) (t time.Time, zoned, ok bool) {
	form := ""
	switch {
	case len(s) == len("2006"):
		form = "2006"
	case len(s) == len("2006-01"):
		form = "2006-01"
	case len(s) == len("2006-01-02"):
		form = "2006-01-02"
	// Go takes an hour of one digit and a comma before the fraction, which the profile does not.
	case len(s) < len("2006-01-02T15:04Z") || len(s) > 40 || s[13] != ':' || strings.ContainsRune(s, ','):
		return time.Time{}, false, false
	case s[16] == ':':
		form = "2006-01-02T15:04:05Z07:00" // with or without a fraction
	default:
		form = "2006-01-02T15:04Z07:00"
	}
	t, err := time.Parse(form, s)
	if err != nil || !validZone(s) {
		return time.Time{}, false, false
	}
	return t.UTC(), len(s) > len("2006-01-02"), true
}

// validZone holds an offset to 23:59.
func validZone(s string) bool {
	if len(s) <= 10 || s[len(s)-1] == 'Z' {
		return true
	}
	zone := s[len(s)-len("+00:00"):]
	return zone[1:3] < "24" && zone[4:] < "60"
}

// The forms of RFC 822 as RSS feeds use them (RSS 2.0: four digits of the year preferred), the weekday cut off.
var rssForms = [...]string{
	"2 Jan 2006 15:04:05 -0700",
	"2 Jan 2006 15:04:05 MST",
	"2 Jan 2006 15:04 -0700",
	"2 Jan 2006 15:04 MST",
	"2 Jan 06 15:04:05 -0700",
	"2 Jan 06 15:04:05 MST",
	"2 Jan 06 15:04 -0700",
	"2 Jan 06 15:04 MST",
}

// rfc822Zones are the zones of RFC 822 section 5.1, in hours; the military letters are not used by anyone.
var rfc822Zones = map[string]int{"UT": 0, "UTC": 0, "GMT": 0, "Z": 0,
	"EST": -5, "EDT": -4, "CST": -6, "CDT": -5, "MST": -7, "MDT": -6, "PST": -8, "PDT": -7}

// parseRSSDate reads an RFC 822 date; W3C datetimes are accepted too, as many feeds hold them.
func parseRSSDate(s string) (t time.Time, ok bool) {
	if t, _, ok := parseW3C(s); ok {
		return t, true
	}
	if day, rest, found := strings.Cut(s, ","); found {
		if day = strings.TrimSpace(day); len(day) < 3 || !strings.Contains("Mon Tue Wed Thu Fri Sat Sun", day[:3]) {
			return time.Time{}, false
		}
		s = rest
	}
	s = strings.Join(strings.Fields(s), " ")
	if len(s) > 64 {
		return time.Time{}, false
	}
	zone := s[strings.LastIndexByte(s, ' ')+1:]
	hours, named := rfc822Zones[zone]
	if named {
		s = s[:len(s)-len(zone)] + "GMT"
	}
	for _, form := range rssForms {
		if strings.HasSuffix(form, "MST") != named {
			continue
		}
		if t, err := time.Parse(form, s); err == nil {
			return t.UTC().Add(-time.Duration(hours) * time.Hour), true
		}
	}
	return time.Time{}, false
}
