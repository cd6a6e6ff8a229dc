package main

import (
	"time"

	"github.com/amblecrawl/amble"
)

// record is one line of the machine-readable output: what was read of a page (C6), or why it was not.
type record struct {
	URL      string        `json:"url"`
	Outcome  amble.Outcome `json:"outcome"`
	Reason   string        `json:"reason,omitempty"`
	Status   int           `json:"status,omitempty"`
	Fetched  *time.Time    `json:"fetched,omitempty"`
	Redirect string        `json:"redirect,omitempty"`
	Chain    []string      `json:"chain,omitempty"` // the redirects that led here
	Partial  bool          `json:"partial,omitempty"`

	Title       string       `json:"title,omitempty"`
	Description string       `json:"description,omitempty"`
	H1          []string     `json:"h1,omitempty"`
	Language    string       `json:"language,omitempty"`
	Canonical   []string     `json:"canonical,omitempty"`
	Robots      []robotsLine `json:"robots,omitempty"`     // meta robots and X-Robots-Tag as written
	Directives  []string     `json:"directives,omitempty"` // those in force for this crawler (C12)
	Indexable   *bool        `json:"indexable,omitempty"`
	Links       *linkCount   `json:"links,omitempty"`
	Data        []string     `json:"structured_data,omitempty"`
	Findings    []finding    `json:"findings,omitempty"`
}

type robotsLine struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

type linkCount struct {
	Internal int `json:"internal"`
	External int `json:"external"`
	Nofollow int `json:"nofollow"`
}

type finding struct {
	Rule     string         `json:"rule"`
	Severity amble.Severity `json:"severity"`
	Message  string         `json:"message,omitempty"`
}

func recordOf(p *amble.Page) record {
	r := record{URL: p.URL, Outcome: p.Outcome, Reason: p.Reason, Status: p.Status, Redirect: p.Redirect, Partial: p.Partial()}
	if !p.Fetched.IsZero() {
		r.Fetched = &p.Fetched
	}
	for _, hop := range p.Chain {
		r.Chain = append(r.Chain, hop.URL)
	}
	for _, f := range p.Findings {
		r.Findings = append(r.Findings, finding{f.Rule, f.Severity, f.Message})
	}
	m := p.Meta
	if m == nil {
		return r
	}
	r.Title, r.Description, r.H1, r.Language = m.Title, m.Description, m.H1, m.Lang
	for _, c := range m.Canonicals {
		r.Canonical = append(r.Canonical, c.URL)
	}
	for _, tag := range m.RobotsTags {
		r.Robots = append(r.Robots, robotsLine{tag.Name, tag.Value})
	}
	r.Directives = m.Robots.Names
	indexable := !m.Robots.NoIndex
	r.Indexable = &indexable
	r.Links = &linkCount{m.Internal, m.External, m.Nofollow}
	for _, d := range m.Data {
		r.Data = append(r.Data, d.Type)
	}
	return r
}
