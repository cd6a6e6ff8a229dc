package report

import (
	"time"

	"github.com/amblecrawl/amble"
)

// Schema is the name and major version of the JSON Lines that JSONL writes and ReadRun reads. Fields and record types may
// be added to a version; readers skip what they do not know. A change of meaning is a new version. See SCHEMA.md.
const Schema = "amble-report/1"

// Header is the first record: type "header".
type Header struct {
	Type    string       `json:"type"`
	Schema  string       `json:"schema"`
	Site    string       `json:"site,omitempty"`
	Tool    string       `json:"tool,omitempty"`
	Version string       `json:"version,omitempty"`
	InfoURL string       `json:"info_url,omitempty"`
	Rules   []RuleRecord `json:"rules"`
}

// RuleRecord is a rule as the header lists it.
type RuleRecord struct {
	ID          string   `json:"id"`
	Title       string   `json:"title,omitempty"`
	Severity    string   `json:"severity"`
	Certainty   string   `json:"certainty"`
	Needs       []string `json:"needs,omitempty"` // "meta", "tree", "rendered", "whole", "errors", "site", "resources", "ids", "links"
	HelpURL     string   `json:"help_url,omitempty"`
	References  []string `json:"references,omitempty"`
	Explanation string   `json:"explanation,omitempty"`
	Fix         string   `json:"fix,omitempty"`
}

// PageRecord is one URL and how it ended: type "page". Its findings follow it.
type PageRecord struct {
	Type     string      `json:"type"`
	URL      string      `json:"url"`
	Outcome  string      `json:"outcome"`
	Reason   string      `json:"reason,omitempty"`
	Source   string      `json:"source"`
	Referrer string      `json:"referrer,omitempty"`
	Depth    int         `json:"depth"`
	Status   int         `json:"status,omitempty"`
	Attempts int         `json:"attempts,omitempty"`
	Fetched  *time.Time  `json:"fetched,omitempty"`
	Redirect string      `json:"redirect,omitempty"`
	Chain    []HopRecord `json:"chain,omitempty"`
	Partial  bool        `json:"partial,omitempty"`
	Block    string      `json:"block,omitempty"` // vendor and kind of what stood in the way
	Change   string      `json:"change,omitempty"`

	Proto        string `json:"proto,omitempty"`
	ContentType  string `json:"content_type,omitempty"`
	EncodedBytes int64  `json:"encoded_bytes,omitempty"`
	FirstByteMS  int64  `json:"first_byte_ms,omitempty"`
	TotalMS      int64  `json:"total_ms,omitempty"`
	Rendered     bool   `json:"rendered,omitempty"`

	Title       string   `json:"title,omitempty"`
	Description string   `json:"description,omitempty"`
	Lang        string   `json:"lang,omitempty"`
	H1          []string `json:"h1,omitempty"`
	Canonical   []string `json:"canonical,omitempty"`
	Directives  []string `json:"directives,omitempty"`
	Indexable   *bool    `json:"indexable,omitempty"`
	Words       int      `json:"words,omitempty"`
	Internal    int      `json:"internal_links,omitempty"`
	External    int      `json:"external_links,omitempty"`

	Points   *float64 `json:"points,omitempty"` // 0 to 100; analysed pages only
	Failures int      `json:"failures"`
}

// HopRecord is one redirect.
type HopRecord struct {
	URL    string `json:"url"`
	Status int    `json:"status"`
}

// FindingRecord is one finding: type "finding". Those of SiteAnalyzers come last, before the summary.
type FindingRecord struct {
	Type        string            `json:"type"`
	Fingerprint string            `json:"fingerprint"`
	Rule        string            `json:"rule"`
	Result      string            `json:"result"`
	Severity    string            `json:"severity"`
	Page        string            `json:"page,omitempty"`
	Target      string            `json:"target,omitempty"`
	Selector    string            `json:"selector,omitempty"`
	Line        int               `json:"line,omitempty"`
	Snippet     string            `json:"snippet,omitempty"`
	Message     string            `json:"message,omitempty"`
	Evidence    map[string]string `json:"evidence,omitempty"`
	Site        bool              `json:"site,omitempty"` // judged over the whole crawl
}

// LinkRecord is a target, or a place in one, that a link check did not find good: type "link". JSONL writes it when
// LinkCheck.Report is its Link method.
type LinkRecord struct {
	Type       string   `json:"type"`
	URL        string   `json:"url"`
	Fragment   string   `json:"fragment,omitempty"`
	Verdict    string   `json:"verdict"` // "broken", "unverifiable", "not-checked"
	Problem    string   `json:"problem,omitempty"`
	Reason     string   `json:"reason,omitempty"`
	Status     int      `json:"status,omitempty"`
	Kind       string   `json:"kind,omitempty"`
	Pages      int      `json:"pages"`
	References int      `json:"references"`
	Referrers  []string `json:"referrers,omitempty"`
}

// SummaryRecord is the last record: type "summary". A file without it was cut off.
type SummaryRecord struct {
	Type     string          `json:"type"`
	Started  time.Time       `json:"started"`
	TookMS   int64           `json:"took_ms"`
	Ended    string          `json:"ended"`
	Outcomes map[string]int  `json:"outcomes"`
	Statuses map[int]int     `json:"statuses,omitempty"`
	Requests map[string]int  `json:"requests,omitempty"`
	Bytes    int64           `json:"bytes"`
	Waiting  int             `json:"waiting,omitempty"`
	Dropped  int             `json:"dropped,omitempty"`
	Failures map[string]int  `json:"failures,omitempty"` // by rule
	Estimate EstimateRecord  `json:"estimate"`
	Links    *LinksRecord    `json:"links,omitempty"`
	Servers  []CourtesyEntry `json:"servers,omitempty"`
}

// LinksRecord is what a link check came to, by verdict.
type LinksRecord struct {
	Targets    map[string]int `json:"targets"`
	Fragments  map[string]int `json:"fragments,omitempty"`
	References int            `json:"references"`
	Requests   int            `json:"requests"`
}

// EstimateRecord is an Estimate; without a score where too little was seen.
type EstimateRecord struct {
	Score    *float64 `json:"score,omitempty"`
	Low      *float64 `json:"low,omitempty"`
	High     *float64 `json:"high,omitempty"`
	Analysed int      `json:"analysed"`
	Known    int      `json:"known"`
	Coverage float64  `json:"coverage"`
}

func headerOf(o *Options, site string) Header {
	h := Header{Type: "header", Schema: Schema, Site: site, Tool: o.Agent.Name, Version: versionOf(o.Agent), InfoURL: o.Agent.InfoURL,
		Rules: make([]RuleRecord, 0, len(o.Rules))}
	for i := range o.Rules {
		r := &o.Rules[i]
		h.Rules = append(h.Rules, RuleRecord{r.ID, r.Title, r.Severity.String(), r.Certainty.String(), needNames(r.Needs), r.HelpURL,
			r.References, r.Explanation, r.Fix})
	}
	return h
}

func versionOf(a amble.Agent) string {
	if a.Name != "" && a.Version == "" {
		return "1.0"
	}
	return a.Version
}

func needNames(n amble.Needs) []string {
	var out []string
	for i, name := range [...]string{"meta", "tree", "rendered", "whole", "errors", "site", "resources", "ids", "links"} {
		if n&(1<<i) != 0 {
			out = append(out, name)
		}
	}
	return out
}

func pageRecord(p *amble.Page, rules map[string]*amble.Rule) PageRecord {
	r := PageRecord{Type: "page", URL: p.URL, Outcome: p.Outcome.String(), Reason: p.Reason, Source: p.Source.String(),
		Referrer: p.Referrer, Depth: p.Depth, Status: p.Status, Attempts: p.Attempts, Redirect: p.Redirect, Partial: p.Partial()}
	if !p.Fetched.IsZero() {
		at := p.Fetched.UTC()
		r.Fetched = &at
	}
	for _, h := range p.Chain {
		r.Chain = append(r.Chain, HopRecord{h.URL, h.Status})
	}
	if p.Block != nil {
		r.Block = p.Block.Vendor + " " + p.Block.Kind
	}
	if p.Change != amble.ChangeUnknown {
		r.Change = p.Change.String()
	}
	if a := p.Response; a != nil {
		r.Proto, r.ContentType, r.EncodedBytes = a.Proto, a.Header.Get("Content-Type"), a.EncodedBytes
		r.FirstByteMS, r.TotalMS = a.Timing.FirstByte.Milliseconds(), a.Timing.Total.Milliseconds()
		r.Rendered = a.Snapshot != nil
	}
	if m := p.Meta; m != nil {
		r.Title, r.Description, r.Lang, r.H1, r.Words = m.Title, m.Description, m.Lang, m.H1, m.Words
		r.Internal, r.External, r.Directives = m.Internal, m.External, m.Robots.Names
		for _, c := range m.Canonicals {
			if c.URL != "" && (c.Head || c.Header) {
				r.Canonical = append(r.Canonical, c.URL)
			}
		}
		indexable := m.Robots.Indexable(p.Fetched)
		r.Indexable = &indexable
	}
	for i := range p.Findings {
		if p.Findings[i].Result == amble.Failed {
			r.Failures++
		}
	}
	if p.Outcome == amble.OutcomeAnalysed {
		points := PagePoints(p.Findings, rules)
		r.Points = &points
	}
	return r
}

func findingRecord(f *amble.Finding, site bool) FindingRecord {
	return FindingRecord{Type: "finding", Fingerprint: f.Fingerprint, Rule: f.Rule, Result: f.Result.String(),
		Severity: f.Severity.String(), Page: f.URL, Target: f.Target, Selector: f.Selector, Line: f.Line, Snippet: f.Snippet,
		Message: f.Message, Evidence: f.Evidence, Site: site}
}

// FindingRecords turns findings into the form in which runs are compared.
func FindingRecords(list []amble.Finding) []FindingRecord {
	out := make([]FindingRecord, 0, len(list))
	for i := range list {
		out = append(out, findingRecord(&list[i], false))
	}
	return out
}

func estimateRecord(e Estimate) EstimateRecord {
	r := EstimateRecord{Analysed: e.Analysed, Known: e.Known, Coverage: e.Coverage}
	if e.Valid {
		r.Score, r.Low, r.High = &e.Score, &e.Low, &e.High
	}
	return r
}

func summaryRecord(s *amble.Summary, o *Options, e Estimate) SummaryRecord {
	r := SummaryRecord{Type: "summary", Started: s.Started.UTC(), TookMS: s.Took.Milliseconds(), Ended: s.Ended,
		Outcomes: make(map[string]int, len(s.Outcomes)), Statuses: s.Statuses, Requests: make(map[string]int, len(s.Requests)),
		Bytes: s.Bytes, Waiting: s.Waiting, Dropped: s.Dropped, Failures: s.Findings, Estimate: estimateRecord(e),
		Servers: NewCourtesy(s, o.Agent).Servers}
	for outcome, n := range s.Outcomes {
		r.Outcomes[outcome.String()] = n
	}
	for kind, n := range s.Requests {
		r.Requests[kind.String()] = n
	}
	if l := s.Links; l != nil {
		r.Links = &LinksRecord{byVerdict(l.Verdicts), byVerdict(l.Fragments), l.References, l.Requests}
	}
	return r
}

func byVerdict(m map[amble.LinkVerdict]int) map[string]int {
	out := make(map[string]int, len(m))
	for verdict, n := range m {
		out[verdict.String()] = n
	}
	return out
}
