package sitemapxml

import (
	"bufio"
	"bytes"
	"unicode/utf8"
)

// scanText reads a list of lines: one address each, blank lines aside (sitemaps.org, "Text file").
func (s *Scanner) scanText() {
	s.format = Text
	r := bufio.NewReaderSize(s.in, 2*maxField)
	for !s.stopped {
		line, err := r.ReadSlice('\n')
		s.line++
		long := err == bufio.ErrBufferFull
		text := string(bytes.TrimSpace(line))
		for err == bufio.ErrBufferFull {
			_, err = r.ReadSlice('\n')
		}
		if err != nil && s.incomplete() {
			break
		}
		if text != "" {
			if !s.begin() {
				return
			}
			e := Entry{Priority: defaultPriority, Line: s.line}
			s.accept(loc{text: text, bad: s.badText(text), long: long || len(text) > maxField}, &e)
		}
		if err != nil {
			break
		}
	}
	s.end(true)
}

// incomplete tells, at the end of the bytes, whether the file goes on behind them.
func (s *Scanner) incomplete() bool {
	return s.in.cut || s.in.broken || s.in.source.err != nil || s.in.tooBig() || s.o.CutAtLimit
}

// badText tells whether a value holds bytes that are not text in the encoding of the file.
func (s *Scanner) badText(text string) bool {
	if !utf8.ValidString(text) || s.in.decoded && containsReplacement(text) {
		s.report(Encoding, "bytes that are not text in the encoding of the file")
		return true
	}
	return false
}

func containsReplacement(text string) bool {
	for _, r := range text {
		if r == utf8.RuneError {
			return true
		}
	}
	return false
}
