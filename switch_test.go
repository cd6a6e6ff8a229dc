package amble

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"testing"
	"testing/synctest"
	"time"
)

// What is off is off for every kind of request, with all hosts below, whatever the scope says (C1).
func TestSwitchBeatsEverything(t *testing.T) {
	var s Switch
	if err := s.Off("Example.com.", "bücher.example"); err != nil {
		t.Fatal(err)
	}
	for raw, off := range map[string]bool{
		"https://example.com/": true, "http://WWW.example.com:8080/x": true, "https://example.com./": true, "https://xn--bcher-kva.example/": true,
		"https://notexample.com/": false, "https://example.org/": false,
	} {
		u, err := url.Parse(raw)
		if err != nil {
			t.Fatal(err)
		}
		err = s.Check(u)
		if got := errors.Is(err, ErrSwitchedOff) && errors.Is(err, ErrOutOfScope); got != off {
			t.Errorf("%s: %v", raw, err)
		}
	}
	u, _ := url.Parse("https://example.com/")
	for _, step := range []struct {
		name string
		do   func() error
	}{
		{"off again", func() error { return s.Off("example.com") }},
		{"all off", func() error { s.OffAll(); return s.On("example.com") }},
		{"set", func() error { s.OnAll(); return s.Set("other.example", "example.com") }},
	} {
		if err := step.do(); err != nil || s.Check(u) == nil {
			t.Errorf("%s: %v, %v", step.name, err, s.Check(u))
		}
	}
	if err := s.Set(); err != nil || s.Check(u) != nil {
		t.Errorf("on: %v, %v", err, s.Check(u))
	}
	if err := s.Off("no host", "fine.example"); !errors.Is(err, ErrConfig) {
		t.Errorf("bad host: %v", err)
	}
	if fine, _ := url.Parse("https://fine.example/"); s.Check(fine) == nil {
		t.Error("the good host of a list with a bad one is on")
	}
}

// Switching a site off ends its request under way and those that wait, at once, and nothing more is sent to it; other
// sites go on.
func TestSwitchEndsARunningCrawl(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var off Switch
		inner := pages(map[string]string{"/": links("/slow", "/b", "/c", "/d"), "/b": links(), "/c": links(), "/d": links()})
		s := FetcherFunc(func(ctx context.Context, req *Request) (*Response, error) {
			if req.URL.Path == "/slow" && req.URL.Host == "a.test" {
				inner.mu.Lock()
				inner.hits = append(inner.hits, hit{time.Now(), "GET", req.URL.String(), ""})
				inner.mu.Unlock()
				<-ctx.Done()
				return &Response{URL: req.URL, Status: 200, Header: http.Header{}, Cut: CutBroken}, nil
			}
			return inner.Fetch(ctx, req)
		})
		start := time.Now()
		var offAt time.Time
		time.AfterFunc(2500*time.Millisecond, func() { offAt = time.Now(); _ = off.Off("a.test") })
		c := &Crawler{Fetcher: s, Switch: &off, Agent: testAgent, Scope: Scope{Domains: []string{"a.test", "b.test"}}, Store: historian{NewMemoryStore()}}
		got, _ := crawl(t, c, "https://a.test/", "https://b.test/")
		for _, h := range inner.hits {
			if u, _ := url.Parse(h.url); u.Host == "a.test" && h.at.After(offAt) {
				t.Errorf("%s was asked for %v after the start", h.url, h.at.Sub(start))
			}
		}
		for _, path := range []string{"/slow", "/b", "/c", "/d"} {
			p := got["https://a.test"+path]
			if p == nil {
				t.Fatalf("a.test%s: no outcome", path)
			}
			if p.Outcome == OutcomeAnalysed {
				continue // before it was switched off
			}
			if p.Outcome != OutcomeOutOfScope || !errors.Is(p.Err, ErrSwitchedOff) || p.Reason == "" {
				t.Errorf("a.test%s: %v, %q, %v", path, p.Outcome, p.Reason, p.Err)
			}
			if q := got["https://b.test"+path]; path != "/slow" && (q == nil || q.Outcome != OutcomeAnalysed) {
				t.Errorf("b.test%s: %+v", path, q)
			}
		}
		if p := got["https://a.test/slow"]; p.Outcome != OutcomeOutOfScope {
			t.Errorf("the page under way: %v", p.Outcome)
		}
	})
}

// historian is a store without a history, to prove that the outcome does not depend on it.
type historian struct{ Store }

// A request that waits for its turn gives up the moment the site is switched off.
func TestSwitchEndsWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var off Switch
		c := &Crawler{Agent: testAgent, Switch: &off, Fetcher: pages(map[string]string{"/robots.txt": "User-agent: *\nCrawl-delay: 10"}),
			Limiter: &ServerLimiter{Pace: time.Hour}}
		via, err := c.Via()
		if err != nil {
			t.Fatal(err)
		}
		defer via.Close()
		time.AfterFunc(time.Minute, off.OffAll)
		start := time.Now()
		u, _ := url.Parse("https://a.test/x")
		_, err = via.Fetch(t.Context(), &Request{URL: u, Kind: KindLink})
		if !errors.Is(err, ErrSwitchedOff) || time.Since(start) != time.Minute {
			t.Errorf("after %v: %v", time.Since(start), err)
		}
	})
}

// A Via passes the same gates as a crawl.
func TestViaPassesTheGates(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := pages(map[string]string{"/robots.txt": "User-agent: *\nDisallow: /private", "/a": links(), "/private": links()})
		c := &Crawler{Agent: testAgent, Fetcher: s, Scope: Scope{Origins: []string{"https://a.test"}, ExcludeHosts: []string{"never.test"}}}
		via, err := c.Via()
		if err != nil {
			t.Fatal(err)
		}
		defer via.Close()
		for _, row := range []struct {
			url  string
			kind Kind
			want error
		}{
			{"https://a.test/a", KindPage, nil},
			{"https://a.test/a", KindOwnership, nil},
			{"https://b.test/a", KindOwnership, nil},
			{"https://b.test/a", KindPage, ErrOutOfScope},
			{"https://never.test/a", KindOwnership, ErrOutOfScope},
			{"https://a.test/private", KindOwnership, ErrDisallowed},
		} {
			u, _ := url.Parse(row.url)
			resp, err := via.Fetch(t.Context(), &Request{URL: u, Kind: row.kind, MaxBytes: -1})
			if !errors.Is(err, row.want) || row.want == nil && (resp == nil || resp.Status != 200) {
				t.Errorf("%s as %v: %v, want %v", row.url, row.kind, err, row.want)
			}
		}
		for i, h := range s.hits {
			if i > 0 && s.hits[i-1].url[:14] == h.url[:14] && h.at.Sub(s.hits[i-1].at) < time.Second {
				t.Errorf("%s came %v after the one before", h.url, h.at.Sub(s.hits[i-1].at))
			}
			if h.agent != testAgent.Plain() {
				t.Errorf("user agent %q", h.agent)
			}
		}
		if _, err := (&Crawler{}).Via(); !errors.Is(err, ErrNoIdentity) {
			t.Errorf("without an Agent: %v", err)
		}
	})
}
