//go:build unix

package amble

import (
	"fmt"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// benchURLs is the size of the crawls below: 50,000 URLs, or what AMBLE_STORE_URLS says.
func benchURLs(b *testing.B) int {
	n, err := strconv.Atoi(os.Getenv("AMBLE_STORE_URLS"))
	if err != nil {
		return 50_000
	}
	return n
}

var benchTail = strings.Repeat("/a-longer-path", 20)

// benchItem is a URL of 300 bytes, of one of 1,000 servers.
func benchItem(n int) Item {
	origin := Origin(fmt.Sprintf("https://s%03d.example", n%1000))
	url := fmt.Sprintf("%s/%010d", origin, n) + benchTail
	return Item{URL: url[:300], Origin: origin, Source: SourceLink, Depth: 3}
}

// benchStep has 50 new URLs and 50 known ones; what was leased is done.
func benchStep(i int, leased []Item) Step {
	s := Step{Push: make([]Item, 0, 100), Done: make([]Record, 0, 50)}
	for k := range 50 {
		s.Push = append(s.Push, benchItem(i*50+k), benchItem(max(0, i-100)*50+k))
	}
	for _, it := range leased {
		s.Done = append(s.Done, Record{URL: it.URL, Outcome: OutcomeAnalysed, Status: 200, Hash: 1 << 60, ETag: `"abcdef"`, At: time.Unix(1.7e9, 0)})
	}
	return s
}

func cpuSeconds() float64 {
	var u syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
}

func peakMB() float64 {
	var u syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	if runtime.GOOS == "darwin" {
		return float64(u.Maxrss) / 1e6
	}
	return float64(u.Maxrss) / 1e3
}

func liveHeap() float64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc)
}

// BenchmarkFileStoreCrawl commits a whole crawl: steps of 50 new URLs of 300 bytes, 50 known ones and 50 done. Every
// fourth page stays waiting, so that reopening has a queue to build. It reports the figures of the whole crawl.
func BenchmarkFileStoreCrawl(b *testing.B) {
	n := benchURLs(b)
	for b.Loop() {
		dir := b.TempDir()
		before := liveHeap()
		s := openStore(b, dir, FileStoreOptions{})
		cpu := cpuSeconds()
		times := make([]time.Duration, 0, n/50)
		for i := range n / 50 {
			leased, err := s.Lease(b.Context(), 50-i%2*25)
			if err != nil {
				b.Fatal(err)
			}
			step, start := benchStep(i, leased), time.Now()
			storeStep(b, s, step)
			times = append(times, time.Since(start))
		}
		slices.Sort(times)
		b.ReportMetric(cpuSeconds()-cpu, "cpu-s")
		b.ReportMetric(float64(times[len(times)/2].Microseconds())/1e3, "p50-ms")
		b.ReportMetric(float64(times[len(times)*99/100].Microseconds())/1e3, "p99-ms")
		b.ReportMetric((liveHeap()-before)/float64(n), "heap-B/url")
		b.ReportMetric(float64(s.journal.Size())/1e6, "file-MB")
		b.ReportMetric(peakMB(), "peak-MB")
		waiting := s.Waiting()
		if err := s.Close(); err != nil {
			b.Fatal(err)
		}

		start, cpu := time.Now(), cpuSeconds()
		s = openStore(b, dir, FileStoreOptions{})
		if items, err := s.Lease(b.Context(), 1); err != nil || len(items) != 1 || s.Waiting() != waiting {
			b.Fatal(items, err, s.Waiting(), waiting)
		}
		b.ReportMetric(time.Since(start).Seconds(), "reopen-s")
		b.ReportMetric(cpuSeconds()-cpu, "reopen-cpu-s")
		b.ReportMetric(peakMB(), "reopen-peak-MB")

		start = time.Now()
		if err := s.EndRun(b.Context()); err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(time.Since(start).Seconds(), "end-run-s")
		s.Close()
		os.RemoveAll(dir)
	}
}

// BenchmarkFileStoreReopen opens what AMBLE_STORE_DIR names, for a peak of memory that is of reopening alone.
func BenchmarkFileStoreReopen(b *testing.B) {
	dir := os.Getenv("AMBLE_STORE_DIR")
	if dir == "" {
		b.Skip("AMBLE_STORE_DIR names no store")
	}
	for b.Loop() {
		s := openStore(b, dir, FileStoreOptions{})
		b.ReportMetric(peakMB(), "peak-MB")
		s.Close()
	}
}

// BenchmarkFileStoreWriters claims from 16 goroutines at once, 50 URLs a step, and opens the store again: all wait.
func BenchmarkFileStoreWriters(b *testing.B) {
	n := benchURLs(b)
	for b.Loop() {
		dir := b.TempDir()
		before := liveHeap()
		s := openStore(b, dir, FileStoreOptions{})
		start, cpu := time.Now(), cpuSeconds()
		var wg sync.WaitGroup
		const writers = 16
		for w := range writers {
			wg.Go(func() {
				for i := w; i < n/50; i += writers {
					step := Step{Push: make([]Item, 50)}
					for k := range step.Push {
						step.Push[k] = benchItem(i*50 + k)
					}
					if _, err := s.Commit(b.Context(), step); err != nil {
						b.Error(err)
					}
				}
			})
		}
		wg.Wait()
		b.ReportMetric(float64(n)/time.Since(start).Seconds(), "claims/s")
		b.ReportMetric(cpuSeconds()-cpu, "cpu-s")
		b.ReportMetric((liveHeap()-before)/float64(n), "heap-B/url")
		b.ReportMetric(peakMB(), "peak-MB")
		b.ReportMetric(float64(s.journal.Size())/1e6, "file-MB")
		s.Close()

		start, cpu = time.Now(), cpuSeconds()
		s = openStore(b, dir, FileStoreOptions{})
		if items, err := s.Lease(b.Context(), 1); err != nil || len(items) != 1 {
			b.Fatal(items, err)
		}
		b.ReportMetric(time.Since(start).Seconds(), "reopen-s")
		b.ReportMetric(cpuSeconds()-cpu, "reopen-cpu-s")
		s.Close()
		os.RemoveAll(dir)
	}
}

// BenchmarkMemoryStoreCrawl is BenchmarkFileStoreCrawl without a file.
func BenchmarkMemoryStoreCrawl(b *testing.B) {
	n := benchURLs(b)
	for b.Loop() {
		before := liveHeap()
		s := NewMemoryStore()
		cpu := cpuSeconds()
		for i := range n / 50 {
			leased, err := s.Lease(b.Context(), 50-i%2*25)
			if err != nil {
				b.Fatal(err)
			}
			storeStep(b, s, benchStep(i, leased))
		}
		b.ReportMetric(cpuSeconds()-cpu, "cpu-s")
		b.ReportMetric((liveHeap()-before-float64(waitingBytes))/float64(n), "heap-without-queue-B/url")
		memory, file := s.queue.Bytes()
		b.ReportMetric(float64(memory)/1e6, "queue-MB")
		b.ReportMetric(float64(file)/1e6, "queue-file-MB")
		b.ReportMetric(peakMB(), "peak-MB")
		s.Close()
	}
}
