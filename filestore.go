package amble

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/semaphore"

	"github.com/amblecrawl/amble/internal/frontier"
	"github.com/amblecrawl/amble/internal/journal"
)

// The errors of a FileStore, beside ErrClosed. All of them match ErrStore, too.
var (
	// ErrStoreInUse: another process, or another part of this one, has the folder open.
	ErrStoreInUse = fmt.Errorf("%w: in use", ErrStore)

	// ErrStoreFull: the disk is full. The step that met it was not kept, not even in part; all earlier ones were.
	ErrStoreFull = fmt.Errorf("%w: disk full", ErrStore)

	// ErrStoreDamaged: something that was kept cannot be read. Nothing was changed on disk. A *StoreDamage says where.
	ErrStoreDamaged = fmt.Errorf("%w: damaged", ErrStore)
)

// StoreDamage is in the chain of errors that match ErrStoreDamaged (errors.As): the file and the offset of the damage.
type StoreDamage = journal.DamagedError

// FileStore is a Store and a Historian in a folder. What Commit has acknowledged survives kill -9 and power loss; what
// was leased and not done waits again after the next OpenFileStore.
//
// The folder belongs to one process at a time, and to one run: a Crawler's second one at the same time fails with
// ErrStoreInUse. Its one large file grows with every step and is rewritten without what
// is out of date when a run ends and the file has doubled since the first run or the last rewrite. A rewrite waits for the disk (about ten seconds for ten
// million URLs) and needs room for the new file beside the old.
//
// Memory: at most 10 bytes a known URL, of this and earlier runs; up to bounds, about 10 bytes a waiting one and 3 MB for
// where records stand, the rest being in temporary files; a few dozen bytes a leased one, and what keys of notes and
// counters take. Two different URLs are taken for the same, so that the second is left out without an outcome, with a
// chance of 1 in 370,000 for a whole crawl of ten million URLs (1 in 3,700 at a hundred million); the hash has a secret
// key that the folder holds, so a site cannot bring it about.
//
// All methods may be called from many goroutines at once. Commits that wait at the same time share one write to disk.
// Nothing in the folder is encrypted: URLs, robots files and notes are readable by whoever can read the disk.
type FileStore struct {
	opts    FileStoreOptions
	journal *journal.Journal
	key     [32]byte

	// gate is shared by what reads and adds; what changes everything (a run's begin and end, Close) has it alone.
	gate *semaphore.Weighted

	// records holds the offset of the newest record, or item that carries its outcome, of each URL that has one. It is
	// exchanged with the gate held alone.
	records *frontier.Index

	mu       sync.Mutex
	known    *frontier.Set    // what is known of a URL
	waiting  int              // URLs that wait, leased or not
	queue    *frontier.Queue  // offsets of waiting items
	leased   map[uint64]int64 // offsets of the items that were leased and are not done
	begin    int64            // items of the run under way come after
	spill    error            // of a temporary file
	active   bool             // a run is under way
	counters map[string]counter
	notes    map[string]int64 // offsets; below zero: the note was removed there
	base     int64            // the file's size after the first run or the last rewrite; 0 before
	runs     int              // since then
	closed   bool
	busy     atomic.Bool // a Crawler's run is under way
}

// FileStoreOptions are the settings of OpenFileStore.
type FileStoreOptions struct {
	// QueueBytes is the memory for references to waiting URLs; what exceeds it is in a temporary file. Zero: 4 MiB,
	// enough for about half a million waiting URLs.
	QueueBytes int64

	// RewriteBytes is the size below which the file is not rewritten. Zero: 64 MiB; negative: at the end of every run.
	RewriteBytes int64

	fs      journal.FS // nil: the system's; tests have a disk that fills up
	records int        // places of records in memory; 0: 65,536
}

type counter struct {
	Spent
	day int64 // of the last change, in days since 1970
}

// counterDays is how long a counter is kept that nobody adds to.
const counterDays = 400

// rewriteRuns is the number of runs after which the file is rewritten though it has not doubled: opening costs a moment
// for each.
const rewriteRuns = 1000

// gateAll is the weight that has the gate alone.
const gateAll = 1 << 40

// What is known of a URL.
const (
	claimed   frontier.State = 1 << iota // in this run
	isWaiting                            // its item, which came in this run, has not ended
	recorded                             // records has an entry
)

// OpenFileStore opens the store in folder dir, or makes an empty one; nil options are the defaults. A step that a crash
// interrupted is left out (Torn tells how many bytes that were).
//
// Errors match ErrStoreInUse, ErrStoreFull, ErrStoreDamaged or ErrStore.
func OpenFileStore(dir string, opts *FileStoreOptions) (*FileStore, error) {
	s := &FileStore{
		gate:     semaphore.NewWeighted(gateAll),
		known:    frontier.NewSet(),
		leased:   map[uint64]int64{},
		counters: map[string]counter{},
		notes:    map[string]int64{},
	}
	if opts != nil {
		s.opts = *opts
	}
	if s.opts.QueueBytes == 0 {
		s.opts.QueueBytes = waitingBytes
	}
	if s.opts.RewriteBytes == 0 {
		s.opts.RewriteBytes = 64 << 20
	}
	if s.opts.records == 0 {
		s.opts.records = 64 << 10
	}
	s.queue = frontier.NewQueue(s.opts.QueueBytes, dir)
	s.records = frontier.NewIndex(s.opts.records, dir)
	var err error
	if s.journal, err = journal.Open(dir, journal.Options{FS: s.opts.fs}, s.replay); err != nil {
		s.records.Close()
		return nil, storeError(err)
	}
	s.key = s.journal.Key()
	if err := s.fillQueue(); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// Torn returns the length of the unfinished step that OpenFileStore cut off the file, usually 0. The bytes are kept in
// the folder, in the file "torn".
func (s *FileStore) Torn() int64 { return s.journal.Torn().Bytes }

// storeError gives an error of the file its kind.
func storeError(err error) error {
	if err == nil {
		return nil
	}
	var known *Error
	if errors.As(err, &known) {
		return err
	}
	kind := ErrStore
	var locked *journal.LockedError
	var damaged *journal.DamagedError
	switch {
	case errors.Is(err, journal.ErrClosed):
		kind = ErrClosed
	case errors.Is(err, journal.ErrFull):
		kind = ErrStoreFull
	case errors.As(err, &locked):
		kind = ErrStoreInUse
	case errors.As(err, &damaged):
		kind = ErrStoreDamaged
	}
	return &Error{Op: "store", Kind: kind, Err: err}
}

func (s *FileStore) fingerprint(url string) uint64 {
	var room [512]byte
	sum := sha256.Sum256(append(append(room[:0], s.key[:]...), url...))
	return binary.LittleEndian.Uint64(sum[:])
}

// enter takes the gate with the given weight.
func (s *FileStore) enter(ctx context.Context, weight int64) (leave func(), err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := s.gate.Acquire(ctx, weight); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.closed:
		err = &Error{Op: "store", Kind: ErrClosed}
	case s.spill != nil:
		err = storeError(s.spill)
	}
	if err != nil {
		s.gate.Release(weight)
		return nil, err
	}
	return func() { s.gate.Release(weight) }, nil
}

// set changes what is known of a URL and keeps count of those that wait. mu is held.
func (s *FileStore) set(fp uint64, state frontier.State) {
	old := s.known.Put(fp, state)
	if old&isWaiting != 0 {
		s.waiting--
	}
	if state&isWaiting != 0 {
		s.waiting++
	}
}

func (s *FileStore) enqueue(origin string, off int64) {
	if err := s.queue.Push(origin, binary.AppendUvarint(nil, uint64(off))); err != nil {
		s.spill = err
	}
}

func (s *FileStore) spend(c counter) {
	sum := s.counters[c.Key]
	sum.Key = c.Key
	sum.Requests += c.Requests
	sum.Pages += c.Pages
	sum.Bytes += c.Bytes
	sum.day = max(sum.day, c.day)
	s.counters[c.Key] = sum
}

// Lease implements Store. The servers take turns.
func (s *FileStore) Lease(ctx context.Context, n int) ([]Item, error) {
	return s.LeaseExcept(ctx, n, nil)
}

// LeaseExcept implements ServerLeaser.
func (s *FileStore) LeaseExcept(ctx context.Context, n int, skip func(Origin) bool) ([]Item, error) {
	leave, err := s.enter(ctx, 1)
	if err != nil {
		return nil, err
	}
	defer leave()
	var items []Item
	var buf []byte
	for len(items) < n {
		off, ok, err := s.dequeue(skipName(skip))
		if err != nil || !ok {
			return items, storeError(err)
		}
		entry, err := s.journal.ReadAt(off, buf)
		if err != nil {
			return items, storeError(err)
		}
		buf = entry[:0]
		e := readEntry(entry)
		it := e.rest.item()
		if e.rest.bad {
			return items, storeError(s.malformed(off))
		}
		s.mu.Lock()
		waits := s.known.Get(e.fp)&isWaiting != 0
		if waits {
			s.leased[e.fp] = off
		}
		s.mu.Unlock()
		if !waits { // it ended without having been leased
			continue
		}
		items = append(items, it)
	}
	return items, nil
}

func (s *FileStore) dequeue(skip func(string) bool) (off int64, ok bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var room [binary.MaxVarintLen64]byte
	ref, ok, err := s.queue.PopExcept(room[:0], skip)
	if !ok || err != nil {
		return 0, false, err
	}
	v, _ := binary.Uvarint(ref)
	return int64(v), true, nil
}

// Waiting returns the number of URLs that have not ended, those being worked on included.
func (s *FileStore) Waiting() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.waiting
}

// Close waits for calls under way and ends the store. A second Close does nothing.
func (s *FileStore) Close() error {
	s.gate.Acquire(context.Background(), gateAll)
	defer s.gate.Release(gateAll)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil
	}
	s.closed = true
	s.queue.Close()
	s.records.Close()
	return storeError(s.journal.Close())
}
