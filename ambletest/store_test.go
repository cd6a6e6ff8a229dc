package ambletest

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"testing"

	"github.com/amblecrawl/amble"
)

// brokenStore is a sound Store with some of its methods exchanged.
type brokenStore struct {
	*amble.FileStore
	commit   func(s *amble.FileStore, ctx context.Context, step amble.Step) ([]bool, error)
	lease    func(s *amble.FileStore, ctx context.Context, n int) ([]amble.Item, error)
	startRun func(s *amble.FileStore, ctx context.Context) (bool, error)
	last     func(s *amble.FileStore, ctx context.Context, url string) (amble.Record, error)
	counter  func(s *amble.FileStore, ctx context.Context, key string) (amble.Spent, error)
	putNote  func(s *amble.FileStore, ctx context.Context, key string, value []byte) error
	open     bool // Close does nothing
}

func (b brokenStore) Commit(ctx context.Context, step amble.Step) ([]bool, error) {
	if b.commit != nil {
		return b.commit(b.FileStore, ctx, step)
	}
	return b.FileStore.Commit(ctx, step)
}

func (b brokenStore) Lease(ctx context.Context, n int) ([]amble.Item, error) {
	if b.lease != nil {
		return b.lease(b.FileStore, ctx, n)
	}
	return b.FileStore.Lease(ctx, n)
}

func (b brokenStore) StartRun(ctx context.Context) (bool, error) {
	if b.startRun != nil {
		return b.startRun(b.FileStore, ctx)
	}
	return b.FileStore.StartRun(ctx)
}

func (b brokenStore) Last(ctx context.Context, url string) (amble.Record, error) {
	if b.last != nil {
		return b.last(b.FileStore, ctx, url)
	}
	return b.FileStore.Last(ctx, url)
}

func (b brokenStore) Counter(ctx context.Context, key string) (amble.Spent, error) {
	if b.counter != nil {
		return b.counter(b.FileStore, ctx, key)
	}
	return b.FileStore.Counter(ctx, key)
}

func (b brokenStore) PutNote(ctx context.Context, key string, value []byte) error {
	if b.putNote != nil {
		return b.putNote(b.FileStore, ctx, key, value)
	}
	return b.FileStore.PutNote(ctx, key, value)
}

func (b brokenStore) Close() error {
	if b.open {
		return nil
	}
	return b.FileStore.Close()
}

func TestStoreSuiteFindsBrokenPromises(t *testing.T) {
	// with opens a sound store and breaks it.
	with := func(b brokenStore) storeSubject {
		return func(dir string) (_ amble.Store, err error) {
			opened := b
			if opened.FileStore, err = amble.OpenFileStore(dir, nil); err == nil {
				t.Cleanup(func() { opened.FileStore.Close() })
			}
			return opened, err
		}
	}
	forgetful := storeSubject(func(string) (amble.Store, error) { return with(brokenStore{})(t.TempDir()) })
	allFresh := with(brokenStore{commit: func(s *amble.FileStore, ctx context.Context, step amble.Step) ([]bool, error) {
		fresh, err := s.Commit(ctx, step)
		for i := range fresh {
			fresh[i] = true
		}
		return fresh, err
	}})
	leasing := func(change func(items []amble.Item) []amble.Item) storeSubject {
		return with(brokenStore{lease: func(s *amble.FileStore, ctx context.Context, n int) ([]amble.Item, error) {
			items, err := s.Lease(ctx, n)
			return change(items), err
		}})
	}
	broken := map[string]storeSubject{
		"an empty store has nothing to lease": leasing(func(items []amble.Item) []amble.Item { return append(items, amble.Item{URL: "x"}) }),
		"a URL is fresh once":                 allFresh,
		"of equal URLs in one step one is fresh": with(brokenStore{commit: func(s *amble.FileStore, ctx context.Context, step amble.Step) ([]bool, error) {
			fresh, err := s.Commit(ctx, step)
			for i := range fresh {
				fresh[i] = fresh[i] || slices.ContainsFunc(step.Push[:i], func(it amble.Item) bool { return it.URL == step.Push[i].URL })
			}
			return fresh, err
		}}),
		"a URL is claimed once by many goroutines":     allFresh,
		"every item is leased once by many goroutines": leasing(func(items []amble.Item) []amble.Item { return append(items, items...) }),
		"a server's items keep their order":            leasing(func(items []amble.Item) []amble.Item { slices.Reverse(items); return items }),
		"servers take turns": with(brokenStore{lease: func(s *amble.FileStore, ctx context.Context, n int) ([]amble.Item, error) {
			items, err := s.Lease(ctx, 1000)
			slices.SortStableFunc(items, func(a, b amble.Item) int { return cmp.Compare(a.Origin, b.Origin) })
			return items[:min(n, len(items))], err
		}}),
		"an item that has ended is claimed and not leased": with(brokenStore{commit: func(s *amble.FileStore, ctx context.Context, step amble.Step) ([]bool, error) {
			step.Push = slices.Clone(step.Push)
			for i := range step.Push {
				step.Push[i].Outcome = amble.OutcomeNone
			}
			return s.Commit(ctx, step)
		}}),
		"a URL that is done is claimed": with(brokenStore{commit: func(s *amble.FileStore, ctx context.Context, step amble.Step) ([]bool, error) {
			fresh, err := s.Commit(ctx, step)
			for i := range fresh {
				fresh[i] = fresh[i] || slices.ContainsFunc(step.Done, func(r amble.Record) bool { return r.URL == step.Push[i].URL })
			}
			return fresh, err
		}}),
		"Lease gives at most what is asked for": with(brokenStore{lease: func(s *amble.FileStore, ctx context.Context, n int) ([]amble.Item, error) {
			return s.Lease(ctx, n+1)
		}}),
		"the fields of an item are kept": leasing(func(items []amble.Item) []amble.Item {
			for i := range items {
				items[i].Referrer = ""
			}
			return items
		}),
		"an ended context changes nothing": with(brokenStore{commit: func(s *amble.FileStore, ctx context.Context, step amble.Step) ([]bool, error) {
			return s.Commit(context.WithoutCancel(ctx), step)
		}}),
		"after Close": with(brokenStore{open: true}),
		"runs": with(brokenStore{startRun: func(s *amble.FileStore, ctx context.Context) (bool, error) {
			_, err := s.StartRun(ctx)
			return false, err
		}}),
		"the last record": with(brokenStore{last: func(s *amble.FileStore, ctx context.Context, url string) (amble.Record, error) {
			r, err := s.Last(ctx, url)
			r.Canonical = ""
			return r, err
		}}),
		"counters add up": with(brokenStore{counter: func(_ *amble.FileStore, _ context.Context, key string) (amble.Spent, error) {
			return amble.Spent{Key: key, Pages: 1}, nil
		}}),
		"notes": with(brokenStore{putNote: func(s *amble.FileStore, ctx context.Context, key string, value []byte) error {
			if value == nil {
				return nil // the note stays
			}
			return s.PutNote(ctx, key, value)
		}}),
	}
	wantBroken(t, storePromises, maps.Clone(broken))

	durable := map[string]storeSubject{}
	for _, p := range durablePromises {
		durable[p.name] = forgetful // as a store in memory is
	}
	wantBroken(t, durablePromises, durable)
}
