package ambletest

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/amblecrawl/amble"
)

// onLoopback serves a handler on loopback until the test ends.
func onLoopback(t testing.TB, h http.Handler) string {
	server := httptest.NewUnstartedServer(h)
	server.Config.ErrorLog = nil
	server.Start()
	t.Cleanup(server.Close)
	return server.URL
}

func TestHTTPFetcherKeepsTheContract(t *testing.T) {
	TestFetcher(t, func(t testing.TB, h http.Handler) (amble.Fetcher, string) {
		f := &amble.HTTPFetcher{Addresses: amble.LoopbackOnly()}
		t.Cleanup(f.CloseIdleConnections)
		return f, onLoopback(t, h)
	})
}

func TestHandlerFetcherKeepsTheContract(t *testing.T) {
	TestFetcher(t, func(_ testing.TB, h http.Handler) (amble.Fetcher, string) {
		return amble.HandlerFetcher(h), "https://site.test"
	})
}

func TestRoundTripperFetcherKeepsTheContract(t *testing.T) {
	TestFetcher(t, func(t testing.TB, h http.Handler) (amble.Fetcher, string) {
		transport := &http.Transport{DisableKeepAlives: true}
		return amble.RoundTripperFetcher(transport), onLoopback(t, h)
	})
}

// clientFetcher is what people write first: an http.Client, its answer copied.
type clientFetcher struct {
	client http.Client
}

func (f *clientFetcher) Fetch(ctx context.Context, req *amble.Request) (*amble.Response, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, req.URL.String(), nil)
	if err != nil {
		return nil, err
	}
	resp, err := f.client.Do(r)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return nil, err
	}
	return &amble.Response{URL: resp.Request.URL, Status: resp.StatusCode, Header: resp.Header, Body: body}, nil
}

// decorated breaks one promise of a sound Fetcher.
func decorated(fetch func(next amble.Fetcher, ctx context.Context, req *amble.Request) (*amble.Response, error)) fetcherSubject {
	return func(t testing.TB, h http.Handler) (amble.Fetcher, string) {
		next := amble.HandlerFetcher(h)
		return amble.FetcherFunc(func(ctx context.Context, req *amble.Request) (*amble.Response, error) {
			return fetch(next, ctx, req)
		}), "https://site.test"
	}
}

func TestFetcherSuiteFindsBrokenPromises(t *testing.T) {
	client := fetcherSubject(func(t testing.TB, h http.Handler) (amble.Fetcher, string) {
		jar, _ := cookiejar.New(nil)
		f := &clientFetcher{client: http.Client{Jar: jar, Transport: &http.Transport{}}}
		t.Cleanup(f.client.CloseIdleConnections)
		return f, onLoopback(t, h)
	})
	var shared [1 << 20]byte
	wantBroken(t, fetcherPromises, map[string]fetcherSubject{
		"a redirect is an answer and is not followed": client,
		"an ended context sends nothing": decorated(func(next amble.Fetcher, ctx context.Context, req *amble.Request) (*amble.Response, error) {
			return next.Fetch(context.WithoutCancel(ctx), req)
		}),
		"a context that ends before the answer ends the exchange": decorated(func(next amble.Fetcher, ctx context.Context, req *amble.Request) (*amble.Response, error) {
			ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 50*time.Millisecond)
			defer cancel()
			return next.Fetch(ctx, req)
		}),
		"a context that ends during the body ends the exchange": decorated(func(next amble.Fetcher, ctx context.Context, req *amble.Request) (*amble.Response, error) {
			ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 50*time.Millisecond)
			defer cancel()
			resp, err := next.Fetch(ctx, req)
			if resp != nil {
				resp.Cut = amble.CutNone
			}
			return resp, err
		}),
		"reading stops at MaxBytes and Cut says so": client,
		"MaxBytes counts after decoding": decorated(func(next amble.Fetcher, ctx context.Context, req *amble.Request) (*amble.Response, error) {
			own := *req
			own.MaxBytes = -1
			return next.Fetch(ctx, &own)
		}),
		"Accept decides before the body is read":        client,
		"a body that breaks off is a Response with Cut": client,
		"no answer is an error and no Response": decorated(func(next amble.Fetcher, ctx context.Context, req *amble.Request) (*amble.Response, error) {
			resp, _ := next.Fetch(ctx, req)
			return resp, nil
		}),
		"concurrent exchanges do not mix": func() fetcherSubject {
			last := make(chan *amble.Response, 1)
			return decorated(func(next amble.Fetcher, ctx context.Context, req *amble.Request) (*amble.Response, error) {
				resp, err := next.Fetch(ctx, req)
				if err != nil {
					return nil, err
				}
				kept := &amble.Response{URL: resp.URL, Status: resp.Status, Header: resp.Header.Clone(), Body: bytes.Clone(resp.Body)}
				select {
				case last <- kept:
				case old := <-last:
					return old, err
				}
				return resp, err
			})
		}(),
		"a body stays whole until Release": decorated(func(next amble.Fetcher, ctx context.Context, req *amble.Request) (*amble.Response, error) {
			resp, err := next.Fetch(ctx, req)
			if resp != nil {
				resp.Body = shared[:copy(shared[:], resp.Body)]
			}
			return resp, err
		}),
		"nothing is sent twice": decorated(func(next amble.Fetcher, ctx context.Context, req *amble.Request) (*amble.Response, error) {
			resp, err := next.Fetch(ctx, req)
			if err != nil || resp.Status == http.StatusServiceUnavailable {
				return next.Fetch(ctx, req)
			}
			return resp, err
		}),
		"a refusal is an answer and is not waited for": decorated(func(next amble.Fetcher, ctx context.Context, req *amble.Request) (*amble.Response, error) {
			resp, err := next.Fetch(ctx, req)
			if resp != nil && resp.Status == http.StatusTooManyRequests {
				return nil, amble.ErrThrottled
			}
			return resp, err
		}),
		"nothing but the request is sent": client,
		"the request is not changed": decorated(func(next amble.Fetcher, ctx context.Context, req *amble.Request) (*amble.Response, error) {
			req.Header.Set("Accept-Language", "en")
			return next.Fetch(ctx, req)
		}),
		"no cookies are kept": client,
		"the answer is told as it was": decorated(func(next amble.Fetcher, ctx context.Context, req *amble.Request) (*amble.Response, error) {
			resp, err := next.Fetch(ctx, req)
			if resp != nil && resp.Status == http.StatusNotFound {
				return nil, amble.ErrUnreachable
			}
			return resp, err
		}),
	})
}
