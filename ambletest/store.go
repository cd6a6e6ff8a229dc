package ambletest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"reflect"
	"sync"
	"testing"
	"time"

	"github.com/amblecrawl/amble"
)

// TestStore checks that a Store keeps the contract of [amble.Store], and, when it is an [amble.Historian], of that. open
// is called with an empty folder of the test's own, which a Store that needs none ignores.
//
// A durable Store is checked by TestDurableStore instead.
func TestStore(t *testing.T, open func(dir string) (amble.Store, error)) {
	storeSuite{open: open}.run(t)
}

// TestDurableStore checks what TestStore does and what must survive Close: open is called again with the folder of a
// Store that was closed. What must survive a crash it cannot check.
func TestDurableStore(t *testing.T, open func(dir string) (amble.Store, error)) {
	s := storeSuite{open: open}
	s.run(t)
	for _, test := range []struct {
		name string
		fn   func(*testing.T)
	}{
		{"claims and waiting items survive Close", s.testReopen},
		{"what was leased and not done is leased again", s.testLeaseAgain},
		{"an item comes back whole", s.testItemWhole},
		{"a run goes on after Close", s.testRunGoesOn},
		{"records, counters and notes survive Close", s.testHistoryReopen},
	} {
		t.Run(test.name, test.fn)
	}
}

type storeSuite struct {
	open func(dir string) (amble.Store, error)
}

func (s storeSuite) run(t *testing.T) {
	for _, test := range []struct {
		name string
		fn   func(*testing.T)
	}{
		{"an empty store has nothing to lease", s.testEmpty},
		{"a URL is fresh once", s.testFresh},
		{"of equal URLs in one step one is fresh", s.testFreshInStep},
		{"a URL is claimed once by many goroutines", s.testConcurrentClaims},
		{"every item is leased once by many goroutines", s.testConcurrentLeases},
		{"a server's items keep their order", s.testOrder},
		{"servers take turns", s.testFair},
		{"an item that has ended is claimed and not leased", s.testEnded},
		{"a URL that is done is claimed", s.testDone},
		{"Lease gives at most what is asked for", s.testLeaseCount},
		{"the fields of an item are kept", s.testItem},
		{"an ended context changes nothing", s.testContext},
		{"after Close", s.testClosed},
		{"runs", s.testRuns},
		{"the last record", s.testLast},
		{"counters add up", s.testCounters},
		{"notes", s.testNotes},
	} {
		t.Run(test.name, test.fn)
	}
}

func (s storeSuite) start(t *testing.T) amble.Store { return s.startIn(t, t.TempDir()) }

func (s storeSuite) startIn(t *testing.T, dir string) amble.Store {
	t.Helper()
	store, err := s.open(dir)
	if err != nil {
		t.Fatalf("opening the store: %v", err)
	}
	t.Cleanup(func() { store.Close() })
	return store
}

func (s storeSuite) startHistorian(t *testing.T, dir string) (amble.Store, amble.Historian) {
	t.Helper()
	store := s.startIn(t, dir)
	h, ok := store.(amble.Historian)
	if !ok {
		t.Skip("the store is no Historian")
	}
	return store, h
}

func (s storeSuite) testEmpty(t *testing.T) {
	if items := lease(t, s.start(t), 10); len(items) != 0 {
		t.Errorf("leased %v", items)
	}
}

func (s storeSuite) testFresh(t *testing.T) {
	store := s.start(t)
	wantFresh(t, store, urls("a/1", "a/2"), true, true)
	wantFresh(t, store, urls("a/2", "a/3", "a/1"), false, true, false)
	if got := lease(t, store, 10); !equalURLs(got, "a/1", "a/2", "a/3") {
		t.Errorf("leased %v", got)
	}
	wantFresh(t, store, urls("a/1"), false) // while it is leased
}

func (s storeSuite) testFreshInStep(t *testing.T) {
	store := s.start(t)
	fresh := commit(t, store, amble.Step{Push: urls("a/1", "a/1", "a/1")})
	n := 0
	for _, f := range fresh {
		if f {
			n++
		}
	}
	if len(fresh) != 3 || n != 1 {
		t.Errorf("fresh %v, want one of three", fresh)
	}
	if got := lease(t, store, 10); !equalURLs(got, "a/1") {
		t.Errorf("leased %v", got)
	}
}

func (s storeSuite) testConcurrentClaims(t *testing.T) {
	store := s.start(t)
	const workers, steps, each = 8, 10, 20
	var mu sync.Mutex
	claims := map[string]int{}
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			for i := range steps {
				var push []amble.Item
				for k := range each {
					push = append(push, urls(fmt.Sprintf("s%d/%d", k%3, (w%2)*5+i*each+k))...)
				}
				fresh := commit(t, store, amble.Step{Push: push})
				mu.Lock()
				for k := range fresh {
					claims[push[k].URL] += map[bool]int{true: 1}[fresh[k]]
				}
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	for url, n := range claims {
		if n != 1 {
			t.Errorf("%s was fresh %d times", url, n)
		}
	}
	if got := lease(t, store, len(claims)+10); len(got) != len(claims) {
		t.Errorf("leased %d items, claimed %d", len(got), len(claims))
	}
}

func (s storeSuite) testConcurrentLeases(t *testing.T) {
	store := s.start(t)
	const workers, each = 4, 50
	var mu sync.Mutex
	leases := map[string]int{}
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			for i := range each {
				commit(t, store, amble.Step{Push: urls(fmt.Sprintf("s%d/%d", w, i))})
				for _, it := range lease(t, store, 2) {
					mu.Lock()
					leases[it.URL]++
					mu.Unlock()
					commit(t, store, amble.Step{Done: records(it.URL)})
				}
			}
		})
	}
	wg.Wait()
	for _, it := range lease(t, store, workers*each) {
		leases[it.URL]++
	}
	for url, n := range leases {
		if n != 1 {
			t.Errorf("%s was leased %d times", url, n)
		}
	}
	if len(leases) != workers*each {
		t.Errorf("%d items were leased, want %d", len(leases), workers*each)
	}
}

func (s storeSuite) testOrder(t *testing.T) {
	store := s.start(t)
	const n = 300
	for i := range n {
		commit(t, store, amble.Step{Push: urls(fmt.Sprintf("s%d/%d", i%7, i))})
	}
	last := map[amble.Origin]int{}
	got := lease(t, store, n)
	for _, it := range got {
		i := it.Depth
		if before, ok := last[it.Origin]; ok && before >= i {
			t.Errorf("%s: item %d came after %d", it.Origin, i, before)
		}
		last[it.Origin] = i
	}
	if len(got) != n {
		t.Errorf("leased %d items, want %d", len(got), n)
	}
}

func (s storeSuite) testFair(t *testing.T) {
	store := s.start(t)
	for i := range 100 {
		commit(t, store, amble.Step{Push: urls(fmt.Sprintf("big/%d", i))})
	}
	commit(t, store, amble.Step{Push: urls("small/0")})
	for _, it := range lease(t, store, 10) {
		if it.Origin == originOf("small") {
			return
		}
	}
	t.Error("a server with a hundred items keeps another's one item waiting for more than ten")
}

func (s storeSuite) testEnded(t *testing.T) {
	store := s.start(t)
	push := urls("a/1", "a/2")
	push[0].Outcome, push[0].Reason = amble.OutcomeOutOfScope, "another host"
	wantFresh(t, store, push, true, true)
	wantFresh(t, store, urls("a/1"), false)
	if got := lease(t, store, 10); !equalURLs(got, "a/2") {
		t.Errorf("leased %v", got)
	}
}

func (s storeSuite) testDone(t *testing.T) {
	store := s.start(t)
	commit(t, store, amble.Step{Push: urls("a/1")})
	got := lease(t, store, 1)
	fresh := commit(t, store, amble.Step{Done: records(got[0].URL), Push: urls("a/1", "a/2")})
	if !reflect.DeepEqual(fresh, []bool{false, true}) {
		t.Errorf("fresh %v", fresh)
	}
	if got := lease(t, store, 10); !equalURLs(got, "a/2") {
		t.Errorf("leased %v", got)
	}
}

func (s storeSuite) testLeaseCount(t *testing.T) {
	store := s.start(t)
	commit(t, store, amble.Step{Push: urls("a/1", "a/2", "b/3", "a/4", "b/5")})
	total := 0
	for _, n := range []int{0, 1, 3, 10, 10} {
		got := len(lease(t, store, n))
		if want := min(n, 5-total); got != want {
			t.Errorf("Lease(%d) gave %d items, want %d", n, got, want)
		}
		total += got
	}
}

// fullItem has every field set.
func fullItem() amble.Item {
	return amble.Item{
		URL: "https://a.example/caf%C3%A9?x=1", Origin: "https://a.example", Source: amble.SourceRedirect, Depth: 3,
		Referrer: "https://a.example/from", Reason: "because",
		Chain: []amble.Hop{{URL: "http://a.example/", Status: 301}, {URL: "https://other.example/x", Status: 302}},
	}
}

func (s storeSuite) testItem(t *testing.T) {
	store := s.start(t)
	want := []amble.Item{fullItem(), {URL: "x", Depth: -1}}
	commit(t, store, amble.Step{Push: want})
	if got := lease(t, store, 10); !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

func (s storeSuite) testContext(t *testing.T) {
	store := s.start(t)
	commit(t, store, amble.Step{Push: urls("a/1")})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := store.Commit(ctx, amble.Step{Push: urls("a/2")}); !errors.Is(err, context.Canceled) {
		t.Errorf("Commit: %v", err)
	}
	if _, err := store.Lease(ctx, 1); !errors.Is(err, context.Canceled) {
		t.Errorf("Lease: %v", err)
	}
	wantFresh(t, store, urls("a/2"), true)
	if got := lease(t, store, 10); !equalURLs(got, "a/1", "a/2") {
		t.Errorf("leased %v", got)
	}
}

func (s storeSuite) testClosed(t *testing.T) {
	store := s.start(t)
	commit(t, store, amble.Step{Push: urls("a/1")})
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := store.Commit(t.Context(), amble.Step{Push: urls("a/2")}); !errors.Is(err, amble.ErrClosed) {
		t.Errorf("Commit: %v", err)
	}
	if _, err := store.Lease(t.Context(), 1); !errors.Is(err, amble.ErrClosed) {
		t.Errorf("Lease: %v", err)
	}
}

func (s storeSuite) testRuns(t *testing.T) {
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

func (s storeSuite) testLast(t *testing.T) {
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

func (s storeSuite) testCounters(t *testing.T) {
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

func (s storeSuite) testNotes(t *testing.T) {
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

func (s storeSuite) testReopen(t *testing.T) {
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

func (s storeSuite) testLeaseAgain(t *testing.T) {
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

func (s storeSuite) testItemWhole(t *testing.T) {
	dir := t.TempDir()
	store := s.startIn(t, dir)
	want := fullItem()
	commit(t, store, amble.Step{Push: []amble.Item{want}})
	store.Close()
	if got := lease(t, s.startIn(t, dir), 1); len(got) != 1 || !reflect.DeepEqual(got[0], want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

func (s storeSuite) testRunGoesOn(t *testing.T) {
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

func (s storeSuite) testHistoryReopen(t *testing.T) {
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

func commit(t *testing.T, s amble.Store, step amble.Step) []bool {
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

func lease(t *testing.T, s amble.Store, n int) []amble.Item {
	t.Helper()
	items, err := s.Lease(t.Context(), n)
	if err != nil {
		t.Errorf("Lease: %v", err)
	}
	return items
}

func wantFresh(t *testing.T, s amble.Store, push []amble.Item, want ...bool) {
	t.Helper()
	if got := commit(t, s, amble.Step{Push: push}); !reflect.DeepEqual(got, want) {
		t.Errorf("fresh %v, want %v", got, want)
	}
}

func startRun(t *testing.T, h amble.Historian, want bool) {
	t.Helper()
	if resumed, err := h.StartRun(t.Context()); err != nil || resumed != want {
		t.Errorf("StartRun: resumed %t, %v, want %t", resumed, err, want)
	}
}

func endRun(t *testing.T, h amble.Historian) {
	t.Helper()
	if err := h.EndRun(t.Context()); err != nil {
		t.Errorf("EndRun: %v", err)
	}
}

func wantLast(t *testing.T, h amble.Historian, want amble.Record) {
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

func wantCounter(t *testing.T, h amble.Historian, want amble.Spent) {
	t.Helper()
	if got, err := h.Counter(t.Context(), want.Key); err != nil || got != want {
		t.Errorf("Counter: %+v, %v, want %+v", got, err, want)
	}
}

// wantNote wants the value, or no note when it is nil.
func wantNote(t *testing.T, h amble.Historian, key string, want []byte) {
	t.Helper()
	got, err := h.Note(t.Context(), key)
	if want == nil && !errors.Is(err, amble.ErrNoRecord) || want != nil && (err != nil || !bytes.Equal(got, want)) {
		t.Errorf("Note(%s): %.20q, %v, want %.20q", key, got, err, want)
	}
}
