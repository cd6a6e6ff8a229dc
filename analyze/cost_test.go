package analyze_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"runtime/pprof"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/amblecrawl/amble"
	"github.com/amblecrawl/amble/analyze/links"
	"github.com/amblecrawl/amble/analyze/seo"
	"github.com/amblecrawl/amble/analyze/tech"
	"github.com/amblecrawl/amble/internal/realsite"
)

var openjdk = realsite.Site{Package: "openjdk-17-doc", Root: "/usr/share/doc/openjdk-17-jre-headless", Start: "api/index.html"}

// quarter is how many pages lie between two measurements of the heap.
const quarter = 2500

// cost is what one crawl took, measured by its own process.
type cost struct {
	Pages, Findings int
	CPU             time.Duration // user and system
	Heap            []int64       // in use after a collection, at each quarter of the pages and after the crawl
}

func (c cost) perPage() time.Duration { return c.CPU / time.Duration(max(c.Pages, 1)) }

// TestCostOfAudits holds what all rules of seo, tech and links cost on openjdk-17-doc behind nginx: at most twice the CPU
// time per page of the crawl without them, which reads all metadata too. Each crawl is a process of its own, the two kinds
// take turns, and medians are compared. It takes minutes: AMBLE_COST=3 says how many rounds (make audit-cost). With
// AMBLE_COST_PROFILE the last audit writes a CPU profile there.
func TestCostOfAudits(t *testing.T) {
	rounds := 0
	if fmt.Sscan(os.Getenv("AMBLE_COST"), &rounds); rounds == 0 {
		t.Skip("AMBLE_COST is not set (make audit-cost)")
	}
	openjdk.Need(t)
	server := realsite.Start(t, realsite.Options{Root: openjdk.Root})
	var plain, audit []cost
	for range rounds {
		plain = append(plain, crawlApart(t, server.Base, "plain"))
		audit = append(audit, crawlApart(t, server.Base, "audit"))
	}
	a, b := median(plain), median(audit)
	t.Logf("%d pages: %v a page without analysers, %v with (%d findings): ratio %.2f; heap %d kB without, %d kB with",
		b.Pages, a.perPage(), b.perPage(), b.Findings, float64(b.perPage())/float64(a.perPage()), kilo(a.Heap), kilo(b.Heap))
	if a.Pages < 10_000 || a.Pages != b.Pages {
		t.Errorf("%d and %d pages", a.Pages, b.Pages)
	}
	if b.perPage() > 2*a.perPage() {
		t.Errorf("%v a page is more than twice %v", b.perPage(), a.perPage())
	}
	// Memory grows by what is kept of each page: about 1 kB by seo (BenchmarkSite), the rest by the link check, which keeps
	// the ids of every page and who names every target.
	for i := range min(len(a.Heap), len(b.Heap)) - 1 {
		if kept := (b.Heap[i] - a.Heap[i]) / int64((i+1)*quarter); i > 0 && kept > 8000 {
			t.Errorf("%d bytes are kept of each of %d pages", kept, (i+1)*quarter)
		}
	}
}

func median(list []cost) cost {
	slices.SortFunc(list, func(a, b cost) int { return int(a.perPage() - b.perPage()) })
	return list[len(list)/2]
}

func kilo(list []int64) (out []int64) {
	for _, n := range list {
		out = append(out, n>>10)
	}
	return out
}

// crawlApart runs TestCostClient in a process of its own.
func crawlApart(t *testing.T, base, kind string) (c cost) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestCostClient$", "-test.v")
	cmd.Env = append(os.Environ(), "AMBLE_COST_CLIENT="+kind, "AMBLE_COST_URL="+base)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	_, rest, _ := strings.Cut(string(out), "cost=")
	line, _, _ := strings.Cut(rest, "\n")
	if err := json.Unmarshal([]byte(line), &c); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	t.Logf("%s: %d pages, %v, %v a page, %d findings, heap %d kB", kind, c.Pages, c.CPU, c.perPage(), c.Findings, kilo(c.Heap))
	return c
}

// TestCostClient is the process that TestCostOfAudits measures.
func TestCostClient(t *testing.T) {
	kind, base := os.Getenv("AMBLE_COST_CLIENT"), os.Getenv("AMBLE_COST_URL")
	if kind == "" {
		t.Skip("TestCostOfAudits runs this")
	}
	c := &amble.Crawler{
		Agent:   amble.Agent{Name: "AmbleTest", InfoURL: "https://amble.test/bot"},
		Fetcher: &amble.HTTPFetcher{Addresses: amble.LoopbackOnly()},
		Limiter: &amble.ServerLimiter{Pace: -1, Concurrency: -1},
		Budget:  amble.Budget{Pages: amble.Unlimited, PageBytes: 20 << 20, Time: amble.Unlimited, Bytes: amble.Unlimited},
	}
	if kind == "audit" {
		c.Links = &amble.LinkCheck{SkipExternal: true}
		c.Analyzers = []amble.Analyzer{seo.New(c.Agent), tech.New(), &links.Analyzer{}}
	}
	if file := os.Getenv("AMBLE_COST_PROFILE"); file != "" {
		f, err := os.Create(file + "." + kind)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if err := pprof.StartCPUProfile(f); err != nil {
			t.Fatal(err)
		}
		defer pprof.StopCPUProfile()
	}
	var out cost
	before := cpu(t)
	var idle time.Duration // spent on measuring the heap
	sum, err := c.Each(t.Context(), func(p *amble.Page) bool {
		if p.Outcome != amble.OutcomeAnalysed {
			return true
		}
		out.Findings += len(p.Findings)
		if out.Pages++; out.Pages%quarter == 0 {
			at := cpu(t)
			out.Heap = append(out.Heap, inUse())
			idle += cpu(t) - at
		}
		return true
	}, base+"/"+openjdk.Start)
	if err != nil {
		t.Fatal(err)
	}
	out.Findings += len(sum.SiteFindings)
	out.CPU = cpu(t) - before - idle
	out.Heap = append(out.Heap, inUse())
	b, _ := json.Marshal(out)
	fmt.Printf("cost=%s\n", b)
}

func cpu(t *testing.T) time.Duration {
	t.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func inUse() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
