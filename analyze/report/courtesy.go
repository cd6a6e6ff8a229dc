package report

import (
	"encoding/json"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/amblecrawl/amble"
)

// Courtesy is what a crawl asked of each server, to be sent to an owner who wants to know or who complains: facts that
// an access log can prove, who we are, and how to stop us.
type Courtesy struct {
	Agent      string          `json:"agent"`
	InfoURL    string          `json:"info_url"`
	Contact    string          `json:"contact,omitempty"`
	UserAgents []string        `json:"user_agents"` // as they stand in the server's log
	Tokens     []string        `json:"robots_tokens"`
	Started    time.Time       `json:"started"`
	TookMS     int64           `json:"took_ms"`
	Servers    []CourtesyEntry `json:"servers"`
	// StopAll is a robots.txt that stops the crawler on the whole server.
	StopAll string `json:"robots_to_stop"`
}

// CourtesyEntry is what was asked of one server.
type CourtesyEntry struct {
	Server        string         `json:"server"`
	Requests      map[string]int `json:"requests"` // by kind
	Total         int            `json:"requests_total"`
	Bytes         int64          `json:"bytes"` // of bodies, decoded
	First         *time.Time     `json:"first,omitempty"`
	Last          *time.Time     `json:"last,omitempty"`
	Busiest       int            `json:"busiest_second"` // most requests that left in one second
	BusiestAt     *time.Time     `json:"busiest_second_at,omitempty"`
	Throttled     int            `json:"throttled"` // 429s, and 503s with Retry-After
	TooMany       int            `json:"status_429"`
	Outages       int            `json:"status_503"`
	LongestWaitMS int64          `json:"longest_wait_ms"` // obeyed after a refusal
	CrawlDelayMS  int64          `json:"crawl_delay_ms,omitempty"`
	Robots        string         `json:"robots,omitempty"` // "rules", "none", "unreachable", "refused"
	RobotsFetched []time.Time    `json:"robots_fetched,omitempty"`
	GivenUp       bool           `json:"given_up,omitempty"`
	Note          string         `json:"note,omitempty"`
}

// NewCourtesy makes the report of a crawl. userAgents are those of a browser that loaded pages, beside the Agent's own.
func NewCourtesy(s *amble.Summary, a amble.Agent, userAgents ...string) *Courtesy {
	c := &Courtesy{Agent: a.Name, InfoURL: a.InfoURL, Contact: a.Contact, Tokens: a.ProductTokens(), Started: s.Started.UTC(),
		TookMS: s.Took.Milliseconds(), UserAgents: append([]string{a.Plain()}, userAgents...), Servers: []CourtesyEntry{}}
	var stop strings.Builder
	for _, token := range c.Tokens {
		stop.WriteString("User-agent: " + token + "\n")
	}
	c.StopAll = stop.String() + "Disallow: /\n"
	for i := range s.Servers {
		c.Servers = append(c.Servers, courtesyEntry(&s.Servers[i]))
	}
	return c
}

func courtesyEntry(r *amble.ServerReport) CourtesyEntry {
	at := func(t time.Time) *time.Time {
		if t.IsZero() {
			return nil
		}
		t = t.UTC()
		return &t
	}
	e := CourtesyEntry{Server: string(r.Origin), Requests: make(map[string]int, len(r.Requests)), Bytes: r.Bytes, First: at(r.First),
		Last: at(r.Last), Busiest: r.Busiest, BusiestAt: at(r.BusiestAt), Throttled: r.Throttled, TooMany: r.TooMany, Outages: r.Outages,
		LongestWaitMS: r.Waited.Milliseconds(), CrawlDelayMS: r.CrawlDelay.Milliseconds(), Robots: r.Robots.String(), GivenUp: r.GivenUp,
		Note: r.Note}
	for kind, n := range r.Requests {
		e.Requests[kind.String()] = n
		e.Total += n
	}
	for _, t := range r.RobotsFetched {
		e.RobotsFetched = append(e.RobotsFetched, t.UTC())
	}
	return e
}

// Server returns a copy that tells of one server only: an owner is told about no other's.
func (c *Courtesy) Server(o amble.Origin) *Courtesy {
	own := *c
	own.Servers = slices.DeleteFunc(slices.Clone(c.Servers), func(e CourtesyEntry) bool { return e.Server != string(o) })
	return &own
}

// WriteJSON writes the report as one JSON object.
func (c *Courtesy) WriteJSON(w io.Writer) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", " ")
	return enc.Encode(c)
}

// WriteText writes the report for a person, as plain text for a mail, in one of Languages.
func (c *Courtesy) WriteText(w io.Writer, lang string) error {
	t := words(lang)
	p := &printer{w: w}
	p.line("%s", t.say("courtesy.intro", c.Agent))
	p.line("")
	for _, ua := range c.UserAgents {
		p.line("%s: %s", t.say("asked.agent"), ua)
	}
	p.line("%s: %s", t.say("courtesy.info"), c.InfoURL)
	if c.Contact != "" {
		p.line("%s: %s", t.say("courtesy.contact"), c.Contact)
	}
	for _, e := range c.Servers {
		p.line("")
		p.line("%s", e.Server)
		for _, f := range t.facts(&e) {
			p.line("  %s: %s", f.Label, f.Value)
		}
	}
	p.line("")
	p.line("%s", t.say("courtesy.stop"))
	p.line("")
	for l := range strings.Lines(c.StopAll) {
		p.line("  %s", strings.TrimRight(l, "\n"))
	}
	return p.err
}

// fact is one line about a server.
type fact struct{ Label, Value string }

// kinds in the order in which they are told.
var kinds = []amble.Kind{amble.KindRobots, amble.KindSitemap, amble.KindPage, amble.KindResource, amble.KindLink, amble.KindOwnership}

// facts says what was asked of a server in words.
func (t *wording) facts(e *CourtesyEntry) []fact {
	var out []fact
	add := func(key, value string) { out = append(out, fact{t.say(key), value}) }
	add("asked.requests", t.number(e.Total))
	for _, k := range kinds {
		if n := e.Requests[k.String()]; n > 0 {
			add("kind."+k.String(), t.number(n))
		}
	}
	add("asked.bytes", t.bytes(e.Bytes))
	if e.First != nil && e.Last != nil {
		add("asked.first", stamp(*e.First))
		add("asked.last", stamp(*e.Last))
	}
	busiest := t.number(e.Busiest)
	if e.BusiestAt != nil {
		busiest += " (" + stamp(*e.BusiestAt) + ")"
	}
	add("asked.busiest", busiest)
	add("asked.429", t.number(e.TooMany))
	add("asked.503", t.number(e.Outages))
	add("asked.wait", t.duration(time.Duration(e.LongestWaitMS)*time.Millisecond))
	if e.CrawlDelayMS > 0 {
		add("asked.delay", t.duration(time.Duration(e.CrawlDelayMS)*time.Millisecond))
	}
	if e.Robots != "" {
		add("asked.robots", t.say("robots."+e.Robots))
	}
	if len(e.RobotsFetched) > 0 {
		times := make([]string, 0, len(e.RobotsFetched))
		for _, at := range e.RobotsFetched {
			times = append(times, stamp(at))
		}
		add("asked.fetched", strings.Join(times, ", "))
	}
	if e.GivenUp {
		add("asked.givenup", t.say("yes"))
	}
	if e.Note != "" {
		add("asked.note", e.Note)
	}
	return out
}
