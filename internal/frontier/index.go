package frontier

import (
	"bufio"
	"cmp"
	"encoding/binary"
	"io"
	"slices"
	"sync"
)

// Index maps fingerprints to offsets in another file. A bounded number of the newest ones is in memory, all others in
// temporary files, which go when the process ends. It is safe for concurrent use.
//
// Past the bound, what is in memory becomes a sorted run in a file of its own; runs of about the same size are merged,
// so that there are few (one for each doubling). In the heap, a fingerprint in a file takes a thirtieth of a byte.
type Index struct {
	dir   string
	limit int

	mu    sync.RWMutex // held for reading as long as a run is read
	fresh map[uint64]int64
	runs  []*sortedRun // the oldest first

	merging sync.Mutex // held while runs are merged; the newest may be added to meanwhile
}

// NewIndex returns an empty Index that holds limit fingerprints in memory and the others in files in folder dir ("": the
// system's folder for such files).
func NewIndex(limit int, dir string) *Index {
	return &Index{dir: dir, limit: limit, fresh: map[uint64]int64{}}
}

// Put notes an offset. Of several of one fingerprint the largest counts, in whatever order they come. An error says that
// no file can be written; the offset is kept in memory nevertheless.
func (x *Index) Put(fp uint64, off int64) error {
	x.mu.Lock()
	if old, known := x.fresh[fp]; !known || old < off {
		x.fresh[fp] = off
	}
	if len(x.fresh) < x.limit {
		x.mu.Unlock()
		return nil
	}
	err := x.flush()
	x.mu.Unlock()
	if err != nil {
		return err
	}
	return x.merge()
}

// Get returns the largest offset of a fingerprint, and whether there is any.
func (x *Index) Get(fp uint64) (off int64, ok bool, err error) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	off, ok = x.fresh[fp]
	for _, r := range x.runs {
		found, has, err := r.get(fp)
		if err != nil {
			return 0, false, err
		}
		if has {
			off, ok = max(off, found), true
		}
	}
	return off, ok, nil
}

// Each calls fn with every fingerprint, in ascending order, and its largest offset. fn must not call the Index.
func (x *Index) Each(fn func(fp uint64, off int64) error) error {
	x.mu.RLock()
	defer x.mu.RUnlock()
	sources := []source{sliceSource(x.sorted())}
	for _, r := range x.runs {
		sources = append(sources, r.source())
	}
	return mergeSources(sources, fn)
}

// Runs is the number of files.
func (x *Index) Runs() int {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return len(x.runs)
}

// Close frees the files. The Index must not be used any more.
func (x *Index) Close() {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, r := range x.runs {
		r.file.close()
	}
	x.runs, x.fresh = nil, nil
}

// sorted returns what is in memory. mu is held.
func (x *Index) sorted() []indexed {
	list := make([]indexed, 0, len(x.fresh))
	for fp, off := range x.fresh {
		list = append(list, indexed{fp, off})
	}
	slices.SortFunc(list, func(a, b indexed) int { return cmp.Compare(a.fp, b.fp) })
	return list
}

// flush moves what is in memory to a file. mu is held.
func (x *Index) flush() error {
	r, err := writeRun(x.dir, []source{sliceSource(x.sorted())})
	if err != nil {
		return err
	}
	x.runs = append(x.runs, r)
	clear(x.fresh)
	return nil
}

// merge makes one run of the newest ones, as far back as a run is not much larger than all that came after it.
func (x *Index) merge() error {
	if !x.merging.TryLock() {
		return nil // another call is at it; this one's run waits for the next time
	}
	defer x.merging.Unlock()
	x.mu.RLock()
	end := len(x.runs)
	first, total := end-1, x.runs[end-1].n
	for first > 0 && x.runs[first-1].n <= 2*total {
		first--
		total += x.runs[first].n
	}
	old := slices.Clone(x.runs[first:end])
	x.mu.RUnlock()
	if len(old) < 2 {
		return nil
	}
	sources := make([]source, len(old))
	for i, r := range old {
		sources[i] = r.source()
	}
	merged, err := writeRun(x.dir, sources) // without the lock: nobody else removes runs
	if err != nil {
		return err
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.runs = slices.Replace(x.runs, first, end, merged)
	for _, r := range old {
		r.file.close()
	}
	return nil
}

type indexed struct {
	fp  uint64
	off int64
}

// A source yields entries in ascending order of their fingerprints; io.EOF is its end.
type source interface{ next() (indexed, error) }

type listSource struct{ list []indexed }

func sliceSource(list []indexed) source { return &listSource{list} }

func (s *listSource) next() (indexed, error) {
	if len(s.list) == 0 {
		return indexed{}, io.EOF
	}
	e := s.list[0]
	s.list = s.list[1:]
	return e, nil
}

// mergeSources calls fn with each fingerprint of all sources once, with its largest offset.
func mergeSources(sources []source, fn func(fp uint64, off int64) error) error {
	heads := make([]indexed, 0, len(sources))
	live := make([]source, 0, len(sources))
	for _, s := range sources {
		e, err := s.next()
		if err == io.EOF {
			continue
		}
		if err != nil {
			return err
		}
		heads, live = append(heads, e), append(live, s)
	}
	for len(live) > 0 {
		e := heads[0]
		for _, h := range heads[1:] {
			if h.fp < e.fp || h.fp == e.fp && h.off > e.off {
				e = h
			}
		}
		for i := 0; i < len(live); i++ {
			if heads[i].fp != e.fp {
				continue
			}
			var err error
			if heads[i], err = live[i].next(); err == io.EOF {
				heads, live = slices.Delete(heads, i, i+1), slices.Delete(live, i, i+1)
				i--
			} else if err != nil {
				return err
			}
		}
		if err := fn(e.fp, e.off); err != nil {
			return err
		}
	}
	return nil
}

// A sortedRun is a file of entries, "fingerprint 8 | offset 6", in ascending order.
type sortedRun struct {
	file   spill
	n      int
	starts []uint64 // the first fingerprint of each block
}

const (
	indexedBytes = 8 + 6
	blockEntries = 256
	blockBytes   = blockEntries * indexedBytes
)

// writeRun merges the sources into a new run.
func writeRun(dir string, sources []source) (*sortedRun, error) {
	r := &sortedRun{file: spill{dir: dir}}
	buf := make([]byte, 0, 64*blockBytes)
	flush := func() error {
		_, err := r.file.write(buf)
		buf = buf[:0]
		return err
	}
	err := mergeSources(sources, func(fp uint64, off int64) error {
		if r.n%blockEntries == 0 {
			r.starts = append(r.starts, fp)
		}
		r.n++
		buf = binary.BigEndian.AppendUint64(buf, fp)
		buf = binary.BigEndian.AppendUint16(buf, uint16(off>>32))
		buf = binary.BigEndian.AppendUint32(buf, uint32(off))
		if len(buf) == cap(buf) {
			return flush()
		}
		return nil
	})
	if err == nil && len(buf) > 0 {
		err = flush()
	}
	if err != nil {
		r.file.close()
		return nil, err
	}
	return r, nil
}

func (r *sortedRun) get(fp uint64) (off int64, ok bool, err error) {
	block, exact := slices.BinarySearch(r.starts, fp)
	if !exact {
		block--
	}
	if block < 0 {
		return 0, false, nil
	}
	var room [blockBytes]byte
	buf := room[:min(blockBytes, (r.n-block*blockEntries)*indexedBytes)]
	if err := r.file.readAt(buf, int64(block)*blockBytes); err != nil {
		return 0, false, err
	}
	low, high := 0, len(buf)/indexedBytes
	for low < high {
		middle := (low + high) / 2
		e := decodeIndexed(buf[middle*indexedBytes:])
		switch {
		case e.fp == fp:
			return e.off, true, nil
		case e.fp < fp:
			low = middle + 1
		default:
			high = middle
		}
	}
	return 0, false, nil
}

func decodeIndexed(b []byte) indexed {
	return indexed{
		fp:  binary.BigEndian.Uint64(b),
		off: int64(binary.BigEndian.Uint16(b[8:]))<<32 | int64(binary.BigEndian.Uint32(b[10:])),
	}
}

// source reads the run from its start.
func (r *sortedRun) source() source {
	return &runSource{bufio.NewReaderSize(io.NewSectionReader(r.file.file, 0, r.file.end), 64*blockBytes)}
}

type runSource struct{ r *bufio.Reader }

func (s *runSource) next() (indexed, error) {
	var b [indexedBytes]byte
	if _, err := io.ReadFull(s.r, b[:]); err != nil {
		if err != io.EOF {
			err = spillErr(err)
		}
		return indexed{}, err
	}
	return decodeIndexed(b[:]), nil
}
