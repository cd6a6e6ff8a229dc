package amble

import (
	"container/list"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/amblecrawl/amble/internal/httpfield"
	"github.com/amblecrawl/amble/internal/robotstxt"
	"github.com/amblecrawl/amble/internal/urlkey"
)

// RFC9309 is the default RobotsPolicy: one robots.txt for each scheme, host and port, fetched once however many ask at
// the same time, cached, and read as RFC 9309 says. Set Tokens before first use. It is safe for concurrent use and must
// not be copied.
//
//	2xx           the rules in it
//	3xx           followed, across hosts too; the rules stay those of the first host
//	4xx           no restrictions (section 2.3.1.3), but 429
//	429           waited for as the Limiter says, asked once more, then unreachable
//	5xx, no answer, broken off     unreachable: nothing may be fetched (section 2.3.1.4), tried again after Retry
//	a forbidden address, a loop    refused: nothing may be fetched
type RFC9309 struct {
	// Tokens are our product tokens; required. A Crawler fills in its Agent's when it makes the policy itself.
	Tokens []string

	// Google chooses Google's reading where it differs from the standard's: escapes of unreserved characters, and
	// index.html.
	Google bool

	// MinAge and MaxAge bound how long a file is kept; between them the answer's own freshness decides. Defaults 1 minute
	// and 24 hours (section 2.4).
	MinAge, MaxAge time.Duration

	// Retry is how soon a file that could not be read is asked for again. Default 5 minutes.
	Retry time.Duration

	// GoodFor is how long a server must have been unreachable before its last good copy is used again, or, without one,
	// the file counts as absent (section 2.3.1.4). Default 30 days.
	GoodFor time.Duration

	// MaxFiles is how many servers' files are kept. Default 10,000.
	MaxFiles int

	// MaxBytes bounds the memory of the kept files, whose sizes their sites choose: up to 3 MB each. The file in use is
	// kept whatever its size. Default 64 MiB.
	MaxBytes int64

	mu    sync.Mutex
	files map[Origin]*list.Element // of *robotsEntry
	lru   list.List
	bytes int64 // of all entries
}

// robotsEntry is what is known of one server's file.
type robotsEntry struct {
	origin  Origin
	loading chan struct{} // closed when the fetch under way ends; nil when none is
	state   RobotsState
	file    *robotstxt.File    // the last good copy
	cut     bool               // it is longer than what is read
	matcher *robotstxt.Matcher // of file
	err     error
	fetched time.Time
	expires time.Time
	failing time.Time // since when it cannot be read
	bytes   int64     // of file and matcher
}

// maxRobotsHops is how many redirects of robots.txt are followed. The standard asks for at least five.
const maxRobotsHops = 10

// Validate reports settings that cannot work; the error matches ErrConfig.
func (p *RFC9309) Validate() error {
	if len(p.Tokens) == 0 {
		return &Error{Op: "robots", Kind: ErrConfig, Reason: "RFC9309.Tokens is empty; set it to Agent.ProductTokens()"}
	}
	for _, token := range p.Tokens {
		if !isToken(token) {
			return &Error{Op: "robots", Kind: ErrConfig, Reason: fmt.Sprintf("%q is not a product token (a user agent string is none)", token)}
		}
	}
	return nil
}

// Check implements RobotsPolicy.
func (p *RFC9309) Check(ctx context.Context, u *url.URL, via Fetcher) (Verdict, error) {
	if u.Path == "/robots.txt" && u.RawQuery == "" && !u.ForceQuery {
		return Verdict{Allowed: true, State: RobotsNone, Robots: u.String()}, nil
	}
	e, err := p.entry(ctx, u, via)
	if err != nil {
		return Verdict{}, err
	}
	v := Verdict{}
	switch e.state {
	case RobotsRules:
		target := u.RequestURI()
		if strings.HasPrefix(target, "//") { // a path, not another host
			target = "//" + u.Host + target
		}
		v = robotsVerdict(e.matcher, e.file.Mode(), target)
	case RobotsNone:
		v.Allowed = true
	}
	v.State, v.Robots, v.Fetched, v.Err = e.state, robotsURL(u).String(), e.fetched, e.err
	return v, nil
}

// File returns the parsed robots.txt of a URL's server, from the cache or fetched through via. It is nil unless the
// state is RobotsRules.
func (p *RFC9309) File(ctx context.Context, u *url.URL, via Fetcher) (*RobotsFile, RobotsState, error) {
	e, err := p.entry(ctx, u, via)
	if err != nil {
		return nil, 0, err
	}
	if e.state != RobotsRules {
		return nil, e.state, e.err
	}
	return &RobotsFile{e.file, e.cut}, e.state, nil
}

// SitemapLister may be implemented by a RobotsPolicy that knows the Sitemap lines of robots.txt.
type SitemapLister interface {
	// Sitemaps returns the addresses that the server's robots.txt names, resolved, in order.
	Sitemaps(ctx context.Context, u *url.URL, via Fetcher) ([]string, error)
}

// Sitemaps implements SitemapLister.
func (p *RFC9309) Sitemaps(ctx context.Context, u *url.URL, via Fetcher) ([]string, error) {
	file, _, err := p.File(ctx, u, via)
	if err != nil || file == nil {
		return nil, err
	}
	var out []string
	base, err := urlkey.FromNet(robotsURL(u))
	if err != nil {
		return nil, err
	}
	for _, line := range file.Sitemaps() {
		if s, err := urlkey.Resolve(base, line.Value); err == nil && s.Kind() == urlkey.KindHTTP {
			out = append(out, s.String())
		}
	}
	return out, nil
}

// entry returns a copy of the server's entry, fetching the file when it is not known or too old. One caller fetches, the
// others wait, each within its own context.
func (p *RFC9309) entry(ctx context.Context, u *url.URL, via Fetcher) (robotsEntry, error) {
	origin := OriginOf(u)
	for {
		p.mu.Lock()
		e := p.find(origin)
		if !e.expires.IsZero() && time.Now().Before(e.expires) {
			defer p.mu.Unlock()
			return *e, nil
		}
		if e.loading == nil {
			e.loading = make(chan struct{})
			old := *e
			p.mu.Unlock()
			return p.load(ctx, e, old, u, via)
		}
		loading := e.loading
		p.mu.Unlock()
		select {
		case <-loading:
		case <-ctx.Done():
			return robotsEntry{}, ctx.Err()
		}
	}
}

// load fetches the file and keeps what came of it, unless the caller's context ended: that says nothing about the file.
func (p *RFC9309) load(ctx context.Context, e *robotsEntry, old robotsEntry, u *url.URL, via Fetcher) (robotsEntry, error) {
	fresh := old
	fresh.read(p, p.fetch(ctx, robotsURL(u), via))
	p.mu.Lock()
	defer p.mu.Unlock()
	close(e.loading)
	e.loading = nil
	if ctx.Err() != nil && fresh.state != RobotsRules && fresh.state != RobotsNone {
		return robotsEntry{}, ctx.Err()
	}
	fresh.loading = nil
	if fresh.bytes = 0; fresh.matcher != nil {
		fresh.bytes = int64(fresh.matcher.Size())
	}
	p.bytes += fresh.bytes - e.bytes
	*e = fresh
	for p.bytes > defaulted(p.MaxBytes, 64<<20) && p.forget(e) {
	}
	return fresh, nil
}

// find returns the origin's entry, made when new, as the most recently used. The lock is held.
func (p *RFC9309) find(origin Origin) *robotsEntry {
	if el := p.files[origin]; el != nil {
		p.lru.MoveToFront(el)
		return el.Value.(*robotsEntry)
	}
	if p.files == nil {
		p.files = make(map[Origin]*list.Element)
	}
	for len(p.files) >= defaulted(p.MaxFiles, 10_000) && p.forget(nil) {
	}
	e := &robotsEntry{origin: origin}
	p.files[origin] = p.lru.PushFront(e)
	return e
}

// forget drops the file that was not used for longest, but none that is being fetched, and not the one to keep. It
// reports whether there was one. The lock is held.
func (p *RFC9309) forget(keep *robotsEntry) bool {
	for el := p.lru.Back(); el != nil; el = el.Prev() {
		e := el.Value.(*robotsEntry)
		if e.loading != nil || e == keep {
			continue
		}
		delete(p.files, e.origin)
		p.lru.Remove(el)
		p.bytes -= e.bytes
		return true
	}
	return false
}

// robotsAnswer is what a fetch of robots.txt came to.
type robotsAnswer struct {
	state  RobotsState
	body   []byte
	cut    bool // the file is longer than what is read
	header http.Header
	err    error
}

// read takes an answer in.
func (e *robotsEntry) read(p *RFC9309, a robotsAnswer) {
	now := time.Now()
	e.state, e.err, e.fetched = a.state, a.err, now
	switch a.state {
	case RobotsRules:
		mode := robotstxt.RFC9309
		if p.Google {
			mode = robotstxt.Google
		}
		e.file, e.cut = robotstxt.Parse(a.body, mode), a.cut
		e.matcher = e.file.For(p.Tokens...)
		e.failing = time.Time{}
		e.expires = now.Add(p.keep(a.header, now))
	case RobotsNone:
		e.file, e.matcher = nil, nil
		e.failing = time.Time{}
		e.expires = now.Add(p.keep(a.header, now))
	default:
		if e.failing.IsZero() {
			e.failing = now
		}
		if now.Sub(e.failing) >= defaulted(p.GoodFor, 30*24*time.Hour) {
			e.state = RobotsNone
			if e.matcher != nil {
				e.state = RobotsRules
			}
		}
		e.expires = now.Add(defaulted(p.Retry, 5*time.Minute))
	}
}

// keep is how long a file may be used.
func (p *RFC9309) keep(h http.Header, now time.Time) time.Duration {
	longest := defaulted(p.MaxAge, 24*time.Hour)
	left, ok := httpfield.Fresh(h, now)
	if !ok {
		return longest
	}
	return min(max(left, defaulted(p.MinAge, time.Minute)), longest)
}

// fetch asks for the file and follows its redirects, each hop through via and so through limiter and address guard.
func (p *RFC9309) fetch(ctx context.Context, u *url.URL, via Fetcher) robotsAnswer {
	seen := map[string]bool{}
	for range maxRobotsHops + 1 {
		key := u.String()
		if seen[key] {
			return robotsAnswer{state: RobotsRefused, err: &Error{Op: "robots", URL: key, Kind: ErrRedirect, Reason: "its redirects run in a loop"}}
		}
		seen[key] = true
		answer, next := p.hop(ctx, u, via)
		if next == nil {
			return answer
		}
		u = next
	}
	return robotsAnswer{state: RobotsRefused, err: &Error{Op: "robots", URL: u.String(), Kind: ErrRedirect,
		Reason: fmt.Sprintf("more than %d redirects", maxRobotsHops)}}
}

// hop makes one request. next is set when the answer is a redirect to follow.
func (p *RFC9309) hop(ctx context.Context, u *url.URL, via Fetcher) (a robotsAnswer, next *url.URL) {
	resp, err := via.Fetch(ctx, &Request{URL: u, Kind: KindRobots, MaxBytes: robotstxt.MaxSize + 1})
	if err != nil {
		state := RobotsUnreachable
		if errors.Is(err, ErrForbiddenAddr) || errors.Is(err, ErrOutOfScope) {
			state = RobotsRefused
		}
		return robotsAnswer{state: state, err: &Error{Op: "robots", URL: u.String(), Err: err}}, nil
	}
	defer resp.Release()
	unreachable := func(format string, args ...any) (robotsAnswer, *url.URL) {
		return robotsAnswer{state: RobotsUnreachable, err: &Error{Op: "robots", URL: u.String(), Kind: ErrUnreachable,
			Reason: fmt.Sprintf(format, args...)}}, nil
	}
	switch status := resp.Status; {
	case status >= 200 && status < 300:
		if resp.Cut == CutBroken || resp.Cut == CutEncoding {
			return unreachable("robots.txt broke off after %d bytes", len(resp.Body))
		}
		body, cut := robotstxt.Cut(resp.Body)
		return robotsAnswer{state: RobotsRules, body: append([]byte(nil), body...), cut: cut, header: resp.Header}, nil
	case status == http.StatusTooManyRequests:
		return unreachable("status 429 after waiting as asked")
	case status >= 400 && status < 500:
		return robotsAnswer{state: RobotsNone, header: resp.Header}, nil
	case status >= 300 && status < 400 && resp.Header.Get("Location") != "":
		return p.redirect(u, resp.Header.Get("Location"))
	default:
		return unreachable("status %d", status)
	}
}

func (p *RFC9309) redirect(u *url.URL, location string) (robotsAnswer, *url.URL) {
	refused := func(reason string) (robotsAnswer, *url.URL) {
		return robotsAnswer{state: RobotsRefused, err: &Error{Op: "robots", URL: u.String(), Kind: ErrRedirect, Reason: reason}}, nil
	}
	base, err := urlkey.FromNet(u)
	if err != nil {
		return refused(err.Error())
	}
	target, err := urlkey.Resolve(base, location)
	if err != nil || target.Kind() != urlkey.KindHTTP {
		return refused("the redirect to " + location + " cannot be followed")
	}
	return robotsAnswer{}, target.URL()
}
