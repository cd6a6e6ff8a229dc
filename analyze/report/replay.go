package report

import (
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/amblecrawl/amble"
)

// Options returns what the run's header says: who crawled, what, and by which rules. Texts are not in a file: set them
// from the Analyzers that made it.
func (run *Run) Options() Options {
	h := &run.Header
	o := Options{Site: h.Site, Agent: amble.Agent{Name: h.Tool, Version: h.Version, InfoURL: h.InfoURL}}
	for i := range h.Rules {
		r := &h.Rules[i]
		o.Rules = append(o.Rules, amble.Rule{ID: r.ID, Title: r.Title, Explanation: r.Explanation, Fix: r.Fix, HelpURL: r.HelpURL,
			References: r.References, Severity: severityOf(r.Severity), Certainty: named(r.Certainty, amble.Certainty.String),
			Needs: needsOf(r.Needs)})
	}
	return o
}

// Replay hands a run that was read back to sinks, as if it were crawled again: every report but its pictures can be made
// of a file. A run that was cut off gets a summary that says so. The error is the first one of a sink.
func (run *Run) Replay(sinks ...Sink) error {
	ofPage := make(map[string][]amble.Finding)
	sum := run.summary()
	for i := range run.Findings {
		f := run.Findings[i].finding()
		if run.Findings[i].Site {
			sum.SiteFindings = append(sum.SiteFindings, f)
		} else {
			ofPage[f.URL] = append(ofPage[f.URL], f)
		}
	}
	for _, u := range run.order {
		p := run.Pages[u].page()
		p.Findings = ofPage[u]
		for _, s := range sinks {
			if err := s.Page(p); err != nil {
				return err
			}
		}
	}
	for _, s := range sinks {
		if j, ok := s.(*JSONL); ok {
			run.replayLinks(j)
		}
		if err := s.End(sum); err != nil {
			return err
		}
	}
	return nil
}

func (run *Run) replayLinks(j *JSONL) {
	for _, key := range run.linkOrder {
		l := run.Links[key]
		var v amble.LinkVerdict
		if v.UnmarshalText([]byte(l.Verdict)) == nil {
			j.Link(&amble.LinkResult{URL: l.URL, Fragment: l.Fragment, Verdict: v, Problem: amble.LinkProblem(l.Problem), Reason: l.Reason,
				Status: l.Status, Kind: l.Kind, Pages: l.Pages, References: l.References, Referrers: l.Referrers})
		}
	}
}

func (p PageRecord) page() *amble.Page {
	out := &amble.Page{URL: p.URL, Reason: p.Reason, Source: named(p.Source, amble.Source.String), Referrer: p.Referrer, Depth: p.Depth,
		Status: p.Status, Redirect: p.Redirect, Attempts: p.Attempts, Change: named(p.Change, amble.Change.String)}
	_ = out.Outcome.UnmarshalText([]byte(p.Outcome)) // an unknown one stays none
	if p.Fetched != nil {
		out.Fetched = *p.Fetched
	}
	if vendor, kind, ok := strings.Cut(p.Block, " "); ok {
		out.Block = &amble.Block{Vendor: vendor, Kind: kind}
	}
	for _, h := range p.Chain {
		out.Chain = append(out.Chain, amble.Hop{URL: h.URL, Status: h.Status})
	}
	if p.Proto != "" || p.ContentType != "" || p.Rendered {
		out.Response = &amble.Response{Proto: p.Proto, Header: http.Header{}, EncodedBytes: p.EncodedBytes,
			Timing: amble.Timing{FirstByte: millis(p.FirstByteMS), Total: millis(p.TotalMS)}}
		if p.ContentType != "" {
			out.Response.Header.Set("Content-Type", p.ContentType)
		}
		if p.Rendered {
			out.Response.Snapshot = &amble.Snapshot{}
		}
		if p.Partial {
			out.Response.Cut = amble.CutLimit
		}
	}
	if p.Indexable != nil {
		out.Meta = &amble.Meta{Title: p.Title, Description: p.Description, Lang: p.Lang, H1: p.H1, Words: p.Words, Internal: p.Internal,
			External: p.External, Robots: amble.Directives{Names: p.Directives, NoIndex: !*p.Indexable}}
		for _, c := range p.Canonical {
			out.Meta.Canonicals = append(out.Meta.Canonicals, amble.Canonical{URL: c, Head: true})
		}
	}
	return out
}

func (f FindingRecord) finding() amble.Finding {
	return amble.Finding{Rule: f.Rule, Result: named(f.Result, amble.Result.String), Severity: severityOf(f.Severity), URL: f.Page,
		Target: f.Target, Selector: f.Selector, Line: f.Line, Snippet: f.Snippet, Message: f.Message, Evidence: f.Evidence,
		Fingerprint: f.Fingerprint}
}

func (run *Run) summary() *amble.Summary {
	s := run.Summary
	if s == nil {
		return &amble.Summary{Ended: "the file was cut off"}
	}
	sum := &amble.Summary{Started: s.Started, Took: millis(s.TookMS), Ended: s.Ended, Statuses: s.Statuses, Bytes: s.Bytes,
		Waiting: s.Waiting, Dropped: s.Dropped, Findings: s.Failures, Outcomes: make(map[amble.Outcome]int), Requests: kindsOf(s.Requests)}
	for name, n := range s.Outcomes {
		var o amble.Outcome
		if o.UnmarshalText([]byte(name)) == nil {
			sum.Outcomes[o] = n
		}
	}
	if l := s.Links; l != nil {
		sum.Links = &amble.LinkSummary{References: l.References, Requests: l.Requests, Verdicts: verdictsOf(l.Targets),
			Fragments: verdictsOf(l.Fragments)}
		for _, n := range l.Targets {
			sum.Links.Targets += n
		}
	}
	for i := range s.Servers {
		e := &s.Servers[i]
		r := amble.ServerReport{Origin: amble.Origin(e.Server), Requests: kindsOf(e.Requests), Bytes: e.Bytes, Throttled: e.Throttled,
			TooMany: e.TooMany, Outages: e.Outages, Waited: millis(e.LongestWaitMS), Busiest: e.Busiest, CrawlDelay: millis(e.CrawlDelayMS),
			Robots: named(e.Robots, amble.RobotsState.String), RobotsFetched: e.RobotsFetched, GivenUp: e.GivenUp, Note: e.Note}
		for _, at := range []struct{ from, to *time.Time }{{e.First, &r.First}, {e.Last, &r.Last}, {e.BusiestAt, &r.BusiestAt}} {
			if at.from != nil {
				*at.to = *at.from
			}
		}
		sum.Servers = append(sum.Servers, r)
	}
	return sum
}

func millis(n int64) time.Duration { return time.Duration(n) * time.Millisecond }

func severityOf(name string) amble.Severity { return named(name, amble.Severity.String) }

// named finds the value of a closed set by its name; the zero value when there is none.
func named[T ~uint8](name string, of func(T) string) T {
	for i := range T(255) {
		switch n := of(i); {
		case n == name:
			return i
		case n == "unknown":
			return 0
		}
	}
	return 0
}

func needsOf(names []string) (n amble.Needs) {
	for i := range amble.Needs(16) {
		if got := needNames(1 << i); len(got) > 0 && slices.Contains(names, got[0]) {
			n |= 1 << i
		}
	}
	return n
}

func kindsOf(m map[string]int) map[amble.Kind]int {
	out := make(map[amble.Kind]int, len(m))
	for name, n := range m {
		out[named(name, amble.Kind.String)] += n
	}
	return out
}

func verdictsOf(m map[string]int) map[amble.LinkVerdict]int {
	if m == nil {
		return nil
	}
	out := make(map[amble.LinkVerdict]int, len(m))
	for name, n := range m {
		out[named(name, amble.LinkVerdict.String)] += n
	}
	return out
}
