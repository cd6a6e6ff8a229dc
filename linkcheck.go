package amble

import (
	"fmt"
	"slices"
	"time"
)

// LinkCheck finds out what the links, images, scripts and style sheets of the analysed pages lead to (S5). Every target,
// a URL without its fragment, is asked for at most once however many pages name it, and not at all when the crawl itself
// asked for it. The zero LinkCheck checks everything, politely.
//
// It is done when the last page has ended, so that no target is asked for twice, nothing is checked of a site that was
// given up (S21), and what failed is asked for once more some time later. Each request is a GET whose body is not read,
// of KindLink, and passes the crawl's own gates: switch, excluded hosts, robots.txt, address guard, and the Limiter with
// its own number of link checks at a time per server (S16: ServerLimiter.LinkConcurrency). On servers that the Scope
// covers its Exclude patterns hold too. A redirect is a new decision for each hop.
//
// Of a page that Crawler.Renderer loaded the links count that it had after its scripts ran.
//
// What is not certain is never called broken: see LinkVerdict. Budget.Time includes the check. A run that goes on after an
// interruption checks the links of the pages that it reads from then on.
//
// A LinkCheck remembers verdicts for a while and may serve several Crawlers at once; it must not be changed or copied
// after first use.
type LinkCheck struct {
	SkipInternal  bool // targets that the Scope's servers hold, as far as the crawl does not know them, are not asked for
	SkipExternal  bool // targets on other servers are not asked for
	SkipFiles     bool // images, scripts, style sheets and the like are left out: links only
	SkipFragments bool // whether pages have the places that links lead to is left out

	// Targets is how many targets and fragments are kept, the crawl's own pages counted in: about 200 bytes each. Further
	// ones are counted in LinkSummary.Dropped. 0: 100,000; Unlimited: no bound.
	Targets int

	// Requests is how many requests may be sent, retries and redirect hops counted in; the rest is not checked.
	// 0: 10,000; Unlimited: no bound.
	Requests int

	// RetryAfter is how long a failure waits until it is asked for once more. 0: 30 seconds.
	RetryAfter time.Duration

	// Referrers is how many of the pages that name a target are listed; all are counted. 0: 10.
	Referrers int

	// Keep is how long a verdict that is sure holds, KeepUnsure one that is not: within that time the target is not asked
	// for again, by any crawl with this LinkCheck, or with the same Store if it is a Historian. What the crawl asked for
	// itself always counts first. 0: 24 hours and 5 minutes; negative: nothing is kept.
	Keep, KeepUnsure time.Duration

	// Report, when set, is given each result, one at a time, before the crawl's loop ends. It must not keep the result.
	Report func(*LinkResult)

	cache linkCache
}

// LinkVerdict says what is known of a target. Only what a person with a browser would find broken is called so.
type LinkVerdict uint8

const (
	// LinkNotChecked: nothing was asked, or the question did not come to its end: robots.txt, the Scope or the address
	// guard forbids it, a limit was reached, the site was given up, or the href is no URL that can be asked for.
	LinkNotChecked LinkVerdict = iota

	// LinkOK: the server answered with success.
	LinkOK

	// LinkRedirected: the target is there, at the end of LinkResult.Chain.
	LinkRedirected

	// LinkBroken: 404 or 410; a server error, no name, no connection or a certificate that browsers refuse, each twice;
	// a redirect that leads nowhere; a fragment that the page does not have.
	LinkBroken

	// LinkUnverifiable: the server refused to tell a crawler (401, 403, 429, 999, a challenge, most other 4xx), or broke
	// off in a way that protection services use. A person may well see the page.
	LinkUnverifiable

	linkVerdictCount
)

var linkVerdictNames = [linkVerdictCount]string{"not-checked", "ok", "redirected", "broken", "unverifiable"}

// String returns the verdict's stable name.
func (v LinkVerdict) String() string {
	if v < linkVerdictCount {
		return linkVerdictNames[v]
	}
	return "unknown"
}

// MarshalText writes the name.
func (v LinkVerdict) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// UnmarshalText reads a name that String wrote; the error matches ErrConfig.
func (v *LinkVerdict) UnmarshalText(text []byte) error {
	i := slices.Index(linkVerdictNames[:], string(text))
	if i < 0 {
		return &Error{Op: "link", Kind: ErrConfig, Reason: fmt.Sprintf("%q is no verdict", text)}
	}
	*v = LinkVerdict(i)
	return nil
}

// LinkProblem says what is wrong with a target, or why nothing certain is known. Its values are stable.
type LinkProblem string

const (
	LinkGone        LinkProblem = "gone"         // 404 or 410
	LinkServerError LinkProblem = "server-error" // 5xx, twice
	LinkNoServer    LinkProblem = "no-server"    // no such name, or nobody answers there
	LinkCertificate LinkProblem = "certificate"  // browsers refuse the certificate: expired, or for other names
	LinkRedirects   LinkProblem = "redirects"    // a redirect that leads nowhere: a loop, too many, no usable Location
	LinkNoFragment  LinkProblem = "no-fragment"  // the page has no such place

	LinkRefused   LinkProblem = "refused"    // 4xx other than 404, 410 and 429, or 999
	LinkThrottled LinkProblem = "throttled"  // 429, or 503 with Retry-After
	LinkChallenge LinkProblem = "challenge"  // a challenge or block page
	LinkNoAnswer  LinkProblem = "no-answer"  // broken off, no answer in time, no HTTP, an unknown authority
	LinkScripted  LinkProblem = "scripted"   // the fragment may be made by the page's scripts
	LinkDisallow  LinkProblem = "disallowed" // robots.txt, or could not be read
	LinkForbidden LinkProblem = "forbidden"  // the address guard refused
	LinkExcluded  LinkProblem = "excluded"   // by Scope, Switch, or this LinkCheck
	LinkNofollow  LinkProblem = "nofollow"   // only pages that forbid robots to follow their links name it
	LinkGivenUp   LinkProblem = "given-up"   // its site, or the site that names it, was given up (S21)
	LinkLimit     LinkProblem = "limit"      // a limit was reached, or the crawl ended

	LinkInvalid LinkProblem = "invalid" // the href is no URL
	LinkMailto  LinkProblem = "mailto"  // a mailto address that no mail can be sent to
	LinkTel     LinkProblem = "tel"     // a telephone number that cannot be called
)

// LinkResult is what is known of one target, or of one fragment of a target. There is a result for each target of http
// or https and for each href that is invalid; for fragments only where one is missing or may be.
type LinkResult struct {
	URL      string // without fragment; the href as written when it is invalid, a mailto or a tel
	Fragment string // as in the URL, without "#": the result is about this place in the page; empty otherwise
	Verdict  LinkVerdict
	Problem  LinkProblem // empty for LinkOK and LinkRedirected
	Reason   string      // for a person
	Status   int         // of the last answer; 0 when there was none
	Chain    []Hop       // the redirects, oldest first, URL itself among them; empty without
	Final    string      // where the chain ended; URL itself without one
	Internal bool        // a server of the Scope holds it
	Kind     string      // of the first reference: "link", or a Resource's Kind
	Href     string      // of the first reference, as written
	Text     string      // of the first link, shortened

	Pages      int      // pages that name it
	References int      // how often they do
	Referrers  []string // the first of these pages

	MediaType string // of the answer, when the check asked; empty otherwise

	Checked time.Time // when the answer came; zero when none did
	Source  string    // "crawl": the crawl asked for it as a page; "check"; "cache"; empty: nobody asked
}

// LinkSummary is what a LinkCheck came to.
type LinkSummary struct {
	Targets    int // different targets, hrefs that are invalid among them
	References int
	Verdicts   map[LinkVerdict]int
	Problems   map[LinkProblem]int
	Requests   int // sent by the check
	Cached     int // targets answered from an earlier check
	Dropped    int // references not noted, since LinkCheck.Targets was reached

	// Fragments counts the places in pages that links lead to: not-checked ones are in pages whose ids are not known
	// completely. Nil: fragments were not looked at.
	Fragments map[LinkVerdict]int
}

func (l *LinkCheck) validate() error {
	if l != nil && (l.Referrers < 0 || l.RetryAfter < 0 || l.Targets < Unlimited || l.Requests < Unlimited) {
		return &Error{Op: "links", Kind: ErrConfig, Reason: "Links.Referrers and Links.RetryAfter must not be negative, Targets and Requests not below Unlimited"}
	}
	return nil
}
