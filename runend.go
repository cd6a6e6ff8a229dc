package amble

import (
	"cmp"
	"context"
	"errors"
)

// finish runs after the last worker: it lets the SiteAnalyzers speak and ends what still waits.
func (r *run) finish(ctx context.Context) {
	rest := r.sched.stop()
	if ctx.Err() == nil && r.failure == nil && r.sched.err == nil && !r.hasLeft() {
		r.checkLinks(ctx)
		r.analysis.finish(ctx, r.addFindings)
	}
	if r.hasLeft() {
		return
	}
	overBudget := ctx.Err() == nil && errors.Is(context.Cause(r.fetching), ErrBudget)
	if overBudget || r.history == nil {
		r.drain(rest, overBudget)
	} else {
		r.countWaiting(rest)
	}
	if r.history != nil && ctx.Err() == nil && r.failure == nil && r.sched.err == nil && !r.hasLeft() {
		if err := errors.Join(r.keepTrust(ctx), r.vanished(ctx), r.history.EndRun(ctx)); err != nil {
			r.fail(&Error{Op: "store", Kind: ErrStore, Err: err})
		}
	}
}

// drain gives every URL that still waits its outcome: each URL ever seen has one. What is over the budget is recorded as
// such, whether or not the caller cancels meanwhile.
func (r *run) drain(rest []task, overBudget bool) {
	outcome, cause := OutcomeCancelled, cmp.Or(r.failure, r.sched.err, context.Cause(r.fetching))
	if overBudget {
		outcome = OutcomeOverBudget
	}
	var done []Record
	commit := func() bool {
		if !overBudget || len(done) == 0 {
			return true
		}
		ctx, cancel := context.WithTimeout(context.WithoutCancel(r.fetching), commitTime)
		defer cancel()
		_, err := r.store.Commit(ctx, Step{Done: done})
		done = done[:0]
		if err != nil {
			r.fail(&Error{Op: "store", Kind: ErrStore, Err: err})
		}
		return err == nil
	}
	end := func(item Item) bool {
		p := pageOf(item)
		r.recall(p)
		p.end(outcome, cause)
		if !r.deliver(p) {
			commit()
			return false
		}
		done = append(done, r.record(p))
		return len(done) < schedulerWindow || commit()
	}
	for _, t := range rest {
		if !t.sitemap && !end(t.item) {
			return
		}
	}
	for {
		items, err := r.store.Lease(context.WithoutCancel(r.fetching), schedulerWindow)
		for _, item := range items {
			if !end(item) {
				return
			}
		}
		if err != nil {
			r.fail(&Error{Op: "lease", Kind: ErrStore, Err: err})
		}
		if err != nil || len(items) == 0 {
			commit()
			return
		}
	}
}

func (r *run) hasLeft() bool {
	select {
	case <-r.left:
		return true
	default:
		return false
	}
}

// countWaiting counts what is left for a later run: all of it where the Store can tell, else what was leased.
func (r *run) countWaiting(rest []task) {
	n := 0
	if s, ok := r.store.(interface{ Waiting() int }); ok {
		n = s.Waiting()
	} else {
		for _, t := range rest {
			if !t.sitemap {
				n++
			}
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.summary.Waiting = n
}
