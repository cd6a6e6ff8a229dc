package amble

import (
	"context"
	"time"
)

// Observer is told what a crawl does, as it happens: spans, counters and progress lines hang here. Observe is called from
// many goroutines, on the crawl's own way: it must be quick and must not block.
type Observer interface {
	Observe(ctx context.Context, e Event)
}

// EventKind names what happened.
type EventKind uint8

const (
	EventWait     EventKind = iota // a request waits for its turn; Wait says how long it did
	EventRequest                   // a request is sent
	EventResponse                  // an answer came, or Err says why none did
	EventRobots                    // a robots.txt was read; Reason is its state
	EventPage                      // a URL ended; Page is set
	EventThrottle                  // a server asked for less; Wait and Reason are set
	EventGivenUp                   // a site was given up
)

// Event is one thing that happened. Fields that do not apply are zero.
type Event struct {
	Kind    EventKind
	Time    time.Time
	URL     string
	For     Kind // the request's kind
	Status  int
	Bytes   int64
	Wait    time.Duration
	Elapsed time.Duration
	Reason  string
	Err     error
	Page    *Page
}
