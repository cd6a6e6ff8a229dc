package ambletest

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"sync"
	"testing"

	"github.com/amblecrawl/amble"
)

func checkStoreEmpty(t testing.TB, s storeSubject) {
	if items := lease(t, s.start(t), 10); len(items) != 0 {
		t.Errorf("leased %v", items)
	}
}

func checkStoreFresh(t testing.TB, s storeSubject) {
	store := s.start(t)
	wantFresh(t, store, urls("a/1", "a/2"), true, true)
	wantFresh(t, store, urls("a/2", "a/3", "a/1"), false, true, false)
	if got := lease(t, store, 10); !equalURLs(got, "a/1", "a/2", "a/3") {
		t.Errorf("leased %v", got)
	}
	wantFresh(t, store, urls("a/1"), false) // while it is leased
}

func checkStoreFreshInStep(t testing.TB, s storeSubject) {
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

func checkStoreConcurrentClaims(t testing.TB, s storeSubject) {
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

func checkStoreConcurrentLeases(t testing.TB, s storeSubject) {
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

func checkStoreOrder(t testing.TB, s storeSubject) {
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

func checkStoreFair(t testing.TB, s storeSubject) {
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

func checkStoreEnded(t testing.TB, s storeSubject) {
	store := s.start(t)
	push := urls("a/1", "a/2")
	push[0].Outcome, push[0].Reason = amble.OutcomeOutOfScope, "another host"
	wantFresh(t, store, push, true, true)
	wantFresh(t, store, urls("a/1"), false)
	if got := lease(t, store, 10); !equalURLs(got, "a/2") {
		t.Errorf("leased %v", got)
	}
}

func checkStoreDone(t testing.TB, s storeSubject) {
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

func checkStoreLeaseCount(t testing.TB, s storeSubject) {
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

func checkStoreItem(t testing.TB, s storeSubject) {
	store := s.start(t)
	want := []amble.Item{fullItem(), {URL: "x", Depth: -1}}
	commit(t, store, amble.Step{Push: want})
	if got := lease(t, store, 10); !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

func checkStoreContext(t testing.TB, s storeSubject) {
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

func checkStoreClosed(t testing.TB, s storeSubject) {
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
