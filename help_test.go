package amble

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
)

// A reason is one line, whatever the error, and says the cause in words.
func TestReasonsAreOneLine(t *testing.T) {
	refused := &net.OpError{Op: "dial", Net: "tcp", Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}
	for _, test := range []struct {
		err  error
		want string
	}{
		{errors.Join(errors.New("one"), errors.New("two\r\nthree\n")), "one; two; three"},
		{&Error{Op: "a", Kind: ErrUnreachable, Err: errors.Join(errors.New("one"), errors.New("two"))}, "unreachable: one; two"},
		{&Error{Reason: "why\nso"}, "why; so"},
		{&Error{Kind: ErrUnreachable, Err: &FetchError{Trouble: TroubleRefused, Err: refused}}, "unreachable: connection refused"},
		{&Error{Kind: ErrDisallowed, Reason: "no", Err: &Error{Kind: ErrRobotsUnreachable, Err: &Error{Reason: "status 503"}}}, "no: status 503"},
	} {
		if got := reasonOf(test.err); got != test.want {
			t.Errorf("got %q, want %q", got, test.want)
		}
	}
}

func TestReasonOfAClosedPort(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	at := "http://" + l.Addr().String() + "/"
	l.Close()
	got, _ := crawl(t, &Crawler{Fetcher: &HTTPFetcher{Addresses: LoopbackOnly()}}, at)
	const want = "robots.txt could not be read, so nothing may be fetched: connection refused"
	p := got[at]
	if p.Reason != want || p.Outcome != OutcomeDisallowed || !errors.Is(p.Err, ErrRobotsUnreachable) || !errors.Is(p.Err, syscall.ECONNREFUSED) {
		t.Errorf("%v %q %v", p.Outcome, p.Reason, p.Err)
	}
	if strings.Contains(p.Err.Error(), "\n") {
		t.Errorf("%q", p.Err)
	}
}

// What the address guard refuses on this machine names the policy of tests, and does not say twice that it is forbidden.
func TestLoopbackHelp(t *testing.T) {
	for _, at := range []string{"http://127.0.0.1:8080/", "http://localhost/", "http://127.0.0.1/"} {
		got, _ := crawl(t, &Crawler{}, at)
		p := got[at]
		if p == nil || p.Outcome != OutcomeForbidden || !strings.Contains(p.Reason, "HTTPFetcher{Addresses: amble.LoopbackOnly()}") ||
			strings.Contains(p.Err.Error(), "forbidden: address guard") {
			t.Errorf("%s: %+v", at, p)
		}
	}
}

func TestSeedWithoutScheme(t *testing.T) {
	for raw, want := range map[string]string{
		"example.com": "write https://example.com/", "example.com:8443/a?b": "write https://example.com:8443/a?b",
		"localhost:8080":  "write https://localhost:8080/",
		"mailto:a@b.test": "only http and https", "ftp://a.test/": "only http and https", "nothing": "only http and https", "tel:123": "only http and https",
	} {
		s := pages(nil)
		got, _ := crawl(t, &Crawler{Fetcher: s}, raw)
		if len(got) != 1 || len(s.paths()) > 0 {
			t.Errorf("%s: %v", raw, got)
		}
		for _, p := range got {
			if p.Outcome != OutcomeBadURL || !strings.Contains(p.Reason, want) {
				t.Errorf("%s: %v %q, want %q", raw, p.Outcome, p.Reason, want)
			}
		}
	}
}

// A Fetcher's own error says nothing about the link's target.
func TestAFetchersOwnErrorBreaksNoLink(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := pages(map[string]string{"/": links("/own", "/gone")})
		f := FetcherFunc(func(ctx context.Context, req *Request) (*Response, error) {
			if req.URL.Path == "/own" {
				return nil, errors.New("the cache is full")
			}
			return s.Fetch(ctx, req)
		})
		got, _ := checkLinks(t, &Crawler{Fetcher: f}, "https://site.test/")
		wantLinks(t, got, map[string]string{"https://site.test/own": LinkUnverifiable.String() + " " + string(LinkNoAnswer),
			"https://site.test/gone": LinkBroken.String() + " " + string(LinkGone)})
	})
}

type speechless struct{ id string }

func (f speechless) Rules() []Rule { return []Rule{{ID: f.id, Severity: Warning}} }
func (f speechless) Analyze(context.Context, *Page, func(Finding)) error {
	return fmt.Errorf("no dictionary\n%s", strings.Repeat("x", 10000))
}

type undeclared struct{}

func (undeclared) Analyze(_ context.Context, _ *Page, report func(Finding)) error {
	report(Finding{Rule: "other"})
	return nil
}
func (undeclared) Rules() []Rule { return []Rule{{ID: "declared"}} }

// What Analyzers fail at is in the Summary, also without a Logger.
func TestAnalyzerErrorsAreTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &Crawler{Fetcher: pages(map[string]string{"/": links("/a"), "/a": links()}),
			Analyzers: []Analyzer{speechless{"one"}, quietOne{}, panicky{}, undeclared{}}}
		_, sum := crawl(t, c, "https://site.test/")
		got := sum.AnalyzerErrors
		if len(got) != 3 {
			t.Fatalf("%+v", got)
		}
		for i, want := range []AnalyzerError{{"amble.speechless", 2, "no dictionary"}, {"amble.panicky", 2, "panic: oops"},
			{"amble.undeclared", 2, `a finding of the rule "other"`}} {
			if g := got[i]; g.Analyzer != want.Analyzer || g.Count != want.Count || !strings.HasPrefix(g.First, want.First) || len(g.First) > maxSnippet+10 {
				t.Errorf("got %+v, want %+v", g, want)
			}
		}
	})
}

type quietOne struct{}

func (quietOne) Rules() []Rule                                       { return []Rule{{ID: "silent"}} }
func (quietOne) Analyze(context.Context, *Page, func(Finding)) error { return nil }

type named struct {
	Fetcher
	agent Agent
}

func (n named) CrawlAgent() Agent { return n.agent }

func TestRendererOfAnotherAgent(t *testing.T) {
	other := testAgent
	other.Name = "Other"
	speaking := testAgent
	speaking.Language = "es"
	for _, test := range []struct {
		agent Agent
		fails bool
	}{{testAgent, false}, {speaking, false}, {other, true}, {Agent{}, true}} {
		synctest.Test(t, func(t *testing.T) {
			s := &site{Handler: http.NotFoundHandler()}
			c := &Crawler{Agent: testAgent, Fetcher: s, Renderer: named{s, test.agent}}
			if _, err := c.Run(t.Context(), "https://site.test/"); errors.Is(err, ErrConfig) != test.fails || test.fails && len(s.hits) > 0 {
				t.Errorf("%+v: %v", test.agent, err)
			}
		})
	}
}
