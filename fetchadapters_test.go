package amble

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"
)

func TestHandlerIsAFetcher(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	mux := http.NewServeMux()
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		if r.Host != "site.test" || r.RequestURI != "/?a=b" || r.TLS == nil || r.Header.Get("User-Agent") != "ExampleAudit/1.0" {
			t.Errorf("the handler saw %s %s %v %v", r.Host, r.RequestURI, r.TLS, r.Header)
		}
		io.WriteString(w, "<p>hello</p>")
	})
	mux.HandleFunc("/gzip", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		w.Write(gz("hello"))
	})
	mux.HandleFunc("/moved", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/", http.StatusMovedPermanently) })
	mux.HandleFunc("/empty", func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(204) })
	mux.HandleFunc("/nothing", func(http.ResponseWriter, *http.Request) {})
	mux.HandleFunc("/panic", func(http.ResponseWriter, *http.Request) { panic("oops") })
	mux.HandleFunc("/panic-late", func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "hello"); panic("oops") })
	mux.HandleFunc("/abort", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })
	mux.HandleFunc("/short", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", "10")
		io.WriteString(w, "hello")
	})
	mux.HandleFunc("/endless", func(w http.ResponseWriter, r *http.Request) {
		for {
			if _, err := io.WriteString(w, strings.Repeat("x", 4096)); err != nil {
				return
			}
		}
	})
	mux.HandleFunc("/switch", func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(101) })
	mux.HandleFunc("/badstatus", func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(0) })
	mux.HandleFunc("/600", func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(600) })
	mux.HandleFunc("/early", func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(103); io.WriteString(w, "hello") })
	mux.HandleFunc("/latin", func(w http.ResponseWriter, r *http.Request) { w.Header().Set("X", "caf\xe9"); w.WriteHeader(200) })
	f := HandlerFetcher(mux)
	for _, c := range []struct {
		path   string
		status int
		body   string
		cut    Cut
		kind   error
	}{
		{"/?a=b", 200, "<p>hello</p>", CutNone, nil},
		{"/gzip", 200, "hello", CutNone, nil},
		{"/moved", 301, "<a href=\"/\">Moved Permanently</a>.\n\n", CutNone, nil},
		{"/empty", 204, "", CutNone, nil},
		{"/nothing", 200, "", CutNone, nil},
		{"/panic", 0, "", CutNone, ErrUnreachable},
		{"/panic-late", 200, "hello", CutBroken, nil},
		{"/abort", 0, "", CutNone, ErrUnreachable},
		{"/short", 200, "hello", CutBroken, nil},
		{"/endless", 200, strings.Repeat("x", 1<<20), CutLimit, nil},
		{"/switch", 0, "", CutNone, ErrProtocol},
		{"/badstatus", 0, "", CutNone, ErrUnreachable},
		{"/600", 0, "", CutNone, ErrProtocol},
		{"/early", 200, "hello", CutNone, nil},
	} {
		r, err := f.Fetch(t.Context(), get(t, "https://site.test"+c.path))
		if c.kind != nil {
			if !errors.Is(err, c.kind) {
				t.Errorf("%s: error %v, want %v", c.path, err, c.kind)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", c.path, err)
			continue
		}
		if r.Status != c.status || string(r.Body) != c.body || r.Cut != c.cut {
			t.Errorf("%s: status %d, %d bytes %.30q, cut %d (%v)", c.path, r.Status, len(r.Body), r.Body, r.Cut, r.CutErr)
		}
		r.Release()
	}
	r, err := f.Fetch(t.Context(), get(t, "https://site.test/?a=b"))
	if err != nil || r.Header.Get("Content-Type") != "text/html; charset=utf-8" {
		t.Errorf("%v, %v", err, r.Header)
	}
	if r, err = f.Fetch(t.Context(), get(t, "https://site.test/latin")); err != nil || r.Header.Get("X") != "caf\u00e9" {
		t.Errorf("%v, %v", err, r.Header)
	}
}

func TestHandlerThatNeverAnswersIsLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := HandlerFetcher(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/body" {
				io.WriteString(w, "hello")
			}
			<-r.Context().Done()
		}))
		start := time.Now()
		if _, err := f.Fetch(t.Context(), get(t, "http://site.test/")); troubleOf(err) != TroubleTimeout || time.Since(start) != 15*time.Second {
			t.Errorf("%v after %v", err, time.Since(start))
		}
		start = time.Now()
		r, err := f.Fetch(t.Context(), get(t, "http://site.test/body"))
		if err != nil || r.Cut != CutBroken || !errors.Is(r.CutErr, errStalled) || time.Since(start) != 10*time.Second {
			t.Errorf("%v, %+v after %v", err, r, time.Since(start))
		}
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		start = time.Now()
		if _, err := f.Fetch(ctx, get(t, "http://site.test/")); !errors.Is(err, context.Canceled) || time.Since(start) != time.Second {
			t.Errorf("%v after %v", err, time.Since(start))
		}
		if _, err := f.Fetch(ctx, get(t, "http://site.test/")); !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled before: %v", err)
		}
	})
}

func TestFetcherIsARoundTripper(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/moved":
			http.Redirect(w, r, "/", http.StatusFound)
		case "/large":
			w.Write(make([]byte, 2000))
		case "/short":
			w.Header().Set("Content-Length", "10")
			io.WriteString(w, "hello")
		default:
			w.Header().Set("Content-Encoding", "gzip")
			w.Write(gz("hello"))
		}
	}))
	defer s.Close()
	f := newTestFetcher(t)
	f.MaxBytes = 1000
	client := &http.Client{Transport: FetcherTransport(f)}
	for _, c := range []struct {
		path, body string
		err        error
	}{
		{"/", "hello", nil},
		{"/moved#top", "hello", nil},
		{"/large", strings.Repeat("\x00", 1000), ErrTooLarge},
		{"/short", "hello", ErrTruncated},
	} {
		resp, err := client.Get(s.URL + c.path)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if string(body) != c.body || !errors.Is(err, c.err) || resp.StatusCode != 200 || resp.ProtoMajor != 1 {
			t.Errorf("%s: %.20q, %v, %s", c.path, body, err, resp.Status)
		}
	}
	if _, err := client.Post(s.URL, "text/plain", strings.NewReader("x")); !errors.Is(err, ErrConfig) {
		t.Errorf("a request with a body: %v", err)
	}
	if _, err := client.Get("http://10.0.0.1/"); !errors.Is(err, ErrForbiddenAddr) {
		t.Errorf("a forbidden address: %v", err)
	}
}

func TestForeignBodyThatIgnoresTheContextIsClosed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		body, w := io.Pipe()
		defer w.Close()
		f := RoundTripperFetcher(roundTripperFunc(func(r *http.Request) (*http.Response, error) {
			return &http.Response{StatusCode: 200, Body: body, ContentLength: -1}, nil
		}))
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		r, err := f.Fetch(ctx, get(t, "http://site.test/"))
		if err != nil || r.Cut != CutBroken || r.Header == nil {
			t.Errorf("%v, %+v", err, r)
		}
	})
}

type roundTripperFunc func(*http.Request) (*http.Response, error)

func (f roundTripperFunc) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }
