package main

import (
	"bytes"
	"context"
	"crypto/x509"
	"errors"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/amblecrawl/amble"
)

// notebook keeps notes in memory.
type notebook map[string][]byte

func (n notebook) Note(_ context.Context, key string) ([]byte, error) {
	if v, ok := n[key]; ok {
		return v, nil
	}
	return nil, amble.ErrNoRecord
}
func (n notebook) PutNote(_ context.Context, key string, value []byte) error {
	n[key] = value
	return nil
}

// site is a Fetcher whose answers to pages change; it counts them.
type site struct {
	status    atomic.Int32 // 0: nobody answers
	late      atomic.Int64 // time to the first byte
	challenge atomic.Bool
	ends      time.Time // of the certificate; zero: plain http
	asked     atomic.Int32
}

func (s *site) Fetch(_ context.Context, req *amble.Request) (*amble.Response, error) {
	if req.Kind == amble.KindPage {
		s.asked.Add(1)
	}
	if s.status.Load() == 0 {
		return nil, &amble.Error{Op: "fetch", Kind: amble.ErrUnreachable, Err: &amble.FetchError{Trouble: amble.TroubleRefused}}
	}
	r := &amble.Response{URL: req.URL, Proto: "HTTP/1.1", Header: http.Header{"Content-Type": {"text/html"}}, Sent: time.Now()}
	if req.Kind == amble.KindRobots {
		r.Status = 404
		return r, nil
	}
	if s.challenge.Load() {
		r.Status = 403
		r.Header.Set("Cf-Mitigated", "challenge")
		return r, nil
	}
	r.Status, r.Body, r.Timing.FirstByte = int(s.status.Load()), []byte("<title>t</title>"), time.Duration(s.late.Load())
	if !s.ends.IsZero() {
		r.TLS = &amble.TLSInfo{Chain: []*x509.Certificate{{NotAfter: s.ends}}}
	}
	return r, nil
}

// newTestWatcher watches a site in virtual time.
func newTestWatcher(t *testing.T, s *site, out *bytes.Buffer) *watcher {
	o, err := parse([]string{"watch", "-name", "X", "-info-url", "https://x.test/", "https://site.test/"})
	if err != nil {
		t.Fatal(err)
	}
	w := newWatcher(o, out)
	w.crawler.Fetcher = s
	return w
}

// TestWatch proves that a fault is confirmed by a second look before it is told, that only changes are told, that what is
// refused is not called down (S20), and that each look is one request.
func TestWatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, out := &site{}, &bytes.Buffer{}
		s.status.Store(200)
		w := newTestWatcher(t, s, out)
		book := notebook{}
		w.notes = book
		step := func(name string, asked int32, want string) {
			t.Helper()
			time.Sleep(5 * time.Minute)
			out.Reset()
			s.asked.Store(0)
			if err := w.look(t.Context(), "https://site.test/"); err != nil {
				t.Fatal(err)
			}
			if got := out.String(); want == "" && got != "" || !strings.Contains(got, want) {
				t.Errorf("%s: told %q, want %q", name, got, want)
			}
			if n := s.asked.Load(); n != asked {
				t.Errorf("%s: %d requests, want %d", name, n, asked)
			}
		}
		step("first", 1, " up          https://site.test/\n")
		step("the same", 1, "")
		s.status.Store(500)
		go func() { time.Sleep(5*time.Minute + 20*time.Second); s.status.Store(200) }()
		step("down for 20 seconds", 2, "")
		s.status.Store(500)
		step("down", 2, "down        https://site.test/: status 500 Internal Server Error (up for ")
		step("still down", 1, "")
		s.status.Store(0)
		step("still down, otherwise", 1, "")
		s.status.Store(200)
		step("up again", 1, " up          https://site.test/ (down for 1")
		s.late.Store(int64(4 * time.Second))
		step("slow", 2, "slow        https://site.test/: the first byte came after 4s")
		s.late.Store(0)
		step("quick", 1, " up ")
		s.challenge.Store(true)
		step("a challenge", 1, "unknown     https://site.test/: cloudflare challenge")
		s.challenge.Store(false)
		s.ends = time.Now().Add(10 * 24 * time.Hour)
		step("the certificate runs out", 1, "certificate https://site.test/: it ends on ")
		s.ends = time.Time{}
		s.status.Store(404)
		step("gone", 2, "down        https://site.test/: status 404")

		w = newTestWatcher(t, s, out) // a restart
		w.notes = book
		step("known from before", 1, "")
	})
}

// TestWatchWithoutRobots proves that a server that is down from the start is told so, though its robots.txt cannot be read.
func TestWatchWithoutRobots(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, out := &site{}, &bytes.Buffer{}
		w := newTestWatcher(t, s, out)
		if code, err := w.round(t.Context(), []string{"https://site.test/"}); err != nil || code != 1 || !strings.Contains(out.String(), " down ") {
			t.Errorf("code %d, %v: %s", code, err, out.String())
		}
	})
}

// TestWatchRecurs proves that the monitor looks again and again, and ends with its context.
func TestWatchRecurs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, out := &site{}, &bytes.Buffer{}
		s.status.Store(200)
		w := newTestWatcher(t, s, out)
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		if err := w.recur(ctx, []string{"https://site.test/"}, 5*time.Minute); !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
		if n := s.asked.Load(); n < 9 || n > 12 || strings.Count(out.String(), "\n") != 1 {
			t.Errorf("%d requests in an hour, told %q", n, out.String())
		}
	})
}
