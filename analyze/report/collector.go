package report

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/amblecrawl/amble"
)

// Collector keeps what the HTML and JUnit reports show: findings grouped by rule and target with counts and the first
// places, the worst pages, what was not analysed and why. Its memory is bounded by Options.Limits and the number of
// rules. It is not safe for concurrent use; its writers only read, and may be called any number of times after End.
type Collector struct {
	o         Options
	known     map[string]*amble.Rule
	rules     map[string]*tally
	pages     []pageTally // the worst, cut now and then
	skipped   map[amble.Outcome]*skippedGroup
	bySev     [amble.Critical + 1]sevTally
	clean     int // analysed pages without failures
	withPages int // pages with failures
	criteria  map[string]*criterionTally
	// criteriaOf holds the success criteria of WCAG that each rule is counted for.
	criteriaOf map[string][]string
	shots      int // pictures kept, and their bytes as they stand in the file
	shotBytes  int
	first      string // URL of the first page
	since      *since // nil: no earlier run to compare with
	estimator  Estimator
	summary    *amble.Summary
}

// tally is what is kept of a rule.
type tally struct {
	rule             amble.Rule
	severity         amble.Severity // the worst seen
	failed, cantTell int            // findings
	pages            int            // pages with failures
	last             string         // the page counted last
	places           []place
	targets          []*target
	byTarget         map[string]*target
	more             int // findings whose place or target is not kept
	shots            int
	shotPage         string // the page of the last picture
}

// place is where something was found.
type place struct {
	Rule                             string
	Page, Selector, Snippet, Message string
	Line                             int
	Result                           amble.Result
	Shot                             *shot
}

// target is what is judged when it is not the page: many pages may refer to it.
type target struct {
	URL    string
	Count  int
	Places []place
}

// placesPerTarget is how many pages are named for one target.
const placesPerTarget = 3

type pageTally struct {
	URL, Title string
	Points     float64
	Analysed   bool // it counts in the estimate
	Findings   int
	Rules      []ruleCount
}

type ruleCount struct {
	ID       string
	Severity amble.Severity
	Count    int
}

type sevTally struct{ rules, findings, pages int }

type skippedGroup struct {
	outcome amble.Outcome
	count   int
	list    []skippedURL
}

type skippedURL struct{ URL, Reason, Referrer string }

// NewCollector returns an empty Collector.
func NewCollector(o Options) *Collector {
	o.Limits = o.Limits.withDefaults()
	return &Collector{o: o, known: o.index(), rules: make(map[string]*tally), skipped: make(map[amble.Outcome]*skippedGroup),
		criteria: make(map[string]*criterionTally), criteriaOf: criteriaOf(o.Rules), estimator: Estimator{Population: o.Population}}
}

// Page implements Sink. It returns no error.
func (c *Collector) Page(p *amble.Page) error {
	if c.first == "" {
		c.first = p.URL
	}
	score := 0.0
	if p.Outcome == amble.OutcomeAnalysed {
		score = PagePoints(p.Findings, c.known)
	} else {
		c.skip(p)
	}
	c.estimator.Add(p.Outcome, score)
	var pic *picture
	if p.Response != nil {
		pic = &picture{snapshot: p.Response.Snapshot}
	}
	pt := pageTally{URL: cut(p.URL, 2000), Points: score, Analysed: p.Outcome == amble.OutcomeAnalysed}
	if p.Meta != nil {
		pt.Title = cut(p.Meta.Title, 200)
	}
	for i := range p.Findings {
		c.add(&p.Findings[i], &pt, pic)
	}
	switch {
	case pt.Findings > 0:
		c.withPages++
		c.keepPage(pt)
	case pt.Analysed:
		c.clean++
	}
	return nil
}

// End implements Sink. It takes in what SiteAnalyzers reported, and what the summary knows. It returns no error.
func (c *Collector) End(s *amble.Summary) error {
	c.summary = s
	c.estimator.Unseen(s.Waiting + s.Dropped)
	list := slices.Clone(s.SiteFindings)
	slices.SortStableFunc(list, func(a, b amble.Finding) int {
		return cmp.Or(cmp.Compare(a.Rule, b.Rule), cmp.Compare(a.URL, b.URL))
	})
	for i := range list {
		c.add(&list[i], nil, nil)
	}
	c.trimPages()
	return nil
}

// Estimate returns the estimate from the pages so far.
func (c *Collector) Estimate() Estimate { return c.estimator.Estimate() }

// add counts a finding. pt is nil for those of the whole site.
func (c *Collector) add(f *amble.Finding, pt *pageTally, pic *picture) {
	if f.Result != amble.Failed && f.Result != amble.CantTell {
		return
	}
	t := c.rules[f.Rule]
	if t == nil {
		t = &tally{rule: amble.Rule{ID: f.Rule, Severity: f.Severity}, byTarget: make(map[string]*target)}
		if r := c.known[f.Rule]; r != nil {
			t.rule = *r
		}
		c.rules[f.Rule] = t
	}
	if f.Result == amble.CantTell {
		t.cantTell++
	} else {
		c.fail(f, t, pt)
	}
	c.countCriteria(f, &t.rule)
	pl := place{Rule: f.Rule, Page: cut(f.URL, 2000), Selector: cut(f.Selector, 300), Snippet: cut(f.Snippet, 300), Message: cut(f.Message, 600),
		Line: f.Line, Result: f.Result}
	limit := c.o.Limits.Places
	if f.Target != "" && f.Target != f.URL {
		tg := t.byTarget[f.Target]
		if tg == nil {
			if len(t.targets) >= limit {
				t.more++
				return
			}
			tg = &target{URL: cut(f.Target, 2000)}
			t.byTarget[f.Target] = tg
			t.targets = append(t.targets, tg)
		}
		if tg.refer(f, pl) {
			return
		}
		tg.Count++
		if len(tg.Places) < placesPerTarget {
			tg.Places = append(tg.Places, c.shoot(pl, f, t, pic))
		}
		return
	}
	if len(t.places) >= limit {
		t.more++
		return
	}
	t.places = append(t.places, c.shoot(pl, f, t, pic))
}

// refer takes in a finding that stands for many references to its target, as those of a link check do.
func (tg *target) refer(f *amble.Finding, pl place) bool {
	n, err := strconv.Atoi(f.Evidence["references"])
	if err != nil || n < 1 {
		return false
	}
	tg.Count += n
	for i, page := range strings.Split(f.Evidence["referrers"], "\n") {
		if i == placesPerTarget {
			break
		}
		one := place{Rule: pl.Rule, Page: cut(page, 2000), Result: pl.Result}
		if i == 0 {
			one.Message, one.Selector, one.Line, one.Snippet = pl.Message, pl.Selector, pl.Line, pl.Snippet
		}
		tg.Places = append(tg.Places, one)
	}
	return true
}

// fail counts a failure by rule, severity and page.
func (c *Collector) fail(f *amble.Finding, t *tally, pt *pageTally) {
	if t.failed == 0 {
		t.severity = f.Severity
		c.bySev[min(f.Severity, amble.Critical)].rules++
	} else if f.Severity > t.severity {
		c.bySev[min(t.severity, amble.Critical)].rules--
		t.severity = f.Severity
		c.bySev[min(f.Severity, amble.Critical)].rules++
	}
	t.failed++
	if f.URL != t.last || f.URL == "" {
		t.pages++
		t.last = f.URL
	}
	sev := &c.bySev[min(f.Severity, amble.Critical)]
	sev.findings++
	if pt == nil {
		return
	}
	pt.Findings++
	first := true
	for _, rc := range pt.Rules {
		first = first && rc.Severity != f.Severity
	}
	if first {
		sev.pages++
	}
	for i := range pt.Rules {
		if pt.Rules[i].ID == f.Rule && pt.Rules[i].Severity == f.Severity {
			pt.Rules[i].Count++
			return
		}
	}
	pt.Rules = append(pt.Rules, ruleCount{f.Rule, f.Severity, 1})
}

// shoot gives a place its picture, while there is room for pictures: two of a rule, of different pages.
func (c *Collector) shoot(pl place, f *amble.Finding, t *tally, pic *picture) place {
	if c.shots >= c.o.Limits.Shots || t.shots >= shotsPerRule || f.Result != amble.Failed || t.shots > 0 && t.shotPage == f.URL {
		return pl
	}
	s := pic.spot(f.Evidence["box"])
	if s == nil || c.shotBytes+len(s.Data) > c.o.Limits.ShotBytes {
		return pl
	}
	pl.Shot = s
	c.shots++
	c.shotBytes += len(s.Data)
	t.shots++
	t.shotPage = f.URL
	return pl
}

func (c *Collector) keepPage(pt pageTally) {
	slices.SortStableFunc(pt.Rules, func(a, b ruleCount) int { return cmp.Compare(b.Severity, a.Severity) })
	c.pages = append(c.pages, pt)
	if len(c.pages) >= 2*c.o.Limits.Pages+100 {
		c.trimPages()
	}
}

// trimPages keeps the worst pages.
func (c *Collector) trimPages() {
	slices.SortStableFunc(c.pages, func(a, b pageTally) int {
		return cmp.Or(cmp.Compare(a.Points, b.Points), cmp.Compare(b.Findings, a.Findings), cmp.Compare(a.URL, b.URL))
	})
	if len(c.pages) > c.o.Limits.Pages {
		clear(c.pages[c.o.Limits.Pages:])
		c.pages = c.pages[:c.o.Limits.Pages]
	}
}

func (c *Collector) skip(p *amble.Page) {
	g := c.skipped[p.Outcome]
	if g == nil {
		g = &skippedGroup{outcome: p.Outcome}
		c.skipped[p.Outcome] = g
	}
	g.count++
	if len(g.list) < c.o.Limits.Skipped {
		g.list = append(g.list, skippedURL{cut(p.URL, 2000), cut(p.Reason, 400), cut(p.Referrer, 2000)})
	}
}

// failing returns the rules with failures, the gravest first.
func (c *Collector) failing() []*tally {
	var out []*tally
	for _, t := range c.rules {
		if t.failed > 0 {
			out = append(out, t)
		}
	}
	sortTallies(out)
	return out
}

// doubtful returns the rules that only left something for a person to judge.
func (c *Collector) doubtful() []*tally {
	var out []*tally
	for _, t := range c.rules {
		if t.failed == 0 && t.cantTell > 0 {
			out = append(out, t)
		}
	}
	sortTallies(out)
	return out
}

func sortTallies(list []*tally) {
	slices.SortFunc(list, func(a, b *tally) int {
		return cmp.Or(cmp.Compare(b.severity, a.severity), cmp.Compare(a.rule.Certainty, b.rule.Certainty),
			cmp.Compare(b.pages, a.pages), cmp.Compare(b.failed, a.failed), cmp.Compare(a.rule.ID, b.rule.ID))
	})
}
