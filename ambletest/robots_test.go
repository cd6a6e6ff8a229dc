package ambletest

import (
	"bytes"
	"context"
	"net/url"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/amblecrawl/amble"
)

func TestRFC9309KeepsTheContract(t *testing.T) {
	TestRobotsPolicy(t, func(tokens ...string) amble.RobotsPolicy { return &amble.RFC9309{Tokens: tokens} })
}

func TestGoogleReadingKeepsTheContract(t *testing.T) {
	TestRobotsPolicy(t, func(tokens ...string) amble.RobotsPolicy { return &amble.RFC9309{Tokens: tokens, Google: true} })
}

type policyFunc func(ctx context.Context, u *url.URL, via amble.Fetcher) (amble.Verdict, error)

func (f policyFunc) Check(ctx context.Context, u *url.URL, via amble.Fetcher) (amble.Verdict, error) {
	return f(ctx, u, via)
}

// around breaks one promise of a sound policy.
func around(check func(p *amble.RFC9309, ctx context.Context, u *url.URL, via amble.Fetcher) (amble.Verdict, error)) robotsSubject {
	return func(tokens ...string) amble.RobotsPolicy {
		p := &amble.RFC9309{Tokens: tokens}
		return policyFunc(func(ctx context.Context, u *url.URL, via amble.Fetcher) (amble.Verdict, error) {
			return check(p, ctx, u, via)
		})
	}
}

// through changes the answers that a sound policy gets.
func through(change func(*amble.Response)) robotsSubject {
	return around(func(p *amble.RFC9309, ctx context.Context, u *url.URL, via amble.Fetcher) (amble.Verdict, error) {
		return p.Check(ctx, u, amble.FetcherFunc(func(ctx context.Context, req *amble.Request) (*amble.Response, error) {
			resp, err := via.Fetch(ctx, req)
			if resp != nil {
				change(resp)
			}
			return resp, err
		}))
	})
}

func TestRobotsSuiteFindsBrokenPromises(t *testing.T) {
	firstMatch := policyFunc(func(ctx context.Context, u *url.URL, via amble.Fetcher) (amble.Verdict, error) {
		resp, err := via.Fetch(ctx, &amble.Request{URL: &url.URL{Scheme: u.Scheme, Host: u.Host, Path: "/robots.txt"}})
		if err != nil {
			return amble.Verdict{}, nil
		}
		v := amble.Verdict{Allowed: true, State: amble.RobotsRules}
		for line := range bytes.Lines(resp.Body) {
			if path, ok := strings.CutPrefix(string(bytes.TrimSpace(line)), "Disallow: "); ok && strings.HasPrefix(u.Path, path) {
				v.Allowed = false
			}
		}
		return v, nil
	})
	rememberingOne := func(...string) amble.RobotsPolicy {
		var once sync.Once
		var kept amble.Verdict
		p := &amble.RFC9309{Tokens: []string{"AmbleTest"}}
		return policyFunc(func(ctx context.Context, u *url.URL, via amble.Fetcher) (amble.Verdict, error) {
			once.Do(func() { kept, _ = p.Check(ctx, u, via) })
			return kept, nil
		})
	}
	broken := map[string]robotsSubject{
		"the file is fetched through via, and nothing but the file": around(func(p *amble.RFC9309, ctx context.Context, u *url.URL, via amble.Fetcher) (amble.Verdict, error) {
			_, _ = via.Fetch(ctx, &amble.Request{URL: u})
			return p.Check(ctx, u, via)
		}),
		"the rules of RFC 9309 decide (section 2.2)": func(...string) amble.RobotsPolicy { return firstMatch },
		"a refusal is a Verdict that names its line": around(func(p *amble.RFC9309, ctx context.Context, u *url.URL, via amble.Fetcher) (amble.Verdict, error) {
			v, err := p.Check(ctx, u, via)
			if !v.Allowed && err == nil {
				err = amble.ErrDisallowed
			}
			return v, err
		}),
		"each scheme, host and port has its own file (section 2.3)": around(func(p *amble.RFC9309, ctx context.Context, u *url.URL, via amble.Fetcher) (amble.Verdict, error) {
			own := *u
			own.Scheme, own.Host = "https", u.Hostname()
			return p.Check(ctx, &own, via)
		}),
		"4xx restricts nothing (section 2.3.1.3)": through(func(r *amble.Response) {
			if r.Status == 403 {
				r.Status = 500
			}
		}),
		"a file that cannot be read is a refusal (section 2.3.1.4)": through(func(r *amble.Response) {
			if r.Status >= 500 {
				r.Status = 404
			}
		}),
		"a failure is not kept as if it were rules": rememberingOne,
		"five redirects are followed, and the rules hold for the first host (section 2.3.1.2)": through(func(r *amble.Response) {
			if r.Status == 302 {
				r.Status = 404
			}
		}),
		"a redirect that cannot be followed is a refusal": around(func(p *amble.RFC9309, ctx context.Context, u *url.URL, via amble.Fetcher) (amble.Verdict, error) {
			v, err := p.Check(ctx, u, via)
			v.Allowed = v.Allowed || v.State == amble.RobotsRefused
			return v, err
		}),
		"an ended context ends the wait, and is held against nobody": rememberingOne,
		"500 KiB are read (section 2.5)":                             through(func(r *amble.Response) { r.Body = r.Body[:min(len(r.Body), 100_000)] }),
		"robots.txt itself is allowed (section 2.2.2)": around(func(p *amble.RFC9309, ctx context.Context, u *url.URL, via amble.Fetcher) (amble.Verdict, error) {
			own := *u
			own.RawQuery = "x"
			return p.Check(ctx, &own, via)
		}),
		"a file is asked for again within a day (section 2.4)": func(tokens ...string) amble.RobotsPolicy {
			return &amble.RFC9309{Tokens: tokens, MaxAge: 48 * time.Hour}
		},
		"many may ask at once": around(func(p *amble.RFC9309, ctx context.Context, u *url.URL, via amble.Fetcher) (amble.Verdict, error) {
			return (&amble.RFC9309{Tokens: p.Tokens}).Check(ctx, u, via)
		}),
	}
	for _, p := range robotsPromises {
		t.Run(p.name, func(t *testing.T) {
			subject := broken[p.name]
			if subject == nil {
				t.Fatal("no part breaks this promise")
			}
			synctest.Test(t, func(t *testing.T) { wantFails(t, func(w testing.TB) { p.check(w, subject) }) })
		})
	}
}
