package journal

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"syscall"
	"testing"
)

// diskFS is a disk with room for a number of bytes, on which fsync and truncate may fail.
type diskFS struct {
	osFS
	room        int64
	short       bool // write what fits without an error, as no system should
	syncErr     error
	truncateErr error
	openErr     error
	renameErr   error
	syncDirErr  error
}

type diskFile struct {
	File
	fs *diskFS
}

func (d *diskFS) Rename(from, to string) error {
	if d.renameErr != nil {
		return d.renameErr
	}
	return d.osFS.Rename(from, to)
}

func (d *diskFS) SyncDir(dir string) error {
	if d.syncDirErr != nil {
		return d.syncDirErr
	}
	return d.osFS.SyncDir(dir)
}

func (d *diskFS) OpenFile(name string, flag int, perm os.FileMode) (File, error) {
	if d.openErr != nil && flag&os.O_CREATE == 0 {
		return nil, d.openErr
	}
	f, err := d.osFS.OpenFile(name, flag, perm)
	if err != nil {
		return nil, err
	}
	return diskFile{f, d}, nil
}

func (f diskFile) WriteAt(b []byte, off int64) (int, error) {
	if int64(len(b)) <= f.fs.room {
		f.fs.room -= int64(len(b))
		return f.File.WriteAt(b, off)
	}
	n, err := f.File.WriteAt(b[:f.fs.room], off)
	f.fs.room = 0
	if err == nil && !f.fs.short {
		err = &os.PathError{Op: "write", Path: "x", Err: syscall.ENOSPC}
	}
	return n, err
}

func (f diskFile) Sync() error {
	if f.fs.syncErr != nil {
		return f.fs.syncErr
	}
	return f.File.Sync()
}

func (f diskFile) Truncate(n int64) error {
	if f.fs.truncateErr != nil {
		return f.fs.truncateErr
	}
	return f.File.Truncate(n)
}

func TestFullDiskCostsTheStepAndNothingElse(t *testing.T) {
	for room := int64(0); room < 90; room += 7 {
		t.Run(fmt.Sprintf("room for %d bytes", room), func(t *testing.T) {
			dir, disk := t.TempDir(), &diskFS{room: 1 << 20}
			j, _ := reopen(t, dir, Options{FS: disk})
			kept := step("kept", "whole")
			base := mustAppend(t, j, kept)
			size := j.Size()

			disk.room = room
			_, err := j.Append(step("this one", "does not find room", "on the disk", "and leaves no trace"))
			var full *FullError
			if !errors.Is(err, ErrFull) || !errors.As(err, &full) || !errors.Is(err, syscall.ENOSPC) {
				t.Fatalf("got %v", err)
			}
			if j.Size() != size {
				t.Errorf("size %d, want %d", j.Size(), size)
			}
			if e, err := j.ReadAt(kept.Offset(base, 1), nil); err != nil || string(e) != "whole" {
				t.Errorf("reading on a full disk: %q, %v", e, err)
			}
			disk.room = 0
			if err := j.Checkpoint(func(func([]byte) (int64, error)) error { return nil }); !errors.Is(err, ErrFull) {
				t.Errorf("Checkpoint: %v", err)
			}
			if info := must(j.file.Stat()); info.Size() != size {
				t.Errorf("the file has %d bytes, want %d", info.Size(), size)
			}

			disk.room = 1 << 20
			mustAppend(t, j, step("room again"))
			j.Close()
			if _, all := reopen(t, dir, Options{}); !slices.Equal(all, []string{"kept", "whole", "room again"}) {
				t.Errorf("got %q", all)
			}
		})
	}
}

func TestFullDiskDuringCheckpointKeepsTheOldGeneration(t *testing.T) {
	for _, room := range []int64{0, 10, fileHeadSize, fileHeadSize + 5, fileHeadSize + 50} {
		dir, disk := t.TempDir(), &diskFS{room: 1 << 20}
		j, _ := reopen(t, dir, Options{FS: disk})
		mustAppend(t, j, step("kept"))
		disk.room = room
		err := j.Checkpoint(func(emit func([]byte) (int64, error)) error {
			_, err := emit(make([]byte, 100))
			return err
		})
		if !errors.Is(err, ErrFull) {
			t.Errorf("room %d: got %v", room, err)
		}
		disk.room = 1 << 20
		mustAppend(t, j, step("more"))
		j.Close()
		if _, all := reopen(t, dir, Options{}); !slices.Equal(all, []string{"kept", "more"}) {
			t.Errorf("room %d: got %q", room, all)
		}
	}
}

func TestNewJournalOnAFullDisk(t *testing.T) {
	dir := t.TempDir()
	if _, err := Open(dir, Options{FS: &diskFS{room: 5}}, nil); !errors.Is(err, ErrFull) {
		t.Fatalf("got %v", err)
	}
	reopen(t, dir, Options{})
}

func TestShortWriteIsUndone(t *testing.T) {
	dir, disk := t.TempDir(), &diskFS{room: 1 << 20, short: true}
	j, _ := reopen(t, dir, Options{FS: disk})
	disk.room = 30
	if _, err := j.Append(step("half of this is written")); err == nil {
		t.Fatal("no error")
	}
	disk.room = 1 << 20
	mustAppend(t, j, step("whole"))
	j.Close()
	if _, all := reopen(t, dir, Options{}); !slices.Equal(all, []string{"whole"}) {
		t.Errorf("got %q", all)
	}
}

func TestFailureThatCannotBeUndoneEndsWriting(t *testing.T) {
	trouble := errors.New("trouble")
	for _, tc := range []struct {
		name  string
		spoil func(*diskFS)
	}{
		{"fsync fails", func(d *diskFS) { d.syncErr = trouble }},
		{"the cut fails", func(d *diskFS) { d.room, d.truncateErr = 10, trouble }},
	} {
		t.Run(tc.name, func(t *testing.T) {
			dir, disk := t.TempDir(), &diskFS{room: 1 << 20}
			j, _ := reopen(t, dir, Options{FS: disk})
			kept := step("kept")
			base := mustAppend(t, j, kept)
			tc.spoil(disk)
			if _, err := j.Append(step("lost, and its writer knows it")); !errors.Is(err, trouble) {
				t.Fatalf("got %v", err)
			}
			*disk = diskFS{room: 1 << 20}
			if _, err := j.Append(step("x")); !errors.Is(err, ErrBroken) || !errors.Is(err, trouble) {
				t.Errorf("got %v", err)
			}
			if err := j.Checkpoint(nil); !errors.Is(err, ErrBroken) {
				t.Errorf("Checkpoint: %v", err)
			}
			if e, err := j.ReadAt(kept.Offset(base, 0), nil); err != nil || string(e) != "kept" {
				t.Errorf("reading: %q, %v", e, err)
			}
			j.Close()
			j, all := reopen(t, dir, Options{})
			if !slices.Equal(all, []string{"kept"}) {
				t.Errorf("got %q", all)
			}
			mustAppend(t, j, step("y"))
		})
	}
}

// TestCheckpointInterruptedByTheSystem fails each call of the file system in turn: what is read afterwards is the old or
// the new generation, and no step that was acknowledged is missing.
func TestCheckpointInterruptedByTheSystem(t *testing.T) {
	trouble := errors.New("trouble")
	for _, tc := range []struct {
		name   string
		spoil  func(*diskFS)
		want   string
		broken bool
	}{
		{"fsync of the new file", func(d *diskFS) { d.syncErr = trouble }, "old", false},
		{"rename", func(d *diskFS) { d.renameErr = trouble }, "old", false},
		{"opening the new file", func(d *diskFS) { d.openErr = trouble }, "new", true},
		{"fsync of the folder", func(d *diskFS) { d.syncDirErr = trouble }, "new", true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			dir, disk := t.TempDir(), &diskFS{room: 1 << 20}
			j, _ := reopen(t, dir, Options{FS: disk})
			mustAppend(t, j, step("old"))
			tc.spoil(disk)
			err := j.Checkpoint(func(emit func([]byte) (int64, error)) error {
				_, err := emit([]byte("new"))
				return err
			})
			if !errors.Is(err, trouble) {
				t.Fatalf("got %v", err)
			}
			*disk = diskFS{room: 1 << 20}
			want := []string{tc.want}
			if _, err := j.Append(step("next")); err == nil {
				want = append(want, "next")
			} else if !errors.Is(err, ErrBroken) {
				t.Errorf("Append: %v", err)
			}
			if broken := len(want) == 1; broken != tc.broken {
				t.Errorf("broken %t, want %t", broken, tc.broken)
			}
			j.Close()
			if _, all := reopen(t, dir, Options{}); !slices.Equal(all, want) {
				t.Errorf("got %q, want %q", all, want)
			}
		})
	}
}
