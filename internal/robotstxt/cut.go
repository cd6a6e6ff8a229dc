package robotstxt

import "bytes"

const (
	// MaxSize is how many bytes of a file Cut keeps: 500 KiB, the least that RFC 9309 section 2.5 lets a crawler parse.
	MaxSize = 500 << 10
	// MaxLine is how many bytes of a line are read; the rest of a longer line is ignored, as Google does.
	MaxLine = 2083*8 - 1
)

// Cut returns at most the first MaxSize bytes of body, and whether anything was dropped. A line that the limit would
// split is dropped whole, since the beginning of a rule is a wider rule; unless at least MaxLine bytes of it remain,
// which is all that would be read of it anyway. The result shares the memory of body.
func Cut(body []byte) (kept []byte, dropped bool) {
	if len(body) <= MaxSize {
		return body, false
	}
	kept = body[:MaxSize:MaxSize]
	if next := body[MaxSize]; next == '\n' || next == '\r' {
		return kept, true
	}
	end := bytes.LastIndexAny(kept, "\r\n") + 1
	if MaxSize-end >= MaxLine {
		return kept, true
	}
	return kept[:end], true
}
