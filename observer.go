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
	EventRequest  EventKind = iota // a request is sent; Wait says how long it waited for its turn
	EventResponse                  // an answer came, or Err says why none did
	EventRobots                    // what became of a server's robots.txt is known, or has changed; Reason is its state
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
