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
}

func (s *servers) add(rule, target, page string, result amble.Result, message string, evidence ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	g := s.groups.Add(rule, target, page, result, message, evidence...)
	g.Finding.URL = min(g.Finding.URL, page)
}

func (s *servers) finish(report func(amble.Finding)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.groups.Report(report)
}
