package journal

import (
	"crypto/rand"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
)

// A Journal is an open journal. All methods may be called from many goroutines at once.
type Journal struct {
	dir  string
	fs   FS
	lock *os.File
	key  [keySize]byte
	torn Torn

	mu     sync.Mutex // guards group, closed and broken
	group  *group
	spare  []byte // memory of the group before, for the next one
	closed bool
	broken error

	// io is held by the one goroutine that writes. It is taken before mu.
	io sync.Mutex

	files      sync.RWMutex // guards what Checkpoint exchanges; written with io held as well
	file       File
	name       string
	generation uint64
	seal       seal
	end        int64 // the file's length in whole frames
}

// A group is the steps that share a frame and its fsync.
type group struct {
	buf  []byte // the frame, room for its head first
	done bool   // with io held: base and err are final
	base int64
	err  error
}

// Torn says what Open cut off.
type Torn struct {
	Offset int64 // where the tail began; the file ends there now
	Bytes  int64 // its length; 0: there was none
}

// Options of Open. The zero value is the usual one.
type Options struct {
	FS FS // nil: the system's
}

// Open opens the journal in folder dir, or makes an empty one. It calls replay (which may be nil) with each entry in
// the order of writing and with the offset that ReadAt takes; the entry's bytes are valid during the call only. An
// error of replay ends Open and is returned as it is. Should Open fail otherwise, what replay was told before stays
// incomplete and must be dropped.
//
// Errors: *LockedError, *DamagedError, *VersionError, *FullError, or the system's.
func Open(dir string, o Options, replay func(off int64, entry []byte) error) (_ *Journal, err error) {
	j := &Journal{dir: dir, fs: o.FS, group: newGroup(nil)}
	if j.fs == nil {
		j.fs = osFS{}
	}
	if err := makeDir(dir, j.fs); err != nil {
		return nil, storeErr(dir, err)
	}
	if j.lock, err = lock(dir, filepath.Join(dir, "lock")); err != nil {
		if isFull(err) {
			err = storeErr(dir, err)
		}
		return nil, err
	}
	defer func() {
		if err != nil {
			if j.file != nil {
				j.file.Close()
			}
			j.lock.Close()
		}
	}()
	older, err := j.find()
	if err != nil {
		return nil, err
	}
	if j.file == nil {
		if err := j.create(); err != nil {
			return nil, err
		}
	}
	if err := j.recover(replay); err != nil {
		return nil, err
	}
	for _, name := range older { // only now: the newest is known to be whole
		if err := j.fs.Remove(filepath.Join(dir, name)); err != nil {
			return nil, storeErr(name, err)
		}
	}
	if len(older) > 0 {
		if err := j.fs.SyncDir(dir); err != nil {
			return nil, err
		}
	}
	return j, nil
}

func makeDir(dir string, fs FS) error {
	if _, err := os.Stat(dir); err == nil {
		return nil
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	return fs.SyncDir(filepath.Dir(filepath.Clean(dir)))
}

func fileName(generation uint64) string { return fmt.Sprintf("journal-%016x", generation) }

// find opens the newest generation, if there is one, and returns the names of files that it makes superfluous.
func (j *Journal) find() (older []string, err error) {
	list, err := os.ReadDir(j.dir) // sorted, so the newest comes last
	if err != nil {
		return nil, err
	}
	newest := ""
	for _, e := range list {
		name := e.Name()
		var g uint64
		if strings.HasPrefix(name, "journal-") && strings.HasSuffix(name, ".tmp") {
			older = append(older, name)
		} else if n, _ := fmt.Sscanf(name, "journal-%x", &g); n == 1 && name == fileName(g) {
			if newest != "" {
				older = append(older, newest)
			}
			newest, j.generation = name, g
		}
	}
	if newest == "" {
		return older, nil
	}
	j.name = filepath.Join(j.dir, newest)
	if j.file, err = j.fs.OpenFile(j.name, os.O_RDWR, 0); err != nil {
		return nil, err
	}
	j.key, err = readHead(j.file, j.name, j.generation)
	return older, err
}

// create makes the first generation, with a key of its own.
func (j *Journal) create() error {
	rand.Read(j.key[:])
	return j.Checkpoint(func(func([]byte) (int64, error)) error { return nil })
}

// recover reads all frames, and cuts a torn tail.
func (j *Journal) recover(replay func(int64, []byte) error) error {
	info, err := j.file.Stat()
	if err != nil {
		return err
	}
	size := info.Size()
	j.seal = newSeal(j.key, j.generation)
	j.end, err = j.seal.frames(j.file, fileHeadSize, size, func(off int64, body []byte) error {
		if replay == nil {
			return nil
		}
		return entries(body, off+frameHeadSize, replay)
	})
	if err != nil || j.end == size {
		return err
	}
	next, err := j.seal.next(j.file, j.end, size)
	if err != nil {
		return err
	}
	if next != 0 {
		return &DamagedError{File: j.name, Offset: j.end, Next: next, Reason: "a step is broken and later ones follow"}
	}
	j.torn = Torn{Offset: j.end, Bytes: size - j.end}
	if err := j.saveTail(size); err != nil && !errors.Is(err, ErrFull) {
		return err
	}
	if err := j.file.Truncate(j.end); err != nil {
		return err
	}
	return j.file.Sync()
}

// saveTail copies what recover is about to cut off.
func (j *Journal) saveTail(size int64) error {
	name := filepath.Join(j.dir, "torn")
	f, err := j.fs.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err == nil {
		_, err = io.Copy(io.NewOffsetWriter(f, 0), io.NewSectionReader(j.file, j.end, size-j.end))
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		return storeErr(name, err)
	}
	return nil
}

// Key is the journal's secret: random, made with the journal, kept through every Checkpoint. Key hashes with it when
// the hashed text is chosen by others.
func (j *Journal) Key() [32]byte { return j.key }

// Dir is the journal's folder.
func (j *Journal) Dir() string { return j.dir }

// Torn is the tail that Open cut off.
func (j *Journal) Torn() Torn { return j.torn }

// Size is the length of the file in bytes.
func (j *Journal) Size() int64 {
	j.files.RLock()
	defer j.files.RUnlock()
	return j.end
}

func newGroup(memory []byte) *group {
	return &group{buf: append(memory[:0], make([]byte, frameHeadSize)...)}
}

// Append writes the step. When it returns nil the step is durable, and base tells the offset of each entry
// (Step.Offset); otherwise nothing of it is in the journal. Steps of goroutines that wait at the same time share one
// fsync. Append takes no context: a step that has joined others cannot be taken back, and it waits for the disk alone.
//
// Errors: *FullError, after which the journal can be read and, with room again, written; ErrBroken; ErrTooLarge;
// ErrClosed.
func (j *Journal) Append(s *Step) (base int64, err error) {
	if len(s.buf) > MaxStep {
		return 0, fmt.Errorf("%w: %d bytes, at most %d", ErrTooLarge, len(s.buf), MaxStep)
	}
	if s.Len() == 0 {
		return 0, nil
	}
	for {
		j.mu.Lock()
		if err := j.stateLocked(); err != nil {
			j.mu.Unlock()
			return 0, err
		}
		g, at := j.group, len(j.group.buf)
		fits := at == frameHeadSize || at+len(s.buf) <= MaxStep
		if fits {
			g.buf = append(g.buf, s.buf...)
		}
		j.mu.Unlock()

		j.io.Lock()
		if !g.done { // nobody who waited with us has written it yet
			j.flush(g)
		}
		j.io.Unlock()
		if fits {
			return g.base + int64(at), g.err
		}
	}
}

func (j *Journal) stateLocked() error {
	if j.closed {
		return ErrClosed
	}
	return j.broken
}

// flush writes the group, which is the current one, as a frame. io is held.
func (j *Journal) flush(g *group) {
	j.mu.Lock()
	j.group = newGroup(j.spare)
	j.spare = nil
	g.err = j.broken
	j.mu.Unlock()

	if g.err == nil {
		g.base = j.end
		g.err = j.writeFrame(g.buf)
	}
	g.done = true

	j.mu.Lock()
	if cap(g.buf) <= 1<<20 {
		j.spare = g.buf
	}
	j.mu.Unlock()
	g.buf = nil
}

// writeFrame makes the frame durable, or leaves the file as it was. io is held.
func (j *Journal) writeFrame(frame []byte) error {
	j.seal.put(frame, j.end)
	n, err := j.file.WriteAt(frame, j.end)
	if err == nil && n < len(frame) {
		err = io.ErrShortWrite
	}
	synced := false
	if err == nil {
		synced = true
		err = j.file.Sync()
	}
	if err == nil {
		j.files.Lock()
		j.end += int64(len(frame))
		j.files.Unlock()
		return nil
	}
	err = storeErr(j.name, err)
	if cutErr := j.file.Truncate(j.end); cutErr != nil || synced {
		err = j.breakDown(errors.Join(err, cutErr))
	}
	return err
}

// ReadAt returns the entry at off, an offset that Open, Append or Checkpoint gave for the present generation. It uses
// buf when that is large enough. A broken entry is a *DamagedError.
func (j *Journal) ReadAt(off int64, buf []byte) ([]byte, error) {
	j.files.RLock()
	defer j.files.RUnlock()
	if j.file == nil {
		return nil, ErrClosed
	}
	if off < fileHeadSize || off > j.end-entryHeadSize {
		return nil, fmt.Errorf("journal %s: no entry at byte %d", j.name, off)
	}
	if cap(buf) < 512 {
		buf = make([]byte, 512)
	}
	buf = buf[:min(int64(cap(buf)), j.end-off)]
	if n, err := j.file.ReadAt(buf, off); n < len(buf) {
		return nil, err
	}
	n := entryHeadSize + int64(le.Uint32(buf))
	if n > j.end-off {
		return nil, &DamagedError{File: j.name, Offset: off, Reason: "an entry's length is broken"}
	}
	if n > int64(len(buf)) {
		buf = make([]byte, n)
		if got, err := j.file.ReadAt(buf, off); got < len(buf) {
			return nil, err
		}
	}
	entry := buf[entryHeadSize:n]
	if crc32.Checksum(entry, castagnoli) != le.Uint32(buf[4:]) {
		return nil, &DamagedError{File: j.name, Offset: off, Reason: "an entry has changed since it was written"}
	}
	return entry, nil
}

// Scan calls fn with each entry that is in the journal when it starts, as Open does with replay; fn may call ReadAt. A
// Checkpoint or a Close that ends meanwhile makes it fail.
func (j *Journal) Scan(fn func(off int64, entry []byte) error) error {
	j.files.RLock()
	file, name, seal, size := j.file, j.name, j.seal, j.end
	j.files.RUnlock()
	if file == nil {
		return ErrClosed
	}
	end, err := seal.frames(file, fileHeadSize, size, func(off int64, body []byte) error {
		return entries(body, off+frameHeadSize, fn)
	})
	if err == nil && end < size {
		err = &DamagedError{File: name, Offset: end, Reason: "a step has changed since it was written"}
	}
	return err
}

// Close ends the journal: steps being appended are finished, then an empty frame says that the end was orderly, and
// the lock is dropped. A second Close does nothing.
func (j *Journal) Close() error {
	j.mu.Lock()
	if j.closed {
		j.mu.Unlock()
		return nil
	}
	j.closed = true
	j.mu.Unlock()

	j.io.Lock()
	defer j.io.Unlock()
	if g := j.group; len(g.buf) > frameHeadSize {
		j.flush(g)
	}
	var err error
	if j.broken == nil {
		err = j.writeFrame(make([]byte, frameHeadSize))
		if errors.Is(err, ErrFull) {
			err = nil // the mark is a help, not a promise
		}
	}
	j.files.Lock()
	defer j.files.Unlock()
	err = errors.Join(err, j.file.Close(), j.lock.Close())
	j.file = nil
	return err
}
