package amble

import (
	"errors"
	"strings"
)

// The errors of a crawl. Each is matched with errors.Is; the *Error around it says which URL, which rule, and what to do.
var (
	// ErrNoIdentity: the Agent lacks a name or an info URL. The crawl does not start.
	ErrNoIdentity = errors.New("no identity")

	// ErrConfig: a field of the Crawler or of one of its parts cannot work. The crawl does not start.
	ErrConfig = errors.New("bad configuration")

	// ErrOutOfScope: the Scope does not let the URL be visited. Nothing was sent.
	ErrOutOfScope = errors.New("out of scope")

	// ErrSwitchedOff: the Switch has turned the site off, before or during the crawl. Reported together with
	// ErrOutOfScope.
	ErrSwitchedOff = errors.New("switched off")

	// ErrDisallowed: robots.txt forbids the URL, or could not be read, which forbids all (RFC 9309 section 2.3.1.4).
	ErrDisallowed = errors.New("disallowed by robots.txt")

	// ErrRobotsUnreachable: robots.txt answered with a server error or not at all (S14, C10). It is reported together
	// with ErrDisallowed.
	ErrRobotsUnreachable = errors.New("robots.txt unreachable")

	// ErrForbiddenAddr: the address guard refused a host, port or address (a private network, for example).
	ErrForbiddenAddr = errors.New("forbidden address")

	// ErrThrottled: the server answered 429, or 503 with Retry-After, and the rules of Backoff end the attempts.
	ErrThrottled = errors.New("throttled by the server")

	// ErrSiteGivenUp: too many pages in a row could not be loaded (S21); nothing more is asked of that server.
	ErrSiteGivenUp = errors.New("site given up")

	// ErrChallenge: the answer is a challenge or block page, not the site's page (S11).
	ErrChallenge = errors.New("blocked by a challenge")

	// ErrTooLarge: the body reached its limit; what was read is kept.
	ErrTooLarge = errors.New("body too large")

	// ErrTruncated: the body ended before its end: the connection broke, or its encoding is damaged.
	ErrTruncated = errors.New("body truncated")

	// ErrNotHTML: the answer is not a page that can be read.
	ErrNotHTML = errors.New("not HTML")

	// ErrBudget: a limit of Budget is reached.
	ErrBudget = errors.New("over budget")

	// ErrTrap: the URL is one of an endless family (a calendar, repeated segments, session ids).
	ErrTrap = errors.New("crawler trap")

	// ErrRedirect: a redirect that leads nowhere: a loop, too many hops, or an unusable Location.
	ErrRedirect = errors.New("bad redirect")

	// ErrBadURL: the URL cannot be parsed, or is not http or https.
	ErrBadURL = errors.New("bad URL")

	// ErrUnreachable: no answer came: the *Error's Err tells whether name look-up, connection, TLS or time failed.
	ErrUnreachable = errors.New("unreachable")

	// ErrProtocol: an answer came that is not HTTP as RFC 9110 has it (status 000, an unasked 101, broken framing).
	ErrProtocol = errors.New("protocol error")

	// ErrTooSoon: the site was scanned too short a time ago (Quota.Between). See TooSoonError.
	ErrTooSoon = errors.New("too soon")

	// ErrUnproved: nobody has proved to run the site, or the proof does not hold any more. The Reason says what is missing.
	ErrUnproved = errors.New("ownership not proved")

	// ErrStore: the Store failed; the crawl ends, since going on would lose pages.
	ErrStore = errors.New("store failed")

	// ErrClosed: a Store or another part was used after Close.
	ErrClosed = errors.New("already closed")

	// ErrNoRecord: the Store knows nothing of that URL or note.
	ErrNoRecord = errors.New("no record")
)

// Error is every error that this package returns about a URL or a setting.
type Error struct {
	Op     string // what was tried: "scope", "robots", "fetch", "store", ...
	URL    string // the URL concerned, or empty
	Kind   error  // one of the errors above; matched by errors.Is
	Reason string // the deciding detail, for a person
	Err    error  // the cause, or nil; matched by errors.Is and errors.As
}

// Error joins operation, URL, kind, reason and cause, leaving out what is empty.
func (e *Error) Error() string {
	parts := make([]string, 0, 5)
	if e.Op != "" {
		parts = append(parts, "amble: "+e.Op)
	} else {
		parts = append(parts, "amble")
	}
	if e.URL != "" {
		parts = append(parts, e.URL)
	}
	if e.Kind != nil {
		parts = append(parts, e.Kind.Error())
	}
	if e.Reason != "" {
		parts = append(parts, e.Reason)
	}
	if e.Err != nil {
		parts = append(parts, e.Err.Error())
	}
	return strings.Join(parts, ": ")
}

// Unwrap returns kind and cause, so that errors.Is and errors.As see both.
func (e *Error) Unwrap() []error {
	out := make([]error, 0, 2)
	if e.Kind != nil {
		out = append(out, e.Kind)
	}
	if e.Err != nil {
		out = append(out, e.Err)
	}
	return out
}
