package analyze

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/amblecrawl/amble"
	"github.com/amblecrawl/amble/analyze/seo"
	"github.com/amblecrawl/amble/analyze/text"
	"github.com/amblecrawl/amble/internal/langtag"
	"github.com/amblecrawl/amble/internal/urlkey"
)

// Metadata returns the Analyzer of what pages say about themselves (C6, C12): robots directives addressed to all robots
// or to the agent's own tokens, canonical addresses, title, description, heading, language, hreflang, encoding and
// structured data. It reports failures only; the facts themselves are in Page.Meta. It keeps no state and may be used
// by any number of crawls at once.
func Metadata(agent amble.Agent) amble.Analyzer { return metadata{agent} }

type metadata struct{ agent amble.Agent }

const (
	googleRobots    = "Google Search Central, robots meta tag specifications"
	googleCanonical = "Google Search Central, canonical URLs; RFC 6596"
	htmlStandard    = "HTML standard"
)

// whole marks rules that judge what is absent: they cannot be trusted on a part of a page.
const whole = amble.NeedMeta | amble.NeedWhole

var metadataRules = []amble.Rule{
	{ID: "noindex", Title: "The page may not be indexed", Severity: amble.Warning, Certainty: amble.Doubt, Needs: amble.NeedMeta,
		Explanation: "A directive keeps the page out of search results. That is right for some pages and a costly slip on others.",
		Fix:         "Remove the directive if the page should be found.", References: []string{googleRobots}},
	{ID: "nofollow-page", Title: "The page's links may not be followed", Severity: amble.Notice, Certainty: amble.Doubt, Needs: amble.NeedMeta,
		Explanation: "A directive for the whole page keeps robots from following any of its links.",
		Fix:         "Mark single links with rel=nofollow instead, if that is what is meant.", References: []string{googleRobots}},
	{ID: "metadata-malformed", Title: "Metadata is malformed", Severity: amble.Notice, Certainty: amble.Issue, Needs: amble.NeedMeta,
		Explanation: "What cannot be read is ignored, so that a wish stated there may not be respected.",
		Fix:         "Write the directive, header or block as its specification says.", References: []string{googleRobots, "RFC 8288", "JSON-LD 1.1"}},
	{ID: "canonical-multiple", Title: "Several canonical addresses", Severity: amble.Serious, Certainty: amble.Issue, Needs: amble.NeedMeta,
		Explanation: "Canonical links or headers name different addresses; search engines then choose by themselves.",
		Fix:         "Keep one.", References: []string{googleCanonical}},
	{ID: "canonical-conflict", Title: "Canonical header and element disagree", Severity: amble.Serious, Certainty: amble.Issue, Needs: amble.NeedMeta,
		Explanation: "The Link header names another canonical address than the link element.",
		Fix:         "Make both agree, or keep one.", References: []string{googleCanonical, "RFC 8288"}},
	{ID: "canonical-invalid", Title: "The canonical address is no URL", Severity: amble.Serious, Certainty: amble.Issue, Needs: amble.NeedMeta,
		Explanation: "An empty or unreadable address is ignored.", Fix: "Give an absolute URL.", References: []string{googleCanonical, "URL standard"}},
	{ID: "canonical-outside-head", Title: "The canonical link stands in the body", Severity: amble.Serious, Certainty: amble.Issue, Needs: amble.NeedMeta,
		Explanation: "A canonical link counts in the head only. An element before it may have ended the head early.",
		Fix:         "Move it into the head, before anything that belongs to the body.", References: []string{googleCanonical, htmlStandard + ", 4.2.4"}},
	{ID: "head-broken", Title: "The head ends early", Severity: amble.Serious, Certainty: amble.Issue, Needs: amble.NeedMeta,
		Explanation: "An element that may not stand in a head ended it; metadata after that element stands in the body and does not count.",
		Fix:         "Move the element into the body.", References: []string{htmlStandard + ", 13.2.6.4.4"}},
	{ID: "title-missing", Title: "No title", Severity: amble.Serious, Certainty: amble.Issue, Needs: whole,
		Explanation: "The page has no title, or an empty one.", Fix: "Give it a title of its own.", References: []string{htmlStandard + ", 4.2.2", "WCAG 2.2 2.4.2"}},
	{ID: "title-multiple", Title: "Several titles", Severity: amble.Warning, Certainty: amble.Issue, Needs: amble.NeedMeta,
		Explanation: "Only the first title counts.", Fix: "Keep one.", References: []string{htmlStandard + ", 4.2.2"}},
	{ID: "description-missing", Title: "No meta description", Severity: amble.Notice, Certainty: amble.Opportunity, Needs: whole,
		Explanation: "Search engines make up a text of their own.", Fix: "Say in one or two sentences what the page offers."},
	{ID: "description-multiple", Title: "Several meta descriptions", Severity: amble.Warning, Certainty: amble.Issue, Needs: amble.NeedMeta,
		Explanation: "Which one is used is not certain.", Fix: "Keep one.", References: []string{htmlStandard + ", 4.2.5.1"}},
	{ID: "h1-missing", Title: "No main heading", Severity: amble.Notice, Certainty: amble.Doubt, Needs: whole,
		Explanation: "The page has no h1 element.", Fix: "Give it one that says what the page is about."},
	{ID: "lang-missing", Title: "No language", Severity: amble.Warning, Certainty: amble.Issue, Needs: amble.NeedMeta,
		Explanation: "Without a language on the html element speech output and translation have to guess.",
		Fix:         "Add lang to the html element.", References: []string{"WCAG 2.2 3.1.1", htmlStandard + ", 3.2.6.2"}},
	{ID: "lang-invalid", Title: "The language is none", Severity: amble.Warning, Certainty: amble.Issue, Needs: amble.NeedMeta,
		Explanation: "The language tag of the html element is not of BCP 47.", Fix: "Use a registered language tag.", References: []string{"RFC 5646", "WCAG 2.2 3.1.1"}},
	{ID: "hreflang-invalid", Title: "An hreflang code is none", Severity: amble.Serious, Certainty: amble.Issue, Needs: amble.NeedMeta,
		Explanation: "Search engines want an ISO 639-1 language, optionally a script and an ISO 3166-1 region, or x-default; anything else is ignored.",
		Fix:         "Correct the code: en-GB, not en-UK.", References: []string{"Google Search Central, localized versions", "ISO 3166-1"}},
	{ID: "charset-undeclared", Title: "No character encoding is declared", Severity: amble.Warning, Certainty: amble.Issue, Needs: amble.NeedMeta,
		Explanation: "Browsers then read the page as windows-1252, or guess.", Fix: "Send charset=utf-8 in Content-Type, or put a meta charset first in the head.",
		References: []string{htmlStandard + ", 4.2.5.4"}},
}

// Rules implements amble.Analyzer.
func (metadata) Rules() []amble.Rule { return append([]amble.Rule(nil), metadataRules...) }

// Text implements text.Source. Rules that package seo has too say the same there.
func (metadata) Text(rule, lang string) (text.Text, bool) {
	if t, ok := metadataTexts.Text(rule, lang); ok {
		return t, true
	}
	if !slices.ContainsFunc(metadataRules, func(r amble.Rule) bool { return r.ID == rule }) {
		return text.Text{}, false
	}
	return seo.Texts().Text(rule, lang)
}

// Analyze implements amble.Analyzer.
func (a metadata) Analyze(_ context.Context, p *amble.Page, report func(amble.Finding)) error {
	m := p.Meta
	if m == nil {
		return nil
	}
	fail := func(rule, snippet, format string, args ...any) {
		report(amble.Finding{Rule: rule, Snippet: clip(snippet), Message: fmt.Sprintf(format, args...)})
	}
	a.directives(m, fail)
	canonicals(m, fail)
	languages(m, fail)
	complete := !m.Partial && !p.Partial()
	if complete && m.Title == "" {
		fail("title-missing", "", "The page has no title.")
	}
	if m.Titles > 1 {
		fail("title-multiple", m.Title, "The page has %d titles; the first counts.", m.Titles)
	}
	if complete && strings.TrimSpace(m.Description) == "" {
		fail("description-missing", "", "The page has no meta description.")
	}
	if m.Descriptions > 1 {
		fail("description-multiple", m.Description, "The page has %d meta descriptions.", m.Descriptions)
	}
	if complete && len(m.H1) == 0 {
		fail("h1-missing", "", "The page has no h1 element.")
	}
	if m.HeadEndedBy == "text" && displaced(m) {
		fail("head-broken", "", "Text ended the head early.")
	} else if m.HeadEndedBy != "" && displaced(m) {
		fail("head-broken", "<"+m.HeadEndedBy+">", "The element %s ended the head early.", m.HeadEndedBy)
	}
	if m.CharsetSource == "fallback" {
		fail("charset-undeclared", "", "The page declares no character encoding.")
	}
	return nil
}

type failer func(rule, snippet, format string, args ...any)

// displaced reports whether metadata that counts in the head only stands in the body. Many pages leave out the tags of
// head and body, which is right: an element that ends such a head harms nothing by itself.
func displaced(m *amble.Meta) bool {
	for _, c := range m.Canonicals {
		if !c.Head && !c.Header {
			return true
		}
	}
	for _, a := range m.Alternates {
		if !a.Head && !a.Header {
			return true
		}
	}
	for _, r := range m.RobotsTags {
		if !r.Head && !r.Header {
			return true
		}
	}
	return false
}

// directives reports what robots may not do, and the line that says so (C12).
func (a metadata) directives(m *amble.Meta, fail failer) {
	said := make(map[string]bool)
	for _, d := range m.Robots.From {
		rule, what := "", ""
		switch {
		case d.Name == "noindex":
			rule, what = "noindex", "must not be indexed"
		case d.Name == "unavailable_after" && m.Robots.NoIndex:
			if !m.Robots.Has("noindex") {
				rule, what = "noindex", "must not be indexed after "+m.Robots.UnavailableAfter.Format("2006-01-02 15:04 MST")+", which is past"
			}
		case d.Name == "nofollow":
			rule, what = "nofollow-page", "must not have its links followed"
		}
		if rule == "" || said[rule] {
			continue
		}
		said[rule] = true
		whom := "all robots"
		if d.Bot != "" {
			whom = d.Bot
		}
		place := "a meta element named " + d.Tag.Name
		if d.Tag.Header {
			place = "an X-Robots-Tag header"
		}
		fail(rule, d.Tag.Name+": "+d.Tag.Value, "For %s the page %s: %s says %q.", whom, what, place, clip(d.Tag.Value))
	}
	for _, problem := range m.Problems {
		fail("metadata-malformed", problem, "%s", problem)
	}
}

func canonicals(m *amble.Meta, fail failer) {
	var tag, header, all []string
	for _, c := range m.Canonicals {
		switch {
		case !c.Header && !c.Head:
			fail("canonical-outside-head", c.Href, "The canonical link to %s stands in the body and does not count.", clip(c.Href))
			continue
		case c.URL == "" || strings.TrimSpace(c.Href) == "":
			fail("canonical-invalid", c.Href, "The canonical address %q is empty or no URL.", clip(c.Href))
			continue
		}
		url := withoutFragment(c.URL)
		if c.Header {
			header = append(header, url)
		} else {
			tag = append(tag, url)
		}
		all = append(all, url)
	}
	switch {
	case distinct(tag) > 1 || distinct(header) > 1:
		fail("canonical-multiple", strings.Join(all, " "), "The page names %d canonical addresses.", distinct(all))
	case distinct(all) > 1:
		fail("canonical-conflict", strings.Join(all, " "), "The header names %s, the element %s.", clip(header[0]), clip(tag[0]))
	}
}

// withoutFragment drops the fragment, which does not count when canonical addresses are compared.
func withoutFragment(s string) string {
	u, err := urlkey.Parse(s)
	if err != nil {
		return s
	}
	return u.String()
}

func distinct(list []string) int {
	seen := make(map[string]bool)
	for _, s := range list {
		seen[s] = true
	}
	return len(seen)
}

func languages(m *amble.Meta, fail failer) {
	if m.Lang == "" {
		fail("lang-missing", "", "The html element has no language.")
	} else if _, problem := langtag.Parse(m.Lang); problem != langtag.None {
		fail("lang-invalid", m.Lang, "The language tag %q is wrong: %v%s.", clip(m.Lang), problem, meant(m.Lang))
	}
	for _, a := range m.Alternates {
		if problem := langtag.CheckHreflang(a.Lang); problem != langtag.None {
			fail("hreflang-invalid", a.Lang, "The hreflang code %q is wrong: %v%s.", clip(a.Lang), problem, meant(a.Lang))
		}
	}
}

func meant(tag string) string {
	if m := langtag.Meant(langtag.Primary(tag)); m != "" {
		return "; " + m + " may be meant"
	}
	return ""
}

func clip(s string) string {
	const most = 200
	if len(s) > most {
		return strings.ToValidUTF8(s[:most], "") + "…"
	}
	return s
}
