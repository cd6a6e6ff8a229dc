package amble

import (
	"context"
	"errors"
	"iter"
	"time"

	"github.com/amblecrawl/amble/internal/journal"
)

// StartRun implements Historian. When a run goes on within one process, what was leased and not done waits again.
// Commit without StartRun begins a run, too.
func (s *FileStore) StartRun(ctx context.Context) (resumed bool, err error) {
	leave, err := s.enter(ctx, gateAll)
	if err != nil {
		return false, err
	}
	defer leave()
	if s.active {
		if len(s.leased) > 0 {
			err = s.fillQueue()
		}
		return true, err
	}
	if err := s.append(func(b []byte) []byte { return append(b, entryRunStart) }); err != nil {
		return false, err
	}
	s.active = true
	return false, nil
}

// beginUse implements singleUse.
func (s *FileStore) beginUse() error {
	if !s.busy.CompareAndSwap(false, true) {
		return storeBusy()
	}
	return nil
}

func (s *FileStore) endUse() { s.busy.Store(false) }

// EndRun implements Historian. It may rewrite the file, which the context does not interrupt. Should the disk be too
// full for that, the old file stays, and the next EndRun tries again.
func (s *FileStore) EndRun(ctx context.Context) error {
	leave, err := s.enter(ctx, gateAll)
	if err != nil {
		return err
	}
	defer leave()
	if s.active {
		if err := s.append(func(b []byte) []byte { return append(b, entryRunEnd) }); err != nil {
			return err
		}
		s.mu.Lock()
		s.endRun(s.journal.Size())
		s.mu.Unlock()
	}
	small := s.journal.Size() < max(s.opts.RewriteBytes, 2*s.base)
	if small && s.runs < rewriteRuns && s.opts.RewriteBytes > 0 {
		return nil
	}
	err = s.rewrite(time.Now().Unix() / 86400)
	if errors.Is(err, journal.ErrFull) {
		return nil
	}
	return storeError(err)
}

// append writes one entry.
func (s *FileStore) append(encode func([]byte) []byte) error {
	var e journal.Step
	e.Add(encode)
	_, err := s.journal.Append(&e)
	return storeError(err)
}

// Last implements Historian: the newest record, of this run or an earlier one. Of a URL that was only seen it has URL,
// Outcome and Reason. A time comes back in UTC.
func (s *FileStore) Last(ctx context.Context, url string) (Record, error) {
	leave, err := s.enter(ctx, 1)
	if err != nil {
		return Record{}, err
	}
	defer leave()
	fp := s.fingerprint(url)
	s.mu.Lock()
	known := s.known.Get(fp)&recorded != 0
	s.mu.Unlock()
	if !known {
		return Record{}, noRecord(url)
	}
	off, _, err := s.records.Get(fp)
	if err != nil {
		return Record{}, storeError(err)
	}
	return s.record(url, off)
}

// Records returns what Last returns for every URL that has a record, in no particular order. It reads the whole file, and takes
// a bit of memory for each 24 bytes of it.
// The loop must not start or end a run, nor close the store: these wait for the loop.
func (s *FileStore) Records(ctx context.Context) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		leave, err := s.enter(ctx, 1)
		if err != nil {
			yield(Record{}, err)
			return
		}
		defer leave()
		stop := errors.New("stop")
		err = s.eachRecord(func(_ uint64, r Record) error {
			if err := ctx.Err(); err != nil {
				return err
			}
			if !yield(r, nil) {
				return stop
			}
			return nil
		})
		switch {
		case err == nil || err == stop:
		case err == ctx.Err():
			yield(Record{}, err)
		default:
			yield(Record{}, storeError(err))
		}
	}
}

// Counter implements Historian. A counter that nobody added to for 400 days may be dropped.
func (s *FileStore) Counter(ctx context.Context, key string) (Spent, error) {
	leave, err := s.enter(ctx, 1)
	if err != nil {
		return Spent{}, err
	}
	defer leave()
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.counters[key].Spent
	c.Key = key
	return c, nil
}

// Note implements Historian.
func (s *FileStore) Note(ctx context.Context, key string) ([]byte, error) {
	leave, err := s.enter(ctx, 1)
	if err != nil {
		return nil, err
	}
	defer leave()
	s.mu.Lock()
	off := s.notes[key]
	s.mu.Unlock()
	if off <= 0 {
		return nil, &Error{Op: "store", Kind: ErrNoRecord, Reason: "no note " + key}
	}
	b, err := s.journal.ReadAt(off, nil)
	if err != nil {
		return nil, storeError(err)
	}
	e := readEntry(b)
	e.rest.text()
	e.rest.byte()
	if e.rest.bad {
		return nil, storeError(s.malformed(off))
	}
	return e.rest.b, nil
}

// PutNote implements Historian. It returns once the note is on disk.
func (s *FileStore) PutNote(ctx context.Context, key string, value []byte) error {
	leave, err := s.enter(ctx, 1)
	if err != nil {
		return err
	}
	defer leave()
	var e journal.Step
	e.Add(func(b []byte) []byte { return appendNoteEntry(b, key, value) })
	base, err := s.journal.Append(&e)
	if err != nil {
		return storeError(err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	off, last := e.Offset(base, 0), s.notes[key]
	if off < max(last, -last) { // another call came later and was quicker
		return nil
	}
	if value == nil {
		off = -off
	}
	s.notes[key] = off
	return nil
}
