package amble

import (
	"context"
	"errors"
	"io"
	"math"
	"net/http"
	"net/textproto"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/amblecrawl/amble/internal/contentcoding"
)

const (
	bufferStart = 64 << 10
	bufferKeep  = 1 << 20 // larger buffers are left to the garbage collector

	// What nobody wants is still read when it is this short, so that the connection can be used again.
	drainLimit = 4 << 10
	drainTime  = 100 * time.Millisecond
)

var bufferPool = sync.Pool{New: func() any { b := make([]byte, 0, bufferStart); return &b }}

// errEncodedLimit ends a body that is small when decoded and endless on the wire.
var errEncodedLimit = errors.New("too many encoded bytes")

// wire is the body as it comes over the wire.
type wire struct {
	body  io.Reader
	watch *watch
	n     int64
	limit int64
	err   error // what ended it
}

func (w *wire) Read(p []byte) (int, error) {
	if w.err != nil {
		return 0, w.err
	}
	if w.n >= w.limit {
		w.err = errEncodedLimit
		return 0, w.err
	}
	p = p[:min(int64(len(p)), w.limit-w.n)]
	n, err := w.body.Read(p)
	w.n += int64(n)
	w.watch.progress(n)
	w.err = err
	return n, err
}

// readBody reads and decodes the body into r as far as the limits let it, and says in r.Cut why it is not whole. The
// error is that of a body that broke off.
func (x *httpExchange) readBody(ctx context.Context, r *Response, answer *http.Response) error {
	limit := x.req.MaxBytes
	if limit < 0 {
		limit = x.limits.body
	}
	limit = min(limit, math.MaxInt64/2)
	switch {
	case answer.Body == http.NoBody, x.req.Method == http.MethodHead:
		return nil
	case limit == 0:
		if answer.ContentLength != 0 {
			r.Cut = CutUnwanted
			x.discard(answer)
		}
		return nil
	}
	x.watch.startBody()
	raw := &wire{body: answer.Body, watch: &x.watch, limit: limit + 64<<10}
	decoded, done, err := contentcoding.Decode(raw, r.Header["Content-Encoding"])
	if err == nil {
		defer done()
		err = r.fill(decoded, limit, answer.ContentLength)
		if err == nil && raw.err == nil {
			io.CopyN(io.Discard, raw, drainLimit)
		}
	}
	r.EncodedBytes = raw.n
	switch {
	case err == errBodyLimit, raw.err == errEncodedLimit:
		r.Cut = CutLimit
		return nil
	case raw.err != nil && raw.err != io.EOF:
		r.Cut, r.CutErr = CutBroken, raw.err
		if ended := endOf(ctx); ended != nil {
			r.CutErr = ended
		}
		return r.CutErr
	case err != nil:
		r.Cut, r.CutErr = CutEncoding, err
	}
	return nil
}

// discard reads a short body that nobody wants: the error text of a 404, the note beside a redirect. A longer one, or
// one that does not come at once, costs the connection.
func (x *httpExchange) discard(answer *http.Response) {
	if answer.ProtoMajor == 1 && answer.ContentLength > 0 && answer.ContentLength <= drainLimit {
		x.limits.stall = drainTime
		x.watch.startBody()
		io.Copy(io.Discard, io.LimitReader(answer.Body, drainLimit+1))
	}
}

// errBodyLimit: there is more to read than the limit allows.
var errBodyLimit = errors.New("body limit")

// fill reads src into a pooled buffer. It returns errBodyLimit when more than limit bytes came, nil at io.EOF.
func (r *Response) fill(src io.Reader, limit, length int64) error {
	pooled := bufferPool.Get().(*[]byte)
	buf := (*pooled)[:0]
	if length < limit {
		buf = slices.Grow(buf, int(min(max(length, 0)+1, bufferKeep))) // what is announced need not come
	}
	var err error
	for err == nil {
		if len(buf) == cap(buf) {
			buf = append(buf, 0)[:len(buf)]
		}
		// One byte more than the limit, to tell a body that ends there from one that goes on.
		room := min(int64(cap(buf)), limit+1)
		var n int
		n, err = src.Read(buf[len(buf):room])
		buf = buf[:len(buf)+n]
		if int64(len(buf)) > limit {
			buf, err = buf[:limit], errBodyLimit
		}
	}
	r.Body = buf
	r.release = func() {
		if cap(buf) <= bufferKeep {
			*pooled = buf[:0]
			bufferPool.Put(pooled)
		}
	}
	if err == io.EOF {
		return nil
	}
	return err
}

// cleanHeader makes every value valid UTF-8 without control characters, in place. Bytes that are not UTF-8 are read as
// ISO 8859-1, as RFC 9110 section 5.5 remembers it; in a Location they are percent-encoded, as browsers do, so that the
// target stays the one the server means.
func cleanHeader(h http.Header) http.Header {
	if h == nil {
		return http.Header{}
	}
	for name, values := range h {
		if !cleanName(name) {
			delete(h, name)
			continue
		}
		for i, v := range values {
			if !cleanValue(v) {
				values[i] = repairValue(name, v)
			}
		}
	}
	return h
}

func cleanName(name string) bool {
	for i := range len(name) {
		if name[i] <= ' ' || name[i] >= 0x7f {
			return false
		}
	}
	return name != ""
}

func cleanValue(v string) bool {
	for i := range len(v) {
		if c := v[i]; c < ' ' && c != '\t' || c >= 0x7f {
			return c >= 0x80 && utf8.ValidString(v) && !strings.ContainsFunc(v, isControl)
		}
	}
	return true
}

func isControl(r rune) bool { return r < ' ' && r != '\t' || r >= 0x7f && r < 0xa0 }

func repairValue(name, v string) string {
	valid := utf8.ValidString(v)
	var b strings.Builder
	for i := 0; i < len(v); {
		c, size := rune(v[i]), 1
		if valid {
			c, size = utf8.DecodeRuneInString(v[i:])
		}
		switch {
		case !valid && c >= 0x80 && textproto.CanonicalMIMEHeaderKey(name) == "Location":
			const hex = "0123456789ABCDEF"
			b.WriteByte('%')
			b.WriteByte(hex[c>>4])
			b.WriteByte(hex[c&15])
		case isControl(c):
			b.WriteRune(utf8.RuneError)
		default:
			b.WriteRune(c)
		}
		i += size
	}
	return b.String()
}
