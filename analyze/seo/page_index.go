package seo

import (
	"slices"
	"strings"
	"time"

	"github.com/amblecrawl/amble/internal/directives"
)

// robotsDirectives judges what robots meta elements and X-Robots-Tag headers say (C12).
func robotsDirectives(c *pass) {
	m := c.Meta
	now := c.now()
	for _, d := range m.Robots.From {
		place := d.Tag.Name + ": " + d.Tag.Value
		whom := "all robots"
		if d.Bot != "" {
			whom = d.Bot
		}
		say := func(rule, what string) {
			c.Fail(rule, place, d.Tag.Value, "For "+whom+" the page "+what+".", "directive", place, "bot", whom)
		}
		switch d.Name {
		case "noindex", "none":
			say("noindex", "may not be indexed")
		}
		switch d.Name {
		case "nofollow", "none":
			say("nofollow-page", "lets no link be followed")
		case "nosnippet":
			say("nosnippet", "may not be shown with a snippet")
		case "noimageindex":
			say("noimageindex", "lets no image be indexed")
		case "max-snippet":
			if m.Robots.MaxSnippet != nil && *m.Robots.MaxSnippet == 0 && !m.Robots.Has("nosnippet") {
				say("nosnippet", "may not be shown with a snippet")
			}
		case "indexifembedded":
			if !m.Robots.Has("noindex") {
				say("indexifembedded-alone", "says indexifembedded, which counts beside noindex only")
			}
		case "unavailable_after":
			if at := m.Robots.UnavailableAfter; !at.IsZero() && at.Before(now) {
				say("unavailable-past", "was to leave the index on "+at.Format(time.DateOnly))
			}
		}
	}
	c.readTags()
}

func (c *pass) now() time.Time {
	if r := c.Response; r != nil && !r.Sent.IsZero() {
		return r.Sent
	}
	return time.Now()
}

// readTags judges the directives as written: those that contradict each other, are malformed, or stand where they do not
// count.
func (c *pass) readTags() {
	var list directives.List
	for _, t := range c.Meta.RobotsTags {
		if t.Header {
			list.AddHeader(t.Value)
		} else {
			list.AddMeta(t.Name, t.Value)
			if !t.Head {
				c.Fail("directive-outside-head", "", t.Value, "A robots meta element stands in the body.", "directive", t.Name+": "+t.Value)
			}
		}
	}
	for _, p := range list.Problems {
		c.Fail("directive-malformed", p.Piece, p.Piece, p.String(), "directive", p.Where.Text)
	}
	said := make(map[string][]string) // words by bot
	for _, r := range list.Rules {
		said[r.Bot] = append(said[r.Bot], r.Name)
	}
	for bot, words := range said {
		has := func(w string) bool { return slices.Contains(words, w) }
		for _, pair := range [][2]string{{"index", "noindex"}, {"follow", "nofollow"}, {"all", "none"}, {"index", "none"},
			{"follow", "none"}, {"all", "noindex"}, {"all", "nofollow"}, {"archive", "noarchive"}, {"snippet", "nosnippet"}} {
			if has(pair[0]) && has(pair[1]) {
				whom := bot
				if bot == "" {
					whom = "all robots"
				}
				c.Fail("directive-conflict", whom, pair[0], "For "+whom+" the page says both "+pair[0]+" and "+pair[1]+"; the stricter counts.",
					"directives", strings.Join(words, ", "), "bot", whom)
				break
			}
		}
	}
	if canonical := canonicalURL(c.Meta); c.Meta.Robots.NoIndex && canonical != "" && canonical != c.URL {
		c.Fail("noindex-with-canonical", canonical, "", "The page may not be indexed and names another page as canonical: the two contradict each other.", "canonical", canonical)
	}
}

func refreshes(c *pass) {
	r := c.Meta.Refresh
	if r == nil || r.URL == "" || withoutFragment(r.URL) == c.URL {
		return
	}
	place := "meta element"
	if r.Header {
		place = "Refresh header"
	}
	c.Fail("refresh-redirect", r.URL, "", "A "+place+" sends visitors on after "+r.Delay.String()+" instead of a redirect.", "place", place, "delay", r.Delay.String())
}

// notFound holds titles of error pages, in lower case.
var notFound = map[string]bool{
	"404": true, "404 not found": true, "404 error": true, "error 404": true, "not found": true, "page not found": true,
	"404 page not found": true, "file not found": true, "404 - page not found": true, "404 - not found": true,
	"página no encontrada": true, "no encontrado": true, "404 página no encontrada": true, "error 404: página no encontrada": true,
	"page non trouvée": true, "page introuvable": true, "erreur 404": true, "404 page non trouvée": true,
	"seite nicht gefunden": true, "nicht gefunden": true, "fehler 404": true, "404 seite nicht gefunden": true,
	"página não encontrada": true, "não encontrado": true, "erro 404": true, "404 página não encontrada": true,
}

// soft404 knows error pages by their title, whole or before the site's name. The words inside a longer title prove
// nothing: pages are written about them.
func soft404(c *pass) {
	title := strings.ToLower(c.Meta.Title)
	parts := []string{title}
	for _, sep := range []string{" | ", " – ", " — ", " - ", " · ", ": "} {
		if before, _, ok := strings.Cut(title, sep); ok {
			parts = append(parts, before)
		}
	}
	for _, part := range parts {
		if notFound[strings.Trim(part, " .!…")] && c.Meta.Words < 300 {
			c.Fail("soft-404", "", c.Meta.Title, "The page says that it was not found, and was answered with success.", "title", c.Meta.Title)
			return
		}
	}
}
