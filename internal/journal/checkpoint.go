package journal

import (
	"errors"
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
	if err = write(next.emit); err == nil {
		err = next.finish()
	}
	if err != nil {
		next.file.Close()
		j.fs.Remove(next.tmp())
		return err
	}
	if err := j.fs.Rename(next.tmp(), next.name); err != nil {
		next.file.Close()
		j.fs.Remove(next.tmp())
		return storeErr(next.name, err)
	}
	old, oldName := j.file, j.name
	j.files.Lock()
	j.file, j.name, j.seal, j.end = next.file, next.name, next.seal, next.off
	j.generation++
	j.files.Unlock()
	// From here on the new generation counts, and steps go there: that the rename is durable must be certain.
	if err := j.fs.SyncDir(j.dir); err != nil {
		err = storeErr(j.name, err)
		j.mu.Lock()
		j.broken = errors.Join(ErrBroken, err)
		j.mu.Unlock()
		return err
	}
	if old != nil {
		old.Close()
		j.fs.Remove(oldName) // if this fails, the next Open does it
	}
	return nil
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
