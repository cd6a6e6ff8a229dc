package amble

import (
	"context"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"
)

// Origin names a server: scheme, host and port as the URL standard serialises them, "https://example.com" or
// "http://example.com:8080".
type Origin string

// OriginOf returns the origin of an absolute http or https URL.
func OriginOf(u *url.URL) Origin {
	host := u.Host
	if port := u.Port(); u.Scheme == "http" && port == "80" || u.Scheme == "https" && port == "443" {
		host = strings.TrimSuffix(host, ":"+port)
	}
	return Origin(u.Scheme + "://" + strings.ToLower(host))
}

// Limiter decides when a request may start, and hears how it went.
//
// The crawl calls Acquire before every request of any kind, redirect hops, retries, robots.txt and sitemaps included, and
// calls release exactly once afterwards. Calls come from many goroutines at once.
//
// Implementers must
//   - pace starts, not ends: two requests to a server may not start closer together than its pace;
//   - return soon after the context ends, with its error as the cause, however long the wait would be;
//   - let all waiters of a server feel a back-off at once;
//   - keep their memory bounded, whatever the number of servers.
//
// Implementers must not
//   - send anything, or start a goroutine for each waiter that outlives Acquire;
//   - speed up because of an error.
type Limiter interface {
	Acquire(ctx context.Context, ask Ask) (release func(Feedback) Advice, err error)
}

// Forecaster may be implemented by a Limiter to tell when a server could next be asked. The crawl then lets other
// servers go first instead of blocking a worker. Without it, workers simply wait inside Acquire.
type Forecaster interface {
	// Next returns the earliest time at which the request could start, as far as is known now; the zero time or a past one
	// means at once. full says that as many requests are under way as may be, whatever the time. A CrawlDelay in the Ask
	// is taken note of.
	Next(ask Ask) (at time.Time, full bool)
}

// Ask is what a request wants of the Limiter.
type Ask struct {
	Origin Origin
	Kind   Kind
	Cost   int // how many requests it stands for; 0 counts as 1

	// Attempt counts the requests sent for the same thing, from 1; 0 counts as 1. It decides whether another may follow.
	Attempt int

	// CrawlDelay is what robots.txt asks for, or 0. The Limiter raises the pace to it, up to its own ceiling (C9).
	CrawlDelay time.Duration
}

// Feedback is how a request went.
type Feedback struct {
	Status  int           // 0 when no answer came
	Header  http.Header   // of the answer; Retry-After is read from it
	Err     error         // why no answer came, or nil
	Latency time.Duration // from sending to the first byte; 0 when unknown
	Addr    netip.Addr    // who answered; zero when unknown
	Unsent  bool          // the request was never sent, or a cache answered it: it does not count
}

// Advice is what to do after a request.
type Advice struct {
	// Retry: send the request once more. Acquire will make it wait as long as needed (S17).
	Retry bool
	// Wait is how long the server is left alone from now, for reports; Acquire does the waiting.
	Wait time.Duration
	// StopPage: send no further request on behalf of the same page (S18, S19).
	StopPage bool
	// Reason says which rule decided, for a person. Empty when nothing is to be said.
	Reason string
}

// Throttled reports whether an answer says "not now": 429, or 503 with a Retry-After header (S17).
func Throttled(status int, h http.Header) bool {
	return status == http.StatusTooManyRequests || status == http.StatusServiceUnavailable && h.Get("Retry-After") != ""
}
