package amble

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/amblecrawl/amble/internal/frontier"
)

// The entries of a FileStore's journal. An item or a record starts with its kind and the URL's fingerprint.
const (
	entryItem      = 1 + iota // where the item carries its outcome, offset of the record before, or 0; the item
	entryRecord               // offset of the URL's item, or 0 and the URL; the record
	entrySpent                // day; what was spent
	entryNote                 // key; 1 and the value, or 0
	entryRunStart             //
	entryRunEnd               //
	entryRewritten            // the end of a rewritten file
)

// entryMin is no more than any item or record takes in the journal (a head of 8 bytes, kind, fingerprint, and a byte for
// each field), so that two never start in the same 24 bytes. Other entries may be shorter, and then start in those of an
// item: kind tells them apart.
const entryMin = 24

func appendItemEntry(b []byte, fp uint64, before int64, it *Item) []byte {
	b = binary.LittleEndian.AppendUint64(append(b, entryItem), fp)
	b = binary.AppendUvarint(b, uint64(before))
	return appendItem(b, it)
}

func appendRecordEntry(b []byte, fp uint64, itemOff int64, r *Record) []byte {
	b = binary.LittleEndian.AppendUint64(append(b, entryRecord), fp)
	b = binary.AppendUvarint(b, uint64(itemOff))
	if itemOff == 0 {
		b = appendText(b, r.URL)
	}
	return appendRecord(b, r)
}

func appendSpentEntry(b []byte, c counter) []byte {
	b = binary.AppendVarint(append(b, entrySpent), c.day)
	b = appendText(b, c.Key)
	b = binary.AppendVarint(b, c.Requests)
	b = binary.AppendVarint(b, c.Pages)
	return binary.AppendVarint(b, c.Bytes)
}

func appendNoteEntry(b []byte, key string, value []byte) []byte {
	b = appendText(append(b, entryNote), key)
	if value == nil {
		return append(b, 0)
	}
	return append(append(b, 1), value...)
}

// An entry is the first part of what was read.
type entry struct {
	kind byte
	fp   uint64
	ref  int64 // of an item: the entry before; of a record: its item
	rest storeReader
}

func readEntry(b []byte) entry {
	e := entry{rest: storeReader{b: b}}
	e.kind = e.rest.byte()
	if e.kind == entryItem || e.kind == entryRecord {
		e.fp = e.rest.uint64()
		e.ref = int64(e.rest.uvarint())
	}
	return e
}

// ended says whether an item carries its outcome.
func (e *entry) ended() bool {
	return e.kind == entryItem && len(e.rest.b) > 0 && Outcome(e.rest.b[0]) != OutcomeNone
}

func (e *entry) counter() counter {
	var c counter
	c.day = e.rest.varint()
	c.Key = e.rest.text()
	c.Requests, c.Pages, c.Bytes = e.rest.varint(), e.rest.varint(), e.rest.varint()
	return c
}

func (s *FileStore) malformed(off int64) error {
	return fmt.Errorf("the entry at byte %d is not one of this version", off)
}

// replay takes in one entry of the journal that is being opened.
func (s *FileStore) replay(off int64, b []byte) error {
	e := readEntry(b)
	switch e.kind {
	case entryItem:
		s.active = true
		if e.ended() {
			s.set(e.fp, claimed|recorded)
			if err := s.records.Put(e.fp, off); err != nil {
				return err
			}
			break
		}
		s.set(e.fp, s.known.Get(e.fp)|claimed|isWaiting)
	case entryRecord:
		s.active = true
		s.set(e.fp, claimed|recorded)
		if err := s.records.Put(e.fp, off); err != nil {
			return err
		}
	case entrySpent:
		s.spend(e.counter())
	case entryNote:
		key := e.rest.text()
		if e.rest.byte() == 1 {
			s.notes[key] = off
		} else {
			delete(s.notes, key)
		}
	case entryRunStart:
		s.active = true
	case entryRunEnd:
		s.endRun(off)
	case entryRewritten:
		s.endRun(off)
		s.base, s.runs = off, 0
	default:
		return s.malformed(off)
	}
	if e.rest.bad {
		return s.malformed(off)
	}
	return nil
}

// endRun drops claims and what waits. The file has the given size.
func (s *FileStore) endRun(size int64) {
	s.known.Update(func(state frontier.State) frontier.State { return state & recorded })
	s.queue.Clear()
	clear(s.leased)
	s.begin = size
	s.waiting = 0
	s.active = false
	s.runs++
	if s.base == 0 {
		s.base = size
	}
}

// fillQueue puts everything that waits into the queue, in the order in which it came.
func (s *FileStore) fillQueue() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.queue.Clear()
	if s.waiting == 0 {
		return nil
	}
	err := s.journal.Scan(func(off int64, b []byte) error {
		if off <= s.begin {
			return nil
		}
		if e := readEntry(b); e.kind == entryItem && !e.ended() && s.known.Get(e.fp)&isWaiting != 0 {
			it := e.rest.item()
			s.enqueue(string(it.Origin), off)
		}
		return s.spill
	})
	return storeError(err)
}

// record returns the newest record of a URL whose newest entry is at off: that one, or one before an item that has not
// ended. ErrNoRecord when there is none. The URL may be "" where the caller does not know it.
func (s *FileStore) record(url string, off int64) (Record, error) {
	if off == 0 {
		return Record{}, noRecord(url)
	}
	b, err := s.journal.ReadAt(off, nil)
	if err != nil {
		return Record{}, storeError(err)
	}
	return s.recordFrom(url, off, readEntry(b), nil)
}

// recordFrom is record, where the newest entry has been read. It reads others into buf.
func (s *FileStore) recordFrom(url string, off int64, e entry, buf []byte) (Record, error) {
	for {
		switch {
		case e.kind == entryRecord:
			return s.readRecord(off, e, url, buf)
		case e.ended():
			return s.endedRecord(e)
		case e.kind != entryItem:
			return Record{}, storeError(s.malformed(off))
		}
		if off = e.ref; off == 0 {
			return Record{}, noRecord(url)
		}
		b, err := s.journal.ReadAt(off, buf)
		if err != nil {
			return Record{}, storeError(err)
		}
		e, buf = readEntry(b), nil
	}
}

// endedRecord is the record of a URL that ended when it was seen: what was known before, with its outcome.
func (s *FileStore) endedRecord(e entry) (Record, error) {
	it := e.rest.item()
	r, err := s.record(it.URL, e.ref)
	if err != nil && !errors.Is(err, ErrNoRecord) {
		return Record{}, err
	}
	r.URL, r.Outcome, r.Reason = it.URL, it.Outcome, it.Reason
	return r, nil
}

func noRecord(url string) error { return &Error{Op: "store", URL: url, Kind: ErrNoRecord} }

// readRecord reads the rest of a record's entry; its URL, if not known, is with the item.
func (s *FileStore) readRecord(off int64, e entry, url string, buf []byte) (Record, error) {
	switch {
	case e.ref == 0:
		url = e.rest.text()
	case url == "":
		b, err := s.journal.ReadAt(e.ref, buf)
		if err != nil {
			return Record{}, storeError(err)
		}
		item := readEntry(b)
		url = item.rest.item().URL
	}
	r := e.rest.record(url)
	if e.rest.bad {
		return Record{}, storeError(s.malformed(off))
	}
	return r, nil
}

// rewrite puts a new file in place with the newest record of each URL, the notes and the counters. No run is under
// way, and the gate is held alone.
func (s *FileStore) rewrite(today int64) error {
	records, notes := frontier.NewIndex(s.opts.records, s.journal.Dir()), make(map[string]int64, len(s.notes))
	var end int64
	var buf []byte
	err := s.journal.Checkpoint(func(emit func([]byte) (int64, error)) error {
		err := s.eachRecord(func(fp uint64, r Record) error {
			buf = appendRecordEntry(buf[:0], fp, 0, &r)
			off, err := emit(buf)
			if err != nil {
				return err
			}
			return records.Put(fp, off)
		})
		if err != nil {
			return err
		}
		for key, off := range s.notes {
			if off < 0 {
				continue
			}
			b, err := s.journal.ReadAt(off, nil)
			if err != nil {
				return err
			}
			if notes[key], err = emit(b); err != nil {
				return err
			}
		}
		for key, c := range s.counters {
			if c.day < today-counterDays {
				delete(s.counters, key)
				continue
			}
			if _, err := emit(appendSpentEntry(buf[:0], c)); err != nil {
				return err
			}
		}
		end, err = emit([]byte{entryRewritten})
		return err
	})
	if err != nil {
		records.Close()
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.records.Close()
	s.records, s.notes, s.base, s.begin, s.runs = records, notes, end, end, 0
	return nil
}

// eachRecord calls fn with the newest record of every URL that has one. It takes a bit for each place of the journal
// where an entry can start.
func (s *FileStore) eachRecord(fn func(fp uint64, r Record) error) error {
	newest := make([]uint64, s.journal.Size()/(64*entryMin)+1)
	err := s.records.Each(func(_ uint64, off int64) error {
		if bit := off / entryMin; bit/64 < int64(len(newest)) { // another call may have added to the journal meanwhile
			newest[bit/64] |= 1 << (bit % 64)
		}
		return nil
	})
	if err != nil {
		return err
	}
	buf := make([]byte, 512) // most entries fit
	return s.journal.Scan(func(off int64, b []byte) error {
		bit := off / entryMin
		if bit/64 >= int64(len(newest)) || newest[bit/64]&(1<<(bit%64)) == 0 {
			return nil
		}
		e := readEntry(b)
		if e.kind != entryRecord && !e.ended() {
			return nil
		}
		r, err := s.recordFrom("", off, e, buf)
		if errors.Is(err, ErrNoRecord) {
			return nil
		}
		if err != nil {
			return err
		}
		return fn(e.fp, r)
	})
}
