package amble

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/amblecrawl/amble/internal/urlkey"
)

// Quota bounds what is asked of a site over any number of runs and restarts, as far as the Store remembers them: with a
// Store that is no Historian it holds for each run alone. A site is a registrable domain with all its hosts, schemes and
// ports, or a host that has none. The zero Quota has no limits.
type Quota struct {
	// PagesPerDay is how many pages of a site may be asked for in a day (C7). It is counted, durably, before each request
	// leaves: a process that dies does not forget it. 0: no limit.
	PagesPerDay int

	// Between is the least time from the start of one run to the start of the next on a site (C10). A run that never
	// ended may go on at any time. A run that would be too early fails with ErrTooSoon. 0: none.
	Between time.Duration

	// Day is where the day's border is midnight. Nil: UTC.
	Day *time.Location
}

// TooSoonError says that a site was scanned too short a time ago. It matches ErrTooSoon.
type TooSoonError struct {
	Site string
	Due  time.Time // when the next run may start
}

// Error says when to come back.
func (e *TooSoonError) Error() string {
	return fmt.Sprintf("amble: quota: %s: %v: the next run is due at %s", e.Site, ErrTooSoon, e.Due.Format(time.RFC3339))
}

// Unwrap returns ErrTooSoon.
func (e *TooSoonError) Unwrap() error { return ErrTooSoon }

// siteOf is what a quota counts as one site.
func siteOf(o Origin) string {
	host := hostOf(o)
	if domain, ok := urlkey.Registrable(host); ok {
		return domain
	}
	return host
}

// quotas keeps count during a run.
type quotas struct {
	rule    Quota
	history Historian // nil: nothing is remembered
	mu      sync.Mutex
	days    map[string]int64 // pages by quota key, those of earlier runs counted in
}

func newQuotas(rule Quota, history Historian) *quotas {
	return &quotas{rule: rule, history: history, days: make(map[string]int64)}
}

// key names a site's day.
func (q *quotas) key(o Origin) string {
	day := time.UTC
	if q.rule.Day != nil {
		day = q.rule.Day
	}
	return time.Now().In(day).Format(time.DateOnly) + " " + siteOf(o)
}

// take takes one page of the site's day. ok is false when the day is used up, key empty when there is no limit.
func (q *quotas) take(ctx context.Context, o Origin) (key string, ok bool, err error) {
	if q.rule.PagesPerDay <= 0 {
		return "", true, nil
	}
	key = q.key(o)
	q.mu.Lock()
	defer q.mu.Unlock()
	used, known := q.days[key]
	if !known && q.history != nil {
		spent, err := q.history.Counter(ctx, key)
		if err != nil {
			return key, false, &Error{Op: "quota", Kind: ErrStore, Err: err}
		}
		used = spent.Pages
	}
	if used >= int64(q.rule.PagesPerDay) {
		q.days[key] = used
		return key, false, nil
	}
	q.days[key] = used + 1
	return key, true, nil
}

// giveBack returns a page that was not asked for after all.
func (q *quotas) giveBack(key string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.days[key] > 0 {
		q.days[key]--
	}
}

// begin refuses a run that is too early, and notes its start.
func (q *quotas) begin(ctx context.Context, seeds []urlkey.URL) error {
	if q.rule.Between <= 0 || q.history == nil {
		return nil
	}
	now := time.Now()
	sites := make(map[string]bool)
	for _, seed := range seeds {
		sites[siteOf(Origin(seed.Origin()))] = true
	}
	for site := range sites {
		note, err := q.history.Note(ctx, runNote(site))
		if errors.Is(err, ErrNoRecord) {
			continue
		}
		if err != nil {
			return &Error{Op: "quota", Kind: ErrStore, Err: err}
		}
		last, err := time.Parse(time.RFC3339Nano, strings.TrimSpace(string(note)))
		if err == nil && now.Sub(last) < q.rule.Between {
			return &TooSoonError{Site: site, Due: last.Add(q.rule.Between)}
		}
	}
	for site := range sites {
		if err := q.history.PutNote(ctx, runNote(site), []byte(now.Format(time.RFC3339Nano))); err != nil {
			return &Error{Op: "quota", Kind: ErrStore, Err: err}
		}
	}
	return nil
}

func runNote(site string) string { return "run " + site }
