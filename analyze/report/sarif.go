package report

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"strings"
	"time"

	"github.com/amblecrawl/amble"
)

// SARIF writes one run of the Static Analysis Results Interchange Format, version 2.1.0 (OASIS Standard, 27 March 2020),
// as code-scanning services read it. Results are written as pages come; pages that were not analysed are notifications of
// the invocation, never results (S20).
type SARIF struct {
	// URI maps a page's URL to the artifact that a reader should be led to, such as the file that it was built from.
	// Nil, or an empty answer: the URL itself. Set it before the first page.
	URI func(pageURL string) string

	out     *bufio.Writer
	o       Options
	lang    string
	index   map[string]int
	begun   bool
	results int
	notes   []sarifNotification
	more    int // pages not analysed that have no notification
	err     error
}

// maxNotes bounds the pages not analysed that are named.
const maxNotes = 1000

// NewSARIF returns a Sink that writes to w, with rule texts in a language. End completes the file.
func NewSARIF(w io.Writer, o Options, lang string) *SARIF {
	s := &SARIF{out: bufio.NewWriter(w), o: o, lang: words(lang).lang, index: make(map[string]int)}
	for i := range o.Rules {
		s.index[o.Rules[i].ID] = i
	}
	return s
}

type sarifText struct {
	Text string `json:"text"`
}

type sarifRule struct {
	ID                   string         `json:"id"`
	ShortDescription     sarifText      `json:"shortDescription"`
	FullDescription      *sarifText     `json:"fullDescription,omitempty"`
	Help                 *sarifText     `json:"help,omitempty"`
	HelpURI              string         `json:"helpUri,omitempty"`
	DefaultConfiguration sarifLevel     `json:"defaultConfiguration"`
	Properties           map[string]any `json:"properties"`
}

type sarifLevel struct {
	Level string `json:"level"`
}

type sarifArtifact struct {
	URI string `json:"uri"`
}

type sarifRegion struct {
	StartLine int        `json:"startLine"`
	Snippet   *sarifText `json:"snippet,omitempty"`
}

type sarifPhysical struct {
	ArtifactLocation sarifArtifact `json:"artifactLocation"`
	Region           *sarifRegion  `json:"region,omitempty"`
}

type sarifLogical struct {
	FullyQualifiedName string `json:"fullyQualifiedName"`
	Kind               string `json:"kind"`
}

type sarifLocation struct {
	PhysicalLocation *sarifPhysical `json:"physicalLocation,omitempty"`
	LogicalLocations []sarifLogical `json:"logicalLocations,omitempty"`
}

type sarifResult struct {
	RuleID              string            `json:"ruleId"`
	RuleIndex           *int              `json:"ruleIndex,omitempty"`
	Kind                string            `json:"kind"`
	Level               string            `json:"level"`
	Message             sarifText         `json:"message"`
	Locations           []sarifLocation   `json:"locations,omitempty"`
	PartialFingerprints map[string]string `json:"partialFingerprints,omitempty"`
	Properties          map[string]any    `json:"properties,omitempty"`
}

type sarifReference struct {
	ID string `json:"id"`
}

type sarifNotification struct {
	Descriptor sarifReference  `json:"descriptor"`
	Level      string          `json:"level"`
	Message    sarifText       `json:"message"`
	Locations  []sarifLocation `json:"locations,omitempty"`
}

// Page implements Sink.
func (s *SARIF) Page(p *amble.Page) error {
	s.begin()
	for i := range p.Findings {
		s.result(&p.Findings[i])
	}
	if unseen(p.Outcome) {
		if len(s.notes) < maxNotes {
			s.notes = append(s.notes, sarifNotification{sarifReference{"not-analysed"}, "note",
				sarifText{cut(p.Outcome.String()+": "+cmp.Or(p.Reason, p.URL), 600)}, s.locations(p.URL, "", 0, "")})
		} else {
			s.more++
		}
	}
	return s.err
}

// unseen tells whether a page of the site was not analysed.
func unseen(o amble.Outcome) bool {
	switch o {
	case amble.OutcomeAnalysed, amble.OutcomeUnchanged, amble.OutcomeRedirected, amble.OutcomeHTTPError, amble.OutcomeNotHTML,
		amble.OutcomeOutOfScope:
		return false
	}
	return true
}

// End implements Sink.
func (s *SARIF) End(sum *amble.Summary) error {
	s.begin()
	for i := range sum.SiteFindings {
		s.result(&sum.SiteFindings[i])
	}
	invocation := map[string]any{"executionSuccessful": true, "toolExecutionNotifications": s.notes}
	if len(s.notes) == 0 {
		delete(invocation, "toolExecutionNotifications")
	}
	if !sum.Started.IsZero() {
		invocation["startTimeUtc"] = sum.Started.UTC().Format(time.RFC3339)
		invocation["endTimeUtc"] = sum.Started.Add(sum.Took).UTC().Format(time.RFC3339)
	}
	properties := map[string]any{"analysed": sum.Outcomes[amble.OutcomeAnalysed], "known": sum.URLs(), "ended": sum.Ended}
	if s.more > 0 {
		properties["notAnalysedNotNamed"] = s.more
	}
	s.raw(`],"invocations":[`)
	s.json(invocation)
	s.raw(`],"columnKind":"utf16CodeUnits","properties":`)
	s.json(properties)
	s.raw("}]}\n")
	if s.err == nil {
		s.err = s.out.Flush()
	}
	return s.err
}

func (s *SARIF) begin() {
	if s.begun {
		return
	}
	s.begun = true
	rules := make([]sarifRule, 0, len(s.o.Rules))
	for i := range s.o.Rules {
		rules = append(rules, s.rule(&s.o.Rules[i]))
	}
	driver := map[string]any{"name": cmp.Or(s.o.Agent.Name, "amble"), "rules": rules,
		"notifications": []map[string]any{{"id": "not-analysed", "shortDescription": sarifText{words(s.lang).say("skipped.title")}}}}
	if v := versionOf(s.o.Agent); v != "" {
		driver["version"] = v
	}
	if webURL(s.o.Agent.InfoURL) != "" {
		driver["informationUri"] = s.o.Agent.InfoURL
	}
	s.raw(`{"$schema":"https://json.schemastore.org/sarif-2.1.0.json","version":"2.1.0","runs":[{"tool":{"driver":`)
	s.json(driver)
	s.raw(`},"results":[`)
}

func (s *SARIF) rule(r *amble.Rule) sarifRule {
	text, _ := s.o.text(r, s.lang)
	out := sarifRule{ID: r.ID, ShortDescription: sarifText{text.Title}, DefaultConfiguration: sarifLevel{sarifLevelOf(r.Severity, r.Certainty)},
		Properties: map[string]any{"severity": r.Severity.String(), "certainty": r.Certainty.String()}}
	if text.Why != "" {
		out.FullDescription = &sarifText{text.Why}
	}
	if text.Fix != "" {
		out.Help = &sarifText{text.Fix}
	}
	if u, err := url.Parse(r.HelpURL); err == nil && u.IsAbs() {
		out.HelpURI = u.String()
	}
	if len(r.References) > 0 {
		out.Properties["tags"] = unique(r.References)
	}
	return out
}

// unique drops doubles: tags are a set.
func unique(list []string) []string {
	seen := make(map[string]bool, len(list))
	out := make([]string, 0, len(list))
	for _, s := range list {
		if !seen[s] {
			seen[s] = true
			out = append(out, s)
		}
	}
	return out
}

func sarifLevelOf(s amble.Severity, c amble.Certainty) string {
	switch {
	case c == amble.Opportunity || s <= amble.Notice:
		return "note"
	case s == amble.Warning:
		return "warning"
	}
	return "error"
}

func (s *SARIF) result(f *amble.Finding) {
	r := sarifResult{RuleID: f.Rule, Kind: "fail", Level: "none", Message: sarifText{cmp.Or(s.o.message(f.Rule, f.Message, s.lang).Text, f.Rule)},
		Locations: s.locations(f.URL, f.Selector, f.Line, f.Snippet)}
	certainty := amble.Issue
	if i, ok := s.index[f.Rule]; ok {
		r.RuleIndex, certainty = &i, s.o.Rules[i].Certainty
		if f.Message == "" {
			text, _ := s.o.text(&s.o.Rules[i], s.lang)
			r.Message.Text = text.Title
		}
	}
	switch f.Result {
	case amble.Failed:
		r.Level = sarifLevelOf(f.Severity, certainty)
	case amble.CantTell:
		r.Kind = "review"
	default:
		return // what holds or does not apply is no result for a pipeline
	}
	if f.Fingerprint != "" {
		r.PartialFingerprints = map[string]string{"amble/v1": f.Fingerprint}
	}
	r.Properties = map[string]any{"severity": f.Severity.String()}
	if f.Target != "" {
		r.Properties["target"] = f.Target
	}
	if len(f.Evidence) > 0 {
		r.Properties["evidence"] = f.Evidence
	}
	if s.results > 0 {
		s.raw(",\n")
	}
	s.results++
	s.json(r)
}

// uriReference escapes what may not stand in a URI reference (RFC 3986): browsers take more, and so does a crawl.
func uriReference(s string) string {
	var b strings.Builder
	server := 0 // where the host ends: brackets hold IPv6 addresses there
	if i := strings.Index(s, "://"); i > 0 && i < 10 {
		server = i + 3 + len(s[i+3:])
		if end := strings.IndexAny(s[i+3:], "/?#"); end >= 0 {
			server = i + 3 + end
		}
	}
	fragment := false
	for i := range len(s) {
		c, ok := s[i], false
		switch {
		case c == '%':
			ok = i+2 < len(s) && isHex(s[i+1]) && isHex(s[i+2])
		case c == '#':
			ok, fragment = !fragment, true
		case c == '[' || c == ']':
			ok = i < server
		default:
			ok = 'a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9' || strings.IndexByte("-._~:/?@!$&'()*+,;=", c) >= 0
		}
		if ok {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}

func isHex(c byte) bool { return '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'f' }

// locations names a page as an artifact, and an element by its selector.
func (s *SARIF) locations(pageURL, selector string, line int, snippet string) []sarifLocation {
	if pageURL == "" {
		return nil
	}
	uri := pageURL
	if s.URI != nil {
		uri = cmp.Or(s.URI(pageURL), pageURL)
	}
	uri = uriReference(uri)
	l := sarifLocation{PhysicalLocation: &sarifPhysical{ArtifactLocation: sarifArtifact{uri}}}
	if line > 0 {
		l.PhysicalLocation.Region = &sarifRegion{StartLine: line}
		if snippet != "" {
			l.PhysicalLocation.Region.Snippet = &sarifText{snippet}
		}
	}
	if selector != "" {
		l.LogicalLocations = []sarifLogical{{selector, "element"}}
	}
	return []sarifLocation{l}
}

func (s *SARIF) raw(text string) {
	if s.err == nil {
		_, s.err = s.out.WriteString(text)
	}
}

func (s *SARIF) json(v any) {
	if s.err != nil {
		return
	}
	var b []byte
	if b, s.err = json.Marshal(v); s.err == nil {
		_, s.err = s.out.Write(b)
	}
}
