package amble

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"sync"
	"time"
)

// Change says how a page differs from what the last run knew of it.
type Change uint8

const (
	ChangeUnknown Change = iota // no earlier run, or the page could not be loaded now or then
	ChangeNew                   // not known before
	ChangeNone                  // status, redirect, canonical and content are the same
	ChangeContent               // the visible text differs
	ChangeStatus                // the status differs
	ChangeTarget                // the redirect's target differs
	ChangeCanon                 // the canonical differs
	ChangeGone                  // it was there, and now is 404 or 410
	changeCount
)

var changeNames = [changeCount]string{"unknown", "new", "none", "content", "status", "redirect", "canonical", "gone"}

// String returns the change's stable name.
func (c Change) String() string {
	if c < changeCount {
		return changeNames[c]
	}
	return "invalid"
}

// MarshalText writes the name.
func (c Change) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// loaded reports whether an outcome tells what the page is like.
func (o Outcome) loaded() bool {
	switch o {
	case OutcomeAnalysed, OutcomeUnchanged, OutcomeRedirected, OutcomeHTTPError, OutcomeNotHTML:
		return true
	}
	return false
}

// compare finds out what changed since the record of an earlier run. The weightiest difference counts.
func compare(before *Record, now *Record) Change {
	switch {
	case !now.Outcome.loaded():
		return ChangeUnknown
	case before == nil:
		if now.Status >= 400 {
			return ChangeUnknown
		}
		return ChangeNew
	case before.Status == 0:
		return ChangeUnknown
	case now.Outcome == OutcomeUnchanged:
		return ChangeNone
	case (now.Status == http.StatusNotFound || now.Status == http.StatusGone) && before.Status < 400:
		return ChangeGone
	case now.Status != before.Status:
		return ChangeStatus
	case now.Redirect != before.Redirect:
		return ChangeTarget
	case now.Canonical != before.Canonical:
		return ChangeCanon
	case now.Hash != before.Hash:
		return ChangeContent
	}
	return ChangeNone
}

// recall looks up what an earlier run knew of the page.
func (r *run) recall(p *Page) {
	if r.history == nil {
		return
	}
	// Also when the crawl is ending: what was known must not be lost with the page that could not be asked for any more.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.fetching), commitTime)
	defer cancel()
	last, err := r.history.Last(ctx, p.URL)
	if err != nil {
		if !errors.Is(err, ErrNoRecord) {
			r.log.Warn("no look into the last run", "url", p.URL, "error", err)
		}
		return
	}
	if last.Seen.IsZero() || !last.Seen.Before(r.started) {
		return // of this run: only seen yet, or visited before an interruption
	}
	p.Previous = &last
}

// record is what the Store keeps of a page. What was known of its content stays when it could not be loaded this time.
func (r *run) record(p *Page) Record {
	rec := Record{URL: p.URL, Outcome: p.Outcome, Reason: p.Reason, Status: p.Status, Redirect: p.Redirect, At: p.Fetched, Seen: time.Now()}
	if prev := p.Previous; prev != nil && (p.Outcome == OutcomeUnchanged || !p.Outcome.loaded()) {
		rec.Status, rec.Hash, rec.ETag, rec.LastModified = prev.Status, prev.Hash, prev.ETag, prev.LastModified
		rec.Redirect, rec.Canonical, rec.Links = prev.Redirect, prev.Canonical, prev.Links
		if p.Outcome != OutcomeUnchanged || p.Fetched.IsZero() {
			rec.At = prev.At
		}
		return rec
	}
	if !p.Outcome.loaded() { // what was never whole is compared with nothing, and asked for anew
		rec.Status = 0
		return rec
	}
	if p.Response != nil {
		rec.ETag, rec.LastModified = p.Response.Header.Get("Etag"), p.Response.Header.Get("Last-Modified")
	}
	if p.Meta != nil {
		rec.Hash = p.Meta.TextHash
		if len(p.Meta.Canonicals) > 0 {
			rec.Canonical = p.Meta.Canonicals[0].URL
		}
	}
	return rec
}

// addConditions makes the request conditional when an earlier run knows the page's validators (RFC 9110 section 13).
func (r *run) addConditions(p *Page, req *Request) {
	last := p.Previous
	if last == nil || last.Status != http.StatusOK || last.ETag == "" && last.LastModified == "" || r.analysis.rendered {
		return
	}
	req.Header = r.gate.headers[KindPage].Clone()
	if last.ETag != "" {
		req.Header.Set("If-None-Match", last.ETag)
	}
	if last.LastModified != "" {
		req.Header.Set("If-Modified-Since", last.LastModified)
	}
}

// lastmodTrust keeps, for each server, how often its sitemap's lastmod proved right: it is believed only where it did.
type lastmodTrust struct {
	mu     sync.Mutex
	scores map[Origin]*lastmodScore
}

// lastmodScore counts pages whose lastmod said "not since your last visit", by whether that was so.
type lastmodScore struct {
	Right int `json:"right"`
	Wrong int `json:"wrong"`
	skips int
}

const (
	lastmodProofs = 20 // so many right answers are needed
	lastmodProbe  = 10 // and one page in so many is asked for all the same
)

// trusted reports whether the score allows a page to be left unasked.
func (s *lastmodScore) trusted() bool { return s.Right >= lastmodProofs && s.Wrong*20 <= s.Right }

func lastmodNote(o Origin) string { return "lastmod " + string(o) }

// score finds the server's score. The lock is held.
func (r *run) score(o Origin) *lastmodScore {
	if s := r.lastmod.scores[o]; s != nil {
		return s
	}
	s := &lastmodScore{}
	if note, err := r.history.Note(r.fetching, lastmodNote(o)); err == nil {
		_ = json.Unmarshal(note, s)
	}
	if r.lastmod.scores == nil {
		r.lastmod.scores = make(map[Origin]*lastmodScore)
	}
	r.lastmod.scores[o] = s
	return s
}

// claimsUnchanged reports whether the sitemap says that the page has not changed since it was last asked for.
func claimsUnchanged(item Item, p *Page) bool {
	return !item.LastMod.IsZero() && p.Previous != nil && p.Previous.Status == http.StatusOK && p.Previous.At.After(item.LastMod)
}

// skips decides whether a page is left unasked because a trusted sitemap says that it is as before. Now and then one is
// asked for all the same, so that trust can be lost.
func (r *run) skips(t *task, p *Page) bool {
	if r.history == nil || !claimsUnchanged(t.item, p) || r.analysis.rendered {
		return false
	}
	r.lastmod.mu.Lock()
	defer r.lastmod.mu.Unlock()
	s := r.score(t.item.Origin)
	if !s.trusted() {
		return false
	}
	s.skips++
	return s.skips%lastmodProbe != 0
}

// prove counts whether a lastmod told the truth.
func (r *run) prove(t *task, p *Page) {
	if r.history == nil || !claimsUnchanged(t.item, p) || p.Fetched.IsZero() {
		return
	}
	r.lastmod.mu.Lock()
	defer r.lastmod.mu.Unlock()
	s := r.score(t.item.Origin)
	switch p.Change {
	case ChangeNone:
		s.Right++
	case ChangeContent, ChangeStatus, ChangeTarget, ChangeCanon, ChangeGone:
		s.Wrong++
	}
}

// keepTrust notes the scores at the end of a run.
func (r *run) keepTrust(ctx context.Context) error {
	r.lastmod.mu.Lock()
	defer r.lastmod.mu.Unlock()
	for o, s := range r.lastmod.scores {
		note, err := json.Marshal(s)
		if err != nil {
			return err
		}
		if err := r.history.PutNote(ctx, lastmodNote(o), note); err != nil {
			return err
		}
	}
	return nil
}

// vanished counts the pages of earlier runs that this one did not meet.
func (r *run) vanished(ctx context.Context) error {
	records, ok := r.history.(RecordLister)
	if !ok {
		return nil
	}
	for rec, err := range records.Records(ctx) {
		if err != nil {
			return err
		}
		if rec.Status == http.StatusOK && rec.Outcome.loaded() && rec.Seen.Before(r.started) && r.scope.hasHost(rec.URL) {
			r.summary.Vanished++
			if len(r.summary.VanishedURLs) < maxVanished {
				r.summary.VanishedURLs = append(r.summary.VanishedURLs, rec.URL)
			}
		}
	}
	return nil
}

// maxVanished is how many vanished URLs the Summary names.
const maxVanished = 1000
