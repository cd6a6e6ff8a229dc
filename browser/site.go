package browser

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/target"
	"golang.org/x/net/publicsuffix"

	"github.com/amblecrawl/amble/internal/egress"
	"github.com/amblecrawl/amble/internal/netguard"
)

// site is the BrowserContext of one site, with its own proxy, cookies, storage and cache, and tabs that are reused.
// Nothing of one site reaches another.
type site struct {
	chrome      *chrome
	key         string
	context     cdp.BrowserContextID
	proxy       *egress.Proxy // nil for a browser that cannot reach it
	closing     sync.Once
	closed      bool // its proxy is, and its counts are in chrome.past
	idle        []*tab
	users       int
	used        time.Time
	private     bool          // for one page only
	bannerWaits int           // pages on which a late banner was waited for
	ready       chan struct{} // closed when it can be used, or failed
	err         error
}

// maxSites is how many contexts without work are kept.
const maxSites = 8

// siteKey puts hosts of one registrable domain together: they may share cookies.
func siteKey(u *url.URL) string {
	host := strings.ToLower(u.Hostname())
	if domain, err := publicsuffix.EffectiveTLDPlusOne(host); err == nil && net.ParseIP(host) == nil {
		return domain
	}
	return u.Host
}

// tab returns a tab in the context of the URL's site, which is made when there is none.
func (c *chrome) tab(ctx context.Context, u *url.URL) (*tab, error) {
	key := siteKey(u)
	c.mu.Lock()
	c.pages++
	s := c.sites[key]
	if c.r.FreshPages {
		key = fmt.Sprintf("%s#%d", key, c.pages)
		for c.sites[key] != nil {
			key += "+"
		}
		s = nil
	}
	made := s == nil
	if made {
		s = &site{chrome: c, key: key, private: c.r.FreshPages, ready: make(chan struct{})}
		c.sites[key] = s
	}
	s.users++
	var t *tab
	if n := len(s.idle); n > 0 {
		t, s.idle = s.idle[n-1], s.idle[:n-1]
	}
	c.mu.Unlock()
	if made {
		s.err = s.open(ctx)
		if s.err != nil {
			c.mu.Lock()
			delete(c.sites, key)
			c.mu.Unlock()
		}
		close(s.ready)
	}
	select {
	case <-s.ready:
	case <-ctx.Done():
		s.leave(nil)
		return nil, context.Cause(ctx)
	}
	if s.err != nil {
		s.leave(nil)
		return nil, s.err
	}
	if t != nil {
		if t.ready(u) {
			return t, nil
		}
		t.discard()
	}
	t, err := newTab(ctx, s)
	if err != nil {
		s.leave(nil)
		return nil, err
	}
	return t, nil
}

func (s *site) open(ctx context.Context) error {
	params := target.CreateBrowserContextParams{DisposeOnDetach: new(true)}
	if s.chrome.guarded && !s.chrome.r.off.noProxy {
		guard := &netguard.Dialer{Policy: netguard.Policy(s.chrome.r.Addresses)}
		proxy, err := egress.Start(guard.DialContext)
		if err != nil {
			return err
		}
		proxy.Loose = s.chrome.r.off.looseProxy
		s.chrome.mu.Lock()
		s.proxy = proxy
		s.chrome.mu.Unlock()
		params.ProxyServer, params.ProxyBypassList = "http://"+proxy.Addr(), "<-loopback>"
	}
	if s.chrome.r.off.noProxy {
		params.ProxyServer = "direct://"
	}
	made, err := cdp.Call(ctx, s.chrome.conn.browser, target.CreateBrowserContext, params)
	if err != nil {
		s.closeProxy()
		return err
	}
	s.context = made.BrowserContextID
	return nil
}

// leave ends a use of the site and keeps the tab for the next page; nil when it is gone. Contexts that nobody uses are
// disposed of: at once when private, otherwise the one that was used longest ago once there are too many.
func (s *site) leave(t *tab) {
	c := s.chrome
	c.mu.Lock()
	s.users--
	s.used = time.Now()
	if t != nil {
		s.idle = append(s.idle, t)
	}
	var old *site
	if s.private && s.users == 0 {
		old = s
	} else {
		n := 0
		for _, other := range c.sites {
			if other.users == 0 && !other.private {
				n++
				if old == nil || other.used.Before(old.used) {
					old = other
				}
			}
		}
		if n <= maxSites {
			old = nil
		}
	}
	if old != nil {
		delete(c.sites, old.key)
	}
	c.mu.Unlock()
	if old != nil {
		old.dispose()
	}
}

func (s *site) dispose() {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	if s.context != "" {
		cdp.Call(ctx, s.chrome.conn.browser, target.DisposeBrowserContext, target.DisposeBrowserContextParams{BrowserContextID: s.context})
	}
	s.closeProxy()
}

// closeProxy ends the site's way out and keeps its counts. Later calls wait for the first.
func (s *site) closeProxy() {
	s.chrome.mu.Lock()
	proxy := s.proxy
	s.chrome.mu.Unlock()
	if proxy == nil {
		return
	}
	s.closing.Do(func() {
		proxy.Close()
		stats := proxy.Stats()
		s.chrome.mu.Lock()
		defer s.chrome.mu.Unlock()
		s.closed = true
		s.chrome.past.dropped += stats.Refused
		s.chrome.past.received += stats.Received
		s.chrome.past.sent += stats.Sent
	})
}

// debuggerURL asks a browser's debugging port for the address of its own session.
func debuggerURL(ctx context.Context, u *url.URL) (string, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.JoinPath("/json/version").String(), nil)
	if err != nil {
		return "", err
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := client.Do(req)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	var answer struct {
		URL string `json:"webSocketDebuggerUrl"`
	}
	if err := json.NewDecoder(resp.Body).Decode(&answer); err != nil {
		return "", err
	}
	if answer.URL == "" {
		return "", fmt.Errorf("no debugger address in the answer, status %d", resp.StatusCode)
	}
	return answer.URL, nil
}
