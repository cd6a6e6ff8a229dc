package amble

import (
	"context"
	"sync"
)

// MemoryStore is the Store of a run that nobody needs to resume. It is safe for concurrent use.
type MemoryStore struct {
	mu      sync.Mutex
	known   map[string]struct{}
	waiting map[Origin]*[]Item
	order   []Origin // servers with waiting items, the next to lease from first
	closed  bool
}

// NewMemoryStore returns an empty MemoryStore.
func NewMemoryStore() *MemoryStore {
	return &MemoryStore{known: make(map[string]struct{}), waiting: make(map[Origin]*[]Item)}
}

// Commit implements Store.
func (m *MemoryStore) Commit(ctx context.Context, s Step) ([]bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.usable(ctx); err != nil {
		return nil, err
	}
	fresh := make([]bool, len(s.Push))
	for i, item := range s.Push {
		if _, known := m.known[item.URL]; known {
			continue
		}
		m.known[item.URL] = struct{}{}
		fresh[i] = true
		if item.Outcome != OutcomeNone {
			continue
		}
		queue := m.waiting[item.Origin]
		if queue == nil {
			queue = new([]Item)
			m.waiting[item.Origin] = queue
			m.order = append(m.order, item.Origin)
		}
		*queue = append(*queue, item)
	}
	return fresh, nil
}

// Lease implements Store: the servers take turns.
func (m *MemoryStore) Lease(ctx context.Context, n int) ([]Item, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.usable(ctx); err != nil {
		return nil, err
	}
	var out []Item
	for len(out) < n && len(m.order) > 0 {
		origin := m.order[0]
		m.order = m.order[1:]
		queue := m.waiting[origin]
		share := min(len(*queue), max((n-len(out))/(len(m.order)+1), 1))
		out = append(out, (*queue)[:share]...)
		clear((*queue)[:share])
		if *queue = (*queue)[share:]; len(*queue) == 0 {
			delete(m.waiting, origin)
		} else {
			m.order = append(m.order, origin)
		}
	}
	return out, nil
}

// Close implements Store.
func (m *MemoryStore) Close() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.closed = true
	m.known, m.waiting, m.order = nil, nil, nil
	return nil
}

func (m *MemoryStore) usable(ctx context.Context) error {
	if m.closed {
		return &Error{Op: "store", Kind: ErrClosed}
	}
	return ctx.Err()
}
