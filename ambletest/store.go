package ambletest

import (
	"bytes"
	"fmt"
	"reflect"
	"testing"

	"github.com/amblecrawl/amble"
)

// TestStore checks that a Store keeps the contract of [amble.Store], and, when it is an [amble.Historian], of that. open
// is called with an empty folder of the test's own, which a Store that needs none ignores.
//
// A durable Store is checked by TestDurableStore instead.
func TestStore(t *testing.T, open func(dir string) (amble.Store, error)) {
	checkAll(t, storePromises, func(*testing.T) storeSubject { return open })
}

// TestDurableStore checks what TestStore does and what must survive Close: open is called again with the folder of a
// Store that was closed. What must survive a crash it cannot check.
func TestDurableStore(t *testing.T, open func(dir string) (amble.Store, error)) {
	TestStore(t, open)
	checkAll(t, durablePromises, func(*testing.T) storeSubject { return open })
}

type storeSubject func(dir string) (amble.Store, error)

var storePromises = []promise[storeSubject]{
	{"an empty store has nothing to lease", checkStoreEmpty},
	{"a URL is fresh once", checkStoreFresh},
	{"of equal URLs in one step one is fresh", checkStoreFreshInStep},
	{"a URL is claimed once by many goroutines", checkStoreConcurrentClaims},
	{"every item is leased once by many goroutines", checkStoreConcurrentLeases},
	{"a server's items keep their order", checkStoreOrder},
	{"servers take turns", checkStoreFair},
	{"an item that has ended is claimed and not leased", checkStoreEnded},
	{"a URL that is done is claimed", checkStoreDone},
	{"Lease gives at most what is asked for", checkStoreLeaseCount},
	{"the fields of an item are kept", checkStoreItem},
	{"an ended context changes nothing", checkStoreContext},
	{"after Close", checkStoreClosed},
	{"runs", checkStoreRuns},
	{"the last record", checkStoreLast},
	{"counters add up", checkStoreCounters},
	{"notes", checkStoreNotes},
}

var durablePromises = []promise[storeSubject]{
	{"claims and waiting items survive Close", checkStoreReopen},
	{"what was leased and not done is leased again", checkStoreLeaseAgain},
	{"an item comes back whole", checkStoreItemWhole},
	{"a run goes on after Close", checkStoreRunGoesOn},
	{"records, counters and notes survive Close", checkStoreHistoryReopen},
}

func (s storeSubject) start(t testing.TB) amble.Store { return s.startIn(t, t.TempDir()) }

func (s storeSubject) startIn(t testing.TB, dir string) amble.Store {
	t.Helper()
	store, err := s(dir)
	if err != nil {
		t.Fatalf("opening the store: %v", err)
	}
	t.Cleanup(func() { store.Close() })
	return store
}

func (s storeSubject) startHistorian(t testing.TB, dir string) (amble.Store, amble.Historian) {
	t.Helper()
	store := s.startIn(t, dir)
	h, ok := store.(amble.Historian)
	if !ok {
		t.Skip("the store is no Historian")
	}
	return store, h
}

func originOf(host string) amble.Origin { return amble.Origin("https://" + host + ".example") }

// urls makes an item of each "host/number"; the number is its depth, too.
func urls(names ...string) []amble.Item {
	var items []amble.Item
	for _, name := range names {
		host, n, _ := bytes.Cut([]byte(name), []byte("/"))
		it := amble.Item{URL: string(originOf(string(host))) + "/" + string(n), Origin: originOf(string(host))}
		fmt.Sscan(string(n), &it.Depth)
		items = append(items, it)
	}
	return items
}

func records(urls ...string) []amble.Record {
	var out []amble.Record
	for _, u := range urls {
		out = append(out, amble.Record{URL: u, Outcome: amble.OutcomeAnalysed, Status: 200})
	}
	return out
}

func equalURLs(got []amble.Item, names ...string) bool {
	want := urls(names...)
	if len(got) != len(want) {
		return false
	}
	for i := range want {
		if got[i].URL != want[i].URL {
			return false
		}
	}
	return true
}

func commit(t testing.TB, s amble.Store, step amble.Step) []bool {
	t.Helper()
	fresh, err := s.Commit(t.Context(), step)
	if err != nil {
		t.Errorf("Commit: %v", err)
	}
	if len(fresh) != len(step.Push) {
		t.Errorf("Commit: %d answers for %d URLs", len(fresh), len(step.Push))
		fresh = make([]bool, len(step.Push))
	}
	return fresh
}

func lease(t testing.TB, s amble.Store, n int) []amble.Item {
	t.Helper()
	items, err := s.Lease(t.Context(), n)
	if err != nil {
		t.Errorf("Lease: %v", err)
	}
	return items
}

func wantFresh(t testing.TB, s amble.Store, push []amble.Item, want ...bool) {
	t.Helper()
	if got := commit(t, s, amble.Step{Push: push}); !reflect.DeepEqual(got, want) {
		t.Errorf("fresh %v, want %v", got, want)
	}
}
