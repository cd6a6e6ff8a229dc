package amble

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"

	"github.com/amblecrawl/amble/internal/contact"
	"github.com/amblecrawl/amble/internal/fragment"
	"github.com/amblecrawl/amble/internal/urlkey"
)

// linkTable gathers, during a crawl, what its pages link to and what the crawl learned of it by itself.
type linkTable struct {
	opt   *LinkCheck
	bound int // of entries
	names int // referrers kept of each

	mu      sync.Mutex
	targets map[string]*linkTarget // by URL without fragment
	invalid map[string]*linkTarget // by href: invalid, mailto, tel
	order   []*linkTarget
	entries int
	page    int32 // number of the page at hand
	refs    int
	dropped int
}

// linkTarget is a URL that pages name, that the crawl visited, or that a redirect leads to.
type linkTarget struct {
	url string
	referrers
	kind      string
	href      string
	text      string
	from      []Origin // servers of the pages that name it
	followed  bool     // some page that names it lets its links be followed
	bad       LinkProblem
	badReason string
	places    map[string]*referrers // fragments that links lead to
	ids       *fragment.Set         // of the page; nil when they are not known completely
	makesIDs  bool                  // scripts may add others
	answer    linkAnswer
	probers   []int // members of the analysis that asked for it, though no page names it
}

// referrers counts who names something.
type referrers struct {
	count, pages, last int32
	names              []string
}

func (r *referrers) add(page int32, name string, most int) {
	r.count++
	if r.last == page {
		return
	}
	r.last = page
	r.pages++
	if len(r.names) < most {
		r.names = append(r.names, name)
	}
}

// maxFrom bounds the servers that are noted for one target. A target that more of them name counts as one that some
// server in good standing names.
const maxFrom = 64

func newLinkTable(opt *LinkCheck) *linkTable {
	if opt == nil {
		return nil
	}
	return &linkTable{opt: opt, bound: defaulted(opt.Targets, 100_000), names: defaulted(opt.Referrers, 10),
		targets: make(map[string]*linkTarget), invalid: make(map[string]*linkTarget)}
}

// see takes over what a page that ended tells: how its own URL ended, its links and its ids.
func (l *linkTable) see(p *Page) {
	if l == nil {
		return
	}
	answer := answerOfPage(p)
	shown := l.shown(p)
	var ids *fragment.Set
	if !l.opt.SkipFragments && p.Outcome == OutcomeAnalysed && p.Meta != nil && !p.Meta.Partial {
		ids = idsOf(p)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if t := l.ended(p.URL, answer); t != nil {
		t.answer = answer
		if ids != nil {
			t.ids, t.makesIDs = ids, p.Meta.MakesIDs && (p.Response == nil || p.Response.Snapshot == nil)
		}
	}
	if p.ParsedURL() == nil {
		return
	}
	l.page++
	origin := OriginOf(p.ParsedURL())
	if p.Outcome == OutcomeUnchanged && p.Previous != nil {
		for _, link := range p.Previous.Links {
			l.add(p, origin, ref{kind: "link", href: link, url: link, follow: true})
		}
	}
	if p.Meta == nil {
		return
	}
	follow := !p.Meta.Robots.NoFollow
	for i := range shown.Links {
		link := &shown.Links[i]
		l.add(p, origin, ref{"link", link.Href, link.URL, link.Fragment, link.Text, follow})
	}
	if l.opt.SkipFiles {
		return
	}
	for i := range shown.Resources {
		if r := &shown.Resources[i]; r.Kind != "form" {
			l.add(p, origin, ref{kind: r.Kind, href: r.Href, url: r.URL, follow: true})
		}
	}
}

// shown is the page whose links count: as its scripts left it, where a browser loaded it, else as it was sent.
func (l *linkTable) shown(p *Page) *Meta {
	if p.Meta == nil || p.Response == nil || p.Response.Snapshot == nil || p.Response.Snapshot.HTML == "" || p.ParsedURL() == nil {
		return p.Meta
	}
	header := http.Header{"Content-Type": {"text/html; charset=utf-8"}}
	return MetaOptions{Resources: !l.opt.SkipFiles}.Parse([]byte(p.Response.Snapshot.HTML), p.ParsedURL(), header)
}

// idsOf gathers the places that fragments can lead to in a page: as the browser showed it, where one did.
func idsOf(p *Page) *fragment.Set {
	ids := p.Meta.IDs
	if p.Response != nil && p.Response.Snapshot != nil {
		ids = slices.Clone(ids)
		for i := range p.Response.Snapshot.Nodes {
			n := &p.Response.Snapshot.Nodes[i]
			if n.Type != NodeElement || n.Frame != 0 || n.Shadow != "" {
				continue
			}
			if id, ok := n.Attr("id"); ok {
				ids = append(ids, id)
			}
			if name, ok := n.Attr("name"); ok && n.Name == "a" {
				ids = append(ids, name)
			}
		}
	}
	return fragment.NewSet(ids)
}

// ref is one place of a page that names a URL.
type ref struct {
	kind, href, url, fragment, text string
	follow                          bool
}

// add notes a reference. The lock is held.
func (l *linkTable) add(p *Page, origin Origin, r ref) {
	t := l.find(r)
	if t == nil {
		return
	}
	l.refs++
	if t.count == 0 {
		t.kind, t.href, t.text = r.kind, shortened(r.href), r.text
	}
	t.referrers.add(l.page, p.URL, l.names)
	t.followed = t.followed || r.follow
	if len(t.from) < maxFrom && !slices.Contains(t.from, origin) {
		t.from = append(t.from, origin)
	}
	if l.opt.SkipFragments || t.bad != "" {
		return
	}
	if name, ok := fragment.Target(r.fragment); ok {
		place := t.places[name]
		if place == nil {
			if !l.room() {
				return
			}
			if t.places == nil {
				t.places = make(map[string]*referrers, 1)
			}
			name = strings.Clone(name)
			place = &referrers{}
			t.places[name] = place
		}
		place.add(l.page, p.URL, l.names)
	}
}

// find returns the target of a reference, nil for what is never asked for: javascript, data, app schemes.
func (l *linkTable) find(r ref) *linkTarget {
	scheme, rest, _ := strings.Cut(r.url, ":")
	switch scheme {
	case "http", "https":
		if strings.Contains(r.url, "/cdn-cgi/l/email-protection") {
			return nil // a mail address that a protection service hides; its script puts it back
		}
		return l.target(r.url)
	case "":
		if strings.TrimSpace(r.href) == "" {
			return nil
		}
		return l.badTarget(r.href, LinkInvalid, "the href is not a URL that a browser can go to")
	case "mailto":
		if err := contact.CheckMailto(rest); err != nil {
			return l.badTarget(r.href, LinkMailto, err.Error())
		}
	case "tel":
		if err := contact.CheckTel(rest); err != nil {
			return l.badTarget(r.href, LinkTel, err.Error())
		}
	}
	return nil
}

// ended returns the entry of a URL that the crawl visited; nil when that tells nothing about it, or the table is full.
func (l *linkTable) ended(u string, a linkAnswer) *linkTarget {
	dropped := l.dropped
	defer func() { l.dropped = dropped }() // no reference
	if !a.known {
		return nil
	}
	return l.target(u)
}

// target finds or makes the entry of a URL; nil when the table is full. The lock is held.
func (l *linkTable) target(u string) *linkTarget {
	if t := l.targets[u]; t != nil {
		return t
	}
	if !l.room() {
		return nil
	}
	t := &linkTarget{url: strings.Clone(u)}
	l.targets[t.url] = t
	l.order = append(l.order, t)
	return t
}

func (l *linkTable) badTarget(href string, problem LinkProblem, reason string) *linkTarget {
	href = shortened(href)
	if t := l.invalid[href]; t != nil {
		return t
	}
	if !l.room() {
		return nil
	}
	t := &linkTarget{url: href, bad: problem, badReason: reason}
	l.invalid[href] = t
	l.order = append(l.order, t)
	return t
}

// room takes the place of one more entry.
func (l *linkTable) room() bool {
	if l.bound >= 0 && l.entries >= l.bound {
		l.dropped++
		return false
	}
	l.entries++
	return true
}

// shortened cuts an href that would take too much memory, such as a long mailto, and copies it.
func shortened(s string) string {
	const most = 500
	if len(s) > most {
		return strings.ToValidUTF8(s[:most], "") + "…"
	}
	return strings.Clone(s)
}

// reachesURL reports whether one of the scope's servers holds a URL.
func (c *scope) reachesURL(u urlkey.URL) bool {
	return c.reaches(u, strings.TrimSuffix(u.Hostname(), "."))
}

// checkLink is the scope's word on a link check: on servers that it reaches, its Exclude patterns hold. They keep a
// crawl away from what must not be touched, such as a link that logs out.
func (c *scope) checkLink(u *url.URL) error {
	if len(c.exclude) == 0 {
		return nil
	}
	key, err := urlkey.FromNet(u)
	if err != nil {
		return &Error{Op: "scope", URL: u.String(), Kind: ErrBadURL, Err: err}
	}
	if !c.reachesURL(key) {
		return nil
	}
	for _, p := range c.exclude {
		if p.Match(key.RequestURI()) {
			return outOfScope(u.String(), "matches the Exclude pattern "+p.String())
		}
	}
	return nil
}
