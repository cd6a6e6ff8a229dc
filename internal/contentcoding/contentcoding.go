// Package contentcoding undoes the codings of an HTTP body (RFC 9110 section 8.4): gzip, deflate, br and zstd, alone or
// in a short list. It streams: memory is bounded by the window of a coding, whatever the body claims. How much comes
// out is for the reader to limit.
package contentcoding

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zlib"
	"github.com/klauspost/compress/zstd"
)

// Accept is the value of Accept-Encoding for what Decode can undo, but for deflate, which servers do in two ways.
const Accept = "gzip, br, zstd"

// MaxLayers is how many codings one body may have. More than one is rare, and each can multiply a bomb.
const MaxLayers = 2

// windowLimit is the largest window of zstd that a recipient has to support (RFC 9659).
const windowLimit = 8 << 20

// ErrCoding: the body's coding is unknown, or there are too many.
var ErrCoding = errors.New("content coding")

// Decode returns a reader of what src holds once the codings, as Content-Encoding lists them in all its lines, are
// undone. The done function gives the decoders back; after it the reader must not be used. An empty src is an empty
// body in any coding.
func Decode(src io.Reader, encodings []string) (r io.Reader, done func(), err error) {
	list, err := layers(encodings)
	if err != nil {
		return nil, nil, err
	}
	if len(list) == 0 {
		return src, func() {}, nil
	}
	br := bufioPool.Get().(*bufio.Reader)
	br.Reset(src)
	undo := []func(){func() { br.Reset(nil); bufioPool.Put(br) }}
	done = func() {
		for _, f := range undo {
			f()
		}
	}
	if _, err := br.Peek(1); err != nil {
		return errReader{err}, done, nil // io.EOF for an empty body
	}
	r = br
	for i := len(list) - 1; i >= 0; i-- {
		next, release, err := open(list[i], r)
		if err != nil {
			done()
			return nil, nil, fmt.Errorf("%s: %w", list[i], err)
		}
		r = next
		undo = append(undo, release)
	}
	return r, done, nil
}

// layers splits the values of Content-Encoding into names, outermost last, without identity.
func layers(encodings []string) ([]string, error) {
	var list []string
	for _, line := range encodings {
		for name := range strings.SplitSeq(line, ",") {
			name = strings.ToLower(strings.Trim(name, " \t"))
			switch name {
			case "", "identity":
			case "x-gzip":
				list = append(list, "gzip")
			case "gzip", "deflate", "br", "zstd":
				list = append(list, name)
			default:
				return nil, fmt.Errorf("%w: %q is not known", ErrCoding, name)
			}
			if len(list) > MaxLayers {
				return nil, fmt.Errorf("%w: more than %d layers", ErrCoding, MaxLayers)
			}
		}
	}
	return list, nil
}

var (
	bufioPool  = sync.Pool{New: func() any { return bufio.NewReaderSize(nil, 16<<10) }}
	gzipPool   = sync.Pool{New: func() any { return new(gzip.Reader) }}
	brotliPool = sync.Pool{New: func() any { return brotli.NewReader(nil) }}
	zstdPool   = sync.Pool{New: func() any {
		// One goroutine's work: no helpers that would have to be stopped when a decoder is dropped.
		d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
			zstd.WithDecoderMaxWindow(windowLimit), zstd.WithDecoderMaxMemory(1<<40))
		if err != nil {
			panic("contentcoding: " + err.Error()) // the options are constants
		}
		return d
	}}
)

func open(coding string, src io.Reader) (io.Reader, func(), error) {
	switch coding {
	case "gzip":
		br, ok := src.(*bufio.Reader)
		if !ok {
			br = bufio.NewReader(src)
		}
		z := gzipPool.Get().(*gzip.Reader)
		if err := z.Reset(br); err != nil {
			gzipPool.Put(z)
			return nil, nil, noEOF(err)
		}
		z.Multistream(false)
		return &gzipReader{z: z, src: br}, func() { gzipPool.Put(z) }, nil
	case "deflate":
		r, err := inflater(src)
		return r, func() {}, err
	case "br":
		b := brotliPool.Get().(*brotli.Reader)
		b.Reset(src)
		return b, func() { b.Reset(nil); brotliPool.Put(b) }, nil
	default:
		d := zstdPool.Get().(*zstd.Decoder)
		if err := d.Reset(src); err != nil {
			return nil, nil, noEOF(err)
		}
		return d, func() {
			if d.Reset(nil) == nil {
				zstdPool.Put(d)
			}
		}, nil
	}
}

// gzipReader reads one member after the other (RFC 1952 section 2.2). What follows the last whole one and is no gzip is
// passed over, as browsers do.
type gzipReader struct {
	z   *gzip.Reader
	src *bufio.Reader // gzip.Reader takes no byte of it beyond a member's end
	err error
}

func (g *gzipReader) Read(p []byte) (int, error) {
	if g.err != nil {
		return 0, g.err
	}
	n, err := g.z.Read(p)
	if err == io.EOF {
		if magic, _ := g.src.Peek(2); len(magic) == 2 && magic[0] == 0x1f && magic[1] == 0x8b {
			if err = noEOF(g.z.Reset(g.src)); err == nil {
				g.z.Multistream(false)
			}
		}
	}
	g.err = err
	return n, err
}

// inflater reads deflate as the standard has it (in a zlib wrapper) and as many servers send it (bare).
func inflater(src io.Reader) (io.Reader, error) {
	br := bufio.NewReader(src)
	head, err := br.Peek(2)
	if err != nil && len(head) == 0 {
		return nil, noEOF(err)
	}
	if len(head) == 2 && head[0]&0x0f == 8 && (uint(head[0])<<8|uint(head[1]))%31 == 0 {
		return zlib.NewReader(br)
	}
	return flate.NewReader(br), nil
}

// noEOF makes an early end an error: io.EOF is for bodies that are whole.
func noEOF(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

type errReader struct{ err error }

func (r errReader) Read([]byte) (int, error) { return 0, r.err }
