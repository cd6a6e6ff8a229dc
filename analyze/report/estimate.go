package report

import (
	"math"

	"github.com/amblecrawl/amble"
)

// Points are what a page loses for each rule that it fails, once per rule, by severity. Opportunities and what a person
// must judge cost nothing.
var points = map[amble.Severity]float64{amble.Critical: 20, amble.Serious: 10, amble.Warning: 4, amble.Notice: 1}

const (
	// EnoughPages is how many analysed pages an estimate needs, unless EnoughShare of all known pages were analysed.
	EnoughPages = 30
	// EnoughShare is the share of the known pages that is enough whatever their number.
	EnoughShare = 0.5
	// WidestInterval is the widest interval, in points, beside which a number is still given.
	WidestInterval = 40.0

	normal95 = 1.96 // 95 % of a normal distribution lie within so many standard deviations
)

// Estimate says in what state a site is, from analysed pages only (S20).
//
// Each analysed page starts with 100 points and loses 20 for each critical, 10 for each serious, 4 for each warning and 1
// for each notice rule that it fails, once per rule, down to 0; what SiteAnalyzers report at the end costs nothing. Score is the mean. Low and High hold the mean of all known
// pages with 95 % confidence, as far as the pages not seen are like those seen: a normal interval, with one imaginary page
// of 0 and one of 100 points added so that a few equal pages do not feign certainty, narrowed by the share that was seen
// (finite population correction) down to nothing when all was.
type Estimate struct {
	// Valid is false where too little was seen: fewer than EnoughPages and less than EnoughShare of the known pages, or
	// an interval wider than WidestInterval. Score, Low and High are then 0.
	Valid     bool
	Score     float64 // 0 to 100
	Low, High float64

	Analysed int     // pages behind the score
	Known    int     // pages of the site that are known: analysed or not, without redirects, errors and files
	Coverage float64 // Analysed / Known, 0 to 1; 0 when nothing is known
}

// Estimator computes an Estimate page by page, in constant memory. The zero value is ready. It is not safe for
// concurrent use.
type Estimator struct {
	// Population is how many pages the site has, when more are known than the crawl met.
	Population int

	n, unseen int
	sum, squ  float64
}

// PagePoints returns a page's points, 0 to 100, from its findings.
func PagePoints(findings []amble.Finding, rules map[string]*amble.Rule) float64 {
	lost := make(map[string]float64)
	for i := range findings {
		f := &findings[i]
		if r := rules[f.Rule]; f.Result != amble.Failed || r != nil && r.Certainty == amble.Opportunity {
			continue
		}
		lost[f.Rule] = max(lost[f.Rule], points[f.Severity])
	}
	left := 100.0
	for _, n := range lost {
		left -= n
	}
	return max(left, 0)
}

// Add counts a page. score is used only when the page was analysed.
func (e *Estimator) Add(o amble.Outcome, score float64) {
	switch o {
	case amble.OutcomeAnalysed:
		e.n++
		e.sum += score
		e.squ += score * score
	case amble.OutcomeRedirected, amble.OutcomeHTTPError, amble.OutcomeNotHTML, amble.OutcomeOutOfScope,
		amble.OutcomeForbidden, amble.OutcomeBadURL, amble.OutcomeNone: // no pages of the site
	default:
		e.unseen++
	}
}

// Unseen counts pages that are known and ended in no outcome: Summary.Waiting and Summary.Dropped.
func (e *Estimator) Unseen(n int) { e.unseen += n }

// Estimate computes the estimate from what was added so far.
func (e *Estimator) Estimate() Estimate {
	est := Estimate{Analysed: e.n, Known: max(e.n+e.unseen, e.Population)}
	if e.n == 0 {
		return est
	}
	n, known := float64(e.n), float64(est.Known)
	est.Coverage = n / known
	if e.n < EnoughPages && est.Coverage < EnoughShare {
		return est
	}
	mean := e.sum / n
	rest := 0.0 // finite population correction
	if known > 1 {
		rest = math.Sqrt(max(known-n, 0) / (known - 1))
	}
	// One imaginary page of 0 and one of 100.
	m := (e.sum + 100) / (n + 2)
	variance := max((e.squ+100*100)/(n+2)-m*m, 0) * (n + 2) / (n + 1)
	half := normal95 * math.Sqrt(variance/(n+2)) * rest
	centre := mean + (m-mean)*rest
	low, high := max(min(centre-half, mean), 0), min(max(centre+half, mean), 100)
	if high-low > WidestInterval {
		return est
	}
	est.Valid, est.Score, est.Low, est.High = true, mean, low, high
	return est
}
