package seo

import (
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/amblecrawl/amble"
	"github.com/amblecrawl/amble/internal/langtag"
	"github.com/amblecrawl/amble/internal/urlkey"
)

// site is what is kept of a crawl until its end.
type site struct {
	mu sync.Mutex
	memory
}

// memory is a node for every URL met, and a record for every page analysed.
type memory struct {
	ids      map[string]int32
	nodes    []node
	langs    map[string]string // each spelling once
	fromMap  map[int32][]alt   // hreflang of sitemaps
	files    []string          // sitemap files
	fileIDs  map[string]int32  // their places in files
	sitemaps []sitemapFile     // what became of them
	robots   []robotsFile      // one per server
	full     bool              // maxNodes was reached: what is absent proves nothing
	hosts    map[string]bool   // servers of which pages were analysed
	uses     map[string]file   // files of pages, by URL
	dates    []dates           // of the sitemap files, as in files
}

// node is a URL.
type node struct {
	url      string
	why      string  // of refusals and errors, short
	rec      *record // what the page says, when it was analysed
	redirect int32   // its target, or none
	file     int32   // the sitemap file that lists it, or none
	line     int32   // in that file
	status   uint16
	outcome  amble.Outcome
	flags    flags
}

type flags uint8

const (
	isSeed      flags = 1 << iota
	ruled             // disallowed by a rule of robots.txt, not because that could not be read
	tooLong           // not asked for: too many redirects in a row
	badLocation       // a redirect without a target that can be read
	partial           // only a part was analysed
)

const none = int32(-1)

// record is what the site's rules need of a page: about 1 kB with its links, 4 bytes each.
type record struct {
	title, description, h1 string
	lang                   string // primary language of the html element
	text                   uint64
	words                  int32
	canonical              int32   // the page itself when none is named
	out                    []int32 // links within the server: twice the node, plus one for nofollow
	alts                   []alt
	noindex                bool
	sketch                 sketch
}

type alt struct {
	lang   string
	target int32
}

type sitemapFile struct {
	url, parent string
	entries     int
	page        bool // lists pages
	failed      string
	refused     bool // failed for a reason that is none of the site's
	faults      []amble.SitemapFault
}

// dates are what the entries of a sitemap file say of their last change.
type dates struct {
	first   time.Time
	entries int
	differ  bool // not all have the same, or some have none
}

type robotsFile struct {
	url      string
	origin   string
	file     *amble.RobotsFile
	state    amble.RobotsState
	problems []amble.RobotsProblem
	sitemaps int
}

const (
	maxNodes = 4 << 20
	maxOut   = 5000 // links kept of one page
	maxAlts  = 300
)

// reset empties it; the lock is held, or nobody else has the site yet.
func (s *site) reset() {
	s.memory = memory{ids: make(map[string]int32), langs: make(map[string]string), fromMap: make(map[int32][]alt),
		fileIDs: make(map[string]int32), hosts: make(map[string]bool), uses: make(map[string]file)}
}

// id returns the node of a URL, made when new; none when there is no more room. The lock is held.
func (s *site) id(url string) int32 {
	if id, ok := s.ids[url]; ok {
		return id
	}
	if len(s.nodes) >= maxNodes {
		s.full = true
		return none
	}
	id := int32(len(s.nodes))
	url = strings.Clone(url)
	s.ids[url] = id
	s.nodes = append(s.nodes, node{url: url, redirect: none, file: none})
	return id
}

func (s *site) langOf(tag string) string {
	if known, ok := s.langs[tag]; ok {
		return known
	}
	if len(s.langs) > 10_000 {
		return ""
	}
	tag = strings.Clone(tag)
	s.langs[tag] = tag
	return tag
}

// short copies a text for keeping: what it was cut from can be freed.
func short(s string) string {
	const most = 200
	if len(s) > most {
		s = strings.ToValidUTF8(s[:most], "")
	}
	return strings.Clone(s)
}

// add keeps an analysed page.
func (s *site) add(c *pass) {
	m, origin := c.Meta, c.At.Origin()+"/"
	r := &record{title: short(strings.TrimSpace(m.Title)), description: short(strings.TrimSpace(m.Description)),
		text: c.facts.textHash, words: int32(c.facts.words + c.facts.denseChars/2), noindex: m.Robots.NoIndex, sketch: c.facts.sketch}
	if len(m.H1) > 0 {
		r.h1 = short(m.H1[0])
	}
	canonical := canonicalURL(m)
	s.mu.Lock()
	defer s.mu.Unlock()
	self := s.id(c.URL)
	if self == none {
		return
	}
	s.hosts[c.At.Origin()] = true
	s.seeFiles(c, origin)
	r.lang = s.langOf(langtag.Primary(m.Lang))
	r.canonical = self
	if canonical != "" {
		if id := s.id(canonical); id != none {
			r.canonical = id
		}
	}
	r.out = s.linksOf(m, origin, self)
	for _, a := range counted(m) {
		if a.URL == "" || len(r.alts) >= maxAlts {
			continue
		}
		if id := s.id(withoutFragment(a.URL)); id != none {
			r.alts = append(r.alts, alt{s.langOf(strings.ToLower(a.Lang)), id})
		}
	}
	s.nodes[self].rec = r
	if !c.Whole {
		s.nodes[self].flags |= partial
	}
}

// linksOf lists the links within the server, each target once; a link without nofollow counts before one with it.
func (s *site) linksOf(m *amble.Meta, origin string, self int32) []int32 {
	seen := make(map[int32]int, len(m.Links))
	out := make([]int32, 0, len(m.Links))
	for _, l := range m.Links {
		if !strings.HasPrefix(l.URL, origin) {
			continue
		}
		id := s.id(l.URL)
		if id == none || id == self {
			continue
		}
		code := id << 1
		if l.Rel&amble.RelNofollow != 0 || m.Robots.NoFollow {
			code |= 1
		}
		if at, ok := seen[id]; ok {
			out[at] = min(out[at], code)
			continue
		}
		if len(out) >= maxOut {
			s.full = true
			break
		}
		seen[id] = len(out)
		out = append(out, code)
	}
	return append(make([]int32, 0, len(out)), out...)
}

// see keeps how a URL ended.
func (s *site) see(p *amble.Page) {
	s.mu.Lock()
	defer s.mu.Unlock()
	id := s.id(p.URL)
	if id == none {
		return
	}
	target := none
	if p.Redirect != "" {
		target = s.id(p.Redirect)
	}
	n := &s.nodes[id]
	n.outcome, n.status, n.redirect = p.Outcome, uint16(p.Status), target
	if p.Source == amble.SourceSeed {
		n.flags |= isSeed
	}
	switch p.Outcome {
	case amble.OutcomeDisallowed:
		if p.Robots != nil && p.Robots.State == amble.RobotsRules {
			n.flags |= ruled
			n.why = short(p.Robots.Why())
		}
	case amble.OutcomeOverBudget:
		if isRedirectError(p.Err) {
			n.flags |= tooLong
		}
	case amble.OutcomeRedirected:
		if p.Redirect == "" {
			n.flags |= badLocation
			n.why = short(p.Reason)
		}
	case amble.OutcomeUnreachable:
		n.why = short(p.Reason)
	}
}

// seeEntry keeps that a sitemap lists a URL.
func (s *site) seeEntry(e amble.SitemapEntry) {
	s.mu.Lock()
	defer s.mu.Unlock()
	id := s.id(e.URL)
	if id == none {
		return
	}
	file, ok := s.fileIDs[e.File]
	if !ok {
		file = int32(len(s.files))
		s.files = append(s.files, e.File)
		s.dates = append(s.dates, dates{first: e.LastMod})
		s.fileIDs[e.File] = file
	}
	d := &s.dates[file]
	d.entries++
	d.differ = d.differ || e.LastMod.IsZero() || !e.LastMod.Equal(d.first)
	if s.nodes[id].file == none {
		s.nodes[id].file, s.nodes[id].line = file, int32(e.Line)
	}
	for _, a := range e.Alternates {
		if target := s.id(withoutFragment(a.URL)); target != none && len(s.fromMap[id]) < maxAlts {
			s.fromMap[id] = append(s.fromMap[id], alt{s.langOf(strings.ToLower(a.Lang)), target})
		}
	}
}

func (s *site) seeSitemap(r amble.SitemapReport) {
	f := sitemapFile{url: r.URL, parent: r.Parent, entries: r.Entries, page: r.Type != "index" && r.Err == nil}
	if r.Err != nil {
		f.failed = r.Err.Error()
		f.refused = !isAnswered(r.Err)
	}
	f.faults = append(f.faults, r.Faults...)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sitemaps = append(s.sitemaps, f)
}

func (s *site) seeRobots(o amble.Origin, file *amble.RobotsFile, state amble.RobotsState) {
	f := robotsFile{url: string(o) + "/robots.txt", origin: string(o), file: file, state: state}
	if file != nil {
		f.problems, f.sitemaps = file.Problems(), len(file.Sitemaps())
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.robots = append(s.robots, f)
}

// broken tells whether a status says that the page is not there. 401, 403, 429 and the like say that we may not see it.
func broken(status uint16) bool {
	switch int(status) {
	case http.StatusUnauthorized, http.StatusPaymentRequired, http.StatusForbidden, http.StatusProxyAuthRequired,
		http.StatusRequestTimeout, http.StatusLocked, http.StatusTooEarly, http.StatusTooManyRequests,
		http.StatusUnavailableForLegalReasons, 999:
		return false
	}
	return status >= 400
}

// isHome tells whether a URL is that of a home page, under whatever name.
func isHome(url string) bool {
	u, err := urlkey.Parse(url)
	return err == nil && !u.HasQuery() && (u.Path() == "/" || indexNames[strings.ToLower(u.Path())])
}
