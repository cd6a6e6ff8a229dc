package frontier

import (
	"math/rand/v2"
	"os"
	"runtime"
	"strconv"
	"testing"
)

func TestSetAgreesWithAMap(t *testing.T) {
	for _, crowd := range []uint64{1<<52 - 1, 1<<44 - 1, 1<<10 - 1} { // fingers spread, at the lower end, and few
		rng := rand.New(rand.NewPCG(1, crowd))
		set, want := NewSet(), map[uint64]State{}
		for step := range 40_000 {
			fp := rng.Uint64()
			if rng.IntN(2) == 0 { // crowd one shard
				fp = fp&crowd | 0xabc<<52
			}
			if rng.IntN(8) == 0 {
				fp |= 1<<52 - 1<<6 // and its end
			}
			state := State(rng.IntN(16))
			if old := set.Put(fp, state); old != want[fp] {
				t.Fatalf("step %d: Put(%x) returns %d, want %d", step, fp, old, want[fp])
			}
			if state == 0 {
				delete(want, fp)
			} else {
				want[fp] = state
			}
			if step%10_000 == 9_999 {
				set.Update(func(s State) State { return s &^ 5 })
				for fp := range want {
					if want[fp] &^= 5; want[fp] == 0 {
						delete(want, fp)
					}
				}
			}
			if set.Len() != len(want) {
				t.Fatalf("step %d: Len %d, want %d", step, set.Len(), len(want))
			}
		}
		for fp, state := range want {
			if got := set.Get(fp); got != state {
				t.Fatalf("Get(%x) = %d, want %d", fp, got, state)
			}
			if _, there := want[fp^1]; !there && set.Get(fp^1) != 0 {
				t.Fatalf("Get(%x) finds what is not there", fp^1)
			}
		}
		for i := range set.shards {
			checkShard(t, &set.shards[i])
		}
	}
}

// checkShard proves what find relies on: fingers ascend, and no slot is free between a finger and its home.
func checkShard(t *testing.T, s *shard) {
	t.Helper()
	before, n := uint64(0), int32(0)
	for at := range s.size() {
		slot := s.get(at)
		if slot == 0 {
			continue
		}
		n++
		finger := slot >> stateBits
		if finger < before || finger == before && n > 1 {
			t.Fatalf("finger %x at %d follows %x", finger, at, before)
		}
		before = finger
		for from := s.home(finger); from < at; from++ {
			if s.get(from) == 0 {
				t.Fatalf("finger %x is at %d, its home is %d, and %d is free", finger, at, s.home(finger), from)
			}
		}
		if s.home(finger) > at {
			t.Fatalf("finger %x is at %d, before its home %d", finger, at, s.home(finger))
		}
	}
	if n != s.n {
		t.Fatalf("the shard holds %d, and says %d", n, s.n)
	}
}

func FuzzSet(f *testing.F) {
	f.Add([]byte("0123456789abcdef"))
	f.Fuzz(func(t *testing.T, b []byte) {
		set, want := NewSet(), map[uint64]State{}
		for ; len(b) >= 2; b = b[2:] {
			fp, state := uint64(b[0])<<44|uint64(b[0]&3), State(b[1]&15)
			if old := set.Put(fp, state); old != want[fp] {
				t.Fatalf("Put(%x) returns %d, want %d", fp, old, want[fp])
			}
			want[fp] = state
		}
		for fp, state := range want {
			if got := set.Get(fp); got != state {
				t.Errorf("Get(%x) = %d, want %d", fp, got, state)
			}
		}
		checkShard(t, &set.shards[0])
	})
}

// TestSetComparesAllBits: two fingerprints that differ in any one bit are two.
func TestSetComparesAllBits(t *testing.T) {
	set := NewSet()
	set.Put(0, 1)
	for bit := range 64 {
		if set.Put(1<<bit, 1) != 0 {
			t.Errorf("bit %d is not compared", bit)
		}
	}
	if set.Put(0, 1) != 1 {
		t.Error("0 is not kept")
	}
}

// TestSetTakesAtMostTenBytesEach counts at sizes between 500,000 and a million, several rounds of growing.
func TestSetTakesAtMostTenBytesEach(t *testing.T) {
	before := heap()
	set, rng := NewSet(), rand.New(rand.NewPCG(1, 2))
	worst := 0.0
	for n := 1; n <= 1_000_000; n++ {
		set.Put(rng.Uint64(), 1)
		if n >= 500_000 && n%20_000 == 0 {
			worst = max(worst, float64(set.Bytes())/float64(n))
		}
	}
	each := float64(heap()-before) / float64(set.Len())
	if worst > 10 || each > 10 {
		t.Errorf("at worst %.2f bytes each, in the heap %.2f", worst, each)
	}
	t.Logf("at worst %.2f bytes each, in the heap at a million %.2f", worst, each)
	runtime.KeepAlive(set)
}

func heap() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

func BenchmarkSetPut(b *testing.B) {
	set, rng := NewSet(), rand.New(rand.NewPCG(1, 2))
	b.ReportAllocs()
	for b.Loop() {
		set.Put(rng.Uint64(), 1)
	}
	b.ReportMetric(float64(set.Bytes())/float64(set.Len()), "B/url")
}

// BenchmarkMillions fills a set with 10 million fingerprints, or what AMBLE_FRONTIER_URLS says, and asks for each again.
func BenchmarkMillions(b *testing.B) {
	n, err := strconv.Atoi(os.Getenv("AMBLE_FRONTIER_URLS"))
	if err != nil {
		n = 10_000_000
	}
	for b.Loop() {
		before := heap()
		set, rng := NewSet(), rand.New(rand.NewPCG(1, 2))
		worst := 0.0
		for i := 1; i <= n; i++ {
			set.Put(rng.Uint64(), 1)
			if i >= n/2 && i%(n/20) == 0 {
				worst = max(worst, float64(set.Bytes())/float64(i))
			}
		}
		b.ReportMetric(float64(heap()-before)/float64(set.Len()), "heap-B/url")
		b.ReportMetric(worst, "worst-B/url")
		rng = rand.New(rand.NewPCG(1, 2))
		for range n {
			if set.Get(rng.Uint64()) == 0 {
				b.Fatal("lost")
			}
		}
	}
}
