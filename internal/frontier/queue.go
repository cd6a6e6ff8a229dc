package frontier

import (
	"encoding/binary"
	"fmt"
)

// Queue holds items (any bytes) for servers: first in, first out within a server, and each server in its turn. What
// Limit does not allow in memory is in a temporary file, which goes when the process ends.
type Queue struct {
	limit   int64
	servers map[string]*server
	head    *server // the turn: a list of all servers with items
	last    *server
	n       int
	mem     int64 // capacity of all segments in memory
	spill   spill
}

// A server's items are in its segments, the oldest first; the last is being filled.
type server struct {
	name     string
	next     *server
	read     int // bytes read of the first segment
	segments []segment
}

// A segment is a run of items, each with its length first: in memory, or in the spill file when data is nil. With many
// servers there is one for each two kilobytes of the file, so it is kept small.
type segment struct {
	data  *[]byte
	place place
}

// A place is where a segment is in the spill file: its offset, and its size in the lowest 24 bits.
type place uint64

func placeOf(off int64, size int) place { return place(off)<<24 | place(size) }
func (p place) off() int64              { return int64(p >> 24) }
func (p place) size() int               { return int(p & (1<<24 - 1)) }

const (
	segmentBytes = 16 << 10 // a segment is full at this size
	spillBytes   = 512      // a smaller one is never worth a place in the file
)

// NewQueue returns an empty Queue that holds limit bytes of items in memory and the rest in a file in folder dir ("": the
// system's folder for such files). Servers with few items may exceed the limit by 512 bytes each; each server takes
// about 200 bytes besides.
func NewQueue(limit int64, dir string) *Queue {
	return &Queue{limit: limit, servers: map[string]*server{}, spill: spill{dir: dir}}
}

// Len is the number of items.
func (q *Queue) Len() int { return q.n }

// Servers is the number of servers that have items.
func (q *Queue) Servers() int { return len(q.servers) }

// Bytes is the memory that items take, and the bytes of the file.
func (q *Queue) Bytes() (memory, file int64) { return q.mem, q.spill.end }

// Push adds an item behind all others of the server. An error says that the file cannot be written; the item is in the
// queue nevertheless, and the memory above its limit.
func (q *Queue) Push(name string, item []byte) error {
	s := q.servers[name]
	if s == nil {
		s = &server{name: name}
		q.servers[name] = s
		q.turn(s)
	}
	full := q.mem > q.limit/2 // the other half is for segments too short to be worth a place in the file
	n := len(s.segments)
	if n == 0 || s.segments[n-1].data == nil || len(*s.segments[n-1].data) >= segmentBytes ||
		full && n == 1 && s.read > 0 { // what is being read stays in memory, and must not grow
		s.segments = append(s.segments, segment{data: new([]byte)})
	}
	data := s.segments[len(s.segments)-1].data
	before := cap(*data)
	*data = append(binary.AppendUvarint(*data, uint64(len(item))), item...)
	q.mem += int64(cap(*data) - before)
	q.n++
	if full {
		return q.spillServer(s)
	}
	return nil
}

// turn puts the server at the end of the turn.
func (q *Queue) turn(s *server) {
	s.next = nil
	if q.last == nil {
		q.head = s
	} else {
		q.last.next = s
	}
	q.last = s
}

// spillServer moves the server's segments to the file, but for the first, which is read next.
func (q *Queue) spillServer(s *server) error {
	least := int(min(max(q.limit/2/int64(len(q.servers)), spillBytes), segmentBytes))
	for i := len(s.segments) - 1; i > 0; i-- {
		seg := &s.segments[i]
		if seg.data == nil {
			break // all before it went with it
		}
		if len(*seg.data) < least {
			continue
		}
		if err := q.spillSegment(seg); err != nil {
			return err
		}
	}
	// A first segment that is read already stays: its rest is small.
	if first := &s.segments[0]; len(s.segments) == 1 && s.read == 0 && len(*first.data) >= least {
		if err := q.spillSegment(first); err != nil {
			return err
		}
	}
	if q.spill.wasteful() {
		return q.compact()
	}
	return nil
}

func (q *Queue) spillSegment(seg *segment) error {
	if len(*seg.data) >= 1<<24 {
		return nil // an item this long stays in memory
	}
	off, err := q.spill.write(*seg.data)
	if err != nil {
		return err
	}
	q.mem -= int64(cap(*seg.data))
	*seg = segment{place: placeOf(off, len(*seg.data))}
	return nil
}

// Pop takes the oldest item of the server whose turn it is, appends it to buf and returns the result; ok is false when
// nothing waits. After an error of the file the item is still in the queue.
func (q *Queue) Pop(buf []byte) (item []byte, ok bool, err error) { return q.PopExcept(buf, nil) }

// PopExcept is Pop without the servers for which skip reports true: these give up their turn. A nil skip leaves none out.
func (q *Queue) PopExcept(buf []byte, skip func(name string) bool) (item []byte, ok bool, err error) {
	for n := len(q.servers); skip != nil && n > 0 && skip(q.head.name); n-- {
		if n == 1 {
			return buf, false, nil
		}
		if s := q.head; s != q.last {
			q.head = s.next
			q.turn(s)
		}
	}
	s := q.head
	if s == nil {
		return buf, false, nil
	}
	seg := &s.segments[0]
	if seg.data == nil {
		data, err := q.spill.read(seg.place.off(), seg.place.size())
		if err != nil {
			return buf, false, err
		}
		seg.data = &data
		q.mem += int64(cap(data))
	}
	data := *seg.data
	size, n := binary.Uvarint(data[s.read:])
	start := s.read + n
	s.read = start + int(size)
	item = append(buf, data[start:s.read]...)
	q.n--

	q.head = s.next
	if q.head == nil {
		q.last = nil
	}
	if s.read == len(data) {
		q.mem -= int64(cap(data))
		s.read = 0
		s.segments[0] = segment{}
		s.segments = s.segments[1:]
	}
	if len(s.segments) == 0 {
		delete(q.servers, s.name)
	} else {
		q.turn(s)
	}
	return item, true, nil
}

// compact writes the file anew without what was read.
func (q *Queue) compact() error {
	fresh := spill{dir: q.spill.dir}
	type move struct {
		seg *segment
		off int64
	}
	var moves []move
	for _, s := range q.servers {
		for i := range s.segments {
			seg := &s.segments[i]
			if seg.data != nil {
				continue
			}
			data, err := q.spill.peek(seg.place.off(), seg.place.size())
			if err != nil {
				fresh.close()
				return err
			}
			off, err := fresh.write(data)
			if err != nil {
				fresh.close()
				return err
			}
			moves = append(moves, move{seg, off})
		}
	}
	for _, m := range moves {
		m.seg.place = placeOf(m.off, m.seg.place.size())
	}
	q.spill.close()
	q.spill = fresh
	return nil
}

// Clear drops all items and the file.
func (q *Queue) Clear() {
	q.spill.close()
	*q = *NewQueue(q.limit, q.spill.dir)
}

// Close frees the file. The Queue must not be used any more.
func (q *Queue) Close() { q.Clear() }

func spillErr(err error) error {
	return fmt.Errorf("frontier: not all URLs fit in memory, and the temporary file for the others fails: %w", err)
}
