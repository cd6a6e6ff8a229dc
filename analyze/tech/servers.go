package tech

import (
	"encoding/hex"
	"fmt"
	"hash/fnv"
	"strings"
	"sync"

	"github.com/amblecrawl/amble"
)

// servers gathers what is said of servers: once per rule and target, with the first pages that showed it.
type servers struct {
	mu    sync.Mutex
	found map[string]*group
	order []*group
}

type group struct {
	f     amble.Finding
	count int
	pages []string
}

const (
	maxGroups = 10_000
	maxPages  = 10
)

func (s *servers) reset() { s.found, s.order = make(map[string]*group), nil }

func (s *servers) add(rule, target, page string, result amble.Result, message string, evidence ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	key := rule + " " + target
	g := s.found[key]
	if g == nil {
		if len(s.order) >= maxGroups {
			return
		}
		h := fnv.New128a()
		h.Write([]byte(key))
		g = &group{f: amble.Finding{Rule: rule, Result: result, URL: page, Target: target, Message: message,
			Evidence: pairs(evidence), Fingerprint: hex.EncodeToString(h.Sum(nil)[:10])}}
		s.found[key] = g
		s.order = append(s.order, g)
	}
	g.count++
	if len(g.pages) < maxPages {
		g.pages = append(g.pages, page)
	}
	g.f.URL = min(g.f.URL, page)
}

func (s *servers) finish(report func(amble.Finding)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, g := range s.order {
		if g.f.Evidence == nil {
			g.f.Evidence = make(map[string]string)
		}
		g.f.Evidence["pages"], g.f.Evidence["count"] = strings.Join(g.pages, " "), fmt.Sprint(g.count)
		report(g.f)
	}
	s.reset()
}
