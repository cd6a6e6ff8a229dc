package frontier

import (
	"encoding/binary"
	"math/bits"
)

// Table maps fingerprints to values of up to 48 bits, or, made by NewSet, only knows which there are. A set takes 6
// bytes a fingerprint at a load between 68 % and 85 %, so 7.1 to 8.8 bytes; a table with values 12 bytes at a load
// between 60 % and 75 %, so 16 to 20. It is 4,096 small tables with linear probing, each of which grows alone, so that
// growing needs no room to speak of. An empty Table takes 128 KB.
type Table struct {
	shards [1 << shardBits]shard
	stride int
	load   int // percent
	n      int
}

type shard struct {
	slots []byte // fingerprint 6 bytes (all zero: free), then the value; 2 bytes behind the last, so that all can be read as 8
	n     int32
}

const (
	shardBits   = 12
	fingerBytes = 6
	valueBytes  = 6
	fingerMask  = 1<<(8*fingerBytes) - 1
	minSlots    = 4
	padding     = 2

	// MaxValue is the largest value a Table can hold.
	MaxValue = 1<<(8*valueBytes) - 1
)

// NewSet returns a Table without values: Get returns zero, Put ignores the value.
func NewSet() *Table { return &Table{stride: fingerBytes, load: 85} }

// NewTable returns an empty Table with values.
func NewTable() *Table { return &Table{stride: fingerBytes + valueBytes, load: 75} }

// Len is the number of fingerprints.
func (t *Table) Len() int { return t.n }

// Bytes is the memory taken.
func (t *Table) Bytes() int64 {
	sum := int64(len(t.shards)) * 32
	for i := range t.shards {
		sum += int64(cap(t.shards[i].slots))
	}
	return sum
}

// Get returns the value of a fingerprint, and whether it is there.
func (t *Table) Get(fp uint64) (value uint64, ok bool) {
	s := &t.shards[fp>>(64-shardBits)]
	at, found := t.find(s, fp)
	if !found || t.stride == fingerBytes {
		return 0, found
	}
	return get48(s.slots[at+fingerBytes:]), true
}

// Put sets the value of a fingerprint, and says whether it was not there before.
func (t *Table) Put(fp, value uint64) (fresh bool) {
	_, found := t.Swap(fp, value)
	return !found
}

// Swap sets the value of a fingerprint and returns what Get would have returned before.
func (t *Table) Swap(fp, value uint64) (old uint64, found bool) {
	s := &t.shards[fp>>(64-shardBits)]
	at, found := t.find(s, fp)
	if !found {
		if slots := t.slots(s); int(s.n+1)*100 > slots*t.load { // so one is always free, where find ends
			t.grow(s, slots+max(minSlots, slots/4))
			at, _ = t.find(s, fp)
		}
		put48(s.slots[at:], finger(fp))
		s.n++
		t.n++
	}
	if t.stride > fingerBytes {
		slot := s.slots[at+fingerBytes:]
		old = get48(slot)
		put48(slot, value)
	}
	return old, found
}

// Values calls fn with every value.
func (t *Table) Values(fn func(value uint64)) {
	t.Update(func(value uint64) uint64 {
		fn(value)
		return value
	})
}

// Update replaces every value by what fn makes of it.
func (t *Table) Update(fn func(value uint64) uint64) {
	for i := range t.shards {
		slots := t.shards[i].slots
		for at := 0; at+t.stride <= len(slots); at += t.stride {
			if get48(slots[at:]) != 0 {
				put48(slots[at+fingerBytes:], fn(get48(slots[at+fingerBytes:])))
			}
		}
	}
}

// slots is the number of a shard's slots.
func (t *Table) slots(s *shard) int { return max(0, len(s.slots)-padding) / t.stride }

// find returns where fp is or, when it is not found, the free slot where it belongs.
func (t *Table) find(s *shard, fp uint64) (at int, found bool) {
	n := t.slots(s)
	if n == 0 {
		return 0, false
	}
	want := finger(fp)
	end := n * t.stride
	for at = t.home(want, n) * t.stride; ; {
		switch get48(s.slots[at:]) {
		case want:
			return at, true
		case 0:
			return at, false
		}
		if at += t.stride; at == end {
			at = 0
		}
	}
}

// home is the first slot to try: the stored bits, spread evenly over any number of slots.
func (t *Table) home(finger uint64, slots int) int {
	hi, _ := bits.Mul64(finger<<(64-8*fingerBytes), uint64(slots))
	return int(hi)
}

func (t *Table) grow(s *shard, slots int) {
	old := s.slots
	size := slots*t.stride + padding
	s.slots = append([]byte(nil), make([]byte, size)...) // one allocation, rounded up: all of it is used
	s.slots = s.slots[:(cap(s.slots)-padding)/t.stride*t.stride+padding]
	clear(s.slots[size:])
	for from := 0; from+t.stride <= len(old); from += t.stride {
		if finger := get48(old[from:]); finger != 0 {
			at, _ := t.find(s, finger)
			copy(s.slots[at:], old[from:from+t.stride])
		}
	}
}

// finger is what a slot stores of fp; never zero, which means free.
func finger(fp uint64) uint64 {
	if f := fp & fingerMask; f != 0 {
		return f
	}
	return 1
}

func get48(b []byte) uint64 { return binary.LittleEndian.Uint64(b) & fingerMask }

func put48(b []byte, v uint64) {
	binary.LittleEndian.PutUint32(b, uint32(v))
	binary.LittleEndian.PutUint16(b[4:], uint16(v>>32))
}
