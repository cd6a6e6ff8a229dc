package amble

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
)

// RoundTripperFetcher makes a Fetcher of any http.RoundTripper, with the same limits, decoding and refusals as
// HTTPFetcher. The RoundTripper opens its own connections, so the address guard does not stand behind it: use it for
// tests, caches and transports that guard themselves.
func RoundTripperFetcher(rt http.RoundTripper) Fetcher {
	return FetcherFunc(func(ctx context.Context, req *Request) (*Response, error) {
		if req.URL == nil {
			return nil, &Error{Op: "fetch", Kind: ErrBadURL, Reason: "Request.URL is nil"}
		}
		if err := ctx.Err(); err != nil {
			x := &httpExchange{req: req}
			return nil, x.failure(ctx, nil, err)
		}
		x := &httpExchange{req: req, transport: rt, foreign: true, limits: (&HTTPFetcher{}).limits()}
		return x.run(ctx)
	})
}

// HandlerFetcher makes a Fetcher of an http.Handler: a site is crawled in process, without a network. The handler runs
// in a goroutine of its own with a context that ends with the exchange; its body is streamed, so an endless one ends at
// the limit. A panic is an error of the exchange, not of the program. A handler that ignores its context cannot be
// ended: Fetch returns without it.
func HandlerFetcher(h http.Handler) Fetcher { return RoundTripperFetcher(handlerTransport{h}) }

type handlerTransport struct{ handler http.Handler }

// RoundTrip runs the handler until the head of its answer is there.
func (t handlerTransport) RoundTrip(out *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancel(out.Context()) // which the exchange ends
	in := out.Clone(ctx)
	in.RequestURI = out.URL.RequestURI()
	in.RemoteAddr = "192.0.2.1:1234" // an address of documentation, RFC 5737: there is no connection
	in.Body = http.NoBody
	if out.URL.Scheme == "https" {
		in.TLS = &tls.ConnectionState{HandshakeComplete: true, ServerName: out.URL.Hostname()}
	}
	if agent := in.Header["User-Agent"]; len(agent) == 1 && agent[0] == "" {
		delete(in.Header, "User-Agent")
	}
	body, pipe := io.Pipe()
	w := &handlerWriter{req: out, header: http.Header{}, pipe: pipe, body: body, head: make(chan *http.Response, 1), failed: make(chan error, 1)}
	go func() {
		defer cancel()
		w.serve(t.handler, in)
	}()
	select {
	case resp := <-w.head:
		return resp, nil
	case err := <-w.failed:
		select {
		case resp := <-w.head: // it had begun to answer: the body tells
			return resp, nil
		default:
			return nil, err
		}
	case <-out.Context().Done():
		err := context.Cause(out.Context())
		body.CloseWithError(err)
		return nil, err
	}
}

// handlerWriter is the http.ResponseWriter of a handler that is crawled in process.
type handlerWriter struct {
	req    *http.Request
	header http.Header
	pipe   *io.PipeWriter
	body   *io.PipeReader
	head   chan *http.Response
	failed chan error

	wrote   bool
	noBody  bool
	length  int64 // declared; -1: not
	written int64
}

func (w *handlerWriter) serve(h http.Handler, r *http.Request) {
	defer func() {
		if p := recover(); p != nil {
			err := fmt.Errorf("the handler panicked: %v", p)
			if p == http.ErrAbortHandler {
				err = io.ErrUnexpectedEOF // what a client sees of it
			}
			w.failed <- err
			w.pipe.CloseWithError(err)
		}
	}()
	h.ServeHTTP(w, r)
	if err := context.Cause(r.Context()); err != nil { // it was ended, so its body is not whole
		w.failed <- err
		w.pipe.CloseWithError(err)
		return
	}
	w.WriteHeader(http.StatusOK)
	if w.length >= 0 && w.written < w.length && !w.noBody {
		w.pipe.CloseWithError(io.ErrUnexpectedEOF)
		return
	}
	w.pipe.Close()
}

// Header returns the answer's fields, to be set before WriteHeader.
func (w *handlerWriter) Header() http.Header { return w.header }

// WriteHeader sends the head. Interim answers are left out.
func (w *handlerWriter) WriteHeader(status int) {
	if status < 100 || status > 999 {
		panic(fmt.Sprintf("invalid WriteHeader code %d", status)) // as net/http's server does
	}
	if w.wrote || status < 200 && status != http.StatusSwitchingProtocols {
		return
	}
	w.wrote = true
	w.noBody = w.req.Method == http.MethodHead || status < 200 || status == http.StatusNoContent || status == http.StatusNotModified
	w.length = -1
	if n, err := strconv.ParseInt(w.header.Get("Content-Length"), 10, 64); err == nil && n >= 0 {
		w.length = n
	}
	resp := &http.Response{
		Status: strconv.Itoa(status) + " " + http.StatusText(status), StatusCode: status,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: w.header.Clone(), Request: w.req, ContentLength: w.length,
		Body: w.body,
	}
	if w.noBody {
		resp.Body = http.NoBody
	}
	w.head <- resp
}

// Write sends a part of the body.
func (w *handlerWriter) Write(p []byte) (int, error) {
	if !w.wrote {
		if w.header["Content-Type"] == nil && w.header.Get("Content-Encoding") == "" && len(p) > 0 {
			w.header.Set("Content-Type", http.DetectContentType(p))
		}
		w.WriteHeader(http.StatusOK)
	}
	if w.noBody {
		return len(p), nil
	}
	if w.length >= 0 && w.written+int64(len(p)) > w.length {
		return 0, http.ErrContentLength
	}
	n, err := w.pipe.Write(p)
	w.written += int64(n)
	return n, err
}

// Flush sends the head; the body is never held back.
func (w *handlerWriter) Flush() { w.WriteHeader(http.StatusOK) }

// FetcherTransport makes an http.RoundTripper of any Fetcher, so that programs built on http.Client go through the same
// way out. Only requests without a body are taken. A body that is not whole ends in an error that matches ErrTooLarge
// or ErrTruncated. Remember that an http.Client follows redirects by itself.
func FetcherTransport(f Fetcher) http.RoundTripper { return fetcherTransport{f} }

type fetcherTransport struct{ fetcher Fetcher }

// RoundTrip fetches the request's URL.
func (t fetcherTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Body != nil && req.Body != http.NoBody {
		req.Body.Close()
		return nil, &Error{Op: "fetch", URL: req.URL.Redacted(), Kind: ErrConfig, Reason: "a Fetcher sends no request body"}
	}
	u := *req.URL
	u.Fragment, u.RawFragment = "", ""
	r, err := t.fetcher.Fetch(req.Context(), &Request{URL: &u, Method: req.Method, Header: req.Header, MaxBytes: -1})
	if err != nil {
		return nil, err
	}
	resp := &http.Response{
		Status: strconv.Itoa(r.Status) + " " + http.StatusText(r.Status), StatusCode: r.Status,
		Proto: r.Proto, Header: r.Header.Clone(), Request: req, ContentLength: int64(len(r.Body)),
	}
	resp.ProtoMajor, resp.ProtoMinor, _ = http.ParseHTTPVersion(r.Proto)
	if resp.Header.Get("Content-Encoding") != "" {
		resp.Header.Del("Content-Encoding") // the body is decoded
		resp.Header.Del("Content-Length")
		resp.Uncompressed = true
	}
	body := &fetchedBody{r: r}
	body.Reader.Reset(r.Body)
	switch r.Cut {
	case CutLimit:
		body.end = &Error{Op: "fetch", URL: u.Redacted(), Kind: ErrTooLarge}
	case CutBroken, CutEncoding:
		body.end = &Error{Op: "fetch", URL: u.Redacted(), Kind: ErrTruncated, Err: r.CutErr}
	}
	if body.end != nil {
		resp.ContentLength = -1
	}
	resp.Body = body
	return resp, nil
}

// fetchedBody reads the body of a Response and gives it back.
type fetchedBody struct {
	bytes.Reader
	r   *Response
	end error // instead of io.EOF
}

func (b *fetchedBody) Read(p []byte) (int, error) {
	n, err := b.Reader.Read(p)
	if errors.Is(err, io.EOF) && b.end != nil {
		err = b.end
	}
	return n, err
}

// WriteTo would hide how the body ends; it is here to take the place of the embedded one.
func (b *fetchedBody) WriteTo(w io.Writer) (int64, error) {
	n, err := b.Reader.WriteTo(w)
	if err == nil {
		err = b.end
	}
	return n, err
}

func (b *fetchedBody) Close() error {
	b.Reader.Reset(nil)
	b.r.Release()
	return nil
}
