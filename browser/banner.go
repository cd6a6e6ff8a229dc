package browser

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/runtime"

	"github.com/amblecrawl/amble"
	"github.com/amblecrawl/amble/internal/consent"
)

// BannerPolicy says what is done about cookie banners (S9). The zero policy touches nothing.
type BannerPolicy struct {
	Mode BannerMode

	// Late is how long after the load event a banner may still appear. It is waited for on the first pages of a site
	// only, since a choice that was made there holds for the others. 0: 3 seconds.
	Late time.Duration
}

// BannerMode is what is done about a cookie banner.
type BannerMode uint8

const (
	// BannerLeave touches nothing.
	BannerLeave BannerMode = iota

	// BannerRefuse gets the banner out of the way without consent, by the first of these that works: refuse, or keep only
	// what is necessary; close without a choice; save a second layer with nothing optional ticked; hide it and let the
	// page scroll again. It never accepts, and never clicks "OK". What else lies over a page (a newsletter, a paywall,
	// consent or pay, an age gate, a login) is left alone and named in Snapshot.Banner.Obstacle.
	BannerRefuse
)

// The actions in Snapshot.Banner.
const (
	BannerNone     = "none"
	BannerReject   = "reject"
	BannerClose    = "close"
	BannerSaveNone = "save-none"
	BannerHide     = "hide"
)

const (
	maxBannerClicks = 3
	bannerChange    = 1200 * time.Millisecond // how long a click may take to show
	bannerLook      = 150 * time.Millisecond
	bannerPoll      = 700 * time.Millisecond
	latePages       = 2 // pages of a site on which late banners are waited for
)

// banners looks for a cookie banner and gets it out of the way.
func (l *load) banners(snap *amble.Snapshot, policy BannerPolicy) {
	if policy.Mode != BannerRefuse {
		return
	}
	start := time.Now()
	ctx, cancel := context.WithTimeout(l.ctx, max(min(captureTimeout, l.remaining()), captureGrace))
	defer cancel()
	l.mu.Lock()
	l.clicked = true // from here on the page goes nowhere
	l.mu.Unlock()
	post(l.tab.main, dom.Enable, dom.EnableParams{})
	defer post(l.tab.main, dom.Disable, cdp.Empty{})
	b := &bannerCase{load: l, ctx: ctx, report: &snap.Banner}
	snap.Banner.Action = BannerNone
	if err := b.handle(policy); err != nil && l.ctx.Err() == nil {
		l.problem("the cookie banner: %v", err)
	}
	snap.Banner.Took = time.Since(start)
}

// bannerCase is the handling of one page's banner.
type bannerCase struct {
	load   *load
	ctx    context.Context
	report *amble.Banner
	view   *view
	layer  int
	tried  map[backendKey]bool // buttons that did not help
}

func (b *bannerCase) handle(policy BannerPolicy) error {
	found, err := b.await(or(policy.Late, 3*time.Second))
	if err != nil || found < 0 {
		return err
	}
	b.report.Found, b.report.Kind = true, "banner"
	b.tried = map[backendKey]bool{}
	for b.report.Clicks < maxBannerClicks {
		action, button := b.choose(found)
		if button < 0 {
			break
		}
		b.tried[b.view.tree.ids[button]] = true
		gone, err := b.click(found, button)
		if err != nil {
			if b.ctx.Err() != nil {
				return err
			}
			continue // it cannot be hit: the next best
		}
		if gone {
			b.report.Action = action
			break
		}
		if b.navigated() {
			break
		}
		// Another layer, or nothing happened.
		if next := b.view.banner(); next >= 0 {
			found = next
			b.layer++
		}
	}
	if b.report.Action == BannerNone {
		if err := b.hide(found); err != nil {
			return err
		}
		b.report.Action = BannerHide
	}
	return b.tidy()
}

// await looks for a banner, and waits for one that comes late on the first pages of a site. It returns its node, or -1.
func (b *bannerCase) await(late time.Duration) (int, error) {
	l := b.load
	c := l.chrome
	c.mu.Lock()
	patient := l.tab.site.bannerWaits < latePages
	l.tab.site.bannerWaits++
	c.mu.Unlock()
	for {
		if err := b.look(); err != nil {
			return -1, err
		}
		if found := b.view.banner(); found >= 0 {
			return found, nil
		}
		if b.view.obstacle != "" {
			b.report.Obstacle = b.view.obstacle
			return -1, nil
		}
		l.mu.Lock()
		since := l.loaded
		if since.IsZero() {
			since = l.document.heard
		}
		l.mu.Unlock()
		left := late - time.Since(since)
		if !patient || left <= 0 {
			return -1, nil
		}
		// What slides in by a transition changes nothing in the document, so look every now and then.
		b.changes(min(left, bannerPoll))
		if b.ctx.Err() != nil {
			return -1, b.ctx.Err()
		}
	}
}

// changes waits until the document has changed, or for as long as it does not.
func (b *bannerCase) changes(within time.Duration) {
	const script = `new Promise(done => {
		const cap = setTimeout(() => finish(false), %d);
		let timer;
		const watch = new MutationObserver(() => { clearTimeout(timer); timer = setTimeout(() => finish(true), 250); });
		function finish(changed) { watch.disconnect(); clearTimeout(cap); done(changed); }
		watch.observe(document, {subtree: true, childList: true, attributes: true});
	})`
	if b.load.evaluate(b.ctx, fmt.Sprintf(script, within.Milliseconds()), nil) != nil {
		select { // a document that cannot be watched
		case <-time.After(within):
		case <-b.ctx.Done():
		}
	}
}

func (b *bannerCase) look() error {
	v, err := b.load.takeView(b.ctx)
	if err != nil {
		return err
	}
	b.view = v
	return nil
}

// choose picks the best button that was not tried, and what pressing it does. It never picks one that gives consent.
func (b *bannerCase) choose(root int) (action string, button int) {
	buttons := b.view.buttons(root)
	ticked := b.view.ticked(root)
	for _, want := range []struct {
		meaning consent.Meaning
		action  string
		ok      bool
	}{
		{consent.Reject, BannerReject, true},
		{consent.Necessary, BannerReject, true},
		{consent.Close, BannerClose, b.layer == 0 && !consent.ClosingConsents(b.view.text(root))},
		{consent.Save, BannerSaveNone, ticked == 0 && b.view.choices(root) > 0},
		{consent.Settings, BannerNone, b.layer == 0},
	} {
		if !want.ok {
			continue
		}
		for _, candidate := range buttons {
			if candidate.meaning == want.meaning && !b.tried[b.view.tree.ids[candidate.node]] {
				return want.action, candidate.node
			}
		}
	}
	return BannerNone, -1
}

var errNotHit = errors.New("something else is in front of it")

// click presses a button with the mouse, once it is sure that the button is what would be hit, and waits for what comes of
// it. It reports whether the banner is gone.
func (b *bannerCase) click(root, button int) (gone bool, err error) {
	l := b.load
	x, y, ok := b.view.centre(button)
	if !ok {
		if err := b.scrollTo(button); err != nil {
			return false, err
		}
		key := b.view.tree.ids[button]
		if err := b.look(); err != nil {
			return false, err
		}
		button, root = b.view.tree.node(key.process, key.id), b.view.banner()
		if button < 0 || root < 0 {
			return false, errNotHit
		}
		if x, y, ok = b.view.centre(button); !ok {
			return false, errNotHit
		}
	}
	hit, err := cdp.Call(b.ctx, l.tab.main, dom.GetNodeForLocation, dom.GetNodeForLocationParams{X: int64(x), Y: int64(y)})
	if err != nil {
		return false, err
	}
	if !b.view.within(b.view.tree.node(0, hit.BackendNodeID), button) {
		return false, errNotHit
	}
	b.report.Clicks++
	for _, kind := range []input.DispatchMouseEventType{input.DispatchMouseEventTypeMouseMoved, input.DispatchMouseEventTypeMousePressed, input.DispatchMouseEventTypeMouseReleased} {
		params := input.DispatchMouseEventParams{Type: kind, X: x, Y: y, Button: input.MouseButtonLeft, ClickCount: 1}
		if kind == input.DispatchMouseEventTypeMouseMoved {
			params.Button, params.ClickCount = input.MouseButtonNone, 0
		}
		if _, err := cdp.Call(b.ctx, l.tab.main, input.DispatchMouseEvent, params); err != nil {
			return false, err
		}
	}
	before := b.view.signature(root)
	for deadline := time.Now().Add(bannerChange); time.Now().Before(deadline); {
		select {
		case <-time.After(bannerLook):
		case <-b.ctx.Done():
			return false, b.ctx.Err()
		}
		if err := b.look(); err != nil {
			return false, err
		}
		now := b.view.banner()
		if now < 0 {
			return true, nil
		}
		if b.view.signature(now) != before && b.view.tree.ids[now] != (backendKey{}) && time.Until(deadline) < bannerChange/2 {
			return false, nil // another layer
		}
	}
	return false, nil
}

func (b *bannerCase) navigated() bool {
	b.load.mu.Lock()
	defer b.load.mu.Unlock()
	return b.load.navigate > 0
}

func (b *bannerCase) scrollTo(node int) error {
	key := b.view.tree.ids[node]
	_, err := cdp.Call(b.ctx, b.session(key), dom.ScrollIntoViewIfNeeded, dom.ScrollIntoViewIfNeededParams{BackendNodeID: key.id})
	return err
}

// session is the session that a node's process is spoken to through.
func (b *bannerCase) session(key backendKey) *session {
	if key.process > 0 && key.process <= len(b.view.sessions) {
		return b.view.sessions[key.process-1]
	}
	return b.load.tab.main
}

// run calls a function with an element as this.
func (b *bannerCase) run(node int, function string) error {
	if node < 0 {
		return nil
	}
	key := b.view.tree.ids[node]
	s := b.session(key)
	object, err := cdp.Call(b.ctx, s, dom.ResolveNode, dom.ResolveNodeParams{BackendNodeID: key.id})
	if err != nil {
		return err
	}
	_, err = cdp.Call(b.ctx, s, runtime.CallFunctionOn, runtime.CallFunctionOnParams{FunctionDeclaration: function, ObjectID: object.Object.ObjectID, Silent: new(true)})
	return err
}

const (
	hideElement = `function() {
		if (this.localName === 'dialog' && this.open) this.close();
		this.style.setProperty('display', 'none', 'important');
	}`
	letScroll = `function() {
		const s = getComputedStyle(this);
		if (/hidden|clip/.test(s.overflowY)) { this.style.setProperty('overflow', 'visible', 'important'); this.style.setProperty('overflow-y', 'visible', 'important'); }
		if (s.position === 'fixed') { this.style.setProperty('position', 'static', 'important'); }
	}`
	wake = `function() { this.removeAttribute('inert'); if (this.getAttribute('aria-hidden') === 'true') this.removeAttribute('aria-hidden'); }`
)

// hide takes the banner out of the page: what lies over it, found by its root.
func (b *bannerCase) hide(root int) error {
	if now := b.view.banner(); now >= 0 {
		root = now
	}
	if root >= len(b.view.snap.Nodes) {
		return nil
	}
	return b.run(root, hideElement)
}

// tidy removes what a banner leaves behind: empty veils, a locked scroll, content that is inert or hidden from assistive
// technology. It looks twice, since scripts may lock again what was unlocked; then it says whether the banner is gone.
func (b *bannerCase) tidy() error {
	for range 2 {
		if err := b.look(); err != nil {
			return err
		}
		if root := b.view.banner(); root >= 0 {
			if err := b.run(root, hideElement); err != nil {
				return err
			}
		}
		for _, veil := range b.view.veils() {
			if err := b.run(veil, hideElement); err != nil {
				return err
			}
		}
		for _, node := range b.view.roots() {
			if err := b.run(node, letScroll); err != nil {
				return err
			}
		}
		for _, node := range b.view.asleep() {
			if err := b.run(node, wake); err != nil {
				return err
			}
		}
		select {
		case <-time.After(2 * bannerLook):
		case <-b.ctx.Done():
			return b.ctx.Err()
		}
	}
	if err := b.look(); err != nil {
		return err
	}
	b.report.Verified = b.view.banner() < 0 && len(b.view.veils()) == 0
	return nil
}
