package ambletest

import (
	"reflect"
	"testing"

	"github.com/amblecrawl/amble"
)

func checkStoreReopen(t testing.TB, s storeSubject) {
	dir := t.TempDir()
	store := s.startIn(t, dir)
	commit(t, store, amble.Step{Push: urls("a/1", "b/2", "a/3", "a/4")})
	store.Close()
	store = s.startIn(t, dir)
	wantFresh(t, store, urls("a/1", "a/5"), false, true)
	var a []amble.Item
	for _, it := range lease(t, store, 10) {
		if it.Origin == originOf("a") {
			a = append(a, it)
		}
	}
	if !equalURLs(a, "a/1", "a/3", "a/4", "a/5") {
		t.Errorf("leased of one server %v", a)
	}
}

func checkStoreLeaseAgain(t testing.TB, s storeSubject) {
	dir := t.TempDir()
	store := s.startIn(t, dir)
	commit(t, store, amble.Step{Push: urls("a/1", "a/2", "a/3")})
	got := lease(t, store, 2)
	commit(t, store, amble.Step{Done: records(got[1].URL), Push: urls("a/4")})
	store.Close()
	store = s.startIn(t, dir)
	if got := lease(t, store, 10); !equalURLs(got, "a/1", "a/3", "a/4") {
		t.Errorf("leased %v", got)
	}
}

func checkStoreItemWhole(t testing.TB, s storeSubject) {
	dir := t.TempDir()
	store := s.startIn(t, dir)
	want := fullItem()
	commit(t, store, amble.Step{Push: []amble.Item{want}})
	store.Close()
	if got := lease(t, s.startIn(t, dir), 1); len(got) != 1 || !reflect.DeepEqual(got[0], want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

func checkStoreRunGoesOn(t testing.TB, s storeSubject) {
	dir := t.TempDir()
	store, h := s.startHistorian(t, dir)
	startRun(t, h, false)
	commit(t, store, amble.Step{Push: urls("a/1", "a/2")})
	store.Close()
	store, h = s.startHistorian(t, dir)
	startRun(t, h, true)
	if got := lease(t, store, 10); !equalURLs(got, "a/1", "a/2") {
		t.Errorf("leased %v", got)
	}
	endRun(t, h)
	store.Close()
	store, h = s.startHistorian(t, dir)
	startRun(t, h, false)
	wantFresh(t, store, urls("a/1"), true)
}

func checkStoreHistoryReopen(t testing.TB, s storeSubject) {
	dir := t.TempDir()
	store, h := s.startHistorian(t, dir)
	startRun(t, h, false)
	commit(t, store, amble.Step{Push: urls("a/1"), Spent: []amble.Spent{{Key: "k", Pages: 3}}})
	want := fullRecord(lease(t, store, 1)[0].URL)
	commit(t, store, amble.Step{Done: []amble.Record{want}, Spent: []amble.Spent{{Key: "k", Pages: 4}}})
	for key, value := range map[string]string{"robots https://a.example": "User-agent: *", "gone": "x"} {
		if err := h.PutNote(t.Context(), key, []byte(value)); err != nil {
			t.Fatal(err)
		}
	}
	if err := h.PutNote(t.Context(), "gone", nil); err != nil {
		t.Fatal(err)
	}
	endRun(t, h)
	store.Close()
	_, h = s.startHistorian(t, dir)
	wantLast(t, h, want)
	wantCounter(t, h, amble.Spent{Key: "k", Pages: 7})
	wantNote(t, h, "robots https://a.example", []byte("User-agent: *"))
	wantNote(t, h, "gone", nil)
}
