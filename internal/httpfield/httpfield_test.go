package httpfield

import (
	"encoding/json"
	"math"
	"net/http"
	"testing"
	"time"

	"github.com/amblecrawl/amble/internal/cases"
)

var now = time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)

func TestRetryAfterCases(t *testing.T) {
	var set struct {
		Now   time.Time
		Cases []struct {
			ID      string
			Headers []string
			Wait    *float64          `json:"wait_s"`
			AlsoOK  []json.RawMessage `json:"also_ok"`
		}
	}
	cases.JSON(t, "seo/retry-after-cases.json", &set)
	tally := cases.NewTally("retry-after")
	for _, c := range set.Cases {
		wait, ok := RetryAfter(c.Headers, set.Now)
		right := matches(wait, ok, c.Wait)
		for _, also := range c.AlsoOK {
			var seconds *float64
			if string(also) == `"clamp"` {
				right = right || ok && wait == math.MaxInt64
			} else if err := json.Unmarshal(also, &seconds); err == nil {
				right = right || matches(wait, ok, seconds)
			}
		}
		if !right {
			t.Logf("%s: %q gave %v, %t", c.ID, c.Headers, wait, ok)
		}
		tally.Add(c.ID, right)
	}
	tally.Close(t, nil)
}

// matches compares a wait with one in seconds, which may be longer than any Duration; nil is none.
func matches(wait time.Duration, ok bool, want *float64) bool {
	switch {
	case want == nil:
		return !ok
	case *want > float64(maxSeconds):
		return ok && wait == math.MaxInt64
	}
	return ok && wait == time.Duration(*want*float64(time.Second))
}

func TestDate(t *testing.T) {
	tests := []struct {
		rule, value, want string // want "" is no date
	}{
		{"IMF-fixdate", "Mon, 01 Jun 2026 12:02:00 GMT", "2026-06-01T12:02:00Z"},
		{"IMF-fixdate with a day of one digit is none", "Mon, 1 Jun 2026 12:02:00 GMT", ""},
		{"a wrong weekday is forgiven", "Fri, 01 Jun 2026 12:02:00 GMT", "2026-06-01T12:02:00Z"},
		{"a weekday in lower case is not", "mon, 01 Jun 2026 12:02:00 GMT", ""},
		{"a month in capitals is not", "Mon, 01 JUN 2026 12:02:00 GMT", ""},
		{"a zone other than GMT", "Mon, 01 Jun 2026 12:02:00 +0000", ""},
		{"no zone", "Mon, 01 Jun 2026 12:02:00", ""},
		{"a day that does not exist", "Mon, 31 Jun 2026 12:02:00 GMT", ""},
		{"hour 24", "Mon, 01 Jun 2026 24:00:00 GMT", ""},
		{"a fraction", "Mon, 01 Jun 2026 12:02:00.5 GMT", ""},
		{"leap second", "Mon, 01 Jun 2026 23:59:60 GMT", "2026-06-02T00:00:00Z"},
		{"RFC 850", "Monday, 01-Jun-26 12:02:00 GMT", "2026-06-01T12:02:00Z"},
		{"RFC 850, 50 years ahead at most", "Monday, 01-Jun-76 11:00:00 GMT", "2076-06-01T11:00:00Z"},
		{"RFC 850, more than 50 years ahead is the past", "Monday, 01-Jun-76 13:00:00 GMT", "1976-06-01T13:00:00Z"},
		{"RFC 850, last century", "Sunday, 06-Nov-94 08:49:37 GMT", "1994-11-06T08:49:37Z"},
		{"asctime", "Mon Jun  1 12:02:00 2026", "2026-06-01T12:02:00Z"},
		{"asctime with two digits", "Mon Jun 01 12:02:00 2026", "2026-06-01T12:02:00Z"},
		{"asctime with one blank", "Mon Jun 1 12:02:00 2026", ""},
		{"blanks around", " \tMon, 01 Jun 2026 12:02:00 GMT ", "2026-06-01T12:02:00Z"},
		{"empty", "", ""},
		{"zero", "0", ""},
	}
	for _, test := range tests {
		got := ""
		if d, ok := Date(test.value, now); ok {
			got = d.Format(time.RFC3339)
		}
		if got != test.want {
			t.Errorf("%s: Date(%q) = %q, want %q", test.rule, test.value, got, test.want)
		}
	}
}

func TestRetryAfter(t *testing.T) {
	tests := []struct {
		rule  string
		lines []string
		wait  time.Duration
		ok    bool
	}{
		{"no line", nil, 0, false},
		{"the longer of two lines, first", []string{"120", "60"}, 2 * time.Minute, true},
		{"the longer of two lines, last", []string{"60", "120"}, 2 * time.Minute, true},
		{"seconds and a date", []string{"60", "Mon, 01 Jun 2026 12:02:00 GMT"}, 2 * time.Minute, true},
		{"a line of junk does not hide the next", []string{"soon", "90"}, 90 * time.Second, true},
		{"the most seconds that fit", []string{"9223372036"}, 9223372036 * time.Second, true},
		{"one second more is clamped", []string{"9223372037"}, math.MaxInt64, true},
		{"64 bits are clamped", []string{"18446744073709551617"}, math.MaxInt64, true},
		{"leading zeros", []string{"0000000000000000000000000000005"}, 5 * time.Second, true},
		{"full-width digits", []string{"１２０"}, 0, false},
		{"a date far ahead is clamped", []string{"Fri, 31 Dec 9999 23:59:59 GMT"}, math.MaxInt64, true},
		{"a date long past", []string{"Sun, 06 Nov 1994 08:49:37 GMT"}, 0, true},
		{"a no-break space is no blank", []string{"\u00a05"}, 0, false},
	}
	for _, test := range tests {
		if wait, ok := RetryAfter(test.lines, now); wait != test.wait || ok != test.ok {
			t.Errorf("%s: RetryAfter(%q) = %v, %t; want %v, %t", test.rule, test.lines, wait, ok, test.wait, test.ok)
		}
	}
}

func TestParseCacheControl(t *testing.T) {
	tests := []struct {
		rule  string
		lines []string
		want  CacheControl
	}{
		{"none", nil, CacheControl{}},
		{"max-age", []string{"max-age=60"}, CacheControl{MaxAge: time.Minute, HasMaxAge: true}},
		{"names in any case, blanks", []string{"Public , MAX-AGE = 60"}, CacheControl{MaxAge: time.Minute, HasMaxAge: true}},
		{"quoted", []string{`max-age="60"`}, CacheControl{MaxAge: time.Minute, HasMaxAge: true}},
		{"the first of two", []string{"max-age=60, max-age=5"}, CacheControl{MaxAge: time.Minute, HasMaxAge: true}},
		{"several lines", []string{"no-cache", "no-store"}, CacheControl{NoCache: true, NoStore: true}},
		{"negative is stale", []string{"max-age=-1"}, CacheControl{HasMaxAge: true}},
		{"without a value is stale", []string{"max-age"}, CacheControl{HasMaxAge: true}},
		{"a fraction is stale", []string{"max-age=1.5"}, CacheControl{HasMaxAge: true}},
		{"clamped", []string{"max-age=99999999999999999999"}, CacheControl{MaxAge: math.MaxInt64, HasMaxAge: true}},
		{"s-maxage is for shared caches", []string{"s-maxage=60"}, CacheControl{}},
		{"a name inside quotes is no directive", []string{`ext="a, no-store", must-revalidate`}, CacheControl{MustRevalidate: true}},
		{"an escaped quote", []string{`ext="\", no-store", immutable`}, CacheControl{Immutable: true}},
		{"an open quote takes the rest", []string{`ext="a, no-store`}, CacheControl{}},
		{"no-cache with fields", []string{`no-cache="Set-Cookie, X", max-age=60`}, CacheControl{NoCache: true, MaxAge: time.Minute, HasMaxAge: true}},
		{"empty elements", []string{",, ,no-store,"}, CacheControl{NoStore: true}},
	}
	for _, test := range tests {
		if got := ParseCacheControl(test.lines); got != test.want {
			t.Errorf("%s: %q gave %+v, want %+v", test.rule, test.lines, got, test.want)
		}
	}
}

func TestFresh(t *testing.T) {
	const at = "Mon, 01 Jun 2026 12:00:00 GMT"
	tests := []struct {
		rule   string
		header http.Header
		left   time.Duration
		ok     bool
	}{
		{"nothing said", http.Header{"Date": {at}}, 0, false},
		{"max-age before Expires", http.Header{"Cache-Control": {"max-age=60"}, "Expires": {"0"}}, time.Minute, true},
		{"less the age", http.Header{"Cache-Control": {"max-age=60"}, "Age": {"20"}}, 40 * time.Second, true},
		{"never negative", http.Header{"Cache-Control": {"max-age=60"}, "Age": {"90"}}, 0, true},
		{"an Age that is none", http.Header{"Cache-Control": {"max-age=60"}, "Age": {"-5"}}, time.Minute, true},
		{"the first of a list of ages", http.Header{"Cache-Control": {"max-age=60"}, "Age": {"10, 20"}}, 50 * time.Second, true},
		{"an old Date is an age", http.Header{"Cache-Control": {"max-age=60"}, "Date": {"Mon, 01 Jun 2026 11:59:30 GMT"}}, 30 * time.Second, true},
		{"a Date ahead is none", http.Header{"Cache-Control": {"max-age=60"}, "Date": {"Mon, 01 Jun 2026 13:00:00 GMT"}}, time.Minute, true},
		{"Expires against Date", http.Header{"Date": {at}, "Expires": {"Mon, 01 Jun 2026 12:05:00 GMT"}}, 5 * time.Minute, true},
		{"Expires without Date", http.Header{"Expires": {"Mon, 01 Jun 2026 12:05:00 GMT"}}, 5 * time.Minute, true},
		{"Expires: 0", http.Header{"Expires": {"0"}}, 0, true},
		{"no-store", http.Header{"Cache-Control": {"no-store, max-age=60"}}, 0, true},
		{"no-cache", http.Header{"Cache-Control": {"max-age=60", "no-cache"}}, 0, true},
		{"a long max-age does not wrap", http.Header{"Cache-Control": {"max-age=99999999999999999999"}, "Age": {"1"}}, math.MaxInt64 - time.Second, true},
	}
	for _, test := range tests {
		if left, ok := Fresh(test.header, now); left != test.left || ok != test.ok {
			t.Errorf("%s: Fresh = %v, %t; want %v, %t", test.rule, left, ok, test.left, test.ok)
		}
	}
}

func FuzzRetryAfter(f *testing.F) {
	for _, seed := range []string{"120", "-1", "99999999999999999999999", "Mon, 01 Jun 2026 12:02:00 GMT",
		"Monday, 01-Jun-26 12:02:60 GMT", "Mon Jun  1 12:02:00 2026", "1e3", ""} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, line string) {
		wait, ok := RetryAfter([]string{line}, now)
		if wait < 0 || !ok && wait != 0 {
			t.Fatalf("RetryAfter(%q) = %v, %t", line, wait, ok)
		}
		// Another line never shortens a wait.
		if both, ok2 := RetryAfter([]string{line, "7"}, now); !ok2 || both < wait || both < 7*time.Second {
			t.Fatalf("with a second line: %v after %v", both, wait)
		}
	})
}

func FuzzCacheControl(f *testing.F) {
	for _, seed := range []string{"max-age=60", `a="b,c\"", no-store`, "no-cache=\"x", ",,=,=\"", "max-age=\"1\"2"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, line string) {
		c := ParseCacheControl([]string{line})
		if c.MaxAge < 0 || !c.HasMaxAge && c.MaxAge != 0 {
			t.Fatalf("%q gave %+v", line, c)
		}
		if left, _ := Fresh(http.Header{"Cache-Control": {line}, "Age": {line}}, now); left < 0 {
			t.Fatalf("%q: %v left", line, left)
		}
	})
}
