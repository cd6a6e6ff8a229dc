// Package links turns the results of a crawl's link check into findings: one for each target, with every page that names
// it counted and the first ones listed. What is not certain is never reported as a failure (S20).
package links

import (
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"fmt"
	"net/http"
	"strings"
	"sync"

	"github.com/amblecrawl/amble"
	"github.com/amblecrawl/amble/analyze/text"
)

// Analyzer reports what links lead to. Crawler.Links must be set. The zero value writes English; it is safe for
// concurrent use, and several crawls may share it.
//
// Findings come when the last page has ended, in Summary.SiteFindings. Finding.Target is what is judged, Finding.URL the
// first page that names it, and the Evidence has "verdict", "problem", "status", "chain", "kind", "href", "text", "pages"
// and "references" (how many), and "referrers" (the first pages, one a line), as far as they apply. The fingerprint is
// made of rule and target alone, so that it is the same in every run.
type Analyzer struct {
	// Language of the rules' texts: "en", "es", "fr", "de" or "pt". "": English.
	Language string
}

var (
	_ amble.LinkAnalyzer = (*Analyzer)(nil)
	_ text.Source        = (*Analyzer)(nil)
)

// The rules' ids.
const (
	Broken         = "link-broken"
	BrokenFragment = "link-broken-fragment"
	Redirected     = "link-redirected"
	Unverifiable   = "link-unverifiable"
	Invalid        = "link-invalid"
	Mailto         = "link-mailto"
	Tel            = "link-tel"
)

var rules = []amble.Rule{
	{ID: Broken, Severity: amble.Serious, Certainty: amble.Issue, References: []string{"RFC 9110 section 15.5.5"}},
	{ID: BrokenFragment, Severity: amble.Notice, Certainty: amble.Issue, References: []string{"HTML standard 7.4.6.4"}},
	{ID: Redirected, Severity: amble.Notice, Certainty: amble.Opportunity, References: []string{"RFC 9110 section 15.4"}},
	{ID: Unverifiable, Severity: amble.Info, Certainty: amble.Doubt},
	{ID: Invalid, Severity: amble.Serious, Certainty: amble.Issue, References: []string{"URL standard 4.4"}},
	{ID: Mailto, Severity: amble.Notice, Certainty: amble.Issue, References: []string{"RFC 6068", "RFC 5322 section 3.4.1"}},
	{ID: Tel, Severity: amble.Notice, Certainty: amble.Doubt, References: []string{"RFC 3966 section 3", "ITU-T E.164"}},
}

//go:embed texts.json
var textsJSON []byte

var catalog = sync.OnceValue(func() text.Catalog {
	c, err := text.Parse(textsJSON)
	if err != nil {
		return nil // TestTexts proves that it cannot happen
	}
	return c
})

// Rules returns the rules with their texts in the Analyzer's language.
func (a *Analyzer) Rules() []amble.Rule {
	out := make([]amble.Rule, len(rules))
	for i, r := range rules {
		t, _ := catalog().Text(r.ID, a.Language)
		r.Title, r.Explanation, r.Fix, r.Needs = t.Title, t.Why, t.Fix, amble.NeedLinks
		out[i] = r
	}
	return out
}

// Text implements text.Source.
func (a *Analyzer) Text(rule, lang string) (text.Text, bool) { return catalog().Text(rule, lang) }

// Analyze implements amble.Analyzer: pages by themselves tell nothing about what their links lead to.
func (a *Analyzer) Analyze(context.Context, *amble.Page, func(amble.Finding)) error { return nil }

// AnalyzeLink implements amble.LinkAnalyzer.
func (a *Analyzer) AnalyzeLink(_ context.Context, l *amble.LinkResult, report func(amble.Finding)) error {
	f := amble.Finding{Target: l.URL}
	if l.Fragment != "" {
		f.Target += "#" + l.Fragment
	}
	switch {
	case l.Problem == amble.LinkInvalid:
		f.Rule, f.Message = Invalid, fmt.Sprintf("%q is not an address that a browser can go to.", l.URL)
	case l.Problem == amble.LinkMailto:
		f.Rule, f.Message = Mailto, fmt.Sprintf("No mail can be sent to %q: %s.", l.URL, l.Reason)
	case l.Problem == amble.LinkTel:
		f.Rule, f.Message = Tel, fmt.Sprintf("%q cannot be called: %s.", l.URL, l.Reason)
	case l.Problem == amble.LinkNoFragment:
		f.Rule, f.Message = BrokenFragment, fmt.Sprintf("%s has no place named %q.", l.Final, l.Fragment)
	case l.Problem == amble.LinkScripted:
		f.Rule, f.Result = BrokenFragment, amble.CantTell
		f.Message = fmt.Sprintf("The source of %s has no place named %q; a script may make it.", l.Final, l.Fragment)
	case l.Verdict == amble.LinkBroken:
		f.Rule, f.Message = Broken, "Broken: "+l.Reason+"."
		if !l.Internal {
			f.Severity = amble.Warning
		}
	case l.Verdict == amble.LinkRedirected && worthChanging(l):
		f.Rule, f.Message = Redirected, fmt.Sprintf("The address has moved to %s.", l.Final)
		if !permanent(l.Chain) {
			f.Message = fmt.Sprintf("The address leads on to %s for now.", l.Final)
		}
	case l.Verdict == amble.LinkUnverifiable:
		f.Rule, f.Result, f.Message = Unverifiable, amble.CantTell, "Could not be verified: "+l.Reason+"."
	default:
		return nil
	}
	if len(l.Referrers) > 0 {
		f.URL = l.Referrers[0]
	}
	f.Snippet, f.Evidence, f.Fingerprint = l.Href, evidence(l), fingerprint(f.Rule, f.Target)
	report(f)
	return nil
}

// worthChanging reports whether a redirect is something to tell the author of the link: within the site each costs
// visitors a request; elsewhere only a permanent one says that the address is another now.
func worthChanging(l *amble.LinkResult) bool { return l.Internal || permanent(l.Chain) }

// permanent reports whether every redirect of a chain says so: then its end is the address to link to.
func permanent(chain []amble.Hop) bool {
	for _, hop := range chain {
		if hop.Status != http.StatusMovedPermanently && hop.Status != http.StatusPermanentRedirect {
			return false
		}
	}
	return len(chain) > 0
}

func evidence(l *amble.LinkResult) map[string]string {
	e := map[string]string{"verdict": l.Verdict.String(), "pages": fmt.Sprint(l.Pages), "references": fmt.Sprint(l.References)}
	put := func(key, value string) {
		if value != "" {
			e[key] = value
		}
	}
	put("problem", string(l.Problem))
	put("kind", l.Kind)
	put("href", l.Href)
	put("text", l.Text)
	put("referrers", strings.Join(l.Referrers, "\n"))
	if l.Status > 0 {
		put("status", fmt.Sprint(l.Status))
	}
	put("chain", Chain(l))
	return e
}

// Chain writes the redirects of a result in one line, "301 https://a.example/ > https://b.example/"; empty when there
// are none.
func Chain(l *amble.LinkResult) string {
	if len(l.Chain) == 0 {
		return ""
	}
	var b strings.Builder
	for _, hop := range l.Chain {
		fmt.Fprintf(&b, "%d %s > ", hop.Status, hop.URL)
	}
	return b.String() + l.Final
}

func fingerprint(rule, target string) string {
	sum := sha256.Sum256([]byte(rule + "\x00" + target))
	return hex.EncodeToString(sum[:10])
}
