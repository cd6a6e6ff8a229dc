package directives

import (
	"slices"
	"strings"
	"time"
)

// Set is what is in force for one bot. The zero value restricts nothing.
type Set struct {
	// Names holds the rules without a value that are in force, sorted: "nofollow", "noindex", "noarchive", "nocache",
	// "nosnippet", "noimageindex", "notranslate", "indexifembedded", and the like. "none" stands as its two parts; rules
	// that only repeat the default ("all", "index", "follow") or have no effect any more are left out.
	Names []string
	// MaxSnippet and MaxVideoPreview are the limits, nil when none is given; -1 is no limit. nosnippet beats MaxSnippet.
	MaxSnippet, MaxVideoPreview *int
	// MaxImagePreview is "none", "standard", "large", or empty when not given.
	MaxImagePreview string
	// UnavailableAfter is the earliest date given, in UTC; zero when none is.
	UnavailableAfter time.Time
	// By holds the rules that made the set, in the order they were read: the source of each verdict.
	By []Rule
}

// Has reports whether a rule without a value is in force.
func (s Set) Has(name string) bool { return slices.Contains(s.Names, name) }

// Indexable reports whether the page may be in an index at the given time.
func (s Set) Indexable(now time.Time) bool {
	return !s.Has("noindex") && (s.UnavailableAfter.IsZero() || now.Before(s.UnavailableAfter))
}

// Follow reports whether the page's links may be followed.
func (s Set) Follow() bool { return !s.Has("nofollow") }

// For gives what is in force for a bot that answers to any of the tokens. Tokens have no case. Without a token only the
// rules for all bots count.
func (l *List) For(tokens ...string) Set {
	var s Set
	for _, r := range l.Rules {
		if r.Bot != "" && !slices.ContainsFunc(tokens, func(t string) bool { return strings.EqualFold(t, r.Bot) }) {
			continue
		}
		s.By = append(s.By, r)
		switch r.Name {
		case "max-snippet":
			s.MaxSnippet = stricter(s.MaxSnippet, r.N)
		case "max-video-preview":
			s.MaxVideoPreview = stricter(s.MaxVideoPreview, r.N)
		case "max-image-preview":
			if s.MaxImagePreview == "" || slices.Index(imageSizes, r.Text) < slices.Index(imageSizes, s.MaxImagePreview) {
				s.MaxImagePreview = r.Text
			}
		case "unavailable_after":
			if s.UnavailableAfter.IsZero() || r.Date.Before(s.UnavailableAfter) {
				s.UnavailableAfter = r.Date
			}
		default:
			if plain[r.Name] && !s.Has(r.Name) {
				s.Names = append(s.Names, r.Name)
			}
		}
	}
	slices.Sort(s.Names)
	return s
}

// stricter keeps the smaller limit; -1, no limit, is the largest.
func stricter(old *int, n int) *int {
	if old == nil || n >= 0 && (*old < 0 || n < *old) {
		return &n
	}
	return old
}
