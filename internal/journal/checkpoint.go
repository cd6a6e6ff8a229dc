package journal

import (
	"fmt"
	"os"
	"path/filepath"
)

// Checkpoint replaces the journal's content by the entries that write emits, in a new generation: written aside, made
// durable, and put in place by one rename, so that a crash at any instant leaves either the old or the new. It is how
// a journal is kept from growing for ever. emit returns the entry's offset in the new generation; old offsets are void
// once Checkpoint has returned nil. ReadAt serves the old generation while write runs; Append waits.
//
// When Checkpoint fails (a full disk, an error of write) the journal is as it was, and usable.
func (j *Journal) Checkpoint(write func(emit func(entry []byte) (int64, error)) error) error {
	j.io.Lock()
	defer j.io.Unlock()
	j.mu.Lock()
	err := j.stateLocked()
	j.mu.Unlock()
	if err != nil {
		return err
	}
	next := &writer{
		name: filepath.Join(j.dir, fileName(j.generation+1)),
		seal: newSeal(j.key, j.generation+1),
	}
	if err := next.open(j.fs, appendHead(nil, j.generation+1, j.key)); err != nil {
		return err
	}
	err = write(next.emit)
	if err == nil {
		err = next.finish()
	}
	if closeErr := next.file.Close(); err == nil && closeErr != nil {
		err = storeErr(next.tmp(), closeErr)
	}
	if err == nil { // closed before, since some systems rename no open file
		if err = j.fs.Rename(next.tmp(), next.name); err != nil {
			err = storeErr(next.name, err)
		}
	}
	if err != nil {
		j.fs.Remove(next.tmp())
		return err
	}
	// From here on the new generation counts, on disk: without it, nothing more can be written.
	if next.file, err = j.fs.OpenFile(next.name, os.O_RDWR, 0); err != nil {
		return j.breakDown(storeErr(next.name, err))
	}
	old, oldName := j.file, j.name
	j.files.Lock()
	j.file, j.name, j.seal, j.end = next.file, next.name, next.seal, next.off
	j.generation++
	j.files.Unlock()
	if err := j.fs.SyncDir(j.dir); err != nil {
		return j.breakDown(storeErr(j.name, err))
	}
	if old != nil {
		old.Close()
		j.fs.Remove(oldName) // if this fails, the next Open does it
	}
	return nil
}

// breakDown notes that writing is over, because of err.
func (j *Journal) breakDown(err error) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.broken = fmt.Errorf("%w: %w", ErrBroken, err)
	return err
}

// A writer fills a generation that is not in place yet.
type writer struct {
	name string
	file File
	seal seal
	off  int64
	step Step
	buf  []byte
}

func (w *writer) tmp() string { return w.name + ".tmp" }

func (w *writer) open(fs FS, head []byte) (err error) {
	w.file, err = fs.OpenFile(w.tmp(), os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return storeErr(w.tmp(), err)
	}
	if _, err = w.file.WriteAt(head, 0); err != nil {
		w.file.Close()
		fs.Remove(w.tmp())
		return storeErr(w.tmp(), err)
	}
	w.off = fileHeadSize
	return nil
}

func (w *writer) emit(entry []byte) (int64, error) {
	if len(w.step.buf) > 0 && len(w.step.buf)+len(entry) > 1<<20 {
		if err := w.flush(); err != nil {
			return 0, err
		}
	}
	w.step.Add(func(b []byte) []byte { return append(b, entry...) })
	return w.step.Offset(w.off+frameHeadSize, w.step.Len()-1), nil
}

func (w *writer) flush() error {
	w.buf = append(append(w.buf[:0], make([]byte, frameHeadSize)...), w.step.buf...)
	w.seal.put(w.buf, w.off)
	if _, err := w.file.WriteAt(w.buf, w.off); err != nil {
		return storeErr(w.tmp(), err)
	}
	w.off += int64(len(w.buf))
	w.step.Reset()
	return nil
}

func (w *writer) finish() error {
	if err := w.flush(); err != nil {
		return err
	}
	if err := w.flush(); err != nil { // the empty frame of an orderly end, as Close writes it
		return err
	}
	if err := w.file.Sync(); err != nil {
		return storeErr(w.tmp(), err)
	}
	return nil
}
