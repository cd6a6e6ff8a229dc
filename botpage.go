package amble

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"net/mail"
	"sync"
	"time"

	"github.com/amblecrawl/amble/internal/botpage"
)

// BotPage is the page that Agent.InfoURL leads to: who we are, what we ask for, how fast, how to stop us, how to verify
// us. It is a ready http.Handler. What it says is read from the Crawler at each request, so that page and behaviour cannot
// differ. It is written in English, Spanish, French, German and Portuguese, chosen by "?lang=" or Accept-Language; it has
// no script and loads nothing.
//
// What a Limiter or RobotsPolicy of your own does is not known here, and so not promised.
type BotPage struct {
	Crawler  *Crawler // required
	Operator string   // who runs it: a company or a person; empty: not said

	// IPRanges is the address of the list that an IPRanges handler serves, and ReverseDNS the domain that the names of the
	// crawler's addresses end in. Empty: not published.
	IPRanges   string
	ReverseDNS string

	once sync.Once
	page *botpage.Page
	err  error // of reading the texts
}

// ServeHTTP answers GET and HEAD.
func (b *BotPage) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		h.Set("Allow", "GET, HEAD")
		http.Error(w, "only GET and HEAD", http.StatusMethodNotAllowed)
		return
	}
	lang := botpage.Negotiate(r.URL.Query().Get("lang"), r.Header.Get("Accept-Language"))
	var body bytes.Buffer
	b.once.Do(func() { b.page, b.err = botpage.New() })
	err := cmp.Or(b.err, b.validate())
	if err == nil {
		err = b.page.Write(&body, lang, b.facts())
	}
	if err != nil {
		http.Error(w, "this page cannot be shown now", http.StatusInternalServerError)
		return
	}
	style := sha256.Sum256([]byte(botpage.Style))
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Language", lang)
	h.Set("Vary", "Accept-Language")
	h.Set("Cache-Control", "public, max-age=300")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Content-Security-Policy", "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; style-src 'sha256-"+
		base64.StdEncoding.EncodeToString(style[:])+"'")
	_, _ = w.Write(body.Bytes())
}

func (b *BotPage) validate() error {
	if b.Crawler == nil {
		return &Error{Op: "botpage", Kind: ErrConfig, Reason: "BotPage.Crawler is nil"}
	}
	return b.Crawler.Agent.Validate()
}

// facts reads what the page says from the Crawler, with the defaults that its parts would use.
func (b *BotPage) facts() botpage.Facts {
	c, budget := b.Crawler, b.Crawler.Budget.withDefaults()
	f := botpage.Facts{
		Name: c.Agent.Name, Operator: b.Operator, Plain: c.Agent.Plain(), Tokens: c.Agent.ProductTokens(),
		Sitemaps: c.Discover&(DiscoverSitemaps|DiscoverOnlySitemaps) != 0, Browser: c.Renderer != nil,
		Links:     c.Discover&DiscoverOnlySitemaps == 0 && (c.Discover == 0 || c.Discover&DiscoverLinks != 0),
		PageBytes: budget.PageBytes, PageTime: budget.PageTime, RunPages: budget.Pages, RunTime: budget.Time,
		DayPages: c.Quota.PagesPerDay, Between: c.Quota.Between, GiveUpAfter: defaulted(c.GiveUpAfter, 3),
		Switchable: c.Switch != nil, IPRanges: b.IPRanges, ReverseDNS: b.ReverseDNS,
	}
	if f.Browser {
		f.Suffix = c.Agent.Suffix()
	}
	if m, err := mail.ParseAddress(c.Agent.Contact); err == nil {
		f.Contact = m.Address
	}
	limits := c.Limiter
	if limits == nil {
		limits = &ServerLimiter{}
	}
	if l, ok := limits.(*ServerLimiter); ok {
		l.init() // what the page says is what holds
		back := l.config.backoff
		f.Paced, f.Pace, f.CrawlDelay = true, l.config.pace, l.config.maxDelay
		f.Concurrency, f.LinkConcurrency = l.config.concurrency[classPage], l.config.concurrency[classLink]
		f.Files = l.config.concurrency[classResource]
		f.WaitFloor, f.WaitDefault, f.WaitCeiling = back.Floor, back.Default, back.Ceiling
		f.Retries, f.Lengthened = max(back.Retries, 0), back.Lengthen > 0
	}
	switch p := c.Robots.(type) {
	case nil:
		f.RobotsKnown, f.RobotsAge = true, 24*time.Hour
	case *RFC9309:
		f.RobotsKnown, f.Google, f.RobotsAge = true, p.Google, cmp.Or(p.MaxAge, 24*time.Hour)
		f.Tokens = p.Tokens
	}
	if s, ok := c.Signer.(*BotSigner); ok && s.Validate() == nil {
		f.Directory = s.DirectoryURL()
		for _, k := range s.published(time.Now()) {
			f.Keys = append(f.Keys, k.ID())
		}
	}
	return f
}
