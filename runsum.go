package amble

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
)

// sum closes the Summary.
func (r *run) sum(err error) *Summary {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := r.summary
	s.Took = time.Since(r.started)
	s.Bytes = r.bytes.Load()
	s.Dropped = int(r.dropped.Load())
	s.AnalyzerErrors = r.analysis.failed()
	s.Servers = r.ledger.reports()
	for i := range s.Servers {
		server := &s.Servers[i]
		server.Note = r.noteOf(server)
		for kind, n := range server.Requests {
			s.Requests[kind] += n
		}
	}
	switch cause := context.Cause(r.fetching); {
	case err != nil:
		s.Ended = err.Error()
	case r.broken:
		s.Ended = "the caller left"
	case errors.Is(cause, ErrBudget):
		s.Ended = cause.Error()
	case s.Outcomes[OutcomeOverBudget] > 0:
		s.Ended = "a limit of the budget was reached"
	default:
		s.Ended = "done"
	}
	return s
}

// noteOf says what a person should know of a server.
func (r *run) noteOf(server *ServerReport) string {
	var notes []string
	if l, ok := r.gate.limiter.(interface {
		Server(Origin) (ServerState, bool)
	}); ok {
		if state, ok := l.Server(server.Origin); ok && state.Clamped {
			notes = append(notes, fmt.Sprintf("robots.txt asks for a Crawl-delay of %v; %v was kept", state.CrawlDelay, state.Pace))
		}
	}
	if server.GivenUp {
		notes = append(notes, fmt.Sprintf("given up: %d pages in a row could not be loaded", r.giveUpAfter()))
	}
	return strings.Join(notes, "; ")
}
