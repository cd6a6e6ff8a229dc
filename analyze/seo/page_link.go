package seo

import (
	"fmt"
	"net/netip"
	"strings"

	"github.com/amblecrawl/amble"
	"github.com/amblecrawl/amble/analyze/internal/audit"
	"github.com/amblecrawl/amble/internal/langtag"
	"github.com/amblecrawl/amble/internal/urlkey"
)

// maxLinks is how many links a page may have before they are called too many.
const maxLinks = 1000

// links judges where links lead, as far as their addresses tell.
func links(c *pass) {
	m := c.Meta
	onPrivate, origin := private(c.At.Hostname()), c.At.Origin()+"/"
	for _, l := range m.Links {
		if !strings.HasPrefix(l.URL, "http") || plainLink(l, origin) {
			continue
		}
		u, err := urlkey.Parse(l.URL)
		if err != nil || u.Kind() != urlkey.KindHTTP {
			continue
		}
		if !onPrivate && private(u.Hostname()) {
			c.Fail("link-localhost", l.URL, l.Href, "A link leads to an address that only its author can reach.", "href", l.Href, "text", l.Text)
		}
		if u.Hostname() != c.At.Hostname() {
			continue
		}
		if u.Scheme() == "http" && c.At.Scheme() == "https" {
			c.Fail("link-to-http", l.URL, l.Href, "An https page links to an http address of its own site.", "href", l.Href, "text", l.Text)
		}
		if u.Host() != c.At.Host() {
			continue
		}
		if l.Rel&amble.RelNofollow != 0 {
			c.Fail("link-internal-nofollow", l.URL, l.Href, "A link within the site has rel=nofollow.", "href", l.Href, "text", l.Text)
		}
		if name := tracking(u); name != "" {
			c.Fail("link-tracking-internal", l.URL, l.Href, "A link within the site carries the campaign parameter "+name+".", "href", l.Href, "parameter", name)
		}
	}
	if n := len(m.Links); n > maxLinks {
		c.Fail("link-too-many", "", "", fmt.Sprintf("The page has %d links.", n), "links", fmt.Sprint(n))
	}
	if m.Internal+m.External == 0 && c.Whole {
		c.Fail("page-dead-end", "", "", "No link leads on from the page.")
	}
	c.pagination()
}

// plainLink tells of most links, at little cost, that there is nothing to say of them: they stay on the server, without a
// query and without nofollow.
func plainLink(l amble.Link, origin string) bool {
	return l.Rel&amble.RelNofollow == 0 && strings.HasPrefix(l.URL, origin) && strings.IndexByte(l.URL, '?') < 0
}

// private tells whether a host is of no use to visitors: this machine, a private network, a name of mDNS.
func private(host string) bool {
	host = strings.TrimSuffix(host, ".")
	if host == "localhost" || strings.HasSuffix(host, ".localhost") || strings.HasSuffix(host, ".local") || strings.HasSuffix(host, ".internal") {
		return true
	}
	addr, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return err == nil && (addr.IsLoopback() || addr.IsPrivate() || addr.IsLinkLocalUnicast() || addr.IsUnspecified())
}

func tracking(u urlkey.URL) string {
	if !u.HasQuery() {
		return ""
	}
	_, query, _ := strings.Cut(u.String(), "?")
	for pair := range strings.SplitSeq(query, "&") {
		name, _, _ := strings.Cut(pair, "=")
		switch lower := strings.ToLower(name); {
		case strings.HasPrefix(lower, "utm_"), lower == "gclid", lower == "fbclid", lower == "msclkid":
			return name
		}
	}
	return ""
}

// pagination looks for the targets of rel=next and rel=prev among the links.
func (c *pass) pagination() {
	if !c.Whole || len(c.facts.pages) == 0 {
		return
	}
	base, err := urlkey.Parse(c.Meta.Base)
	if err != nil {
		return
	}
	linked := make(map[string]bool, len(c.Meta.Links))
	for _, l := range c.Meta.Links {
		linked[l.URL] = true
	}
	for _, href := range c.facts.pages {
		if u, err := urlkey.Resolve(base, href); err == nil && u.String() != c.URL && !linked[u.String()] {
			c.Fail("pagination-unlinked", u.String(), href, "The next or previous page is named in the head only; no link leads there.", "href", href)
		}
	}
}

// generic holds link texts that say nothing about the target, by language.
var generic = map[string]map[string]bool{
	"en": words("click here|click|here|this|link|more|read more|learn more|this page|this link|go|details|more info"),
	"es": words("aquí|haz clic aquí|haga clic aquí|clic aquí|pincha aquí|más|leer más|ver más|saber más|más información|enlace|seguir leyendo"),
	"fr": words("ici|cliquez ici|plus|lire la suite|en savoir plus|voir plus|lien"),
	"de": words("hier|hier klicken|klicken sie hier|mehr|weiterlesen|mehr erfahren|mehr lesen|link|weiter|details"),
	"pt": words("aqui|clique aqui|mais|saiba mais|leia mais|ver mais|ler mais|link"),
}

func words(list string) map[string]bool {
	m := make(map[string]bool)
	for w := range strings.SplitSeq(list, "|") {
		m[w] = true
	}
	return m
}

// linkTexts judges anchors as elements: their names, and whether a crawler can follow them.
func linkTexts(c *pass) {
	lang := langtag.Primary(c.Meta.Lang)
	if generic[lang] == nil {
		lang = "en"
	}
	for _, a := range c.facts.anchors {
		href := strings.TrimSpace(a.href)
		script := len(href) > 11 && strings.EqualFold(href[:11], "javascript:")
		switch {
		case a.role == "button" || a.role == "tab" || a.role == "menuitem":
			continue // a control, not a link
		case script, !a.hasHref && a.onclick:
			c.Fail("link-not-crawlable", href+a.name, a.href, "Only a script knows where this link leads.", "href", a.href, "text", a.name)
			continue
		case !a.hasHref:
			continue // a place, not a link
		}
		name := strings.ToLower(audit.Collapse(a.name))
		if name == "" && !a.hidden {
			if !a.named || href != "" {
				c.Fail("link-empty-text", href, a.href, "A link has neither text nor a text alternative.", "href", a.href)
			}
		} else if generic[lang][strings.Trim(name, " .…»›>→:!")] {
			c.Fail("link-generic-text", href, a.href, "The text of a link says nothing about where it leads: "+a.name, "href", a.href, "text", a.name)
		}
		if a.blank && !a.relOpens {
			if u, err := urlkey.Resolve(c.At, href); err == nil && u.Kind() == urlkey.KindHTTP && u.Host() != c.At.Host() {
				c.Fail("link-unsafe-blank", href, a.href, "A link opens another site in a new window without rel=noopener; old browsers hand it control.", "href", a.href)
			}
		}
	}
}
