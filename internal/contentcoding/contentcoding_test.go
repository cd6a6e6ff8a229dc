package contentcoding

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"errors"
	"io"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"
)

func pack(t testing.TB, coding, s string) string {
	var b bytes.Buffer
	var w io.WriteCloser
	switch coding {
	case "gzip", "x-gzip":
		w = gzip.NewWriter(&b)
	case "deflate":
		w = zlib.NewWriter(&b)
	case "bare":
		w, _ = flate.NewWriter(&b, 6)
	case "br":
		w = brotli.NewWriterLevel(&b, 4)
	case "zstd":
		w, _ = zstd.NewWriter(&b, zstd.WithEncoderConcurrency(1))
	default:
		return s
	}
	io.WriteString(w, s)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func decode(src io.Reader, encodings ...string) (string, error) {
	r, done, err := Decode(src, encodings)
	if err != nil {
		return "", err
	}
	defer done()
	out, err := io.ReadAll(io.LimitReader(r, 1<<22))
	return string(out), err
}

func TestEachCodingIsUndone(t *testing.T) {
	page := strings.Repeat("<p>a page</p>", 20_000)
	for _, coding := range []string{"identity", "", "gzip", "x-gzip", "deflate", "br", "zstd"} {
		wire := pack(t, coding, page)
		for range 2 { // the second time with a decoder that was used before
			got, err := decode(strings.NewReader(wire), strings.ToUpper(coding))
			if err != nil || got != page {
				t.Errorf("%q: %d bytes, %v", coding, len(got), err)
			}
		}
		got, err := decode(iotest.OneByteReader(strings.NewReader(wire)), coding)
		if err != nil || got != page {
			t.Errorf("%q byte by byte: %d bytes, %v", coding, len(got), err)
		}
		if got, err := decode(strings.NewReader(""), coding); got != "" || err != nil {
			t.Errorf("%q: an empty body gives %q, %v", coding, got, err)
		}
		if coding == "" || coding == "identity" {
			continue
		}
		if _, err := decode(strings.NewReader(wire[:len(wire)/2]), coding); err == nil {
			t.Errorf("%q: half a body is taken for a whole one", coding)
		}
	}
	if got, err := decode(strings.NewReader(pack(t, "bare", page)), "deflate"); err != nil || got != page {
		t.Errorf("deflate without its wrapper: %d bytes, %v", len(got), err)
	}
}

// RFC 9110 section 8.4: codings are listed in the order in which they were applied, over any number of lines.
func TestListsAreUndoneFromTheEnd(t *testing.T) {
	wire := pack(t, "br", pack(t, "gzip", "hello"))
	for _, lines := range [][]string{{"gzip, br"}, {"gzip", "br"}, {" gzip ,, identity,\tbr"}} {
		if got, err := decode(strings.NewReader(wire), lines...); got != "hello" || err != nil {
			t.Errorf("%q: %q, %v", lines, got, err)
		}
	}
	for _, lines := range [][]string{{"compress"}, {"gzip, gzip, gzip"}, {"gzip", "gzip", "gzip"}, {"gzip;q=1"}} {
		if _, err := decode(strings.NewReader(wire), lines...); !errors.Is(err, ErrCoding) {
			t.Errorf("%q: %v, want ErrCoding", lines, err)
		}
	}
}

func TestMemoryDoesNotDependOnTheBody(t *testing.T) {
	const size = 256 << 20
	for _, coding := range []string{"gzip", "deflate", "br", "zstd"} {
		var b bytes.Buffer
		zeros := io.LimitReader(zeroReader{}, size)
		switch coding {
		case "gzip":
			w := gzip.NewWriter(&b)
			io.Copy(w, io.LimitReader(zeros, 16<<20))
			w.Close()
		case "deflate":
			w := zlib.NewWriter(&b)
			io.Copy(w, io.LimitReader(zeros, 16<<20))
			w.Close()
		case "br":
			w := brotli.NewWriterLevel(&b, 1)
			io.Copy(w, io.LimitReader(zeros, 64<<20))
			w.Close()
		case "zstd":
			w, _ := zstd.NewWriter(&b, zstd.WithEncoderConcurrency(1))
			io.Copy(w, zeros)
			w.Close()
		}
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		r, done, err := Decode(&b, []string{coding})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.Copy(io.Discard, r); err != nil {
			t.Fatal(err)
		}
		runtime.ReadMemStats(&after)
		done()
		if grown := after.TotalAlloc - before.TotalAlloc; grown > 40<<20 {
			t.Errorf("%s: %d MiB allocated", coding, grown>>20)
		}
	}
}

type zeroReader struct{}

func (zeroReader) Read(p []byte) (int, error) { clear(p); return len(p), nil }

func FuzzDecode(f *testing.F) {
	for _, coding := range []string{"gzip", "deflate", "bare", "br", "zstd"} {
		f.Add(coding, []byte(pack(f, coding, "hello")))
	}
	f.Add("gzip, br", []byte(pack(f, "br", pack(f, "gzip", "hello"))))
	f.Fuzz(func(t *testing.T, encoding string, wire []byte) {
		decode(bytes.NewReader(wire), encoding)
	})
}

func BenchmarkGzip(b *testing.B) {
	page := strings.Repeat("<p>a page with <a href=\"/x\">links</a></p>\n", 500)
	wire := pack(b, "gzip", page)
	b.SetBytes(int64(len(page)))
	b.ReportAllocs()
	for b.Loop() {
		r, done, err := Decode(strings.NewReader(wire), []string{"gzip"})
		if err != nil {
			b.Fatal(err)
		}
		io.Copy(io.Discard, r)
		done()
	}
}
