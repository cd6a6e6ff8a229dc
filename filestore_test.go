package amble

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/amblecrawl/amble/internal/journal"
)

func openStore(t testing.TB, dir string, o FileStoreOptions) *FileStore {
	t.Helper()
	s, err := OpenFileStore(dir, &o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func storePage(n int) Item {
	return Item{URL: fmt.Sprintf("https://a.example/%d", n), Origin: "https://a.example", Depth: n}
}

func storeStep(t testing.TB, s Store, step Step) []bool {
	t.Helper()
	fresh, err := s.Commit(t.Context(), step)
	if err != nil {
		t.Fatal(err)
	}
	return fresh
}

// fullDisk lets room bytes be written.
type fullDisk struct{ room int64 }

type fullDiskFile struct {
	*os.File
	disk *fullDisk
}

func (d *fullDisk) OpenFile(name string, flag int, perm os.FileMode) (journal.File, error) {
	f, err := os.OpenFile(name, flag, perm)
	return fullDiskFile{f, d}, err
}
func (d *fullDisk) Rename(from, to string) error { return os.Rename(from, to) }
func (d *fullDisk) Remove(name string) error     { return os.Remove(name) }
func (d *fullDisk) SyncDir(string) error         { return nil }

func (f fullDiskFile) WriteAt(b []byte, off int64) (int, error) {
	n := min(int64(len(b)), f.disk.room)
	f.disk.room -= n
	wrote, err := f.File.WriteAt(b[:n], off)
	if err == nil && n < int64(len(b)) {
		err = &os.PathError{Op: "write", Path: f.Name(), Err: syscall.ENOSPC}
	}
	return wrote, err
}

func TestFullDiskClaimsNothing(t *testing.T) {
	dir, disk := t.TempDir(), &fullDisk{room: 1 << 20}
	s := openStore(t, dir, FileStoreOptions{fs: disk, RewriteBytes: -1})
	storeStep(t, s, Step{Push: []Item{storePage(1)}})
	disk.room = 50
	step := Step{Push: []Item{storePage(1), storePage(2), storePage(3)}, Done: []Record{{URL: storePage(1).URL}}, Spent: []Spent{{Key: "k", Pages: 1}}}
	_, err := s.Commit(t.Context(), step)
	if !errors.Is(err, ErrStoreFull) || !errors.Is(err, ErrStore) || !errors.Is(err, syscall.ENOSPC) {
		t.Fatalf("got %v", err)
	}
	if err := s.PutNote(t.Context(), "n", []byte("x")); !errors.Is(err, ErrStoreFull) {
		t.Errorf("PutNote: %v", err)
	}
	if c, _ := s.Counter(t.Context(), "k"); c.Pages != 0 || s.Waiting() != 1 {
		t.Errorf("the failed step has left %d pages and %d waiting", c.Pages, s.Waiting())
	}
	if _, err := s.Last(t.Context(), storePage(1).URL); !errors.Is(err, ErrNoRecord) {
		t.Errorf("the failed step has left a record: %v", err)
	}
	disk.room = 1 << 20
	if fresh := storeStep(t, s, step); !reflect.DeepEqual(fresh, []bool{false, true, true}) {
		t.Errorf("the same step with room again: fresh %v", fresh)
	}
	disk.room = 100 // enough to end the run, not to rewrite the file
	if err := s.EndRun(t.Context()); err != nil {
		t.Errorf("EndRun: %v", err)
	}
	s.Close()
	s = openStore(t, dir, FileStoreOptions{})
	if _, err := s.Last(t.Context(), storePage(1).URL); err != nil || s.active {
		t.Errorf("after reopening: %v, run under way %t", err, s.active)
	}
}

// TestFileOfManyRunsStaysSmall crawls the same pages again and again.
func TestFileOfManyRunsStaysSmall(t *testing.T) {
	testManyRuns(t, FileStoreOptions{RewriteBytes: 100_000})
}

// TestRecordsOnDiskAreFound does the same where the places of all but a few records are in temporary files.
func TestRecordsOnDiskAreFound(t *testing.T) {
	testManyRuns(t, FileStoreOptions{RewriteBytes: 100_000, QueueBytes: 1, records: 7})
}

func testManyRuns(t *testing.T, opts FileStoreOptions) {
	dir := t.TempDir()
	s := openStore(t, dir, opts)
	if err := s.PutNote(t.Context(), "robots", []byte("User-agent: *")); err != nil {
		t.Fatal(err)
	}
	const pages = 100
	largest := int64(0)
	for run := range 60 {
		if resumed, err := s.StartRun(t.Context()); resumed || err != nil {
			t.Fatalf("StartRun: %t, %v", resumed, err)
		}
		var push, leased Step
		for n := range pages {
			push.Push = append(push.Push, storePage(n))
			push.Spent = append(push.Spent, Spent{Key: "k", Pages: 1})
		}
		for n, fresh := range storeStep(t, s, push) {
			if !fresh {
				t.Fatalf("run %d: page %d is not fresh", run, n)
			}
		}
		items, err := s.Lease(t.Context(), pages+5)
		if err != nil || len(items) != pages {
			t.Fatalf("run %d: leased %d, %v", run, len(items), err)
		}
		for n, it := range items {
			if r, err := s.Last(t.Context(), it.URL); run > 0 && (err != nil || r.Hash != uint64(run-1) && n != 7) {
				t.Fatalf("run %d: page %d was last %+v, %v", run, n, r, err)
			}
			if n == 7 && run%2 == 1 {
				continue // is not reached in this run: what is known of it stays
			}
			leased.Done = append(leased.Done, Record{URL: it.URL, Status: 200, Hash: uint64(run), ETag: fmt.Sprint(n)})
		}
		storeStep(t, s, leased)
		if err := s.EndRun(t.Context()); err != nil {
			t.Fatal(err)
		}
		largest = max(largest, s.journal.Size())
		if run%20 == 19 {
			s.Close()
			s = openStore(t, dir, opts)
		}
	}
	if largest > 150_000 {
		t.Errorf("the file grew to %d bytes", largest)
	}
	n := 0
	for r, err := range s.Records(t.Context()) {
		want := uint64(59)
		if r.ETag == "7" {
			want = 58
		}
		if err != nil || r.Hash != want || r.URL != storePage(int(mustInt(r.ETag))).URL {
			t.Errorf("%+v, %v", r, err)
		}
		n++
	}
	if c, _ := s.Counter(t.Context(), "k"); n != pages || c.Pages != 60*pages {
		t.Errorf("%d records, counter %d", n, c.Pages)
	}
	if note, err := s.Note(t.Context(), "robots"); err != nil || string(note) != "User-agent: *" {
		t.Errorf("note %q, %v", note, err)
	}
}

func mustInt(s string) (n int64) {
	fmt.Sscan(s, &n)
	return n
}

func TestManyShortRunsAreRewritten(t *testing.T) {
	s := openStore(t, t.TempDir(), FileStoreOptions{})
	storeStep(t, s, Step{Push: []Item{storePage(1)}, Done: []Record{{URL: storePage(1).URL}}})
	s.runs = rewriteRuns - 1
	if err := s.EndRun(t.Context()); err != nil || s.base == 0 || s.runs != 0 {
		t.Errorf("%v; rewritten at %d, %d runs since", err, s.base, s.runs)
	}
}

func TestOldCountersAreDropped(t *testing.T) {
	s := openStore(t, t.TempDir(), FileStoreOptions{})
	storeStep(t, s, Step{Spent: []Spent{{Key: "old", Pages: 1}}})
	today := time.Now().Unix() / 86400
	for _, step := range []struct{ day, want int64 }{{today + counterDays - 2, 1}, {today + counterDays + 2, 0}} {
		if err := s.rewrite(step.day); err != nil {
			t.Fatal(err)
		}
		if c, _ := s.Counter(t.Context(), "old"); c.Pages != step.want {
			t.Errorf("after %d days: %d, want %d", step.day-today, c.Pages, step.want)
		}
	}
}

func TestDoneWithoutLeaseIsNotLeased(t *testing.T) {
	s := openStore(t, t.TempDir(), FileStoreOptions{})
	storeStep(t, s, Step{Push: []Item{storePage(1), storePage(2), storePage(3)}})
	storeStep(t, s, Step{Done: []Record{{URL: storePage(2).URL, Outcome: OutcomeGivenUp}}})
	storeStep(t, s, Step{Push: []Item{storePage(4)}, Done: []Record{{URL: storePage(4).URL, Outcome: OutcomeRedirected}}})
	items, err := s.Lease(t.Context(), 10)
	if err != nil || len(items) != 2 || items[0].Depth != 1 || items[1].Depth != 3 {
		t.Errorf("leased %v, %v", items, err)
	}
	if s.Waiting() != 2 {
		t.Errorf("%d waiting, want 2", s.Waiting())
	}
}

func TestPageThatIsNotAskedForKeepsWhatWasKnown(t *testing.T) {
	s := openStore(t, t.TempDir(), FileStoreOptions{RewriteBytes: -1})
	known := Record{URL: storePage(1).URL, Outcome: OutcomeAnalysed, Status: 200, Hash: 7, ETag: "e", At: time.Unix(5, 6).UTC()}
	storeStep(t, s, Step{Push: []Item{storePage(1)}})
	storeStep(t, s, Step{Done: []Record{known}})
	want := known
	want.Outcome, want.Reason = OutcomeOutOfScope, "scope"
	for range 3 {
		if err := s.EndRun(t.Context()); err != nil {
			t.Fatal(err)
		}
		item := storePage(1)
		item.Outcome, item.Reason = OutcomeOutOfScope, "scope"
		storeStep(t, s, Step{Push: []Item{item}})
		if r, err := s.Last(t.Context(), known.URL); err != nil || !reflect.DeepEqual(r, want) {
			t.Errorf("got %+v, %v", r, err)
		}
	}
}

func TestTimesOfAnyYearAreKept(t *testing.T) {
	for _, want := range []time.Time{
		{}, time.Unix(0, 0).UTC(), time.Unix(0, -1).UTC(), time.Date(9999, 12, 31, 23, 59, 59, 999999999, time.UTC),
		time.Date(1, 1, 1, 0, 0, 1, 0, time.UTC), time.Date(1650, 2, 3, 4, 5, 6, 7, time.UTC),
	} {
		r := storeReader{b: appendTime(nil, want)}
		if got := r.time(); r.bad || len(r.b) != 0 || got != want {
			t.Errorf("%v comes back as %v", want, got)
		}
	}
}

func TestQueueFileThatFailsEndsTheRun(t *testing.T) {
	m := NewMemoryStore()
	m.spill = errors.New("no space")
	if _, err := m.Commit(t.Context(), Step{}); !errors.Is(err, ErrStore) {
		t.Errorf("memory: %v", err)
	}
	s := openStore(t, t.TempDir(), FileStoreOptions{})
	s.spill = errors.New("no space")
	if _, err := s.Commit(t.Context(), Step{}); !errors.Is(err, ErrStore) {
		t.Errorf("file: %v", err)
	}
}

// TestCommitWaitingForARewriteHearsItsContext holds the gate as a rewrite does.
func TestCommitWaitingForARewriteHearsItsContext(t *testing.T) {
	s := openStore(t, t.TempDir(), FileStoreOptions{})
	leave, err := s.enter(t.Context(), gateAll)
	if err != nil {
		t.Fatal(err)
	}
	defer leave()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() {
		_, err := s.Commit(ctx, Step{Push: []Item{storePage(1)}})
		done <- err
	}()
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestTornStepIsLeftOutAndTold(t *testing.T) {
	dir := t.TempDir()
	s := openStore(t, dir, FileStoreOptions{})
	storeStep(t, s, Step{Push: []Item{storePage(1)}})
	whole := s.journal.Size()
	storeStep(t, s, Step{Push: []Item{storePage(2)}, Done: []Record{{URL: storePage(1).URL}}})
	file := filepath.Join(dir, "journal-0000000000000001")
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	s.Close()
	os.WriteFile(file, data[:len(data)-5], 0o600)
	s = openStore(t, dir, FileStoreOptions{})
	if want := int64(len(data)) - 5 - whole; s.Torn() != want {
		t.Errorf("Torn %d, want %d", s.Torn(), want)
	}
	items, err := s.Lease(t.Context(), 10)
	if err != nil || len(items) != 1 || items[0].URL != storePage(1).URL {
		t.Errorf("leased %v, %v", items, err)
	}
}

func TestFolderThatCannotBeMade(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	os.WriteFile(file, nil, 0o600)
	if _, err := OpenFileStore(filepath.Join(file, "store"), nil); !errors.Is(err, ErrStore) {
		t.Errorf("got %v", err)
	}
}

func FuzzStoreItem(f *testing.F) {
	it := Item{URL: "https://a.example/x", Origin: "https://a.example", Referrer: "https://b.example/", Chain: []Hop{{"u", 301}}}
	f.Add(appendItem(nil, &it))
	f.Add(appendRecord(nil, &Record{URL: "https://a.example/x", Canonical: "https://a.example/y", ETag: "e", At: time.Unix(1, 2)}))
	f.Add([]byte(strings.Repeat("\xff", 40)))
	f.Fuzz(func(t *testing.T, b []byte) {
		r := storeReader{b: b}
		if it := r.item(); !r.bad {
			again := storeReader{b: appendItem(nil, &it)}
			if got := again.item(); again.bad || !reflect.DeepEqual(got, it) {
				t.Errorf("item %+v comes back as %+v", it, got)
			}
		}
		r = storeReader{b: b}
		if rec := r.record("https://a.example/x"); !r.bad {
			again := storeReader{b: appendRecord(nil, &rec)}
			if got := again.record(rec.URL); again.bad || !reflect.DeepEqual(got, rec) {
				t.Errorf("record %+v comes back as %+v", rec, got)
			}
		}
	})
}

// TestStoreOfAnOlderVersionOpens: until places of records went to an index, an item named the entry of its URL before it,
// whatever that was.
func TestStoreOfAnOlderVersionOpens(t *testing.T) {
	dir := t.TempDir()
	s := openStore(t, dir, FileStoreOptions{})
	known := Record{URL: storePage(1).URL, Outcome: OutcomeAnalysed, Status: 200, Hash: 7, At: time.Unix(5, 6).UTC()}
	add := func(encode func(b []byte) []byte) int64 {
		t.Helper()
		var e journal.Step
		e.Add(encode)
		base, err := s.journal.Append(&e)
		if err != nil {
			t.Fatal(err)
		}
		return e.Offset(base, 0)
	}
	fp, page := s.fingerprint(known.URL), storePage(1)
	item := func(before int64, outcome Outcome) int64 {
		it := page
		it.Outcome = outcome
		return add(func(b []byte) []byte { return appendItemEntry(b, fp, before, &it) })
	}
	off := item(0, OutcomeNone)
	off = add(func(b []byte) []byte { return appendRecordEntry(b, fp, off, &known) })
	add(func(b []byte) []byte { return append(b, entryRunEnd) })
	off = item(off, OutcomeNone) // a run that never reached it
	add(func(b []byte) []byte { return append(b, entryRunEnd) })
	off = item(off, OutcomeOutOfScope)
	add(func(b []byte) []byte { return append(b, entryRunEnd) })
	item(off, OutcomeNone)
	s.Close()

	s = openStore(t, dir, FileStoreOptions{RewriteBytes: -1})
	want := known
	want.Outcome = OutcomeOutOfScope
	for range 2 {
		if r, err := s.Last(t.Context(), known.URL); err != nil || !reflect.DeepEqual(r, want) {
			t.Errorf("got %+v, %v\nwant %+v", r, err, want)
		}
		if items, err := s.Lease(t.Context(), 5); s.active && (err != nil || len(items) != 1 || items[0].URL != known.URL) {
			t.Errorf("leased %v, %v", items, err)
		}
		if err := s.EndRun(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}
