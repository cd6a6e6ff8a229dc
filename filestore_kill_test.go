//go:build unix

package amble_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/amblecrawl/amble"
)

// A crawl without a network: page n of pages links to a few others, and "fetching" it prints its URL.
const (
	killPages   = 400
	killWorkers = 4
	killDir     = "AMBLE_STORE_CHILD_DIR"
)

func killPage(n int) amble.Item {
	origin := amble.Origin(fmt.Sprintf("https://s%d.example", n%7))
	return amble.Item{URL: fmt.Sprintf("%s/%d", origin, n), Origin: origin, Depth: n}
}

func killLinks(n int) []amble.Item {
	rng := rand.New(rand.NewPCG(uint64(n), 1))
	links := []amble.Item{killPage((n + 1) % killPages)}
	for range rng.IntN(10) {
		links = append(links, killPage(rng.IntN(killPages)))
	}
	return links
}

// killCrawl crawls what waits in dir and calls fetched for each page, before the page is done.
func killCrawl(dir string, fetched func(url string)) error {
	store, err := amble.OpenFileStore(dir, nil)
	if err != nil {
		return err
	}
	defer store.Close()
	ctx := context.Background()
	if _, err := store.StartRun(ctx); err != nil {
		return err
	}
	if _, err := store.Commit(ctx, amble.Step{Push: []amble.Item{killPage(0)}}); err != nil {
		return err
	}
	var wg sync.WaitGroup
	var failed sync.Once
	for range killWorkers {
		wg.Go(func() {
			for store.Waiting() > 0 {
				items, err := store.Lease(ctx, 1)
				for _, it := range items {
					fetched(it.URL)
					h := fnv.New64a()
					io.WriteString(h, it.URL)
					_, err = store.Commit(ctx, amble.Step{
						Done:  []amble.Record{{URL: it.URL, Outcome: amble.OutcomeAnalysed, Hash: h.Sum64()}},
						Push:  killLinks(it.Depth),
						Spent: []amble.Spent{{Key: "all", Pages: 1}},
					})
				}
				if err != nil {
					failed.Do(func() { fetched("error: " + err.Error()) })
					return
				}
			}
		})
	}
	wg.Wait()
	return nil
}

// TestStoreChild is the process that TestStoreSurvivesSIGKILL kills.
func TestStoreChild(t *testing.T) {
	dir := os.Getenv(killDir)
	if dir == "" {
		t.Skip("only a child of TestStoreSurvivesSIGKILL")
	}
	err := killCrawl(dir, func(url string) { os.Stdout.WriteString("fetch " + url + "\n") })
	fmt.Println("end", err)
	os.Exit(0)
}

func storeRecords(t *testing.T, dir string) map[string]amble.Record {
	t.Helper()
	store, err := amble.OpenFileStore(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	all := map[string]amble.Record{}
	for r, err := range store.Records(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		if _, twice := all[r.URL]; twice {
			t.Errorf("two records of %s", r.URL)
		}
		r.At, r.Seen = time.Time{}, time.Time{} // what differs between any two runs
		all[r.URL] = r
	}
	if c, err := store.Counter(t.Context(), "all"); err != nil || c.Pages != int64(len(all)) {
		t.Errorf("the counter says %d pages (%v), there are %d", c.Pages, err, len(all))
	}
	return all
}

// TestStoreSurvivesSIGKILL kills 20 times, starting again where a crawl reaches its end; AMBLE_KILLS says another
// number (make kill-tests: 200).
func TestStoreSurvivesSIGKILL(t *testing.T) {
	calm := t.TempDir()
	if err := killCrawl(calm, func(string) {}); err != nil {
		t.Fatal(err)
	}
	want := storeRecords(t, calm)
	if len(want) != killPages {
		t.Fatalf("an undisturbed crawl has %d pages, want %d", len(want), killPages)
	}
	killTest{child: "TestStoreChild", inFlight: killWorkers, fetches: killPages, records: func(dir string) map[string]amble.Record {
		return storeRecords(t, dir)
	}}.run(t, want)
}

// killTest kills a crawl at random instants, starting it again until it ends, and compares with an undisturbed one.
type killTest struct {
	child    string                                   // the test that is the crawling process; it prints "fetch URL" and "end <nil>"
	inFlight int                                      // pages under way at once: what a kill may repeat
	fetches  int                                      // of an undisturbed crawl
	records  func(dir string) map[string]amble.Record // what a crawl has left
}

func (k killTest) run(t *testing.T, want map[string]amble.Record) {
	kills := 20
	if s := os.Getenv("AMBLE_KILLS"); s != "" {
		kills, _ = strconv.Atoi(s)
	}
	crawls := 0
	for kills > 0 {
		dir, fetches, killed := t.TempDir(), map[string]int{}, 0
		for done := false; !done; {
			child := startStoreChild(t, k.child, dir)
			left := rand.IntN(k.fetches / 4)
			for line := range child.lines {
				if url, ok := strings.CutPrefix(line, "fetch "); ok {
					fetches[url]++
				} else if line == "end <nil>" {
					done = true
				} else {
					t.Fatalf("the crawl says %q", line)
				}
				if left--; left == 0 && kills > 0 {
					kills--
					killed++
					child.cmd.Process.Kill()
				}
			}
			child.cmd.Wait()
		}
		crawls++
		got := k.records(dir)
		for url := range got {
			if !reflect.DeepEqual(got[url], want[url]) {
				t.Errorf("after %d kills:\n got %+v\nwant %+v", killed, got[url], want[url])
			}
		}
		if len(got) != len(want) {
			t.Errorf("after %d kills there are %d records, want %d", killed, len(got), len(want))
		}
		total := 0
		for url, n := range fetches {
			if total += n; n > 1+killed {
				t.Errorf("%s was fetched %d times with %d kills", url, n, killed)
			}
		}
		if again := total - len(fetches); len(fetches) != k.fetches || again > killed*k.inFlight {
			t.Errorf("%d URLs were fetched, want %d; %d again, after %d kills with %d in flight each",
				len(fetches), k.fetches, again, killed, k.inFlight)
		}
		t.Logf("crawl %d: %d kills, %d fetches of %d pages", crawls, killed, total, len(fetches))
	}
}

type storeChild struct {
	cmd   *exec.Cmd
	lines func(func(string) bool)
}

func startStoreChild(t *testing.T, test, dir string) storeChild {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^"+test+"$")
	cmd.Env = append(os.Environ(), killDir+"="+dir)
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	scanner := bufio.NewScanner(stdout)
	return storeChild{cmd, func(yield func(string) bool) {
		for scanner.Scan() && yield(scanner.Text()) {
		}
	}}
}

func TestSecondOpenOfAFileStoreIsRefused(t *testing.T) {
	dir := t.TempDir()
	store, err := amble.OpenFileStore(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	_, err = amble.OpenFileStore(dir, nil)
	if !errors.Is(err, amble.ErrStoreInUse) || !errors.Is(err, amble.ErrStore) {
		t.Errorf("got %v", err)
	}
	if pid := strconv.Itoa(os.Getpid()); !strings.Contains(err.Error(), pid) {
		t.Errorf("%q does not name the process, %s", err, pid)
	}
	store.Close()
	if store, err = amble.OpenFileStore(dir, nil); err != nil {
		t.Fatal(err)
	}
	store.Close()
}

func TestDamagedFileStoreSaysWhere(t *testing.T) {
	dir := t.TempDir()
	store, err := amble.OpenFileStore(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	for n := range 50 {
		if _, err := store.Commit(t.Context(), amble.Step{Push: []amble.Item{killPage(n)}}); err != nil {
			t.Fatal(err)
		}
	}
	store.Close()
	file := dir + "/journal-0000000000000001"
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	data[len(data)/2] ^= 1
	os.WriteFile(file, data, 0o600)
	var damage *amble.StoreDamage
	_, err = amble.OpenFileStore(dir, nil)
	if !errors.Is(err, amble.ErrStoreDamaged) || !errors.As(err, &damage) {
		t.Fatalf("got %v", err)
	}
	if half := int64(len(data) / 2); damage.Offset > half || damage.Next <= half || damage.File != file {
		t.Errorf("%+v, the damage is at %d", damage, half)
	}
	if now, _ := os.ReadFile(file); !slices.Equal(now, data) {
		t.Error("the damaged file was changed")
	}
}
