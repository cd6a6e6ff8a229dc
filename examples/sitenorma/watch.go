package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/amblecrawl/amble"
	"github.com/amblecrawl/amble/examples/internal/cli"
)

// condition is how a site was found.
type condition struct {
	State  string    `json:"state"` // "up", "slow", "down", "certificate"; "unknown" when the server would not tell; "" at first
	Reason string    `json:"reason,omitempty"`
	Since  time.Time `json:"since"`
}

const (
	up          = "up"
	slow        = "slow"        // the first byte comes late
	down        = "down"        // no answer, a server error, or the page is gone
	certificate = "certificate" // it answers, and its certificate runs out soon
	unknown     = "unknown"     // refused, a challenge, robots.txt: a crawler cannot tell, and says so (S20)
)

// watcher looks at sites and tells what changes.
type watcher struct {
	crawler  *amble.Crawler
	confirm  time.Duration // between the first sight of a fault and the second look
	slow     time.Duration
	certDays int
	notes    amble.Notebook // nil: what was seen is forgotten at the end

	mu  sync.Mutex // guards what follows
	out io.Writer
	now map[string]condition
}

// watch tells the availability of sites (S5).
func watch(ctx context.Context, o options, out, _ io.Writer) (int, error) {
	if o.confirm < 10*time.Second {
		return 0, fmt.Errorf("sitenorma: -confirm %v is too soon to ask a server in trouble again; 10s at least: %w", o.confirm, amble.ErrConfig)
	}
	w := newWatcher(o, out)
	if o.state != "" {
		store, err := amble.OpenFileStore(o.state, nil)
		if err != nil {
			return 0, err
		}
		defer store.Close()
		w.notes = store
	}
	if o.once {
		return w.round(ctx, o.who.Args)
	}
	if err := w.recur(ctx, o.who.Args, o.every); !errors.Is(err, context.Canceled) {
		return 0, err
	}
	return cli.ExitOK, nil
}

// recur looks at each site again and again, until the context ends.
func (w *watcher) recur(ctx context.Context, sites []string, every time.Duration) error {
	monitor := &amble.Monitor{Notes: w.notes}
	for _, u := range sites {
		monitor.Jobs = append(monitor.Jobs, amble.Job{Name: u, Every: every, Run: func(ctx context.Context) error { return w.look(ctx, u) }})
	}
	return monitor.Run(ctx)
}

func newWatcher(o options, out io.Writer) *watcher {
	c := o.crawler()
	c.Discover, c.Budget = amble.DiscoverNothing, amble.Budget{Pages: 6, Time: 2 * time.Minute} // a page, and the redirects to it
	c.Robots = &amble.RFC9309{Tokens: c.Agent.ProductTokens()}                                  // shared, so that robots.txt is read once a day
	return &watcher{crawler: c, confirm: o.confirm, slow: o.slow, certDays: o.certDays, out: out, now: make(map[string]condition)}
}

// round looks at each site once. The code is 1 when one is down.
func (w *watcher) round(ctx context.Context, sites []string) (int, error) {
	var (
		all   sync.WaitGroup
		slots = make(chan struct{}, 4)
		mu    sync.Mutex
		errs  []error
	)
	for _, u := range sites {
		all.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			if err := w.look(ctx, u); err != nil {
				mu.Lock()
				errs = append(errs, err)
				mu.Unlock()
			}
		})
	}
	all.Wait()
	if err := errors.Join(errs...); err != nil {
		return 0, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	code := cli.ExitOK
	for _, c := range w.now {
		if c.State == down {
			code = cli.ExitFindings
		}
	}
	return code, nil
}

// look looks at a site, twice where the first look shows a fault that is not known yet, and tells a change.
func (w *watcher) look(ctx context.Context, site string) error {
	before := w.last(ctx, site)
	c, err := w.probe(ctx, site)
	if err != nil {
		return err
	}
	if fault(c.State) && c.State != before.State {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(w.confirm):
		}
		if c, err = w.probe(ctx, site); err != nil {
			return err
		}
	}
	return w.settle(ctx, site, before, c)
}

func fault(state string) bool { return state == down || state == slow }

// last is what is known of a site.
func (w *watcher) last(ctx context.Context, site string) (c condition) {
	w.mu.Lock()
	c = w.now[site]
	w.mu.Unlock()
	if c.State == "" && w.notes != nil {
		if note, err := w.notes.Note(ctx, "watch "+site); err == nil {
			_ = json.Unmarshal(note, &c) // a note that cannot be read is none
		}
	}
	return c
}

// settle keeps what was found, and tells it when it is new.
func (w *watcher) settle(ctx context.Context, site string, before, c condition) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if c.State == before.State {
		c.Since = before.Since
		w.now[site] = c
		return nil
	}
	w.now[site] = c
	line := fmt.Sprintf("%s %-11s %s", c.Since.UTC().Format(time.RFC3339), c.State, site)
	if c.Reason != "" {
		line += ": " + c.Reason
	}
	if before.State != "" {
		line += fmt.Sprintf(" (%s for %v)", before.State, c.Since.Sub(before.Since).Round(time.Second))
	}
	fmt.Fprintln(w.out, line)
	if w.notes == nil {
		return nil
	}
	note, err := json.Marshal(c)
	if err != nil {
		return err
	}
	return w.notes.PutNote(ctx, "watch "+site, note)
}

// probe asks for one page through all the gates of a crawl and judges the answer.
func (w *watcher) probe(ctx context.Context, site string) (condition, error) {
	var last *amble.Page
	_, err := w.crawler.Each(ctx, func(p *amble.Page) bool {
		if p.Outcome != amble.OutcomeRedirected || p.Redirect == "" {
			last = p
		}
		return true
	}, site)
	if err != nil {
		return condition{}, err
	}
	if last == nil {
		return condition{State: unknown, Reason: "its redirects lead to nothing that may be asked for", Since: time.Now()}, nil
	}
	c := w.judge(last, time.Now())
	c.Since = time.Now()
	return c, nil
}

// judge says what a page's end means for its site.
func (w *watcher) judge(p *amble.Page, now time.Time) condition {
	failed, noAnswer := errors.AsType[*amble.FetchError](p.Err)
	switch {
	case p.Outcome == amble.OutcomeUnreachable, errors.Is(p.Err, amble.ErrRobotsUnreachable) && noAnswer:
		return condition{State: down, Reason: cmp.Or(p.Reason, string(troubleOf(failed)))}
	case p.Outcome == amble.OutcomeTruncated:
		return condition{State: down, Reason: "the answer broke off"}
	case p.Outcome == amble.OutcomeHTTPError && (p.Status >= 500 || p.Status == http.StatusNotFound || p.Status == http.StatusGone):
		return condition{State: down, Reason: fmt.Sprintf("status %d %s", p.Status, http.StatusText(p.Status))}
	case !answered(p.Outcome):
		return condition{State: unknown, Reason: cmp.Or(p.Reason, p.Outcome.String())}
	}
	if t := p.Response.TLS; t != nil && len(t.Chain) > 0 {
		if left := t.Chain[0].NotAfter.Sub(now); left < time.Duration(w.certDays)*24*time.Hour {
			return condition{State: certificate, Reason: fmt.Sprintf("it ends on %s", t.Chain[0].NotAfter.UTC().Format(time.DateTime))}
		}
	}
	if first := p.Response.Timing.FirstByte; first > w.slow {
		return condition{State: slow, Reason: fmt.Sprintf("the first byte came after %v", first.Round(time.Millisecond))}
	}
	return condition{State: up}
}

func troubleOf(e *amble.FetchError) amble.Trouble {
	if e == nil {
		return ""
	}
	return e.Trouble
}

// answered reports whether the server gave what was asked for.
func answered(o amble.Outcome) bool {
	switch o {
	case amble.OutcomeAnalysed, amble.OutcomeUnchanged, amble.OutcomeNotHTML, amble.OutcomeTooLarge:
		return true
	}
	return false
}
