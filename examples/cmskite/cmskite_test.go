package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/amblecrawl/amble"
	"github.com/amblecrawl/amble/ambletest"
	"github.com/amblecrawl/amble/examples/internal/cli"
)

// home is the site of most tests.
const home = "https://example.com"

// outcome is what a run of the program came to.
type outcome struct {
	code    int
	err     error
	records map[string]record // by URL
	lines   []byte            // of JSON
	text    string            // the summary
}

// read runs the program on a site in process. args are those of its command line.
func read(t *testing.T, site http.Handler, args ...string) outcome {
	t.Helper()
	lines := filepath.Join(t.TempDir(), "out.jsonl")
	o, err := parse(append([]string{"-name", "CMSKiteBot", "-info-url", "https://cmskite.com/bot", "-json", lines}, args...))
	if err != nil {
		t.Fatal(err)
	}
	o.fetcher = amble.HandlerFetcher(site)
	var out, progress bytes.Buffer
	got := outcome{records: make(map[string]record)}
	got.code, got.err = run(t.Context(), o, &out, &progress)
	got.text = out.String() + progress.String()
	got.lines, _ = os.ReadFile(lines)
	scanner := bufio.NewScanner(bytes.NewReader(got.lines))
	scanner.Buffer(nil, 1<<20)
	for scanner.Scan() {
		var r record
		if err := json.Unmarshal(scanner.Bytes(), &r); err != nil {
			t.Fatalf("%v in %s", err, scanner.Text())
		}
		got.records[r.URL] = r
	}
	return got
}

// listed is a site whose sitemap lists the paths, and that serves a page at each.
func listed(paths ...string) *ambletest.Site {
	site := ambletest.NewSite()
	var urls []string
	for _, path := range paths {
		u := path
		if strings.HasPrefix(path, "/") {
			u = home + path
			site.Page(path, page(path))
		}
		urls = append(urls, u)
	}
	return site.Sitemap("/sitemap.xml", urls...)
}

func page(title string) string {
	return `<!doctype html><html lang="en"><head><title>` + title + `</title><meta name="description" content="A page."></head><body><h1>` + title + `</h1></body></html>`
}

func numbered(n int) []string {
	var paths []string
	for i := range n {
		paths = append(paths, fmt.Sprintf("/p/%03d", i))
	}
	return paths
}

// pagesOf is what a site was asked for besides robots.txt and sitemaps.
func pagesOf(site *ambletest.Site) []string {
	return slices.DeleteFunc(site.Paths(), func(path string) bool { return strings.HasSuffix(path, ".xml") })
}

func wantPages(t *testing.T, site *ambletest.Site, want ...string) {
	t.Helper()
	if got := pagesOf(site); !slices.Equal(got, want) {
		t.Errorf("pages asked for: %v, want %v", got, want)
	}
}

// wantGaps checks the time between any two requests in a row.
func wantGaps(t *testing.T, log []ambletest.Access, least, most time.Duration) {
	t.Helper()
	for i := 1; i < len(log); i++ {
		if gap := log[i].At.Sub(log[i-1].At); gap < least || gap > most {
			t.Errorf("%v between %s and %s, want %v to %v", gap, log[i-1].Path, log[i].Path, least, most)
		}
	}
}

func TestC1OnlyWhatTheURLPrefixCovers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		site := listed("/blog/", "/blog/a", "/blogger/b", "/", "https://other.example/blog/")
		got := read(t, site, "-property", home+"/blog/")
		wantPages(t, site, "/blog/", "/blog/a")
		if r := got.records[home+"/blogger/b"]; r.Outcome != amble.OutcomeOutOfScope {
			t.Errorf("/blogger/b: %v", r.Outcome)
		}
	})
}

func TestC1ADomainPropertyCoversTheDomain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		site := listed("/", "https://www.example.com/w", "http://shop.example.com/s", "https://example.com.evil.test/")
		site.Robots("Sitemap: https://example.com/sitemap.xml\n").Page("/w", page("w")).Page("/s", page("s"))
		read(t, site, "-property", "sc-domain:example.com")
		for _, a := range site.Log() {
			if !strings.HasSuffix("."+a.Host, ".example.com") {
				t.Errorf("%s was asked for", a.URL())
			}
		}
		if got := pagesOf(site); !slices.Contains(got, "/") {
			t.Errorf("asked for %v", got)
		}
		list := filepath.Join(t.TempDir(), "list")
		if err := os.WriteFile(list, []byte("https://www.example.com/w\nhttp://shop.example.com/s\nhttps://example.com.evil.test/\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		got := read(t, site, "-property", "sc-domain:example.com", "-list", list)
		if a, b := got.records["https://www.example.com/w"].Outcome, got.records["http://shop.example.com/s"].Outcome; a != amble.OutcomeAnalysed || b != amble.OutcomeAnalysed {
			t.Errorf("www: %v, shop: %v", a, b)
		}
	})
}

func TestC1HostsThatAreNeverCrawled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		site := listed("/")
		got := read(t, site, "-property", home+"/", "-never", "blog.operator.example, example.com")
		if n := len(site.Log()); n > 0 || got.code != cli.ExitBlocked {
			t.Errorf("%d requests, code %d", n, got.code)
		}
	})
}

func TestC1ASiteIsSwitchedOffAtAnyTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		off := filepath.Join(t.TempDir(), "off")
		site := listed(numbered(50)...)
		site.Handle("/p/004", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprint(w, page("4"))
			if err := os.WriteFile(off, []byte("# by the owner\nexample.com\n"), 0o600); err != nil {
				t.Error(err)
			}
		}))
		got := read(t, site, "-property", home+"/", "-off", off)
		if n := len(pagesOf(site)); n < 5 || n > 7 || got.code != cli.ExitBlocked || got.err != nil {
			t.Errorf("switched off at the fifth page: %d pages asked for, code %d, %v", n, got.code, got.err)
		}
		before := len(site.Log())
		got = read(t, site, "-property", home+"/", "-off", off)
		if n := len(site.Log()) - before; n > 0 || got.code != cli.ExitBlocked {
			t.Errorf("switched off: %d requests, code %d", n, got.code)
		}
	})
}

func TestC2RobotsIsAskedForOnceAtTheStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		site := listed(numbered(100)...)
		site.Handle("/robots.txt", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Cache-Control", "max-age=0")
			fmt.Fprint(w, "User-agent: *\nAllow: /\n")
		}))
		for run := range 2 {
			before := len(site.Log())
			read(t, site, "-property", home+"/")
			log := site.Log()[before:]
			if log[0].Path != "/robots.txt" {
				t.Errorf("run %d: the first request was %s", run, log[0].Path)
			}
			n := 0
			for _, a := range log {
				if a.Path == "/robots.txt" {
					n++
				}
			}
			if n != 1 {
				t.Errorf("run %d: robots.txt was asked for %d times", run, n)
			}
		}
	})
}

func TestC3AtMostFourSitemapFiles(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		site := ambletest.NewSite()
		var lines strings.Builder
		for i := range 6 {
			fmt.Fprintf(&lines, "Sitemap: %s/sitemap-%d.xml\n", home, i)
			path := fmt.Sprintf("/page-%d", i)
			site.Sitemap(fmt.Sprintf("/sitemap-%d.xml", i), home+path).Page(path, page(path))
		}
		site.Robots(lines.String()).Sitemap("/sitemap.xml", home+"/unnamed")
		read(t, site, "-property", home+"/")
		files := slices.DeleteFunc(site.Paths(), func(path string) bool { return !strings.HasSuffix(path, ".xml") })
		if want := []string{"/sitemap-0.xml", "/sitemap-1.xml", "/sitemap-2.xml", "/sitemap-3.xml"}; !slices.Equal(files, want) {
			t.Errorf("files asked for: %v, want %v", files, want)
		}
		wantPages(t, site, "/page-0", "/page-1", "/page-2", "/page-3")
	})
}

func TestC4LinksAreCountedAndNotFollowed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		site := listed("/").Page("/", `<!doctype html><html lang=en><title>x</title><link rel=stylesheet href=/s.css><script src=/s.js></script>
<img src=/i.png><a href=/in>in</a><a href=https://out.example/>out</a><a rel=nofollow href=/no>no</a>`)
		got := read(t, site, "-property", home+"/")
		wantPages(t, site, "/")
		if l := got.records[home+"/"].Links; l == nil || *l != (linkCount{Internal: 2, External: 1, Nofollow: 1}) {
			t.Errorf("links: %+v", l)
		}
	})
}

func TestC4AListTakesThePlaceOfTheSitemap(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		site := listed("/listed").Page("/a", page("a")).Page("/b?x=1", page("b"))
		list := filepath.Join(t.TempDir(), "list")
		if err := os.WriteFile(list, []byte("# from Search Console\n"+home+"/a\n\n"+home+"/b?x=1\nhttps://other.example/\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		read(t, site, "-property", home+"/", "-list", list)
		if got, want := site.Paths(), []string{"/a", "/b?x=1"}; !slices.Equal(got, want) {
			t.Errorf("asked for %v, want %v", got, want)
		}
	})
}

func TestC5AtMostOneMegabyteOfAPage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		site := listed("/big").Page("/big", page("big")+strings.Repeat("<p>more</p>\n", 200_000))
		got := read(t, site, "-property", home+"/")
		if r := got.records[home+"/big"]; r.Outcome != amble.OutcomeTooLarge || !r.Partial || r.Title != "big" || !strings.Contains(r.Reason, "1048576") {
			t.Errorf("%+v", r)
		}
	})
}

func TestC5FifteenSecondsToAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		site := listed("/slow", "/slower", "/dripping", "/next")
		wait := func(d time.Duration) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				select {
				case <-time.After(d):
				case <-r.Context().Done():
				}
				w.Header().Set("Content-Type", "text/html")
				fmt.Fprint(w, page("slow"))
			})
		}
		site.Handle("/slow", wait(14*time.Second)).Handle("/slower", wait(16*time.Second))
		site.Handle("/dripping", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { // the head at once, the body never whole
			w.Header().Set("Content-Type", "text/html")
			for range 20 {
				fmt.Fprint(w, strings.Repeat("<p>drip</p>\n", 200))
				w.(http.Flusher).Flush()
				select {
				case <-time.After(time.Second):
				case <-r.Context().Done():
					return
				}
			}
		}))
		got := read(t, site, "-property", home+"/")
		for path, want := range map[string]amble.Outcome{"/slow": amble.OutcomeAnalysed, "/slower": amble.OutcomeUnreachable,
			"/dripping": amble.OutcomeTruncated, "/next": amble.OutcomeAnalysed} {
			r := got.records[home+path]
			if r.Outcome != want || strings.Contains(r.Reason, "cancel") { // nobody cancelled
				t.Errorf("%s: %v (%s), want %v", path, r.Outcome, r.Reason, want)
			}
		}
	})
}

func TestC7TwoHundredPagesADayOverAllRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		site := listed(numbered(300)...)
		args := []string{"-property", home + "/", "-state", t.TempDir(), "-again"}
		asked := func(more ...string) int {
			before := len(pagesOf(site))
			read(t, site, append(args, more...)...)
			return len(pagesOf(site)) - before
		}
		if n := asked("-pages", "150"); n != 150 {
			t.Errorf("the first run asked for %d pages, want 150", n)
		}
		if n := asked(); n != 50 {
			t.Errorf("the second run of the day asked for %d pages, want 50", n)
		}
		if n := asked(); n != 0 {
			t.Errorf("the third run of the day asked for %d pages", n)
		}
		time.Sleep(24 * time.Hour)
		if n := asked(); n != 200 {
			t.Errorf("the next day's run asked for %d pages, want 200", n)
		}
	})
}

func TestC7TheBudgetCannotBeRaised(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		site := listed(numbered(300)...)
		read(t, site, "-property", home+"/", "-pages", "1000", "-time", "10h")
		if n := len(pagesOf(site)); n != 200 {
			t.Errorf("%d pages asked for, want 200", n)
		}
	})
}

func TestC7ARunEndsAfterTenMinutes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		site := listed(numbered(199)...).Robots("User-agent: *\nCrawl-delay: 9\n")
		got := read(t, site, "-property", home+"/", "-time", "10h")
		if took := time.Since(start); took > 10*time.Minute+answerTime {
			t.Errorf("the run took %v", took)
		}
		if r := got.records[home+"/p/198"]; r.Outcome != amble.OutcomeOverBudget {
			t.Errorf("the last page: %v", r.Outcome)
		}
	})
}

func TestC8OneRequestASecondOfWhateverKind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		site := listed("/a", "/old", "/b", "/c").Redirect("/old", "/new").Page("/new", page("new")).
			Robots("Sitemap: "+home+"/moved.xml\n").Redirect("/moved.xml", "/sitemap.xml").Refuse("/b", 1, http.StatusTooManyRequests, "4")
		read(t, site, "-property", home+"/")
		if n := len(site.Log()); n != 9 {
			t.Errorf("%d requests, want 9: %v", n, site.Log())
		}
		wantGaps(t, site.Log(), time.Second, 10*time.Second)
	})
}

func TestC8SchemesAndHostsOfOneSiteShareThePace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		list := filepath.Join(t.TempDir(), "list")
		if err := os.WriteFile(list, []byte("http://example.com/a\nhttps://example.com/a\nhttps://www.example.com/a\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		site := listed("/a")
		read(t, site, "-property", "sc-domain:example.com", "-list", list)
		wantGaps(t, site.Log(), time.Second, 2*time.Second)
		if n := len(site.Log()); n != 6 {
			t.Errorf("%d requests, want three pages and three robots.txt", n)
		}
	})
}

func TestC9CrawlDelayUpToTenSeconds(t *testing.T) {
	for asked, want := range map[string]time.Duration{"2.5": 2500 * time.Millisecond, "10": 10 * time.Second, "3600": 10 * time.Second, "0.1": time.Second} {
		synctest.Test(t, func(t *testing.T) {
			site := listed("/a", "/b", "/c").Robots("User-agent: *\nCrawl-delay: " + asked + "\n")
			read(t, site, "-property", home+"/")
			wantGaps(t, site.Log()[1:], want, want+time.Second)
			wantPages(t, site, "/a", "/b", "/c")
		})
	}
}

func TestC10AboutOnceADay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		site := listed("/a")
		args := []string{"-property", home + "/", "-state", t.TempDir()}
		if got := read(t, site, args...); got.code != cli.ExitOK {
			t.Fatalf("first run: code %d, %v", got.code, got.err)
		}
		before := len(site.Log())
		for range 3 {
			time.Sleep(6 * time.Hour)
			if got := read(t, site, args...); got.code != cli.ExitNotDue || got.err != nil || !strings.Contains(got.text, "due at") {
				t.Errorf("too early: code %d, %v, %q", got.code, got.err, got.text)
			}
		}
		if n := len(site.Log()) - before; n > 0 {
			t.Errorf("%d requests although no run was due", n)
		}
		time.Sleep(4 * time.Hour)
		if got := read(t, site, args...); got.code != cli.ExitOK {
			t.Errorf("a day later: code %d, %v", got.code, got.err)
		}
		if len(site.Log()) == before {
			t.Error("a day later: nothing was asked for")
		}
	})
}

func TestC10RobotsUnreachableMeansNothingThatDay(t *testing.T) {
	for _, status := range []int{500, 503, 429} {
		synctest.Test(t, func(t *testing.T) {
			site := listed(numbered(20)...).Robots("").Refuse("/robots.txt", -1, status, "")
			args := []string{"-property", home + "/", "-state", t.TempDir()}
			if got := read(t, site, args...); got.code != cli.ExitBlocked {
				t.Errorf("%d: code %d, %v", status, got.code, got.err)
			}
			time.Sleep(10 * time.Hour)
			if got := read(t, site, args...); got.code != cli.ExitNotDue {
				t.Errorf("%d, later that day: code %d, %v", status, got.code, got.err)
			}
			if got := site.Paths(); len(got) > 0 {
				t.Errorf("%d: asked for %v", status, got)
			}
			time.Sleep(14 * time.Hour)
			site.Refuse("/robots.txt", 0, 0, "")
			if got := read(t, site, args...); got.code != cli.ExitOK {
				t.Errorf("%d, the next day: code %d, %v", status, got.code, got.err)
			}
		})
	}
}

func TestC11RobotsAsGoogleReadsIt(t *testing.T) {
	for robots, want := range map[string][]string{
		"User-agent: CMSKiteBot\nDisallow: /a\n\nUser-agent: *\nDisallow: /\n": {"/b", "/index.html", "/x.pdf?1"},
		"User-agent: OtherBot\nDisallow: /\n\nUser-agent: *\nDisallow: /b\n":   {"/a", "/index.html", "/x.pdf?1"},
		"User-agent: *\nDisallow: /\nAllow: /a\n":                              {"/a"},
		"User-agent: *\nDisallow: /*.pdf$\n":                                   {"/a", "/b", "/index.html", "/x.pdf?1"},
		"User-agent: *\nDisallow: /*.pdf\n":                                    {"/a", "/b", "/index.html"},
		"User-agent: *\nDisallow: /\nAllow: /index.html\n":                     {"/index.html"},
	} {
		synctest.Test(t, func(t *testing.T) {
			site := listed("/a", "/b", "/index.html", "/x.pdf?1")
			list := filepath.Join(t.TempDir(), "list")
			if err := os.WriteFile(list, []byte(home+"/a\n"+home+"/b\n"+home+"/index.html\n"+home+"/x.pdf?1\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			read(t, site.Robots(robots), "-property", home+"/", "-list", list)
			if got := site.Paths(); !slices.Equal(got, want) {
				t.Errorf("%q: asked for %v, want %v", robots, got, want)
			}
		})
	}
}

func TestC11Robots404AllowsEverything(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		site := listed("/a")
		read(t, site, "-property", home+"/")
		wantPages(t, site, "/a")
	})
}

func TestC12DirectivesForAllOrForUsAreReported(t *testing.T) {
	header := func(line, meta string) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			if line != "" {
				w.Header().Set("X-Robots-Tag", line)
			}
			fmt.Fprint(w, "<!doctype html><title>x</title>"+meta)
		})
	}
	synctest.Test(t, func(t *testing.T) {
		paths := []string{"/all", "/ours", "/header", "/header-ours", "/others", "/header-others"}
		site := listed(paths...)
		site.Handle("/all", header("", `<meta name=robots content="noindex, nofollow">`))
		site.Handle("/ours", header("", `<meta name=CMSKiteBot content=noindex>`))
		site.Handle("/header", header("noindex", ""))
		site.Handle("/header-ours", header("cmskitebot: noindex", ""))
		site.Handle("/others", header("", `<meta name=otherbot content=noindex>`))
		site.Handle("/header-others", header("otherbot: noindex", ""))
		got := read(t, site, "-property", home+"/")
		for i, path := range paths {
			r := got.records[home+path]
			if r.Indexable == nil || *r.Indexable != (i > 3) {
				t.Errorf("%s: indexable %v, directives %v", path, r.Indexable, r.Directives)
			}
			reported := slices.ContainsFunc(r.Findings, func(f finding) bool { return f.Rule == "noindex" })
			if reported != (i <= 3) {
				t.Errorf("%s: findings %v", path, r.Findings)
			}
		}
		if d := got.records[home+"/all"].Directives; !slices.Equal(d, []string{"nofollow", "noindex"}) {
			t.Errorf("/all: directives %v", d)
		}
	})
}

func TestC13DisallowAllKeepsOut(t *testing.T) {
	for _, agent := range []string{"*", "CMSKiteBot", "cmskitebot"} {
		synctest.Test(t, func(t *testing.T) {
			site := listed("/a").Robots("User-agent: " + agent + "\nDisallow: /\n")
			got := read(t, site, "-property", home+"/")
			if got.code != cli.ExitBlocked || len(site.Paths()) > 0 {
				t.Errorf("code %d, asked for %v", got.code, site.Paths())
			}
		})
	}
}

func TestC13CrawlDelaySpacesTheRequests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		site := listed("/a", "/b").Robots("User-agent: CMSKiteBot\nCrawl-delay: 5\n")
		read(t, site, "-property", home+"/")
		wantGaps(t, site.Log()[1:], 5*time.Second, 6*time.Second)
	})
}

func TestAnIdentityIsNeededAwayFromLoopback(t *testing.T) {
	o, err := parse([]string{"-property", home + "/"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := run(t.Context(), o, &bytes.Buffer{}, &bytes.Buffer{}); err == nil {
		t.Error("a run without -name was not refused")
	}
}

func TestCommandLineThatCannotWork(t *testing.T) {
	for _, args := range [][]string{{}, {"-property", home + "/", "extra"}, {"-demo", "-fail", "awful"}} {
		if _, err := parse(args); err == nil {
			t.Errorf("%q was taken", args)
		}
	}
}

func TestFailAsksForAnExitCode(t *testing.T) {
	for level, want := range map[string]int{"": cli.ExitOK, "serious": cli.ExitOK, "notice": cli.ExitFindings} {
		synctest.Test(t, func(t *testing.T) {
			site := listed("/a").Page("/a", `<!doctype html><html lang="en"><title>a</title><h1>a</h1>`)
			args := []string{"-property", home + "/"}
			if level != "" {
				args = append(args, "-fail", level)
			}
			if got := read(t, site, args...); got.code != want {
				t.Errorf("-fail %q: code %d, want %d\n%s", level, got.code, want, got.text)
			}
		})
	}
}

var update = flag.Bool("update", false, "write the golden file anew")

func TestC6TheRecordsOfTheDemo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const base = "https://demo.example"
		got := read(t, demoSite(base), "-property", base+"/")
		lines := when.ReplaceAll(got.lines, []byte(`"fetched":"TIME"`))
		golden := filepath.Join("testdata", "demo.jsonl")
		if *update {
			if err := os.WriteFile(golden, lines, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(lines, want) {
			t.Errorf("the records differ from %s; if that is meant, run go test -update\n%s", golden, lines)
		}
		for _, line := range []string{"5 pages read of 9 known", "1 robots.txt (rules), 2 sitemaps, 9 pages", `"not now" 1 times`} {
			if !strings.Contains(got.text, line) {
				t.Errorf("the summary lacks %q:\n%s", line, got.text)
			}
		}
	})
}

// when is what chance decides in a record: its time holds the random part of a wait.
var when = regexp.MustCompile(`"fetched":"[^"]*"`)
