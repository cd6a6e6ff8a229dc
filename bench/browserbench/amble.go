package browserbench

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync/atomic"

	"github.com/amblecrawl/amble"
	"github.com/amblecrawl/amble/analyze/a11y"
	"github.com/amblecrawl/amble/analyze/links"
	"github.com/amblecrawl/amble/analyze/seo"
	"github.com/amblecrawl/amble/analyze/tech"
	"github.com/amblecrawl/amble/browser"
)

var agent = amble.Agent{Name: "AmbleBench", InfoURL: "https://amble.test/bench"}

// htmlOnly is a capture of nothing but the document as it stands, which is what the other clients read.
var htmlOnly = browser.Capture{NoTree: true, NoConsole: true, NoIssues: true, NoMetrics: true}

// ambleCrawl is a Go client: a crawl of the first pages of the site with every gate on, in two tabs, with limits so high
// that they never wait.
func ambleCrawl(set func(*amble.Crawler, *browser.Renderer)) func(context.Context, job) error {
	return func(ctx context.Context, j job) error {
		renderer := &browser.Renderer{Agent: agent, Path: j.chrome, Addresses: amble.LoopbackOnly(), Tabs: j.tabs, Capture: htmlOnly}
		look := &reader{}
		c := &amble.Crawler{
			Agent:     agent,
			Renderer:  renderer,
			Fetcher:   &amble.HTTPFetcher{Addresses: amble.LoopbackOnly()},
			Limiter:   &amble.ServerLimiter{Pace: -1, Concurrency: -1},
			Budget:    amble.Budget{Pages: j.pages, Bytes: amble.Unlimited, URLs: amble.Unlimited, Time: amble.Unlimited},
			Workers:   j.tabs,
			Discover:  amble.DiscoverNothing,
			Analyzers: []amble.Analyzer{look},
		}
		set(c, renderer)
		sum, err := c.Run(ctx, j.urls()...)
		if j.verbose {
			fmt.Fprintf(os.Stderr, "%+v\n", renderer.Status())
		}
		err = errors.Join(err, renderer.Close())
		if err == nil && (sum.Outcomes[amble.OutcomeAnalysed] != j.pages || int(look.pages.Load()) != j.pages) {
			err = fmt.Errorf("%d pages of %d read: %v", look.pages.Load(), j.pages, sum.Outcomes)
		}
		return err
	}
}

// reader asks for rendered pages and checks that their scripts ran.
type reader struct{ pages atomic.Int64 }

func (*reader) Rules() []amble.Rule {
	return []amble.Rule{{ID: "read", Title: "The page can be read", Needs: amble.NeedRendered}}
}

func (r *reader) Analyze(_ context.Context, p *amble.Page, _ func(amble.Finding)) error {
	if s := p.Response.Snapshot; s != nil && strings.Contains(s.HTML, scriptsRan) {
		r.pages.Add(1)
	}
	return nil
}

// wholeAudit sets all analysers, as a site's audit has them, links checked too.
func wholeAudit(c *amble.Crawler, r *browser.Renderer) {
	r.Capture = browser.Capture{}
	c.Analyzers = append(c.Analyzers, &a11y.Analyzer{Rendered: true}, seo.New(agent), tech.New(), &links.Analyzer{})
	c.Links = &amble.LinkCheck{}
}
