package amble

import (
	"context"
	"crypto/x509"
	"net/http"
	"net/netip"
	"net/url"
	"time"
)

// Fetcher makes one exchange with a server: one request, one answer.
//
// Callers pass a context with a deadline and call Response.Release when they are done with the body. They may call Fetch
// concurrently.
//
// Implementers must
//   - return the answer of exactly the URL asked for: a redirect is an answer (a 3xx Response), never followed;
//   - honour the context: return soon after it ends, with its error as the cause;
//   - stop reading at Request.MaxBytes bytes after decoding, and set Response.Cut;
//   - return a non-nil Response or a non-nil error, never both nil. A body that breaks off is a Response with Cut set.
//   - be safe for concurrent use.
//
// Implementers must not
//   - retry, sleep, or wait for a pace: the Limiter does;
//   - send anything else than this request. One that has to, because it loads a page with all its files, must pass each
//     further request through Request.Gate first;
//   - keep cookies from one exchange to the next, unless told to by their own configuration.
//
// Errors should match ErrUnreachable, ErrForbiddenAddr, ErrProtocol or ErrTooLarge, so that outcomes come out right;
// any other error counts as ErrUnreachable, but no link is called broken for it.
type Fetcher interface {
	Fetch(ctx context.Context, req *Request) (*Response, error)
}

// FetcherFunc makes a Fetcher of a function.
type FetcherFunc func(ctx context.Context, req *Request) (*Response, error)

// Fetch calls f.
func (f FetcherFunc) Fetch(ctx context.Context, req *Request) (*Response, error) { return f(ctx, req) }

// Kind says what a request is for. Pace and counts go by it.
type Kind uint8

const (
	KindPage      Kind = iota // a page of the site
	KindRobots                // robots.txt
	KindSitemap               // a sitemap file
	KindLink                  // a link check: the status matters, not the body
	KindResource              // a file that a page loads in a browser
	KindOwnership             // a proof of ownership, or another file under /.well-known/
	kindCount
)

var kindNames = [kindCount]string{"page", "robots", "sitemap", "link", "resource", "ownership"}

// String returns the kind's stable name.
func (k Kind) String() string {
	if k < kindCount {
		return kindNames[k]
	}
	return "unknown"
}

// MarshalText writes the name.
func (k Kind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// Request is one request to make. The crawl fills it; a Fetcher must not change it.
type Request struct {
	URL    *url.URL    // absolute, http or https, without fragment
	Method string      // empty: GET. The crawl sends nothing but GET and HEAD (S10).
	Kind   Kind        // what it is for
	Header http.Header // to be sent as it stands: User-Agent, From, Accept, Accept-Language, conditions, signatures

	// MaxBytes is the most that may be read of the body after decoding; 0: nothing is read (early close); negative: the
	// Fetcher's own limit.
	MaxBytes int64

	// Accept, when set, is asked once the head of the answer is there and before the body is read. False ends the
	// exchange at once; the Response then has no body and Cut is CutUnwanted.
	Accept func(status int, header http.Header) bool

	// Gate is the way out for further requests made on behalf of this one (the files of a page in a browser). Nil when
	// no crawl is behind the request.
	Gate Gate
}

// Gate is what every request of a crawl passes before it leaves: scope, robots.txt, address guard, limiter, in this
// order. A Fetcher that loads whole pages gets it in Request.Gate. It is safe for concurrent use.
type Gate interface {
	// Pass returns when the request may be sent, or says why not: the error matches ErrOutOfScope, ErrDisallowed,
	// ErrForbiddenAddr, ErrThrottled, ErrSiteGivenUp, ErrBudget or the context's error. After the exchange done must be
	// called exactly once with what came of it; the Advice says how to go on.
	//
	// For KindResource the Scope's pages do not count, since pages load files from other hosts; the excluded hosts and
	// robots.txt do, the latter unless Crawler.Resources says otherwise.
	Pass(ctx context.Context, u *url.URL, kind Kind) (done func(Feedback) Advice, err error)
}

// GateWatcher may be implemented by a Gate whose hosts can be switched off while requests to them are under way. A Fetcher
// that loads whole pages calls Watch before it first asks something of a host, and breaks off what is under way there
// when the context ends: its cause then matches ErrSwitchedOff. leave must be called when nothing more is asked of the
// host for this page.
type GateWatcher interface {
	Watch(ctx context.Context, u *url.URL) (_ context.Context, leave func())
}

// Cut says why a body is not whole.
type Cut uint8

const (
	CutNone     Cut = iota // the body is whole
	CutLimit               // it reached MaxBytes or the encoded limit
	CutBroken              // the connection ended early, or stalled
	CutEncoding            // its Content-Encoding is damaged
	CutUnwanted            // Request.Accept said no, or MaxBytes is 0
)

// Response is one answer.
type Response struct {
	URL    *url.URL // the URL asked for
	Status int      // 100 to 599; a Fetcher refuses others
	Proto  string   // "HTTP/1.1", "HTTP/2.0"
	Header http.Header

	// Body is the decoded body as far as it was read. It belongs to the response until Release.
	Body []byte
	Cut  Cut // why Body is not whole, or CutNone

	// CutErr is the trouble behind CutBroken and CutEncoding, for a person and for errors.Is; nil otherwise.
	CutErr error

	EncodedBytes int64          // bytes of the body as they came over the wire
	Addr         netip.AddrPort // the address that answered; zero when in process or unknown
	TLS          *TLSInfo       // nil on plain http
	Timing       Timing
	Sent         time.Time // when the request was sent

	// Snapshot is the rendered page, when a browser loaded it. Body then holds the bytes of the document's own answer.
	Snapshot *Snapshot

	release func()
}

// OnRelease sets what Release does, for Fetchers that reuse buffers.
func (r *Response) OnRelease(f func()) { r.release = f }

// Release gives the body back. After it Body must not be used. Calling it twice is harmless; nil is allowed.
func (r *Response) Release() {
	if r == nil || r.release == nil {
		return
	}
	f := r.release
	r.release, r.Body = nil, nil
	f()
}

// Timing tells how long the parts of an exchange took; zero where a part did not happen (a reused connection).
type Timing struct {
	DNS, Connect, TLS time.Duration
	FirstByte         time.Duration // from sending to the first byte of the answer
	Total             time.Duration // from sending to the end of the body
	Reused            bool          // the connection had been used before
}

// TLSInfo is what is known of the connection's security.
type TLSInfo struct {
	Version     string              // "TLS 1.3"
	CipherSuite string              // IANA name
	Protocol    string              // ALPN
	Chain       []*x509.Certificate // as the server sent it, leaf first
}
