package tech

import (
	"sync"

	"github.com/amblecrawl/amble"
	"github.com/amblecrawl/amble/analyze/internal/audit"
)

// servers gathers what is said of servers: once per rule and target, with the first pages that showed it.
type servers struct {
	mu     sync.Mutex
	groups audit.Groups
	seen   map[string]bool // origins of analysed pages
}

func (s *servers) add(rule, target, page string, result amble.Result, message string, evidence ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	g := s.groups.Add(rule, target, page, result, message, evidence...)
	g.Finding.URL = min(g.Finding.URL, page)
}

// see notes that a page of a server was analysed.
func (s *servers) see(origin string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.seen == nil {
		s.seen = make(map[string]bool)
	}
	s.seen[origin] = true
}

func (s *servers) finish(report func(amble.Finding)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.groups.Report(report)
	s.seen = nil
}
