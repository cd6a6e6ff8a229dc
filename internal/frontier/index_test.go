package frontier

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"testing"
)

func TestIndexAgreesWithAMap(t *testing.T) {
	for _, limit := range []int{1, 10, 1000, 1 << 20} {
		t.Run(fmt.Sprintf("limit %d", limit), func(t *testing.T) {
			n := min(100*limit, 50_000)
			x := NewIndex(limit, t.TempDir())
			defer x.Close()
			rng := rand.New(rand.NewPCG(1, uint64(limit)))
			want := map[uint64]int64{}
			for i := range n {
				fp := rng.Uint64N(uint64(n)) * 0x9e3779b97f4a7c15
				off := rng.Int64N(1 << 47)
				if err := x.Put(fp, off); err != nil {
					t.Fatal(err)
				}
				want[fp] = max(want[fp], off)
				if i%97 == 0 {
					if got, ok, err := x.Get(fp); got != want[fp] || !ok || err != nil {
						t.Fatalf("Get(%x) = %d, %t, %v, want %d", fp, got, ok, err, want[fp])
					}
				}
			}
			before, seen := uint64(0), 0
			err := x.Each(func(fp uint64, off int64) error {
				if seen++; off != want[fp] || seen > 1 && fp <= before {
					return fmt.Errorf("%x, %d after %x; want %d", fp, off, before, want[fp])
				}
				before = fp
				return nil
			})
			if err != nil || seen != len(want) {
				t.Errorf("Each: %d of %d, %v", seen, len(want), err)
			}
			for fp, off := range want {
				if got, ok, err := x.Get(fp); got != off || !ok || err != nil {
					t.Fatalf("Get(%x) = %d, %t, %v, want %d", fp, got, ok, err, off)
				}
				if _, known := want[fp+1]; known {
					continue
				}
				if _, ok, err := x.Get(fp + 1); ok || err != nil {
					t.Fatalf("Get(%x) finds what is not there (%v)", fp+1, err)
				}
			}
			if x.Runs() > 20 {
				t.Errorf("%d runs", x.Runs())
			}
		})
	}
}

func TestIndexIsSafeForConcurrentUse(t *testing.T) {
	x := NewIndex(64, t.TempDir())
	defer x.Close()
	var wg sync.WaitGroup
	for w := range uint64(4) {
		wg.Go(func() {
			for i := range uint64(5_000) {
				fp := (w<<32 | i) * 0x9e3779b97f4a7c15
				if err := x.Put(fp, int64(i)); err != nil {
					t.Error(err)
					return
				}
				if i%16 == 0 {
					if off, ok, err := x.Get(fp); off != int64(i) || !ok || err != nil {
						t.Errorf("Get: %d, %t, %v, want %d", off, ok, err, i)
					}
				}
			}
		})
	}
	wg.Wait()
	n := 0
	if err := x.Each(func(uint64, int64) error { n++; return nil }); n != 20_000 || err != nil {
		t.Errorf("%d entries, %v", n, err)
	}
}

func TestIndexWhoseFileFailsLosesNothing(t *testing.T) {
	x := NewIndex(4, filepath.Join(t.TempDir(), "missing"))
	failed := false
	for i := range uint64(100) {
		err := x.Put(i, int64(i))
		failed = failed || errors.Is(err, os.ErrNotExist)
	}
	for i := range uint64(100) {
		if off, ok, err := x.Get(i); off != int64(i) || !ok || err != nil {
			t.Errorf("Get(%d) = %d, %t, %v", i, off, ok, err)
		}
	}
	if !failed {
		t.Error("no error")
	}
	x.Close()
}

func TestIndexLeavesNoFileBehind(t *testing.T) {
	dir := t.TempDir()
	x := NewIndex(4, dir)
	for i := range uint64(100) {
		x.Put(i, int64(i))
	}
	x.Close()
	if list, _ := os.ReadDir(dir); len(list) != 0 {
		t.Errorf("left: %v", list)
	}
}

// BenchmarkIndex puts and gets 300,000 offsets with 20,000 in memory.
func BenchmarkIndex(b *testing.B) {
	const n = 300_000
	for b.Loop() {
		x := NewIndex(20_000, b.TempDir())
		for i := range uint64(n) {
			x.Put(i*0x9e3779b97f4a7c15, int64(i))
		}
		for i := range uint64(n) {
			if off, _, _ := x.Get(i * 0x9e3779b97f4a7c15); off != int64(i) {
				b.Fatal(off)
			}
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/put+get")
		b.ReportMetric(float64(x.Runs()), "runs")
		x.Close()
	}
}
