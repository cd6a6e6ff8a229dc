package cli

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/amblecrawl/amble"
)

// Progress is one line on a terminal that says how far a crawl is. Where the output is no terminal it says nothing.
type Progress struct {
	out   io.Writer
	live  bool
	pages int
	start time.Time
	last  time.Time
}

// NewProgress writes to out when it is a terminal.
func NewProgress(out io.Writer) *Progress {
	p := &Progress{out: out, start: time.Now()}
	if f, ok := out.(*os.File); ok {
		info, err := f.Stat()
		p.live = err == nil && info.Mode()&os.ModeCharDevice != 0
	}
	return p
}

// Page counts a page and renews the line at most ten times a second.
func (p *Progress) Page(page *amble.Page) {
	p.pages++
	if now := time.Now(); p.live && now.Sub(p.last) > 100*time.Millisecond {
		p.last = now
		fmt.Fprintf(p.out, "\r\x1b[K%d URLs, %v: %s %.60s", p.pages, time.Since(p.start).Round(time.Second), page.Outcome, page.URL)
	}
}

// Done takes the line away.
func (p *Progress) Done() {
	if p.live {
		fmt.Fprint(p.out, "\r\x1b[K")
	}
}
