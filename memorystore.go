package amble

import (
	"context"
	"hash/maphash"
	"sync"
	"sync/atomic"

	"github.com/amblecrawl/amble/internal/frontier"
)

// MemoryStore is the Store of a run that nobody will resume: it forgets records and counters. A known URL takes at
// most 9 bytes. Waiting ones are in memory up to a bound and then in a temporary file, which the system removes when the
// process ends, however it ends; there one takes about a byte of memory.
//
// Two different URLs are taken for the same, so that the second is left out without an outcome, with a chance of 1 in
// 370,000 for a whole crawl of 10 million URLs (1 in 3,700 at 100 million); the hash has a random key, so a site cannot
// bring it about.
//
// A MemoryStore serves one run: its claims last as long as it does. A second run at the same time fails with
// ErrStoreInUse.
type MemoryStore struct {
	mu     sync.Mutex
	seed   maphash.Seed
	known  *frontier.Set
	queue  *frontier.Queue
	spill  error // of the queue's file; ends the run, since memory is no longer bounded
	closed bool
	buf    []byte
	busy   atomic.Bool // a run is under way
}

// waitingBytes is the memory for waiting items, of MemoryStore and by default of FileStore.
const waitingBytes = 4 << 20

// NewMemoryStore returns an empty MemoryStore that holds 4 MiB of waiting items in memory.
func NewMemoryStore() *MemoryStore {
	return &MemoryStore{
		seed:  maphash.MakeSeed(),
		known: frontier.NewSet(),
		queue: frontier.NewQueue(waitingBytes, ""),
	}
}

// beginUse implements singleUse.
func (m *MemoryStore) beginUse() error {
	if !m.busy.CompareAndSwap(false, true) {
		return storeBusy()
	}
	return nil
}

func (m *MemoryStore) endUse() { m.busy.Store(false) }

// Commit implements Store.
func (m *MemoryStore) Commit(ctx context.Context, s Step) (fresh []bool, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.ready(ctx); err != nil {
		return nil, err
	}
	for i := range s.Done {
		m.known.Put(maphash.String(m.seed, s.Done[i].URL), 1)
	}
	fresh = make([]bool, len(s.Push))
	for i := range s.Push {
		it := &s.Push[i]
		fresh[i] = m.known.Put(maphash.String(m.seed, it.URL), 1) == 0
		if !fresh[i] || it.Outcome != OutcomeNone {
			continue
		}
		m.buf = appendItem(m.buf[:0], it)
		if err := m.queue.Push(string(it.Origin), m.buf); err != nil {
			m.spill = err // the item is kept nevertheless: the step stays whole, and the next call fails
		}
	}
	return fresh, nil
}

// Lease implements Store. The servers take turns.
func (m *MemoryStore) Lease(ctx context.Context, n int) ([]Item, error) {
	return m.LeaseExcept(ctx, n, nil)
}

// LeaseExcept implements ServerLeaser.
func (m *MemoryStore) LeaseExcept(ctx context.Context, n int, skip func(Origin) bool) ([]Item, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.ready(ctx); err != nil {
		return nil, err
	}
	var items []Item
	for len(items) < n {
		buf, ok, err := m.queue.PopExcept(m.buf[:0], skipName(skip))
		if err != nil {
			return items, storeError(err)
		}
		if !ok {
			break
		}
		m.buf = buf
		r := storeReader{b: buf}
		items = append(items, r.item())
	}
	return items, nil
}

func (m *MemoryStore) ready(ctx context.Context) error {
	if m.closed {
		return &Error{Op: "store", Kind: ErrClosed}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if m.spill != nil {
		return storeError(m.spill)
	}
	return nil
}

// Close frees the memory and the temporary file. A second Close does nothing.
func (m *MemoryStore) Close() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.closed {
		m.closed = true
		m.queue.Close()
		m.known = nil
	}
	return nil
}
