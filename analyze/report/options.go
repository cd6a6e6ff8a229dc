package report

import (
	"cmp"
	"context"
	"errors"
	"net/url"
	"strings"

	"github.com/amblecrawl/amble"
	"github.com/amblecrawl/amble/analyze/text"
)

// Sink takes a crawl's pages one by one, and at the end its Summary. A Sink is used by one goroutine; a crawl yields its
// pages one after the other. An error is final: the Sink wrote no further, and later calls return it again.
type Sink interface {
	Page(p *amble.Page) error
	End(s *amble.Summary) error
}

// Options are what all reports share. The zero value works, with bare rule ids instead of texts.
type Options struct {
	Agent amble.Agent // who crawled
	Site  string      // what the report is about, for a person; empty: the host of the first page
	Rules []amble.Rule
	// Texts gives the rules' texts in other languages than English. Nil: the English of Rules.
	Texts Texts
	// Messages gives the findings' messages in other languages than English. Nil: they stay English.
	Messages Messages
	// Population is how many pages the site has, when that is known from elsewhere (a sitemap of which a sample was
	// scanned). 0, or less than the crawl met: what the crawl met.
	Population int
	Limits     Limits
}

// Limits bound what a Collector keeps. A field of zero means its default, a negative one nothing at all.
type Limits struct {
	Places  int // places listed for a rule, and targets of it. Default 20.
	Pages   int // pages listed with what was found on each, the worst first. Default 200.
	Skipped int // URLs listed for one outcome. Default 50.
	Shots   int // pictures of spots, two for a rule at most. Default 30.
	// ShotBytes bounds all pictures together, as they stand in the file. Default 3 MB.
	ShotBytes int
}

func (l Limits) withDefaults() Limits {
	for _, f := range []struct {
		v *int
		d int
	}{{&l.Places, 20}, {&l.Pages, 200}, {&l.Skipped, 50}, {&l.Shots, 30}, {&l.ShotBytes, 3_000_000}} {
		*f.v = max(cmp.Or(*f.v, f.d), 0)
	}
	return l
}

// Texts returns the texts of a rule in a language ("es"); false where it has none. It must be safe for concurrent use.
type Texts func(rule, lang string) (text.Text, bool)

// TextsOf returns the texts of those Analyzers that have them in several languages (text.Source).
func TextsOf(analyzers ...amble.Analyzer) Texts {
	return func(rule, lang string) (text.Text, bool) {
		for _, a := range analyzers {
			if source, ok := a.(text.Source); ok {
				if t, ok := source.Text(rule, lang); ok {
					return t, true
				}
			}
		}
		return text.Text{}, false
	}
}

// Messages returns a finding's message in a language ("es"), given the English one; false where it is written in English
// only. It must be safe for concurrent use.
type Messages func(rule, message, lang string) (string, bool)

// MessagesOf returns the messages of those Analyzers that have them in several languages (text.Teller).
func MessagesOf(analyzers ...amble.Analyzer) Messages {
	return func(rule, message, lang string) (string, bool) {
		for _, a := range analyzers {
			if teller, ok := a.(text.Teller); ok {
				if s, ok := teller.Tell(rule, message, lang); ok {
					return s, true
				}
			}
		}
		return "", false
	}
}

// told is a message, and its language where that is not the report's.
type told struct{ Text, Lang string }

func (o *Options) message(rule, message, lang string) told {
	if lang == "en" || message == "" {
		return told{Text: message}
	}
	if o.Messages != nil {
		if s, ok := o.Messages(rule, message, lang); ok {
			return told{Text: s}
		}
	}
	return told{message, "en"}
}

// RulesOf lists the rules of several Analyzers.
func RulesOf(analyzers ...amble.Analyzer) []amble.Rule {
	var out []amble.Rule
	for _, a := range analyzers {
		out = append(out, a.Rules()...)
	}
	return out
}

// Each crawls and hands every page and the Summary to the sinks. The first error of a sink ends the crawl; the sinks are
// ended in any case, so that what was seen is reported. The error is the crawl's and the sinks' joined.
func Each(ctx context.Context, c *amble.Crawler, seeds []string, sinks ...Sink) (*amble.Summary, error) {
	var failed error
	sum, err := c.Each(ctx, func(p *amble.Page) bool {
		for _, s := range sinks {
			if failed = s.Page(p); failed != nil {
				return false
			}
		}
		return true
	}, seeds...)
	err = errors.Join(err, failed)
	for _, s := range sinks {
		if e := s.End(sum); e != nil && !errors.Is(err, e) {
			err = errors.Join(err, e)
		}
	}
	return sum, err
}

// text returns a rule's texts, and the language they are in.
func (o *Options) text(r *amble.Rule, lang string) (text.Text, string) {
	if o.Texts != nil {
		if t, ok := o.Texts(r.ID, lang); ok && t.Title != "" {
			return t, lang
		}
	}
	return text.Text{Title: cmp.Or(r.Title, r.ID), Why: r.Explanation, Fix: r.Fix}, "en"
}

// index maps rule ids to rules.
func (o *Options) index() map[string]*amble.Rule {
	m := make(map[string]*amble.Rule, len(o.Rules))
	for i := range o.Rules {
		m[o.Rules[i].ID] = &o.Rules[i]
	}
	return m
}

func (o *Options) site(pageURL string) string {
	if o.Site != "" {
		return o.Site
	}
	if u, err := url.Parse(pageURL); err == nil {
		return u.Host
	}
	return ""
}

// cut shortens a text to n characters.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	r := []rune(s)
	if len(r) <= n {
		return s
	}
	return string(r[:n]) + "…"
}

// webURL returns a URL when a reader may follow it; else "".
func webURL(s string) string {
	if strings.HasPrefix(s, "http://") || strings.HasPrefix(s, "https://") {
		return s
	}
	return ""
}
