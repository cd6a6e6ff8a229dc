package browser

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/chromedp/cdproto"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"
)

// conn is the one connection to a browser process. It carries the commands and events of all sessions: that of the
// browser itself and those of tabs, frames and workers.
//
// The transport is chromedp's; sessions are ours, because a crawler needs what a single tab's client does not offer:
// sessions of frames and workers that appear on their own, and only the events that are asked for, in order.
type conn struct {
	transport chromedp.Transport
	next      atomic.Int64
	browser   *session

	mu       sync.Mutex
	calls    map[int64]chan *cdproto.Message
	sessions map[target.SessionID]*session
	err      error // why the connection ended

	lost chan struct{} // closed when the connection ended
	wg   sync.WaitGroup
}

// errLost is the cause of every call that could not be answered because the connection ended.
var errLost = errors.New("the connection to the browser ended")

func newConn(transport chromedp.Transport) *conn {
	c := &conn{
		transport: transport,
		calls:     map[int64]chan *cdproto.Message{},
		sessions:  map[target.SessionID]*session{},
		lost:      make(chan struct{}),
	}
	return c
}

// start opens the browser's own session with the handlers that listen sets, and begins to read.
func (c *conn) start(listen func(*session)) {
	c.browser = c.open("", listen)
	c.wg.Go(c.read)
}

// close ends the connection and waits for its goroutines. A browser on a pipe exits by it.
func (c *conn) close() {
	c.transport.Close()
	c.wg.Wait()
}

func (c *conn) read() {
	for {
		msg := new(cdproto.Message)
		if err := c.transport.Read(context.Background(), msg); err != nil {
			c.end(err)
			return
		}
		switch {
		case msg.ID != 0:
			c.mu.Lock()
			reply := c.calls[msg.ID]
			delete(c.calls, msg.ID)
			c.mu.Unlock()
			if reply != nil {
				reply <- msg
			}
		case msg.Method != "":
			c.mu.Lock()
			s := c.sessions[msg.SessionID]
			c.mu.Unlock()
			if s != nil {
				s.push(event{method: string(msg.Method), params: msg.Params})
			}
		}
	}
}

func (c *conn) end(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.err = err
	close(c.lost)
	for _, s := range c.sessions {
		s.stop()
	}
	clear(c.sessions)
}

// lostError returns why calls cannot be answered any more.
func (c *conn) lostError() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return fmt.Errorf("%w: %w", errLost, c.err)
}

// open begins a session that the browser has named; listen sets its handlers with handle. Nothing is lost: a session has
// no events before a domain is enabled on it.
func (c *conn) open(id target.SessionID, listen func(*session)) *session {
	s := &session{conn: c, id: id, on: handlers{}, wake: make(chan struct{}, 1), done: make(chan struct{})}
	listen(s)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err != nil {
		s.stop()
		return s
	}
	c.sessions[id] = s
	c.wg.Go(s.pump)
	return s
}

// session is a flat session of the protocol. Its handlers run one after the other, in the order in which the browser
// sent the events; they must not block and must not wait for a call on any session.
type session struct {
	conn *conn
	id   target.SessionID
	on   handlers

	mu    sync.Mutex
	queue []event
	wake  chan struct{}
	done  chan struct{}
	once  sync.Once
}

type event struct {
	method string
	params jsonv2.Value
	reach  chan struct{} // instead: closed when the events before it are handled
}

// handlers are the events that a session listens to; others are dropped undecoded.
type handlers map[string]func(jsonv2.Value)

// handle sets the handler of an event.
func handle[E any](s *session, ev cdp.Event[E], f func(E)) {
	s.on[ev.Method] = func(params jsonv2.Value) {
		var e E
		if jsonv2.Unmarshal(params, &e, chromedp.DefaultUnmarshalOptions) == nil {
			f(e)
		}
	}
}

// maxQueue is how many events of one session may wait. A page that floods the console cannot make us hold more.
const maxQueue = 20_000

func (s *session) push(e event) {
	if s.on[e.method] == nil {
		return
	}
	s.mu.Lock()
	if len(s.queue) < maxQueue || e.method != "Runtime.consoleAPICalled" && e.method != "Log.entryAdded" {
		s.queue = append(s.queue, e)
	}
	s.mu.Unlock()
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// reach waits until the events that have come so far are handled: sessions are not in step with each other.
func (s *session) reach(ctx context.Context) {
	mark := make(chan struct{})
	s.mu.Lock()
	s.queue = append(s.queue, event{reach: mark})
	s.mu.Unlock()
	select {
	case s.wake <- struct{}{}:
	default:
	}
	select {
	case <-mark:
	case <-s.done:
	case <-ctx.Done():
	}
}

func (s *session) pump() {
	for {
		s.mu.Lock()
		queue := s.queue
		s.queue = nil
		s.mu.Unlock()
		for _, e := range queue {
			if e.reach != nil {
				close(e.reach)
				continue
			}
			s.on[e.method](e.params)
		}
		if len(queue) > 0 {
			continue
		}
		select {
		case <-s.wake:
		case <-s.done:
			return
		}
	}
}

func (s *session) stop() { s.once.Do(func() { close(s.done) }) }

// drop forgets a session that the browser has ended.
func (c *conn) drop(id target.SessionID) {
	c.mu.Lock()
	s := c.sessions[id]
	delete(c.sessions, id)
	c.mu.Unlock()
	if s != nil && id != "" {
		s.stop()
	}
}

// Call sends a command and waits for the answer. It implements cdp.Session, and returns when the context ends, the
// session is detached or the connection is lost.
func (s *session) Call(ctx context.Context, method string, params, result any) error {
	reply, id, err := s.send(ctx, method, params)
	if err != nil {
		return err
	}
	select {
	case msg := <-reply:
		return decode(msg, result)
	default:
	}
	select {
	case msg := <-reply:
		return decode(msg, result)
	case <-s.conn.lost:
		err = s.conn.lostError()
	case <-s.done:
		err = errDetached
	case <-ctx.Done():
		err = context.Cause(ctx)
	}
	s.conn.mu.Lock()
	delete(s.conn.calls, id)
	s.conn.mu.Unlock()
	return fmt.Errorf("%s: %w", method, err)
}

// errDetached is the cause of calls on a session that the browser has ended: its tab, frame or worker is gone.
var errDetached = errors.New("the tab is gone")

// post sends a command without waiting for its answer.
func post[P, R any](s *session, c cdp.Command[P, R], params P) {
	_, id, err := s.send(context.Background(), c.Method, params)
	if err == nil {
		s.conn.mu.Lock()
		delete(s.conn.calls, id)
		s.conn.mu.Unlock()
	}
}

func (s *session) send(ctx context.Context, method string, params any) (<-chan *cdproto.Message, int64, error) {
	msg := &cdproto.Message{ID: s.conn.next.Add(1), SessionID: s.id, Method: cdproto.MethodType(method)}
	if params != nil {
		var err error
		if msg.Params, err = jsonv2.Marshal(params, chromedp.DefaultMarshalOptions); err != nil {
			return nil, 0, fmt.Errorf("%s: %w", method, err)
		}
	}
	reply := make(chan *cdproto.Message, 1)
	s.conn.mu.Lock()
	if s.conn.err != nil {
		s.conn.mu.Unlock()
		return nil, 0, fmt.Errorf("%s: %w", method, s.conn.lostError())
	}
	s.conn.calls[msg.ID] = reply
	s.conn.mu.Unlock()
	// A browser that does not read would hold us here for ever.
	stuck := time.AfterFunc(writeTimeout, func() { s.conn.transport.Close() })
	err := s.conn.transport.Write(ctx, msg)
	stuck.Stop()
	if err != nil {
		s.conn.mu.Lock()
		delete(s.conn.calls, msg.ID)
		s.conn.mu.Unlock()
		return nil, 0, fmt.Errorf("%s: %w: %w", method, errLost, err)
	}
	return reply, msg.ID, nil
}

// writeTimeout is how long a browser may take to read a command.
const writeTimeout = 20 * time.Second

func decode(msg *cdproto.Message, result any) error {
	if msg.Error != nil {
		return msg.Error
	}
	if result == nil {
		return nil
	}
	return jsonv2.Unmarshal(msg.Result, result, chromedp.DefaultUnmarshalOptions)
}

// Subscribe is there to satisfy cdp.Session; events go to handlers.
func (s *session) Subscribe(string) (<-chan jsonv2.Value, func()) {
	closed := make(chan jsonv2.Value)
	close(closed)
	return closed, func() {}
}
