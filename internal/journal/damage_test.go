package journal

import (
	"bytes"
	"errors"
	"fmt"
	"hash/crc32"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func checksum(b []byte) uint32 { return crc32.Checksum(b, castagnoli) }

// sample is a journal's bytes, and where each of its steps starts and what it holds.
type sample struct {
	name   string
	data   []byte
	starts []int64 // of frames; the last is the file's length
	steps  [][]string
}

// newSample writes steps of random sizes. Without an orderly end it is the file that kill -9 leaves.
func newSample(t *testing.T, rng *rand.Rand, orderly bool) sample {
	dir := t.TempDir()
	j, _ := reopen(t, dir, Options{})
	s := sample{name: filepath.Base(j.name)}
	j.Checkpoint(func(func([]byte) (int64, error)) error { return nil })
	s.name = filepath.Base(j.name)
	for at := int64(fileHeadSize); at < j.Size(); at += frameHeadSize {
		s.starts, s.steps = append(s.starts, at), append(s.steps, nil) // the empty frames so far
	}
	for n := range 12 {
		var es []string
		for i := range 1 + rng.IntN(5) {
			text := make([]byte, rng.IntN(200))
			for k := range text {
				text[k] = byte(rng.Uint32())
			}
			es = append(es, fmt.Sprintf("%d.%d %s", n, i, text))
		}
		s.starts, s.steps = append(s.starts, j.Size()), append(s.steps, es)
		mustAppend(t, j, step(es...))
	}
	end := j.Size()
	if orderly {
		j.Close()
		s.starts, s.steps = append(s.starts, end), append(s.steps, nil)
		end += frameHeadSize
	}
	s.data = must(os.ReadFile(filepath.Join(dir, s.name)))
	s.starts = append(s.starts, end)
	if int64(len(s.data)) != end {
		t.Fatalf("file of %d bytes, want %d", len(s.data), end)
	}
	return s
}

// judge says what Open has to do with the damaged bytes: the steps it must deliver, or the offset of a DamagedError.
func (s sample) judge(data []byte) (steps int, damagedAt int64, damaged bool) {
	if len(data) < fileHeadSize || !bytes.Equal(data[:fileHeadSize], s.data[:fileHeadSize]) {
		return 0, 0, true
	}
	same := func(from, to int64) bool {
		return to <= int64(len(data)) && bytes.Equal(data[from:to], s.data[from:to])
	}
	for i := range s.steps {
		if same(s.starts[i], s.starts[i+1]) {
			continue
		}
		for _, later := range s.starts[i+1 : len(s.starts)-1] {
			if same(later, later+frameHeadSize) {
				return i, s.starts[i], true
			}
		}
		return i, 0, false
	}
	return len(s.steps), 0, false
}

func (s sample) check(t *testing.T, what string, data []byte) {
	t.Helper()
	dir := t.TempDir()
	path := filepath.Join(dir, s.name)
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	want, at, damaged := s.judge(data)
	var got []string
	j, err := Open(dir, Options{}, func(off int64, e []byte) error {
		got = append(got, string(e))
		return nil
	})
	if damaged {
		var d *DamagedError
		if !errors.As(err, &d) || d.Offset != at {
			t.Errorf("%s: got %v, want damage at %d", what, err, at)
		}
		if now := must(os.ReadFile(path)); !bytes.Equal(now, data) {
			t.Errorf("%s: Open has changed the damaged file", what)
		}
		if err == nil {
			j.Close()
		}
		return
	}
	if err != nil {
		t.Errorf("%s: %v", what, err)
		return
	}
	defer j.Close()
	if all := slices.Concat(s.steps[:want]...); !slices.Equal(got, all) {
		t.Errorf("%s: %d entries, want the %d of the first %d steps", what, len(got), len(all), want)
	}
	cut := int64(len(data)) - s.starts[want]
	if j.Torn().Bytes != cut || cut > 0 && j.Torn().Offset != s.starts[want] {
		t.Errorf("%s: Torn %+v, want %d bytes", what, j.Torn(), cut)
	}
	if cut > 0 && !bytes.Equal(must(os.ReadFile(filepath.Join(dir, "torn"))), data[s.starts[want]:]) {
		t.Errorf("%s: the torn tail was not kept", what)
	}
	mustAppend(t, j, step("life goes on"))
	j.Close()
	if _, all := reopen(t, dir, Options{}); len(all) != len(got)+1 {
		t.Errorf("%s: %d entries after going on, want %d", what, len(all), len(got)+1)
	}
}

func TestThousandDamagedFiles(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	samples := []sample{newSample(t, rng, true), newSample(t, rng, false), newSample(t, rng, false)}
	for i := range 1000 {
		s := samples[i%len(samples)]
		data := bytes.Clone(s.data)
		p := rng.IntN(len(data))
		if i%2 == 0 { // where it is most interesting: the last steps
			p = len(data) - 1 - rng.IntN(len(data)/6)
		}
		var what string
		switch i % 5 {
		case 0:
			data = data[:p]
			what = fmt.Sprintf("cut at %d", p)
		case 1, 2:
			data[p] ^= 1 << rng.IntN(8)
			what = fmt.Sprintf("flip at %d", p)
		case 3:
			q := min(len(data), p+1+rng.IntN(400))
			clear(data[p:q])
			what = fmt.Sprintf("zeros from %d to %d", p, q)
		case 4:
			clear(data[p:])
			data = append(data, make([]byte, rng.IntN(5000))...)
			what = fmt.Sprintf("zeros from %d to the end and beyond", p)
		}
		s.check(t, fmt.Sprintf("%d %s", i, what), data)
	}
}

func TestEntriesThatLookLikeFramesAreNone(t *testing.T) {
	dir := t.TempDir()
	j, _ := reopen(t, dir, Options{})
	mustAppend(t, j, step("first"))
	// The worst case, which takes knowing the secret marker: a whole real frame, as the text of a URL.
	frame := must(os.ReadFile(j.name))[fileHeadSize:]
	start := j.Size()
	mustAppend(t, j, step(string(frame)))
	name := j.name
	j.Close()
	data := must(os.ReadFile(name))
	os.WriteFile(name, data[:len(data)-frameHeadSize-3], 0o600)
	j, all := reopen(t, dir, Options{})
	if !slices.Equal(all, []string{"first"}) || j.Torn().Offset != start {
		t.Errorf("got %q, torn %+v, want a tail torn at %d", all, j.Torn(), start)
	}
}

func TestDamageAfterOpeningIsFoundWhenRead(t *testing.T) {
	j, _ := reopen(t, t.TempDir(), Options{})
	s := step("something")
	off := s.Offset(mustAppend(t, j, s), 0)
	for _, at := range []int64{0, 3, 5, entryHeadSize} {
		b := make([]byte, 1)
		j.file.ReadAt(b, off+at)
		j.file.WriteAt([]byte{b[0] ^ 0x40}, off+at)
		var d *DamagedError
		if e, err := j.ReadAt(off, nil); !errors.As(err, &d) {
			t.Errorf("byte %d: %q, %v", at, e, err)
		}
		j.file.WriteAt(b, off+at)
	}
}

// hastyFS waits for no disk: fuzzing is about what is read.
type hastyFS struct{ FS }

func (hastyFS) SyncDir(string) error { return nil }

func (h hastyFS) OpenFile(name string, flag int, perm os.FileMode) (File, error) {
	f, err := h.FS.OpenFile(name, flag, perm)
	if err != nil {
		return nil, err
	}
	return hastyFile{f}, nil
}

type hastyFile struct{ File }

func (hastyFile) Sync() error { return nil }

func FuzzOpen(f *testing.F) {
	key := [keySize]byte{7}
	head := appendHead(nil, 1, key)
	frame := append(make([]byte, frameHeadSize), step("a", "b").buf...)
	newSeal(key, 1).put(frame, fileHeadSize)
	f.Add([]byte{})
	f.Add(frame)
	f.Add(frame[:len(frame)-1])
	f.Add(append(bytes.Clone(frame), frame...))
	f.Fuzz(func(t *testing.T, tail []byte) {
		dir := t.TempDir()
		data := append(bytes.Clone(head), tail...)
		os.WriteFile(filepath.Join(dir, fileName(1)), data, 0o600)
		n := 0
		j, err := Open(dir, Options{FS: hastyFS{osFS{}}}, func(off int64, e []byte) error { n++; return nil })
		if err != nil {
			return
		}
		j.Append(step("more"))
		j.Close()
		if _, all := reopen(t, dir, Options{FS: hastyFS{osFS{}}}); len(all) != n+1 {
			t.Errorf("%d entries, want %d", len(all), n+1)
		}
	})
}
