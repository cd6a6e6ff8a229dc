package amble

import (
	"context"
	"net/url"
	"slices"
	"strings"
	"sync"

	"github.com/amblecrawl/amble/internal/urlkey"
)

// Switch turns sites off, at once, also while crawls are running (C1): nothing more is asked of them, requests that wait
// for their turn give up waiting, and requests under way are broken off. It beats everything else: scope, proofs of
// ownership, what robots.txt allows. One Switch may serve any number of Crawlers; it is safe for concurrent use, and its
// zero value has everything on.
//
// A URL that was stopped ends with OutcomeOutOfScope; its error matches ErrSwitchedOff. Files of a site that is switched
// off are broken off too when a browser loads them for a page of another site (GateWatcher).
type Switch struct {
	mu       sync.RWMutex
	all      bool
	hosts    []string // in one form; each stands for the hosts below it too
	watchers map[*switchWatcher]struct{}
}

// switchWatcher is a request that is to end when its host is switched off.
type switchWatcher struct {
	host   string
	cancel context.CancelCauseFunc
}

// Off turns hosts off, with all hosts below them, until On. An error that matches ErrConfig names what is no host; the
// others are off all the same.
func (s *Switch) Off(hosts ...string) error {
	names, err := switchHosts(hosts)
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, host := range names {
		if !slices.Contains(s.hosts, host) {
			s.hosts = append(s.hosts, host)
		}
	}
	s.stop()
	return err
}

// On takes hosts out of the list that Off made. A host below one that is off stays off.
func (s *Switch) On(hosts ...string) error {
	names, err := switchHosts(hosts)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.hosts = slices.DeleteFunc(s.hosts, func(host string) bool { return slices.Contains(names, host) })
	return err
}

// Set replaces the whole list, as it is read again from a file or a database. OffAll is not touched.
func (s *Switch) Set(hosts ...string) error {
	names, err := switchHosts(hosts)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.hosts = names
	s.stop()
	return err
}

// OffAll turns everything off; OnAll ends that, and leaves the list of hosts as it is.
func (s *Switch) OffAll() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all = true
	s.stop()
}

// OnAll ends OffAll.
func (s *Switch) OnAll() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all = false
}

// Check reports whether a URL's host is switched off; the error matches ErrSwitchedOff and ErrOutOfScope.
func (s *Switch) Check(u *url.URL) error { return s.check(u.String(), u.Hostname()) }

func (s *Switch) check(rawURL, host string) error {
	if s == nil {
		return nil
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.reason(rawURL, host)
}

// reason says why a host is off, or returns nil. The lock is held.
func (s *Switch) reason(rawURL, host string) error {
	off := &Error{Op: "switch", URL: rawURL, Kind: ErrOutOfScope, Err: ErrSwitchedOff}
	if s.all {
		off.Reason = "everything is switched off"
		return off
	}
	if len(s.hosts) == 0 {
		return nil
	}
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	for _, name := range s.hosts {
		if urlkey.WithinDomain(host, name) {
			off.Reason = "the host is switched off (" + name + ")"
			return off
		}
	}
	return nil
}

// stop ends the requests whose host is off. The lock is held.
func (s *Switch) stop() {
	for w := range s.watchers {
		if err := s.reason("", w.host); err != nil {
			w.cancel(err)
		}
	}
}

// watch returns a context that ends when the host is switched off, with the reason as its cause. leave must be called.
func (s *Switch) watch(ctx context.Context, host string) (_ context.Context, leave func()) {
	if s == nil {
		return ctx, func() {}
	}
	ctx, cancel := context.WithCancelCause(ctx)
	w := &switchWatcher{host, cancel}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.reason("", host); err != nil {
		cancel(err)
	}
	if s.watchers == nil {
		s.watchers = make(map[*switchWatcher]struct{})
	}
	s.watchers[w] = struct{}{}
	return ctx, func() {
		s.mu.Lock()
		delete(s.watchers, w)
		s.mu.Unlock()
		cancel(nil)
	}
}

// switchHosts brings host names into one form, and names the first that is none.
func switchHosts(raw []string) (names []string, err error) {
	for _, host := range raw {
		name, bad := canonicalHost(host)
		if bad != nil {
			if err == nil {
				err = &Error{Op: "switch", Kind: ErrConfig, Reason: host + " is not a host name"}
			}
			continue
		}
		names = append(names, name)
	}
	return names, err
}
