package amble_test

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/amblecrawl/amble"
)

// A limiter paces each server, and says what to do when a server refuses.
func ExampleServerLimiter() {
	limiter := &amble.ServerLimiter{
		Pace:        2 * time.Second,
		Concurrency: 1,
		Backoff:     amble.Backoff{Floor: time.Second, Ceiling: time.Minute, Jitter: -1},
	}
	ask := amble.Ask{Origin: "https://example.com"}
	release, err := limiter.Acquire(context.Background(), ask)
	if err != nil {
		fmt.Println(err)
		return
	}
	advice := release(amble.Feedback{Status: http.StatusTooManyRequests, Header: http.Header{"Retry-After": {"20"}}})
	fmt.Println(advice.Retry, advice.Wait.Round(time.Second))

	state, _ := limiter.Server("https://example.com")
	fmt.Println(state.Slowed, state.Refusals, state.Pace)
	// Output:
	// true 20s
	// true 1 4s
}
