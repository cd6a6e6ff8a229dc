package journal

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
)

// step makes a step of the entries.
func step(entries ...string) *Step {
	s := new(Step)
	for _, e := range entries {
		s.Add(func(b []byte) []byte { return append(b, e...) })
	}
	return s
}

// reopen opens dir and returns all entries.
func reopen(t testing.TB, dir string, o Options) (*Journal, []string) {
	t.Helper()
	var all []string
	j, err := Open(dir, o, func(off int64, entry []byte) error {
		all = append(all, string(entry))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { j.Close() })
	return j, all
}

func mustAppend(t testing.TB, j *Journal, s *Step) int64 {
	t.Helper()
	base, err := j.Append(s)
	if err != nil {
		t.Fatal(err)
	}
	return base
}

func TestEntriesAreReadBackInOrderAndByOffset(t *testing.T) {
	dir := t.TempDir()
	j, all := reopen(t, dir, Options{})
	if len(all) != 0 {
		t.Fatalf("a new journal holds %q", all)
	}
	key := j.Key()
	long := string(bytes.Repeat([]byte("long"), 1000))
	s := step("one", "", long)
	base := mustAppend(t, j, s)
	mustAppend(t, j, step("two"))
	mustAppend(t, j, step())
	var scanned []string
	if err := j.Scan(func(off int64, e []byte) error {
		if again, err := j.ReadAt(off, nil); err != nil || !bytes.Equal(again, e) {
			t.Errorf("ReadAt in Scan: %q, %v", again, err)
		}
		scanned = append(scanned, string(e))
		return nil
	}); err != nil || !slices.Equal(scanned, []string{"one", "", long, "two"}) {
		t.Errorf("Scan: %d entries, %v", len(scanned), err)
	}
	for i, want := range []string{"one", "", long} {
		got, err := j.ReadAt(s.Offset(base, i), nil)
		if err != nil || string(got) != want {
			t.Errorf("entry %d: %q, %v", i, got, err)
		}
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	if err := j.Close(); err != nil {
		t.Errorf("second Close: %v", err)
	}
	j, all = reopen(t, dir, Options{})
	if want := []string{"one", "", long, "two"}; !slices.Equal(all, want) {
		t.Errorf("got %d entries, want %d", len(all), len(want))
	}
	if j.Key() != key {
		t.Error("the key has changed")
	}
	if got, err := j.ReadAt(s.Offset(base, 0), nil); err != nil || string(got) != "one" {
		t.Errorf("after reopening: %q, %v", got, err)
	}
	for _, off := range []int64{-1, 0, j.Size() - 1, j.Size() + 100} {
		if e, err := j.ReadAt(off, nil); err == nil {
			t.Errorf("ReadAt(%d) = %q without an error", off, e)
		}
	}
}

func TestTwoJournalsHaveDifferentKeys(t *testing.T) {
	a, _ := reopen(t, t.TempDir(), Options{})
	b, _ := reopen(t, t.TempDir(), Options{})
	if a.Key() == b.Key() || a.Key() == [32]byte{} {
		t.Error("the key is not random")
	}
}

func TestClosedJournalSaysSo(t *testing.T) {
	j, _ := reopen(t, t.TempDir(), Options{})
	j.Close()
	_, appendErr := j.Append(step("x"))
	_, readErr := j.ReadAt(fileHeadSize, nil)
	checkErr := j.Checkpoint(nil)
	scanErr := j.Scan(nil)
	for _, err := range []error{appendErr, readErr, checkErr, scanErr} {
		if !errors.Is(err, ErrClosed) {
			t.Errorf("got %v", err)
		}
	}
}

func TestStepAboveTheLimitIsRefused(t *testing.T) {
	j, _ := reopen(t, t.TempDir(), Options{})
	s := new(Step)
	s.Add(func(b []byte) []byte { return append(b, make([]byte, MaxStep+1)...) })
	if _, err := j.Append(s); !errors.Is(err, ErrTooLarge) {
		t.Errorf("got %v", err)
	}
	mustAppend(t, j, step("after"))
}

// slowFS counts fsyncs, and holds each until as many goroutines wait as the test says.
type slowFS struct {
	osFS
	syncs atomic.Int64
	hold  func()
}

type slowFile struct {
	File
	fs *slowFS
}

func (s *slowFS) OpenFile(name string, flag int, perm os.FileMode) (File, error) {
	f, err := s.osFS.OpenFile(name, flag, perm)
	if err != nil {
		return nil, err
	}
	return slowFile{f, s}, nil
}

func (f slowFile) Sync() error {
	if f.fs.hold != nil {
		f.fs.hold()
	}
	f.fs.syncs.Add(1)
	return f.File.Sync()
}

func TestConcurrentWritersShareAnFsync(t *testing.T) {
	dir, fs := t.TempDir(), new(slowFS)
	j, _ := reopen(t, dir, Options{FS: fs})
	const writers = 20
	before := fs.syncs.Load()
	// The first fsync waits until all others have joined the group behind it.
	fs.hold = sync.OnceFunc(func() {
		for {
			j.mu.Lock()
			n := (len(j.group.buf) - frameHeadSize) / (entryHeadSize + 3)
			j.mu.Unlock()
			if n == writers-1 {
				return
			}
		}
	})
	first := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		close(first)
		mustAppend(t, j, step("w00"))
	})
	<-first
	for j.io.TryLock() { // until the first holds it
		j.io.Unlock()
	}
	for i := 1; i < writers; i++ {
		wg.Go(func() {
			s := step(fmt.Sprintf("w%02d", i))
			base := mustAppend(t, j, s)
			if e, err := j.ReadAt(s.Offset(base, 0), nil); err != nil || string(e) != fmt.Sprintf("w%02d", i) {
				t.Errorf("%d reads back %q, %v", i, e, err)
			}
		})
	}
	wg.Wait()
	if n := fs.syncs.Load() - before; n != 2 {
		t.Errorf("%d fsyncs for %d writers, want 2", n, writers)
	}
	j.Close()
	_, all := reopen(t, dir, Options{})
	if slices.Sort(all); len(slices.Compact(all)) != writers {
		t.Errorf("%d entries, want %d", len(all), writers)
	}
}

func TestCheckpointReplacesTheContentAndKeepsTheKey(t *testing.T) {
	dir := t.TempDir()
	j, _ := reopen(t, dir, Options{})
	for range 500 {
		mustAppend(t, j, step("some old entry that nobody needs"))
	}
	size, key := j.Size(), j.Key()
	var off int64
	err := j.Checkpoint(func(emit func([]byte) (int64, error)) (err error) {
		off, err = emit([]byte("all that counts"))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if j.Size() >= size/10 {
		t.Errorf("size %d, before %d", j.Size(), size)
	}
	if e, err := j.ReadAt(off, nil); err != nil || string(e) != "all that counts" {
		t.Errorf("read %q, %v", e, err)
	}
	mustAppend(t, j, step("next"))
	j.Close()
	j, all := reopen(t, dir, Options{})
	if want := []string{"all that counts", "next"}; !slices.Equal(all, want) {
		t.Errorf("got %q", all)
	}
	if j.Key() != key {
		t.Error("the key has changed")
	}
	if list, _ := filepath.Glob(filepath.Join(dir, "journal-*")); len(list) != 1 {
		t.Errorf("files left: %q", list)
	}
}

func TestCheckpointLargerThanOneFrame(t *testing.T) {
	dir := t.TempDir()
	j, _ := reopen(t, dir, Options{})
	big := bytes.Repeat([]byte("x"), 300_000)
	err := j.Checkpoint(func(emit func([]byte) (int64, error)) error {
		for range 10 {
			if _, err := emit(big); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	j.Close()
	if _, all := reopen(t, dir, Options{}); len(all) != 10 {
		t.Errorf("%d entries", len(all))
	}
}

func TestCheckpointThatFailsChangesNothing(t *testing.T) {
	dir := t.TempDir()
	j, _ := reopen(t, dir, Options{})
	mustAppend(t, j, step("kept"))
	stop := errors.New("stop")
	if err := j.Checkpoint(func(func([]byte) (int64, error)) error { return stop }); !errors.Is(err, stop) {
		t.Fatalf("got %v", err)
	}
	mustAppend(t, j, step("and on"))
	j.Close()
	if _, all := reopen(t, dir, Options{}); !slices.Equal(all, []string{"kept", "and on"}) {
		t.Errorf("got %q", all)
	}
}

func TestCrashDuringCheckpointLeavesOldOrNew(t *testing.T) {
	dir := t.TempDir()
	j, _ := reopen(t, dir, Options{})
	mustAppend(t, j, step("old"))
	old, err := os.ReadFile(j.name)
	if err != nil {
		t.Fatal(err)
	}
	oldName := j.name
	if err := j.Checkpoint(func(emit func([]byte) (int64, error)) error {
		_, err := emit([]byte("new"))
		return err
	}); err != nil {
		t.Fatal(err)
	}
	j.Close()
	fresh, newName := must(os.ReadFile(j.name)), j.name

	for _, tc := range []struct {
		name  string
		files map[string][]byte
		want  string
	}{
		{"while writing aside", map[string][]byte{oldName: old, newName + ".tmp": fresh[:len(fresh)/2]}, "old"},
		{"before the rename", map[string][]byte{oldName: old, newName + ".tmp": fresh}, "old"},
		{"before the removal", map[string][]byte{oldName: old, newName: fresh}, "new"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			dir := t.TempDir()
			for name, data := range tc.files {
				if err := os.WriteFile(filepath.Join(dir, filepath.Base(name)), data, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if _, all := reopen(t, dir, Options{}); !slices.Equal(all, []string{tc.want}) {
				t.Errorf("got %q", all)
			}
			if list, _ := filepath.Glob(filepath.Join(dir, "journal-*")); len(list) != 1 {
				t.Errorf("files left: %q", list)
			}
		})
	}
	t.Run("a broken new generation does not cost the old one", func(t *testing.T) {
		dir := t.TempDir()
		bad := bytes.Clone(fresh)
		bad[fileHeadSize+frameHeadSize+2] ^= 1
		for name, data := range map[string][]byte{oldName: old, newName: bad} {
			os.WriteFile(filepath.Join(dir, filepath.Base(name)), data, 0o600)
		}
		var damaged *DamagedError
		if _, err := Open(dir, Options{}, nil); !errors.As(err, &damaged) {
			t.Fatalf("got %v", err)
		}
		if got := must(os.ReadFile(filepath.Join(dir, filepath.Base(oldName)))); !bytes.Equal(got, old) {
			t.Error("the old generation was touched")
		}
	})
}

func TestOtherVersionIsRefused(t *testing.T) {
	dir := t.TempDir()
	head := appendHead(nil, 1, [keySize]byte{1})
	head[8] = 9
	head = le.AppendUint32(head[:len(head)-4], checksum(head[:len(head)-4]))
	os.WriteFile(filepath.Join(dir, fileName(1)), head, 0o600)
	var v *VersionError
	if _, err := Open(dir, Options{}, nil); !errors.As(err, &v) || v.Have != 9 || v.Want != version {
		t.Errorf("got %v", err)
	}
}

func TestErrorOfReplayEndsOpenAndFreesTheLock(t *testing.T) {
	dir := t.TempDir()
	j, _ := reopen(t, dir, Options{})
	mustAppend(t, j, step("x"))
	j.Close()
	stop := errors.New("stop")
	if _, err := Open(dir, Options{}, func(int64, []byte) error { return stop }); err != stop {
		t.Fatalf("got %v", err)
	}
	reopen(t, dir, Options{})
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func BenchmarkAppend50(b *testing.B) {
	j, _ := reopen(b, b.TempDir(), Options{})
	entry := bytes.Repeat([]byte("u"), 300)
	var s Step
	for b.Loop() {
		s.Reset()
		for range 50 {
			s.Add(func(b []byte) []byte { return append(b, entry...) })
		}
		mustAppend(b, j, &s)
	}
}
