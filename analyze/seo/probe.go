package seo

import (
	"crypto/rand"
	"strings"

	"github.com/amblecrawl/amble"
)

var _ amble.Prober = (*Analyzer)(nil)

// Probes implements amble.Prober. With Probe set it asks each server once for a page that cannot exist.
func (a *Analyzer) Probes(o amble.Origin) []string {
	if !a.Probe {
		return nil
	}
	return []string{string(o) + "/" + strings.ToLower(rand.Text())}
}

// Probed implements amble.Prober.
func (a *Analyzer) Probed(l *amble.LinkResult, report func(amble.Finding)) {
	if l.Verdict != amble.LinkOK && l.Verdict != amble.LinkRedirected {
		return // an error, as it must be, or no answer that says anything
	}
	origin := l.URL[:strings.LastIndexByte(l.URL, '/')]
	f := amble.Finding{Rule: "missing-page-found", URL: origin + "/", Target: origin, Message: "The server answers with success when it is asked for a page that does not exist.",
		Evidence: map[string]string{"asked": l.URL, "answer": l.Final}}
	if l.Verdict == amble.LinkRedirected {
		f.Message = "The server redirects to " + l.Final + " when it is asked for a page that does not exist."
	}
	report(f)
}
