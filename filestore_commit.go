package amble

import (
	"context"
	"sync"
	"time"

	"github.com/amblecrawl/amble/internal/frontier"
	"github.com/amblecrawl/amble/internal/journal"
)

// Commit implements Store. It returns once the step is on disk. The context ends the wait for a rewrite of the file,
// not the write itself: a step whose Commit returned the context's error was not kept.
func (s *FileStore) Commit(ctx context.Context, step Step) (fresh []bool, err error) {
	leave, err := s.enter(ctx, 1)
	if err != nil {
		return nil, err
	}
	defer leave()
	c := commits.Get().(*commit)
	defer commits.Put(c)
	c.reset()

	for i := range step.Push {
		c.pushed = append(c.pushed, s.fingerprint(step.Push[i].URL))
	}
	for i := range step.Done {
		c.done = append(c.done, done{fp: s.fingerprint(step.Done[i].URL)})
	}
	fresh = make([]bool, len(step.Push))
	s.mu.Lock()
	for i, fp := range c.pushed {
		state := s.known.Get(fp)
		if state&claimed != 0 {
			continue
		}
		fresh[i] = true
		s.set(fp, state|claimed) // at once, so that no other Commit claims it while this one waits for the disk
		c.claims = append(c.claims, claim{fp, state, &step.Push[i]})
	}
	for i := range c.done {
		c.done[i].item = s.leased[c.done[i].fp]
	}
	s.mu.Unlock()

	day := time.Now().Unix() / 86400
	base, err := s.write(c, step, day)
	s.mu.Lock()
	defer s.mu.Unlock()
	if err != nil {
		for _, it := range c.claims {
			s.set(it.fp, s.known.Get(it.fp)&^claimed)
		}
		return nil, storeError(err)
	}
	for i, it := range c.claims {
		if it.item.Outcome != OutcomeNone {
			s.set(it.fp, claimed|recorded)
			continue
		}
		s.set(it.fp, s.known.Get(it.fp)|isWaiting)
		s.enqueue(string(it.item.Origin), c.entries.Offset(base, i))
	}
	for _, d := range c.done {
		s.set(d.fp, claimed|recorded)
		delete(s.leased, d.fp)
	}
	for i := range step.Spent {
		s.spend(counter{step.Spent[i], day})
	}
	s.active = s.active || len(step.Push) > 0 || len(step.Done) > 0
	return fresh, nil
}

// write puts the step into the journal and notes where records stand.
func (s *FileStore) write(c *commit, step Step, day int64) (base int64, err error) {
	for _, it := range c.claims {
		before := int64(0) // only an item that is a record itself needs it
		if it.item.Outcome != OutcomeNone && it.state&recorded != 0 {
			if before, _, err = s.records.Get(it.fp); err != nil {
				return 0, err
			}
		}
		c.entries.Add(func(b []byte) []byte { return appendItemEntry(b, it.fp, before, it.item) })
	}
	for i, d := range c.done {
		c.entries.Add(func(b []byte) []byte { return appendRecordEntry(b, d.fp, d.item, &step.Done[i]) })
	}
	for i := range step.Spent {
		c.entries.Add(func(b []byte) []byte { return appendSpentEntry(b, counter{step.Spent[i], day}) })
	}
	if base, err = s.journal.Append(&c.entries); err != nil {
		return 0, err
	}
	for i, it := range c.claims {
		if it.item.Outcome != OutcomeNone {
			s.index(it.fp, c.entries.Offset(base, i))
		}
	}
	for i, d := range c.done {
		s.index(d.fp, c.entries.Offset(base, len(c.claims)+i))
	}
	return base, nil
}

// index notes where a record stands. An error ends the run, since memory is no longer bounded; what is in the journal
// stays.
func (s *FileStore) index(fp uint64, off int64) {
	if err := s.records.Put(fp, off); err != nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.spill = err
	}
}

// A commit is the memory of one Commit, used again.
type commit struct {
	entries journal.Step
	pushed  []uint64 // fingerprints of Step.Push
	claims  []claim
	done    []done
}

type claim struct {
	fp    uint64
	state frontier.State // before
	item  *Item
}

type done struct {
	fp   uint64
	item int64 // offset of its item, or 0
}

var commits = sync.Pool{New: func() any { return new(commit) }}

func (c *commit) reset() {
	c.entries.Reset()
	clear(c.claims)
	c.pushed, c.claims, c.done = c.pushed[:0], c.claims[:0], c.done[:0]
}
