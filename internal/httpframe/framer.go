package httpframe

import (
	"bytes"
	"strconv"
	"strings"
)

// framer finds the end of HTTP/1 answers as RFC 9112 section 6.3 has it. Whatever it does not understand puts it into
// the state open, in which all bytes pass: the client's own parser decides then.
type framer struct {
	state state
	head  bool   // the request is a HEAD
	begun bool   // a byte of the answer has come
	line  []byte // the line being collected, cut at maxLine
	left  uint64 // bytes left of the body or chunk

	// Of the head being read:
	status   int // 0: the status line has not come yet
	minor    byte
	length   int64 // -1: none
	chunked  bool
	odd      bool // something that only the client can judge
	lastKept bool // the line before was one that counts
}

type state uint8

const (
	idle      state = iota // no request is under way
	inHead                 // status line and fields
	fixed                  // body with Content-Length
	chunkSize              // chunked body, see RFC 9112 section 7.1
	chunkData
	chunkEnd
	trailer
	open // up to the end of the connection
)

// maxLine is how much of a line is kept: enough for the fields that matter.
const maxLine = 256

// request tells the framer that p, the beginning or a later part of a request, is being sent.
func (f *framer) request(p []byte) {
	if f.state != idle {
		return
	}
	*f = framer{state: inHead, line: f.line[:0], length: -1, head: bytes.HasPrefix(p, []byte("HEAD "))}
}

// fresh reports whether a request waits for the first byte of its answer.
func (f *framer) fresh() bool { return f.state == inHead && !f.begun }

// feed takes bytes from the server and returns how many of them belong to the answer.
func (f *framer) feed(p []byte) (n int) {
	for n < len(p) {
		rest := p[n:]
		switch f.state {
		case idle:
			return n
		case open:
			return len(p)
		case fixed, chunkData:
			take := uint64(len(rest))
			if take > f.left {
				take = f.left
			}
			n += int(take)
			if f.left -= take; f.left == 0 {
				if f.state == fixed {
					f.state = idle
				} else {
					f.state = chunkEnd
				}
			}
		default:
			f.begun = true
			i := bytes.IndexByte(rest, '\n')
			if i < 0 {
				f.collect(rest)
				return len(p)
			}
			f.collect(rest[:i])
			n += i + 1
			f.endLine(strings.TrimSuffix(string(f.line), "\r"), len(f.line) == maxLine)
			f.line = f.line[:0]
		}
	}
	return n
}

func (f *framer) collect(p []byte) {
	f.line = append(f.line, p[:min(len(p), maxLine-len(f.line))]...)
}

func (f *framer) endLine(line string, cut bool) {
	switch f.state {
	case inHead:
		f.headLine(line, cut)
	case chunkSize:
		digits, _, _ := strings.Cut(line, ";")
		size, err := strconv.ParseUint(strings.TrimRight(digits, " \t"), 16, 63)
		switch {
		case err != nil:
			f.state = open
		case size == 0:
			f.state = trailer
		default:
			f.state, f.left = chunkData, size
		}
	case chunkEnd:
		f.state = chunkSize
		if line != "" {
			f.state = open
		}
	case trailer:
		if line == "" {
			f.state = idle
		}
	}
}

func (f *framer) headLine(line string, cut bool) {
	switch {
	case f.status == 0:
		if f.status, f.minor = statusLine(line); f.status == 0 {
			f.state = open
		}
	case line == "":
		f.endHead()
	case line[0] == ' ' || line[0] == '\t': // a folded line, RFC 9112 section 5.2
		f.odd = f.odd || f.lastKept
	default:
		f.lastKept = f.field(line, cut)
	}
}

// field reads one field line and reports whether it says where the body ends.
func (f *framer) field(line string, cut bool) bool {
	name, value, _ := strings.Cut(line, ":")
	switch {
	case strings.EqualFold(name, "Content-Length"):
		n, err := strconv.ParseUint(strings.Trim(value, " \t"), 10, 63)
		if err != nil || cut || f.length >= 0 && f.length != int64(n) {
			f.odd = true
			return true
		}
		f.length = int64(n)
	case strings.EqualFold(name, "Transfer-Encoding"):
		if f.chunked || cut || !strings.EqualFold(strings.Trim(value, " \t"), "chunked") {
			f.odd = true
		}
		f.chunked = true
	default:
		return false
	}
	return true
}

func (f *framer) endHead() {
	status := f.status
	switch {
	case status/100 == 1 && status != 101:
		*f = framer{state: inHead, line: f.line, begun: true, length: -1, head: f.head}
	case f.odd || status == 101 || f.chunked && f.minor == '0':
		f.state = open
	case f.head || status == 204 || status == 304:
		f.state = idle
	case f.chunked:
		f.state = chunkSize
	case f.length == 0:
		f.state = idle
	case f.length > 0:
		f.state, f.left = fixed, uint64(f.length)
	default:
		f.state = open
	}
}

// statusLine reads "HTTP/1.x NNN"; a status of 0 means that it is something else.
func statusLine(line string) (status int, minor byte) {
	if len(line) < 12 || !strings.HasPrefix(line, "HTTP/1.") || line[8] != ' ' || len(line) > 12 && line[12] != ' ' {
		return 0, 0
	}
	n, err := strconv.ParseUint(line[9:12], 10, 16)
	if err != nil {
		return 0, 0
	}
	return int(n), line[7]
}
