package tech

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/amblecrawl/amble"
	"github.com/amblecrawl/amble/analyze/internal/audit"
)

// The limits of what web.dev calls good.
const (
	goodLCP      = 2500 * time.Millisecond
	goodCLS      = 0.1
	goodBlocking = 200 * time.Millisecond
	heavyPage    = 3 << 20
	largeFile    = 500 << 10
)

// rendered judges what a browser saw, where one loaded the page.
func rendered(c *pass) {
	s := c.Response.Snapshot
	if s == nil {
		return
	}
	for _, m := range s.Console {
		if m.Level == "exception" || m.Level == "error" && !strings.Contains(m.Text, "Failed to load resource") {
			c.Fail("console-error", m.URL+":"+strconv.Itoa(m.Line)+" "+m.Text, "", "The console shows an error: "+audit.Clip(m.Text), "text", m.Text, "url", m.URL, "line", strconv.Itoa(m.Line))
		}
	}
	total := int64(0)
	boxes := shownImages(s)
	for i, x := range s.Requests {
		total += x.Encoded
		if i == 0 && x.Type == "document" {
			continue
		}
		if gone(x.Status) || x.Problem != "" && failed(x) {
			c.Fail("file-failed", x.URL, "", fmt.Sprintf("A file of the page does not come (%s): %s", x.Type, reason(x)), "type", x.Type, "status", strconv.Itoa(x.Status), "problem", x.Problem)
		}
		c.file(x, boxes)
		if x.Encoded > largeFile && x.Type != "media" && x.Type != "image" {
			c.Fail("file-large", x.URL, "", fmt.Sprintf("A file of the page has %d bytes (%s).", x.Encoded, x.MediaType), "bytes", strconv.FormatInt(x.Encoded, 10), "type", x.MediaType)
		}
		if x.Blocking {
			c.Fail("render-blocking", x.URL, "", "The page is not shown before this file has come ("+x.Type+").", "type", x.Type, "took", x.Took.String())
		}
	}
	if total > heavyPage {
		c.Fail("page-heavy", "", "", fmt.Sprintf("The page and its files have %d bytes.", total), "bytes", strconv.FormatInt(total, 10))
	}
	m := s.Metrics
	if m.LCP > goodLCP {
		c.Fail("lcp-slow", m.LCPURL, "", fmt.Sprintf("The largest part of the page was shown after %v.", m.LCP.Round(10*time.Millisecond)), "time", m.LCP.String(), "url", m.LCPURL)
	}
	if m.CLS > goodCLS {
		c.Fail("cls-high", "", "", fmt.Sprintf("The page moved while it loaded: %.2f.", m.CLS), "shift", fmt.Sprintf("%.3f", m.CLS))
	}
	if m.LongTaskTime > goodBlocking && m.LongTasks > 0 {
		c.Fail("long-tasks", "", "", fmt.Sprintf("%d long tasks kept the page from answering for %v.", m.LongTasks, m.LongTaskTime.Round(time.Millisecond)), "tasks", strconv.Itoa(m.LongTasks), "time", m.LongTaskTime.String())
	}
	c.compare(s)
}

// gone tells whether a file is not there. Refusals and limits say nothing about the page (S20).
func gone(status int) bool {
	switch status {
	case 401, 402, 403, 407, 408, 423, 425, 429, 451, 503, 999:
		return false
	}
	return status >= 400
}

// failed tells whether a file's trouble is the site's own: what the crawl's gates held back is not, nor what ended with
// the page.
func failed(x amble.Exchange) bool {
	for _, ours := range []string{"blocked", "ERR_ABORTED", "ERR_BLOCKED_BY_CLIENT", "budget", "robots", "given up", "throttled"} {
		if strings.Contains(x.Problem, ours) {
			return false
		}
	}
	return strings.Contains(x.Problem, "ERR_NAME_NOT_RESOLVED") || strings.Contains(x.Problem, "ERR_CERT") || strings.Contains(x.Problem, "ERR_SSL") || strings.Contains(x.Problem, "ERR_CONNECTION_REFUSED")
}

func reason(x amble.Exchange) string {
	if x.Problem != "" {
		return x.Problem
	}
	return "status " + strconv.Itoa(x.Status)
}

// compare tells what scripts changed that matters to those who do not run them.
func (c *pass) compare(s *amble.Snapshot) {
	if s.HTML == "" || s.Settled.Reason == "crash" {
		return
	}
	after := amble.ParseMeta([]byte(s.HTML), c.ParsedURL(), c.header, nil, c.Response.Sent)
	before := c.Meta
	if after.Partial || before.Partial {
		return
	}
	if before.Title != after.Title && after.Title != "" {
		c.Fail("rendered-title", "", before.Title, "Scripts change the title.", "before", before.Title, "after", after.Title)
	}
	if a, b := canonical(before), canonical(after); a != b {
		c.Fail("rendered-canonical", "", "", "Scripts change the canonical address.", "before", a, "after", b)
	}
	plain := amble.ParseMeta(c.Response.Body, c.ParsedURL(), c.header, nil, c.Response.Sent)
	if plain.Robots.NoIndex != after.Robots.NoIndex {
		c.Fail("rendered-noindex", "", "", fmt.Sprintf("Scripts change whether the page may be indexed: noindex %v before, %v after.", plain.Robots.NoIndex, after.Robots.NoIndex))
	}
	if a, b := before.Words, after.Words; b >= 50 && float64(b-a) > 0.3*float64(b) {
		c.Fail("rendered-text", "", "", fmt.Sprintf("Of %d words %d are there only after scripts.", b, b-a), "before", strconv.Itoa(a), "after", strconv.Itoa(b))
	}
	if a, b := len(before.Links), len(after.Links); b >= 10 && float64(b-a) > 0.3*float64(b) {
		c.Fail("rendered-links", "", "", fmt.Sprintf("Of %d links %d are there only after scripts.", b, b-a), "before", strconv.Itoa(a), "after", strconv.Itoa(b))
	}
}

func canonical(m *amble.Meta) string {
	for _, c := range m.Canonicals {
		if c.Header || c.Head {
			return c.URL
		}
	}
	return ""
}
