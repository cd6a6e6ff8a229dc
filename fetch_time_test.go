package amble

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// inBubble runs a test in virtual time: the fetcher's connections are pipes to serve.
func inBubble(t *testing.T, serve func(c net.Conn), test func(t *testing.T, f *HTTPFetcher)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		var servers sync.WaitGroup
		f := &HTTPFetcher{Addresses: LoopbackOnly()}
		f.pipe = func(ctx context.Context, _ string) (net.Conn, error) {
			if serve == nil { // nobody ever answers
				<-ctx.Done()
				return nil, ctx.Err()
			}
			client, server := net.Pipe()
			servers.Go(func() {
				defer server.Close()
				serve(server)
			})
			return client, nil
		}
		test(t, f)
		f.CloseIdleConnections()
		servers.Wait()
	})
}

// slowly answers with start at once and then with piece each interval, for ever.
func slowly(start, piece string, interval time.Duration) func(net.Conn) {
	return func(c net.Conn) {
		if _, err := http.ReadRequest(bufio.NewReader(c)); err != nil {
			return
		}
		if _, err := io.WriteString(c, start); err != nil {
			return
		}
		for {
			time.Sleep(interval)
			if _, err := io.WriteString(c, piece); err != nil {
				return
			}
		}
	}
}

// silent reads and never says a word.
func silent(c net.Conn) { io.Copy(io.Discard, c) }

func TestTimeLimitsBeforeTheAnswer(t *testing.T) {
	for _, c := range []struct {
		name  string
		url   string
		serve func(net.Conn)
		after time.Duration
	}{
		{"connection that never opens", "http://127.0.0.1/", nil, 10 * time.Second},
		{"TLS half open", "https://127.0.0.1/", silent, 10 * time.Second},
		{"no answer", "http://127.0.0.1/", silent, 15 * time.Second},
		{"head byte by byte", "http://127.0.0.1/", slowly("HTTP/1.1 200 OK\r\n", "X", time.Second), 15 * time.Second},
		{"interim answers for ever", "http://127.0.0.1/", slowly("", "HTTP/1.1 103 Early Hints\r\n\r\n", time.Second), 15 * time.Second},
	} {
		t.Run(c.name, func(t *testing.T) {
			inBubble(t, c.serve, func(t *testing.T, f *HTTPFetcher) {
				start := time.Now()
				_, err := f.Fetch(t.Context(), get(t, c.url))
				if !errors.Is(err, ErrUnreachable) || troubleOf(err) != TroubleTimeout {
					t.Errorf("error %v (%s), want a timeout", err, troubleOf(err))
				}
				if took := time.Since(start); took != c.after {
					t.Errorf("ended after %v, want %v", took, c.after)
				}
			})
		})
	}
}

func TestTimeLimitsInTheBody(t *testing.T) {
	const head = ok200 + "Content-Length: 100000000\r\n\r\n"
	for _, c := range []struct {
		name  string
		serve func(net.Conn)
		after time.Duration
		why   error
	}{
		{"body that hangs", slowly(head+"hello", "", time.Hour), 10 * time.Second, errStalled},
		{"body byte by byte", slowly(head+"hello", "x", time.Second), 10 * time.Second, errStalled},
		{"body just fast enough ends with the whole", slowly(head+"hello", strings.Repeat("x", 512), time.Second), 2 * time.Minute, errTotalTime},
	} {
		t.Run(c.name, func(t *testing.T) {
			inBubble(t, c.serve, func(t *testing.T, f *HTTPFetcher) {
				start := time.Now()
				r, err := f.Fetch(t.Context(), get(t, "http://127.0.0.1/"))
				if err != nil {
					t.Fatal(err)
				}
				defer r.Release()
				if r.Cut != CutBroken || !errors.Is(r.CutErr, c.why) || !strings.HasPrefix(string(r.Body), "hello") {
					t.Errorf("cut %d (%v), %d bytes", r.Cut, r.CutErr, len(r.Body))
				}
				if took := time.Since(start); took != c.after {
					t.Errorf("ended after %v, want %v", took, c.after)
				}
			})
		})
	}
}

func TestSlowWholeBodyIsRead(t *testing.T) {
	serve := func(c net.Conn) {
		http.ReadRequest(bufio.NewReader(c))
		io.WriteString(c, ok200+"Content-Length: 8192\r\n\r\n")
		for range 8 {
			time.Sleep(9 * time.Second)
			io.WriteString(c, strings.Repeat("x", 1024))
		}
		c.Read(make([]byte, 1))
	}
	inBubble(t, serve, func(t *testing.T, f *HTTPFetcher) {
		r, err := f.Fetch(t.Context(), get(t, "http://127.0.0.1/"))
		if err != nil || r.Cut != CutNone || len(r.Body) != 8192 {
			t.Errorf("%v, cut %d (%v), %d bytes", err, r.Cut, r.CutErr, len(r.Body))
		}
		r.Release()
	})
}

// An unwanted body is read when it is short and there, for the sake of the connection; nobody waits for it.
func TestUnwantedBodyCostsNoTime(t *testing.T) {
	for _, c := range []struct {
		name  string
		serve func(net.Conn)
		after time.Duration
	}{
		{"hanging", slowly(ok200+"Content-Length: 100\r\n\r\nhello", "", time.Hour), drainTime},
		{"long", slowly(ok200+"Content-Length: 100000\r\n\r\nhello", "", time.Hour), 0},
		{"of unknown length", slowly(ok200+"\r\nhello", "", time.Hour), 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			inBubble(t, c.serve, func(t *testing.T, f *HTTPFetcher) {
				req := get(t, "http://127.0.0.1/")
				req.MaxBytes = 0
				start := time.Now()
				r, err := f.Fetch(t.Context(), req)
				if err != nil || r.Cut != CutUnwanted || len(r.Body) != 0 || time.Since(start) != c.after {
					t.Errorf("%v, %+v after %v", err, r, time.Since(start))
				}
			})
		})
	}
}

func TestCallersContextEndsTheExchange(t *testing.T) {
	half := slowly(ok200+"Content-Length: 1000\r\n\r\nhello", "", time.Hour)
	switching := slowly("HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n", "", time.Hour)
	for _, c := range []struct {
		name    string
		url     string
		serve   func(net.Conn)
		ctx     func(context.Context) (context.Context, context.CancelFunc)
		want    error
		trouble Trouble
		after   time.Duration
	}{
		{"cancel before connecting", "http://127.0.0.1/", nil, cancelled(0), context.Canceled, TroubleCancelled, 0},
		{"cancel while connecting", "http://127.0.0.1/", nil, cancelled(time.Second), context.Canceled, TroubleCancelled, time.Second},
		{"cancel in the handshake", "https://127.0.0.1/", silent, cancelled(time.Second), context.Canceled, TroubleCancelled, time.Second},
		{"cancel before the head", "http://127.0.0.1/", silent, cancelled(time.Second), context.Canceled, TroubleCancelled, time.Second},
		{"cancel in the body", "http://127.0.0.1/", half, cancelled(time.Second), context.Canceled, TroubleCancelled, time.Second},
		{"deadline before the head", "http://127.0.0.1/", silent, deadline(time.Second), context.DeadlineExceeded, TroubleTimeout, time.Second},
		{"101 needs no context to end", "http://127.0.0.1/", switching, deadline(time.Minute), ErrProtocol, TroubleProtocol, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			inBubble(t, c.serve, func(t *testing.T, f *HTTPFetcher) {
				ctx, cancel := c.ctx(t.Context())
				defer cancel()
				start := time.Now()
				r, err := f.Fetch(ctx, get(t, c.url))
				if r != nil || !errors.Is(err, c.want) || troubleOf(err) != c.trouble {
					t.Errorf("%v, %v (%s), want %v (%s)", r, err, troubleOf(err), c.want, c.trouble)
				}
				if took := time.Since(start); took != c.after {
					t.Errorf("ended after %v, want %v", took, c.after)
				}
			})
		})
	}
	inBubble(t, half, func(t *testing.T, f *HTTPFetcher) {
		ctx, cancel := context.WithTimeoutCause(t.Context(), time.Second, errors.New("no whole answer within 1s"))
		defer cancel()
		r, err := f.Fetch(ctx, get(t, "http://127.0.0.1/"))
		if err != nil || r.Cut != CutBroken || !errors.Is(r.CutErr, context.DeadlineExceeded) || !strings.Contains(r.CutErr.Error(), "no whole answer within 1s") || string(r.Body) != "hello" {
			t.Errorf("a deadline in the body: %v, %+v", err, r)
		}
	})
}

func cancelled(after time.Duration) func(context.Context) (context.Context, context.CancelFunc) {
	return func(ctx context.Context) (context.Context, context.CancelFunc) {
		ctx, cancel := context.WithCancel(ctx)
		if after == 0 {
			cancel()
		} else {
			time.AfterFunc(after, cancel)
		}
		return ctx, cancel
	}
}

func deadline(after time.Duration) func(context.Context) (context.Context, context.CancelFunc) {
	return func(ctx context.Context) (context.Context, context.CancelFunc) {
		return context.WithTimeout(ctx, after)
	}
}
