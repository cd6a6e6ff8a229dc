package amble

import (
	"net/http"
	"testing"
	"time"
)

// TestLedgerTellsAnOwner proves that the facts of a courtesy report are counted: refusals apart, times, the busiest second.
func TestLedgerTellsAnOwner(t *testing.T) {
	l := newLedger()
	a := l.account("https://site.test")
	start := time.Date(2026, 3, 1, 12, 0, 0, 100, time.UTC)
	a.sent(KindRobots, start)
	for i := range 3 {
		a.sent(KindPage, start.Add(5*time.Second+time.Duration(i)*100*time.Millisecond))
	}
	a.sent(KindPage, start.Add(9*time.Second))
	retry := http.Header{"Retry-After": {"7"}}
	a.heard(Feedback{Status: 429, Header: http.Header{}}, Advice{Wait: 5 * time.Second}, 10)
	a.heard(Feedback{Status: 503, Header: retry}, Advice{Wait: 7 * time.Second}, 10)
	a.heard(Feedback{Status: 503, Header: http.Header{}}, Advice{}, 10)
	a.robots(&Verdict{State: RobotsRules, Delay: 4 * time.Second})
	r := l.reports()[0]
	if r.TooMany != 1 || r.Outages != 2 || r.Throttled != 2 || r.Waited != 7*time.Second || r.Bytes != 30 || r.CrawlDelay != 4*time.Second {
		t.Errorf("refusals and waits: %+v", r)
	}
	if r.Busiest != 3 || !r.BusiestAt.Equal(start.Add(5*time.Second).Truncate(time.Second)) {
		t.Errorf("busiest: %d at %v", r.Busiest, r.BusiestAt)
	}
	if !r.First.Equal(start) || !r.Last.Equal(start.Add(9*time.Second)) || len(r.RobotsFetched) != 1 || !r.RobotsFetched[0].Equal(start) {
		t.Errorf("times: %v to %v, robots.txt %v", r.First, r.Last, r.RobotsFetched)
	}
	for range 2 * maxRobotsTimes {
		a.sent(KindRobots, start)
	}
	if r := l.reports()[0]; len(r.RobotsFetched) != maxRobotsTimes || r.Requests[KindRobots] != 2*maxRobotsTimes+1 {
		t.Errorf("%d times of robots.txt are kept", len(r.RobotsFetched))
	}
}
