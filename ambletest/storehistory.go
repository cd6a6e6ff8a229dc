package ambletest

import (
	"bytes"
	"errors"
	"reflect"
	"sync"
	"testing"
	"time"

	"github.com/amblecrawl/amble"
)

func checkStoreRuns(t testing.TB, s storeSubject) {
	store, h := s.startHistorian(t, t.TempDir())
	startRun(t, h, false)
	commit(t, store, amble.Step{Push: urls("a/1", "a/2", "a/3")})
	got := lease(t, store, 2)
	commit(t, store, amble.Step{Done: records(got[0].URL)})
	startRun(t, h, true) // the first was left in the middle
	wantFresh(t, store, urls("a/1", "a/2", "a/3"), false, false, false)
	if got := lease(t, store, 10); !equalURLs(got, "a/2", "a/3") {
		t.Errorf("a run that goes on leases %v", got)
	}
	endRun(t, h)
	if got := lease(t, store, 10); len(got) != 0 {
		t.Errorf("after the run's end: leased %v", got)
	}
	startRun(t, h, false)
	wantFresh(t, store, urls("a/2", "a/1"), true, true)
	if got := lease(t, store, 10); !equalURLs(got, "a/2", "a/1") {
		t.Errorf("the next run leases %v", got)
	}
}

// fullRecord has every field set.
func fullRecord(url string) amble.Record {
	return amble.Record{
		URL: url, Outcome: amble.OutcomeAnalysed, Reason: "fine", Status: 200, Hash: 1<<63 + 5, ETag: `W/"x"`,
		LastModified: "Sat, 07 Nov 2026 10:00:00 GMT", Redirect: url + "/", Canonical: "https://other.example/",
		At: time.Date(2026, 11, 7, 10, 0, 0, 123, time.UTC), Seen: time.Date(2026, 11, 8, 10, 0, 0, 456, time.UTC),
		Links: []string{url + "a", "https://other.example/"},
	}
}

func checkStoreLast(t testing.TB, s storeSubject) {
	store, h := s.startHistorian(t, t.TempDir())
	item := urls("a/1", "a/2", "a/ended")
	item[2].Outcome, item[2].Reason = amble.OutcomeOutOfScope, "scope"
	_, err := h.Last(t.Context(), item[0].URL)
	if !errors.Is(err, amble.ErrNoRecord) {
		t.Errorf("unknown URL: %v", err)
	}
	startRun(t, h, false)
	commit(t, store, amble.Step{Push: item})
	if _, err := h.Last(t.Context(), item[0].URL); !errors.Is(err, amble.ErrNoRecord) {
		t.Errorf("waiting URL: %v", err)
	}
	lease(t, store, 10)
	first, never := fullRecord(item[0].URL), fullRecord("https://never-pushed.example/")
	commit(t, store, amble.Step{Done: []amble.Record{first, never, {URL: item[1].URL}}})
	wantLast(t, h, first)
	wantLast(t, h, never)
	wantLast(t, h, amble.Record{URL: item[1].URL})
	ended, err := h.Last(t.Context(), item[2].URL)
	if err != nil || ended.Outcome != amble.OutcomeOutOfScope || ended.Reason != "scope" {
		t.Errorf("ended at sight: %+v, %v", ended, err)
	}
	endRun(t, h)
	wantLast(t, h, first)
	startRun(t, h, false)
	commit(t, store, amble.Step{Push: urls("a/1")})
	wantLast(t, h, first) // while it waits in the next run
	lease(t, store, 10)
	second := first
	second.Outcome, second.Status = amble.OutcomeUnchanged, 304
	commit(t, store, amble.Step{Done: []amble.Record{second}})
	wantLast(t, h, second)
}

func checkStoreCounters(t testing.TB, s storeSubject) {
	store, h := s.startHistorian(t, t.TempDir())
	var wg sync.WaitGroup
	for range 10 {
		wg.Go(func() {
			commit(t, store, amble.Step{Spent: []amble.Spent{
				{Key: "a 2026-11-07", Requests: 2, Pages: 1, Bytes: 1 << 40}, {Key: "b", Pages: 1},
			}})
		})
	}
	wg.Wait()
	endRun(t, h)
	wantCounter(t, h, amble.Spent{Key: "a 2026-11-07", Requests: 20, Pages: 10, Bytes: 10 << 40})
	wantCounter(t, h, amble.Spent{Key: "b", Pages: 10})
	wantCounter(t, h, amble.Spent{Key: "c"})
}

func checkStoreNotes(t testing.TB, s storeSubject) {
	_, h := s.startHistorian(t, t.TempDir())
	wantNote(t, h, "a", nil)
	for _, value := range [][]byte{[]byte("one"), []byte("two"), {}, bytes.Repeat([]byte{0}, 600_000), nil, []byte("x")} {
		if err := h.PutNote(t.Context(), "a", value); err != nil {
			t.Fatal(err)
		}
		wantNote(t, h, "a", value)
	}
	wantNote(t, h, "b", nil)
}

func startRun(t testing.TB, h amble.Historian, want bool) {
	t.Helper()
	if resumed, err := h.StartRun(t.Context()); err != nil || resumed != want {
		t.Errorf("StartRun: resumed %t, %v, want %t", resumed, err, want)
	}
}

func endRun(t testing.TB, h amble.Historian) {
	t.Helper()
	if err := h.EndRun(t.Context()); err != nil {
		t.Errorf("EndRun: %v", err)
	}
}

func wantLast(t testing.TB, h amble.Historian, want amble.Record) {
	t.Helper()
	got, err := h.Last(t.Context(), want.URL)
	if err != nil || !got.At.Equal(want.At) || !got.Seen.Equal(want.Seen) {
		t.Errorf("Last(%s): %+v, %v", want.URL, got, err)
		return
	}
	got.At = want.At
	if !reflect.DeepEqual(got, want) {
		t.Errorf("Last(%s)\n got %+v\nwant %+v", want.URL, got, want)
	}
}

func wantCounter(t testing.TB, h amble.Historian, want amble.Spent) {
	t.Helper()
	if got, err := h.Counter(t.Context(), want.Key); err != nil || got != want {
		t.Errorf("Counter: %+v, %v, want %+v", got, err, want)
	}
}

// wantNote wants the value, or no note when it is nil.
func wantNote(t testing.TB, h amble.Historian, key string, want []byte) {
	t.Helper()
	got, err := h.Note(t.Context(), key)
	if want == nil && !errors.Is(err, amble.ErrNoRecord) || want != nil && (err != nil || !bytes.Equal(got, want)) {
		t.Errorf("Note(%s): %.20q, %v, want %.20q", key, got, err, want)
	}
}
