package amble

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"github.com/amblecrawl/amble/internal/contentcoding"
	"github.com/amblecrawl/amble/internal/httpframe"
)

const (
	defaultMaxBytes      = 10 << 20
	defaultHeaderTimeout = 15 * time.Second
	defaultStallTimeout  = 10 * time.Second
	defaultTotalTimeout  = 2 * time.Minute

	minProgress = 1 << 10 // bytes of a body in each span of limits.stall
)

// limits are those of one exchange.
type limits struct {
	body               int64 // decoded bytes, when the request sets no limit
	head, stall, total time.Duration
}

// httpExchange is one request on its way, over any http.RoundTripper.
type httpExchange struct {
	req       *Request
	transport http.RoundTripper
	foreign   bool // the transport is not ours: its bodies may not heed the context
	limits    limits

	start     time.Time
	link      httpframe.Exchange
	conn      net.Conn
	shared    *link // below an HTTP/2 connection
	reused    bool
	multiplex atomic.Bool  // HTTP/2: conn is no httpframe.Conn, which sees for itself what is sent
	firstByte atomic.Int64 // nanoseconds after start
	watch     watch
}

// run makes the exchange.
func (x *httpExchange) run(parent context.Context) (*Response, error) {
	switch x.req.Method {
	case "", http.MethodGet, http.MethodHead:
	default:
		return nil, &Error{Op: "fetch", URL: x.req.URL.Redacted(), Kind: ErrConfig, Reason: "method " + x.req.Method + ": only GET and HEAD are sent"}
	}
	ctx, cancel := context.WithCancelCause(parent)
	defer cancel(nil)
	x.start = time.Now()
	x.watch.begin(x, cancel)
	defer x.watch.end()
	defer x.share(nil)

	answer, err := x.transport.RoundTrip(x.httpRequest(ctx, cancel))
	if err != nil {
		err = x.failure(parent, context.Cause(ctx), err)
		x.abandon(err)
		return nil, err
	}
	if answer.StatusCode < 200 || answer.StatusCode > 599 {
		// The body of a 101 is the bare connection, which no context ends: reading it may never return. It is closed
		// unread. An interim answer cannot be final, and RFC 9110 section 15 knows no class beyond 5xx.
		answer.Body.Close()
		return nil, &Error{Op: "fetch", URL: x.req.URL.Redacted(), Kind: ErrProtocol, Reason: statusReason(answer.StatusCode),
			Err: &FetchError{Trouble: TroubleProtocol}}
	}
	if x.foreign {
		stop := context.AfterFunc(ctx, func() { answer.Body.Close() })
		defer stop()
	}
	defer answer.Body.Close()

	r := &Response{
		URL:    x.req.URL,
		Status: answer.StatusCode,
		Proto:  answer.Proto,
		Header: cleanHeader(answer.Header),
		Sent:   x.start,
	}
	x.describe(r, answer)
	if x.req.Accept != nil && !x.req.Accept(r.Status, r.Header) {
		r.Cut = CutUnwanted
		x.discard(answer)
	} else if err := x.readBody(ctx, r, answer); err != nil && givenUp(parent) {
		r.Release()
		return nil, x.failure(parent, context.Cause(ctx), err)
	}
	r.Timing.Total = time.Since(x.start)
	return r, nil
}

// givenUp reports whether nobody wants the answer any more. When only its time is over, the part that came is still an answer.
func givenUp(ctx context.Context) bool {
	return errors.Is(ctx.Err(), context.Canceled) && !errors.Is(context.Cause(ctx), context.DeadlineExceeded)
}

// share counts this exchange among those of an HTTP/2 connection; nil takes it off.
func (x *httpExchange) share(conn net.Conn) {
	if x.shared != nil {
		x.shared.exchanges.Add(-1)
		x.shared = nil
	}
	if c, ok := conn.(*tls.Conn); ok {
		if l, ok := c.NetConn().(*link); ok {
			l.exchanges.Add(1)
			x.shared = l
		}
	}
}

// abandon closes an HTTP/2 connection on which the only exchange got no answer in time: it may be dead or flooded, and
// net/http would give it to the next request all the same. The bare connection is closed, since TLS would first try to
// say goodbye.
func (x *httpExchange) abandon(err error) {
	f, ok := errors.AsType[*FetchError](err)
	if ok && f.Trouble == TroubleTimeout && x.shared != nil && x.shared.exchanges.Load() == 1 {
		x.shared.Close()
	}
}

func statusReason(status int) string {
	if status == http.StatusSwitchingProtocols {
		return "status 101 without having been asked to switch protocols"
	}
	return fmt.Sprintf("status %03d is not a final status of HTTP (200 to 599)", status)
}

// httpRequest is the request in net/http's form, with the hooks that tell which connection it went over.
func (x *httpExchange) httpRequest(ctx context.Context, cancel context.CancelCauseFunc) *http.Request {
	header := make(http.Header, len(x.req.Header)+2)
	maps.Copy(header, x.req.Header)
	if header["Accept-Encoding"] == nil {
		header["Accept-Encoding"] = acceptEncoding
	}
	if header["User-Agent"] == nil {
		header["User-Agent"] = noUserAgent // never the library's
	}
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GotConn: func(info httptrace.GotConnInfo) {
			x.conn, x.reused = info.Conn, info.Reused
			x.share(info.Conn)
			c, framed := info.Conn.(*httpframe.Conn)
			x.multiplex.Store(!framed)
			if framed {
				if err := c.Bind(&x.link); err != nil {
					cancel(err)
				}
			} else if x.link.Sent() {
				cancel(httpframe.ErrRepeat) // net/http's HTTP/2 asks the context before it writes
			}
		},
		WroteHeaders: func() { // over HTTP/1 they may be in a buffer still
			if x.multiplex.Load() {
				x.link.MarkSent()
			}
		},
		GotFirstResponseByte: func() { x.firstByte.CompareAndSwap(0, int64(max(1, time.Since(x.start)))) },
	})
	req := &http.Request{
		Method: or(x.req.Method, http.MethodGet), URL: x.req.URL, Host: x.req.URL.Host, Header: header,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
	}
	return req.WithContext(ctx)
}

var (
	acceptEncoding = []string{contentcoding.Accept}
	noUserAgent    = []string{""}
)

// describe fills in what the connection tells.
func (x *httpExchange) describe(r *Response, answer *http.Response) {
	r.Timing.FirstByte = time.Duration(x.firstByte.Load())
	if r.Timing.FirstByte == 0 {
		r.Timing.FirstByte = time.Since(x.start)
	}
	r.Timing.Reused = x.reused
	state := answer.TLS
	conn := x.conn
	if c, ok := conn.(*httpframe.Conn); ok {
		conn = c.Conn
	}
	if c, ok := conn.(*tls.Conn); ok {
		s := c.ConnectionState()
		state, conn = &s, c.NetConn()
	}
	if state != nil {
		r.TLS = &TLSInfo{
			Version:     tls.VersionName(state.Version),
			CipherSuite: tls.CipherSuiteName(state.CipherSuite),
			Protocol:    state.NegotiatedProtocol,
			Chain:       state.PeerCertificates,
		}
	}
	if conn == nil {
		return
	}
	if addr, ok := conn.RemoteAddr().(*net.TCPAddr); ok {
		ap := addr.AddrPort()
		r.Addr = netip.AddrPortFrom(ap.Addr().Unmap(), ap.Port())
	}
	if l, ok := conn.(*link); ok && !x.reused {
		r.Timing.DNS, r.Timing.Connect, r.Timing.TLS = l.dns, l.connect, l.tls
	}
}

// watch ends an exchange that takes too long: in all, until its head, or between bytes of its body. One timer serves
// all three.
type watch struct {
	x      *httpExchange
	cancel context.CancelCauseFunc

	mu    sync.Mutex
	timer *time.Timer
	over  bool
	body  bool
	fresh int64 // bytes of the body since the timer was set
}

func (w *watch) begin(x *httpExchange, cancel context.CancelCauseFunc) {
	w.x, w.cancel = x, cancel
	w.mu.Lock()
	defer w.mu.Unlock()
	w.timer = time.AfterFunc(w.next(), w.fire)
}

// startBody says that the head is there: from now on the body has to make progress.
func (w *watch) startBody() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.body = true
	w.timer.Reset(w.next())
}

func (w *watch) progress(n int) {
	w.mu.Lock()
	w.fresh += int64(n)
	w.mu.Unlock()
}

func (w *watch) fire() {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case w.over:
	case time.Since(w.x.start) >= w.x.limits.total:
		w.cancel(errTotalTime)
	case w.body && w.fresh < minProgress:
		w.cancel(errStalled)
	case !w.body && w.x.foreign && time.Since(w.x.start) >= w.x.limits.head:
		w.cancel(errHeaderTime)
	default:
		w.fresh = 0
		w.timer.Reset(w.next())
	}
}

// next is the time to the next look. Before the head, our own transport looks after the time itself.
func (w *watch) next() time.Duration {
	step := w.x.limits.total
	if w.body {
		step = w.x.limits.stall
	} else if w.x.foreign {
		step = w.x.limits.head
	}
	return max(0, min(step, w.x.limits.total-time.Since(w.x.start)))
}

func (w *watch) end() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.over = true
	w.timer.Stop()
}
