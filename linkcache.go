package amble

import (
	"context"
	"encoding/json"
	"maps"
	"sync"
	"time"
)

// linkCache remembers what link checks found, for a while: in memory over all crawls with one LinkCheck, and in one note
// of a Store that remembers.
type linkCache struct {
	mu      sync.Mutex
	entries map[string]linkMemo
}

// linkMemo is a linkAnswer as it is kept.
type linkMemo struct {
	At      time.Time   `json:"at"`
	Status  int         `json:"status,omitzero"`
	Next    string      `json:"next,omitzero"`
	Places  bool        `json:"places,omitzero"`
	Verdict LinkVerdict `json:"verdict"`
	Problem LinkProblem `json:"problem,omitzero"`
	Reason  string      `json:"reason,omitzero"`
}

const (
	linkNote     = "links"
	maxLinkMemos = 20_000 // about 3 MB as a note
)

func (m linkMemo) answer() linkAnswer {
	return linkAnswer{known: true, source: "cache", status: m.Status, next: m.Next, places: m.Places, verdict: m.Verdict,
		problem: m.Problem, reason: m.Reason, at: m.At}
}

// fresh reports whether a memo still holds. The time runs from the answer, however often it was used.
func (l *LinkCheck) fresh(m linkMemo, now time.Time) bool {
	life := defaulted(l.Keep, 24*time.Hour)
	if m.Verdict == LinkUnverifiable {
		life = defaulted(l.KeepUnsure, 5*time.Minute)
	}
	return life > 0 && now.Sub(m.At) < life
}

func (l *LinkCheck) recall(u string) (linkAnswer, bool) {
	l.cache.mu.Lock()
	defer l.cache.mu.Unlock()
	m, ok := l.cache.entries[u]
	if !ok || !l.fresh(m, time.Now()) {
		return linkAnswer{}, false
	}
	return m.answer(), true
}

// keep remembers an answer that a link check got. One that says nothing, or must be asked for again, is not kept.
func (l *LinkCheck) keep(u string, a linkAnswer) {
	if a.source != "check" || a.verdict == LinkNotChecked && a.next == "" || a.doubtful || a.final != "" {
		return
	}
	m := linkMemo{a.at, a.status, a.next, a.places, a.verdict, a.problem, a.reason}
	if a.next != "" {
		m.Verdict = LinkRedirected
	}
	now := time.Now()
	if !l.fresh(m, now) {
		return
	}
	l.cache.mu.Lock()
	defer l.cache.mu.Unlock()
	l.put(u, m, now)
}

// put adds a memo and holds the bound. The lock is held.
func (l *LinkCheck) put(u string, m linkMemo, now time.Time) {
	if l.cache.entries == nil {
		l.cache.entries = make(map[string]linkMemo)
	}
	if len(l.cache.entries) >= maxLinkMemos {
		maps.DeleteFunc(l.cache.entries, func(_ string, m linkMemo) bool { return !l.fresh(m, now) })
	}
	for old := range l.cache.entries {
		if len(l.cache.entries) < maxLinkMemos {
			break
		}
		delete(l.cache.entries, old)
	}
	l.cache.entries[u] = m
}

// load reads the Store's note. What cannot be read is asked for again.
func (l *LinkCheck) load(ctx context.Context, h Historian) {
	if h == nil {
		return
	}
	note, err := h.Note(ctx, linkNote)
	if err != nil {
		return
	}
	kept := make(map[string]linkMemo)
	if json.Unmarshal(note, &kept) != nil {
		return
	}
	now := time.Now()
	l.cache.mu.Lock()
	defer l.cache.mu.Unlock()
	for u, m := range kept {
		if known, ok := l.cache.entries[u]; l.fresh(m, now) && (!ok || known.At.Before(m.At)) {
			l.put(u, m, now)
		}
	}
}

// save writes the Store's note.
func (l *LinkCheck) save(ctx context.Context, h Historian) error {
	if h == nil {
		return nil
	}
	now := time.Now()
	l.cache.mu.Lock()
	maps.DeleteFunc(l.cache.entries, func(_ string, m linkMemo) bool { return !l.fresh(m, now) })
	note, err := json.Marshal(l.cache.entries)
	l.cache.mu.Unlock()
	if err != nil {
		return err
	}
	return h.PutNote(ctx, linkNote, note)
}
