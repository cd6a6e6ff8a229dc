package amble

import "sync"

// serverTable is a part of the servers that a ServerLimiter remembers, with a lock of its own: a hash table with open
// addressing. With 100,000 servers what a look-up costs is memory that is not in the processor's cache, so it touches one
// small slot and one server.
type serverTable struct {
	sync.Mutex
	slots  []serverSlot // a power of two
	n      int
	hand   int // where the next search for a victim begins
	chunks []*[chunkServers]server
	free   []uint32 // numbers of servers that were forgotten
}

// serverSlot is the upper half of a hash, and the number of the server in chunks, from 1; zero when the slot is empty.
type serverSlot struct{ hash, number uint32 }

const chunkServers = 32

func (t *serverTable) server(number uint32) *server {
	return &t.chunks[(number-1)/chunkServers][(number-1)%chunkServers]
}

// get finds a server by its key and the key's hash; nil when there is none. It is valid as long as the lock is held, or
// the server in use.
func (t *serverTable) get(key string, hash uint64) *server {
	if t.n == 0 {
		return nil
	}
	upper := uint32(hash >> 32)
	for at := t.home(upper); ; at = t.after(at) {
		slot := t.slots[at]
		if slot.number == 0 {
			return nil
		}
		if slot.hash == upper {
			if s := t.server(slot.number); s.key == key {
				return s
			}
		}
	}
}

// add takes in a server that is not there.
func (t *serverTable) add(key string, hash uint64) *server {
	if (t.n+1)*4 > len(t.slots)*3 {
		old := t.slots
		t.slots = make([]serverSlot, max(8, 2*len(old)))
		for _, slot := range old {
			if slot.number != 0 {
				t.place(slot)
			}
		}
	}
	if len(t.free) == 0 {
		t.chunks = append(t.chunks, new([chunkServers]server))
		for i := range uint32(chunkServers) {
			t.free = append(t.free, uint32(len(t.chunks)*chunkServers)-i)
		}
	}
	number := t.free[len(t.free)-1]
	t.free = t.free[:len(t.free)-1]
	t.place(serverSlot{uint32(hash >> 32), number})
	t.n++
	s := t.server(number)
	*s = server{key: key}
	return s
}

func (t *serverTable) place(slot serverSlot) {
	at := t.home(slot.hash)
	for t.slots[at].number != 0 {
		at = t.after(at)
	}
	t.slots[at] = slot
}

func (t *serverTable) home(hash uint32) int { return int(hash) & (len(t.slots) - 1) }
func (t *serverTable) after(at int) int     { return (at + 1) & (len(t.slots) - 1) }

// remove forgets the server of a slot and moves slots that follow nearer to their homes.
func (t *serverTable) remove(at int) {
	number := t.slots[at].number
	*t.server(number) = server{}
	t.free = append(t.free, number)
	mask := len(t.slots) - 1
	for next := t.after(at); t.slots[next].number != 0; next = t.after(next) {
		home := t.home(t.slots[next].hash)
		if (next-home)&mask >= (next-at)&mask { // its home is not behind the gap
			t.slots[at] = t.slots[next]
			at = next
		}
	}
	t.slots[at] = serverSlot{}
	t.n--
}

// evict forgets one server that nothing waits for: of a few, the one whose time is up first. Servers in use stay, so the
// number may exceed the bound by the number of workers.
func (t *serverTable) evict(now instant) {
	victim, best := -1, instant(0)
	seen := 0
	for range t.slots {
		t.hand = t.after(t.hand)
		if t.slots[t.hand].number == 0 {
			continue
		}
		s := t.server(t.slots[t.hand].number)
		if s.queue != nil || s.inFlight != [classCount]uint16{} {
			continue
		}
		until := s.earliest(classPage)
		if s.slowed {
			until += instant(slowedMemory) // what refused us is remembered longest
		}
		if victim < 0 || until < best {
			victim, best = t.hand, until
		}
		if seen++; seen >= 16 && best < now || seen >= 64 {
			break
		}
	}
	if victim >= 0 {
		t.remove(victim)
	}
}
