package ambletest

import (
	"fmt"
	"html"
	"net/http"
	"strings"
	"time"

	"github.com/amblecrawl/amble"
)

const inFlight = 2

// slack is how much closer together than asked two requests may come in: the way may delay the first. Within it, what
// comes after a refusal may have been on its way; inFlight such requests are borne with.
func slack(asked time.Duration) time.Duration { return min(asked/4, 250*time.Millisecond) }

// trials are the rules of politeness. The first also tells the crawler's product token.
var trials = []trial{
	{
		rule: "robots-first", title: "robots.txt is asked for before all else", source: "RFC 9309 section 2.3", control: "/a",
		script: func(s *Site, _ Claims, _ string) { s.Robots("User-agent: *\nAllow: /\n"); offer(s, "/a", "/b") },
		verdict: func(log, _ []Access, _ Claims) (amble.Result, string) {
			if log[0].Path != "/robots.txt" {
				return amble.Failed, "the first request was for " + log[0].Path
			}
			return amble.Passed, ""
		},
	},
	{
		rule: "robots-disallow", title: "What robots.txt disallows is not asked for", source: "RFC 9309 section 2.2.2", control: "/ok",
		script: func(s *Site, _ Claims, _ string) {
			s.Robots("User-agent: *\nDisallow: /private/\n")
			offer(s, "/private/a", "/ok")
		},
		verdict: never("/private/"),
	},
	{
		rule: "robots-longest", title: "The longest matching rule wins", source: "RFC 9309 section 2.2.2", control: "/a/ok/x",
		script: func(s *Site, _ Claims, _ string) {
			s.Robots("User-agent: *\nAllow: /a/ok/\nAllow: /\nDisallow: /a/\nDisallow: /a/ok/not/\n")
			offer(s, "/a/x", "/a/ok/not/x", "/a/ok/x")
		},
		verdict: never("/a/x", "/a/ok/not/"),
	},
	{
		rule: "robots-wildcards", title: "* and $ in rules are obeyed", source: "RFC 9309 section 2.2.3", control: "/ok",
		script: func(s *Site, _ Claims, _ string) {
			s.Robots("User-agent: *\nDisallow: /*/secret\nDisallow: /*.doc$\n")
			offer(s, "/x/secret", "/letter.doc", "/ok")
		},
		verdict: never("/x/secret", "/letter.doc"),
	},
	{
		rule: "robots-query", title: "Rules on queries are obeyed", source: "RFC 9309 section 2.2.2", control: "/ok",
		script: func(s *Site, _ Claims, _ string) {
			s.Robots("User-agent: *\nDisallow: /list?sort=\n")
			offer(s, "/list?sort=up", "/ok")
		},
		verdict: never("/list?sort="),
	},
	{
		rule: "robots-token", title: "The group for the crawler's own name is obeyed", source: "RFC 9309 section 2.2.1", control: "/ok",
		script: func(s *Site, c Claims, _ string) {
			s.Robots("User-agent: *\nDisallow: /others/\n\nUser-agent: " + strings.ToLower(c.Token) + "\nDisallow: /own/\n")
			offer(s, "/own/x", "/ok")
		},
		verdict: never("/own/"),
	},
	{
		rule: "robots-merged", title: "Groups for one name are one", source: "RFC 9309 section 2.2.1", control: "/ok",
		script: func(s *Site, _ Claims, _ string) {
			s.Robots("User-agent: *\nDisallow: /one/\n\nUser-agent: SomeOtherBot\nDisallow: /\n\nUser-agent: *\nDisallow: /two/\n")
			offer(s, "/one/x", "/two/x", "/ok")
		},
		verdict: never("/one/", "/two/"),
	},
	{
		rule: "robots-5xx", title: "While robots.txt is a server error, nothing is asked for", source: "RFC 9309 section 2.3.1.4",
		script: func(s *Site, _ Claims, _ string) {
			s.Status("/robots.txt", http.StatusServiceUnavailable)
			offer(s, "/a")
		},
		verdict: onlyRobots,
	},
	{
		rule: "robots-unreachable", title: "While robots.txt gets no answer, nothing is asked for", source: "RFC 9309 section 2.3.1.4",
		script: func(s *Site, _ Claims, _ string) {
			s.Handle("/robots.txt", http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }))
			offer(s, "/a")
		},
		verdict: onlyRobots,
	},
	{
		rule: "robots-redirected", title: "A redirected robots.txt is obeyed", source: "RFC 9309 section 2.3.1.2", control: "/ok",
		script: func(s *Site, _ Claims, _ string) {
			s.Redirect("/robots.txt", "/real.txt").Serve("/real.txt", "text/plain", "User-agent: *\nDisallow: /private/\n")
			offer(s, "/private/a", "/ok")
		},
		verdict: never("/private/"),
	},
	{
		rule: "robots-hop", title: "A redirect into what is disallowed is not followed", source: "RFC 9309 section 2.2.2", control: "/go",
		script: func(s *Site, _ Claims, _ string) {
			s.Robots("User-agent: *\nDisallow: /private/\n").Redirect("/go", "/private/a")
			offer(s, "/go")
		},
		verdict: never("/private/"),
	},
	{
		rule: "pace", title: "Requests keep the claimed pace", source: "the crawler's claim", control: "/f",
		script: func(s *Site, _ Claims, _ string) {
			s.Robots("").Redirect("/b", "/moved").Page("/moved", Links("/"))
			offer(s, "/a", "/b", "/c", "/d", "/e", "/f")
		},
		verdict: func(log, _ []Access, c Claims) (amble.Result, string) {
			least := closest(log)
			if c.Pace == 0 {
				return amble.CantTell, fmt.Sprintf("no pace is claimed; %d requests came, two of them %v apart", len(log), least)
			}
			if least < c.Pace-slack(c.Pace) {
				return amble.Failed, fmt.Sprintf("two requests came %v apart, the claim is %v", least, c.Pace)
			}
			return amble.Passed, fmt.Sprintf("%d requests, at least %v apart", len(log), least)
		},
	},
	{
		rule: "crawl-delay", title: "A Crawl-delay of robots.txt is kept", source: "convention", control: "/b",
		script: func(s *Site, _ Claims, _ string) { s.Robots("User-agent: *\nCrawl-delay: 2\n"); offer(s, "/a", "/b") },
		verdict: func(log, _ []Access, _ Claims) (amble.Result, string) {
			for len(log) > 0 && log[0].Path == "/robots.txt" {
				log = log[1:]
			}
			if least := closest(log); len(log) > 1 && least < 2*time.Second-slack(2*time.Second) {
				return amble.Failed, fmt.Sprintf("two requests came %v apart, robots.txt asks for 2s", least)
			}
			return amble.Passed, ""
		},
	},
	{
		rule: "retry-after", title: "After a 429 with Retry-After the server is left alone", source: "RFC 9110 section 10.2.3, RFC 6585 section 4", control: "/busy",
		script: func(s *Site, _ Claims, _ string) {
			s.Robots("").Refuse("/busy", 1, http.StatusTooManyRequests, "3")
			offer(s, "/busy", "/a", "/b", "/c", "/d")
		},
		verdict: leftAlone(http.StatusTooManyRequests, 3*time.Second),
	},
	{
		rule: "retry-after-503", title: "After a 503 with Retry-After the server is left alone", source: "RFC 9110 section 15.6.4", control: "/busy",
		script: func(s *Site, _ Claims, _ string) {
			s.Robots("").Refuse("/busy", 1, http.StatusServiceUnavailable, "3")
			offer(s, "/busy", "/a", "/b", "/c", "/d")
		},
		verdict: leftAlone(http.StatusServiceUnavailable, 3*time.Second),
	},
	{
		rule: "refused-often", title: "A page that is always refused is not asked for again and again", source: "RFC 6585 section 4", control: "/busy",
		script: func(s *Site, _ Claims, _ string) {
			s.Robots("").Refuse("/busy", -1, http.StatusTooManyRequests, "1")
			offer(s, "/busy", "/a")
		},
		verdict: func(log, _ []Access, _ Claims) (amble.Result, string) {
			if n := count(log, "/busy"); n > 4 {
				return amble.Failed, fmt.Sprintf("it was asked for %d times", n)
			}
			return amble.Passed, fmt.Sprintf("it was asked for %d times", count(log, "/busy"))
		},
	},
	{
		rule: "redirect-loop", title: "A loop of redirects is left", source: "RFC 9110 section 15.4", control: "/loop",
		script: func(s *Site, _ Claims, _ string) {
			s.Robots("").Redirect("/loop", "/loop/2").Redirect("/loop/2", "/loop/3").Redirect("/loop/3", "/loop")
			offer(s, "/loop")
		},
		verdict: func(log, _ []Access, _ Claims) (amble.Result, string) {
			n := count(log, "/loop") + count(log, "/loop/2") + count(log, "/loop/3")
			if n > 6 {
				return amble.Failed, fmt.Sprintf("%d requests for three URLs", n)
			}
			return amble.Passed, fmt.Sprintf("%d requests for three URLs", n)
		},
	},
	{
		rule: "identity", title: "The user agent names a page about the crawler, in every request", source: "convention; RFC 9309 section 2.2.1", control: "/a",
		script: func(s *Site, _ Claims, _ string) { s.Robots(""); offer(s, "/a") },
		verdict: func(log, _ []Access, _ Claims) (amble.Result, string) {
			for _, a := range log {
				if ua := a.UserAgent(); !strings.Contains(ua, "http://") && !strings.Contains(ua, "https://") {
					return amble.Failed, fmt.Sprintf("%s was asked for as %q", a.Path, ua)
				}
			}
			return amble.Passed, log[0].UserAgent()
		},
	},
	{
		rule: "once", title: "No page is asked for twice", source: "URL standard: a fragment is not sent", control: "/a",
		script: func(s *Site, _ Claims, _ string) {
			s.Robots("")
			offer(s, "/a", "/a#top", "/x/../a", "/a#end", "/./b", "/b")
		},
		verdict: func(log, _ []Access, _ Claims) (amble.Result, string) {
			for _, a := range log {
				if n := count(log, a.Path); n > 1 {
					return amble.Failed, fmt.Sprintf("%s was asked for %d times", a.Path, n)
				}
			}
			return amble.Passed, ""
		},
	},
	{
		rule: "scope", title: "Other servers are left alone", source: "what the crawler was told to crawl", control: "/out",
		script: func(s *Site, _ Claims, other string) {
			s.Robots("").Redirect("/out", other+"/x")
			offer(s, "/a", "/out", other+"/")
		},
		verdict: func(_, other []Access, _ Claims) (amble.Result, string) {
			if len(other) > 0 {
				return amble.Failed, "another server was asked for " + other[0].Path
			}
			return amble.Passed, ""
		},
	},
	{
		rule: "safe", title: "Only GET and HEAD are sent", source: "RFC 9110 section 9.2.1", control: "/a",
		script: func(s *Site, _ Claims, _ string) {
			s.Robots("")
			offer(s, "/a")
			s.Page("/a", `<!doctype html><title>A form</title><form method="post" action="/order"><button>Order</button></form>`)
		},
		verdict: func(log, _ []Access, _ Claims) (amble.Result, string) {
			for _, a := range log {
				if a.Method != http.MethodGet && a.Method != http.MethodHead {
					return amble.Failed, a.Method + " " + a.Path + " was sent"
				}
			}
			return amble.Passed, ""
		},
	},
}

// offer gives the site a start page and a sitemap that lead to the targets, and a page for each that has no answer yet.
func offer(s *Site, targets ...string) {
	s.Page("/", Links(targets...))
	s.Handle("/sitemap.xml", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/xml")
		fmt.Fprint(w, `<?xml version="1.0" encoding="UTF-8"?>`+"\n"+`<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">`+"\n")
		for _, target := range targets {
			if strings.HasPrefix(target, "/") {
				target = "http://" + r.Host + target
			}
			fmt.Fprintf(w, "<url><loc>%s</loc></url>\n", html.EscapeString(target))
		}
		fmt.Fprint(w, "</urlset>\n")
	}))
	for _, target := range append(targets, "/a", "/b") {
		target, _, _ = strings.Cut(target, "#")
		s.mu.Lock()
		known := s.answers[target] != nil
		s.mu.Unlock()
		if strings.HasPrefix(target, "/") && !known {
			s.Page(target, Links("/"))
		}
	}
}

// never is the verdict that nothing below the prefixes may be asked for.
func never(prefixes ...string) func(log, other []Access, c Claims) (amble.Result, string) {
	return func(log, _ []Access, _ Claims) (amble.Result, string) {
		for _, a := range log {
			for _, prefix := range prefixes {
				if strings.HasPrefix(a.Path, prefix) {
					return amble.Failed, a.Path + " was asked for"
				}
			}
		}
		return amble.Passed, ""
	}
}

func onlyRobots(log, _ []Access, _ Claims) (amble.Result, string) {
	for _, a := range log {
		if a.Path != "/robots.txt" {
			return amble.Failed, a.Path + " was asked for"
		}
	}
	return amble.Passed, ""
}

// leftAlone is the verdict that no request may come in within the wait after a refusal.
func leftAlone(status int, wait time.Duration) func(log, other []Access, c Claims) (amble.Result, string) {
	return func(log, _ []Access, _ Claims) (amble.Result, string) {
		for i, refused := range log {
			if refused.Status != status {
				continue
			}
			for n, a := range log[i+1:] {
				gap := a.At.Sub(refused.At)
				if gap < wait-slack(wait) && (gap > slack(wait) || n >= inFlight) {
					return amble.Failed, fmt.Sprintf("%s was asked for %v after the server had asked for %v", a.Path, gap.Round(time.Millisecond), wait)
				}
			}
		}
		return amble.Passed, ""
	}
}

// closest is the least time between two requests in a row.
func closest(log []Access) time.Duration {
	least := time.Duration(-1)
	for i := 1; i < len(log); i++ {
		if gap := log[i].At.Sub(log[i-1].At); least < 0 || gap < least {
			least = gap
		}
	}
	return least.Round(time.Millisecond)
}
