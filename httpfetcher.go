package amble

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/netip"
	"net/url"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/amblecrawl/amble/internal/httpframe"
	"github.com/amblecrawl/amble/internal/netguard"
)

// HTTPFetcher is the default Fetcher: one exchange over net/http, behind the address guard. The zero value is ready and
// polite; fields must not be changed after the first Fetch. It is safe for concurrent use and must not be copied.
//
// It follows no redirect, repeats no request (not even on a kept connection that turns out dead: see FetchError.Stale),
// keeps no cookies, asks no proxy and reads no environment. Bodies in gzip, deflate, br and zstd are decoded, with
// limits before and after.
//
// Over HTTP/1 nothing that a server sends is printed. Over HTTP/2, net/http itself writes a line to the standard logger
// when a server breaks the protocol in some ways; DisableHTTP2 avoids it.
type HTTPFetcher struct {
	// Addresses says which hosts, ports and networks may be reached. Zero: public addresses on ports 80 and 443.
	Addresses AddressPolicy

	// Resolver looks names up. Nil: net.DefaultResolver.
	Resolver *net.Resolver

	// RootCAs are the authorities that servers' certificates are checked against. Nil: the system's.
	RootCAs *x509.CertPool

	ConnectTimeout time.Duration // name look-up and connection. 0: 10 seconds.
	TLSTimeout     time.Duration // TLS handshake. 0: 10 seconds.
	HeaderTimeout  time.Duration // from the request to the end of the answer's head. 0: 15 seconds (C5).
	StallTimeout   time.Duration // a body has to bring at least 1 KiB in each such span, or its end. 0: 10 seconds.
	TotalTimeout   time.Duration // the whole exchange. 0: 2 minutes.
	IdleTimeout    time.Duration // how long an unused connection is kept. 0: 30 seconds.

	MaxHeaderBytes int64 // head of the answer, interim answers counted in. 0: 256 KiB.
	MaxBytes       int64 // decoded body of requests that set no limit of their own. 0: 10 MiB.
	MaxIdlePerHost int   // kept connections to one host. 0: 8.

	// DisableHTTP2 speaks HTTP/1.1 only.
	DisableHTTP2 bool

	once      sync.Once
	transport *http.Transport
	dialer    netguard.Dialer
	sessions  tls.ClientSessionCache

	// For tests: a hook between the guard's agreement and the connect, and a connection without a network.
	control func(network, address string, c syscall.RawConn) error
	pipe    func(ctx context.Context, address string) (net.Conn, error)
}

// AddressPolicy says what may be reached (the address guard). Zero: names of two labels or more, ports 80 and 443,
// public addresses. Every address is checked when it is connected to, whatever the name resolved to before.
type AddressPolicy struct {
	// Ports that may be connected to; empty means 80 and 443.
	Ports []uint16

	// AnyPort switches the port rule off, for tests and demos whose servers listen where the system puts them.
	AnyPort bool

	// AllowPrefixes are networks that may be reached although they are not public: an office network, or 127.0.0.0/8
	// for tests and demos.
	AllowPrefixes []netip.Prefix

	// DenyPrefixes are networks that are refused besides those that are not public. They win over AllowPrefixes.
	DenyPrefixes []netip.Prefix

	// NAT64 allows 64:ff9b::/96 where the IPv4 address inside is allowed (RFC 6052).
	NAT64 bool

	// AllowSingleLabel allows names without a dot, such as "intranet" and "localhost".
	AllowSingleLabel bool
}

// LoopbackOnly returns the policy of tests and demos: this machine's loopback addresses, on any port, also by the name
// localhost, and nothing else.
func LoopbackOnly() AddressPolicy {
	return AddressPolicy{
		AnyPort:          true,
		AllowSingleLabel: true,
		AllowPrefixes:    []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128")},
		DenyPrefixes:     notLoopback(),
	}
}

// notLoopback covers every address but 127.0.0.0/8 and ::1: the prefixes beside the path to each of them.
func notLoopback() []netip.Prefix {
	var out []netip.Prefix
	for _, keep := range []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128")} {
		for bits := 1; bits <= keep.Bits(); bits++ {
			b := keep.Addr().AsSlice()
			b[(bits-1)/8] ^= 0x80 >> ((bits - 1) % 8)
			addr, _ := netip.AddrFromSlice(b)
			out = append(out, netip.PrefixFrom(addr, bits).Masked())
		}
	}
	return out
}

// ParseURL reads a URL strictly and applies the policy to what it shows: scheme, port, credentials, the form of the
// host, literal addresses in any spelling. The error matches ErrForbiddenAddr.
func (p AddressPolicy) ParseURL(raw string) (*url.URL, error) {
	guard := netguard.Policy(p)
	u, err := guard.ParseURL(raw)
	if err != nil {
		return nil, forbidden("", err)
	}
	return u, nil
}

// CheckURL is ParseURL's rule for a URL that has been read already.
func (p AddressPolicy) CheckURL(u *url.URL) error {
	guard := netguard.Policy(p)
	if err := guard.CheckURL(u); err != nil {
		return forbidden(u.Redacted(), err)
	}
	return nil
}

// forbidden is the error for a refusal of the address guard.
func forbidden(u string, err error) error {
	f := &FetchError{Trouble: TroubleForbidden, Err: err}
	if refused, ok := errors.AsType[*netguard.Error](err); ok {
		f.Rule = string(refused.Rule)
	}
	return &Error{Op: "address", URL: u, Kind: ErrForbiddenAddr, Err: f}
}

// CheckURL applies Addresses to what the URL shows, as URLGuard has it. Fetch does the same, and more.
func (f *HTTPFetcher) CheckURL(u *url.URL) error { return f.Addresses.CheckURL(u) }

// Fetch makes one exchange, as Fetcher has it.
func (f *HTTPFetcher) Fetch(ctx context.Context, req *Request) (*Response, error) {
	f.once.Do(f.start)
	if req.URL == nil {
		return nil, &Error{Op: "fetch", Kind: ErrBadURL, Reason: "Request.URL is nil"}
	}
	if err := f.CheckURL(req.URL); err != nil {
		return nil, err
	}
	x := &httpExchange{req: req, transport: f.transport, limits: f.limits()}
	return x.run(ctx)
}

// CloseIdleConnections closes the connections that are kept for later exchanges.
func (f *HTTPFetcher) CloseIdleConnections() {
	f.once.Do(f.start)
	f.transport.CloseIdleConnections()
}

func (f *HTTPFetcher) limits() limits {
	return limits{
		body:  or(f.MaxBytes, defaultMaxBytes),
		head:  or(f.HeaderTimeout, defaultHeaderTimeout),
		stall: or(f.StallTimeout, defaultStallTimeout),
		total: or(f.TotalTimeout, defaultTotalTimeout),
	}
}

// start builds the transport: the one place of this module from which connections are opened.
func (f *HTTPFetcher) start() {
	f.dialer = netguard.Dialer{
		Policy: netguard.Policy(f.Addresses),
		Dialer: net.Dialer{Resolver: f.Resolver, Control: f.control},
	}
	f.sessions = tls.NewLRUClientSessionCache(256)
	f.transport = &http.Transport{
		Proxy:                  nil, // a proxy would connect in our place, past the guard
		DialContext:            f.dialPlain,
		DialTLSContext:         f.dialTLS,
		DisableCompression:     true, // decoding is ours, with limits
		ResponseHeaderTimeout:  or(f.HeaderTimeout, defaultHeaderTimeout),
		MaxResponseHeaderBytes: or(f.MaxHeaderBytes, 256<<10),
		MaxIdleConns:           512,
		MaxIdleConnsPerHost:    or(f.MaxIdlePerHost, 8),
		IdleConnTimeout:        or(f.IdleTimeout, 30*time.Second),
		ReadBufferSize:         16 << 10,
		ForceAttemptHTTP2:      !f.DisableHTTP2,
		HTTP2: &http.HTTP2Config{
			MaxReceiveBufferPerConnection: 4<<20 - 1,
			MaxReceiveBufferPerStream:     1 << 20,
			WriteByteTimeout:              or(f.HeaderTimeout, defaultHeaderTimeout),
		},
	}
}

// link is a connection that remembers how it was made.
type link struct {
	net.Conn
	dns, connect, tls time.Duration
	exchanges         atomic.Int32 // under way over HTTP/2
}

func (f *HTTPFetcher) dialPlain(ctx context.Context, network, address string) (net.Conn, error) {
	l, err := f.dial(ctx, network, address)
	if err != nil {
		return nil, err
	}
	return httpframe.New(l), nil
}

func (f *HTTPFetcher) dialTLS(ctx context.Context, network, address string) (net.Conn, error) {
	l, err := f.dial(ctx, network, address)
	if err != nil {
		return nil, err
	}
	host, _, _ := net.SplitHostPort(address)
	config := &tls.Config{ServerName: host, RootCAs: f.RootCAs, NextProtos: []string{"h2", "http/1.1"}, ClientSessionCache: f.sessions}
	if f.DisableHTTP2 {
		config.NextProtos = []string{"http/1.1"}
	}
	limit := or(f.TLSTimeout, 10*time.Second)
	ctx, cancel := context.WithTimeoutCause(ctx, limit, timeoutIn("the TLS handshake", limit))
	defer cancel()
	start := time.Now()
	conn := tls.Client(l, config)
	if err := conn.HandshakeContext(ctx); err != nil {
		l.Close()
		if cause := context.Cause(ctx); cause != nil {
			err = cause
		}
		return nil, &handshakeError{err}
	}
	l.tls = time.Since(start)
	if conn.ConnectionState().NegotiatedProtocol == "h2" {
		return conn, nil // net/http speaks HTTP/2 only on a bare *tls.Conn
	}
	return httpframe.New(conn), nil
}

func (f *HTTPFetcher) dial(ctx context.Context, network, address string) (*link, error) {
	limit := or(f.ConnectTimeout, 10*time.Second)
	ctx, cancel := context.WithTimeoutCause(ctx, limit, timeoutIn("connecting", limit))
	defer cancel()
	var mu sync.Mutex // the hooks may run in other goroutines
	var l struct{ dns, connect time.Duration }
	var dnsStart time.Time
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		DNSStart: func(httptrace.DNSStartInfo) { mu.Lock(); dnsStart = time.Now(); mu.Unlock() },
		DNSDone:  func(httptrace.DNSDoneInfo) { mu.Lock(); l.dns = time.Since(dnsStart); mu.Unlock() },
	})
	start := time.Now()
	var conn net.Conn
	var err error
	if f.pipe != nil {
		conn, err = f.pipe(ctx, address)
	} else {
		conn, err = f.dialer.DialContext(ctx, network, address)
	}
	if err != nil {
		if cause, ok := context.Cause(ctx).(timeoutError); ok {
			err = cause
		}
		return nil, err
	}
	mu.Lock()
	defer mu.Unlock()
	l.connect = time.Since(start) - l.dns
	return &link{Conn: conn, dns: l.dns, connect: l.connect}, nil
}

// or returns v, or else the default.
func or[T comparable](v, def T) T {
	var zero T
	if v == zero {
		return def
	}
	return v
}
