package robotstxt

import (
	"slices"
	"strings"
	"unsafe"
)

// record is a line that matters to a crawler. Positions are in File.text.
type record struct {
	start       uint32 // of the line's first word
	line        uint32 // number of the line, from 1
	norm        uint32 // a pattern in File.norm, when flagNorm is set
	value, size uint16 // the value: its start after the line's, its length
	normSize    uint16
	octets      uint16 // of the pattern, as they count for precedence
	key         Key    // KeyUserAgent, KeyAllow, KeyDisallow or KeyCrawlDelay
	flags       flags
}

type flags uint8

const (
	flagFirst flags = 1 << iota // a user-agent line that starts a group
	flagNorm                    // the pattern stands in File.norm
	flagEnd                     // the pattern is anchored at the end of the path
)

// mostBytes is how much of a body is read at most: positions, also of patterns three times as long, fit into 32 bits.
const mostBytes = 1 << 30

// Up to these sizes, what a file holds is gathered on the stack and then copied once into memory of the right size; most
// files stay below. For the others one piece of memory is asked for that is large enough for all that can follow.
const (
	fewRecords = 256
	fewNorm    = 4096
)

// Parse reads a robots.txt file. It accepts any bytes and cannot fail: what is not understood is left out, and
// File.Problems tells about it. It does not keep body. The time is linear in the size of body, and so is the memory; the
// caller decides how much to read (see Cut), up to a gibibyte.
func Parse(body []byte, mode Mode) *File {
	body = body[:min(len(body), mostBytes)]
	f := &File{mode: mode, text: string(body[markSize(body):])}
	var records [fewRecords]record
	var norm [fewNorm]byte
	p := parser{scanner: newScanner(f.text), mode: mode}
	p.ascii, p.percent = isASCII(f.text), indexFrom(f.text, '%', 0)
	foundRecords, foundNorm := p.run(records[:0], norm[:0])
	if n := len(foundRecords); p.moreRecords != nil {
		f.records = fit(p.moreRecords[:n])
	} else {
		f.records = slices.Clone(records[:n])
	}
	if n := len(foundNorm); p.moreNorm != nil {
		f.norm = fit(p.moreNorm[:n])
	} else if n > 0 {
		f.norm = slices.Clone(norm[:n])
	}
	return f
}

// fit returns s in memory of its size, if it wastes much of what it has.
func fit[T any](s []T) []T {
	const much = 32 << 10
	var one T
	if waste := cap(s) - len(s); waste > len(s) && waste > much/int(unsafe.Sizeof(one)) {
		return slices.Clone(s)
	}
	return s
}

// parser is the state of the one pass over a file.
type parser struct {
	scanner
	mode    Mode
	ascii   bool // the whole text is US-ASCII
	percent int  // the next percent sign, as far as it was needed
	group   bool // a user-agent line was seen
	rules   bool // a rule was seen after the last user-agent line: the next one starts a group

	moreRecords []record // the memory of the records, once it is not on the stack
	moreNorm    []byte   // the same of the patterns in normal form
}

// run returns the records of the file and the patterns in normal form, appended to what it is given.
func (p *parser) run(records []record, norm []byte) ([]record, []byte) {
	text := p.text
	for p.next() {
		start, end := p.start, p.end
		for start < end && isSpace(text[start]) {
			start++
		}
		if end-start < len("allow:") {
			continue // too short for any key
		}
		var r record
		var at int
		if r.key, at, end = splitRecord(text, start, end); r.key == KeyNone {
			continue
		}
		r.start, r.line = uint32(start), uint32(p.number)
		r.value, r.size = uint16(at-start), uint16(end-at)
		switch r.key {
		case KeyUserAgent:
			if p.rules || !p.group {
				r.flags = flagFirst
			}
			p.group, p.rules = true, false
		case KeyAllow, KeyDisallow:
			p.rules = true
			// A path begins with a slash, so that a pattern beginning with anything else matches nothing.
			if !p.group || at == end || text[at] != '/' && text[at] != '*' {
				continue
			}
			norm = p.pattern(&r, at, end, norm)
		case KeyCrawlDelay:
			if !p.group {
				continue
			}
		default:
			continue
		}
		if len(records) == cap(records) {
			p.moreRecords = append(make([]record, 0, len(records)+p.left()), records...)
			records = p.moreRecords
		}
		records = append(records, r)
	}
	return records, norm
}

// splitRecord finds the key and the value of a line that may be a record. Of a line that is none it need not know the
// key. The usual spellings, directly followed by a colon, are told by comparing whole words.
func splitRecord(text string, start, end int) (key Key, at, stop int) {
	line := text[start:end]
	switch line[0] | 0x20 {
	case 'd':
		if len(line) > 8 && word(line) == wordDisallow && line[8] == ':' {
			key, at = KeyDisallow, start+9
		}
	case 'a':
		if line[5] == ':' && equalFold(line[:5], "allow") {
			key, at = KeyAllow, start+6
		}
	case 'u':
		if len(line) > 10 && word(line) == wordUserAgent && line[8]|0x20 == 'n' && line[9]|0x20 == 't' && line[10] == ':' {
			key, at = KeyUserAgent, start+11
		}
	case 'c':
	default:
		return KeyNone, 0, 0
	}
	if key != KeyNone {
		at, stop = trim(text, at, end)
		return key, at, stop
	}
	name, value, _, ok := splitLine(text, start, end)
	if !ok {
		return KeyNone, 0, 0
	}
	key, _ = keyOf(text[name.start:name.end])
	return key, value.start, value.end
}

// pattern fills in what a rule's record says about its pattern. A normal form is appended to norm.
func (p *parser) pattern(r *record, at, end int, norm []byte) []byte {
	value := p.text[at:end]
	r.octets = uint16(len(value))
	if value[len(value)-1] == '$' {
		r.flags |= flagEnd
	}
	if p.percent < at {
		p.percent = indexFrom(p.text, '%', at)
	}
	if p.ascii && p.percent >= end || isNormal(value, p.mode) {
		return norm
	}
	if r.flags&flagEnd != 0 {
		value = value[:len(value)-1]
	}
	if cap(norm)-len(norm) < escapedSize(value) {
		p.moreNorm = append(make([]byte, 0, len(norm)+escapedSize(value)+escapedSize(p.text[p.pos:])), norm...)
		norm = p.moreNorm
	}
	start := len(norm)
	norm, octets := appendNormal(norm, value, p.mode, true)
	if r.flags&flagEnd != 0 {
		octets++
	}
	r.flags |= flagNorm
	r.norm, r.normSize, r.octets = uint32(start), uint16(len(norm)-start), uint16(octets)
	return norm
}

// left returns an upper bound of the records in the rest of the file, the current line included.
func (p *parser) left() int {
	rest := p.text[p.pos:]
	lines := strings.Count(rest, "\n")
	if p.cr < len(p.text) {
		lines += strings.Count(rest, "\r")
	}
	return 2 + min(lines, len(rest)/len("allow:/\n"))
}

// The beginnings of the two longest keys, as word reads them.
var (
	wordDisallow  = word("disallow")
	wordUserAgent = word("user-age")
)

// word returns the first eight bytes of s, letters in lower case, as one number. A byte that is no letter may turn into
// another one, but none that can stand in a line turns into a hyphen.
func word(s string) uint64 { return load(s) | 0x2020202020202020 }
