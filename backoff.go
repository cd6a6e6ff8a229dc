package amble

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"time"

	"github.com/amblecrawl/amble/internal/httpfield"
)

// Backoff holds, as data, what happens when a server says "not now": 429, or 503 with Retry-After (S17 to S19). Zero
// fields mean the defaults.
type Backoff struct {
	Floor   time.Duration // the shortest wait. Default 3 seconds.
	Default time.Duration // the wait when Retry-After says nothing usable. Default 5 seconds.
	Ceiling time.Duration // the longest wait; a server that asks for more gets no retry. Default 30 seconds.

	// Lengthen is how often the wait is lengthened, by Factor, when requests sent after it are still refused; after that
	// the page at hand asks for nothing more. Default 2; Unlimited: never lengthened, never stopped. Factor: default 2.
	Lengthen int
	Factor   float64

	// Retries is how often one page is asked for again. Default 1; Unlimited means none.
	Retries int

	// Slower multiplies the pace of a server at each back-off; a server without a pace gets SlowPace first. The pace is
	// at most Ceiling. Default 2 and 1 second.
	Slower   float64
	SlowPace time.Duration

	// EarnBack is how many answers in a row, without a refusal, win back one step of a quarter of the pace. Default 10.
	EarnBack int

	// Jitter lengthens each wait by a random part of it, so that many crawlers do not return at once. Never shortens.
	// Default 0.1; negative: none.
	Jitter float64
}

func (b Backoff) withDefaults() Backoff {
	durations := []struct {
		v *time.Duration
		d time.Duration
	}{{&b.Floor, 3 * time.Second}, {&b.Default, 5 * time.Second}, {&b.Ceiling, 30 * time.Second}, {&b.SlowPace, time.Second}}
	for _, f := range durations {
		if *f.v == 0 {
			*f.v = f.d
		}
	}
	ints := []struct {
		v *int
		d int
	}{{&b.Lengthen, 2}, {&b.Retries, 1}, {&b.EarnBack, 10}}
	for _, f := range ints {
		if *f.v == 0 {
			*f.v = f.d
		}
	}
	floats := []struct {
		v *float64
		d float64
	}{{&b.Factor, 2}, {&b.Slower, 2}, {&b.Jitter, 0.1}}
	for _, f := range floats {
		if *f.v == 0 {
			*f.v = f.d
		}
	}
	return b
}

func (b Backoff) validate() error {
	b = b.withDefaults()
	bad := func(format string, args ...any) error {
		return &Error{Op: "backoff", Kind: ErrConfig, Reason: fmt.Sprintf(format, args...)}
	}
	switch {
	case b.Floor < 0 || b.Default < 0 || b.Ceiling < 0 || b.SlowPace < 0:
		return bad("Floor, Default, Ceiling and SlowPace must not be negative")
	case b.Floor > b.Ceiling:
		return bad("Floor %v is over Ceiling %v", b.Floor, b.Ceiling)
	case b.Factor < 1 || b.Slower < 1:
		return bad("Factor and Slower must be at least 1")
	}
	return nil
}

// wait returns how long a refusing server is left alone, before jitter, and whether it asked for more than the ceiling.
// strikes counts the refusals of requests that had been sent after a wait.
func (b Backoff) wait(h http.Header, now time.Time, strikes int) (d time.Duration, over bool) {
	asked, ok := httpfield.RetryAfter(h.Values("Retry-After"), now)
	if !ok {
		asked = min(b.Default, b.Ceiling)
	}
	if asked > b.Ceiling {
		return b.Ceiling, true
	}
	d = max(asked, b.Floor)
	for range min(strikes, max(b.Lengthen, 0)) {
		d = min(time.Duration(float64(d)*b.Factor), b.Ceiling)
	}
	return d, false
}

func (b Backoff) jittered(d time.Duration) time.Duration {
	if b.Jitter <= 0 || d <= 0 {
		return d
	}
	return d + time.Duration(rand.Float64()*b.Jitter*float64(d))
}
