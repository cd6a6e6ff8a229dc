package amble

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// checkLinks crawls and returns each link's result by its URL, with its fragment.
func checkLinks(t *testing.T, c *Crawler, seeds ...string) (map[string]*LinkResult, *Summary) {
	t.Helper()
	if c.Links == nil {
		c.Links = &LinkCheck{}
	}
	if c.Agent.Name == "" {
		c.Agent = testAgent
	}
	got := make(map[string]*LinkResult)
	c.Links.Report = func(l *LinkResult) {
		u, res := l.URL, *l
		if l.Fragment != "" {
			u += "#" + l.Fragment
		}
		if got[u] != nil {
			t.Errorf("%s has two results", u)
		}
		got[u] = &res
	}
	sum, err := c.Run(t.Context(), seeds...)
	if err != nil {
		t.Fatal(err)
	}
	return got, sum
}

func wantLinks(t *testing.T, got map[string]*LinkResult, want map[string]string) {
	t.Helper()
	for u, w := range want {
		l := got[u]
		if l == nil {
			t.Errorf("%s: no result, want %s", u, w)
			continue
		}
		text := l.Verdict.String()
		if l.Problem != "" {
			text += " " + string(l.Problem)
		}
		if text != w {
			t.Errorf("%s: %s (%s), want %s", u, text, l.Reason, w)
		}
	}
}

// web is a site with links at https://site.test/ and a handler for all other servers, by "host/path".
func web(home string, others map[string]http.HandlerFunc) *site {
	return &site{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if h := others[r.Host+r.URL.Path]; h != nil {
			h(w, r)
			return
		}
		if r.Host == "site.test" && r.URL.Path == "/" {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			fmt.Fprint(w, home)
			return
		}
		http.NotFound(w, r)
	})}
}

func status(code int, header ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		for i := 0; i+1 < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(code)
	}
}

func (s *site) count(url string) (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, h := range s.hits {
		if h.url == url {
			n++
		}
	}
	return n
}

func TestIssue5RefusalsAreNeverBroken(t *testing.T) {
	challengePage := `<!doctype html><title>Just a moment...</title><script>window._cf_chl_opt={cType:'managed'}</script><script src="/cdn-cgi/challenge-platform/h/b/orchestrate/chl_page/v1"></script>`
	answers := map[string]struct {
		handler http.HandlerFunc
		want    string
	}{
		"/200":       {status(200), "ok"},
		"/204":       {status(204), "ok"},
		"/300":       {status(300), "ok"},
		"/404":       {status(404), "broken gone"},
		"/410":       {status(410), "broken gone"},
		"/500":       {status(500), "broken server-error"},
		"/502":       {status(502), "broken server-error"},
		"/503":       {status(503), "broken server-error"},
		"/401":       {status(401), "unverifiable refused"},
		"/401auth":   {status(401, "WWW-Authenticate", `Basic realm="x"`), "unverifiable challenge"},
		"/403":       {status(403), "unverifiable refused"},
		"/405":       {status(405), "unverifiable refused"},
		"/406":       {status(406), "unverifiable refused"},
		"/418":       {status(418), "unverifiable refused"},
		"/451":       {status(451), "unverifiable challenge"},
		"/999":       {status(999), "unverifiable refused"},
		"/429":       {status(429), "unverifiable throttled"},
		"/503later":  {status(503, "Retry-After", "120"), "unverifiable throttled"},
		"/mitigated": {status(403, "Cf-Mitigated", "challenge"), "unverifiable challenge"},
		"/mitig404":  {status(404, "Cf-Mitigated", "challenge"), "unverifiable challenge"},
		"/chl503": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			w.WriteHeader(503)
			fmt.Fprint(w, challengePage)
		}, "unverifiable challenge"},
		"/getonly": {func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodHead {
				w.WriteHeader(404)
			}
		}, "ok"},
	}
	others, hrefs, verdicts := map[string]http.HandlerFunc{}, []string{}, map[string]string{}
	i := 0
	for path, a := range answers { // each on a server of its own, so that a refusal slows no other
		host := fmt.Sprintf("h%d.test", i)
		i++
		others[host+path] = a.handler
		hrefs = append(hrefs, "https://"+host+path)
		verdicts["https://"+host+path] = a.want
	}
	synctest.Test(t, func(t *testing.T) {
		s := web(links(hrefs...), others)
		got, sum := checkLinks(t, &Crawler{Fetcher: s}, "https://site.test/")
		wantLinks(t, got, verdicts)
		if sum.Links.Targets != len(answers) || sum.Links.Verdicts[LinkBroken] != 5 {
			t.Errorf("%+v", sum.Links)
		}
		for _, h := range s.hits {
			if h.method != http.MethodGet {
				t.Errorf("%s %s: only GET gives a verdict", h.method, h.url)
			}
			if h.agent != testAgent.Plain() {
				t.Errorf("%s was asked for as %q", h.url, h.agent)
			}
		}
	})
}

func TestIssue5BrokenOnlyAfterAnotherTryLater(t *testing.T) {
	for name, fail := range map[string]func() (*Response, error){
		"502": func() (*Response, error) { return &Response{Status: 502, Header: http.Header{}}, nil },
		"network": func() (*Response, error) {
			return nil, &Error{Op: "fetch", Kind: ErrUnreachable, Err: &FetchError{Trouble: TroubleRefused}}
		},
	} {
		for failures, want := range map[int]LinkVerdict{1: LinkOK, 2: LinkBroken} {
			synctest.Test(t, func(t *testing.T) {
				home := web(links("https://other.test/x", "/own"), nil)
				var at []time.Time
				var mu sync.Mutex
				own := 0
				f := FetcherFunc(func(ctx context.Context, req *Request) (*Response, error) {
					mu.Lock()
					defer mu.Unlock()
					switch req.URL.String() {
					case "https://other.test/x":
						if at = append(at, time.Now()); len(at) <= failures {
							return fail()
						}
						return &Response{Status: 200, Header: http.Header{}}, nil
					case "https://site.test/own": // asked for by the crawl, then once more by the check
						if own++; own <= failures {
							return fail()
						}
						return &Response{Status: 200, Header: http.Header{}}, nil
					}
					return home.Fetch(ctx, req)
				})
				got, _ := checkLinks(t, &Crawler{Fetcher: f}, "https://site.test/")
				for _, u := range []string{"https://other.test/x", "https://site.test/own"} {
					if got[u] == nil || got[u].Verdict != want {
						t.Errorf("%s, %d failures: %+v, want %v", name, failures, got[u], want)
					}
				}
				if len(at) != 2 || own != 2 || at[1].Sub(at[0]) < 30*time.Second {
					t.Errorf("%s: asked at %v, %d times for the site's own", name, at, own)
				}
			})
		}
	}
}

func TestIssue5CertainlyGoneIsNotAskedForAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := web(links("https://other.test/404", "/gone", "/gone#x", "/gone"), map[string]http.HandlerFunc{"other.test/404": status(404)})
		start := time.Now()
		got, sum := checkLinks(t, &Crawler{Fetcher: s}, "https://site.test/")
		wantLinks(t, got, map[string]string{"https://other.test/404": "broken gone", "https://site.test/gone": "broken gone"})
		if s.count("https://other.test/404") != 1 || s.count("https://site.test/gone") != 1 || sum.Links.Requests != 1 {
			t.Errorf("asked for: %v", s.hits)
		}
		if took := time.Since(start); took > 25*time.Second {
			t.Errorf("waited %v, though nothing was to be asked again", took)
		}
		if l := got["https://site.test/gone"]; l.Source != "crawl" || l.References != 3 || l.Pages != 1 || !l.Internal {
			t.Errorf("%+v", l)
		}
	})
}

func TestIssue5OnceForEachTargetWithAllReferrers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		body := `<!doctype html><title>t</title><link rel=stylesheet href="/s.css"><script src="/a.js"></script><img src="/i.png" srcset="/i2.png 2x, /i.png 1x">` +
			`<a href="https://other.test/x#one">1</a><a href="https://other.test/x#two">2</a><form action="/post"></form>`
		m := map[string]string{"/": body + `<a href="/b">b</a>`, "/b": body, "/s.css": "x", "/a.js": "x", "/i.png": "x"}
		inner := pages(m)
		s := &site{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Host == "site.test" {
				inner.Handler.ServeHTTP(w, r)
			}
		})}
		got, sum := checkLinks(t, &Crawler{Fetcher: s, Links: &LinkCheck{Referrers: 1}}, "https://site.test/")
		wantLinks(t, got, map[string]string{"https://site.test/s.css": "ok", "https://site.test/a.js": "ok", "https://site.test/i.png": "ok",
			"https://site.test/i2.png": "broken gone", "https://other.test/x": "ok", "https://site.test/b": "ok"})
		for u, kind := range map[string]string{"https://site.test/s.css": "style", "https://site.test/i2.png": "image", "https://other.test/x": "link"} {
			if l := got[u]; l.Pages != 2 || len(l.Referrers) != 1 || l.Kind != kind {
				t.Errorf("%s: %+v", u, l)
			}
			if n := s.count(u); n != 1 {
				t.Errorf("%s was asked for %d times", u, n)
			}
		}
		if l := got["https://other.test/x"]; l.References != 4 {
			t.Errorf("%+v", l)
		}
		if s.count("https://site.test/post") > 0 {
			t.Error("a form's target was asked for (S10)")
		}
		if len(got) != 6 || sum.Requests[KindLink] != 5 || sum.Links.Requests != 5 {
			t.Errorf("%d results, %v", len(got), sum.Requests)
		}
	})
}

func TestLinkChecksPassTheGates(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := web(links("https://other.test/secret", "https://other.test/moved", "https://other.test/free", "https://down.test/",
			"https://www.tracker.test/", "/logout", "https://off.test/"), map[string]http.HandlerFunc{
			"other.test/robots.txt": func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "User-agent: *\nDisallow: /secret\n") },
			"other.test/moved":      status(301, "Location", "/secret"),
			"other.test/free":       status(200),
			"down.test/robots.txt":  status(503),
		})
		off := &Switch{}
		_ = off.Off("off.test")
		got, _ := checkLinks(t, &Crawler{Fetcher: s, Switch: off, Scope: Scope{Origins: []string{"https://site.test"},
			ExcludeHosts: []string{"tracker.test"}, Exclude: []string{"/logout"}}}, "https://site.test/")
		wantLinks(t, got, map[string]string{
			"https://other.test/secret": "not-checked disallowed", "https://other.test/moved": "not-checked disallowed",
			"https://other.test/free": "ok", "https://down.test/": "not-checked disallowed",
			"https://www.tracker.test/": "not-checked excluded", "https://site.test/logout": "not-checked excluded",
			"https://off.test/": "not-checked excluded",
		})
		for _, u := range []string{"https://other.test/secret", "https://down.test/", "https://www.tracker.test/", "https://www.tracker.test/robots.txt",
			"https://site.test/logout", "https://off.test/", "https://off.test/robots.txt"} {
			if s.count(u) > 0 {
				t.Errorf("%s was asked for", u)
			}
		}
	})
}

func TestS16LinkChecksOneAtATimePerServer(t *testing.T) {
	for limit, want := range map[int]int32{0: 1, 2: 2} {
		synctest.Test(t, func(t *testing.T) {
			var hrefs []string
			for i := range 12 {
				hrefs = append(hrefs, fmt.Sprintf("https://other.test/%d", i))
			}
			var now, most atomic.Int32
			home := web(links(hrefs...), nil)
			f := FetcherFunc(func(ctx context.Context, req *Request) (*Response, error) {
				if req.Kind != KindLink {
					return home.Fetch(ctx, req)
				}
				n := now.Add(1)
				for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
				}
				time.Sleep(10 * time.Second) // slower than the pace, so that requests could pile up
				now.Add(-1)
				return &Response{Status: 200, Header: http.Header{}}, nil
			})
			got, _ := checkLinks(t, &Crawler{Fetcher: f, Limiter: &ServerLimiter{LinkConcurrency: limit}}, "https://site.test/")
			if most.Load() != want || len(got) != 12 {
				t.Errorf("%d link checks at a time, want %d", most.Load(), want)
			}
		})
	}
}

func TestS21NoLinksOfASiteThatWasGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		home := web(links("/a", "/b", "/c", "https://other.test/x", "https://other.test/both", "mailto:", "#nowhere")+`<img src="/i.png">`, map[string]http.HandlerFunc{
			"site.test/a": status(502), "site.test/b": status(502), "site.test/c": status(502),
			"good.test/": func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "text/html")
				fmt.Fprint(w, links("https://other.test/both", "https://site.test/a")+`<img src="https://site.test/i.png">`)
			},
			"other.test/x": status(200), "other.test/both": status(200),
		})
		got, sum := checkLinks(t, &Crawler{Fetcher: home}, "https://site.test/", "https://good.test/")
		if given := sum.Servers[0].GivenUp || sum.Servers[1].GivenUp; !given {
			t.Fatalf("not given up: %+v", sum.Servers)
		}
		wantLinks(t, got, map[string]string{
			"https://other.test/x":    "not-checked given-up", // named by the given-up site alone
			"https://other.test/both": "ok",                   // another site names it too
			"https://site.test/i.png": "not-checked given-up", // on the given-up server
			"https://site.test/a":     "not-checked given-up", // failed once; must not be asked for again
			"https://site.test/b":     "not-checked given-up",
		})
		for u, n := range map[string]int{"https://other.test/x": 0, "https://other.test/both": 1, "https://site.test/i.png": 0, "https://site.test/a": 1} {
			if home.count(u) != n {
				t.Errorf("%s was asked for %d times, want %d", u, home.count(u), n)
			}
		}
		if sum.Links.Verdicts[LinkBroken] != 0 || got["https://site.test/#nowhere"] != nil {
			t.Errorf("%+v", sum.Links)
		}
	})
}

func TestIssue5RedirectsShowTheWholeChain(t *testing.T) {
	cookieWall := func(w http.ResponseWriter, r *http.Request) {
		if _, err := r.Cookie("seen"); err != nil {
			http.SetCookie(w, &http.Cookie{Name: "seen", Value: "1", Path: "/"})
			w.Header().Set("Location", r.URL.Path)
			w.WriteHeader(302)
		}
	}
	synctest.Test(t, func(t *testing.T) {
		s := web(links("https://other.test/1", "https://other.test/2", "https://other.test/loop", "https://other.test/lost", "https://other.test/nowhere",
			"https://wall.test/a", "/own", "https://other.test/far"), map[string]http.HandlerFunc{
			"other.test/1":       status(301, "Location", "/2"),
			"other.test/2":       status(302, "Location", "https://third.test/3"),
			"third.test/3":       status(200),
			"other.test/loop":    status(302, "Location", "/loop"),
			"other.test/lost":    status(301, "Location", "/404"),
			"other.test/nowhere": status(302),
			"wall.test/a":        cookieWall,
			"site.test/own":      status(301, "Location", "/"),
			"other.test/far":     status(301, "Location", "https://site.test/"),
		})
		got, _ := checkLinks(t, &Crawler{Fetcher: s}, "https://site.test/")
		wantLinks(t, got, map[string]string{"https://other.test/1": "redirected", "https://other.test/2": "redirected",
			"https://other.test/loop": "broken redirects", "https://other.test/lost": "broken gone", "https://other.test/nowhere": "broken redirects",
			"https://wall.test/a": "redirected", "https://site.test/own": "redirected", "https://other.test/far": "redirected"})
		l := got["https://other.test/1"]
		if len(l.Chain) != 2 || l.Chain[0] != (Hop{"https://other.test/1", 301}) || l.Chain[1] != (Hop{"https://other.test/2", 302}) || l.Final != "https://third.test/3" || l.Status != 200 {
			t.Errorf("%+v", l)
		}
		for u, n := range map[string]int{"https://third.test/3": 1, "https://other.test/2": 1, "https://site.test/": 1} {
			if s.count(u) != n {
				t.Errorf("%s was asked for %d times", u, s.count(u))
			}
		}
		if n := s.count("https://wall.test/a"); n != 3 { // once, then the chain with its cookie
			t.Errorf("the wall was asked %d times", n)
		}
	})
}

func TestIssue5FailuresOfTheNetworkAreSorted(t *testing.T) {
	fetchErr := func(trouble Trouble, err error) error {
		return &Error{Op: "fetch", Kind: ErrUnreachable, Err: &FetchError{Trouble: trouble, Err: err}}
	}
	for want, list := range map[string][]error{
		"broken no-server": {fetchErr(TroubleRefused, nil), fetchErr(TroubleNetwork, nil), &Error{Kind: ErrUnreachable},
			fetchErr(TroubleDNS, &net.DNSError{IsNotFound: true}), fetchErr(TroubleTimeout, &net.OpError{Op: "dial", Err: context.DeadlineExceeded})},
		"broken certificate": {fetchErr(TroubleCertExpired, nil), fetchErr(TroubleCertName, nil)},
		"unverifiable no-answer": {errors.New("no"), fetchErr(TroubleReset, nil), fetchErr(TroubleTLS, nil), fetchErr(TroubleCertIssuer, nil),
			fetchErr(TroubleTimeout, errHeaderTime), fetchErr(TroubleDNS, &net.DNSError{IsTimeout: true}),
			&Error{Op: "fetch", Kind: ErrProtocol, Reason: "status 999", Err: &FetchError{Trouble: TroubleProtocol}}},
	} {
		for _, failure := range list {
			synctest.Test(t, func(t *testing.T) {
				home := web(links("https://other.test/"), nil)
				f := FetcherFunc(func(ctx context.Context, req *Request) (*Response, error) {
					if req.Kind == KindLink {
						return nil, failure
					}
					return home.Fetch(ctx, req)
				})
				got, _ := checkLinks(t, &Crawler{Fetcher: f}, "https://site.test/")
				wantLinks(t, got, map[string]string{"https://other.test/": want})
				if t.Failed() {
					t.Logf("%v", failure)
				}
			})
		}
	}
}

func TestIssue5ServerThatNeverAnswersIsLeftAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var hrefs []string
		for i := range 20 {
			hrefs = append(hrefs, fmt.Sprintf("https://dead.test/%d", i))
		}
		home := web(links(hrefs...), nil)
		var asked atomic.Int32
		f := FetcherFunc(func(ctx context.Context, req *Request) (*Response, error) {
			if req.Kind == KindLink {
				asked.Add(1)
				return nil, &Error{Op: "fetch", Kind: ErrUnreachable, Err: &FetchError{Trouble: TroubleRefused}}
			}
			return home.Fetch(ctx, req)
		})
		_, sum := checkLinks(t, &Crawler{Fetcher: f}, "https://site.test/")
		if asked.Load() != 6 || sum.Links.Verdicts[LinkBroken] != 3 || sum.Links.Verdicts[LinkNotChecked] != 17 {
			t.Errorf("asked %d times, %v", asked.Load(), sum.Links.Verdicts)
		}
	})
}

func TestIssue5Fragments(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		page := `<!doctype html><title>t</title><p id="one">1</p><a name="two">2</a><p id="drei%C3">3</p><p id="größe">4</p><p id="user-content-readme">5</p><template><p id="inert"></p></template>`
		m := map[string]string{
			"/": links("/p#one", "/p#two", "/p#gr%C3%B6%C3%9Fe", "/p#größe", "/p#drei%C3", "/p#readme", "/p#", "/p#top", "/p#TOP", "/p#:~:text=x",
				"/p#one:~:text=x", "/p#/route", "/p#!route", "/p#missing", "/p#missing:~:text=x", "/p#One", "/p#inert",
				"/data#x", "/app#x", "/inline#x", "/static#x", "/json#x", "/cut#x", "/file#page=2", "/moved#one", "/moved#none", "/moved2#none", "#self", "https://other.test/#x"),
			"/p":      page,
			"/app":    `<!doctype html><title>t</title><script src="/app.js"></script>`,
			"/inline": `<!doctype html><title>t</title><p></p><script>document.querySelector("p").id = "x"</script>`,
			"/static": `<!doctype html><title>t</title><p></p><script>document.getElementById("y").innerHTML = "idle"</script>`,
			"/json":   `<!doctype html><title>t</title><p></p><script type="application/ld+json">{"id": "x"}</script>`,
			"/data":   `<!doctype html><title>t</title><img src="data:image/png;base64,` + strings.Repeat("A", 1<<17) + `">`,
			"/cut":    `<!doctype html><title>t</title>` + strings.Repeat("<p>text</p>", 20_000),
			"/moved":  "->/p", "/moved2": "->/p#one",
		}
		inner := pages(m)
		s := &site{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/file" {
				w.Header().Set("Content-Type", "application/pdf")
				return
			}
			inner.Handler.ServeHTTP(w, r)
		})}
		got, sum := checkLinks(t, &Crawler{Fetcher: s, Budget: Budget{PageBytes: 200_000}}, "https://site.test/")
		wantLinks(t, got, map[string]string{
			"https://site.test/p#missing": "broken no-fragment", "https://site.test/p#One": "broken no-fragment",
			"https://site.test/p#inert": "broken no-fragment", "https://site.test/static#x": "broken no-fragment",
			"https://site.test/json#x": "broken no-fragment", "https://site.test/#self": "broken no-fragment",
			"https://site.test/moved#none": "broken no-fragment", "https://site.test/data#x": "broken no-fragment",
			"https://site.test/app#x": "unverifiable scripted", "https://site.test/inline#x": "unverifiable scripted",
		})
		for u, l := range got {
			if l.Fragment != "" && (l.Verdict == LinkBroken) != (l.Problem == LinkNoFragment) {
				t.Errorf("%s: %+v", u, l)
			}
		}
		if n := sum.Links.Problems[LinkNoFragment]; n != 8 {
			t.Errorf("%d missing fragments, want 8: %v", n, got)
		}
		// unknown: the page that was cut, the file, the redirect with a fragment of its own, the other server
		if f := sum.Links.Fragments; f[LinkNotChecked] != 4 || f[LinkUnverifiable] != 2 {
			t.Errorf("%v", f)
		}
		if l := got["https://site.test/p#missing"]; l != nil && (l.References != 2 || l.Pages != 1) {
			t.Errorf("%+v", l)
		}
	})
}

func TestIssue5InvalidHrefsAreNoFailuresOfAServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := web(links("http://&lt;username&gt;@&lt;servername&gt;/", "mailto:a@b.test", "mailto:nobody", "tel:+34-600-123-456", "tel:call me",
			"javascript:void(0)", "data:text/plain,x", "blob:https://site.test/1", "sms:1", "https://other.test/cdn-cgi/l/email-protection#ab", "", " "), nil)
		got, sum := checkLinks(t, &Crawler{Fetcher: s}, "https://site.test/")
		wantLinks(t, got, map[string]string{"http://<username>@<servername>/": "not-checked invalid", "mailto:nobody": "not-checked mailto",
			"tel:call me": "not-checked tel"})
		if sum.Links.Targets > 4 || sum.Requests[KindLink] != 0 { // an empty href is the page itself
			t.Errorf("%v, %v", got, sum.Requests)
		}
	})
}

func TestIssue5VerdictsAreKeptForAWhile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		others := map[string]http.HandlerFunc{"a.test/ok": status(200), "b.test/moved": status(301, "Location", "/to"), "b.test/to": status(200),
			"c.test/404": status(404), "d.test/403": status(403), "e.test/500": status(500)}
		var hrefs []string
		for u := range others {
			hrefs = append(hrefs, "https://"+u)
		}
		s := web(links(hrefs...), others)
		store, err := OpenFileStore(t.TempDir(), nil)
		if err != nil {
			t.Fatal(err)
		}
		defer store.Close()
		counts := func(why string, sure, unsure int) {
			t.Helper()
			// A LinkCheck of its own each time: what is remembered is in the Store.
			_, sum := checkLinks(t, &Crawler{Fetcher: s, Store: store, Links: &LinkCheck{}}, "https://site.test/")
			n, m := 0, 0
			for u := range others {
				switch {
				case strings.HasSuffix(u, "403"):
					m += s.count("https://" + u)
				case !strings.HasSuffix(u, "500"):
					n += s.count("https://" + u)
				}
			}
			if n != sure || m != unsure {
				t.Errorf("%s: sure ones were asked for %d times, unsure ones %d, want %d and %d", why, n, m, sure, unsure)
			}
			if sum.Links.Verdicts[LinkBroken] != 2 || sum.Links.Verdicts[LinkUnverifiable] != 1 || sum.Links.Verdicts[LinkRedirected] != 1 {
				t.Errorf("%s: %v", why, sum.Links.Verdicts)
			}
		}
		counts("first", 4, 1)
		counts("at once", 4, 1)
		time.Sleep(6 * time.Minute)
		counts("after minutes", 4, 2)
		time.Sleep(25 * time.Hour)
		counts("after a day", 8, 3)
	})
}

func TestIssue5KeptVerdictsServeAllCrawlsWithOneLinkCheck(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := web(links("https://other.test/"), nil)
		check := &LinkCheck{}
		for range 2 {
			checkLinks(t, &Crawler{Fetcher: s, Links: check}, "https://site.test/")
		}
		if s.count("https://other.test/") != 1 || s.count("https://site.test/") != 2 {
			t.Errorf("%v", s.hits)
		}
	})
}

func TestIssue5LinkLimits(t *testing.T) {
	var hrefs []string
	for i := range 10 {
		hrefs = append(hrefs, fmt.Sprintf("https://other.test/%d", i))
	}
	body := links(hrefs...) + `<img src="https://cdn.test/i.png">`
	for name, row := range map[string]struct {
		check    *LinkCheck
		requests int
		dropped  int
	}{
		"all":         {&LinkCheck{}, 11, 0},
		"requests":    {&LinkCheck{Requests: 4}, 4, 0},
		"targets":     {&LinkCheck{Targets: 5}, 4, 7}, // the page itself is one
		"no files":    {&LinkCheck{SkipFiles: true}, 10, 0},
		"no external": {&LinkCheck{SkipExternal: true}, 0, 0},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := web(body, nil)
			_, sum := checkLinks(t, &Crawler{Fetcher: s, Links: row.check}, "https://site.test/")
			if sum.Links.Requests != row.requests || sum.Links.Dropped != row.dropped {
				t.Errorf("%s: %+v", name, sum.Links)
			}
		})
	}
}

func TestLinksOfNofollowPagesAreNotAskedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := web(`<!doctype html><meta name=robots content=nofollow><a href="https://other.test/">x</a>`, nil)
		got, _ := checkLinks(t, &Crawler{Fetcher: s}, "https://site.test/")
		wantLinks(t, got, map[string]string{"https://other.test/": "not-checked nofollow"})
	})
}

func TestLinkCheckEndsWithTheCrawl(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var hrefs []string
		for i := range 50 {
			hrefs = append(hrefs, fmt.Sprintf("https://other.test/%d", i))
		}
		s := web(links(hrefs...), nil)
		// The time is up after about ten checks: the others are not checked, and nothing is called broken.
		got, sum := checkLinks(t, &Crawler{Fetcher: s, Budget: Budget{Time: 12 * time.Second}}, "https://site.test/")
		if n := sum.Links.Requests; len(got) != 50 || n < 5 || n > 15 || sum.Links.Verdicts[LinkNotChecked] != 50-n {
			t.Errorf("%d results, %+v", len(got), sum.Links)
		}
		// Cancelled: it ends at once.
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(10*time.Second, cancel)
		start := time.Now()
		c := &Crawler{Agent: testAgent, Fetcher: s, Links: &LinkCheck{Keep: -1}}
		if _, err := c.Run(ctx, "https://site.test/"); !errors.Is(err, context.Canceled) || time.Since(start) > 11*time.Second {
			t.Errorf("%v after %v", err, time.Since(start))
		}
		// Left: nothing is checked.
		before := s.count("https://other.test/0")
		for range c.Pages(t.Context(), "https://site.test/") {
			break
		}
		if s.count("https://other.test/0") != before {
			t.Error("links were checked though the caller had left")
		}
	})
}

func TestIssue5RenderedPagesKnowTheirIDs(t *testing.T) {
	p := &Page{Meta: &Meta{IDs: []string{"written"}, MakesIDs: true}, Response: &Response{Snapshot: &Snapshot{Nodes: []Node{
		{Type: NodeDocument}, {Type: NodeElement, Name: "p", Attrs: []Attr{{"id", "made"}}}, {Type: NodeElement, Name: "a", Attrs: []Attr{{"name", "anchor"}}},
		{Type: NodeElement, Name: "input", Attrs: []Attr{{"name", "field"}}}, {Type: NodeElement, Name: "p", Attrs: []Attr{{"id", "shadow"}}, Shadow: "open"},
		{Type: NodeElement, Name: "p", Attrs: []Attr{{"id", "framed"}}, Frame: 1},
	}}}}
	ids := idsOf(p)
	for name, want := range map[string]bool{"written": true, "made": true, "anchor": true, "field": false, "shadow": false, "framed": false} {
		if ids.Has(name) != want {
			t.Errorf("%s: %v", name, !want)
		}
	}
}

func TestIssue5AfterAnInterruptionTheCrawlsOwnAnswersCount(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := pages(map[string]string{"/": links("/first", "/second"), "/first": links("/"), "/second": links("/first", "/first#x", "/gone"), "/third": ""})
		store, err := OpenFileStore(t.TempDir(), nil)
		if err != nil {
			t.Fatal(err)
		}
		defer store.Close()
		ctx, cancel := context.WithCancel(t.Context())
		c := &Crawler{Agent: testAgent, Fetcher: s, Store: store, Workers: 1, Links: &LinkCheck{}}
		if _, err := c.Each(ctx, func(p *Page) bool {
			if p.URL == "https://site.test/first" {
				time.AfterFunc(time.Millisecond, cancel)
			}
			return true
		}, "https://site.test/"); !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		got, _ := checkLinks(t, &Crawler{Fetcher: s, Store: store}, "https://site.test/")
		wantLinks(t, got, map[string]string{"https://site.test/first": "ok", "https://site.test/gone": "broken gone"})
		if n := s.count("https://site.test/first"); n != 1 {
			t.Errorf("asked for %d times: %v", n, s.hits)
		}
	})
}
