package frontier

import (
	"math/bits"
	"slices"
)

// Table maps fingerprints to values of up to 48 bits, or, made by NewSet, only knows which there are. It takes 6 bytes
// a fingerprint (12 with values) at a load between 68 % and 85 %, so 7.1 to 8.8 bytes (14.1 to 17.6): 4,096 small tables
// with linear probing, each of which grows alone, so that growing needs no room to speak of. An empty Table takes 128 KB.
type Table struct {
	shards [1 << shardBits]shard
	stride int
	n      int
}

type shard struct {
	slots []byte // fingerprint 6 bytes (all zero: free), then the value
	n     int32
}

const (
	shardBits   = 12
	fingerBytes = 6
	valueBytes  = 6
	fingerMask  = 1<<(8*fingerBytes) - 1
	minSlots    = 4

	// MaxValue is the largest value a Table can hold.
	MaxValue = 1<<(8*valueBytes) - 1
)

// NewSet returns a Table without values: Get returns zero, Put ignores the value.
func NewSet() *Table { return &Table{stride: fingerBytes} }

// NewTable returns an empty Table with values.
func NewTable() *Table { return &Table{stride: fingerBytes + valueBytes} }

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
	slot := t.find(&t.shards[fp>>(64-shardBits)], fp)
	if slot == nil || isFree(slot) {
		return 0, false
	}
	return t.value(slot), true
}

// Put sets the value of a fingerprint, and says whether it was not there before.
func (t *Table) Put(fp, value uint64) (fresh bool) {
	s := &t.shards[fp>>(64-shardBits)]
	slot := t.find(s, fp)
	if slot == nil || isFree(slot) {
		if slots := len(s.slots) / t.stride; int(s.n+1)*20 > slots*17 { // so one is always free, where find ends
			t.grow(s, slots+max(minSlots, slots/4))
			slot = t.find(s, fp)
		}
		put48(slot, finger(fp))
		s.n++
		t.n++
		fresh = true
	}
	if t.stride > fingerBytes {
		put48(slot[fingerBytes:], value)
	}
	return fresh
}

// Update replaces every value by what fn makes of it.
func (t *Table) Update(fn func(value uint64) uint64) {
	for i := range t.shards {
		slots := t.shards[i].slots
		for at := 0; at < len(slots); at += t.stride {
			if slot := slots[at : at+t.stride]; !isFree(slot) {
				put48(slot[fingerBytes:], fn(get48(slot[fingerBytes:])))
			}
		}
	}
}

// find returns the slot that holds fp or, failing that, the free one where it belongs; nil when there are no slots.
func (t *Table) find(s *shard, fp uint64) []byte {
	if len(s.slots) == 0 {
		return nil
	}
	want := finger(fp)
	at := t.home(want, len(s.slots)/t.stride) * t.stride
	for {
		slot := s.slots[at : at+t.stride]
		if have := get48(slot); have == want || have == 0 {
			return slot
		}
		if at += t.stride; at == len(s.slots) {
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
	s.slots = slices.Grow([]byte(nil), slots*t.stride) // all of what the allocator gives
	s.slots = s.slots[:cap(s.slots)/t.stride*t.stride]
	clear(s.slots)
	for at := 0; at < len(old); at += t.stride {
		if slot := old[at : at+t.stride]; !isFree(slot) {
			copy(t.find(s, get48(slot)), slot)
		}
	}
}

func (t *Table) value(slot []byte) uint64 {
	if t.stride == fingerBytes {
		return 0
	}
	return get48(slot[fingerBytes:])
}

// finger is what a slot stores of fp; never zero, which means free.
func finger(fp uint64) uint64 {
	if f := fp & fingerMask; f != 0 {
		return f
	}
	return 1
}

func isFree(slot []byte) bool { return get48(slot) == 0 }

func get48(b []byte) uint64 {
	_ = b[5]
	return uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16 | uint64(b[3])<<24 | uint64(b[4])<<32 | uint64(b[5])<<40
}

func put48(b []byte, v uint64) {
	_ = b[5]
	b[0], b[1], b[2], b[3], b[4], b[5] = byte(v), byte(v>>8), byte(v>>16), byte(v>>24), byte(v>>32), byte(v>>40)
}
