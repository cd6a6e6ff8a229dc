package report

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/amblecrawl/amble"
)

//go:embed report.html.tmpl
var htmlSource string

// htmlTemplate is parsed once; the words are bound at each use.
var htmlTemplate = sync.OnceValues(func() (*template.Template, error) {
	return template.New("report").Funcs(template.FuncMap{
		"t":   func(string, ...any) string { return "" },
		"num": func(int) string { return "" },
		"msg": func(string, string) told { return told{} },
		"web": webURL, "css": percentCSS, "parts": breakable,
	}).Parse(htmlSource)
})

// view is what the template shows.
type view struct {
	Lang, Title, Site string
	Agent             amble.Agent
	Made, Took, Ended string
	Estimate          Estimate
	Score, Low, High  string
	Coverage          string
	Exact             bool
	Tiles             []tile
	Severities        []severityRow
	Diff              *diffView
	Criteria          []criterionView // with failures, or something for a person to judge
	CriteriaQuiet     []criterionView
	CriteriaAll       int
	Rules, Doubtful   []ruleView
	Passed            []passedRule
	Pages             []pageView
	WithPages         int
	Skipped           []skippedView
	Waiting           int
	Links             []linkRow
	Servers           []serverView
	UserAgents        []string
	Enough, Widest    string
	Shots             string // how many pictures there are, and how large; empty without any
	Foreign           bool   // the report is not in English, in which reasons are told
}

type tile struct{ Label, Value string }

type severityRow struct {
	Class, Mark, Name string
	Rules             int
	Findings, Pages   int
}

type ruleView struct {
	ID, Anchor         string
	Title, Why, Fix    string
	TextLang           string // of the texts, where it is not the report's
	Class, Mark, Name  string
	Certainty          string
	HelpURL            string
	References         []string
	Failed, Pages      int
	CantTell           int
	Places             []place
	Targets            []*target
	More               int
	Open               bool
	PlaceNum, TargetsN int
}

type passedRule struct{ Title, TextLang string }

type pageView struct {
	URL, Title, Points string
	Analysed           bool
	Rules              []pageRule
}

type pageRule struct {
	Anchor, Title, TextLang, Class, Mark, Name string
	Count                                      int
}

type skippedView struct {
	Name, Why string
	Count     int
	List      []skippedURL
	More      int
}

type linkRow struct {
	Verdict         string
	Targets, Places int
}

type serverView struct {
	Server string
	Facts  []fact
}

// marks stand before a severity's name, so that colour is never alone.
var marks = [...]string{amble.Info: "i", amble.Notice: "·", amble.Warning: "!", amble.Serious: "▲", amble.Critical: "■"}

// WriteHTML writes the report for people as one file that loads nothing and runs no script, in one of Languages. It is to
// be called after End. userAgents are those of a browser that loaded pages, beside the Agent's own.
func (c *Collector) WriteHTML(w io.Writer, lang string, userAgents ...string) error {
	base, err := htmlTemplate()
	if err != nil {
		return fmt.Errorf("report: %w", err)
	}
	t := words(lang)
	tmpl, err := base.Clone()
	if err != nil {
		return fmt.Errorf("report: %w", err)
	}
	tmpl.Funcs(template.FuncMap{"t": t.say, "num": t.number, "msg": func(rule, message string) told { return c.o.message(rule, message, t.lang) }})
	var out bytes.Buffer // a report that fails halfway is not written at all
	if err := tmpl.Execute(&out, c.view(t, userAgents)); err != nil {
		return fmt.Errorf("report: %w", err)
	}
	_, err = w.Write(bytes.ToValidUTF8(out.Bytes(), []byte("\ufffd"))) // pages hold what they like
	return err
}

func (c *Collector) view(t *wording, userAgents []string) *view {
	e := c.Estimate()
	v := &view{Lang: t.lang, Site: c.o.site(c.first), Agent: c.o.Agent, Estimate: e, Score: t.decimal(e.Score), Low: t.decimal(e.Low),
		High: t.decimal(e.High), Exact: e.Analysed == e.Known, WithPages: c.withPages, Foreign: t.lang != "en",
		Enough: t.number(EnoughPages), Widest: t.decimal(WidestInterval)}
	v.Title = t.say("report.title", v.Site)
	v.Coverage = t.say("score.coverage", t.number(e.Analysed), t.number(e.Known), t.percent(e.Coverage))
	if c.summary != nil {
		if !c.summary.Started.IsZero() {
			v.Made, v.Took = stamp(c.summary.Started), t.duration(c.summary.Took)
		}
		v.Ended = c.summary.Ended
		v.Waiting = c.summary.Waiting + c.summary.Dropped
		courtesy := NewCourtesy(c.summary, c.o.Agent, userAgents...)
		v.UserAgents = courtesy.UserAgents
		for i := range courtesy.Servers {
			v.Servers = append(v.Servers, serverView{courtesy.Servers[i].Server, t.facts(&courtesy.Servers[i])})
		}
	}
	c.linksView(v, t)
	c.diffView(v, t)
	c.criteriaView(v, t)
	if c.shots > 0 {
		v.Shots = t.say("method.shots", t.number(c.shots), t.bytes(int64(c.shotBytes)))
	}
	for _, tally := range c.failing() {
		v.Rules = append(v.Rules, c.ruleView(tally, t))
	}
	for _, tally := range c.doubtful() {
		v.Doubtful = append(v.Doubtful, c.ruleView(tally, t))
	}
	c.passed(v, t)
	c.severities(v, t)
	c.pagesView(v, t)
	skipped := 0
	for _, g := range c.groups() {
		name := g.outcome.String()
		skipped += g.count
		v.Skipped = append(v.Skipped, skippedView{t.say("outcome." + name), t.say("why." + name), g.count, g.list, g.count - len(g.list)})
	}
	findings := 0
	for _, s := range c.bySev {
		findings += s.findings
	}
	v.Tiles = []tile{{t.say("tile.analysed"), t.number(e.Analysed)}, {t.say("tile.clean"), t.number(c.clean)},
		{t.say("tile.rules"), t.number(len(v.Rules))}, {t.say("tile.findings"), t.number(findings)},
		{t.say("tile.notanalysed"), t.number(skipped + v.Waiting)}}
	return v
}

func (c *Collector) passed(v *view, t *wording) {
	if c.clean+c.withPages == 0 {
		return // nothing was checked
	}
	for i := range c.o.Rules {
		if r := &c.o.Rules[i]; c.rules[r.ID] == nil {
			text, in := c.o.text(r, t.lang)
			v.Passed = append(v.Passed, passedRule{text.Title, other(in, t.lang)})
		}
	}
}

func (c *Collector) severities(v *view, t *wording) {
	for s := amble.Critical; ; s-- {
		if n := c.bySev[s]; n.findings > 0 {
			v.Severities = append(v.Severities, severityRow{s.String(), marks[s], t.say("severity." + s.String()), n.rules, n.findings, n.pages})
		}
		if s == 0 {
			return
		}
	}
}

func (c *Collector) ruleView(tl *tally, t *wording) ruleView {
	text, in := c.o.text(&tl.rule, t.lang)
	severity := tl.severity
	if tl.failed == 0 {
		severity = tl.rule.Severity
	}
	severity = min(severity, amble.Critical)
	r := ruleView{ID: tl.rule.ID, Anchor: anchor(tl.rule.ID), Title: text.Title, Why: text.Why, Fix: text.Fix, TextLang: other(in, t.lang),
		Class: severity.String(), Mark: marks[severity], Name: t.say("severity." + severity.String()),
		Certainty: t.say("certainty." + tl.rule.Certainty.String()), HelpURL: webURL(tl.rule.HelpURL), References: tl.rule.References,
		Failed: tl.failed, Pages: tl.pages, CantTell: tl.cantTell, Places: tl.places, Targets: tl.targets, More: tl.more,
		PlaceNum: len(tl.places), TargetsN: len(tl.targets)}
	r.Open = len(tl.places) <= 3
	return r
}

func (c *Collector) pagesView(v *view, t *wording) {
	for i := range c.pages {
		p := &c.pages[i]
		pv := pageView{URL: p.URL, Title: p.Title, Points: t.decimal(p.Points), Analysed: p.Analysed}
		for _, rc := range p.Rules {
			tl := c.rules[rc.ID]
			text, in := c.o.text(&tl.rule, t.lang)
			s := min(rc.Severity, amble.Critical)
			pv.Rules = append(pv.Rules, pageRule{anchor(rc.ID), text.Title, other(in, t.lang), s.String(), marks[s],
				t.say("severity." + s.String()), rc.Count})
		}
		v.Pages = append(v.Pages, pv)
	}
}

// linksView tells what the link check came to.
func (c *Collector) linksView(v *view, t *wording) {
	if c.summary == nil || c.summary.Links == nil {
		return
	}
	l := c.summary.Links
	for _, verdict := range []amble.LinkVerdict{amble.LinkBroken, amble.LinkUnverifiable, amble.LinkNotChecked, amble.LinkRedirected, amble.LinkOK} {
		if l.Verdicts[verdict]+l.Fragments[verdict] > 0 {
			v.Links = append(v.Links, linkRow{t.say("verdict." + verdict.String()), l.Verdicts[verdict], l.Fragments[verdict]})
		}
	}
}

// groups returns what was not analysed, the largest group first; what the site itself answered comes last.
func (c *Collector) groups() []*skippedGroup {
	var out []*skippedGroup
	for _, g := range c.skipped {
		out = append(out, g)
	}
	slices.SortFunc(out, func(a, b *skippedGroup) int {
		if ua, ub := unseen(a.outcome), unseen(b.outcome); ua != ub {
			if ua {
				return -1
			}
			return 1
		}
		if a.count != b.count {
			return b.count - a.count
		}
		return int(a.outcome) - int(b.outcome)
	})
	return out
}

// other returns a language to be marked as such, or "".
func other(lang, around string) string {
	if lang == around {
		return ""
	}
	return lang
}

// anchor makes an id of a rule's id.
func anchor(id string) string {
	return "rule-" + strings.Map(func(r rune) rune {
		if r == '-' || r == '_' || r == '.' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' {
			return r
		}
		return '-'
	}, id)
}

// percentCSS writes 0 to 100 as a length.
func percentCSS(f float64) template.CSS {
	return template.CSS(fmt.Sprintf("%.2f%%", min(max(f, 0), 100)))
}

// breakable cuts an address or selector after the marks where a line may break.
func breakable(s string) []string {
	var out []string
	for s != "" {
		i := strings.IndexAny(s, "/?&=>._")
		if i < 0 || i == len(s)-1 {
			break
		}
		out = append(out, s[:i+1])
		s = s[i+1:]
	}
	return append(out, s)
}
