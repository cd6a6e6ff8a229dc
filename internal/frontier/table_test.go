package frontier

import (
	"math/rand/v2"
	"runtime"
	"testing"
)

func TestTableAgreesWithAMap(t *testing.T) {
	for _, tc := range []struct {
		name  string
		table *Table
	}{{"set", NewSet()}, {"table", NewTable()}} {
		t.Run(tc.name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(1, 2))
			want := map[uint64]uint64{}
			for range 100_000 {
				fp, v := rng.Uint64()>>8<<8, rng.Uint64()&MaxValue
				if rng.IntN(4) == 0 { // crowd one shard
					fp = fp&(1<<52-1) | 0xabc<<52
				}
				if _, known := want[fp]; tc.table.Put(fp, v) == known {
					t.Fatalf("Put(%x) says fresh for a known fingerprint or the reverse", fp)
				}
				if tc.name == "set" {
					v = 0
				}
				want[fp] = v
			}
			if tc.table.Len() != len(want) {
				t.Errorf("Len %d, want %d", tc.table.Len(), len(want))
			}
			for fp, v := range want {
				if got, ok := tc.table.Get(fp); !ok || got != v {
					t.Fatalf("Get(%x) = %x, %t, want %x", fp, got, ok, v)
				}
				if _, ok := tc.table.Get(fp + 1); ok {
					t.Fatalf("Get(%x) finds what is not there", fp+1)
				}
			}
		})
	}
}

func TestTableUpdatesEveryValue(t *testing.T) {
	table := NewTable()
	for fp := range uint64(10_000) {
		table.Put(fp<<45|fp, fp)
	}
	table.Update(func(v uint64) uint64 { return v + 1 })
	for fp := range uint64(10_000) {
		if v, _ := table.Get(fp<<45 | fp); v != fp+1 {
			t.Fatalf("value of %d is %d", fp, v)
		}
	}
}

func TestZeroFingerprintIsAFingerprint(t *testing.T) {
	set := NewSet()
	if _, ok := set.Get(0); ok {
		t.Error("an empty set knows 0")
	}
	if !set.Put(0, 0) || set.Put(0, 0) {
		t.Error("0 is not kept")
	}
}

// TestSetTakesAtMostTenBytesEach counts at sizes between 500,000 and a million, a whole round of growing.
func TestSetTakesAtMostTenBytesEach(t *testing.T) {
	before := heap()
	set, rng := NewSet(), rand.New(rand.NewPCG(1, 2))
	worst := 0.0
	for n := 1; n <= 1_000_000; n++ {
		set.Put(rng.Uint64(), 0)
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
		set.Put(rng.Uint64(), 0)
	}
	b.ReportMetric(float64(set.Bytes())/float64(set.Len()), "B/url")
}

// BenchmarkTenMillion fills a set with 10 million fingerprints and asks for each again.
func BenchmarkTenMillion(b *testing.B) {
	for b.Loop() {
		before := heap()
		set, rng := NewSet(), rand.New(rand.NewPCG(1, 2))
		for range 10_000_000 {
			set.Put(rng.Uint64(), 0)
		}
		b.ReportMetric(float64(heap()-before)/float64(set.Len()), "heap-B/url")
		rng = rand.New(rand.NewPCG(1, 2))
		for range 10_000_000 {
			if _, ok := set.Get(rng.Uint64()); !ok {
				b.Fatal("lost")
			}
		}
	}
}
