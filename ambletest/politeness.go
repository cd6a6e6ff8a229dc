package ambletest

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/amblecrawl/amble"
)

// Claims are what a crawler says of itself, and how it is to be tried.
type Claims struct {
	// Pace is the least time between two requests to a server. 0: nothing is claimed, and none is judged; the report
	// tells the pace seen.
	Pace time.Duration

	// Token is the crawler's product token in robots.txt. Empty: the product named in its user agent.
	Token string

	// Time is how long one run may take before its context ends; what was seen until then is judged. 0: one minute.
	Time time.Duration

	// AtOnce is how many sites are crawled at the same time. 0: 4.
	AtOnce int

	// Serve puts a site on the air and returns its address, without a final slash, and what ends it. Nil: a port of
	// 127.0.0.1. In a bubble of testing/synctest, where sockets are of no use, it can hand the handler to the crawler.
	Serve func(h http.Handler) (base string, stop func())
}

// Judgement says whether a crawler kept one rule of politeness.
type Judgement struct {
	Rule   string // stable, such as "robots-5xx"
	Title  string // what is asked for
	Source string // who asks for it: an RFC, a convention

	// Result is Passed or Failed; CantTell where it is for a person to judge; Untested where the crawler did not come as
	// far as it had to.
	Result amble.Result
	Detail string   // what decided
	Log    []Access // what the site saw
	Err    error    // what run returned
}

// Politeness judges a crawler by what it does to scripted sites, whatever it is made of. run lets it loose at a site
// and returns when it is done: the site has links and a sitemap that lead to the same pages. Each rule is a subtest that
// fails with the log of the site. A rule that the crawler never came to is skipped.
func Politeness(t *testing.T, claims Claims, run func(ctx context.Context, site string) error) {
	t.Helper()
	for _, j := range Judge(t.Context(), claims, run) {
		t.Run(j.Rule, func(t *testing.T) {
			switch j.Result {
			case amble.Failed:
				var log strings.Builder
				for _, a := range j.Log {
					fmt.Fprintf(&log, "\n\t%v", a)
				}
				t.Errorf("%s (%s): %s%s", j.Title, j.Source, j.Detail, log.String())
			case amble.Untested:
				t.Skipf("%s: %s (the run ended with error %v)", j.Title, j.Detail, j.Err)
			}
		})
	}
}

// Judge is Politeness without a test: it returns a judgement for each rule, in a fixed order.
func Judge(ctx context.Context, claims Claims, run func(ctx context.Context, site string) error) []Judgement {
	if claims.Time == 0 {
		claims.Time = time.Minute
	}
	if claims.AtOnce == 0 {
		claims.AtOnce = 4
	}
	if claims.Serve == nil {
		claims.Serve = serveLoopback
	}
	if claims.Token == "" { // the first trial tells
		log, _ := trials[0].run(ctx, claims, run)
		if len(log) > 0 {
			claims.Token = tokenOf(log[0].UserAgent())
		}
	}
	out := make([]Judgement, len(trials))
	slots := make(chan bool, claims.AtOnce)
	var wg sync.WaitGroup
	for i := range trials {
		wg.Go(func() {
			slots <- true
			defer func() { <-slots }()
			out[i] = trials[i].judge(ctx, claims, run)
		})
	}
	wg.Wait()
	return out
}

// trial is one scripted site, and what to look for in its log.
type trial struct {
	rule, title, source string

	// script sets the site up; other is a second server.
	script func(s *Site, claims Claims, other string)
	// control is a path that a crawler which works will have asked for; without it nothing is proved.
	control string
	// verdict looks at the log. An empty detail with Passed is well.
	verdict func(log, other []Access, claims Claims) (amble.Result, string)
}

// run crawls the trial's site once.
func (tr *trial) run(ctx context.Context, claims Claims, run func(context.Context, string) error) (log []Access, err error) {
	log, _, err = tr.crawl(ctx, claims, run)
	return log, err
}

func (tr *trial) crawl(ctx context.Context, claims Claims, run func(context.Context, string) error) (log, otherLog []Access, err error) {
	site, other := NewSite(), NewSite().Page("/", Links("/x")).Page("/x", Links("/"))
	otherBase, stopOther := claims.Serve(other)
	defer stopOther()
	tr.script(site, claims, otherBase)
	base, stop := claims.Serve(site)
	defer stop()
	ctx, cancel := context.WithTimeout(ctx, claims.Time)
	defer cancel()
	err = run(ctx, base+"/")
	return site.Log(), other.Log(), err
}

func (tr *trial) judge(ctx context.Context, claims Claims, run func(context.Context, string) error) Judgement {
	j := Judgement{Rule: tr.rule, Title: tr.title, Source: tr.source}
	log, other, err := tr.crawl(ctx, claims, run)
	j.Log, j.Err = log, err
	if len(log) == 0 {
		j.Result, j.Detail = amble.Untested, "nothing was asked for"
		return j
	}
	j.Result, j.Detail = tr.verdict(log, other, claims)
	if j.Result == amble.Passed && tr.control != "" && count(log, tr.control) == 0 {
		j.Result, j.Detail = amble.Untested, tr.control+" was never asked for"
	}
	if j.Result == amble.Passed && j.Detail == "" {
		j.Detail = fmt.Sprintf("%d requests", len(log))
	}
	return j
}

func serveLoopback(h http.Handler) (string, func()) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", func() {}
	}
	server := &http.Server{Handler: h, ReadHeaderTimeout: 10 * time.Second}
	done := make(chan bool)
	go func() {
		defer close(done)
		if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			_ = l.Close()
		}
	}()
	return "http://" + l.Addr().String(), func() { _ = server.Close(); <-done }
}

// tokenOf finds the product that a user agent names: the one after "compatible;", or the last that no browser uses, or
// the first.
func tokenOf(userAgent string) string {
	name := func(product string) string {
		name, _, _ := strings.Cut(product, "/")
		return strings.Trim(name, " ;()+")
	}
	if _, rest, ok := strings.Cut(userAgent, "compatible;"); ok {
		return name(strings.TrimSpace(rest))
	}
	first, last := "", ""
	for product := range strings.FieldsSeq(userAgent) {
		if !strings.Contains(product, "/") || strings.ContainsAny(product, "(),;:") {
			continue
		}
		if first == "" {
			first = name(product)
		}
		switch n := name(product); n {
		case "Mozilla", "AppleWebKit", "Chrome", "Safari", "Mobile", "Gecko", "Firefox":
		default:
			last = n
		}
	}
	if last != "" {
		return last
	}
	return first
}

func count(log []Access, path string) int {
	n := 0
	for _, a := range log {
		if a.Path == path {
			n++
		}
	}
	return n
}
