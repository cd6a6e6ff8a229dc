package amble

import (
	"context"
	"slices"
	"time"
)

// work does tasks until none is left. Its error is the Store's, and ends the crawl.
func (r *run) work() error {
	for {
		t, ok := r.sched.next(r.fetching)
		if !ok {
			return nil
		}
		if t.sitemap {
			if pushed, retry := r.readSitemap(t); retry {
				r.sched.retry(t)
			} else {
				r.sched.done(t, pushed)
			}
			continue
		}
		page, retry := r.visit(&t)
		if retry {
			r.sched.retry(t)
			continue
		}
		r.links.see(page)
		if r.history != nil {
			record := r.record(page)
			page.Change = compare(page.Previous, &record)
			r.prove(&t, page)
		}
		r.show(page)
		if !r.deliver(page) {
			r.sched.done(t, false)
			return nil
		}
		pushed, err := r.commit(&t, page)
		r.sched.done(t, pushed)
		if err != nil {
			return err
		}
	}
}

// deliver hands a page to the caller and waits until it is done with it. False: the caller has left.
func (r *run) deliver(p *Page) bool {
	d := delivery{page: p, ack: make(chan struct{})}
	select {
	case r.out <- d:
	case <-r.left:
		return false
	}
	select {
	case <-d.ack:
		return true
	case <-r.left:
	}
	select {
	case <-d.ack: // it took this page, then left
		return true
	default:
		return false
	}
}

// commit records a page and what it leads to. It reports whether anything new waits.
func (r *run) commit(t *task, p *Page) (pushed bool, err error) {
	if p.Outcome == OutcomeCancelled && r.history != nil {
		return false, nil // a durable Store leases it again in the next run
	}
	push := r.follow(t, p)
	record := r.record(p)
	if r.history != nil && p.Outcome == OutcomeAnalysed && (record.ETag != "" || record.LastModified != "") && r.followsLinks() {
		record.Links = p.leadsTo()
	}
	step := Step{Done: []Record{record}, Push: push}
	if p.Attempts > 0 && !r.forgetful() {
		step.Spent = r.spent(p)
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.fetching), commitTime)
	defer cancel()
	fresh, err := r.store.Commit(ctx, step)
	r.reuse(push)
	if err != nil {
		return false, &Error{Op: "store", Kind: ErrStore, Err: err}
	}
	return r.count(fresh), nil
}

// itemsFor gives an empty list with room for n items. Lists of one page are used again for another where the Store is
// known to keep none: with 60 links a page they are a good part of what a crawl allocates.
func (r *run) itemsFor(n int) []Item {
	if list, ok := r.lists.Get().(*[]Item); ok {
		return slices.Grow((*list)[:0], n)
	}
	return make([]Item, 0, n)
}

func (r *run) reuse(list []Item) {
	if r.forgetful() && cap(list) > 0 {
		clear(list)
		r.lists.Put(&list)
	}
}

// forgetful reports whether the Store keeps neither lists nor counters.
func (r *run) forgetful() bool {
	_, ok := r.store.(*MemoryStore)
	return ok
}

// commitTime bounds the wait for a Store that hangs. A finished page is committed even when the crawl is cancelled.
const commitTime = 30 * time.Second

// count adds the fresh URLs to those known.
func (r *run) count(fresh []bool) bool {
	n := 0
	for _, f := range fresh {
		if f {
			n++
		}
	}
	r.urls.Add(int64(n))
	return n > 0
}
