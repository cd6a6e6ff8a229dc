package ambletest

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/amblecrawl/amble"
)

// TestFetcher checks that a Fetcher keeps the promises of [amble.Fetcher]. serve makes the Fetcher to be checked and
// lets it reach the handler, in process or by a server on loopback that ends with the test; base is where the handler
// is found, such as "http://127.0.0.1:8080". It is called once for each promise.
//
// A Fetcher that waits for the handler although its context has ended is given up on after ten seconds.
func TestFetcher(t *testing.T, serve func(t testing.TB, h http.Handler) (f amble.Fetcher, base string)) {
	checkAll(t, fetcherPromises, func(*testing.T) fetcherSubject { return serve })
}

type fetcherSubject func(t testing.TB, h http.Handler) (f amble.Fetcher, base string)

var fetcherPromises = []promise[fetcherSubject]{
	{"a redirect is an answer and is not followed", checkRedirect},
	{"an ended context sends nothing", checkEndedContext},
	{"a context that ends before the answer ends the exchange", checkContextInHead},
	{"a context that ends during the body ends the exchange", checkContextInBody},
	{"reading stops at MaxBytes and Cut says so", checkMaxBytes},
	{"MaxBytes counts after decoding", checkMaxBytesDecoded},
	{"Accept decides before the body is read", checkAccept},
	{"a body that breaks off is a Response with Cut", checkBrokenBody},
	{"no answer is an error and no Response", checkNoAnswer},
	{"concurrent exchanges do not mix", checkConcurrent},
	{"a body stays whole until Release", checkBodyStays},
	{"nothing is sent twice", checkNoRetry},
	{"a refusal is an answer and is not waited for", checkNoWait},
	{"nothing but the request is sent", checkOnlyRequest},
	{"the request is not changed", checkRequestUnchanged},
	{"no cookies are kept", checkNoCookies},
	{"the answer is told as it was", checkAnswer},
}

// hang is how long a part may take for what should be immediate, before it counts as hanging.
const hang = 10 * time.Second

// fetch makes a request for a path. It gives up on a Fetcher that hangs.
func fetch(ctx context.Context, t testing.TB, f amble.Fetcher, base, target string, change ...func(*amble.Request)) (*amble.Response, error) {
	t.Helper()
	u, err := url.Parse(base + target)
	if err != nil {
		t.Fatalf("base %q: %v", base, err)
	}
	req := &amble.Request{URL: u, MaxBytes: -1, Header: http.Header{"User-Agent": {"AmbleTest/1.0"}, "Accept": {"*/*"}}}
	for _, c := range change {
		c(req)
	}
	type result struct {
		resp *amble.Response
		err  error
	}
	done := make(chan result, 1)
	go func() {
		resp, err := f.Fetch(ctx, req)
		done <- result{resp, err}
	}()
	select {
	case r := <-done:
		if (r.resp == nil) == (r.err == nil) {
			t.Fatalf("Fetch of %s returned Response %v and error %v: exactly one must be nil", target, r.resp, r.err)
		}
		return r.resp, r.err
	case <-time.After(2 * hang):
		t.Fatalf("Fetch of %s did not return", target)
		return nil, nil
	}
}

// answer is fetch for what must be answered.
func answer(t testing.TB, f amble.Fetcher, base, target string, change ...func(*amble.Request)) *amble.Response {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), hang)
	defer cancel()
	resp, err := fetch(ctx, t, f, base, target, change...)
	if err != nil {
		t.Fatalf("Fetch of %s: %v", target, err)
	}
	t.Cleanup(resp.Release)
	return resp
}

func maxBytes(n int64) func(*amble.Request) { return func(r *amble.Request) { r.MaxBytes = n } }

func checkRedirect(t testing.TB, serve fetcherSubject) {
	var followed atomic.Int32
	f, base := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/target" {
			followed.Add(1)
			return
		}
		w.Header().Set("Location", "/target")
		var status int
		fmt.Sscanf(r.URL.Path, "/%d", &status)
		w.WriteHeader(status)
	}))
	for _, status := range []int{301, 302, 303, 307, 308} {
		resp := answer(t, f, base, fmt.Sprintf("/%d", status))
		if resp.Status != status || resp.Header.Get("Location") != "/target" {
			t.Errorf("a %d with Location /target came back as %d with Location %q", status, resp.Status, resp.Header.Get("Location"))
		}
	}
	if n := followed.Load(); n > 0 {
		t.Errorf("%d of 5 redirects were followed", n)
	}
}

func checkEndedContext(t testing.TB, serve fetcherSubject) {
	var asked atomic.Int32
	f, base := serve(t, http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked.Add(1) }))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := fetch(ctx, t, f, base, "/"); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want one that matches context.Canceled", err)
	}
	if n := asked.Load(); n > 0 {
		t.Errorf("%d requests were sent although the context had ended", n)
	}
}

func checkContextInHead(t testing.TB, serve fetcherSubject) {
	asked, free := make(chan bool, 1), make(chan bool)
	f, base := serve(t, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		asked <- true
		select {
		case <-free:
		case <-r.Context().Done():
		}
	}))
	defer close(free)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() { <-asked; cancel() }()
	if _, err := fetch(ctx, t, f, base, "/"); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want one that matches context.Canceled", err)
	}
}

func checkContextInBody(t testing.TB, serve fetcherSubject) {
	asked, free := make(chan bool, 1), make(chan bool)
	f, base := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, "the beginning")
		_ = http.NewResponseController(w).Flush()
		asked <- true
		select {
		case <-free:
		case <-r.Context().Done():
		}
	}))
	defer close(free)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() { <-asked; cancel() }()
	resp, err := fetch(ctx, t, f, base, "/")
	if err == nil && resp.Cut == amble.CutNone {
		t.Error("a body that never ended came back as whole")
	}
	if err != nil && !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want one that matches context.Canceled", err)
	}
	resp.Release()
}

func checkMaxBytes(t testing.TB, serve fetcherSubject) {
	body := strings.Repeat("0123456789", 1000)
	f, base := serve(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, body)
	}))
	for _, test := range []struct {
		max  int64
		want int
		cut  amble.Cut
	}{{-1, 10000, amble.CutNone}, {20000, 10000, amble.CutNone}, {10000, 10000, amble.CutNone}, {9999, 9999, amble.CutLimit},
		{1, 1, amble.CutLimit}, {0, 0, amble.CutUnwanted}} {
		resp := answer(t, f, base, "/", maxBytes(test.max))
		if string(resp.Body) != body[:min(test.want, len(body))] || resp.Cut != test.cut {
			t.Errorf("MaxBytes %d: %d bytes of 10000 and Cut %d, want %d and %d", test.max, len(resp.Body), resp.Cut, test.want, test.cut)
		}
	}
}

func checkMaxBytesDecoded(t testing.TB, serve fetcherSubject) {
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	_, _ = z.Write(bytes.Repeat([]byte("a"), 1<<20))
	_ = z.Close()
	f, base := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		if !strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
			_, _ = w.Write(bytes.Repeat([]byte("a"), 1<<20))
			return
		}
		w.Header().Set("Content-Encoding", "gzip")
		_, _ = w.Write(packed.Bytes())
	}))
	resp := answer(t, f, base, "/", maxBytes(100_000))
	if len(resp.Body) != 100_000 || resp.Cut != amble.CutLimit || bytes.Trim(resp.Body, "a") != nil && len(bytes.Trim(resp.Body, "a")) > 0 {
		t.Errorf("of 1 MiB that is %d bytes packed, MaxBytes 100000 gave %d bytes and Cut %d", packed.Len(), len(resp.Body), resp.Cut)
	}
}

func checkAccept(t testing.TB, serve fetcherSubject) {
	f, base := serve(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "image/png")
		w.WriteHeader(http.StatusAccepted)
		_, _ = io.WriteString(w, "picture")
	}))
	for _, accept := range []bool{true, false} {
		var calls []string
		resp := answer(t, f, base, "/", func(r *amble.Request) {
			r.Accept = func(status int, h http.Header) bool {
				calls = append(calls, fmt.Sprint(status, " ", h.Get("Content-Type")))
				return accept
			}
		})
		if len(calls) != 1 || calls[0] != "202 image/png" {
			t.Errorf("Accept was asked %q, want once with status and header", calls)
		}
		want, cut := "picture", amble.CutNone
		if !accept {
			want, cut = "", amble.CutUnwanted
		}
		if string(resp.Body) != want || resp.Cut != cut {
			t.Errorf("Accept said %t: body %q and Cut %d, want %q and %d", accept, resp.Body, resp.Cut, want, cut)
		}
	}
}

func checkBrokenBody(t testing.TB, serve fetcherSubject) {
	f, base := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		if r.URL.Path == "/length" {
			w.Header().Set("Content-Length", "1000")
		}
		_, _ = io.WriteString(w, "the beginning")
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	}))
	for _, target := range []string{"/chunked", "/length"} {
		resp, err := fetch(t.Context(), t, f, base, target)
		if err != nil {
			t.Errorf("%s: error %v, want a Response with what was read", target, err)
			continue
		}
		if resp.Cut != amble.CutBroken || !strings.HasPrefix("the beginning", string(resp.Body)) {
			t.Errorf("%s: Cut %d and body %q, want CutBroken and what was read", target, resp.Cut, resp.Body)
		}
		resp.Release()
	}
}

func checkNoAnswer(t testing.TB, serve fetcherSubject) {
	f, base := serve(t, http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }))
	if resp, err := fetch(t.Context(), t, f, base, "/"); err == nil {
		t.Errorf("a connection that was closed without an answer gave status %d", resp.Status)
	}
}

func checkConcurrent(t testing.TB, serve fetcherSubject) {
	f, base := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		_, _ = io.WriteString(w, strings.Repeat(r.URL.Path+" ", 1000))
	}))
	var wg sync.WaitGroup
	for i := range 32 {
		wg.Go(func() {
			target := fmt.Sprintf("/%d", i)
			u, _ := url.Parse(base + target)
			for range 4 {
				resp, err := f.Fetch(t.Context(), &amble.Request{URL: u, MaxBytes: -1})
				if err != nil {
					t.Errorf("%s: %v", target, err)
					return
				}
				if string(resp.Body) != strings.Repeat(target+" ", 1000) || resp.URL.String() != u.String() {
					t.Errorf("%s: got the answer of %v, body %.20q", target, resp.URL, resp.Body)
				}
				resp.Release()
			}
		})
	}
	wg.Wait()
}

func checkBodyStays(t testing.TB, serve fetcherSubject) {
	f, base := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		_, _ = io.WriteString(w, strings.Repeat(r.URL.Path, 500))
	}))
	first := answer(t, f, base, "/first")
	for range 20 {
		answer(t, f, base, "/other").Release()
	}
	if string(first.Body) != strings.Repeat("/first", 500) {
		t.Errorf("later exchanges changed the body of a Response that was not released: %.20q", first.Body)
	}
	first.Release()
	first.Release() // harmless
}

func checkNoRetry(t testing.TB, serve fetcherSubject) {
	var asked atomic.Int32
	f, base := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch asked.Add(1); r.URL.Path {
		case "/warm":
		case "/503":
			w.WriteHeader(http.StatusServiceUnavailable)
		default:
			panic(http.ErrAbortHandler)
		}
	}))
	answer(t, f, base, "/warm").Release() // a kept connection tempts most to try again
	for _, target := range []string{"/abort", "/503"} {
		asked.Store(0)
		if resp, err := fetch(t.Context(), t, f, base, target); err == nil {
			resp.Release()
		}
		if n := asked.Load(); n != 1 {
			t.Errorf("%s: one Fetch sent %d requests", target, n)
		}
	}
}

func checkNoWait(t testing.TB, serve fetcherSubject) {
	f, base := serve(t, refusing(http.StatusTooManyRequests, "3600"))
	resp := answer(t, f, base, "/") // within hang, of the hour asked for
	if resp.Status != http.StatusTooManyRequests || resp.Header.Get("Retry-After") != "3600" {
		t.Errorf("a 429 with Retry-After came back as %d, Retry-After %q", resp.Status, resp.Header.Get("Retry-After"))
	}
}

func checkOnlyRequest(t testing.TB, serve fetcherSubject) {
	var mu sync.Mutex
	var log []*http.Request
	f, base := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		log = append(log, r)
		mu.Unlock()
		w.Header().Set("Content-Type", "text/html")
		w.Header().Set("Link", "</style.css>; rel=preload; as=style")
		_, _ = io.WriteString(w, `<!doctype html><link rel="stylesheet" href="/style.css"><img src="/image.png">`)
	}))
	for i, method := range []string{"", http.MethodGet, http.MethodHead} {
		answer(t, f, base, "/page?q=1&r=%20", func(r *amble.Request) {
			r.Method = method
			r.Header.Set("User-Agent", "Named/1.0 (+https://example.com/)")
			r.Header.Set("If-None-Match", `"x"`)
		})
		mu.Lock()
		if len(log) != i+1 {
			t.Fatalf("%d requests sent for %d exchanges", len(log), i+1)
		}
		got := log[i]
		mu.Unlock()
		want := method
		if want == "" {
			want = http.MethodGet
		}
		if got.Method != want || got.RequestURI != "/page?q=1&r=%20" {
			t.Errorf("asked for %s %s, want %s /page?q=1&r=%%20", got.Method, got.RequestURI, want)
		}
		if ua := got.UserAgent(); ua != "Named/1.0 (+https://example.com/)" {
			t.Errorf("the User-Agent was sent as %q", ua)
		}
		if v := got.Header.Get("If-None-Match"); v != `"x"` {
			t.Errorf("If-None-Match was sent as %q", v)
		}
		for _, name := range []string{"Referer", "Cookie", "Authorization"} {
			if v := got.Header.Get(name); v != "" {
				t.Errorf("%s: %s was added", name, v)
			}
		}
	}
}

func checkRequestUnchanged(t testing.TB, serve fetcherSubject) {
	f, base := serve(t, http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	var req *amble.Request
	answer(t, f, base, "/a?b", func(r *amble.Request) { req = r })
	want := http.Header{"User-Agent": {"AmbleTest/1.0"}, "Accept": {"*/*"}}
	if req.URL.String() != base+"/a?b" || !reflect.DeepEqual(req.Header, want) || req.MaxBytes != -1 || req.Method != "" {
		t.Errorf("the Request was changed: %v %v %d %q", req.URL, req.Header, req.MaxBytes, req.Method)
	}
}

func checkNoCookies(t testing.TB, serve fetcherSubject) {
	var sent atomic.Value
	f, base := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		sent.Store(r.Header.Get("Cookie"))
		http.SetCookie(w, &http.Cookie{Name: "session", Value: "1", Path: "/"})
	}))
	for range 2 {
		answer(t, f, base, "/")
	}
	if c, _ := sent.Load().(string); c != "" {
		t.Errorf("a cookie of the first exchange was sent with the second: %s", c)
	}
}

func checkAnswer(t testing.TB, serve fetcherSubject) {
	f, base := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Header().Add("X-Robots-Tag", "noindex")
		w.Header().Add("X-Robots-Tag", "otherbot: nofollow")
		w.WriteHeader(http.StatusNotFound)
		_, _ = io.WriteString(w, "not here")
	}))
	before := time.Now()
	resp := answer(t, f, base, "/x")
	if resp.URL == nil || resp.URL.String() != base+"/x" {
		t.Errorf("Response.URL is %v, want %s/x", resp.URL, base)
	}
	if resp.Status != http.StatusNotFound || string(resp.Body) != "not here" || resp.Cut != amble.CutNone {
		t.Errorf("status %d, body %q, Cut %d, want 404 with its whole body", resp.Status, resp.Body, resp.Cut)
	}
	if got := resp.Header.Values("X-Robots-Tag"); len(got) != 2 {
		t.Errorf("X-Robots-Tag came as %q, want both lines", got)
	}
	if resp.Sent.Before(before) || resp.Sent.After(time.Now()) {
		t.Errorf("Response.Sent is %v, want the time when the request was sent", resp.Sent)
	}
}
