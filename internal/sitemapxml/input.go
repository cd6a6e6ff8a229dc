package sitemapxml

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"mime"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/encoding/unicode/utf32"
	"golang.org/x/text/transform"
)

// maxGzipLayers is two because a .gz file is often compressed once more on its way.
const maxGzipLayers = 2

// headSize is how much of the text is looked at to tell what it is.
const headSize = 4096

// input is a file's bytes as UTF-8 text, unpacked and cut at the limit.
type input struct {
	*bufio.Reader
	size    *counter // of the unpacked bytes
	source  *counter // of the bytes as they came
	stages  []*counter
	cut     bool // gzip ended too early
	broken  bool // gzip is damaged: the text stops where the damage is
	badUTF8 bool // bytes that are no UTF-8 went by
	decoded bool // the text came out of another encoding; what was wrong there is U+FFFD now
}

// counter lets at most limit bytes through and remembers whether there were more, and the reader's own error.
type counter struct {
	r      io.Reader
	n      int64
	limit  int64
	tooBig bool
	err    error
}

func (c *counter) Read(p []byte) (int, error) {
	if c.tooBig {
		return 0, io.EOF
	}
	// One byte more than the limit is asked for, to tell a file of exactly that size from a bigger one.
	if left := c.limit + 1 - c.n; int64(len(p)) > left {
		p = p[:left]
	}
	k, err := c.r.Read(p)
	c.n += int64(k)
	if c.n > c.limit {
		c.tooBig = true
		return k - 1, io.EOF
	}
	if err != nil && err != io.EOF {
		c.err = err
	}
	return k, err
}

func (in *input) counted(r io.Reader, limit int64) *counter {
	c := &counter{r: r, limit: limit}
	in.stages = append(in.stages, c)
	return c
}

// tooBig reports whether the limit was passed, at whatever stage of unpacking.
func (in *input) tooBig() bool {
	for _, c := range in.stages {
		if c.tooBig {
			return true
		}
	}
	return false
}

// openInput reads the head of r and decides how the rest is read.
func openInput(r io.Reader, o *Options, report func(Kind, string)) *input {
	in := &input{}
	in.source = in.counted(r, o.MaxBytes)
	in.size = in.source
	var text io.Reader = in.source
	layers := 0
	for {
		peeked := bufio.NewReaderSize(text, headSize)
		text = peeked
		magic, _ := peeked.Peek(2)
		if !isGzip(magic) {
			if layers == 0 && len(magic) > 0 && o.claimsGzip() {
				report(NotGzip, "the file is not compressed")
			}
			break
		}
		if layers++; layers > maxGzipLayers {
			report(BadGzip, "compressed more than twice")
			in.broken = true
			text = bytes.NewReader(nil)
			break
		}
		in.size = in.counted(&gunzip{in: in, r: peeked, report: report}, o.MaxBytes)
		text = in.size
	}
	in.decode(text, o, report)
	return in
}

func isGzip(head []byte) bool { return len(head) == 2 && head[0] == 0x1f && head[1] == 0x8b }

// gunzip reads the members of a gzip file one after the other and ends, instead of failing, where they end.
type gunzip struct {
	in     *input
	r      *bufio.Reader
	z      *gzip.Reader
	done   bool
	report func(Kind, string)
}

func (g *gunzip) Read(p []byte) (int, error) {
	for !g.done {
		if g.z == nil {
			z, err := gzip.NewReader(g.r)
			if err != nil {
				return 0, g.end(err)
			}
			g.z = z
			g.z.Multistream(false)
		}
		k, err := g.z.Read(p)
		if err == io.EOF {
			err = g.nextMember()
		}
		if err != nil {
			err = g.end(err)
		}
		if k > 0 || err != nil {
			return k, err
		}
	}
	return 0, io.EOF
}

func (g *gunzip) nextMember() error {
	magic, err := g.r.Peek(2)
	switch {
	case isGzip(magic):
		if err := g.z.Reset(g.r); err != nil {
			return err
		}
		g.z.Multistream(false)
		return nil
	case len(magic) > 0 && magic[0] != 0: // zeros are the padding of tapes and some programs
		g.report(BadGzip, "bytes behind the end")
	case err != nil && err != io.EOF:
		return err
	}
	return io.EOF
}

// end makes an end of the text out of err.
func (g *gunzip) end(err error) error {
	g.done = true
	switch {
	case err == io.EOF:
	case errors.Is(err, io.ErrUnexpectedEOF):
		g.in.cut = true
	case g.in.source.err != nil: // not the file's fault; the scanner asks for it
	default:
		g.in.broken = true
		g.report(BadGzip, err.Error())
	}
	return io.EOF
}

// claimsGzip tells whether the name or the type of the file say that it is gzip. A transport coding that was undone
// on the way is how many servers send such files, so nothing is claimed about the bytes then.
func (o *Options) claimsGzip() bool {
	if o.Decoded {
		return false
	}
	switch o.mediaType() {
	case "application/gzip", "application/x-gzip":
		return true
	}
	return hasSuffix(o.URL, ".gz")
}

// claimsText tells whether the file says that it is a list of lines.
func (o *Options) claimsText() bool { return o.mediaType() == "text/plain" || hasSuffix(o.URL, ".txt") }

func (o *Options) mediaType() string {
	media, _, _ := strings.Cut(o.ContentType, ";")
	return strings.ToLower(strings.TrimSpace(media))
}

func hasSuffix(rawURL, suffix string) bool {
	if cut := strings.IndexAny(rawURL, "?#"); cut >= 0 {
		rawURL = rawURL[:cut]
	}
	return len(rawURL) >= len(suffix) && strings.EqualFold(rawURL[len(rawURL)-len(suffix):], suffix)
}

// decode finds the encoding (byte order mark, then the charset parameter, then the XML declaration: RFC 7303 section
// 3) and turns the text into UTF-8.
func (in *input) decode(r io.Reader, o *Options, report func(Kind, string)) {
	raw := bufio.NewReaderSize(r, headSize)
	head, _ := raw.Peek(headSize)
	enc, label, bom := detect(head, o.ContentType)
	if label != "" && !isUTF8Label(label) {
		report(Encoding, "written in "+label+", the protocol wants UTF-8")
	}
	raw.Discard(bom)
	if enc == nil {
		in.Reader = bufio.NewReaderSize(&utf8Watch{r: raw, bad: &in.badUTF8}, headSize)
		return
	}
	in.decoded = true
	in.Reader = bufio.NewReaderSize(transform.NewReader(raw, enc.NewDecoder()), headSize)
}

var (
	utf16LE = unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM)
	utf16BE = unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM)
	utf32LE = utf32.UTF32(utf32.LittleEndian, utf32.IgnoreBOM)
	utf32BE = utf32.UTF32(utf32.BigEndian, utf32.IgnoreBOM)
)

// detect returns the encoding to decode by, nil for UTF-8; the label to report; and the bytes of the byte order mark.
func detect(head []byte, contentType string) (enc encoding.Encoding, label string, bom int) {
	starts := func(prefix string) bool { return bytes.HasPrefix(head, []byte(prefix)) }
	declared := declaredEncoding(head)
	switch {
	case starts("\xEF\xBB\xBF"):
		return nil, declaredEncoding(head[3:]), 3
	case starts("\xFF\xFE\x00\x00"):
		return utf32LE, "UTF-32", 4
	case starts("\x00\x00\xFE\xFF"):
		return utf32BE, "UTF-32", 4
	case starts("\xFF\xFE"):
		return utf16LE, "UTF-16", 2
	case starts("\xFE\xFF"):
		return utf16BE, "UTF-16", 2
	case starts("<\x00?\x00"), starts("<\x00u\x00"), starts("<\x00s\x00"), starts("h\x00t\x00"):
		return utf16LE, "UTF-16", 0
	case starts("\x00<\x00?"), starts("\x00<\x00u"), starts("\x00<\x00s"), starts("\x00h\x00t"):
		return utf16BE, "UTF-16", 0
	}
	label = declared
	if _, params, err := mime.ParseMediaType(contentType); err == nil && params["charset"] != "" {
		if label == "" || isUTF8Label(label) {
			label = params["charset"] // else the declaration is what is reported
		}
		declared = params["charset"]
	}
	if isUTF8Label(declared) {
		return nil, label, 0
	}
	enc, err := htmlindex.Get(declared)
	if err != nil {
		return nil, label, 0
	}
	switch name, _ := htmlindex.Name(enc); name {
	case "utf-8", "replacement", "utf-16le", "utf-16be": // UTF-16 without its signs is not true
		return nil, label, 0
	}
	return enc, label, 0
}

// isUTF8Label is also true of ASCII, which is UTF-8 already, and of nothing said.
func isUTF8Label(label string) bool {
	switch strings.ToLower(strings.TrimSpace(label)) {
	case "", "utf-8", "utf8", "us-ascii", "ascii":
		return true
	}
	return false
}

// declaredEncoding reads the encoding out of an XML declaration that is written in bytes of ASCII.
func declaredEncoding(head []byte) string {
	if !bytes.HasPrefix(head, []byte("<?xml")) {
		return ""
	}
	end := bytes.Index(head, instrEnd)
	if end < 0 {
		return ""
	}
	_, rest, found := bytes.Cut(head[:end], []byte("encoding"))
	rest = bytes.TrimLeft(rest, " \t\r\n")
	if !found || len(rest) == 0 || rest[0] != '=' {
		return ""
	}
	rest = bytes.TrimLeft(rest[1:], " \t\r\n")
	if len(rest) == 0 || rest[0] != '"' && rest[0] != '\'' {
		return ""
	}
	value, _, found := bytes.Cut(rest[1:], rest[:1])
	if !found || len(value) > 40 {
		return ""
	}
	return string(value)
}

// utf8Watch passes bytes on and notes whether they were UTF-8.
type utf8Watch struct {
	r    io.Reader
	bad  *bool
	tail []byte // the start of a character whose rest is still to come
}

func (w *utf8Watch) Read(p []byte) (int, error) {
	k, err := w.r.Read(p)
	if *w.bad {
		return k, err
	}
	b := p[:k]
	for len(w.tail) > 0 && len(b) > 0 {
		w.tail, b = append(w.tail, b[0]), b[1:]
		if utf8.FullRune(w.tail) {
			*w.bad = *w.bad || !utf8.Valid(w.tail)
			w.tail = w.tail[:0]
		}
	}
	if cut := incomplete(b); cut > 0 {
		w.tail = append(w.tail[:0], b[len(b)-cut:]...)
		b = b[:len(b)-cut]
	}
	*w.bad = *w.bad || !utf8.Valid(b)
	return k, err
}

// incomplete returns how many bytes at the end of b begin a character that is not whole.
func incomplete(b []byte) int {
	for k := 1; k < utf8.UTFMax && k <= len(b); k++ {
		if c := b[len(b)-k]; utf8.RuneStart(c) {
			if c >= utf8.RuneSelf && !utf8.FullRune(b[len(b)-k:]) {
				return k
			}
			return 0
		}
	}
	return 0
}
