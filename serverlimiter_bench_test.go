package amble

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"
)

// BenchmarkLimiterManyServers measures a decision (acquire, release) with 100,000 servers known, asked in an order that has
// nothing to do with that in which they became known, and what one costs in memory.
func BenchmarkLimiterManyServers(b *testing.B) {
	const n = 100_000
	origins := make([]Origin, n)
	for i := range origins {
		origins[i] = Origin(fmt.Sprintf("https://s%d.example", i))
	}
	ctx := context.Background()
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	l := &ServerLimiter{Pace: -1, MaxServers: 2 * n}
	for _, i := range rand.Perm(n) {
		release, err := l.Acquire(ctx, Ask{Origin: origins[i]})
		if err != nil {
			b.Fatal(err)
		}
		release(Feedback{Status: 200})
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		release, err := l.Acquire(ctx, Ask{Origin: origins[i%n]})
		if err != nil {
			b.Fatal(err)
		}
		release(Feedback{Status: 200})
		i++
	}
	b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/n, "B/server")
	runtime.KeepAlive(l)
}

// BenchmarkLimiterForecast measures the question that the scheduler asks most.
func BenchmarkLimiterForecast(b *testing.B) {
	l := &ServerLimiter{}
	release, err := l.Acquire(context.Background(), Ask{Origin: "https://s.example"})
	if err != nil {
		b.Fatal(err)
	}
	release(Feedback{Status: 200})
	b.ReportAllocs()
	for b.Loop() {
		l.Next(Ask{Origin: "https://s.example"})
	}
}
