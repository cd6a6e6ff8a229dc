package httpfield

import (
	"math"
	"time"
)

// maxSeconds is the most whole seconds that a time.Duration holds, about 292 years.
const maxSeconds = math.MaxInt64 / int64(time.Second)

// RetryAfter reads the lines of a Retry-After field (RFC 9110 section 10.2.3): how long to wait from now. A date in
// the past is no wait; a wait that no time.Duration can hold is the longest one. The field should stand once; of
// several usable lines the longest wait counts, so that no line can shorten another's. ok is false when no line is
// usable. What to make of a wait, its floor and its ceiling, is the caller's business.
func RetryAfter(lines []string, now time.Time) (wait time.Duration, ok bool) {
	for _, line := range lines {
		w, usable := deltaSeconds(trimOWS(line))
		if !usable {
			var until time.Time
			if until, usable = Date(line, now); usable {
				w = max(0, until.Sub(now)) // Sub clamps
			}
		}
		if usable {
			wait, ok = max(wait, w), true
		}
	}
	return wait, ok
}

// deltaSeconds reads 1*DIGIT as seconds; what is too long for a time.Duration is the longest one.
func deltaSeconds(s string) (d time.Duration, ok bool) {
	if s == "" {
		return 0, false
	}
	var n int64
	for _, c := range []byte(s) {
		if c < '0' || c > '9' {
			return 0, false
		}
		if n <= maxSeconds {
			n = n*10 + int64(c-'0')
		}
	}
	if n > maxSeconds {
		return math.MaxInt64, true
	}
	return time.Duration(n) * time.Second, true
}
