package analyze_test

import (
	"testing"

	"github.com/amblecrawl/amble"
	"github.com/amblecrawl/amble/ambletest"
	"github.com/amblecrawl/amble/analyze/a11y"
	"github.com/amblecrawl/amble/analyze/links"
	"github.com/amblecrawl/amble/analyze/seo"
	"github.com/amblecrawl/amble/analyze/tech"
)

// TestAuditsGoTogether: the four audits share no rule id, and run in one crawl.
func TestAuditsGoTogether(t *testing.T) {
	c := ambletest.Crawler(t, ambletest.NewSite().Page("/", ambletest.Links("/gone")))
	c.Links = &amble.LinkCheck{}
	c.Analyzers = []amble.Analyzer{seo.New(c.Agent), tech.New(), &a11y.Analyzer{}, &links.Analyzer{}}
	r := ambletest.Run(t, c, "/")
	for _, rule := range []string{"status-4xx", "csp-missing", "lang-missing"} {
		if r.Summary.Findings[rule] == 0 {
			t.Errorf("%s is not among %v", rule, r.Summary.Findings)
		}
	}
}
