package amble

import "sync"

// serverTable is a part of the servers that a ServerLimiter remembers, with a lock of its own: a hash table with open
// addressing. With 100,000 servers what a look-up costs is memory that is not in the processor's cache, so the servers
// themselves are its slots: a look-up reads one line of the cache, seldom two. Servers move when others are added or
// forgotten, so a pointer to one is valid only as long as the lock is held.
type serverTable struct {
	sync.Mutex
	slots []server // a power of two; those of no server are not used
	n     int
	hand  int // where the next search for a victim begins
}

// get finds a server by its key and the key's hash; nil when there is none.
func (t *serverTable) get(key string, hash uint64) *server {
	if t.n == 0 {
		return nil
	}
	upper := uint32(hash >> 32)
	for at := t.home(upper); ; at = t.after(at) {
		s := &t.slots[at]
		if !s.used {
			return nil
		}
		if s.hash == upper && s.key == key {
			return s
		}
	}
}

// add takes in a server that is not there.
func (t *serverTable) add(key string, hash uint64) *server {
	if (t.n+1)*4 > len(t.slots)*3 {
		old := t.slots
		t.slots = make([]server, max(8, 2*len(old)))
		for i := range old {
			if old[i].used {
				*t.place(old[i].hash) = old[i]
			}
		}
	}
	t.n++
	s := t.place(uint32(hash >> 32))
	*s = server{key: key, hash: uint32(hash >> 32), used: true}
	return s
}

// place is the free slot for a hash.
func (t *serverTable) place(hash uint32) *server {
	at := t.home(hash)
	for t.slots[at].used {
		at = t.after(at)
	}
	return &t.slots[at]
}

func (t *serverTable) home(hash uint32) int { return int(hash) & (len(t.slots) - 1) }
func (t *serverTable) after(at int) int     { return (at + 1) & (len(t.slots) - 1) }

// remove forgets the server of a slot and moves those that follow nearer to their homes.
func (t *serverTable) remove(at int) {
	mask := len(t.slots) - 1
	for next := t.after(at); t.slots[next].used; next = t.after(next) {
		home := t.home(t.slots[next].hash)
		if (next-home)&mask >= (next-at)&mask { // its home is not behind the gap
			t.slots[at] = t.slots[next]
			at = next
		}
	}
	t.slots[at] = server{}
	t.n--
}

// evict forgets one server that nothing waits for: of a few, the one whose time is up first. Servers in use stay, so the
// number may exceed the bound by the number of workers.
func (t *serverTable) evict(now instant) {
	victim, best := -1, instant(0)
	seen := 0
	for range t.slots {
		t.hand = t.after(t.hand)
		s := &t.slots[t.hand]
		if !s.used || s.queue != nil || s.inFlight != [classCount]uint16{} {
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
