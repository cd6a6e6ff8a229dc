package report

import (
	"bytes"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/amblecrawl/amble"
	"github.com/amblecrawl/amble/ambletest"
	"github.com/amblecrawl/amble/analyze"
	"github.com/amblecrawl/amble/analyze/a11y"
	"github.com/amblecrawl/amble/internal/realsite"
)

// TestHandbook reports on a real site in two languages: the report is clean by our own rules and of a size that a mail
// can carry.
func TestHandbook(t *testing.T) {
	if testing.Short() {
		t.Skip("crawls hundreds of pages")
	}
	var site realsite.Site
	for _, s := range realsite.Sites {
		if s.Package == "debian-handbook" {
			site = s
		}
	}
	site.Need(t)
	c := ambletest.Crawler(t, http.FileServer(http.Dir(filepath.Dir(site.Root))))
	c.Budget.Pages = 80
	c.Workers = 2
	c.Analyzers = []amble.Analyzer{analyze.Metadata(c.Agent), &a11y.Analyzer{}}
	collector := NewCollector(Options{Agent: c.Agent, Rules: RulesOf(c.Analyzers...), Texts: TextsOf(c.Analyzers...), Messages: MessagesOf(c.Analyzers...)})
	seeds := []string{ambletest.Base + "en-US/" + site.Start, ambletest.Base + "es-ES/" + site.Start, ambletest.Base + "de-DE/" + site.Start}
	sum, err := Each(t.Context(), c, seeds, collector)
	if err != nil {
		t.Fatal(err)
	}
	if e := collector.Estimate(); !e.Valid || e.Analysed != sum.Outcomes[amble.OutcomeAnalysed] {
		t.Errorf("no estimate from %d pages: %+v", sum.Outcomes[amble.OutcomeAnalysed], e)
	}
	var out bytes.Buffer
	if err := collector.WriteHTML(&out, "es"); err != nil {
		t.Fatal(err)
	}
	if dir := os.Getenv("AMBLE_REPORT_OUT"); dir != "" {
		_ = os.WriteFile(filepath.Join(dir, "handbook-es.html"), out.Bytes(), 0o644)
	}
	if out.Len() > 2<<20 {
		t.Errorf("the report has %d bytes", out.Len())
	}
	checkSelfContained(t, "es", out.Bytes())
	checkAccessible(t, "es", out.Bytes())
	checkInChrome(t, map[string][]byte{"handbook": out.Bytes()})
}
