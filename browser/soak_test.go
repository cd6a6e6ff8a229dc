package browser

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/amblecrawl/amble"
)

// soakSite is a site of ordinary pages, of which some in every 50 do harm: crash their tab, hang, have the browser killed,
// open dialogs without end.
type soakSite struct {
	r      *Renderer
	every  int // 50; more when no harm is done
	mu     sync.Mutex
	harmed map[string]bool // what was done once is not done again
}

const (
	harmNone = iota
	harmCrash
	harmHang
	harmKill
	harmStorm
)

// harm says what a page does. The harmful ones are spread over each run of pages.
func (s *soakSite) harm(page int) int {
	switch page % s.every {
	case s.every / 5:
		return harmCrash
	case 2 * s.every / 5:
		return harmHang
	case 3 * s.every / 5:
		return harmKill
	case 4 * s.every / 5:
		return harmStorm
	}
	return harmNone
}

// lasting reports whether a page crashes its tab each time that it is loaded.
func (s *soakSite) lasting(page int) bool {
	return s.harm(page) == harmCrash && page/s.every%4 == 0
}

func (s *soakSite) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	number := r.URL.Path[strings.LastIndexByte(r.URL.Path, '/')+1:]
	page, _ := strconv.Atoi(number)
	switch {
	case strings.HasPrefix(r.URL.Path, "/p/"):
		extra := ""
		switch s.harm(page) {
		case harmCrash:
			extra = `<script src=/crash/` + number + `></script>`
		case harmKill:
			extra = `<script src=/kill/` + number + `></script>`
		case harmHang:
			extra = `<script>for(;;){}</script>`
		case harmStorm:
			extra = `<script>for(;;) alert(1)</script>`
		}
		html(w, `<!doctype html><title>Page %d</title><link rel=stylesheet href=/a.css><h1>Page %[1]d</h1>%[2]s<img src=/i/%[1]d alt=x width=9 height=9>
			<script src=/a.js></script>%[3]s`, page, strings.Repeat("<p>Some text with <a href=/p/1>a link</a> in it.", 100), extra)
	case r.URL.Path == "/a.css":
		w.Header().Set("Content-Type", "text/css")
		fmt.Fprint(w, "h1{color:#123}p{margin:1em}")
	case r.URL.Path == "/a.js":
		w.Header().Set("Content-Type", "text/javascript")
		fmt.Fprint(w, `for (let i = 0; i < 300; i++) document.body.append(Object.assign(document.createElement("b"), {textContent: "x " + i}))`)
	case strings.HasPrefix(r.URL.Path, "/i/"):
		w.Header().Set("Content-Type", "image/svg+xml")
		fmt.Fprint(w, `<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>`)
	case strings.HasPrefix(r.URL.Path, "/crash/"), strings.HasPrefix(r.URL.Path, "/kill/"):
		s.mu.Lock()
		done := s.harmed[r.URL.Path]
		s.harmed[r.URL.Path] = true
		s.mu.Unlock()
		if !done || s.lasting(page) {
			s.strike("/p/"+number, strings.HasPrefix(r.URL.Path, "/kill/"))
		}
	default:
		http.NotFound(w, r)
	}
}

// strike crashes the tab in which a page is being loaded, or kills its browser.
func (s *soakSite) strike(path string, kill bool) {
	s.r.mu.Lock()
	defer s.r.mu.Unlock()
	for c := range s.r.live {
		c.mu.Lock()
		for _, l := range c.frames {
			if l.req.URL.Path != path {
				continue
			}
			if kill {
				c.process.cmd.Process.Signal(syscall.SIGKILL)
			} else {
				post(l.tab.main, pageCrash, empty)
			}
			break
		}
		c.mu.Unlock()
	}
}

// TestSoak: every page of a long run has an outcome, whatever some of them do, nothing is left at the end, and memory does
// not grow. AMBLE_SOAK is the number of pages (make browser-soak: 2,000); a short run only shows that the harm is there and
// survived.
func TestSoak(t *testing.T) {
	pages, _ := strconv.Atoi(os.Getenv("AMBLE_SOAK"))
	t.Run("hostile", func(t *testing.T) { soak(t, or(pages, 60), true) })
	if pages > 0 {
		// The same without harm, in one and the same browser: what a kill would hide.
		t.Run("calm", func(t *testing.T) { soak(t, pages/2, false) })
	}
}

func soak(t *testing.T, pages int, hostile bool) {
	needBrowser(t)
	ignore := goleak.IgnoreCurrent()
	dir := t.TempDir()
	r := &Renderer{Agent: testAgent, Addresses: amble.LoopbackOnly(), TempDir: dir, Tabs: 3, Limits: Limits{Settle: 4 * time.Second, Page: 10 * time.Second},
		Capture: Capture{Accessibility: true}}
	site := &soakSite{r: r, every: min(50, pages), harmed: map[string]bool{}}
	if !hostile {
		site.every = pages * 10
		r.RecyclePages, r.RecycleBytes = amble.Unlimited, amble.Unlimited
	}
	server := serve(t, site)
	var seeds []string
	want := [harmStorm + 1]int{}
	lasting := 0
	for i := 1; i <= pages; i++ {
		seeds = append(seeds, fmt.Sprintf("%s/p/%d", server.URL, i))
		want[site.harm(i)]++
		if site.lasting(i) {
			lasting++
		}
	}
	c := &amble.Crawler{Agent: testAgent, Renderer: r, Fetcher: &amble.HTTPFetcher{Addresses: amble.LoopbackOnly()}, Limiter: &amble.ServerLimiter{Pace: -1, Concurrency: -1, ResourceConcurrency: -1},
		Analyzers: []amble.Analyzer{rendered{}}, Discover: amble.DiscoverNothing, Workers: 3, GiveUpAfter: amble.Unlimited, Budget: amble.Budget{Pages: amble.Unlimited, Time: 6 * time.Hour}}
	var done atomic.Int64
	memory := watchMemory(t, &done)
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Hour)
	defer cancel()
	start := time.Now()
	seen, outcomes := map[string]bool{}, map[amble.Outcome]int{}
	settled := map[string]int{}
	_, err := c.Each(ctx, func(p *amble.Page) bool {
		done.Add(1)
		seen[p.URL] = true
		outcomes[p.Outcome]++
		if p.Response != nil && p.Response.Snapshot != nil {
			settled[p.Response.Snapshot.Settled.Reason]++
		}
		if p.Outcome != amble.OutcomeAnalysed {
			t.Logf("%s: %v, %v", p.URL, p.Outcome, p.Err)
		}
		return true
	}, seeds...)
	if err != nil {
		t.Fatal(err)
	}
	samples := memory()
	s := r.Status()
	t.Logf("%d pages in %v: %v, settled %v, %+v", pages, time.Since(start).Round(time.Second), outcomes, settled, s)
	if len(seen) != pages || outcomes[amble.OutcomeAnalysed]+outcomes[amble.OutcomeUnreachable] != pages {
		t.Errorf("%d of %d pages have an outcome: %v", len(seen), pages, outcomes)
	}
	// Pages that share a browser or its fate with a harmful one twice running may be lost.
	if lost := pages - outcomes[amble.OutcomeAnalysed]; lost < lasting || lost > lasting+want[harmKill]/10+1 {
		t.Errorf("%d pages were lost, %d of them must be", lost, lasting)
	}
	if s.Lost < want[harmKill] || s.Crashes < want[harmCrash] || settled[SettledHang] < want[harmHang] || settled[SettledDialog] < want[harmStorm] {
		t.Errorf("the harm was not done: want %v", want)
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
	server.Close()
	nothingLeft(t, dir)
	goleak.VerifyNone(t, ignore)
	blocks := medians(samples, func(s memorySample) int64 { return s.tree })
	t.Logf("memory of the process tree, median MB of each 100 pages: %v; of this process alone: %v", blocks,
		medians(samples, func(s memorySample) int64 { return s.own }))
	if len(blocks) < 8 {
		return // too short to tell
	}
	flat := blocks[2:] // the first 200 pages warm up
	third := len(flat) / 3
	if first, last := mean(flat[:third]), mean(flat[len(flat)-third:]); last > 1.15*first {
		t.Errorf("memory grew from %.0f to %.0f MB", first, last)
	}
}

// memorySample is the memory of all our processes, and of this one, when so many pages were done.
type memorySample struct {
	page, tree, own int64
}

// watchMemory samples until the returned function is called.
func watchMemory(t *testing.T, page *atomic.Int64) func() []memorySample {
	stop, result := make(chan struct{}), make(chan []memorySample)
	go func() {
		var out []memorySample
		ticker := time.NewTicker(500 * time.Millisecond)
		defer ticker.Stop()
		for {
			select {
			case <-ticker.C:
				own, _ := residentBytes(os.Getpid())
				out = append(out, memorySample{page.Load(), treeMemory(), own})
			case <-stop:
				result <- out
				return
			}
		}
	}()
	return func() []memorySample {
		close(stop)
		return <-result
	}
}

// treeMemory is what this process and its descendants hold for themselves.
func treeMemory() (sum int64) {
	if runtime.GOOS != "linux" {
		return 0
	}
	children := map[int][]int{}
	entries, _ := os.ReadDir("/proc")
	for _, entry := range entries {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil {
			continue
		}
		stat, err := os.ReadFile("/proc/" + entry.Name() + "/stat")
		if err != nil {
			continue
		}
		rest := string(stat[strings.LastIndexByte(string(stat), ')')+1:])
		if fields := strings.Fields(rest); len(fields) > 1 {
			parent, _ := strconv.Atoi(fields[1])
			children[parent] = append(children[parent], pid)
		}
	}
	queue := []int{os.Getpid()}
	for len(queue) > 0 {
		pid := queue[0]
		queue = append(queue[1:], children[pid]...)
		if n, ok := residentBytes(pid); ok {
			sum += n
		}
	}
	return sum
}

// medians of memory in MB for each 100 pages.
func medians(samples []memorySample, of func(memorySample) int64) (out []int64) {
	byBlock := map[int64][]int64{}
	last := int64(0)
	for _, s := range samples {
		byBlock[s.page/100] = append(byBlock[s.page/100], of(s)>>20)
		last = max(last, s.page/100)
	}
	for block := range last + 1 {
		if values := byBlock[block]; len(values) > 0 {
			slices.Sort(values)
			out = append(out, values[len(values)/2])
		}
	}
	return out
}

func mean(values []int64) float64 {
	sum := int64(0)
	for _, v := range values {
		sum += v
	}
	return float64(sum) / float64(max(len(values), 1))
}
