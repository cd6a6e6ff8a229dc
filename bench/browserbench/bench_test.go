package browserbench

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/amblecrawl/amble/browser"
)

// TestMain lets the test program be what the bench program is when it calls itself.
func TestMain(m *testing.M) {
	var err error
	switch args := os.Args[1:]; {
	case len(args) > 0 && args[0] == MeasureCommand:
		err = MeasureMain(args[1:])
	case len(args) > 0 && args[0] == ClientCommand:
		err = ClientMain(args[1:])
	default:
		os.Exit(m.Run())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// TestSite: a page has the 20 files that it is said to have, all there, and is the same in every run.
func TestSite(t *testing.T) {
	site, again := NewSite(24, 300), NewSite(24, 300)
	server := httptest.NewServer(site)
	defer server.Close()
	files := map[string]bool{"/font.ttf": true, "/data/3": true, "/seen/3": true}
	for _, m := range regexp.MustCompile(`(?:src|<link rel="stylesheet" href)="([^"]+)"`).FindAllStringSubmatch(site.page(3), -1) {
		files[m[1]] = true
	}
	if len(files) != 20 {
		t.Errorf("%d files, want 20: %v", len(files), files)
	}
	for name := range files {
		resp, err := http.Get(server.URL + name)
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(resp.Body)
		resp.Body.Close()
		if resp.StatusCode >= 300 || len(body) == 0 && resp.StatusCode != http.StatusNoContent {
			t.Errorf("%s: %s, %d bytes", name, resp.Status, len(body))
		}
	}
	if site.page(3) != again.page(3) || !bytes.Equal(site.files["/picture/7.jpg"].body, again.files["/picture/7.jpg"].body) {
		t.Error("two sites are not the same")
	}
	if got := site.Counts(); got.Requests != 20 || got.Pages != 0 {
		t.Errorf("counted %+v", got)
	}
}

// TestMeasure: what a process costs that outlives its parent, and one that is killed, is counted too.
func TestMeasure(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("measured on Linux only")
	}
	const busy = `i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done`
	self, err := Measure([]string{"sh", "-c", busy}, time.Minute, os.Stderr)
	if err != nil {
		t.Fatal(err)
	}
	for name, script := range map[string]string{
		"killed":   fmt.Sprintf(`sh -c '%s; kill -9 $$'; exit 7`, busy),
		"orphaned": fmt.Sprintf(`(sh -c '(%s) & wait; kill -9 $$'); exit 7`, busy),
	} {
		u, err := Measure([]string{"sh", "-c", script}, time.Minute, os.Stderr)
		if err != nil {
			t.Fatal(err)
		}
		if u.Exit != 7 || u.CPU < self.CPU/4 || self.CPU == 0 {
			t.Errorf("%s: %v CPU, exit code %d; the same work alone took %v", name, u.CPU, u.Exit, self.CPU)
		}
	}
}

// TestTables: ratios are of medians for each page, and runs that failed do not count.
func TestTables(t *testing.T) {
	run := func(client string, cpu, pages int, failed string) result {
		return result{Client: client, CPU: time.Duration(cpu) * time.Second, Wall: time.Second, Pages: pages, Peak: 1e6, Error: failed}
	}
	var out strings.Builder
	err := tables(&out, []result{
		run("chromedp", 10, 10, ""), run("chromedp", 12, 10, ""), run("chromedp", 99, 10, ""), run("chromedp", 1, 10, "exit code 1"),
		run("amble", 3, 5, ""), run("crawlee", 1, 10, "exit code 1"),
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"| chromedp (a plain loop: a context for each page) | 3 | 10 | 12.00 (10.00–99.00) | 1.00 |", "amble to chromedp | 0.50 | 0.60 | met |", "| 1 failed |"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is missing in\n%s", want, &out)
		}
	}
}

// TestClients: the Go clients load the pages, and the site sees them.
func TestClients(t *testing.T) {
	chrome, err := browser.Find()
	if err != nil || runtime.GOOS != "linux" {
		t.Skip("no browser: ", err)
	}
	for _, name := range []string{"chromedp", "amble", "amble-audit"} {
		c, err := clientOf(name)
		if err != nil {
			t.Fatal(err)
		}
		r, _, err := options{tabs: 2, nodes: 50, chrome: chrome, limit: 4 * time.Minute}.once(c, 2)
		if err != nil || r.Error != "" || r.CPU <= 0 || r.Peak <= 0 || r.Counts.Unique != 2 {
			t.Errorf("%s: %+v %v", name, r, err)
		}
	}
}
