package amble

import (
	"context"
	"fmt"
	"net/url"
	"time"
)

// RobotsPolicy decides whether robots.txt lets a URL be fetched.
//
// The crawl asks before every request except those for robots.txt itself, again for every redirect hop and retry, from
// many goroutines at once.
//
// Implementers must
//   - fetch only through via, the crawl's own way out, so that limiter and address guard hold for robots.txt too;
//   - return within the context;
//   - answer with a Verdict whenever a decision exists, also a refusal; the error is for a context that ended or a policy
//     that cannot work at all;
//   - treat a robots.txt that cannot be read as a refusal, never as permission (RFC 9309 section 2.3.1.4, S14).
//
// Implementers must not ask for the page itself, or keep a failure as if it were rules.
type RobotsPolicy interface {
	Check(ctx context.Context, u *url.URL, via Fetcher) (Verdict, error)
}

// RobotsState is what became of a server's robots.txt: a closed set.
type RobotsState uint8

const (
	// RobotsRules: a file was read and its rules apply (2xx).
	RobotsRules RobotsState = iota + 1
	// RobotsNone: there is no such file (4xx): nothing is restricted.
	RobotsNone
	// RobotsUnreachable: server error, throttled until the end, or no answer: nothing may be fetched.
	RobotsUnreachable
	// RobotsRefused: we were kept from reading it: the address guard or a loop of redirects. Nothing may be fetched.
	RobotsRefused
	robotsStateCount
)

var robotsStateNames = [robotsStateCount]string{"", "rules", "none", "unreachable", "refused"}

// String returns the state's stable name.
func (s RobotsState) String() string {
	if s < robotsStateCount {
		return robotsStateNames[s]
	}
	return "unknown"
}

// MarshalText writes the name.
func (s RobotsState) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// Verdict is the answer of a RobotsPolicy, with the line that decided it.
type Verdict struct {
	Allowed bool
	State   RobotsState
	Robots  string        // URL of the robots.txt that was asked
	Token   string        // our product token whose group decided; "*" for the general group; empty when none did
	Group   string        // the user-agent line of that group, as written
	Rule    string        // the deciding rule as written ("Disallow: /carrito/"); empty when none matched
	Line    int           // its line number, from 1; 0 when none matched
	Delay   time.Duration // Crawl-delay of the groups that apply, the longest; 0 when none
	Fetched time.Time     // when that file was read
	Err     error         // why it is unreachable or refused
}

// Why says the verdict in words: the deciding line, or what became of the file.
func (v *Verdict) Why() string {
	switch {
	case v.State == RobotsUnreachable:
		return "robots.txt could not be read, so nothing may be fetched"
	case v.State == RobotsRefused:
		return "robots.txt leads where we may not go, so nothing may be fetched"
	case v.State == RobotsNone:
		return "there is no robots.txt"
	case v.Line > 0:
		return fmt.Sprintf("robots.txt line %d: %s (user-agent: %s)", v.Line, v.Rule, v.Group)
	case v.Token == "":
		return "robots.txt has no group for us"
	}
	return "no rule of robots.txt matches (user-agent: " + v.Group + ")"
}
