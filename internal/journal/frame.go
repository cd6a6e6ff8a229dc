package journal

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
)

// Sizes in bytes.
const (
	fileHeadSize  = 8 + 4 + 8 + keySize + 4
	frameHeadSize = 8 + 4 + 4 + 4
	entryHeadSize = 4 + 4
	keySize       = 32

	// MaxStep is the most that the entries of one step may add up to.
	MaxStep = 64 << 20
)

const (
	magic   = "AMBLEJNL"
	version = 1
)

var (
	castagnoli = crc32.MakeTable(crc32.Castagnoli)
	le         = binary.LittleEndian
)

// A seal makes and checks the frames of one generation.
type seal struct {
	marker [8]byte
	salt   uint32 // where every frame's checksum starts
}

func newSeal(key [keySize]byte, generation uint64) seal {
	h := sha256.Sum256(le.AppendUint64(append([]byte("frame"), key[:]...), generation))
	return seal{marker: [8]byte(h[:8]), salt: le.Uint32(h[8:])}
}

// put writes the head of the frame that starts at off and whose body is buf[frameHeadSize:].
func (s seal) put(buf []byte, off int64) {
	body := buf[frameHeadSize:]
	copy(buf, s.marker[:])
	le.PutUint32(buf[8:], uint32(len(body)))
	le.PutUint32(buf[12:], crc32.Update(s.salt, castagnoli, body))
	le.PutUint32(buf[16:], s.headSum(buf, off))
}

// headSum takes the offset in, so that a frame is valid in its own place only.
func (s seal) headSum(head []byte, off int64) uint32 {
	var at [8]byte
	le.PutUint64(at[:], uint64(off))
	return crc32.Update(crc32.Update(s.salt, castagnoli, at[:]), castagnoli, head[:16])
}

func (s seal) headOK(head []byte, off int64) bool {
	return bytes.Equal(head[:8], s.marker[:]) && le.Uint32(head[16:]) == s.headSum(head, off)
}

// frames calls fn with each whole frame from off to size, and returns where the first broken one starts (size when
// all are whole). The body is valid during the call only.
func (s seal) frames(f io.ReaderAt, off, size int64, fn func(off int64, body []byte) error) (int64, error) {
	r := bufio.NewReaderSize(io.NewSectionReader(f, off, size-off), 1<<20)
	var head [frameHeadSize]byte
	var body []byte
	for size-off >= frameHeadSize {
		if _, err := io.ReadFull(r, head[:]); err != nil {
			return off, err
		}
		n := int64(le.Uint32(head[8:]))
		if !s.headOK(head[:], off) || n > size-off-frameHeadSize {
			return off, nil
		}
		if int64(cap(body)) < n {
			body = make([]byte, n+n/4)
		}
		body = body[:n]
		if _, err := io.ReadFull(r, body); err != nil {
			return off, err
		}
		if crc32.Update(s.salt, castagnoli, body) != le.Uint32(head[12:]) {
			return off, nil
		}
		if err := fn(off, body); err != nil {
			return off, err
		}
		off += frameHeadSize + n
	}
	return off, nil
}

// next returns where the next frame head after off is, or 0 when there is none up to size. A head is enough: it was
// written after the frame before it had become durable, so its own body being torn changes nothing.
func (s seal) next(f io.ReaderAt, off, size int64) (int64, error) {
	const window = 1 << 20
	buf := make([]byte, window+frameHeadSize)
	for off++; size-off >= frameHeadSize; off += window {
		part := buf[:min(int64(len(buf)), size-off)]
		if n, err := f.ReadAt(part, off); n < len(part) {
			return 0, err
		}
		for at := 0; ; at++ {
			i := bytes.Index(part[at:], s.marker[:])
			if i < 0 || at+i+frameHeadSize > len(part) {
				break
			}
			at += i
			if s.headOK(part[at:], off+int64(at)) {
				return off + int64(at), nil
			}
		}
	}
	return 0, nil
}

// entries calls fn with each entry of a frame's body; off is the body's place in the file.
func entries(body []byte, off int64, fn func(off int64, entry []byte) error) error {
	for at := 0; at < len(body); {
		entry, ok := cutEntry(body[at:])
		if !ok {
			return fmt.Errorf("malformed entry at byte %d", off+int64(at))
		}
		if err := fn(off+int64(at), entry); err != nil {
			return err
		}
		at += entryHeadSize + len(entry)
	}
	return nil
}

// cutEntry returns the entry that b starts with. Its checksum is for readers that come later: those that have just
// checked the whole frame have no use for it.
func cutEntry(b []byte) ([]byte, bool) {
	if len(b) < entryHeadSize {
		return nil, false
	}
	n := int64(le.Uint32(b))
	if n > int64(len(b)-entryHeadSize) {
		return nil, false
	}
	return b[entryHeadSize : entryHeadSize+n], true
}

// A Step collects the entries that go into the journal together. The zero Step is empty and ready. It may be reset and
// used again once Append has returned.
type Step struct {
	buf []byte
	at  []int
}

// Reset empties the step and keeps its memory.
func (s *Step) Reset() { s.buf, s.at = s.buf[:0], s.at[:0] }

// Len is the number of entries.
func (s *Step) Len() int { return len(s.at) }

// Add appends an entry made by encode, which appends the entry's bytes to the slice that it is given and returns the
// result, as append does.
func (s *Step) Add(encode func([]byte) []byte) {
	at := len(s.buf)
	s.at = append(s.at, at)
	s.buf = encode(append(s.buf, make([]byte, entryHeadSize)...))
	entry := s.buf[at+entryHeadSize:]
	le.PutUint32(s.buf[at:], uint32(len(entry)))
	le.PutUint32(s.buf[at+4:], crc32.Checksum(entry, castagnoli))
}

// Offset is where entry i can be read, given what Append returned for the step.
func (s *Step) Offset(base int64, i int) int64 { return base + int64(s.at[i]) }

// appendHead appends the head of a generation's file.
func appendHead(b []byte, generation uint64, key [keySize]byte) []byte {
	b = le.AppendUint32(append(b, magic...), version)
	b = append(le.AppendUint64(b, generation), key[:]...)
	return le.AppendUint32(b, crc32.Checksum(b, castagnoli))
}

// readHead reads the head of the file that should hold the generation.
func readHead(f io.ReaderAt, file string, generation uint64) (key [keySize]byte, err error) {
	b := make([]byte, fileHeadSize)
	if n, err := f.ReadAt(b, 0); n < len(b) && err != io.EOF {
		return key, fmt.Errorf("journal %s: %w", file, err)
	} else if n < len(b) {
		return key, &DamagedError{File: file, Reason: "the file's head is cut short"}
	}
	sum := le.Uint32(b[fileHeadSize-4:])
	switch {
	case string(b[:8]) != magic:
		return key, &DamagedError{File: file, Reason: "this is no journal"}
	case le.Uint32(b[8:]) != version && sum == crc32.Checksum(b[:fileHeadSize-4], castagnoli):
		return key, &VersionError{File: file, Have: le.Uint32(b[8:]), Want: version}
	case sum != crc32.Checksum(b[:fileHeadSize-4], castagnoli) || le.Uint64(b[12:]) != generation:
		return key, &DamagedError{File: file, Reason: "the file's head is broken"}
	}
	return [keySize]byte(b[20:]), nil
}
