package robotstxt

import "strings"

// scanner walks over the lines of a text. A line ends at LF, CR or CRLF; the text after the last line end is a line
// too, even when it is empty.
//
// For each byte of interest the scanner remembers where the next one is, so that a byte that the file does not have is
// looked for once and not once a line: the walk is linear whatever the text holds.
type scanner struct {
	text          string
	pos           int // where the next line starts
	lf, cr        int // the next line feed and carriage return at or after pos; len(text) when there is none
	hash, nul     int // the same for '#' and NUL, as far as they were needed
	number        int // of the current line, from 1
	start, end    int // the current line: cut at MaxLine bytes, at a NUL and at a comment
	long, comment bool
	zero          bool // the line was cut at a NUL
	done          bool
}

func newScanner(text string) scanner {
	return scanner{
		text: text,
		lf:   indexFrom(text, '\n', 0),
		cr:   indexFrom(text, '\r', 0),
		hash: indexFrom(text, '#', 0),
		nul:  indexFrom(text, 0, 0),
	}
}

// next moves to the next line, and reports whether there was one.
func (s *scanner) next() bool {
	if s.done {
		return false
	}
	s.number++
	start := s.pos
	end := min(s.lf, s.cr)
	switch {
	case end == len(s.text):
		s.done = true
	case end == s.lf:
		s.pos = end + 1
		s.lf = indexFrom(s.text, '\n', s.pos)
	default:
		s.pos = end + 1
		s.cr = indexFrom(s.text, '\r', s.pos)
		if s.lf == s.pos && s.lf < len(s.text) {
			s.pos++
			s.lf = indexFrom(s.text, '\n', s.pos)
		}
	}
	s.long, s.comment, s.zero = false, false, false
	if end-start > MaxLine {
		end, s.long = start+MaxLine, true
	}
	if s.nul < end {
		if s.nul < start {
			s.nul = indexFrom(s.text, 0, start)
		}
		if s.nul < end {
			end, s.zero = s.nul, true
		}
	}
	if s.hash < end {
		if s.hash < start {
			s.hash = indexFrom(s.text, '#', start)
		}
		if s.hash < end {
			end, s.comment = s.hash, true
		}
	}
	s.start, s.end = start, end
	return true
}

// indexFrom returns where the first c at or after pos is, or len(text).
func indexFrom(text string, c byte, pos int) int {
	if i := strings.IndexByte(text[pos:], c); i >= 0 {
		return pos + i
	}
	return len(text)
}

// markSize returns how many bytes of a UTF-8 byte order mark body begins with: a file that lost a part of its mark on
// the way still has one.
func markSize(body []byte) int {
	const mark = "\xEF\xBB\xBF"
	n := 0
	for n < len(mark) && n < len(body) && body[n] == mark[n] {
		n++
	}
	return n
}

// isSpace reports whether c is white space of US-ASCII.
func isSpace(c byte) bool {
	return c == ' ' || '\t' <= c && c <= '\r'
}

// trim returns the part of text[start:end] without white space at its ends.
func trim(text string, start, end int) (int, int) {
	for start < end && isSpace(text[start]) {
		start++
	}
	for start < end && isSpace(text[end-1]) {
		end--
	}
	return start, end
}
