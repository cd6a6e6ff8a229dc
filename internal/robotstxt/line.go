package robotstxt

import "iter"

// Line is how one line of a file was read.
type Line struct {
	Number int    // from 1; CR, LF and CRLF each end a line, and what follows the last one is a line too
	Text   string // the part that was read: up to MaxLine bytes, without white space at its ends, comment included
	Key    Key    // KeyNone for a line without a name and a value
	Name   string // the key as written
	Value  string // as written
	Group  int    // number of the first user-agent line of the group that the line belongs to; 0 outside any

	Empty        bool // nothing but white space
	CommentOnly  bool // nothing but a comment
	Comment      bool // something, and a comment after it
	Typo         bool // the key is a tolerated misspelling
	MissingColon bool // white space stands in the place of the colon
	Long         bool // the line is longer than MaxLine; the rest was not read
	Zero         bool // a NUL ended the line before its end
}

// Lines goes through the file line by line, as it was read. Nothing of it is stored: each walk reads the text again.
func (f *File) Lines() iter.Seq[Line] {
	return func(yield func(Line) bool) {
		group := 0
		rules := true // the last group, if any, is complete
		for s := newScanner(f.text); s.next(); {
			line := s.line()
			switch line.Key {
			case KeyUserAgent:
				if rules {
					group = line.Number
				}
				rules = false
			case KeyAllow, KeyDisallow:
				rules = true
			}
			if line.Key != KeySitemap && line.Key != KeyNone {
				line.Group = group
			}
			if !yield(line) {
				return
			}
		}
	}
}

// line describes the scanner's current line.
func (s *scanner) line() Line {
	line := Line{Number: s.number, Long: s.long, Zero: s.zero}
	stop := s.end
	if s.comment {
		for stop < len(s.text) && stop-s.start < MaxLine && s.text[stop] != '\n' && s.text[stop] != '\r' && s.text[stop] != 0 {
			stop++
		}
	}
	from, to := trim(s.text, s.start, stop)
	line.Text = s.text[from:to]
	if start, end := trim(s.text, s.start, s.end); start == end {
		line.CommentOnly, line.Empty = s.comment, !s.comment
		return line
	}
	line.Comment = s.comment
	name, value, colon, ok := splitLine(s.text, s.start, s.end)
	if !ok {
		return line
	}
	line.MissingColon = !colon
	line.Name, line.Value = s.text[name.start:name.end], s.text[value.start:value.end]
	line.Key, line.Typo = keyOf(line.Name)
	return line
}
