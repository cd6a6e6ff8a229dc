package robotstxt

import (
	"math"
	"strconv"
	"time"
)

// parseDelay reads a decimal number of seconds: digits with at most one point among or before them. Anything else (a
// sign, an exponent, a unit, a comma) is refused: a guess could be wrong by orders of magnitude. A number too large for
// a Duration gives the largest one.
func parseDelay(value string) (time.Duration, bool) {
	digits, points := 0, 0
	for i := range len(value) {
		switch c := value[i]; {
		case '0' <= c && c <= '9':
			digits++
		case c == '.':
			points++
		default:
			return 0, false
		}
	}
	if digits == 0 || points > 1 {
		return 0, false
	}
	seconds, err := strconv.ParseFloat(value, 64)
	if err != nil || seconds >= math.MaxInt64/float64(time.Second) {
		return math.MaxInt64, true
	}
	return time.Duration(math.Round(seconds * float64(time.Second))), true
}
