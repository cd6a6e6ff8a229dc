//go:build unix

package amble

import (
	"fmt"
	"os"
	"strconv"
	"testing"
	"time"
)

// TestMillionsOfURLs claims as many million URLs as AMBLE_MILLIONS says (make bench-frontier: 10) in each store, 80 bytes
// long and of 1,000 servers; each link stands on two pages, and half of what is claimed ends, the rest waits. From half of
// the URLs on, the heap must not hold more than 10 bytes for each, with everything else that the store keeps; and the
// process at most 2 GiB. AMBLE_STORE=memory or file runs only one, so that the peak is that store's.
func TestMillionsOfURLs(t *testing.T) {
	millions, _ := strconv.Atoi(os.Getenv("AMBLE_MILLIONS"))
	if millions == 0 {
		t.Skip("AMBLE_MILLIONS is not set")
	}
	for _, kind := range []string{"memory", "file"} {
		if only := os.Getenv("AMBLE_STORE"); only != "" && only != kind {
			continue
		}
		t.Run(kind, func(t *testing.T) {
			before := liveHeap()
			var store Store = NewMemoryStore()
			if kind == "file" {
				store = openStore(t, t.TempDir(), FileStoreOptions{})
			}
			n := millions * 1_000_000
			const each = 1000
			start, cpu, worst := time.Now(), cpuSeconds(), 0.0
			var step Step
			for i := 0; i < n; i += each {
				step.Push, step.Done = step.Push[:0], step.Done[:0]
				for k := i; k < i+each; k++ {
					step.Push = append(step.Push, scaleItem(k), scaleItem(max(0, k-50*each)))
				}
				items, err := store.Lease(t.Context(), each/2)
				if err != nil {
					t.Fatal(err)
				}
				for _, it := range items {
					step.Done = append(step.Done, Record{URL: it.URL, Outcome: OutcomeAnalysed, Status: 200, ETag: `"abcdef"`, At: start})
				}
				fresh := storeStep(t, store, step)
				for k, ok := range fresh {
					if ok != (k%2 == 0) && i >= 50*each {
						t.Fatalf("URL %d: fresh %t", i+k/2, ok)
					}
				}
				if done := i + each; done >= n/2 && done%(n/10) == 0 {
					heap := (liveHeap() - before) / float64(done)
					worst = max(worst, heap)
					t.Logf("%d URLs: %.2f bytes of heap each, peak %.0f MB", done, heap, peakMB())
				}
			}
			t.Logf("%s: at worst %.2f bytes each, %.2f µs of CPU and %.2f µs for each claim, peak %.0f MB", kind, worst,
				(cpuSeconds()-cpu)/float64(n)*1e6, time.Since(start).Seconds()/float64(n)*1e6, peakMB())
			if worst > 10 && millions >= 10 { // with fewer, what is bounded weighs more
				t.Errorf("a known URL takes %.2f bytes of heap", worst)
			}
			if peak := peakMB(); peak > 2<<30/1e6 {
				t.Errorf("the process took %.0f MB", peak)
			}
			if err := store.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

// scaleItem is a URL of 80 bytes.
func scaleItem(n int) Item {
	origin := Origin(fmt.Sprintf("https://s%03d.example", n%1000))
	return Item{URL: fmt.Sprintf("%s/a-section/of-pages/with-a-title-of-some-words/%010d", origin, n), Origin: origin, Source: SourceLink, Depth: 3}
}
