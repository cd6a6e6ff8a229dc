package amble

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
)

// servers are the seeds' servers, kept with an interrupted run: its waiting URLs are in scope because of them, and the
// caller need not name the seeds again.
type servers struct {
	Seeds []Origin `json:"seeds"`
	Twins []Origin `json:"twins,omitempty"`
}

const serversNote = "crawl servers"

// rememberServers takes the servers of the run that goes on into the scope, and notes them all for the next attempt.
func (r *run) rememberServers(ctx context.Context) error {
	if r.history == nil {
		return nil
	}
	if r.resumed {
		var known servers
		note, err := r.history.Note(ctx, serversNote)
		switch {
		case errors.Is(err, ErrNoRecord):
		case err != nil:
			return &Error{Op: "store", Kind: ErrStore, Err: err}
		default:
			if err := json.Unmarshal(note, &known); err != nil {
				return &Error{Op: "store", Kind: ErrStore, Reason: "the note " + serversNote + " cannot be read", Err: err}
			}
		}
		for _, o := range known.Seeds {
			if !slices.Contains(r.origins, o) {
				r.origins = append(r.origins, o)
			}
		}
		r.twins = known.Twins
		r.scope.widen(known.Seeds)
		r.scope.widen(known.Twins)
	}
	return r.noteServers(ctx)
}

// noteServers keeps the seeds' servers and their twins.
func (r *run) noteServers(ctx context.Context) error {
	note, err := json.Marshal(servers{Seeds: r.origins, Twins: r.twins})
	if err == nil {
		err = r.history.PutNote(ctx, serversNote, note)
	}
	if err != nil {
		return &Error{Op: "store", Kind: ErrStore, Err: err}
	}
	return nil
}

// addTwin widens the scope by a seed's twin, and notes it before the redirect that led there is recorded.
func (r *run) addTwin(o Origin) {
	r.mu.Lock()
	r.twins = append(r.twins, o)
	var err error
	if r.history != nil {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(r.fetching), commitTime)
		err = r.noteServers(ctx)
		cancel()
	}
	r.mu.Unlock()
	if err != nil {
		r.fail(err)
	}
}

// singleUse is a Store that serves one run at a time: two would take each other's URLs.
type singleUse interface {
	beginUse() error
	endUse()
}

func storeBusy() error {
	return &Error{Op: "store", Kind: ErrStoreInUse, Reason: "another run is under way on this Store; give each its own"}
}
