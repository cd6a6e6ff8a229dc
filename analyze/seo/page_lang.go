package seo

import (
	"strings"

	"github.com/amblecrawl/amble"
	"github.com/amblecrawl/amble/internal/langtag"
	"github.com/amblecrawl/amble/internal/urlkey"
)

func languages(c *pass) {
	lang := c.Meta.Lang
	if strings.TrimSpace(lang) == "" {
		c.Fail("lang-missing", "", "", "The html element has no language.")
		return
	}
	if _, problem := langtag.Parse(lang); problem != langtag.None {
		c.Fail("lang-invalid", lang, lang, "The language tag "+lang+" is wrong: "+problem.String()+meant(lang)+".", "lang", lang)
	}
}

func meant(tag string) string {
	if m := langtag.Meant(langtag.Primary(tag)); m != "" {
		return "; " + m + " may be meant"
	}
	return ""
}

// counted returns the alternates that count: of headers and of the head.
func counted(m *amble.Meta) []amble.Alternate {
	var out []amble.Alternate
	for _, a := range m.Alternates {
		if a.Header || a.Head {
			out = append(out, a)
		}
	}
	return out
}

// hreflang judges the page's own declarations; return links and targets are judged at the end.
func hreflang(c *pass) {
	var first string // URL of x-default
	self, sameLang := "", false
	target := make(map[string]string)
	conflicts := make(map[string]bool)
	list := counted(c.Meta)
	for _, a := range c.Meta.Alternates {
		if !a.Header && !a.Head {
			c.Fail("hreflang-outside-head", a.URL, a.Href, "An hreflang link stands in the body and does not count.", "hreflang", a.Lang)
		}
	}
	for _, a := range list {
		if problem := langtag.CheckHreflang(a.Lang); problem != langtag.None {
			c.Fail("hreflang-invalid", a.URL, a.Lang, "The hreflang code "+a.Lang+" is wrong: "+problem.String()+meant(a.Lang)+".", "hreflang", a.Lang)
		}
		if isRelative(a.Href) {
			c.Fail("hreflang-relative", a.URL, a.Href, "The hreflang address is not absolute.", "hreflang", a.Lang, "href", a.Href)
		}
		u, err := urlkey.Parse(a.URL)
		if err != nil {
			continue
		}
		code, url := strings.ToLower(a.Lang), u.String()
		if old, ok := target[code]; ok && old != url && !conflicts[code] {
			conflicts[code] = true
			c.Fail("hreflang-conflict", code, a.Lang, "The code "+a.Lang+" is given for two addresses.", "first", old, "second", url)
		}
		if _, ok := target[code]; !ok {
			target[code] = url
		}
		if code == "x-default" {
			first = url
		} else if url == c.URL {
			self = a.Lang
			sameLang = sameLang || langtag.Primary(a.Lang) == langtag.Primary(c.Meta.Lang)
		}
	}
	if len(list) == 0 {
		return
	}
	if self == "" && first != c.URL && c.Whole && canonicalSelf(c) {
		c.Fail("hreflang-no-self", "", "", "The page lists other languages, but not itself.")
	}
	if first == "" && c.Whole && len(target) > 1 {
		c.Fail("hreflang-no-default", "", "", "No x-default is given.")
	}
	if self != "" && !sameLang && strings.TrimSpace(c.Meta.Lang) != "" {
		c.Fail("hreflang-lang-mismatch", "", c.Meta.Lang, "The page calls itself "+self+" in hreflang and "+c.Meta.Lang+" in its html element.", "hreflang", self, "lang", c.Meta.Lang)
	}
}

// canonicalSelf tells whether the page stands for itself.
func canonicalSelf(c *pass) bool {
	canonical := canonicalURL(c.Meta)
	return canonical == "" || canonical == c.URL
}
