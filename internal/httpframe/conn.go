// Package httpframe stands between an HTTP/1 client and its connection, and makes two promises that net/http's client
// does not make: bytes that answer no request never reach the client (they would be printed to the standard logger, or
// taken for the answer to the next request), and a request that has been sent is not silently sent again.
package httpframe

import (
	"errors"
	"net"
	"sync"
	"sync/atomic"
)

var (
	// ErrUnasked: the server sent bytes that belong to no request. The connection is of no further use.
	ErrUnasked = errors.New("the server sent bytes that nobody asked for")

	// ErrRepeat: the client was about to send a request a second time.
	ErrRepeat = errors.New("the request had been sent already; it is not repeated")
)

// Exchange follows one request over the connections that the client tries for it. The zero value is ready.
type Exchange struct {
	sent atomic.Bool
	lost atomic.Pointer[error]
}

// MarkSent notes that the request has left, for connections that are not a Conn.
func (e *Exchange) MarkSent() { e.sent.Store(true) }

// Sent reports whether any byte of the request has left.
func (e *Exchange) Sent() bool { return e.sent.Load() }

// Lost returns the error with which a connection ended after the request was sent and before any byte of an answer.
func (e *Exchange) Lost() error {
	if err := e.lost.Load(); err != nil {
		return *err
	}
	return nil
}

// Conn is a connection that knows where an answer ends. Reading and writing may run concurrently, each in one goroutine
// at a time, as with any net.Conn of an HTTP/1 client.
type Conn struct {
	net.Conn

	mu       sync.Mutex
	framer   framer
	err      error // set for good once the connection has spoken out of turn
	exchange *Exchange
	repeat   bool // exchange has been sent over another connection
}

// New wraps a fresh connection.
func New(c net.Conn) *Conn { return &Conn{Conn: c} }

// Bind names the exchange that the next request belongs to. It returns ErrRepeat when the exchange has been sent
// before; the connection then refuses to send it.
func (c *Conn) Bind(e *Exchange) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.exchange, c.repeat = e, e.Sent()
	if c.repeat {
		return ErrRepeat
	}
	return nil
}

// Write sends the bytes of a request.
func (c *Conn) Write(p []byte) (int, error) {
	if err := c.beforeWrite(p); err != nil {
		return 0, err
	}
	return c.Conn.Write(p)
}

func (c *Conn) beforeWrite(p []byte) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err != nil {
		return c.err
	}
	if c.repeat {
		return ErrRepeat
	}
	if c.exchange != nil {
		c.exchange.MarkSent()
	}
	c.framer.request(p)
	return nil
}

// Read returns bytes of the answer to the request that was sent, and nothing beyond its end.
func (c *Conn) Read(p []byte) (int, error) {
	if err := c.failed(); err != nil {
		return 0, err
	}
	n, err := c.Conn.Read(p)
	c.mu.Lock()
	defer c.mu.Unlock()
	fresh := c.framer.fresh()
	own := c.framer.feed(p[:n])
	if own < n {
		c.err = ErrUnasked
		if own == 0 {
			return 0, c.err
		}
		return own, nil
	}
	if err != nil && n == 0 && fresh && c.exchange != nil {
		c.exchange.lost.CompareAndSwap(nil, &err)
	}
	return n, err
}

func (c *Conn) failed() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}
