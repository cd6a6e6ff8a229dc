package frontier

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func drain(t *testing.T, q *Queue) (all []string) {
	t.Helper()
	for {
		item, ok, err := q.Pop(nil)
		if err != nil {
			t.Fatal(err)
		}
		if !ok {
			return all
		}
		all = append(all, string(item))
	}
}

func TestServersTakeTurns(t *testing.T) {
	q := NewQueue(1<<20, t.TempDir())
	defer q.Close()
	for _, item := range []string{"a1", "a2", "a3", "b1", "c1", "c2"} {
		q.Push(item[:1], []byte(item))
	}
	if got, want := drain(t, q), []string{"a1", "b1", "c1", "a2", "c2", "a3"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if q.Len() != 0 || q.Servers() != 0 {
		t.Errorf("%d items and %d servers are left", q.Len(), q.Servers())
	}
}

// TestOrderOfAServerIsKept pushes and pops at random, at limits from nothing to more than enough, against plain slices.
func TestOrderOfAServerIsKept(t *testing.T) {
	for _, limit := range []int64{0, 1000, 100_000, 1 << 30} {
		t.Run(fmt.Sprintf("limit %d", limit), func(t *testing.T) {
			q := NewQueue(limit, t.TempDir())
			defer q.Close()
			rng := rand.New(rand.NewPCG(1, uint64(limit)))
			want := map[string][]string{}
			n, spilled := 0, int64(0)
			for step := range 100_000 {
				if rng.IntN(100) < 52 && step < 60_000 {
					name := fmt.Sprint(rng.ExpFloat64())[:3]
					item := fmt.Sprintf("%s %d %s", name, step, bytes.Repeat([]byte("x"), rng.IntN(300)))
					if err := q.Push(name, []byte(item)); err != nil {
						t.Fatal(err)
					}
					want[name] = append(want[name], item)
					n++
				} else {
					item, ok, err := q.Pop(nil)
					if err != nil || ok != (n > 0) {
						t.Fatalf("Pop: %t, %v with %d items", ok, err, n)
					}
					if !ok {
						continue
					}
					name, _, _ := bytes.Cut(item, []byte(" "))
					list := want[string(name)]
					if len(list) == 0 || list[0] != string(item) {
						t.Fatalf("got %.30q", item)
					}
					want[string(name)] = list[1:]
					n--
				}
				if q.Len() != n {
					t.Fatalf("Len %d, want %d", q.Len(), n)
				}
				_, file := q.Bytes()
				spilled = max(spilled, file)
			}
			if rest := drain(t, q); len(rest) != n {
				t.Errorf("%d items left, want %d", len(rest), n)
			}
			if memory, file := q.Bytes(); memory != 0 || file != 0 {
				t.Errorf("an empty queue takes %d bytes and a file of %d", memory, file)
			}
			if (spilled > 0) != (limit < 1<<30) {
				t.Errorf("%d bytes in the file", spilled)
			}
		})
	}
}

func TestMemoryStaysWithinTheLimit(t *testing.T) {
	const limit, servers = 1 << 20, 200
	q := NewQueue(limit, t.TempDir())
	defer q.Close()
	item := bytes.Repeat([]byte("u"), 300)
	for i := range 100_000 { // 30 MB
		if err := q.Push(fmt.Sprint("s", i%servers), item); err != nil {
			t.Fatal(err)
		}
		if memory, _ := q.Bytes(); memory > limit+servers*2*spillBytes {
			t.Fatalf("%d bytes in memory after %d items", memory, i)
		}
	}
}

func TestFileShrinksWhileItIsUsed(t *testing.T) {
	q := NewQueue(0, t.TempDir())
	defer q.Close()
	item := make([]byte, 60_000)
	n, largest := 0, int64(0)
	for i := range 4_000 { // 240 MB through a queue that holds 60 items
		item[0], item[1] = byte(i), byte(i>>8)
		if err := q.Push("s", item); err != nil {
			t.Fatal(err)
		}
		if i >= 60 {
			got, _, err := q.Pop(nil)
			if err != nil || got[0] != byte(n) || got[1] != byte(n>>8) {
				t.Fatalf("item %d: %v %v", n, got[:2], err)
			}
			n++
		}
		_, file := q.Bytes()
		largest = max(largest, file)
	}
	if largest > wasteBytes+1<<20 {
		t.Errorf("the file grew to %d bytes", largest)
	}
}

func TestFileThatFailsLosesNothing(t *testing.T) {
	q := NewQueue(0, filepath.Join(t.TempDir(), "missing"))
	var want []string
	failed := false
	for i := range 100 {
		item := fmt.Sprintf("%0100d", i)
		want = append(want, item)
		failed = q.Push("s", []byte(item)) != nil || failed
	}
	if !failed {
		t.Error("no error")
	}
	if got := drain(t, q); !slices.Equal(got, want) {
		t.Errorf("%d items, want %d", len(got), len(want))
	}
}

func TestNoFileStaysBehind(t *testing.T) {
	dir := t.TempDir()
	q := NewQueue(0, dir)
	for range 100 {
		q.Push("s", make([]byte, 100))
	}
	q.Clear()
	if q.Len() != 0 || len(drain(t, q)) != 0 {
		t.Error("Clear leaves items")
	}
	q.Close()
	if list, _ := os.ReadDir(dir); len(list) != 0 {
		t.Errorf("left: %v", list)
	}
}

// BenchmarkHundredThousandServers takes one item and brings one, with 100,000 servers waiting.
func BenchmarkHundredThousandServers(b *testing.B) {
	before := heap()
	q := NewQueue(64<<20, b.TempDir())
	defer q.Close()
	names := make([]string, 100_000)
	item := bytes.Repeat([]byte("u"), 100)
	for i := range names {
		names[i] = fmt.Sprintf("https://www.site-%d.example", i)
		q.Push(names[i], item)
	}
	b.ReportMetric(float64(heap()-before)/float64(len(names)), "heap-B/server")
	i := 0
	b.ResetTimer()
	for b.Loop() {
		q.Push(names[i%len(names)], item)
		q.Pop(nil)
		i++
	}
}
