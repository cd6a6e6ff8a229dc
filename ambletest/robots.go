package ambletest

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/amblecrawl/amble"
)

// TestRobotsPolicy checks that a RobotsPolicy keeps the promises of [amble.RobotsPolicy] and answers as RFC 9309 says.
// newPolicy makes one that obeys the given product tokens; it is called once for each promise, in a bubble of
// testing/synctest, so that days pass in no time. The policy must not start goroutines that outlive a Check.
func TestRobotsPolicy(t *testing.T, newPolicy func(tokens ...string) amble.RobotsPolicy) {
	for _, p := range robotsPromises {
		t.Run(p.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { p.check(t, newPolicy) })
		})
	}
}

type robotsSubject func(tokens ...string) amble.RobotsPolicy

var robotsPromises = []promise[robotsSubject]{
	{"the file is fetched through via, and nothing but the file", checkRobotsVia},
	{"the rules of RFC 9309 decide (section 2.2)", checkRobotsRules},
	{"a refusal is a Verdict that names its line", checkRobotsVerdict},
	{"each scheme, host and port has its own file (section 2.3)", checkRobotsAuthority},
	{"4xx restricts nothing (section 2.3.1.3)", checkRobots4xx},
	{"a file that cannot be read is a refusal (section 2.3.1.4)", checkRobotsUnreachable},
	{"a failure is not kept as if it were rules", checkRobotsFailureNotKept},
	{"five redirects are followed, and the rules hold for the first host (section 2.3.1.2)", checkRobotsRedirects},
	{"a redirect that cannot be followed is a refusal", checkRobotsBadRedirects},
	{"an ended context ends the wait, and is held against nobody", checkRobotsContext},
	{"500 KiB are read (section 2.5)", checkRobotsSize},
	{"robots.txt itself is allowed (section 2.2.2)", checkRobotsItself},
	{"a file is asked for again within a day (section 2.4)", checkRobotsFresh},
	{"many may ask at once", checkRobotsConcurrent},
}

// script is a via that answers by URL and keeps a log.
type script struct {
	mu     sync.Mutex
	answer func(ctx context.Context, u string) (*amble.Response, error)
	log    []string
}

func (s *script) Fetch(ctx context.Context, req *amble.Request) (*amble.Response, error) {
	u := req.URL.String()
	s.mu.Lock()
	s.log = append(s.log, u)
	answer := s.answer
	s.mu.Unlock()
	resp, err := answer(ctx, u)
	if resp != nil {
		resp.URL, resp.Sent = req.URL, time.Now()
		if resp.Header == nil {
			resp.Header = http.Header{}
		}
		if req.MaxBytes >= 0 && int64(len(resp.Body)) > req.MaxBytes {
			resp.Body, resp.Cut = resp.Body[:req.MaxBytes], amble.CutLimit
		}
	}
	return resp, err
}

func (s *script) asked() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.log...)
}

// serves answers every request with a status and a body.
func serves(status int, body string) *script {
	return &script{answer: func(context.Context, string) (*amble.Response, error) {
		return &amble.Response{Status: status, Body: []byte(body)}, nil
	}}
}

// verdict asks the policy. A Check that fails ends the test.
func verdict(t testing.TB, p amble.RobotsPolicy, rawURL string, via amble.Fetcher) amble.Verdict {
	t.Helper()
	v, err := ask(t, p, rawURL, via)
	if err != nil {
		t.Fatalf("Check of %s: error %v, want a Verdict whenever a decision exists", rawURL, err)
	}
	return v
}

func ask(t testing.TB, p amble.RobotsPolicy, rawURL string, via amble.Fetcher) (amble.Verdict, error) {
	t.Helper()
	u, err := url.Parse(rawURL)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
	defer cancel()
	return p.Check(ctx, u, via)
}

func checkRobotsVia(t testing.TB, policy robotsSubject) {
	via := serves(200, "User-agent: *\nDisallow: /private/\n")
	p := policy("AmbleTest")
	for _, target := range []string{"/", "/private/", "/a?b", "/"} {
		verdict(t, p, "https://site.test"+target, via)
	}
	asked := via.asked()
	if len(asked) == 0 {
		t.Error("nothing was fetched through via")
	}
	for _, u := range asked {
		if u != "https://site.test/robots.txt" {
			t.Errorf("%s was asked for: a policy asks for robots.txt only", u)
		}
	}
}

func checkRobotsRules(t testing.TB, policy robotsSubject) {
	for _, test := range []struct{ why, file, allowed, disallowed string }{
		{"an empty file allows all", "", "/ /a", ""},
		{"Disallow: / keeps out", "User-agent: *\nDisallow: /\n", "", "/ /a /a?b"},
		{"an empty Disallow allows all", "User-agent: *\nDisallow:\n", "/ /a", ""},
		{"the longest match wins", "User-agent: *\nDisallow: /a/\nAllow: /a/b/\nDisallow: /a/b/c\n", "/ /a /a/b/ /a/b/x", "/a/ /a/x /a/b/c /a/b/cd"},
		{"of equal matches Allow wins", "User-agent: *\nDisallow: /page\nAllow: /page\n", "/page /page2", ""},
		{"order does not matter", "User-agent: *\nAllow: /\nDisallow: /x\n", "/ /y", "/x /x/y"},
		{"* matches any characters", "User-agent: *\nDisallow: /*.gif\nDisallow: /a*z\n", "/a.png /a /b/z", "/x.gif /d/x.gif?1 /az /a/b/z"},
		{"$ matches the end", "User-agent: *\nDisallow: /*.gif$\nDisallow: /exact$\n", "/x.gif?1 /exactly /exact/", "/x.gif /exact"},
		{"the query counts", "User-agent: *\nDisallow: /*?s=\n", "/ /?t=1", "/?s=1 /a?s="},
		{"paths are case-sensitive", "User-agent: *\nDisallow: /Private\n", "/private", "/Private"},
		{"keys are not", "user-AGENT: *\ndisALLOW: /x\n", "/y", "/x"},
		{"our own group decides alone", "User-agent: AmbleTest\nDisallow: /own\n\nUser-agent: *\nDisallow: /\n", "/ /other", "/own"},
		{"tokens are not case-sensitive", "User-agent: ambletest\nDisallow: /own\n\nUser-agent: *\nDisallow: /all\n", "/all", "/own"},
		{"groups of one token are one", "User-agent: AmbleTest\nDisallow: /a\n\nUser-agent: Other\nDisallow: /b\n\nUser-agent: AmbleTest\nDisallow: /c\n", "/b", "/a /c"},
		{"several agents share a group", "User-agent: Other\nUser-agent: AmbleTest\nDisallow: /a\n\nUser-agent: *\nDisallow: /\n", "/b", "/a"},
		{"a longer name is another crawler", "User-agent: AmbleTestNews\nDisallow: /\n", "/", ""},
		{"other lines do not end a group", "User-agent: Other\nCrawl-delay: 1\nUser-agent: AmbleTest\nSitemap: https://site.test/s.xml\nDisallow: /a\n", "/b", "/a"},
		{"comments and white space", "# hello\n  User-agent : AmbleTest # us\n\tDisallow:\t/a # not here\n", "/b", "/a"},
		{"any line ends", "User-agent: *\r\nDisallow: /a\rDisallow: /b\nDisallow: /c", "/d", "/a /b /c"},
		{"a byte order mark", "\ufeffUser-agent: *\nDisallow: /a\n", "/b", "/a"},
		{"non-ASCII is compared escaped", "User-agent: *\nDisallow: /caf\u00e9\nDisallow: /%e3%83%84\n", "/cafe", "/caf%C3%A9 /%E3%83%84"},
	} {
		for list, want := range map[string]bool{test.allowed: true, test.disallowed: false} {
			for _, target := range strings.Fields(list) {
				if v := verdict(t, policy("AmbleTest"), "https://site.test"+target, serves(200, test.file)); v.Allowed != want {
					t.Errorf("%s: %s is allowed: %t, want %t (%s)\nrobots.txt: %q", test.why, target, v.Allowed, want, v.Why(), test.file)
				}
			}
		}
	}
}

func checkRobotsVerdict(t testing.TB, policy robotsSubject) {
	v := verdict(t, policy("AmbleTest"), "https://site.test/a/b", serves(200, "# us\nUser-agent: *\nDisallow: /a\n"))
	if v.Allowed || v.State != amble.RobotsRules || v.Line != 3 || !strings.Contains(v.Rule, "/a") {
		t.Errorf("got %+v, want a refusal by line 3", v)
	}
}

func checkRobotsAuthority(t testing.TB, policy robotsSubject) {
	via := &script{answer: func(_ context.Context, u string) (*amble.Response, error) {
		if u == "https://site.test/robots.txt" {
			return &amble.Response{Status: 200, Body: []byte("User-agent: *\nDisallow: /\n")}, nil
		}
		return &amble.Response{Status: 404}, nil
	}}
	p := policy("AmbleTest")
	for _, base := range []string{"https://site.test", "http://site.test", "https://site.test:8443", "https://www.site.test", "https://site.test:443"} {
		want := base != "https://site.test" && base != "https://site.test:443"
		if v := verdict(t, p, base+"/", via); v.Allowed != want {
			t.Errorf("%s/ is allowed: %t, want %t: only https://site.test/robots.txt forbids it", base, v.Allowed, want)
		}
	}
}

func checkRobots4xx(t testing.TB, policy robotsSubject) {
	for _, status := range []int{400, 401, 403, 404, 410, 451} {
		if v := verdict(t, policy("AmbleTest"), "https://site.test/", serves(status, "User-agent: *\nDisallow: /\n")); !v.Allowed || v.State != amble.RobotsNone {
			t.Errorf("robots.txt is %d: allowed %t, state %v", status, v.Allowed, v.State)
		}
	}
}

// failures are the ways in which robots.txt cannot be read.
func failures() map[string]*script {
	out := map[string]*script{}
	for _, status := range []int{429, 500, 502, 503, 504, 599} {
		out[fmt.Sprintf("status %d", status)] = serves(status, "User-agent: *\nAllow: /\n")
	}
	fails := func(err error) *script {
		return &script{answer: func(context.Context, string) (*amble.Response, error) { return nil, err }}
	}
	out["no connection"] = fails(amble.ErrUnreachable)
	out["an unknown error"] = fails(errors.New("broken"))
	out["a forbidden address"] = fails(&amble.Error{Op: "address", Kind: amble.ErrForbiddenAddr})
	out["no HTTP"] = fails(amble.ErrProtocol)
	out["a body that breaks off"] = &script{answer: func(context.Context, string) (*amble.Response, error) {
		return &amble.Response{Status: 200, Body: []byte("User-agent: *\nAllow: /\nDisal"), Cut: amble.CutBroken}, nil
	}}
	out["a time-out"] = &script{answer: func(context.Context, string) (*amble.Response, error) {
		return nil, &amble.Error{Op: "fetch", Kind: amble.ErrUnreachable, Err: context.DeadlineExceeded}
	}}
	return out
}

func checkRobotsUnreachable(t testing.TB, policy robotsSubject) {
	for name, via := range failures() {
		v := verdict(t, policy("AmbleTest"), "https://site.test/", via)
		if v.Allowed || v.State != amble.RobotsUnreachable && v.State != amble.RobotsRefused {
			t.Errorf("%s: allowed %t, state %v, want a refusal", name, v.Allowed, v.State)
		}
	}
}

func checkRobotsFailureNotKept(t testing.TB, policy robotsSubject) {
	for name, via := range failures() {
		p := policy("AmbleTest")
		verdict(t, p, "https://site.test/", via)
		time.Sleep(25 * time.Hour)
		if v := verdict(t, p, "https://site.test/", serves(200, "User-agent: *\nDisallow: /private/\n")); !v.Allowed {
			t.Errorf("%s: a day later, with a good file, still refused: %s", name, v.Why())
		}
		time.Sleep(25 * time.Hour)
		if v := verdict(t, p, "https://site.test/private/", via); v.Allowed {
			t.Errorf("%s after a good file that forbids /private/: it became allowed", name)
		}
	}
}

// hops answers /robots.txt by n redirects over other hosts to a file.
func hops(n int, file string) *script {
	return &script{answer: func(_ context.Context, u string) (*amble.Response, error) {
		i := 0
		if u != "https://site.test/robots.txt" {
			if _, err := fmt.Sscanf(u, "https://hop%d.test/moved", &i); err != nil {
				return &amble.Response{Status: 404}, nil
			}
		}
		if i == n {
			return &amble.Response{Status: 200, Body: []byte(file)}, nil
		}
		return &amble.Response{Status: 301 + i%2, Header: http.Header{"Location": {fmt.Sprintf("https://hop%d.test/moved", i+1)}}}, nil
	}}
}

func checkRobotsRedirects(t testing.TB, policy robotsSubject) {
	for n := range 6 {
		p, via := policy("AmbleTest"), hops(n, "User-agent: *\nDisallow: /private/\n")
		for target, want := range map[string]bool{"/": true, "/private/": false} {
			if v := verdict(t, p, "https://site.test"+target, via); v.Allowed != want {
				t.Errorf("after %d redirects: %s is allowed: %t, want %t (%s)", n, target, v.Allowed, want, v.Why())
			}
		}
		if n == 0 {
			continue
		}
		other := fmt.Sprintf("https://hop%d.test/private/", n)
		if v := verdict(t, p, other, via); !v.Allowed {
			t.Errorf("the rules of site.test were held against %s, where they were redirected to", other)
		}
	}
}

func checkRobotsBadRedirects(t testing.TB, policy robotsSubject) {
	to := func(location string) *script {
		return &script{answer: func(context.Context, string) (*amble.Response, error) {
			return &amble.Response{Status: 302, Header: http.Header{"Location": {location}}}, nil
		}}
	}
	forbidden := &script{answer: func(_ context.Context, u string) (*amble.Response, error) {
		if u == "https://site.test/robots.txt" {
			return &amble.Response{Status: 302, Header: http.Header{"Location": {"http://127.0.0.1/"}}}, nil
		}
		return nil, &amble.Error{Op: "address", URL: u, Kind: amble.ErrForbiddenAddr}
	}}
	for name, via := range map[string]*script{
		"a loop": to("/robots.txt"), "another scheme": to("ftp://site.test/robots.txt"), "no URL": to("http://[bad"),
		"a forbidden address": forbidden, "no end of redirects": hops(1000, ""),
	} {
		if v := verdict(t, policy("AmbleTest"), "https://site.test/", via); v.Allowed {
			t.Errorf("robots.txt redirects to %s: allowed (%s)", name, v.Why())
		}
		if n := len(via.asked()); n > 30 {
			t.Errorf("robots.txt redirects to %s: %d requests", name, n)
		}
	}
}

func checkRobotsContext(t testing.TB, policy robotsSubject) {
	stuck := &script{answer: func(ctx context.Context, _ string) (*amble.Response, error) {
		<-ctx.Done()
		return nil, context.Cause(ctx)
	}}
	p := policy("AmbleTest")
	u, _ := url.Parse("https://site.test/")
	start := time.Now()
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	if v, err := p.Check(ctx, u, stuck); err == nil && v.Allowed {
		t.Error("a Check whose context ended allows")
	}
	if took := time.Since(start); took > 2*time.Second {
		t.Errorf("Check returned %v after its context had ended", took-time.Second)
	}
	if v := verdict(t, p, "https://site.test/", serves(404, "")); !v.Allowed {
		t.Errorf("the next caller is refused since the last one's context ended: %s", v.Why())
	}
}

func checkRobotsSize(t testing.TB, policy robotsSubject) {
	const rule = "User-agent: *\nDisallow: /private/\n"
	comment := strings.Repeat("# "+strings.Repeat("x", 97)+"\n", 5120) // 500 KiB
	if v := verdict(t, policy("AmbleTest"), "https://site.test/private/", serves(200, comment[:500*1024-200]+"\n"+rule)); v.Allowed {
		t.Error("a rule within the first 500 KiB was not read")
	}
}

func checkRobotsItself(t testing.TB, policy robotsSubject) {
	if v := verdict(t, policy("AmbleTest"), "https://site.test/robots.txt", serves(200, "User-agent: *\nDisallow: /\n")); !v.Allowed {
		t.Error("/robots.txt is refused")
	}
}

func checkRobotsFresh(t testing.TB, policy robotsSubject) {
	p, via := policy("AmbleTest"), serves(200, "User-agent: *\nDisallow: /\n")
	verdict(t, p, "https://site.test/", via)
	time.Sleep(24*time.Hour + time.Second)
	if v := verdict(t, p, "https://site.test/", serves(200, "")); !v.Allowed {
		t.Error("a file is used for more than 24 hours")
	}
}

func checkRobotsConcurrent(t testing.TB, policy robotsSubject) {
	via := &script{answer: func(context.Context, string) (*amble.Response, error) {
		time.Sleep(time.Second)
		return &amble.Response{Status: 200, Body: []byte("User-agent: *\nDisallow: /private/\n")}, nil
	}}
	p := policy("AmbleTest")
	var wg sync.WaitGroup
	for i := range 40 {
		wg.Go(func() {
			u := &url.URL{Scheme: "https", Host: fmt.Sprintf("%d.test", i%4), Path: "/private/"}
			if i%2 == 0 {
				u.Path = "/"
			}
			v, err := p.Check(t.Context(), u, via)
			if err != nil || v.Allowed != (i%2 == 0) {
				t.Errorf("%v: allowed %t, error %v", u, v.Allowed, err)
			}
		})
	}
	wg.Wait()
	if n := len(via.asked()); n > 4 {
		t.Errorf("40 first visits to 4 servers asked for robots.txt %d times", n)
	}
}
