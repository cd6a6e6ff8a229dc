package amble

import (
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/amblecrawl/amble/internal/botpage"
	"github.com/amblecrawl/amble/internal/htmlmeta"
)

func botPage(t *testing.T, b *BotPage, target, accept string) (string, http.Header) {
	t.Helper()
	r := httptest.NewRequest("GET", target, nil)
	r.Header.Set("Accept-Language", accept)
	w := httptest.NewRecorder()
	b.ServeHTTP(w, r)
	if w.Code != http.StatusOK {
		t.Fatalf("status %d: %s", w.Code, w.Body)
	}
	return strings.ReplaceAll(w.Body.String(), "\u00a0", " "), w.Header()
}

func fullCrawler() *Crawler {
	return &Crawler{Agent: Agent{Name: "ExampleAudit", Version: "2.1", InfoURL: "https://example.com/bot", Contact: "Bot team <bot@example.com>",
		Tokens: []string{"ExampleAuditBot", "ExampleAudit"}}, Signer: &BotSigner{Agent: "https://bot.example.com", Keys: []SigningKey{testKey(1)}},
		Renderer: HandlerFetcher(http.NotFoundHandler()), Switch: &Switch{}, Discover: DiscoverLinks | DiscoverSitemaps,
		Quota: Quota{PagesPerDay: 200, Between: 20 * time.Hour}}
}

// Whatever is set on the Crawler changes the page: page and behaviour cannot differ.
func TestBotPageFollowsTheConfiguration(t *testing.T) {
	for name, row := range map[string]struct {
		change   func(c *Crawler)
		has, not []string
	}{
		"defaults": {func(*Crawler) {}, []string{"ExampleAudit/2.1", "(&#43;https://example.com/bot)", "at least 1 second", "obeyed up to 10 seconds", "no less than 3 seconds",
			"no more than 30 seconds", "5 seconds if", "<dd>1000</dd>", "<dd>1 hour</dd>", "<dd>200</dd>", "<dd>20 hours</dd>", "5 MB", "Longest wait for one page: 30 seconds",
			"mailto:bot@example.com", "User-agent: ExampleAuditBot\nUser-agent: ExampleAudit\nDisallow: /\n", "24 hours", "switched off at once",
			"https://bot.example.com/.well-known/http-message-signatures-directory", testKey(1).ID(), "must be allowed by each"},
			[]string{"not signed", "reads robots.txt as Google"}},
		"one token":   {func(c *Crawler) { c.Agent.Tokens = nil }, []string{"follows the group for this name"}, []string{"ExampleAuditBot"}},
		"pace":        {func(c *Crawler) { c.Limiter = &ServerLimiter{Pace: 2500 * time.Millisecond} }, []string{"at least 2.5 seconds"}, []string{"at least 1 second"}},
		"no pace":     {func(c *Crawler) { c.Limiter = &ServerLimiter{Pace: -1} }, []string{"no fixed time"}, []string{"at least 1"}},
		"concurrency": {func(c *Crawler) { c.Limiter = &ServerLimiter{Concurrency: 7, LinkConcurrency: 9} }, []string{"<dd>7</dd>", "<dd>9</dd>"}, nil},
		"delay":       {func(c *Crawler) { c.Limiter = &ServerLimiter{MaxCrawlDelay: 4 * time.Second} }, []string{"obeyed up to 4 seconds", "Crawl-delay: 4"}, nil},
		"any delay":   {func(c *Crawler) { c.Limiter = &ServerLimiter{MaxCrawlDelay: -1} }, []string{"obeyed, however long", "Crawl-delay: 5"}, nil},
		"backoff": {func(c *Crawler) {
			c.Limiter = &ServerLimiter{Backoff: Backoff{Floor: time.Second, Default: 8 * time.Second, Ceiling: time.Minute}}
		}, []string{"no less than 1 second", "no more than 1 minute", "8 seconds if"}, nil},
		"no retries": {func(c *Crawler) {
			c.Limiter = &ServerLimiter{Backoff: Backoff{Retries: Unlimited, Lengthen: Unlimited}}
		}, []string{"again, at most</dt><dd>0</dd>"}, []string{"it waits longer"}},
		"own limiter": {func(c *Crawler) { c.Limiter = freeLimiter{} }, []string{"rule of its own"}, []string{"at least 1 second", "Crawl-delay: 5"}},
		"budget": {func(c *Crawler) {
			c.Budget = Budget{Pages: 12345, Time: 90 * time.Second, PageBytes: 1 << 20, PageTime: 15 * time.Second}
		}, []string{"12,345", "90 seconds", "1 MB", "15 seconds"}, nil},
		"no limits":      {func(c *Crawler) { c.Budget = Budget{Pages: Unlimited, Time: Unlimited, PageBytes: Unlimited} }, []string{"no limit"}, nil},
		"no quota":       {func(c *Crawler) { c.Quota = Quota{} }, nil, []string{"in a day", "two runs"}},
		"give up":        {func(c *Crawler) { c.GiveUpAfter = 11 }, []string{"<dd>11</dd>"}, nil},
		"never gives up": {func(c *Crawler) { c.GiveUpAfter = Unlimited }, nil, []string{"leaves the site alone"}},
		"robots":         {func(c *Crawler) { c.Robots = &RFC9309{Tokens: []string{"Other"}, Google: true, MaxAge: 2 * time.Hour} }, []string{"User-agent: Other\nDisallow", "2 hours", "reads robots.txt as Google"}, nil},
		"own robots":     {func(c *Crawler) { c.Robots = struct{ RobotsPolicy }{} }, []string{"follows robots.txt by these names"}, []string{"RFC 9309", "server error"}},
		"only sitemaps":  {func(c *Crawler) { c.Discover = DiscoverOnlySitemaps }, []string{"pages that the sitemaps list"}, []string{"following its links"}},
		"only seeds":     {func(c *Crawler) { c.Discover = DiscoverNothing }, []string{"named to it one by one"}, []string{"sitemaps"}},
		"files":          {func(c *Crawler) { c.Limiter = &ServerLimiter{ResourceConcurrency: 13} }, []string{"<dd>13</dd>"}, nil},
		"no browser":     {func(c *Crawler) { c.Renderer = nil }, nil, []string{"Chrome", "images and scripts"}},
		"unsigned":       {func(c *Crawler) { c.Signer = nil }, []string{"not signed yet"}, []string{"RFC 9421", "keyid"}},
		"no contact":     {func(c *Crawler) { c.Agent.Contact = "" }, nil, []string{"mailto:", "write to us"}},
		"no switch":      {func(c *Crawler) { c.Switch = nil }, []string{"Or write to us at bot@example.com."}, []string{"switched off"}},
	} {
		c := fullCrawler()
		row.change(c)
		body, _ := botPage(t, &BotPage{Crawler: c}, "/", "")
		for _, want := range row.has {
			if !strings.Contains(body, strings.ReplaceAll(want, "\n\n", "\n")) && !strings.Contains(body, strings.TrimSuffix(want, "\n")) {
				t.Errorf("%s: the page lacks %q", name, want)
			}
		}
		for _, unwanted := range row.not {
			if strings.Contains(body, unwanted) {
				t.Errorf("%s: the page has %q", name, unwanted)
			}
		}
	}
	body, _ := botPage(t, &BotPage{Crawler: &Crawler{Agent: testAgent}, Operator: "Example Ltd", IPRanges: "https://example.com/ips.json", ReverseDNS: "bot.example.com"}, "/", "")
	for _, want := range []string{"run by Example Ltd", "https://example.com/ips.json", "bot.example.com"} {
		if !strings.Contains(body, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
}

// The page is plain in all languages: one h1, title and language set, nothing loaded, no script, its own style allowed.
func TestBotPageIsPlain(t *testing.T) {
	b := &BotPage{Crawler: fullCrawler()}
	seen := map[string]bool{}
	for _, lang := range botpage.Languages {
		body, h := botPage(t, b, "/?lang="+lang, "")
		doc := htmlmeta.Parse([]byte(body), htmlmeta.Options{Resources: true})
		if doc.Lang != lang || h.Get("Content-Language") != lang || len(doc.H1) != 1 || doc.Titles != 1 || doc.Title != doc.H1[0] || len(doc.Resources) != 0 || !doc.HasViewport {
			t.Errorf("%s: %+v", lang, doc)
		}
		if seen[doc.Title] {
			t.Errorf("%s: the title is that of another language", lang)
		}
		seen[doc.Title] = true
		if strings.Contains(body, "<script") || regexp.MustCompile(`\son\w+=|style="|url\(|@import`).MatchString(body) {
			t.Errorf("%s: the page is not plain", lang)
		}
		style := body[strings.Index(body, "<style>")+7 : strings.Index(body, "</style>")]
		sum := sha256.Sum256([]byte(style))
		if !strings.Contains(h.Get("Content-Security-Policy"), base64.StdEncoding.EncodeToString(sum[:])) {
			t.Errorf("%s: the policy does not allow the page's own style", lang)
		}
		byHeader, _ := botPage(t, b, "/", lang+"-XX, en;q=0.1")
		if byHeader != body {
			t.Errorf("%s: another page by Accept-Language", lang)
		}
	}
}

func TestBotPageRefuses(t *testing.T) {
	for name, row := range map[string]struct {
		page   *BotPage
		method string
		want   int
	}{
		"post": {&BotPage{Crawler: fullCrawler()}, "POST", 405}, "no crawler": {&BotPage{}, "GET", 500}, "no identity": {&BotPage{Crawler: &Crawler{}}, "GET", 500},
	} {
		w := httptest.NewRecorder()
		row.page.ServeHTTP(w, httptest.NewRequest(row.method, "/", nil))
		if w.Code != row.want {
			t.Errorf("%s: %d", name, w.Code)
		}
	}
}
